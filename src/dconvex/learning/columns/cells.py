"""The cells of one column, and rows of them as state codes or as numbers: integers, floats and categories in NumPy's memory.

A column is looked at in place; only the rows at hand are ever converted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dconvex.arrays import AnyIntegers, Floats, StateCodes
from dconvex.errors import DataError
from dconvex.learning.columns.encoder import MISSING, MISSING_NUMBER, Encoder, encode_integers, way_out_of_numbers
from dconvex.names import Name

AT_ONCE = 1 << 14
"""The number of cells that are looked at together for fractions."""


class Cells(ABC):
    """A column of a table."""

    @abstractmethod
    def codes(self, first: int, last: int, encoder: Encoder, out: StateCodes) -> None:
        """Write the codes of the states in the rows from `first` up to `last`, -1 where a cell is missing."""

    @abstractmethod
    def numbers(self, first: int, last: int, variable: Name) -> Floats:
        """The numbers in these rows, NaN where a cell is missing."""

    def has_fractions(self) -> bool | None:
        """Whether the cells are floats of which not all are whole; None where no cell shows it."""
        return False


@dataclass(frozen=True, slots=True, eq=False)
class IntegerCells(Cells):
    """Integers of any width, without missing cells."""

    values: AnyIntegers
    row: int = 0
    """The row of the table that the first cell is in."""

    def codes(self, first: int, last: int, encoder: Encoder, out: StateCodes) -> None:
        values, row = _readable(self.values[first:last]), self.row + first
        if encoder.bins is not None:
            encoder.write_numbers(values, row, out)
            return
        encode_integers(encoder.integers, values, out, lambda index: encoder.code_of(int(values[index]), row + index))

    def numbers(self, first: int, last: int, variable: Name) -> Floats:
        return self.values[first:last].astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class FloatCells(Cells):
    """Floats; NaN is a missing cell."""

    values: NDArray[np.floating[Any]]
    row: int = 0

    def codes(self, first: int, last: int, encoder: Encoder, out: StateCodes) -> None:
        values = self.values[first:last]
        if encoder.bins is not None:
            encoder.write_numbers(values, self.row + first, out)
            return
        is_missing = np.isnan(values)
        with np.errstate(invalid="ignore"):
            whole = np.where(is_missing, 0, values).astype(np.int64)
        is_fraction = ~is_missing & (whole != values)
        if is_fraction.any():
            index = int(np.argmax(is_fraction))
            raise DataError(
                f"column {encoder.variable!r} holds {values[index]} in row {self.row + first + index}; states are str, int, "
                f"bool or intervals, {way_out_of_numbers([encoder.variable])}"
            )
        whole[is_missing] = MISSING_NUMBER

        def code_at(index: int) -> int:
            return MISSING if is_missing[index] else encoder.code_of(int(whole[index]), self.row + first + index)

        encode_integers(encoder.integers, whole, out, code_at)

    def numbers(self, first: int, last: int, variable: Name) -> Floats:
        values = self.values[first:last].astype(np.float64, copy=False)
        if np.isinf(values).any():
            index = int(np.argmax(np.isinf(values)))
            where = f"row {self.row + first + index}"
            raise DataError(f"column {variable!r} holds {values[index]} in {where}; drop such rows, or make the cells missing")
        return values

    def has_fractions(self) -> bool | None:
        has_numbers = False
        for first in range(0, len(self.values), AT_ONCE):
            values = self.values[first : first + AT_ONCE]
            finite = values[np.isfinite(values)]
            has_numbers |= len(finite) > 0
            if (finite != np.floor(finite)).any():
                return True
        return False if has_numbers else None


@dataclass(frozen=True, slots=True, eq=False)
class CategoryCells(Cells):
    """Indices into a list of labels, -1 where a cell is missing: a categorical column."""

    indices: AnyIntegers
    labels: list[Any]
    is_declared: bool
    """Whether the labels are states in this order even if no cell shows them."""
    row: int = 0

    def codes(self, first: int, last: int, encoder: Encoder, out: StateCodes) -> None:
        indices = self.indices[first:last]
        if self.is_declared:
            encoder.declare(self.labels)
            if self.labels == encoder.labels:
                out[:] = indices
                return
        code_of_label = np.full(len(self.labels) + 1, MISSING, np.int32)
        unsure = []
        for index, label in enumerate(self.labels):
            code = encoder.code_if_known(label)
            if code is None:
                unsure.append(index)
            else:
                code_of_label[index] = code
        rows = first_rows(indices, len(self.labels)) if unsure else []
        for index in unsure:
            if rows[index] >= 0 and self.labels[index] is not None:  # not all labels of a list are used
                code_of_label[index] = encoder.code_of(self.labels[index], self.row + first + rows[index])
        out[:] = code_of_label.astype(out.dtype)[indices]

    def numbers(self, first: int, last: int, variable: Name) -> Floats:
        if all(isinstance(label, int | float) for label in self.labels):
            numbers: Floats = np.array([*map(float, self.labels), np.nan])[self.indices[first:last]]
            return numbers
        raise not_a_number(variable, "is categorical")


def first_rows(codes: AnyIntegers, count: int) -> list[int]:
    """The first row of each code from 0 up to `count`, -1 where there is none."""
    first = np.full(count + 1, -1, np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # missing cells, -1, go to the last entry
    found: list[int] = first[:count].tolist()
    return found


def not_a_number(variable: Name, what: str) -> DataError:
    """The error for a column that cannot be one of a Gaussian network."""
    return DataError(f'column {variable!r} {what}, which is not a number; pass kind="discrete", or convert the column')


def _readable(values: AnyIntegers) -> AnyIntegers:
    """Integers in the machine's own order of bytes, aligned."""
    return values if values.dtype.isnative and values.flags.aligned else values.astype(np.int64)
