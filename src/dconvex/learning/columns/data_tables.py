"""Tables that are read batch by batch: frames, relations and streams."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from dconvex.arrays import Flags, Floats
from dconvex.errors import DataError
from dconvex.learning.columns.arrow_cells import ArrowCells, ConvertedCells, enum_cells
from dconvex.learning.columns.cells import CategoryCells, Cells, FloatCells, IntegerCells
from dconvex.learning.columns.object_cells import ObjectCells
from dconvex.names import Name

Wanted: TypeAlias = Sequence[Name | None]
"""The column of each variable, None where the table has none."""


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Consecutive rows of a table, as rows `first` up to `last` of these cells; None for a variable without a column."""

    first: int
    last: int
    cells: Sequence[Cells | None]
    weights: Cells | None = None
    """The weights of the rows, where they have any."""

    @property
    def rows(self) -> int:
        return self.last - self.first

    @property
    def has_column(self) -> Flags:
        """For each variable whether it has a column."""
        return np.array([cells is not None for cells in self.cells], bool)

    def row_weights(self, column: Name | None) -> Floats | None:
        """The weight of each row, from this column; None where rows have none.

        Raises:
            DataError: A weight is missing, negative or no number.
        """
        if self.weights is None:
            return None
        assert column is not None
        found = self.weights.numbers(self.first, self.last, column)
        is_wrong = ~(found >= 0)
        if is_wrong.any():
            index = int(np.argmax(is_wrong))
            what = "has no weight" if np.isnan(found[index]) else f"holds the weight {found[index]:g}"
            row = getattr(self.weights, "row", 0) + self.first + index
            raise DataError(f"column {column!r} {what} in row {row}; weights are numbers, zero or more")
        return found


