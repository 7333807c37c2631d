"""One file of named arrays, in the safetensors format.

A file says what it is, its version, and a checksum of everything in it. What it says is compared with its size, and every array
with its type, its shape and its checksum, before it is used; nothing in a file is ever executed.
"""

from __future__ import annotations

import json
import math
import os
import re
import reprlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dconvex.arrays import Array
from dconvex.atomic import replacing
from dconvex.errors import FormatError
from dconvex.storage.byte_file import ByteFile
from dconvex.storage.facts import Facts, read_json
from dconvex.storage.sections import LAZY, OPTIONAL, PAIRS, SECTIONS, VERSION, type_of

LONGEST_HEADER = 100_000_000
"""That of safetensors itself, which writes none that is longer."""
MOST_AXES = 8
DTYPES: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"), "F32": np.dtype("<f4"), "F16": np.dtype("<f2"), "I64": np.dtype("<i8"), "I32": np.dtype("<i4"),
    "I16": np.dtype("<i2"), "I8": np.dtype("i1"), "U64": np.dtype("<u8"), "U32": np.dtype("<u4"), "U16": np.dtype("<u2"),
    "U8": np.dtype("u1"), "BOOL": np.dtype("?"),
}  # fmt: skip
"""Those that sections have, and others that sections which are not known here may have."""


def write_container(path: Path, what: str, arrays: Mapping[str, Array], facts: Mapping[str, object]) -> None:
    """Write a file next to `path`, sync it and put it in the place of `path`.

    Args:
        path: The file.
        what: What kind of file it is.
        arrays: By their names in `sections`.
        facts: What else there is to say, as JSON.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    plain = {name: np.ascontiguousarray(array, DTYPES[str(type_of(name))]) for name, array in arrays.items()}
    listed = {section: section not in OPTIONAL for section in SECTIONS if any(_section(name) == section for name in plain)}
    said = json.dumps({**facts, "sections": listed})
    checks = json.dumps({name: zlib.crc32(_bytes(array)) for name, array in plain.items() if name not in LAZY})
    shapes = {name: (str(type_of(name)), array.shape) for name, array in plain.items()}
    checksum = str(_description_checksum(what, said, checks, shapes))
    about = {"format": what, "version": str(VERSION), "checksum": checksum, "checks": checks, "facts": said}
    with replacing(path) as temporary:
        try:
            save_file(plain, temporary, about)
        except SafetensorError as error:
            raise _system_error(error, path) from None


def _system_error(error: Exception, path: Path) -> OSError:
    """What the system said while the file was written, a full disk for one."""
    number = re.search(r"os error (\d+)", str(error))
    if number is None:
        return OSError(f"{path}: {error}")
    return OSError(int(number[1]), os.strerror(int(number[1])), str(path))


@dataclass(frozen=True, slots=True)
class Entry:
    """Where an array is in a file."""

    kind: str
    shape: tuple[int, ...]
    first: int
    checksum: int | None = None
    """None for one that is read in parts."""

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    @property
    def last(self) -> int:
        return self.first + self.count * DTYPES[self.kind].itemsize


@dataclass(frozen=True, slots=True, eq=False)
class Container:
    """A file that is open: what it says, and where its arrays are. Arrays are read, and checked, when they are asked for."""

    file: ByteFile
    facts: Facts
    entries: Mapping[str, Entry]
    loaded: Mapping[str, Array] = field(default_factory=dict)
    """Arrays that were read already."""

    @classmethod
    def open(cls, path: Path, what: str) -> Container:
        """Open a file and check what it says of itself.

        Raises:
            FormatError: It is not of this kind, damaged, cut short, or of a later version.
        """
        file = ByteFile(path)
        header = read_header(file, what)
        if header.version == 1:
            from dconvex.storage.version1 import converted

            return converted(file, header, what)
        said, checks = header.text("facts"), header.text("checks")
        shapes = {name: (entry.kind, entry.shape) for name, entry in header.entries.items()}
        if header.text("checksum") != str(_description_checksum(what, said, checks, shapes)):
            raise FormatError("the file is damaged: its checksum is wrong", path=file.shown)
        facts, listed = Facts(read_json(said, file.shown), file.shown), Facts(read_json(checks, file.shown), file.shown)
        return cls(file, facts, _known(file.shown, header.entries, facts, listed))

    @property
    def path(self) -> str:
        return self.file.shown

    def __contains__(self, section: str) -> bool:
        """Whether the file has a section."""
        return any(_section(name) == section for name in (*self.entries, *self.loaded))

    def array(self, name: str, length: int | None = None) -> Array:
        """All of an array; `length` is that of its first axis where it is known.

        Raises:
            FormatError: It is not there, not as long, or damaged.
        """
        array = self.loaded[name] if name in self.loaded else self._read(name)
        if length is not None and len(array) != length:
            raise FormatError(f"the file is damaged: {name} has {len(array):,} entries, not {length:,}", path=self.path)
        return array

    def entry(self, name: str) -> Entry:
        """Where an array is that is read in parts."""
        if name not in self.entries:
            raise FormatError(f"the file is damaged: it has no {name}", path=self.path)
        return self.entries[name]

    def damaged(self, problem: str) -> FormatError:
        """The error for what cannot be."""
        return FormatError(f"the file is damaged: {problem}", path=self.path)

    def _read(self, name: str) -> Array:
        entry = self.entry(name)
        array = read_entry(self.file, entry)
        if zlib.crc32(_bytes(array)) != entry.checksum:
            raise self.file.damage(f"the checksum of {name} is wrong")
        return array


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says of itself: words, and where its arrays are."""

    path: str
    about: Mapping[str, Any]
    entries: Mapping[str, Entry]

    @property
    def version(self) -> int:
        version = self.text("version")
        return int(version) if version.isascii() and version.isdigit() and len(version) < 10 else 0

    def text(self, name: str) -> str:
        value = self.about.get(name)
        if not isinstance(value, str):
            raise FormatError(f"the file is damaged: it does not say its {name}", path=self.path)
        return value


