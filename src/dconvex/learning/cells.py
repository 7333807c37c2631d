"""The cells of one column, whatever table it comes from, and a part of them as state codes or as numbers.

A column is looked at in place; only the part at hand is ever converted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.errors import DataError
from dconvex.learning.encoding import MISSING, MISSING_NUMBER, ArrowTexts, Codes, Encoder, encode_integers, encode_texts
from dconvex.names import Name

Floats: TypeAlias = NDArray[np.float64]

AT_ONCE = 1 << 16


class Cells(Protocol):
    """A column of a table."""

    def codes(self, first: int, last: int, encoder: Encoder, out: Codes) -> None:
        """Write the codes of the states in these rows, -1 where a cell is missing."""

    def numbers(self, first: int, last: int, variable: Name) -> Floats:
        """The numbers in these rows, NaN where a cell is missing."""

    def has_fractions(self) -> bool | None:
        """Whether the column is one of floats of which not all are whole; None where there is nothing to go by."""


@dataclass(frozen=True, slots=True, eq=False)
class Integers:
    """Integers of any width, without missing cells."""

    values: NDArray[Any]
    row: int = 0
    """Which row of the table the first cell is in."""

    def codes(self, first: int, last: int, encoder: Encoder, out: Codes) -> None:
        values, row = _plain(self.values[first:last]), self.row + first
        encode_integers(encoder.integers, values, out, lambda index: encoder.code_of(int(values[index]), row + index))

    def numbers(self, first: int, last: int, variable: Name) -> Floats:
        return self.values[first:last].astype(np.float64)

    def has_fractions(self) -> bool:
        return False


@dataclass(frozen=True, slots=True, eq=False)
class Decimals:
    """Floats; NaN is a missing cell."""

    values: NDArray[Any]
    row: int = 0

    def codes(self, first: int, last: int, encoder: Encoder, out: Codes) -> None:
        values = self.values[first:last]
        is_missing = np.isnan(values)
        with np.errstate(invalid="ignore"):
            whole = np.where(is_missing, 0, values).astype(np.int64)
        strange = ~is_missing & (whole != values)
        if strange.any():
            place = int(np.argmax(strange))
            raise DataError(
                f"column {encoder.variable!r} holds {values[place]} in row {self.row + first + place}, which is no state; pass "
                'kind="gaussian" if all columns are numbers, or turn it into labels'
            )
        whole[is_missing] = MISSING_NUMBER

        def code_at(index: int) -> int:
            return MISSING if is_missing[index] else encoder.code_of(int(whole[index]), self.row + first + index)

        encode_integers(encoder.integers, whole, out, code_at)

    def numbers(self, first: int, last: int, variable: Name) -> Floats:
        values = self.values[first:last].astype(np.float64, copy=False)
        if np.isinf(values).any():
            place = int(np.argmax(np.isinf(values)))
            where = f"row {self.row + first + place}"
            raise DataError(f"column {variable!r} holds {values[place]} in {where}; drop such rows, or make the cells missing")
        return values

    def has_fractions(self) -> bool | None:
        is_told = False
        for first in range(0, len(self.values), 1 << 14):
            values = self.values[first : first + (1 << 14)]
            finite = values[np.isfinite(values)]
            is_told |= len(finite) > 0
            if (finite != np.floor(finite)).any():
                return True
        return False if is_told else None


@dataclass(frozen=True, slots=True, eq=False)
class Objects:
    """Python objects, compared by their addresses first, for a column of text often holds few; then by value."""

    values: NDArray[np.object_]
    row: int = 0

    def codes(self, first: int, last: int, encoder: Encoder, out: Codes) -> None:
        values = np.ascontiguousarray(self.values[first:last])
        if not (self._codes_by_address(values, first, encoder, out) or self._codes_of_texts(values, first, encoder, out)):
            self._codes_by_value(values, first, encoder, out)

    def numbers(self, first: int, last: int, variable: Name) -> Floats:
        values = self.values[first:last]
        found = np.full(len(values), np.nan)
        for place, value in enumerate(values.tolist()):
            if _is_missing(value):
                continue
            if isinstance(value, str) or not isinstance(value, int | float | np.number | np.bool_):
                raise _no_number(variable, f"holds {value!r} in row {self.row + first + place}")
            found[place] = value
        return Decimals(found).numbers(0, len(found), variable)

    def has_fractions(self) -> bool:
        return False

    def _codes_by_address(self, values: NDArray[np.object_], first: int, encoder: Encoder, out: Codes) -> bool:
        """Whether there are so few different objects that this is the fastest way; if not, some codes may be missing."""
        if _has_too_many_objects(encoder):
            return False

        def code_at(index: int) -> int:
            if _has_too_many_objects(encoder):
                raise _TooManyObjectsError
            value = values[index]
            encoder.kept_alive.append(value)
            return MISSING if _is_missing(value) else encoder.code_of(value, self.row + first + index)

        try:
            encode_integers(encoder.objects, _addresses(values), out, code_at)
        except _TooManyObjectsError:
            return False
        return True

    def _codes_of_texts(self, values: NDArray[np.object_], first: int, encoder: Encoder, out: Codes) -> bool:
        """Whether all cells are text or missing; if not, some codes may be missing."""
        index = encoder.texts.encode_objects(values, out, 0)
        while index >= 0:
            value = values[index]
            if (text := _utf8(value)) is not None:
                encoder.texts.add(text, encoder.code_of(value, self.row + first + index))
            elif _is_missing(value):  # in a way that only pandas knows
                out[index] = MISSING
                index += 1
            else:
                return False
            index = encoder.texts.encode_objects(values, out, index)
        return True

    def _codes_by_value(self, values: NDArray[np.object_], first: int, encoder: Encoder, out: Codes) -> None:
        import pandas as pd

        try:
            codes, distinct = pd.factorize(values, use_na_sentinel=True)
        except TypeError:
            raise DataError(f"column {encoder.variable!r} holds values that are no states (they cannot be compared)") from None
        rows = _first_places(codes, len(distinct))
        own = [encoder.code_of(value, self.row + first + row) for value, row in zip(distinct, rows, strict=True)]
        is_text = all(isinstance(value, str) for value in distinct)
        if not is_text and {int, bool} <= set(map(type, values.tolist())):  # 1 and True are equal, but different labels
            for place, value in enumerate(values.tolist()):
                encoder.check_type(value, self.row + first + place)
        out[:] = np.array([*own, MISSING], np.int32)[codes]


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Text in Arrow's memory."""

    texts: ArrowTexts
    row: int

    def codes(self, first: int, last: int, encoder: Encoder, out: Codes) -> None:
        def code_at(index: int, text: bytes) -> int:
            return encoder.code_of(text.decode("utf-8", "surrogatepass"), self.row + first + index)

        encode_texts(encoder.texts, self.texts.part(first, last), out, code_at)

    def numbers(self, first: int, last: int, variable: Name) -> Floats:
        raise _no_number(variable, "is text")

    def has_fractions(self) -> bool:
        return False


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Places in a list of labels, -1 where a cell is missing: a categorical column."""

    places: NDArray[Any]
    labels: list[Any]
    is_declared: bool
    row: int = 0

    def codes(self, first: int, last: int, encoder: Encoder, out: Codes) -> None:
        places = self.places[first:last]
        if self.is_declared:
            encoder.declare(self.labels)
            if self.labels == encoder.labels:
                out[:] = places
                return
        translation = np.full(len(self.labels) + 1, MISSING, np.int32)
        unsure = []
        for place, label in enumerate(self.labels):
            code = encoder.code_if_met(label)
            if code is None:
                unsure.append(place)
            else:
                translation[place] = code
        rows = _first_places(places, len(self.labels)) if unsure else []
        for place in unsure:
            if rows[place] >= 0 and self.labels[place] is not None:  # not all labels of a list are used
                translation[place] = encoder.code_of(self.labels[place], self.row + first + rows[place])
        out[:] = translation.astype(out.dtype)[places]

    def numbers(self, first: int, last: int, variable: Name) -> Floats:
        if all(isinstance(label, int | float) for label in self.labels):
            numbers: Floats = np.array([*map(float, self.labels), np.nan])[self.places[first:last]]
            return numbers
        raise _no_number(variable, "is categorical")

    def has_fractions(self) -> bool:
        return False


class SlicedCells:
    """A column that has to be converted to Arrow, a part at a time."""

    def __init__(self, column: Any) -> None:
        self.column = column

    def codes(self, first: int, last: int, encoder: Encoder, out: Codes) -> None:
        self._part(first, last, encoder.variable).codes(0, last - first, encoder, out)

    def numbers(self, first: int, last: int, variable: Name) -> Floats:
        return self._part(first, last, variable).numbers(0, last - first, variable)

    def has_fractions(self) -> bool | None:
        if not self.column.dtype.is_float():
            return False
        starts = range(0, len(self.column), AT_ONCE)
        return _any_told(self._part(first, first + AT_ONCE, "").has_fractions() for first in starts)

    def _part(self, first: int, last: int, variable: Name) -> ArrowCells:
        import pyarrow as pa

        part = self.column[first:last]
        try:
            return ArrowCells(part.to_arrow(), first)
        except (pa.ArrowException, TypeError):
            _refuse(variable, part.dtype)


class ArrowCells:
    """A column in Arrow's memory; the part at hand becomes one of the other kinds."""

    def __init__(self, array: Any, row: int = 0) -> None:
        self.array, self.row = array, row

    def codes(self, first: int, last: int, encoder: Encoder, out: Codes) -> None:
        self._part(first, last, encoder.variable).codes(0, last - first, encoder, out)

    def numbers(self, first: int, last: int, variable: Name) -> Floats:
        return self._part(first, last, variable).numbers(0, last - first, variable)

    def has_fractions(self) -> bool | None:
        import pyarrow as pa

        if pa.types.is_null(self.array.type):
            return None
        if not pa.types.is_floating(self.array.type):
            return False
        chunks = self.array.chunks if isinstance(self.array, pa.ChunkedArray) else [self.array]
        return _any_told(Decimals(chunk.to_numpy(zero_copy_only=False)).has_fractions() for chunk in chunks)

    def _part(self, first: int, last: int, variable: Name) -> Cells:
        import pyarrow as pa
        import pyarrow.compute as pc

        part, row = self.array.slice(first, last - first), self.row + first
        if isinstance(part, pa.ChunkedArray):
            if pa.types.is_dictionary(part.type):
                part = part.unify_dictionaries()
            part = part.chunk(0) if part.num_chunks == 1 else part.combine_chunks()  # which would copy a single one
        kind = part.type
        if pa.types.is_integer(kind):
            try:
                wide = part.cast(pa.int64())
            except pa.ArrowInvalid:
                _refuse(variable, f"{kind} with values beyond 2**63")
            if not part.null_count:
                return Integers(wide.to_numpy(), row)
            if not _is_small(wide):
                _refuse(variable, f"{kind} beyond 2**53 with missing cells")
            return Decimals(np.where(part.is_null(), np.nan, wide.fill_null(0).to_numpy()), row)
        if pa.types.is_floating(kind):
            return Decimals(part.to_numpy(zero_copy_only=False), row)
        if pa.types.is_boolean(kind):
            places = part.cast(pa.int8()).fill_null(MISSING).to_numpy(zero_copy_only=False)
            return Coded(places, [False, True], is_declared=False, row=row)
        if pa.types.is_null(kind):
            return Decimals(np.full(last - first, np.nan))
        if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
            if not pa.types.is_string_view(kind):
                return Texts(_texts(part, kind), row)
            part = pc.dictionary_encode(part)
        elif not pa.types.is_dictionary(kind):
            _refuse(variable, kind)
        places = part.indices.cast(pa.int64()).fill_null(MISSING).to_numpy(zero_copy_only=False)
        return Coded(places, part.dictionary.to_pylist(), is_declared=part.type.ordered, row=row)


