"""Columns of a data frame as arrays: state codes for discrete variables, numbers for continuous ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from typing import Any, Literal, cast

import numpy as np

from dconvex.arrays import Codes, Flags, Floats, Integers
from dconvex.bins import Bins, bins_of
from dconvex.errors import DataError, UnknownStateError, UnknownVariableError
from dconvex.intervals import Interval
from dconvex.names import AnyLabel, Label, Name


class Columns:
    """The named columns of any frame that narwhals reads, one at a time; errors name the column and the row."""

    def __init__(self, data: Any, variables: Iterable[Name] = ()) -> None:
        """`variables` are all that may have a column: a column "7" belongs to 7 only if "7" is not among them."""
        import narwhals as nw

        try:
            self._frame = nw.from_native(data, eager_only=True)
        except TypeError:
            raise DataError(f"expected a data frame (pandas, polars, pyarrow, …), not {type(data).__name__}") from None
        except nw.exceptions.DuplicateError as error:
            raise DataError(" ".join(str(error).split())) from None
        # pandas keeps integer column names, narwhals passes them on
        self._present = set(cast("list[Name]", self._frame.columns))
        self._variables = set(variables)
        self._first_row = 0
        """The number of the first row, for errors."""

    @property
    def native(self) -> object:
        """The frame itself."""
        import narwhals as nw

        return nw.to_native(self._frame)

    @property
    def names(self) -> Collection[Name]:
        """The names of all its columns."""
        return self._present

    def __len__(self) -> int:
        return len(self._frame)

    def check_has(self, variable: Name) -> None:
        """Raise DataError unless the variable has a column."""
        self._column(variable)

    def codes(self, variable: Name, labels: Sequence[Label]) -> Codes:
        """For each row the index of its value in `labels`."""
        codes = self._codes(variable, labels, unknown="raise")
        if (missing := codes < 0).any():
            row = self._row(missing)
            raise DataError(f"column {variable!r} has a missing cell in row {row}; drop or fill such rows first")
        return codes

    def codes_or_missing(self, variable: Name, labels: Sequence[Label], *, unknown: Literal["raise", "missing"]) -> Codes:
        """As `codes`, but -1 for missing cells, and with `unknown="missing"` for values that are not in `labels`."""
        return self._codes(variable, labels, unknown, or_else=' (unknown="missing" treats such cells as missing)')

    def _codes(self, variable: Name, labels: Sequence[Label], unknown: Literal["raise", "missing"], or_else: str = "") -> Codes:
        column = self._column(variable)
        try:
            categories, codes = _factorized(column)
        except TypeError:  # unhashable
            raise DataError(f"column {variable!r} holds no states (its type is {column.dtype})") from None
        index: dict[object, int] = {label: code for code, label in enumerate(labels)}
        translation = np.array([index.get(value, -1) for value in categories], dtype=np.intp)
        if (bins := bins_of(tuple(labels))) is not None:
            _put_into_bins(categories, translation, bins)
        translated = np.where(codes < 0, -1, translation[codes] if len(translation) else codes)
        if unknown == "raise" and (is_unknown := (translated < 0) & (codes >= 0)).any():
            own = categories[codes[_first(is_unknown)]]
            raise UnknownStateError(variable, own, labels, f" in row {self._row(is_unknown)}", or_else)
        return translated

    def rows(self, chosen: Flags) -> object:
        """A frame of the same library with these rows."""
        import narwhals as nw

        kept: object = nw.to_native(self._frame.filter(chosen.tolist()))
        return kept

    def part(self, first: int, last: int) -> Columns:
        """The rows from `first` up to `last`; errors number them as here."""
        if (first, last) == (0, len(self)):
            return self
        part = copy(self)
        part._frame, part._first_row = self._frame[first:last], self._first_row + first
        return part

    def taken(self, order: Integers) -> object:
        """A frame of the same library with the rows in this order."""
        import narwhals as nw

        taken: object = nw.to_native(self._frame[order.tolist()])
        return taken

    def frame_like(self, columns: Mapping[AnyLabel, Any]) -> Any:
        """New columns as a frame of the same library as this one, with the same index if it has one."""
        import narwhals as nw

        native = nw.to_native(self._frame)
        module = type(native).__module__.partition(".")[0]
        if module == "pandas":
            import pandas as pd

            kept = {  # next to a missing cell pandas would turn integers into floats
                name: pd.Series(values, native.index, dtype=object if None in values else None)
                for name, values in columns.items()
            }
            return pd.DataFrame(kept, index=native.index)
        series = {str(name): [_for_any_library(value) for value in values] for name, values in columns.items()}
        if len(series) < len(columns):
            raise DataError(f"columns have names of text here, and two of {[*columns]} are spelled alike; take a pandas frame")
        return nw.to_native(nw.from_dict(series, backend=nw.get_native_namespace(self._frame)))

    def __contains__(self, variable: object) -> bool:
        return column_of(cast("Name", variable), self._present, self._variables) is not None

    def name_of(self, variable: Name) -> Name:
        """The name of a variable's column, which must be there."""
        return cast("Name", column_of(variable, self._present, self._variables))

    def numbers(self, variable: Name) -> Floats:
        """The column as floats, all finite."""
        column = self._column(variable)
        if not _may_be_numbers(column.dtype):
            raise _not_numeric(variable, column)
        values = _as_floats(variable, column)
        self._check_rows(variable, values, ~np.isfinite(values))
        return values

    def numbers_or_missing(self, variable: Name) -> Floats:
        """The column as floats, NaN where a cell is missing."""
        column = self._column(variable)
        missing = np.asarray(column.is_null().to_numpy(), bool)
        if not (_may_be_numbers(column.dtype) or missing.all()):
            raise _not_numeric(variable, column)
        values = np.full(len(missing), np.nan)
        values[~missing] = _as_floats(variable, column.filter(~column.is_null()))
        self._check_rows(variable, values, np.isinf(values))
        return values

    def _column(self, variable: Name) -> Any:
        column = column_of(variable, self._present, self._variables)
        if column is None:
            raise DataError(str(UnknownVariableError(variable, self._present, where="column"))) from None
        return self._frame.get_column(cast("str", column))

    def _check_rows(self, variable: Name, values: Floats, is_bad: Flags) -> None:
        if is_bad.any():
            held = values[_first(is_bad)]
            raise DataError(f"column {variable!r} holds {held} in row {self._row(is_bad)}; drop or fill such rows first")

    def _row(self, flags: Flags) -> int:
        """The number of the first row with a flag."""
        return self._first_row + _first(flags)


