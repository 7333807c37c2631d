"""Codes for the states of a column as they come, so that batches and tables share one numbering."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import cast

import numpy as np

from dconvex._core import MISSING_CODE, IntegerEncoder, TextEncoder
from dconvex.arrays import AnyIntegers, Array, StateCodes
from dconvex.bins import Bins, state_of
from dconvex.errors import DataError, UnknownStateError
from dconvex.learning.columns.states import Order, States
from dconvex.learning.learning_options import Unknown
from dconvex.names import Label, Name, plain_label

MOST_STATES = 1000
"""A column with more values than this holds no states, unless the caller declares them."""
MISSING = MISSING_CODE
MISSING_NUMBER = int(np.iinfo(np.int64).min)
"""A missing cell in a column of integers."""


class Encoder:
    """Gives each state of one variable a code, in the order in which they come."""

    def __init__(self, variable: Name, states: tuple[Label, ...] | None, unknown: Unknown) -> None:
        self.variable, self.unknown, self.is_fixed = variable, unknown, states is not None
        self.labels: list[Label] = list(states or ())
        self._code: dict[Label, int] = {label: code for code, label in enumerate(self.labels)}
        self._declared: tuple[Label, ...] | None = states
        self.bins = Bins.of(states or ())
        """The intervals among the states that the caller declares, into which numbers fall."""
        self._is_mixed = False
        self._found: set[Label] = set()
        self._type: type | None = None
        self.integers, self.texts = IntegerEncoder(), TextEncoder()
        self.objects = IntegerEncoder()
        """Codes of Python objects by their addresses; `kept_alive` holds them, so that no other object gets one of these."""
        self.kept_alive: list[object] = []

    def states(self) -> States:
        """All states so far, in the order that the model will have."""
        if self.is_fixed:
            return States(tuple(self.labels), Order.DECLARED)
        return States.of(list(self._code if self._is_mixed else self._found), self._declared, is_mixed=self._is_mixed)

    def declare(self, categories: Sequence[object]) -> None:
        """Give codes to the categories of a column."""
        if self.is_fixed or not len(categories):
            return
        declared = tuple(self._checked(label, 0) for label in categories)
        for label in declared:
            self._code_for(label)
        if self._declared is None:
            self._declared = declared
        self._is_mixed |= self._declared != declared

    def code_of(self, value: object, row: int) -> int:
        """The code of a value, a new one if need be; -1 for one that counts as missing."""
        if self.is_fixed:
            code = self._code.get(value, MISSING) if isinstance(value, Hashable) else MISSING  # type: ignore[call-overload]
            if code == MISSING and self.bins is not None and (found := state_of(value, self._declared or ())) is not None:
                return found
            if code == MISSING and self.unknown == "raise":
                shown = value if isinstance(value, Hashable) else repr(value)
                problem = UnknownStateError(self.variable, shown, self.labels, where=f" in row {row}")
                raise DataError(f'{problem}; pass unknown="missing" to treat such cells as missing')
            return int(code)
        label = self._checked(value, row)
        self._found.add(label)
        return self._code_for(label)

    def write_numbers(self, values: Array, row: int, out: StateCodes) -> None:
        """Write the codes of numbers (NaN is a missing cell) where some states are intervals."""
        assert self.bins is not None
        codes = self.bins.states_of(values)
        for code, label in enumerate(self.labels):
            if isinstance(label, int):
                codes[values == label] = code
        is_unknown = (codes < 0) & (values == values)
        if self.unknown == "raise" and is_unknown.any():
            index = int(np.argmax(is_unknown))
            self.code_of(values[index].item(), row + index)
        out[:] = codes

    def code_if_known(self, label: object) -> int | None:
        """The code of a label that the data has shown before, or None."""
        if self.is_fixed:
            return self._code.get(label) if isinstance(label, str) else None
        return self._code[cast("Label", label)] if type(label) is self._type and label in self._found else None

    def check_type(self, value: object, row: int) -> None:
        """Refuse a value of another type than those before it."""
        if isinstance(value, int) and not self.is_fixed:
            self._checked(value, row)

    def _code_for(self, label: Label) -> int:
        code = self._code.get(label)
        if code is None:
            code = self._code[label] = len(self.labels)
            self.labels.append(label)
            if len(self.labels) > MOST_STATES:
                raise _too_many_states(self.variable)
        return code

    def _checked(self, value: object, row: int) -> Label:
        """A value as a label: str, int, bool or an interval, all of one type; whole floats are integers."""
        plain = plain_label(value)
        if plain is None:
            own = value.item() if isinstance(value, np.generic) else value
            raise DataError(
                f"column {self.variable!r} holds {own!r} ({type(own).__name__}) in row {row}; states are str, int, bool or "
                + (f"intervals, {way_out_of_numbers([self.variable])}" if isinstance(own, float) else "intervals of numbers")
            )
        self._type = self._type or type(plain)
        if type(plain) is not self._type:
            raise DataError(
                f"column {self.variable!r} mixes {self._type.__name__} and {type(plain).__name__}: {plain!r} in row {row}; "
                "convert the column to one type, or pass states="
            )
        return plain


def way_out_of_numbers(columns: Sequence[Name]) -> str:
    """What to do about columns of numbers among states."""
    shown = ", ".join(repr(column) for column in columns[:8]) + (", …" if len(columns) > 8 else "")
    return (
        f"which dc.discretize(data, [{shown}]) makes of numbers: pass it as discretizer=; "
        'or pass kind="gaussian" if all columns are numbers'
    )


def check_number_of_states(names: Sequence[Name], states: Sequence[States]) -> None:
    """Refuse more states than a single table may have."""
    for name, own in zip(names, states, strict=True):
        if len(own) > MOST_STATES and own.order is not Order.DECLARED:
            raise _too_many_states(name)


def _too_many_states(variable: Name) -> DataError:
    return DataError(
        f"column {variable!r} has more than {MOST_STATES:,} values; is it a number or an identifier? Pass states= to declare "
        f"them all, leave the variable out of the graph, or make intervals of numbers with dc.discretize(data, [{variable!r}])"
    )


def encode_integers(encoder: IntegerEncoder, values: AnyIntegers, out: StateCodes, code_at: Callable[[int], int]) -> None:
    """Write the codes of all values; `code_at` gives the code at the index of a value that the encoder does not know yet."""
    index = encoder.encode(values, out, 0)
    while index >= 0:
        encoder.add(int(values[index]), code_at(index))
        index = encoder.encode(values, out, index)
