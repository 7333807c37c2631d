"""Rows of a table as numbers, a line for each variable: what counting, EM and structure search go over.

A `CodeReader` or a `NumberReader` turns batch after batch into `EncodedRows`; all batches share one numbering of states.
`EncodedColumns` holds all rows of the data at once, for whatever goes over them more than once. No graph is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from dconvex.arrays import Flags, Floats, Integers, StateCodes
from dconvex.errors import DataError, TooLargeError
from dconvex.learning.columns.data_tables import Batch
from dconvex.learning.columns.encoder import MISSING, Encoder
from dconvex.learning.columns.matching import MatchedTable, matched_tables
from dconvex.learning.columns.states import States
from dconvex.learning.learning_options import LearningOptions
from dconvex.names import Name
from dconvex.progress import Bar
from dconvex.threads import Workers, threads

Numbers = TypeVar("Numbers", Integers, Floats)

NARROW = 127
"""Up to this many states a code takes one byte."""


@dataclass(frozen=True, slots=True, eq=False)
class EncodedRows:
    """Codes of states (-1 where a cell is missing), `values[variable, row]`; lines may be longer than there are rows."""

    values: StateCodes
    rows: int
    has_missing: Flags
    """For each variable whether some cell is missing; False for one without a column."""
    weights: Floats | None = None
    """The weight of each row, where rows have any."""

    def complete(self, has_column: Flags) -> EncodedRows:
        """The rows without a missing cell; none where a column is missing."""
        own = self.values[:, : self.rows]
        is_whole = np.full(self.rows, bool(has_column.all())) & (own >= 0).all(axis=0)
        own, weights = own[:, is_whole], None if self.weights is None else self.weights[is_whole]
        return EncodedRows(own.copy(), own.shape[1], np.zeros(len(own), bool), weights)


@dataclass(frozen=True, slots=True, eq=False)
class NumberRows:
    """As `EncodedRows`, for numbers (NaN where a cell is missing)."""

    values: Floats
    rows: int
    has_missing: Flags
    weights: Floats | None = None

    def complete(self, has_column: Flags) -> NumberRows:
        """The rows without a missing cell; none where a column is missing."""
        own = self.values[:, : self.rows]
        is_whole = np.full(self.rows, bool(has_column.all())) & ~np.isnan(own).any(axis=0)
        own, weights = own[:, is_whole], None if self.weights is None else self.weights[is_whole]
        return NumberRows(np.ascontiguousarray(own), own.shape[1], np.zeros(len(own), bool), weights)


class CodeReader:
    """Turns batches into codes, which are valid until the next batch is read. States get codes as they come."""

    def __init__(self, variables: Sequence[Name], options: LearningOptions, workers: Workers) -> None:
        self.encoders = [Encoder(name, options.declared(name), options.unknown) for name in variables]
        self._workers, self._weights = workers, options.weights
        self._codes: StateCodes = np.empty((0, 0), np.int8)

    def sizes(self) -> Integers:
        """The number of states of each variable so far."""
        return np.array([len(encoder.labels) for encoder in self.encoders], np.int64)

    def states(self) -> tuple[States, ...]:
        """The states of each variable so far, in the order that a model has them."""
        return tuple(encoder.states() for encoder in self.encoders)

    def codes_in(self, states: Sequence[States]) -> list[Integers]:
        """For each variable and each of its codes the code in `states`."""
        return [States(tuple(own.labels)).codes_in(new) for own, new in zip(self.encoders, states, strict=True)]

    def read(self, batch: Batch) -> EncodedRows:
        """The codes of a batch; wider ones if there turn out to be many states."""
        rows = batch.rows
        if len(self._codes) < len(batch.cells) or self._codes.shape[1] < rows:
            self._codes = np.empty((len(batch.cells), rows), self._codes.dtype)
        has_missing = np.zeros(len(batch.cells), bool)

        def encode(variable: int) -> None:
            cells, own = batch.cells[variable], self._codes[variable, :rows]
            if cells is not None:
                cells.codes(batch.first, batch.last, self.encoders[variable], own)
                has_missing[variable] = own.min(initial=0) < 0

        _for_each_column(self._workers, batch, encode)
        if self._codes.dtype == np.int8 and self.sizes().max(initial=0) > NARROW:
            self._codes = np.empty(self._codes.shape, np.int32)
            _for_each_column(self._workers, batch, encode)
        return EncodedRows(self._codes, rows, has_missing, batch.row_weights(self._weights))


class NumberReader:
    """Turns batches into numbers, which are valid until the next batch is read."""

    def __init__(self, variables: Sequence[Name], options: LearningOptions, workers: Workers) -> None:
        self.variables = variables
        self._workers, self._weights = workers, options.weights
        self._numbers = np.empty((0, 0))

    def read(self, batch: Batch) -> NumberRows:
        """The numbers of a batch."""
        rows = batch.rows
        if len(self._numbers) < len(batch.cells) or self._numbers.shape[1] < rows:
            self._numbers = np.empty((len(batch.cells), rows))
        has_missing = np.zeros(len(batch.cells), bool)

        def convert(variable: int) -> None:
            cells, own = batch.cells[variable], self._numbers[variable, :rows]
            if cells is not None:
                own[:] = cells.numbers(batch.first, batch.last, self.variables[variable])
                has_missing[variable] = np.isnan(own).any()

        _for_each_column(self._workers, batch, convert)
        return NumberRows(self._numbers, rows, has_missing, batch.row_weights(self._weights))


def _for_each_column(workers: Workers, batch: Batch, work: Callable[[int], None]) -> None:
    workers.for_each(work, [variable for variable, cells in enumerate(batch.cells) if cells is not None])


@dataclass(frozen=True, slots=True, eq=False)
class EncodedColumns:
    """All rows of the data as codes, equal rows merged and sorted, so that the order of rows makes no difference.

    `codes[variable, row]` is an index into the labels of `states[variable]`, -1 where the cell is missing or the table has no
    such column. Each row is that of `counts[row]` rows of the data.
    """

    variables: tuple[Name, ...]
    states: tuple[States, ...]
    codes: StateCodes
    counts: Integers
    has_column: Flags
    """For each variable whether some table has its column."""
    other_columns: frozenset[Name] = frozenset()
    """Columns that belong to no variable."""
    sums: Floats | None = None
    """For each row the sum of the weights of its rows of the data; None where rows have no weights."""

    @property
    def rows(self) -> int:
        """The number of rows of the data."""
        return int(self.counts.sum())

    @property
    def weights(self) -> Floats:
        """What each row weighs: the rows of the data that it is, or the sum of their weights."""
        return self.counts.astype(np.float64) if self.sums is None else self.sums


def encoded_columns(variables: Sequence[Name], data: Any, options: LearningOptions) -> EncodedColumns:
    """The rows of all tables in `data` as codes.

    Raises:
        DataError: A column holds something that is not a state, or there are no tables.
        TooLargeError: Different rows take more bytes than the limit.
    """
    return encoded_tables(variables, matched_tables(data, variables, options), options)


def encoded_tables(variables: Sequence[Name], tables: Iterable[MatchedTable], options: LearningOptions) -> EncodedColumns:
    """The rows of all these tables as codes; as `encoded_columns`."""
    has_column, others = np.zeros(len(variables), bool), frozenset[Name]()
    with threads(options.n_jobs) as workers, Bar("reading", is_shown=options.progress) as bar:
        reader = CodeReader(variables, options, workers)
        parts: list[_Part] = []
        for table in tables:
            bar.expect_rows_of(table.table)
            absent = ~table.has_column
            has_column |= table.has_column
            others |= table.other_columns
            for batch in table.batches(options):
                _check_size(sum(part.bytes for part in parts), len(variables) * batch.rows, options.limit)
                encoded = reader.read(batch)
                codes = encoded.values[:, : encoded.rows].copy()
                codes[absent] = MISSING
                parts.append(_Part(codes, np.ones(encoded.rows, np.int64), encoded.weights).merged())
                bar.advance(batch.rows)
    if not parts:
        raise DataError("there are no tables to read; pass at least one")
    states, all_rows = _sorted(reader, parts)
    return EncodedColumns(tuple(variables), states, all_rows.codes, all_rows.counts, has_column, others, all_rows.sums)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Some rows: their codes, of how many rows of the data each is, and the sums of their weights, where rows have any."""

    codes: StateCodes
    counts: Integers
    sums: Floats | None

    @property
    def bytes(self) -> int:
        return self.codes.nbytes + self.counts.nbytes + (0 if self.sums is None else self.sums.nbytes)

    def merged(self) -> _Part:
        """Different rows in ascending order, equal ones added up."""
        codes, counts = self.codes, self.counts
        if not codes.size:  # without variables all rows are equal
            some = min(len(counts), 1)
            first = np.zeros(some, np.int64)
            return _Part(codes[:, :some], _added(counts, first), None if self.sums is None else _added(self.sums, first))
        order = np.lexsort(codes[::-1])
        ordered = codes[:, order]
        is_new = np.ones(len(order), bool)
        is_new[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
        first = np.flatnonzero(is_new)
        sums = None if self.sums is None else _added(self.sums[order], first)
        return _Part(ordered[:, is_new], _added(counts[order], first), sums)


def _added(numbers: Numbers, first: Integers) -> Numbers:
    """The sums of parts that begin at these indices."""
    return np.add.reduceat(numbers, first) if len(first) else numbers[:0]


def _sorted(reader: CodeReader, parts: Sequence[_Part]) -> tuple[tuple[States, ...], _Part]:
    """All parts together, with states in the order that a model has them."""
    states = reader.states()
    width = np.int8 if max(map(len, states), default=0) <= NARROW else np.int32
    tables = [np.append(own, MISSING).astype(width) for own in reader.codes_in(states)]
    counts = np.concatenate([part.counts for part in parts])
    codes = np.empty((len(states), len(counts)), width)
    for variable, table in enumerate(tables):
        codes[variable] = table[np.concatenate([part.codes[variable] for part in parts])]
    weights = [part.sums for part in parts if part.sums is not None]
    return states, _Part(codes, counts, np.concatenate(weights) if weights else None).merged()


def _check_size(held: int, more: int, limit: int) -> None:
    if held + more > limit:
        raise TooLargeError(
            "holding the different rows of the data", held + more, limit, "Raise max_bytes, or give fewer variables or rows."
        )