def read_header(file: ByteFile, what: str) -> Header:
    """The header of a file of this kind, with arrays that fill the file, one after the other."""
    if file.size < 8:
        raise FormatError(f"this is not a {what} file (it has {file.size} bytes)", path=file.shown)
    length = int.from_bytes(file.read(0, 8), "little")
    text = file.read(8, length) if 2 <= length <= min(LONGEST_HEADER, file.size - 8) else b""
    if not text.startswith(b"{"):
        raise FormatError(f"this is not a {what} file, or it is cut short", path=file.shown)
    file.pin(8 + length)
    described = read_json(text, file.shown)
    about = described.pop("__metadata__", None) if isinstance(described, dict) else None
    if not isinstance(about, dict) or "format" not in about:
        raise FormatError(f"this is not a {what} file", path=file.shown)
    if about["format"] != what:
        raise FormatError(f"this is not a {what} file but one of {reprlib.repr(about['format'])}", path=file.shown)
    if (version := Header(file.shown, about, {}).version) > VERSION:
        raise FormatError(
            f"the file has version {version}; this dconvex reads up to {VERSION}: update dconvex", path=file.shown
        )
    if version < 1:
        raise FormatError(f"the file is damaged: it has the version {reprlib.repr(about.get('version'))}", path=file.shown)
    entries = {name: _entry(name, entry, 8 + length, file.shown) for name, entry in described.items()}
    _check_extent(entries, 8 + length, file)
    return Header(file.shown, about, entries)


def read_entry(file: ByteFile, entry: Entry) -> Array:
    """An array of which it is known that the file has room for it."""
    dtype = DTYPES[entry.kind]
    if entry.kind == "BOOL":
        flags = file.read_array(entry.first, entry.count, np.dtype("u1"))
        if flags.max(initial=0) > 1:
            raise FormatError("the file is damaged: a flag is neither true nor false", path=file.shown)
        return flags.view(np.bool_).reshape(entry.shape)
    return file.read_array(entry.first, entry.count, dtype).reshape(entry.shape)


def _known(path: str, entries: Mapping[str, Entry], facts: Facts, checks: Facts) -> dict[str, Entry]:
    """The arrays of the sections that are known here, each as it must be."""
    sections = facts.part("sections")
    for section in sections:
        if sections.flag(section) and section not in SECTIONS:
            raise FormatError(f"the file needs {section!r}, which this dconvex does not know: update dconvex", path=path)
    found: dict[str, Entry] = {}
    for name, entry in entries.items():
        if _section(name) not in sections:
            raise FormatError(f"the file is damaged: its array {name!r} belongs to nothing", path=path)
        if _section(name) not in SECTIONS:
            continue
        axes = 2 if name in PAIRS else 1
        if entry.kind != type_of(name) or len(entry.shape) != axes or (axes == 2 and entry.shape[1] != 2):
            raise FormatError(f"the file is damaged: its array {name!r} has the wrong type or shape", path=path)
        checksum = None if name in LAZY else checks.count(name)
        found[name] = Entry(entry.kind, entry.shape, entry.first, checksum)
    for name in (f"{section}.{part}" for section in sections if section in SECTIONS for part in SECTIONS[section]):
        if name not in found:
            raise FormatError(f"the file is damaged: it has no {name}", path=path)
    return found


def _entry(name: str, described: Any, begin: int, path: str) -> Entry:
    try:
        kind, shape, offsets = described["dtype"], described["shape"], described["data_offsets"]
        are_short = len(described) == 3 and len(shape) <= MOST_AXES and len(offsets) == 2
        if are_short and kind in DTYPES and all(type(number) is int and number >= 0 for number in (*shape, *offsets)):
            entry = Entry(kind, tuple(shape), begin + offsets[0])
            if entry.last == begin + offsets[1]:
                return entry
    except (KeyError, TypeError, IndexError):
        pass
    raise FormatError(f"the file is damaged: its array {name!r} has no sound description", path=path)


def _check_extent(entries: Mapping[str, Entry], begin: int, file: ByteFile) -> None:
    """That the arrays lie one after the other and fill the file."""
    end = begin
    for entry in sorted(entries.values(), key=lambda entry: (entry.first, entry.last)):
        if entry.first != end:
            raise FormatError("the file is damaged: its arrays do not lie one after the other", path=file.shown)
        end = entry.last
    if end > file.size:
        raise FormatError(f"the file is cut short: it has {file.size:,} bytes and needs {end:,}", path=file.shown)
    if end < file.size:
        raise FormatError(f"the file is damaged: it has {file.size:,} bytes and uses {end:,}", path=file.shown)


def _description_checksum(what: str, said: str, checks: str, shapes: Mapping[str, tuple[str, tuple[int, ...]]]) -> int:
    """Of what a file says, of the checksums of its arrays, and of their types and shapes."""
    listed = [f"{name} {kind} {shape}" for name, (kind, shape) in sorted(shapes.items())]
    return zlib.crc32("\n".join([what, said, checks, *listed]).encode("utf-8", "surrogatepass"))


def _section(name: str) -> str:
    return name.partition(".")[0]


def _bytes(array: Array) -> memoryview:
    return array.reshape(-1).view(np.uint8).data
