"""All rows of the data for a search: states as codes with a line for each variable, or moments of numbers.

The variables are the columns that any table has. Each table is read for itself and gives its own labels codes; then all get
those of the union, so that neither the order of tables nor how rows are cut into batches makes a difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain
from typing import TypeAlias

import numpy as np

from dconvex.arrays import Array, Floats, Integers, StateCodes
from dconvex.errors import DataError, TooLargeError
from dconvex.inference.partitions import by_partition, checked_dask_frame
from dconvex.learning.columns.cells import Cells
from dconvex.learning.columns.data_tables import Batch, DataTable
from dconvex.learning.columns.encoded_columns import CodeReader, NumberReader
from dconvex.learning.columns.encoder import MISSING, check_number_of_states
from dconvex.learning.columns.matching import MatchedTable, is_distributed, kind_of, tables_in
from dconvex.learning.learning_options import Kind, LearningOptions
from dconvex.names import Name, canonical, checked_name
from dconvex.progress import Bar
from dconvex.structure.coded_tables import CodedRows, CodedTable, joined_rows, merged
from dconvex.structure.measured_tables import MeasuredRows, MeasuredTable, joined_moments
from dconvex.threads import Workers, threads

TableOfRows: TypeAlias = CodedTable | MeasuredTable

LONG = 10_000_000
"""Cells from which on reading is worth threads."""
MANY_ROWS = 1 << 17
"""From here on equal rows of a batch are merged, where that makes few of them."""
COPIES = 3
"""A code is held by Python, by the core, and as bits, about."""


def rows_of(data: object, options: LearningOptions) -> CodedRows | MeasuredRows:
    """The rows of all tables in `data`.

    Raises:
        DataError: There are no tables, columns or rows, or a column cannot be used as it is.
        TooLargeError: Holding the rows takes more bytes than the limit.
    """
    if is_distributed(data):
        return _joined(_partitions(data, options))
    with threads(options.n_jobs if _is_long(data) else 1) as workers, Bar("reading", is_shown=options.progress) as bar:
        reading = _Reading(options, workers, bar)
        for table in tables_in(data, options):
            reading.add(table)
    return _joined(reading.tables)


def _partitions(data: object, options: LearningOptions) -> list[TableOfRows]:
    """Each partition is read by the worker that has it; what it sends are codes or moments."""
    import dask

    parts = by_partition(checked_dask_frame(data), options, _read_partition)
    return [table for part in dask.compute(*parts) for table in part]


def _read_partition(options: LearningOptions, frame: object) -> list[TableOfRows]:
    reading = _Reading(options, Workers(0), Bar("reading", is_shown=False))
    for table in tables_in(frame, options):
        reading.add(table)
    return reading.tables


def _joined(tables: Sequence[TableOfRows]) -> CodedRows | MeasuredRows:
    coded = [table for table in tables if isinstance(table, CodedTable)]
    measured = [table for table in tables if isinstance(table, MeasuredTable)]
    if coded and measured:
        raise DataError('one table holds fractions and another does not; pass kind="gaussian" or kind="discrete"')
    if not sum(table.rows for table in tables):
        raise DataError("there are no rows to learn from; pass a table with rows")
    return joined_moments(measured) if measured else joined_rows(coded)


def _is_long(data: object) -> bool:
    """Whether reading is worth threads."""
    shape = getattr(data, "shape", None)
    return not (isinstance(shape, tuple) and len(shape) == 2 and shape[0] * shape[1] < LONG)


class _Reading:
    """What has been read so far."""

    def __init__(self, options: LearningOptions, workers: Workers, bar: Bar) -> None:
        self.options, self.workers, self.bar = options, workers, bar
        self.kind: Kind | None = options.kind
        self.tables: list[TableOfRows] = []
        self.bytes = 0

    def add(self, table: DataTable) -> None:
        """Read a table."""
        variables = variables_of(table, self.options)
        matched = MatchedTable.of(table, variables, self.options.weights)
        self.bar.expect_rows_of(table)
        batches = matched.batches(self.options)
        first = next(batches, None)
        if first is None:
            return
        self._check_kind(variables, first.cells)
        both = self._watched(chain([first], batches))
        self.tables.append(self._measured(variables, both) if self.kind == "gaussian" else self._coded(variables, both))

    def _watched(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        for batch in batches:
            yield batch
            self.bar.advance(batch.rows)

    def _hold(self, more: int) -> None:
        """Refuse what takes more bytes than the limit, before it is held."""
        self.bytes += more
        if self.bytes > self.options.limit:
            what = "holding the rows of the data"
            raise TooLargeError(what, self.bytes, self.options.limit, "Raise max_bytes, or give fewer columns or rows.")

    def _check_kind(self, variables: Sequence[Name], cells: Sequence[Cells | None]) -> None:
        kind = self.options.kind or kind_of(variables, cells)
        if self.kind is None:
            self.kind = kind
        elif kind is not None and kind != self.kind:
            raise DataError('one table holds fractions and another does not; pass kind="gaussian" or kind="discrete"')

    def _coded(self, variables: tuple[Name, ...], batches: Iterator[Batch]) -> CodedTable:
        reader = CodeReader(variables, self.options, self.workers)
        parts: list[Array] = []
        weights: list[Floats | None] = []
        rows = 0
        for batch in batches:
            found = reader.read(batch)
            codes, own = found.values[:, : found.rows], found.weights
            if found.rows >= MANY_ROWS:
                codes, own = merged(codes, own)
            self._hold(COPIES * codes.nbytes)
            parts.append(codes.copy())
            weights.append(own)
            rows += found.rows
        states = reader.states()
        check_number_of_states(variables, states)
        codes = _recoded(parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1), reader.codes_in(states))
        return CodedTable(variables, states, codes, _weights_of(parts, weights), rows)

    def _measured(self, variables: tuple[Name, ...], batches: Iterator[Batch]) -> MeasuredTable:
        reader = NumberReader(variables, self.options, self.workers)
        self._hold(8 * len(variables) ** 2)

        def measured(batch: Batch) -> MeasuredTable:
            found = reader.read(batch)
            own = MeasuredTable.of(variables, found.values[:, : found.rows], found.weights)
            self._hold(own.gaps.nbytes)
            return own

        return reduce(lambda one, other: one.added(other), map(measured, batches))


def variables_of(table: DataTable, options: LearningOptions) -> tuple[Name, ...]:
    """The columns of a table that are variables, in canonical order.

    Raises:
        DataError: There is none, or two have one name.
    """
    names = [checked_name(column) for column in table.columns if column != options.weights]
    if not names:
        raise DataError("the table has no columns to learn from")
    if len(set(names)) < len(names):
        twice = next(name for number, name in enumerate(names) if name in names[:number])
        raise DataError(f"two columns are called {twice!r}; give each its own name")
    return tuple(canonical(names))


def _weights_of(parts: Sequence[Array], weights: Sequence[Floats | None]) -> Floats | None:
    """The weights of all rows; None if each weighs one."""
    if all(own is None for own in weights):
        return None
    return np.concatenate([np.ones(part.shape[1]) if own is None else own for part, own in zip(parts, weights, strict=True)])


def _recoded(codes: StateCodes, tables: Sequence[Integers]) -> StateCodes:
    """Codes in the order that a model has them."""
    for variable, table in enumerate(tables):
        if not np.array_equal(table, np.arange(len(table))):
            codes[variable] = np.append(table, MISSING)[codes[variable]]
    return codes
