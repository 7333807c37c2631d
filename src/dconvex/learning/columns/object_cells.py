"""A column of Python objects, as pandas holds text and mixed columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dconvex.arrays import Floats, Integers, Objects, StateCodes
from dconvex.errors import DataError
from dconvex.learning.columns.cells import Cells, FloatCells, first_rows, not_a_number
from dconvex.learning.columns.encoder import MISSING, Encoder, encode_integers
from dconvex.names import Name


@dataclass(frozen=True, slots=True, eq=False)
class ObjectCells(Cells):
    """Python objects, compared by their addresses first, for a column of text often holds few; then by value."""

    values: Objects
    row: int = 0

    def codes(self, first: int, last: int, encoder: Encoder, out: StateCodes) -> None:
        values = np.ascontiguousarray(self.values[first:last])
        row = self.row + first
        if not (_codes_by_address(values, row, encoder, out) or _codes_of_texts(values, row, encoder, out)):
            _codes_by_value(values, row, encoder, out)

    def numbers(self, first: int, last: int, variable: Name) -> Floats:
        values = self.values[first:last]
        found = np.full(len(values), np.nan)
        for index, value in enumerate(values.tolist()):
            if _is_missing(value):
                continue
            if isinstance(value, str) or not isinstance(value, int | float | np.number | np.bool_):
                raise not_a_number(variable, f"holds {value!r} in row {self.row + first + index}")
            found[index] = value
        return FloatCells(found).numbers(0, len(found), variable)


class _TooManyObjectsError(Exception):
    """Comparing addresses does not pay: too many different objects."""


def _codes_by_address(values: Objects, row: int, encoder: Encoder, out: StateCodes) -> bool:
    """Whether there are few enough different objects for this, the fastest way; if not, some codes are not written."""
    if _has_too_many_objects(encoder):
        return False

    def code_at(index: int) -> int:
        if _has_too_many_objects(encoder):
            raise _TooManyObjectsError
        value = values[index]
        encoder.kept_alive.append(value)
        return MISSING if _is_missing(value) else encoder.code_of(value, row + index)

    try:
        encode_integers(encoder.objects, _addresses(values), out, code_at)
    except _TooManyObjectsError:
        return False
    return True


def _codes_of_texts(values: Objects, row: int, encoder: Encoder, out: StateCodes) -> bool:
    """Whether all cells are text or missing; if not, some codes are not written."""
    index = encoder.texts.encode_objects(values, out, 0)
    while index >= 0:
        value = values[index]
        if (text := _utf8(value)) is not None:
            encoder.texts.add(text, encoder.code_of(value, row + index))
        elif _is_missing(value):  # in a way that only pandas knows
            out[index] = MISSING
            index += 1
        else:
            return False
        index = encoder.texts.encode_objects(values, out, index)
    return True


def _codes_by_value(values: Objects, row: int, encoder: Encoder, out: StateCodes) -> None:
    import pandas as pd

    try:
        codes, distinct = pd.factorize(values, use_na_sentinel=True)
    except TypeError:
        raise DataError(
            f"column {encoder.variable!r} holds values that cannot be compared, so they are not states; convert them to text"
        ) from None
    rows = first_rows(codes, len(distinct))
    own = [encoder.code_of(value, row + first) for value, first in zip(distinct, rows, strict=True)]
    is_text = all(isinstance(value, str) for value in distinct)
    if not is_text and {int, bool} <= set(map(type, values.tolist())):  # 1 and True are equal, but different labels
        for index, value in enumerate(values.tolist()):
            encoder.check_type(value, row + index)
    out[:] = np.array([*own, MISSING], np.int32)[codes]


def _addresses(values: Objects) -> Integers:
    """The addresses of the objects of a contiguous array, without a copy."""

    class View:
        @property
        def __array_interface__(self) -> dict[str, Any]:
            typestr = np.dtype(np.intp).str
            return {"shape": values.shape, "typestr": typestr, "data": (values.ctypes.data, True), "version": 3}

    return np.asarray(View()).astype(np.int64, copy=False)


def _utf8(value: object) -> bytes | None:
    """A text as bytes; None if it is not a text, or has lone surrogates."""
    try:
        return value.encode() if type(value) is str else None
    except UnicodeEncodeError:
        return None


def _has_too_many_objects(encoder: Encoder) -> bool:
    """Whether comparing by value is faster, since many different objects have few values."""
    return len(encoder.objects) > 64 + 4 * len(encoder.labels)


def _is_missing(value: object) -> bool:
    """None, NaN, pandas.NA and NaT."""
    import pandas as pd

    is_float = isinstance(value, float | np.floating)
    return value is None or value is pd.NA or value is pd.NaT or (is_float and bool(value != value))