class DataTable(ABC):
    """One table."""

    @property
    @abstractmethod
    def columns(self) -> Sequence[Name]:
        """The names of all columns."""

    @property
    def rows(self) -> int | None:
        """The number of rows, where it is known beforehand."""
        return None

    @abstractmethod
    def batches(self, wanted: Wanted, at_once: int) -> Iterator[Batch]:
        """The columns wanted, at most `at_once` rows at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class FrameTable(DataTable):
    """A data frame in memory; no column is copied as a whole."""

    frame: Any

    @property
    def columns(self) -> Sequence[Name]:
        found: Sequence[Name] = self.frame.columns
        return found

    @property
    def rows(self) -> int | None:
        return len(self.frame)

    def batches(self, wanted: Wanted, at_once: int) -> Iterator[Batch]:
        cells = self._cells(wanted)
        for first in range(0, max(len(self.frame), 1), at_once):  # once even if there are no rows: categories count
            yield Batch(first, min(first + at_once, len(self.frame)), cells)

    def _cells(self, wanted: Wanted) -> list[Cells | None]:
        import narwhals as nw
        import pandas as pd

        native = nw.to_native(self.frame)
        # narwhals takes several times as long for a column
        series = native if isinstance(native, pd.DataFrame) else pd.DataFrame()

        def cells(column: Name) -> Cells:
            found = _cells_of_pandas(series[column]) if len(series) else None
            return cells_of(self.frame.get_column(column)) if found is None else found

        return [None if column is None else cells(column) for column in wanted]


@dataclass(frozen=True, slots=True, eq=False)
class LazyTable(DataTable):
    """A frame that is computed when it is needed, and of it only the columns wanted."""

    frame: Any

    @property
    def columns(self) -> Sequence[Name]:
        found: Sequence[Name] = self.frame.collect_schema().names()
        return found

    def batches(self, wanted: Wanted, at_once: int) -> Iterator[Batch]:
        columns = [column for column in wanted if column is not None]
        yield from FrameTable(self.frame.select(*columns).collect()).batches(wanted, at_once)


@dataclass(frozen=True, slots=True, eq=False)
class RelationTable(DataTable):
    """A relation of DuckDB, of which only the columns wanted are computed."""

    relation: Any

    @property
    def columns(self) -> Sequence[Name]:
        found: Sequence[Name] = self.relation.columns
        return found

    def batches(self, wanted: Wanted, at_once: int) -> Iterator[Batch]:
        quoted = (str(column).replace('"', '""') for column in wanted if column is not None)
        chosen = self.relation.project(", ".join(f'"{column}"' for column in quoted))
        is_new = hasattr(chosen, "to_arrow_reader")
        reader = chosen.to_arrow_reader(at_once) if is_new else chosen.fetch_record_batch(at_once)
        yield from arrow_batches(reader, wanted, at_once)


@dataclass(frozen=True, slots=True, eq=False)
class StreamTable(DataTable):
    """Record batches of Arrow, as they come."""

    reader: Any

    @property
    def columns(self) -> Sequence[Name]:
        found: Sequence[Name] = self.reader.schema.names
        return found

    def batches(self, wanted: Wanted, at_once: int) -> Iterator[Batch]:
        yield from arrow_batches(self.reader, wanted, at_once)


@dataclass(frozen=True, slots=True, eq=False)
class BegunTable(DataTable):
    """A table whose first batch has been looked at: it is read once, as it was begun."""

    table: DataTable
    begun: Iterator[Batch]

    @property
    def columns(self) -> Sequence[Name]:
        return self.table.columns

    @property
    def rows(self) -> int | None:
        return self.table.rows

    def batches(self, wanted: Wanted, at_once: int) -> Iterator[Batch]:
        return self.begun


def library_of(data: Any) -> str:
    """The name of the library that defines the type of `data`."""
    return type(data).__module__.partition(".")[0]


def arrow_batches(batches: Iterable[Any], wanted: Wanted, at_once: int) -> Iterator[Batch]:
    """Record batches of Arrow, long ones cut."""
    row = 0
    for batch in batches:
        indices = [None if column is None else batch.schema.get_field_index(column) for column in wanted]
        cells = [None if index is None else ArrowCells(batch.column(index), row) for index in indices]
        row += batch.num_rows
        for first in range(0, batch.num_rows, at_once):
            yield Batch(first, min(first + at_once, batch.num_rows), cells)


def cells_of(column: Any) -> Cells:
    """The cells of a column that narwhals holds."""
    import narwhals as nw
    import pandas as pd

    native = nw.to_native(column)
    if isinstance(native, pd.Series) and (cells := _cells_of_pandas(native)) is not None:
        return cells
    if not isinstance(native, pd.Series) and column.dtype == nw.Enum:
        return enum_cells(native.to_arrow())
    return ArrowCells(native) if library_of(native) == "pyarrow" else ConvertedCells(column)


def _cells_of_pandas(series: Any) -> Cells | None:
    """The cells of a column of pandas that can be looked at in place."""
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        return CategoryCells(series.array.codes, series.cat.categories.tolist(), is_declared=True)
    if isinstance(series.dtype, pd.IntervalDtype):
        return ObjectCells(series.to_numpy(object))
    if isinstance(series.array, pd.arrays.ArrowExtensionArray):
        return ArrowCells(series.array.__arrow_array__())
    if not isinstance(series.dtype, np.dtype):
        return None
    values = series.to_numpy()
    if values.dtype.kind == "b":
        return CategoryCells(values.view(np.int8), [False, True], is_declared=False)
    if values.dtype.kind == "i" or (values.dtype.kind == "u" and values.dtype.itemsize < 8):
        return IntegerCells(values)
    if values.dtype.kind == "f":
        return FloatCells(values)
    if values.dtype.kind == "O":
        return ObjectCells(values)
    return None


def frame_table(data: Any) -> FrameTable | LazyTable | None:
    """The table of a frame that narwhals reads; None for anything else."""
    import narwhals as nw

    if library_of(data) == "pyarrow" and hasattr(data, "num_columns") and not hasattr(data, "itercolumns"):
        import pyarrow as pa

        data = pa.Table.from_batches([data])
    try:
        frame = nw.from_native(data)
    except TypeError:
        return None
    except nw.exceptions.DuplicateError as error:
        raise DataError(" ".join(str(error).split())) from None
    return LazyTable(frame) if isinstance(frame, nw.LazyFrame) else FrameTable(frame)
