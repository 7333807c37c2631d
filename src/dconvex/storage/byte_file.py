"""A file of which parts are read while something needs them."""

from __future__ import annotations

import errno
import os
import stat
import weakref
from pathlib import Path
from typing import Any, final

import numpy as np

from dconvex.arrays import Array
from dconvex.errors import FormatError
from dconvex.locks import Lock

READ_AT_ONCE = 1 << 30
"""Systems read at most about 2 GiB in one call."""


@final
class ByteFile:
    """An open file, read by position and never through a map: a file that is cut short gives an error, not a signal.

    The descriptor stays open, so that a file which is replaced is still the old one here; it is closed with the last object
    that reads from it. A copy in another process opens the path when it first reads, and refuses any other file: the size and
    the first `pinned` bytes, which hold the checksums of the rest, must be the same.
    """

    def __init__(self, path: Path) -> None:
        self.shown, self.path = str(path), path.absolute()
        self._opening, self._seeking = Lock(), Lock()
        self._pinned, self._digest = 0, b""
        self._descriptor: int | None = self._opened()
        self._changed_at, self.size = _state_of(self._descriptor)

    def pin(self, count: int) -> None:
        """Remember the first bytes, by which a copy recognises this file."""
        self._pinned, self._digest = count, _digest(self.read(0, count))

    def read(self, first: int, count: int) -> bytes:
        """Some bytes; `FormatError` where the file does not have them any more."""
        return self.read_array(first, count, np.dtype(np.uint8)).tobytes()

    def read_array(self, first: int, count: int, dtype: np.dtype[Any]) -> Array:
        """`count` numbers that begin at a byte. The caller has compared them with the size of the file."""
        try:
            array = np.empty(count, dtype)
        except MemoryError:
            raise FormatError(f"{count * dtype.itemsize:,} bytes of the file do not fit into memory", path=self.shown) from None
        self.read_into(first, array)
        return array

    def read_into(self, first: int, array: Array) -> None:
        """Fill a contiguous array with what begins at a byte."""
        if not self._filled(self._there(), first, array):
            raise FormatError("the file was cut short after it was opened; open it again", path=self.shown)

    def damage(self, problem: str) -> FormatError:
        """The error for bytes that are not what was written: the file is damaged, or was written over while it was open."""
        if _state_of(self._there()) != (self._changed_at, self.size):
            return FormatError(f"the file has changed since it was opened ({problem}); open it again", path=self.shown)
        return FormatError(f"the file is damaged: {problem}", path=self.shown)

    def _there(self) -> int:
        """The descriptor; a copy opens the file now."""
        if self._descriptor is not None:
            return self._descriptor
        with self._opening:
            if self._descriptor is None:
                self._descriptor = self._opened_again()
            return self._descriptor

    def _opened_again(self) -> int:
        descriptor = self._opened()
        self._changed_at, size = _state_of(descriptor)
        begin = np.empty(self._pinned if size == self.size else 0, np.uint8)
        if size != self.size or not self._filled(descriptor, 0, begin) or _digest(begin.tobytes()) != self._digest:
            raise FormatError("this is not the file that the model was opened from; open it again", path=self.shown)
        return descriptor

    def _opened(self) -> int:
        # a pipe must not be waited for; for files the flag means nothing
        flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            descriptor = os.open(self.path, flags)
        except OSError as error:
            error.filename = self.shown
            raise
        weakref.finalize(self, os.close, descriptor)
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), self.shown)
        if not stat.S_ISREG(mode):
            raise FormatError("this is not a regular file", path=self.shown)
        return descriptor

    def _filled(self, descriptor: int, first: int, array: Array) -> bool:
        """Whether the file has all these bytes. No position is shared with other threads and processes."""
        into = array.reshape(-1).view(np.uint8).data
        done = 0
        while done < len(into):
            count = self._read_part(descriptor, first + done, into[done : done + READ_AT_ONCE])
            if not count:
                return False
            done += count
        return True

    def _read_part(self, descriptor: int, first: int, into: memoryview) -> int:
        if hasattr(os, "preadv"):
            return os.preadv(descriptor, [into], first)
        if hasattr(os, "pread"):
            part = os.pread(descriptor, len(into), first)
        else:  # Windows
            with self._seeking:
                os.lseek(descriptor, first, os.SEEK_SET)
                part = os.read(descriptor, len(into))
        into[: len(part)] = part
        return len(part)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_descriptor": None}

    def __deepcopy__(self, memo: dict[int, Any]) -> ByteFile:
        return self


def _state_of(descriptor: int) -> tuple[int, int]:
    """When an open file was last written to, and its size."""
    found = os.fstat(descriptor)
    return found.st_mtime_ns, found.st_size


def _digest(begin: bytes) -> bytes:
    import hashlib  # with OpenSSL: milliseconds that only those who open files wait for

    return hashlib.blake2b(begin, digest_size=16).digest()