class _TooManyObjectsError(Exception):
    """So many different objects that comparing addresses does not pay."""


def cells_of(column: Any) -> Cells:
    """The cells of a column that narwhals holds."""
    import narwhals as nw
    import pandas as pd

    native = nw.to_native(column)
    if isinstance(native, pd.Series):
        return _cells_of_pandas(native) or SlicedCells(column)
    if column.dtype == nw.Enum:
        import pyarrow as pa

        array = native.to_arrow()
        places = array.indices.cast(pa.int64()).fill_null(MISSING).to_numpy(zero_copy_only=False)
        return Coded(places, array.dictionary.to_pylist(), is_declared=True)
    if type(native).__module__.startswith("pyarrow"):
        return ArrowCells(native)
    return SlicedCells(column)


def _cells_of_pandas(series: Any) -> Cells | None:
    """What can be looked at in place."""
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        return Coded(series.array.codes, series.cat.categories.tolist(), is_declared=True)
    if isinstance(series.array, pd.arrays.ArrowExtensionArray):
        return ArrowCells(series.array.__arrow_array__())
    if isinstance(series.dtype, np.dtype):
        values = series.to_numpy()
        if values.dtype.kind == "b":
            return Coded(values.view(np.int8), [False, True], is_declared=False)
        if values.dtype.kind == "i" or (values.dtype.kind == "u" and values.dtype.itemsize < 8):
            return Integers(values)
        if values.dtype.kind == "f":
            return Decimals(values)
        if values.dtype.kind == "O":
            return Objects(values)
    return None


