"""Numbering the states of a column as they come, so that batches and tables share one numbering."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex._core import MISSING_CODE, IntegerEncoder, TextEncoder
from dconvex.errors import DataError, UnknownStateError
from dconvex.learning.states import Order, States
from dconvex.names import Label, Name

Bytes: TypeAlias = NDArray[np.uint8]
Codes: TypeAlias = NDArray[Any]
Unknown: TypeAlias = Literal["raise", "missing"]

MOST_STATES = 1000
"""A column with more values than this holds no states, unless the caller declares them."""
MISSING = MISSING_CODE
MISSING_NUMBER = int(np.iinfo(np.int64).min)
"""Stands for a missing cell in a column of integers."""


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
        self.integers, self.texts = IntegerEncoder(), TextEncoder()
        self.objects = IntegerEncoder()
        """Knows Python objects by their addresses; `kept_alive` holds them, so that no other object gets one of these."""
        self.kept_alive: list[object] = []

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


@dataclass(frozen=True, slots=True, eq=False)
class ArrowTexts:
    """Text i is `text[offsets[i]:offsets[i + 1]]`; it is missing where bit `first_bit + i` of `validity` is not set."""

    offsets: NDArray[np.int32] | NDArray[np.int64]
    text: Bytes
    validity: Bytes | None = None
    first_bit: int = 0

    def part(self, first: int, last: int) -> ArrowTexts:
        return ArrowTexts(self.offsets[first : last + 1], self.text, self.validity, self.first_bit + first)


def encode_integers(encoder: IntegerEncoder, values: NDArray[Any], out: Codes, code_at: Callable[[int], int]) -> None:
    """Write the codes of all values; `code_at` gives the code at the index of a value that the encoder does not know yet."""
    index = encoder.encode(values, out, 0)
    while index >= 0:
        encoder.add(int(values[index]), code_at(index))
        index = encoder.encode(values, out, index)


def encode_texts(encoder: TextEncoder, texts: ArrowTexts, out: Codes, code_at: Callable[[int, bytes], int]) -> None:
    """The same for texts as Arrow holds them; `code_at` gets the bytes too."""
    index = encoder.encode(texts.offsets, texts.text, out, 0, texts.validity, texts.first_bit)
    while index >= 0:
        own = texts.text[texts.offsets[index] : texts.offsets[index + 1]].tobytes()
        encoder.add(own, code_at(index, own))
        index = encoder.encode(texts.offsets, texts.text, out, index, texts.validity, texts.first_bit)
