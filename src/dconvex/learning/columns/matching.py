"""The tables in whatever holds rows, the column of each variable in them, and of what kind the columns are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from dconvex.arrays import Flags
from dconvex.errors import DataError, UnknownVariableError
from dconvex.learning.columns.cells import Cells
from dconvex.learning.columns.data_files import file_tables
from dconvex.learning.columns.data_tables import (
    Batch,
    BegunTable,
    DataTable,
    RelationTable,
    StreamTable,
    frame_table,
    library_of,
)
from dconvex.learning.learning_options import Kind, LearningOptions
from dconvex.names import Name
from dconvex.network.frame_columns import column_of

BYTES_AT_ONCE = 1 << 26
"""The most bytes of codes or numbers that are held at a time."""
MOST_LISTED = 50
"""At most this many columns are listed in an error."""
MOST_OTHERS = 1000
"""At most this many columns that belong to no variable are remembered."""


@dataclass(frozen=True, slots=True, eq=False)
class MatchedTable:
    """A table, and the column of each variable in it (None where it has none)."""

    table: DataTable
    columns: tuple[Name | None, ...]
    weights: Name | None = None
    """The column of the rows' weights, where they have any."""

    @classmethod
    def of(cls, table: DataTable, variables: Sequence[Name], weights: Name | None = None) -> MatchedTable:
        present, names = set(table.columns), set(variables)
        if weights is not None and weights not in present:
            raise DataError(
                str(UnknownVariableError(weights, present, where="column")) + "; weights= names a column of every table"
            )
        return cls(table, tuple(column_of(name, present, names) for name in variables), weights)

    @property
    def has_column(self) -> Flags:
        """For each variable whether the table has its column."""
        return np.array([column is not None for column in self.columns], bool)

    @property
    def other_columns(self) -> frozenset[Name]:
        """Columns that belong to no variable."""
        return frozenset(list(set(self.table.columns) - {*self.columns, self.weights})[:MOST_OTHERS])

    def batches(self, options: LearningOptions) -> Iterator[Batch]:
        """All rows, few enough at a time."""
        width = 1 if options.kind == "discrete" else 8
        at_once = max(4096, min(1 << 18, BYTES_AT_ONCE // (width * max(1, len(self.columns)))))
        if self.weights is None:
            return self.table.batches(self.columns, at_once)
        with_weights = self.table.batches((*self.columns, self.weights), at_once)
        return (Batch(batch.first, batch.last, batch.cells[:-1], batch.cells[-1]) for batch in with_weights)


def is_distributed(data: Any) -> bool:
    """Whether Dask holds the rows."""
    return library_of(data) in ("dask", "dask_expr")


def matched_tables(data: Any, variables: Sequence[Name], options: LearningOptions) -> Iterator[MatchedTable]:
    """The tables in `data`, with the columns of these variables."""
    return (MatchedTable.of(table, variables, options.weights) for table in tables_in(data, options))


def peeked(tables: Iterator[MatchedTable], options: LearningOptions) -> tuple[Kind | None, Iterator[MatchedTable]]:
    """The kind of the first cells, and all tables, the first of them to be read once."""
    first = next(tables, None)
    if first is None:
        return options.kind, iter(())
    batches = first.batches(options)
    begin = list(islice(batches, 1))
    names = [str(column) for column in first.columns]
    kind = options.kind or (kind_of(names, begin[0].cells) if begin else None)
    return kind, chain([MatchedTable(BegunTable(first.table, chain(begin, batches)), first.columns)], tables)


def tables_in(data: Any, options: LearningOptions) -> Iterator[DataTable]:
    """The tables in `data`: one, or those of a list or iterator, in their order."""
    library = library_of(data)
    if isinstance(data, str | Path):
        yield from file_tables(str(data), options)
    elif library == "pyarrow" and hasattr(data, "read_next_batch"):
        yield StreamTable(data)
    elif is_distributed(data):
        raise DataError(
            "a Dask DataFrame is counted partition by partition, so it cannot be part of a list; join several with "
            "dask.dataframe.concat"
        )
    elif library.endswith("duckdb") and hasattr(data, "project"):
        yield RelationTable(data)
    elif (frame := frame_table(data)) is not None:
        yield frame
    elif isinstance(data, Iterable) and not isinstance(data, Mapping | bytes) and library != "numpy":
        for table in data:
            yield from tables_in(table, options)
    else:
        raise DataError(
            f"cannot learn from {type(data).__name__}; pass a data frame (pandas, polars, pyarrow, …), a path to CSV or "
            "Parquet files, a Dask DataFrame, or a list of tables"
        )


def kind_of(variables: Sequence[Name], cells: Sequence[Cells | None]) -> Kind | None:
    """Gaussian if every column has fractions, discrete if none has; None where no cell shows it."""
    found = [(name, own.has_fractions()) for name, own in zip(variables, cells, strict=True) if own is not None]
    fractions = [name for name, has_fractions in found if has_fractions]
    whole = [name for name, has_fractions in found if has_fractions is False]
    if fractions and whole:
        raise DataError(
            f"the columns are of two kinds: {_listed(fractions)} {'hold' if len(fractions) > 1 else 'holds'} fractions, "
            f"{_listed(whole)} {'do' if len(whole) > 1 else 'does'} not; mixed networks are not supported: make intervals of "
            'fractions with discretizer=dc.discretize(data), or pass kind="gaussian" or kind="discrete" if all columns are of '
            "one kind"
        )
    return "gaussian" if fractions else "discrete" if whole else None


def _listed(columns: Sequence[Name]) -> str:
    """All their names, unless there are very many."""
    more = f", … ({len(columns):,} in all)" if len(columns) > MOST_LISTED else ""
    return ", ".join(map(repr, columns[:MOST_LISTED])) + more
