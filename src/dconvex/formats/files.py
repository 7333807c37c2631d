"""Text in and out of files: sizes bounded, compressed or not, and written so that a crash leaves the old file whole."""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path
from typing import BinaryIO

from dconvex.atomic import replacing
from dconvex.errors import FormatError

MOST_BYTES = 1 << 29
"""Larger texts are refused: a few kilobytes of gzip can unfold to any size."""


def read_text(path: Path) -> str:
    """The text of a file, unzipped if it ends in .gz; UTF-8, or UTF-16 with a byte order mark."""
    with path.open("rb") as file:
        raw = _unzipped(path, file) if is_zipped(path) else file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise FormatError(f"the text is larger than {MOST_BYTES >> 20} MiB", path=str(path))
    has_utf16_mark = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return raw.decode("utf-16" if has_utf16_mark else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        problem = f"the text is not {error.encoding.upper()} (byte {error.start}: {error.reason}); save it as UTF-8"
        raise FormatError(problem, path=str(path), line=line) from None


def write_text(path: Path, text: str) -> None:
    """Write beside, sync, rename: after a crash the old or the new file is there, whole."""
    raw = text.encode("utf-8")
    if is_zipped(path):
        raw = gzip.compress(raw, mtime=0)
    with replacing(path) as beside:
        beside.write_bytes(raw)


def is_zipped(path: Path) -> bool:
    """Whether the name says that the file is gzipped."""
    return path.name.lower().endswith(".gz")


def _unzipped(path: Path, file: BinaryIO) -> bytes:
    try:
        with gzip.open(file) as unzipped:
            return unzipped.read(MOST_BYTES + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(f"the gzip file is damaged: {error}", path=str(path)) from None
