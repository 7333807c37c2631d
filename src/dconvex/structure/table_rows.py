"""All rows of the data for a search: states as codes with a line for each variable, or moments of numbers.

The variables are the columns that any table has. Each table is read for itself and gives its own labels codes; then all get
those of the union, so that neither the order of tables nor how rows are cut into batches makes a difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from operator import or_

import numpy as np

from dconvex.arrays import Array, Flags, Floats, Indices, Integers, StateCodes
from dconvex.errors import DataError, TooLargeError
from dconvex.learning.columns.cells import Cells
from dconvex.learning.columns.data_tables import Batch, DataTable
from dconvex.learning.columns.encoded_columns import NARROW, CodeReader, NumberReader
from dconvex.learning.columns.encoder import MISSING, check_number_of_states
from dconvex.learning.columns.matching import MatchedTable, kind_of, tables_in
from dconvex.learning.columns.states import States
from dconvex.learning.learning_options import Kind, LearningOptions
from dconvex.learning.progress import Bar
from dconvex.names import Name, canonical, checked_name
from dconvex.threads import Workers, threads


@dataclass(frozen=True, slots=True, eq=False)
class CodedTable:
    """The rows of one table, its variables in canonical order."""

    variables: tuple[Name, ...]
    states: tuple[States, ...]
    codes: StateCodes
    """By variable and row; -1 where a cell is missing."""
    weights: Floats | None

    @property
    def rows(self) -> int:
        return len(self.codes[0])


@dataclass(frozen=True, slots=True, eq=False)
class CodedRows:
    """The rows of all tables; a cell is missing where its table lacks the column."""

    variables: tuple[Name, ...]
    states: tuple[States, ...]
    codes: StateCodes
    weights: Floats | None
    has_missing: Flags
    """For each variable whether some cell is missing."""
    rows: int
    """Of the data."""
    dropped: int = 0
    """Rows left out since a cell is missing."""

    @property
    def sizes(self) -> Indices:
        """The number of states of each variable."""
        return np.array([len(own) for own in self.states], np.int32)

    @property
    def weight(self) -> float:
        """Of all rows that are left."""
        return float(self.codes.shape[1]) if self.weights is None else float(self.weights.sum())

    def complete(self) -> CodedRows:
        """Only the rows without a missing cell."""
        if not self.has_missing.any():
            return self
        is_whole = (self.codes >= 0).all(axis=0)
        codes: StateCodes = self.codes[:, is_whole].copy()
        weights = None if self.weights is None else self.weights[is_whole]
        dropped = int((~is_whole).sum())
        return replace(self, codes=codes, weights=weights, has_missing=np.zeros(len(codes), bool), dropped=dropped)


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredRows:
    """Moments of the rows of all tables."""

    variables: tuple[Name, ...]
    means: Floats
    covariance: Floats
    """That of maximum likelihood."""
    weight: float
    rows: int
    has_missing: Flags
    dropped: int = 0


def rows_of(data: object, options: LearningOptions) -> CodedRows | MeasuredRows:
    """The rows of all tables in `data`.

    Raises:
        DataError: There are no tables or columns, or a column cannot be used as it is.
        TooLargeError: Holding the rows takes more bytes than the limit.
    """
    with threads(options.n_jobs if _is_long(data) else 1) as workers, Bar("reading", is_shown=options.progress) as bar:
        reading = _Reading(options, workers, bar)
        for table in tables_in(data, options):
            reading.add(table)
        return reading.finished()


def _is_long(data: object) -> bool:
    """Whether reading is worth threads."""
    shape = getattr(data, "shape", None)
    return not (isinstance(shape, tuple) and len(shape) == 2 and shape[0] * shape[1] < 10_000_000)


class _Reading:
    """What has been read so far."""

    def __init__(self, options: LearningOptions, workers: Workers, bar: Bar) -> None:
        self.options, self.workers, self.bar = options, workers, bar
        self.kind: Kind | None = options.kind
        self.coded: list[CodedTable] = []
        self.measured: list[_MeasuredTable] = []
        self.bytes = 0

    def add(self, table: DataTable) -> None:
        variables = variables_of(table, self.options)
        matched = MatchedTable.of(table, variables, self.options.weights)
        self.bar.expect_rows_of(table)
        batches = self._counted(matched.batches(self.options), len(variables))
        first = next(batches, None)
        if first is None:
            return
        self._check_kind(variables, first.cells)
        if self.kind == "gaussian":
            self.measured.append(self._measured(variables, chain([first], batches)))
        else:
            self.coded.append(self._coded(variables, chain([first], batches)))

    def finished(self) -> CodedRows | MeasuredRows:
        if self.kind == "gaussian":
            return _joined_moments(self.measured)
        if not self.coded:
            raise DataError("there are no tables to read; pass at least one")
        return joined_rows(self.coded)

    def _counted(self, batches: Iterable[Batch], variables: int) -> Iterator[Batch]:
        for batch in batches:
            if self.kind != "gaussian":
                check_size(self.bytes + 3 * variables * batch.rows, self.options.limit)
                self.bytes += 3 * variables * batch.rows
            yield batch
            self.bar.advance(batch.rows)

    def _check_kind(self, variables: Sequence[Name], cells: Sequence[Cells | None]) -> None:
        kind = self.options.kind or kind_of(variables, cells)
        if self.kind is None:
            self.kind = kind
        elif kind is not None and kind != self.kind:
            raise DataError('one table holds fractions and another does not; pass kind="gaussian" or kind="discrete"')

    def _coded(self, variables: tuple[Name, ...], batches: Iterator[Batch]) -> CodedTable:
        reader = CodeReader(variables, self.options, self.workers)
        parts: list[Array] = []
        weights: list[Floats] = []
        for batch in batches:
            found = reader.read(batch)
            parts.append(found.values[:, : found.rows].copy())
            if found.weights is not None:
                weights.append(found.weights)
        states = reader.states()
        check_number_of_states(variables, states)
        tables = reader.codes_in(states)
        codes: StateCodes = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        return CodedTable(variables, states, _recoded(codes, tables), np.concatenate(weights) if weights else None)

    def _measured(self, variables: tuple[Name, ...], batches: Iterator[Batch]) -> _MeasuredTable:
        reader = NumberReader(variables, self.options, self.workers)
        total = _MeasuredTable.none(variables)
        for batch in batches:
            found = reader.read(batch)
            values, weights = found.values[:, : found.rows], found.weights
            has_missing = found.has_missing
            if has_missing.any():
                is_whole = ~np.isnan(values).any(axis=0)
                values = values[:, is_whole]
                weights = None if weights is None else weights[is_whole]
            own = _MeasuredTable.of(variables, values, weights)
            total = total.added(replace(own, rows=found.rows, dropped=found.rows - values.shape[1], has_missing=has_missing))
        return total


def variables_of(table: DataTable, options: LearningOptions) -> tuple[Name, ...]:
    """The columns of a table that are variables, in canonical order.

    Raises:
        DataError: There is none, or two have one name.
    """
    columns = list(table.columns)
    names = [checked_name(column) for column in columns if column != options.weights]
    if not names:
        raise DataError("the table has no columns to learn from")
    if len(set(names)) < len(names):
        twice = next(name for number, name in enumerate(names) if name in names[:number])
        raise DataError(f"two columns are called {twice!r}; give each its own name")
    return tuple(canonical(names))


def check_size(needed: int, limit: int) -> None:
    """Refuse what takes more bytes than the limit."""
    if needed > limit:
        raise TooLargeError("holding the rows of the data", needed, limit, "Raise max_bytes, or give fewer columns or rows.")


def joined_rows(tables: Sequence[CodedTable]) -> CodedRows:
    """The rows of several tables."""
    if len(tables) == 1:
        (only,) = tables
        has_missing = only.codes.min(axis=1, initial=0) < 0
        return CodedRows(only.variables, only.states, only.codes, only.weights, has_missing, only.rows)
    variables = tuple(canonical({name for table in tables for name in table.variables}))
    numbers = [{name: number for number, name in enumerate(table.variables)} for table in tables]
    states = tuple(
        reduce(or_, [table.states[own[name]] for table, own in zip(tables, numbers, strict=True) if name in own])
        for name in variables
    )
    for name, labels in zip(variables, states, strict=True):
        if len(set(map(type, labels.labels))) > 1:
            raise DataError(f"column {name!r} holds labels of different types in different tables; convert it to one type")
    check_number_of_states(variables, states)
    bounds = np.cumsum([0, *(table.rows for table in tables)]).tolist()
    codes: StateCodes = np.full((len(variables), bounds[-1]), MISSING, _width(states))
    for number, table in enumerate(tables):
        for own, name in enumerate(table.variables):
            at = variables.index(name)
            recode = np.append(table.states[own].codes_in(states[at]), MISSING)
            codes[at, bounds[number] : bounds[number + 1]] = recode[table.codes[own]]
    weights = [np.ones(table.rows) if table.weights is None else table.weights for table in tables]
    has_weights = any(table.weights is not None for table in tables)
    has_missing = codes.min(axis=1, initial=0) < 0
    joined = np.concatenate(weights) if has_weights else None
    return CodedRows(variables, states, codes, joined, has_missing, bounds[-1])


def _recoded(codes: StateCodes, tables: Sequence[Integers]) -> StateCodes:
    """Codes in the order that a model has them."""
    for variable, table in enumerate(tables):
        if not np.array_equal(table, np.arange(len(table))):
            codes[variable] = np.append(table, MISSING)[codes[variable]]
    return codes


def _width(states: Sequence[States]) -> type[np.int8] | type[np.int32]:
    return np.int8 if max(map(len, states), default=0) <= NARROW else np.int32


@dataclass(frozen=True, slots=True, eq=False)
class _MeasuredTable:
    """Moments of some rows, which add up."""

    variables: tuple[Name, ...]
    means: Floats
    scatter: Floats
    weight: float
    rows: int
    has_missing: Flags
    dropped: int = 0

    @classmethod
    def none(cls, variables: tuple[Name, ...]) -> _MeasuredTable:
        size = len(variables)
        return cls(variables, np.zeros(size), np.zeros((size, size)), 0.0, 0, np.zeros(size, bool))

    @classmethod
    def of(cls, variables: tuple[Name, ...], values: Floats, weights: Floats | None) -> _MeasuredTable:
        weight = float(values.shape[1]) if weights is None else float(weights.sum())
        if not weight > 0:
            return cls.none(variables)
        shift = values[:, 0]  # so that little is lost where a column is far from zero
        means = shift + np.average(values - shift[:, None], axis=1, weights=weights)
        apart = values - means[:, None]
        scatter = apart @ apart.T if weights is None else (apart * weights) @ apart.T
        return cls(variables, means, scatter, weight, values.shape[1], np.zeros(len(variables), bool))

    def added(self, other: _MeasuredTable) -> _MeasuredTable:
        has_missing, dropped = self.has_missing | other.has_missing, self.dropped + other.dropped
        weight = self.weight + other.weight
        if not weight > 0:
            return replace(self, rows=self.rows + other.rows, has_missing=has_missing, dropped=dropped)
        apart = other.means - self.means
        means = self.means + apart * (other.weight / weight)
        scatter = self.scatter + other.scatter + np.outer(apart, apart) * (self.weight * other.weight / weight)
        return _MeasuredTable(self.variables, means, scatter, weight, self.rows + other.rows, has_missing, dropped)


def _joined_moments(tables: Sequence[_MeasuredTable]) -> MeasuredRows:
    variables = tables[0].variables
    for table in tables:
        if table.variables != variables:
            raise DataError("tables of numbers must have the same columns")
    total = reduce(lambda one, other: one.added(other), tables)
    covariance = total.scatter / max(total.weight, 1e-300)
    covariance = (covariance + covariance.T) / 2
    return MeasuredRows(variables, total.means, covariance, total.weight, total.rows, total.has_missing, total.dropped)
