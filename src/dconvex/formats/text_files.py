"""Text files: bounded in size, gzipped or not, and replaced as a whole."""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from dconvex.atomic import replacing
from dconvex.errors import FormatError

GZIP = 16 + zlib.MAX_WBITS
"""zlib's way to say that a stream has the header and the checksum of a gzip file."""
AT_ONCE = 1 << 20
MOST_BYTES = 1 << 29
"""Larger texts are refused: a few kilobytes of gzip can expand to any size."""
XML_ENCODING = re.compile(rb"""<\?xml[^>]*?\bencoding\s*=\s*["'](us-ascii|iso-8859-\d+|windows-125\d)["']""", re.IGNORECASE)
"""The encodings other than UTF-8 that desktop programs write."""


def read_text(path: Path) -> str:
    """The text of a file, unzipped if its name ends in .gz; UTF-8, UTF-16 with a byte order mark, or as its XML declares."""
    if path.exists() and not (path.is_file() or path.is_dir()):  # reading a pipe or a device may never end
        raise FormatError("this is a pipe or a device, not a file; save what it gives into a file first", path=str(path))
    with path.open("rb") as file:
        raw = _unzipped(path, file) if is_zipped(path) else file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise FormatError(f"the text is larger than {MOST_BYTES >> 20} MiB, the most that is read", path=str(path))
    try:
        return raw.decode(_encoding(raw))
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        problem = f"the text is not {error.encoding.upper()} (byte {error.start}: {error.reason}); save it as UTF-8"
        raise FormatError(problem, path=str(path), line=line) from None
    except LookupError as error:
        raise FormatError(f"{error}; save the file as UTF-8", path=str(path), line=1) from None


def write_text(path: Path, text: str) -> None:
    """Replace the file as a whole: after a crash there is the old one or the new one."""
    raw = text.encode("utf-8")
    with replacing(path) as temporary, temporary.open("wb") as file:
        for part in _zipped(raw) if is_zipped(path) else [raw]:
            file.write(part)


def is_zipped(path: Path) -> bool:
    """Whether the name says that the file is gzipped."""
    return path.name.lower().endswith(".gz")


def _zipped(raw: bytes) -> Iterator[bytes]:
    """What `gzip.compress` makes of it, without a time, in parts: Python hears Ctrl-C between them."""
    compressor = zlib.compressobj(level=9, wbits=GZIP)
    for first in range(0, len(raw), AT_ONCE):
        yield compressor.compress(raw[first : first + AT_ONCE])
    yield compressor.flush()


def _unzipped(path: Path, file: BinaryIO) -> bytes:
    try:
        with gzip.open(file) as unzipped:
            return unzipped.read(MOST_BYTES + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(f"the gzip file is damaged: {error}", path=str(path)) from None


def _encoding(raw: bytes) -> str:
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    declared = XML_ENCODING.match(raw[:200])
    return declared.group(1).decode("ascii") if declared else "utf-8-sig"
