"""One file of named arrays, in the safetensors format.

A file says what it is, which version, and a checksum of its index. What must not be trusted before it is looked at is checked
here; nothing in a file is ever executed.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.atomic import replacing
from dconvex.errors import FormatError

Arrays: TypeAlias = Mapping[str, NDArray[Any]]

VERSION = 1
LONGEST_HEADER = 100_000_000
"""That of safetensors itself, which writes none that is longer."""
DTYPES = {
    "F64": np.float64, "I64": np.int64, "I32": np.int32, "I16": np.int16, "I8": np.int8,
    "U64": np.uint64, "U32": np.uint32, "U8": np.uint8, "BOOL": np.bool_,
}  # fmt: skip


def write_container(path: Path, what: str, arrays: Arrays, facts: Mapping[str, Any], lazy: Iterable[str] = ()) -> None:
    """Write beside, sync, rename. The arrays named `lazy` have checksums of their own and are left out of the file's."""
    from safetensors.numpy import save_file

    told = json.dumps(facts)
    about = {"format": what, "version": str(VERSION), "checksum": str(_checksum(arrays, set(lazy), told)), "facts": told}
    with replacing(path) as beside:
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, beside, about)


@dataclass(frozen=True, slots=True, eq=False)
class Container:
    """A file that has been opened: arrays are views of its bytes."""

    path: str
    what: str
    lazy: tuple[str, ...]
    facts: Mapping[str, Any]
    arrays: Arrays

    @classmethod
    def open(cls, path: Path, what: str, lazy: Iterable[str] = ()) -> Container:
        """Map the file and check all of it but the arrays named `lazy`."""
        shown = str(path)
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < 8:
                raise FormatError(f"this is not a {what} file (it has {size} bytes)", path=shown)
            image = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        about, entries, begin = _header(image, size, what, shown)
        arrays = {name: _view(image, begin, size, name, entry, shown) for name, entry in entries.items()}
        apart = set(lazy)
        if str(_checksum(arrays, apart, about.get("facts", ""))) != about.get("checksum"):
            raise FormatError("the file is damaged: its checksum is wrong", path=shown)
        facts = json.loads(about["facts"])
        return cls(shown, what, tuple(apart), facts, arrays)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """One array in place: only what is looked at is read, and the file never changes."""
        if name not in self.arrays:
            raise FormatError(f"the file has no array {name!r}", path=self.path)
        return self.arrays[name]

    def __contains__(self, name: object) -> bool:
        return name in self.arrays

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process opens the file anew."""
        return Container.open, (Path(self.path).resolve(), self.what, self.lazy)


def _header(image: mmap.mmap, size: int, what: str, path: str) -> tuple[dict[str, str], dict[str, Any], int]:
    """What the file says of itself, its arrays, and where they begin."""
    length = int.from_bytes(image[:8], "little")
    if length > min(LONGEST_HEADER, size - 8) or image[8:9] != b"{":
        raise FormatError(f"this is not a {what} file, or it is cut short", path=path)
    try:
        header = json.loads(image[8 : 8 + length])
        about = {str(name): str(value) for name, value in header.pop("__metadata__").items()}
        version = int(about["version"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise FormatError(f"this is not a {what} file", path=path) from None
    if about.get("format") != what:
        raise FormatError(f"this is not a {what} file but one of {about.get('format')!r}", path=path)
    if version > VERSION:
        raise FormatError(f"the file has version {version}; this dconvex reads up to {VERSION}: update dconvex", path=path)
    return about, header, 8 + length


def _view(image: mmap.mmap, begin: int, size: int, name: str, entry: Any, path: str) -> NDArray[Any]:
    try:
        dtype, shape = np.dtype(DTYPES[entry["dtype"]]), [int(length) for length in entry["shape"]]
        first, last = (begin + int(offset) for offset in entry["data_offsets"])
        count = math.prod(shape)
        if min(shape, default=0) < 0 or first < begin or last - first != count * dtype.itemsize:
            raise ValueError
    except (KeyError, TypeError, ValueError, OverflowError):
        raise FormatError(f"the file is damaged: its array {name!r} has no sound description", path=path) from None
    if last > size:
        raise FormatError(f"the file is cut short: it has {size:,} bytes and needs {last:,}", path=path)
    return np.frombuffer(image, dtype, count, first).reshape(shape)


def _checksum(arrays: Arrays, apart: set[str], told: str) -> int:
    """Of what is told, of the shape of every array, and of the bytes of all but some."""
    found = zlib.crc32(told.encode())
    for name in sorted(arrays):
        array = arrays[name]
        found = zlib.crc32(f"{name} {array.dtype.str} {array.shape}".encode(), found)
        if array.size and name not in apart:
            found = zlib.crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data, found)
    return found
