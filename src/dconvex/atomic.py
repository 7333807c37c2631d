"""Files that are replaced as a whole: after a crash the old one or the new one is there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file next to `path` to write to; when all went well it is synced and replaces `path`."""
    import tempfile  # with shutil, random and compressors: 3 ms that readers need not wait for

    target = path.resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    os.close(handle)
    part = Path(name)
    try:
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.chmod(_mode_of(target))
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Have the new name on disk too, on systems that let a folder be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _mode_of(target: Path) -> int:
    """The permissions of the file that is replaced, or those that a plain `open` would give."""
    if target.exists():
        return target.stat().st_mode & 0o777
    return 0o666 & ~_mask()


@cache
def _mask() -> int:
    """Read once: to read it is to set it, for all threads."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
