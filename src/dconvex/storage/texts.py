"""Names and labels as arrays: the text of all of them, and where each begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from dconvex.names import Label, Name

Arrays: TypeAlias = dict[str, NDArray[Any]]
TEXT, INTEGER, BOOLEAN = 0, 1, 2


def packed_texts(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """All texts in UTF-8, one after the other, and where each begins."""
    whole = "".join(texts).encode("utf-8", "surrogatepass")
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    if len(whole) > lengths.sum():  # some letters take more than a byte
        lengths = np.fromiter((len(text.encode("utf-8", "surrogatepass")) for text in texts), np.int64, len(texts))
    return np.frombuffer(whole, np.uint8), np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def packed_labels(labels: Sequence[tuple[Label, ...]], prefix: str = "labels") -> Arrays:
    """The labels of each variable; sets of labels that many variables share stand there once."""
    number: dict[tuple[Any, ...], int] = {}
    known: dict[int, int] = {}  # most variables share a few tuples, which are told apart by where they lie
    for part in labels:
        if id(part) not in known:
            known[id(part)] = number.setdefault(tuple((type(label), label) for label in part), len(number))
    own = np.fromiter((known[id(part)] for part in labels), np.int32, len(labels))
    sets = [[label for _, label in part] for part in number]
    flat = [label for part in sets for label in part]
    text, at = packed_texts([str(int(label)) if isinstance(label, bool) else str(label) for label in flat])
    kinds = [BOOLEAN if isinstance(label, bool) else INTEGER if isinstance(label, int) else TEXT for label in flat]
    start = np.concatenate([[0], np.cumsum([len(part) for part in sets])]).astype(np.int64)
    return {
        f"{prefix}.text": text, f"{prefix}.at": at, f"{prefix}.kind": np.array(kinds, np.uint8),
        f"{prefix}.start": start, f"{prefix}.of": own,
    }  # fmt: skip


class StoredLabels(Sequence[tuple[Label, ...]]):
    """The labels of each variable, read when they are asked for."""

    def __init__(self, arrays: Any, prefix: str = "labels") -> None:
        text = arrays[f"{prefix}.text"].tobytes()
        at, kinds, start = (arrays[f"{prefix}.{part}"].tolist() for part in ("at", "kind", "start"))
        flat = [_label(text[at[k] : at[k + 1]], kind) for k, kind in enumerate(kinds)]
        self._sets = [tuple(flat[a:b]) for a, b in pairwise(start)]
        self._of = arrays[f"{prefix}.of"]

    def sizes(self) -> NDArray[np.int64]:
        """How many labels each variable has."""
        sizes: NDArray[np.int64] = np.array([len(own) for own in self._sets], np.int64)[self._of]
        return sizes

    def __len__(self) -> int:
        return len(self._of)

    def __getitem__(self, place: Any) -> Any:
        return self._sets[self._of[place]]


def packed_names(names: Sequence[Name]) -> Arrays:
    """Names in canonical order: integers first, then text, both sorted."""
    text, at = packed_texts([str(name) for name in names])
    integers = np.array([sum(isinstance(name, int) for name in names)], np.int64)
    return {"names.text": text, "names.at": at, "names.integers": integers}


class StoredNames(Sequence[Name]):
    """Names that are decoded one at a time, and found by looking in the middle again and again."""

    def __init__(self, arrays: Any) -> None:
        self._text, self._at = arrays["names.text"], arrays["names.at"]
        self.integers = int(arrays["names.integers"][0])

    def __len__(self) -> int:
        return len(self._at) - 1

    @overload
    def __getitem__(self, place: int) -> Name: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Name]: ...
    def __getitem__(self, place: int | slice) -> Name | Sequence[Name]:
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(len(self)))]
        where = place + len(self) if place < 0 else place
        if not 0 <= where < len(self):
            raise IndexError(place)
        raw = self._text[self._at[where] : self._at[where + 1]].tobytes()
        return int(raw) if where < self.integers else raw.decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[Name]:
        text, at = self._text.tobytes(), self._at.tolist()
        for place in range(len(self)):
            raw = text[at[place] : at[place + 1]]
            yield int(raw) if place < self.integers else raw.decode("utf-8", "surrogatepass")


class NameIndex:
    """Where each of some stored names stands."""

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


def _label(raw: bytes, kind: int) -> Label:
    if kind == TEXT:
        return raw.decode("utf-8", "surrogatepass")
    return bool(int(raw)) if kind == BOOLEAN else int(raw)
