"""Names and labels as arrays: the text of all of them, and where each begins."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import final, overload

import numpy as np

from dconvex._core import check_names
from dconvex.arrays import Array, Bytes, Indices, Integers, Offsets
from dconvex.errors import FormatError
from dconvex.intervals import Interval
from dconvex.names import Label, Name
from dconvex.storage.sections import Arrays

TEXT, INTEGER, BOOLEAN, INTERVAL = range(4)
"""Kinds of labels."""
AS_WRITTEN = re.compile(rb"0|-?[1-9][0-9]{0,4299}")
"""An integer as Python writes it; it reads none with more digits."""


LONGEST_INTERVAL = 200
"""Bytes; no interval prints as long."""


def packed_texts(texts: Sequence[str]) -> tuple[Bytes, Offsets]:
    """All texts in UTF-8, one after the other, and where each begins."""
    whole = "".join(texts).encode("utf-8", "surrogatepass")
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    if len(whole) > lengths.sum():  # some letters take more than a byte
        lengths = np.fromiter((len(text.encode("utf-8", "surrogatepass")) for text in texts), np.int64, len(texts))
    return np.frombuffer(whole, np.uint8), np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def packed_labels(labels: Sequence[tuple[Label, ...]]) -> Arrays:
    """The labels of each variable; a set of labels that many variables share is there once."""
    number: dict[tuple[tuple[type[Label], Label], ...], int] = {}
    known: dict[int, int] = {}  # most variables share a few tuples, which are compared by identity
    for part in labels:
        if id(part) not in known:
            known[id(part)] = number.setdefault(tuple((type(label), label) for label in part), len(number))
    own = np.fromiter((known[id(part)] for part in labels), np.int32, len(labels))
    sets = [[label for _, label in part] for part in number]
    flat = [label for part in sets for label in part]
    text, offsets = packed_texts([str(int(label)) if isinstance(label, bool) else str(label) for label in flat])
    kinds = [_kind_of(label) for label in flat]
    begins = np.concatenate([[0], np.cumsum([len(part) for part in sets])]).astype(np.int64)
    return {
        "labels.text": text, "labels.offsets": offsets, "labels.kinds": np.array(kinds, np.uint8), "labels.sets": begins,
        "labels.of": own,
    }  # fmt: skip


@final
class StoredLabels(Sequence[tuple[Label, ...]]):
    """The labels of each variable."""

    def __init__(self, sets: Sequence[tuple[Label, ...]], of: Indices) -> None:
        self._sets, self._of = sets, of

    @classmethod
    def read(cls, read: Callable[[str], Array], path: str, *, may_be_empty: bool) -> StoredLabels:
        """From arrays by name, checked: every label of a known kind, and no two of one variable equal."""
        text, offsets, kinds, begins, of = (read(f"labels.{part}") for part in ("text", "offsets", "kinds", "sets", "of"))
        if not (_are_offsets(offsets, len(text)) and len(kinds) == len(offsets) - 1 and _are_offsets(begins, len(kinds))):
            raise FormatError("the file is damaged: its labels do not fit together", path=path)
        if len(of) and not (of.min() >= 0 and of.max() < len(begins) - 1):
            raise FormatError("the file is damaged: a variable has no labels", path=path)
        flat = _labels(text.tobytes(), offsets.tolist(), kinds.tolist(), path)
        sets = [tuple(flat[first:last]) for first, last in pairwise(begins.tolist())]
        for own in sets:
            if len(set(own)) < len(own) or not (own or may_be_empty):
                raise FormatError("the file is damaged: a variable has no states, or the same state twice", path=path)
        return cls(sets, of)

    def sizes(self) -> Integers:
        """The number of labels of each variable."""
        sizes: Integers = np.array([len(own) for own in self._sets], np.int64)[self._of]
        return sizes

    def __len__(self) -> int:
        return len(self._of)

    @overload
    def __getitem__(self, index: int) -> tuple[Label, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[Label, ...]]: ...
    def __getitem__(self, index: int | slice) -> tuple[Label, ...] | Sequence[tuple[Label, ...]]:
        if isinstance(index, slice):
            return StoredLabels(self._sets, self._of[index])
        return self._sets[int(self._of[index])]


def packed_names(names: Sequence[Name]) -> tuple[Arrays, int]:
    """Names in canonical order, and the number of integers among them, which come first."""
    text, offsets = packed_texts([str(name) for name in names])
    return {"names.text": text, "names.offsets": offsets}, sum(isinstance(name, int) for name in names)


@final
class StoredNames(Sequence[Name]):
    """Names that are decoded one at a time; a name is found by binary search."""

    def __init__(self, text: Bytes, offsets: Offsets, integers: int) -> None:
        self._text, self._offsets, self.integers = text, offsets, integers

    @classmethod
    def checked(cls, text: Bytes, offsets: Offsets, integers: int, path: str) -> StoredNames:
        """Refuse what is not UTF-8, not in canonical order, or comes twice."""
        if not 0 <= integers < len(offsets):
            raise FormatError("the file is damaged: its number of integer names is wrong", path=path)
        try:
            check_names(text, offsets, integers)
        except ValueError as error:
            raise FormatError(f"the file is damaged: {error}", path=path) from None
        return cls(text, offsets, integers)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, index: int) -> Name: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Name]: ...
    def __getitem__(self, index: int | slice) -> Name | Sequence[Name]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        where = index + len(self) if index < 0 else index
        if not 0 <= where < len(self):
            raise IndexError(index)
        raw = self._text[self._offsets[where] : self._offsets[where + 1]].tobytes()
        return int(raw) if where < self.integers else raw.decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[Name]:
        text, offsets = self._text.tobytes(), self._offsets.tolist()
        for index in range(len(self)):
            raw = text[offsets[index] : offsets[index + 1]]
            yield int(raw) if index < self.integers else raw.decode("utf-8", "surrogatepass")


@final
class StoredNameIndex:
    """The index of each of some stored names."""

    def __init__(self, names: StoredNames) -> None:
        self._names = names

    def __contains__(self, name: object) -> bool:
        try:
            self[name]
        except KeyError:
            return False
        return True

    def __getitem__(self, name: object) -> int:
        names = self._names
        if not isinstance(name, str | int):
            raise KeyError(name)
        low, last = (0, names.integers) if isinstance(name, int) else (names.integers, len(names))
        high = last
        while low < high:
            middle = (low + high) // 2
            if names[middle] < name:  # type: ignore[operator]
                low = middle + 1
            else:
                high = middle
        if low < last and names[low] == name:
            return low
        raise KeyError(name)


def _are_offsets(offsets: Offsets, end: int) -> bool:
    """Whether they begin at 0, never fall and end there."""
    return bool(len(offsets) and offsets[0] == 0 and offsets[-1] == end and (offsets[1:] >= offsets[:-1]).all())


def _labels(text: bytes, offsets: list[int], kinds: list[int], path: str) -> list[Label]:
    try:
        return [_label(text[first:last], kind) for (first, last), kind in zip(pairwise(offsets), kinds, strict=True)]
    except ValueError:
        raise FormatError("the file is damaged: a label is not what it is said to be", path=path) from None


def _kind_of(label: Label) -> int:
    if isinstance(label, bool):
        return BOOLEAN
    return INTEGER if isinstance(label, int) else INTERVAL if isinstance(label, Interval) else TEXT


def _label(raw: bytes, kind: int) -> Label:
    if kind == TEXT:
        return raw.decode("utf-8", "surrogatepass")
    if kind == INTEGER and AS_WRITTEN.fullmatch(raw):
        return int(raw)
    if kind == BOOLEAN and raw in (b"0", b"1"):
        return raw == b"1"
    if kind == INTERVAL and len(raw) < LONGEST_INTERVAL:
        return Interval.from_text(raw.decode("ascii"))
    raise ValueError(raw)