def column_of(variable: Name, columns: Collection[Name], variables: Collection[Name]) -> Name | None:
    """The name of a variable's column, None if there is none.

    Some libraries have text as column names only: there the column of 7 is "7", unless "7" is a variable itself.
    """
    if variable in columns:
        return variable
    text = str(variable)
    return text if isinstance(variable, int) and text in columns and text not in variables else None


def _for_any_library(value: object) -> object:
    """Intervals as they print: only pandas holds objects."""
    return str(value) if isinstance(value, Interval) else value


def _factorized(column: Any) -> tuple[list[object], Codes]:
    """The distinct values and, for each row, the index of its own (-1 where missing)."""
    import pandas as pd

    native = column.to_native()
    if isinstance(native, pd.Series) and isinstance(native.dtype, pd.CategoricalDtype):
        return native.cat.categories.tolist(), native.cat.codes.to_numpy().astype(np.intp)
    series = native if isinstance(native, pd.Series) else pd.Series(column.to_numpy())
    codes, values = pd.factorize(series)
    # pyarrow's own conversion puts the first entry of a dictionary where a cell is null
    codes = np.where(column.is_null().to_numpy(), -1, codes)
    return pd.Index(values).tolist(), codes


def _put_into_bins(values: Sequence[object], states: Codes, bins: Bins) -> None:
    """Numbers that are no label themselves get the state that is their interval."""
    numbers = [
        k for k in np.flatnonzero(states < 0).tolist() if isinstance(values[k], int | float) and not isinstance(values[k], bool)
    ]
    if numbers:
        states[numbers] = bins.states_of(np.array([float(cast("float", values[k])) for k in numbers]))


def _may_be_numbers(dtype: Any) -> bool:
    """False for text and dates, which numpy would turn into floats."""
    import narwhals as nw

    return bool(dtype.is_numeric()) or dtype in (nw.Boolean, nw.Object)


def _as_floats(variable: Name, column: Any) -> Floats:
    try:
        return np.asarray(column.to_numpy(), np.float64)
    except (TypeError, ValueError):
        raise DataError(f"column {variable!r} holds something that is not a number") from None


def _not_numeric(variable: Name, column: Any) -> DataError:
    return DataError(f"column {variable!r} is not numeric (its type is {column.dtype})")


def _first(flags: Flags) -> int:
    return int(np.argmax(flags))