def _texts(part: Any, kind: Any) -> ArrowTexts:
    """An array of text as it lies in memory."""
    import pyarrow as pa

    validity, offsets, text = part.buffers()
    width: Any = np.int64 if pa.types.is_large_string(kind) else np.int32
    own = np.frombuffer(offsets, width)[part.offset : part.offset + len(part) + 1]
    bits = np.frombuffer(validity, np.uint8) if part.null_count else None
    return ArrowTexts(own, np.frombuffer(text if text is not None else b"", np.uint8), bits, part.offset)


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    """Integers in the machine's own order of bytes, each where it can be read at once."""
    return values if values.dtype.isnative and values.flags.aligned else values.astype(np.int64)


def _addresses(values: NDArray[np.object_]) -> NDArray[np.int64]:
    """Where the objects of a contiguous array lie in memory, without a copy."""

    class View:
        @property
        def __array_interface__(self) -> dict[str, Any]:
            typestr = np.dtype(np.intp).str
            return {"shape": values.shape, "typestr": typestr, "data": (values.ctypes.data, True), "version": 3}

    return np.asarray(View()).astype(np.int64, copy=False)


def _any_told(told: Iterable[bool | None]) -> bool | None:
    """Whether any of them is true; None where none of them tells."""
    found: bool | None = None
    for one in told:
        if one:
            return True
        found = one if found is None else found
    return found


