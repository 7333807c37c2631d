"""Numbering the states of a column as they come, so that batches and tables share one numbering."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.errors import DataError, UnknownStateError
from dconvex.kernels import load
from dconvex.learning.states import Order, States
from dconvex.names import Label, Name

Longs: TypeAlias = NDArray[np.int64]
Bytes: TypeAlias = NDArray[np.uint8]
Codes: TypeAlias = NDArray[Any]
Unknown: TypeAlias = Literal["raise", "missing"]

MOST_STATES = 1000
"""A column with more values than this holds no states, unless the caller declares them."""
MISSING = -1
FREE = -2
MISSING_NUMBER = int(np.iinfo(np.int64).min)
"""Stands for a missing cell in a column of integers."""
MARGIN = 16
"""So many bytes before a text are read with it."""
TEXT_SLOT = np.dtype(
    [("low", np.uint64), ("high", np.uint64), ("size", np.int64), ("end", np.int64), ("code", np.int64)], align=True
)
"""One slot of a table of texts; the kernel that looks there tells what is in it."""


class Encoder:
    """Gives each state of one variable a number, in the order in which they come."""

    def __init__(self, variable: Name, states: tuple[Label, ...] | None, unknown: Unknown) -> None:
        self.variable, self.unknown, self.is_fixed = variable, unknown, states is not None
        self.labels: list[Label] = list(states or ())
        self._number: dict[Label, int] = {label: code for code, label in enumerate(self.labels)}
        self._declared: tuple[Label, ...] | None = states
        self._is_mixed = False
        self._found: set[Label] = set()
        self._type: type | None = None
        self.integers, self.objects, self.texts = HashTable(), HashTable(), TextTable()

    def states(self) -> States:
        """All states so far, in the order that the model will have."""
        if self.is_fixed:
            return States(tuple(self.labels), Order.DECLARED)
        return States.of(list(self._number if self._is_mixed else self._found), self._declared, is_mixed=self._is_mixed)

    def declare(self, categories: Sequence[Any]) -> None:
        """Take note of the categories of a column."""
        if self.is_fixed or not len(categories):
            return
        declared = tuple(self._checked(label, 0) for label in categories)
        for label in declared:
            self._numbered(label)
        if self._declared is None:
            self._declared = declared
        self._is_mixed |= self._declared != declared

    def code_of(self, value: object, row: int) -> int:
        """The number of a value, a new one if need be; -1 for one that counts as missing."""
        if self.is_fixed:
            code = self._number.get(value, MISSING) if isinstance(value, Hashable) else MISSING  # type: ignore[call-overload]
            if code == MISSING and self.unknown == "raise":
                shown = value if isinstance(value, Hashable) else repr(value)
                problem = UnknownStateError(self.variable, shown, self.labels, where=f" in row {row}")
                raise DataError(f'{problem}; pass unknown="missing" to leave such cells out')
            return int(code)
        label = self._checked(value, row)
        self._found.add(label)
        return self._numbered(label)

    def code_if_met(self, label: object) -> int | None:
        """The number of a label that was met in the data before, or None."""
        if self.is_fixed:
            return self._number.get(label) if isinstance(label, str) else None
        return self._number[label] if type(label) is self._type and label in self._found else None

    def check_type(self, value: object, row: int) -> None:
        """Refuse a value of another type than those before it."""
        if isinstance(value, int) and not self.is_fixed:
            self._checked(value, row)

    def _numbered(self, label: Label) -> int:
        code = self._number.get(label)
        if code is None:
            code = self._number[label] = len(self.labels)
            self.labels.append(label)
            if len(self.labels) > MOST_STATES:
                raise _too_many_states(self.variable)
        return code

    def _checked(self, value: object, row: int) -> Label:
        """A value as a label: str, int or bool, all of one type; whole floats are integers."""
        plain = value.item() if isinstance(value, np.generic) else value
        if isinstance(plain, float) and plain.is_integer():
            plain = int(plain)
        if not isinstance(plain, str | int):
            raise DataError(
                f"column {self.variable!r} holds {plain!r} ({type(plain).__name__}) in row {row}; states are str, int or bool"
                + (', and numbers need kind="gaussian"' if isinstance(plain, float) else "")
            )
        self._type = self._type or type(plain)
        if type(plain) is not self._type:
            raise DataError(
                f"column {self.variable!r} mixes {self._type.__name__} and {type(plain).__name__}: {plain!r} in row {row}; "
                "convert the column to one type, or pass states="
            )
        return plain


def check_number_of_states(names: Sequence[Name], states: Sequence[States]) -> None:
    """Refuse what no single table could have had."""
    for name, own in zip(names, states, strict=True):
        if len(own) > MOST_STATES and own.order is not Order.DECLARED:
            raise _too_many_states(name)


def _too_many_states(variable: Name) -> DataError:
    return DataError(
        f"column {variable!r} has more than {MOST_STATES:,} values; is it a number or an identifier? "
        "Pass states= to declare so many, or leave the variable out of the graph"
    )


class HashTable:
    """Codes of 64-bit keys, for the kernel `translate`; objects whose addresses are keys are kept alive."""

    def __init__(self) -> None:
        self.keys, self.codes = np.zeros(64, np.int64), np.full(64, FREE, np.int32)
        self.count = 0
        self.alive: list[object] = []

    def add(self, key: int, code: int, alive: object = None) -> None:
        kernels = load("counting")
        if 2 * self.count >= len(self.keys):
            keys, codes = self.keys, self.codes
            self.keys, self.codes = np.zeros(4 * len(keys), np.int64), np.full(4 * len(keys), FREE, np.int32)
            for place in np.flatnonzero(codes > FREE).tolist():
                kernels.insert(self.keys, self.codes, keys[place], codes[place])
        kernels.insert(self.keys, self.codes, np.int64(key), np.int32(code))
        self.count += 1
        self.alive.append(alive)

    def translate(self, values: Longs, out: Codes, met: Callable[[int], tuple[int, object]]) -> None:
        """Write the codes of all values; `met` is asked for the code at a place with a key that is not there yet."""
        translate = load("counting").translate
        place = translate(values, self.keys, self.codes, out, 0)
        while place >= 0:
            code, alive = met(place)
            self.add(int(values[place]), code, alive)
            place = translate(values, self.keys, self.codes, out, place)


class TextTable:
    """Codes of texts as Arrow holds them, for the kernel `translate_texts`."""

    def __init__(self) -> None:
        self.slots, self.known = np.zeros(512, TEXT_SLOT), np.empty(1024, np.uint8)
        self.count, self.used = 0, MARGIN

    def translate(self, offsets: Longs, text: Bytes, out: Codes, met: Callable[[int], int]) -> None:
        """Write the codes of all texts; `met` is asked for the code at a place with a text that is not there yet."""
        near = int(np.searchsorted(offsets[:-1], MARGIN))  # so many are too close to where the buffer begins
        if near:
            start = np.concatenate([np.zeros(MARGIN, np.uint8), text[: offsets[near]]])
            self._translate(offsets[: near + 1] + MARGIN, start, out[:near], met)
        self._translate(offsets[near:], text, out[near:], lambda place: met(near + place))

    def _translate(self, offsets: Longs, text: Bytes, out: Codes, met: Callable[[int], int]) -> None:
        offsets.flags.writeable = text.flags.writeable = False  # as Arrow's are: kernels are compiled for one or the other
        translate = load("counting").translate_texts
        place = translate(offsets, text, self.slots, self.known, out, 0, FREE, 0)
        while place >= 0:
            length = int(offsets[place + 1] - offsets[place])
            self._make_room(length)
            place = translate(offsets, text, self.slots, self.known, out, place, met(place), self.used)
            self.count, self.used = self.count + 1, self.used + length

    def _make_room(self, length: int) -> None:
        """For one more text. A full table begins anew, with more slots; its texts come back when they are met again."""
        if 4 * self.count >= len(self.slots):
            self.slots = np.zeros(4 * len(self.slots), TEXT_SLOT)
            self.count, self.used = 0, MARGIN
        if self.used + length > len(self.known):
            self.known = np.concatenate([self.known, np.empty(len(self.known) + length, np.uint8)])