def _first_places(codes: NDArray[Any], count: int) -> list[int]:
    """Where each code from 0 on comes first, -1 where it does not."""
    first = np.full(count + 1, -1, np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # missing cells, -1, go to the last place
    found: list[int] = first[:count].tolist()
    return found


def _utf8(value: object) -> bytes | None:
    """A text as bytes; None if it is no text, or has surrogates on their own."""
    try:
        return value.encode() if type(value) is str else None
    except UnicodeEncodeError:
        return None


def _has_too_many_objects(encoder: Encoder) -> bool:
    """Whether there are so many different objects for a few values that comparing them by value is faster."""
    return len(encoder.objects) > 64 + 4 * len(encoder.labels)


def _is_missing(value: object) -> bool:
    """None, NaN, pandas.NA and NaT."""
    import pandas as pd

    is_float = isinstance(value, float | np.floating)
    return value is None or value is pd.NA or value is pd.NaT or (is_float and bool(value != value))


def _is_small(array: Any) -> bool:
    """Whether floats hold all these integers exactly."""
    import pyarrow.compute as pc

    ends = pc.min_max(array).as_py()
    return all(end is None or abs(end) < 2**53 for end in ends.values())


def _refuse(variable: Name, kind: object) -> NoReturn:
    raise DataError(f"column {variable!r} is of type {kind}, which holds neither states nor numbers; convert it first")


def _no_number(variable: Name, what: str) -> DataError:
    return DataError(f'column {variable!r} {what}, which is no number; pass kind="discrete", or convert the column')
