"""Rows of codes for EM: what is known of all of them, and how they are made ready for E-steps, wherever they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dconvex._core import Graph
from dconvex.arrays import Flags, Floats, Indices, StateCodes
from dconvex.errors import DataError
from dconvex.learning.columns.encoded_columns import NARROW, EncodedColumns
from dconvex.learning.columns.encoder import MISSING
from dconvex.learning.columns.states import States
from dconvex.learning.estimation.expectation import GappedRows
from dconvex.learning.estimation.table_steps import CountedRows
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.coverage import Coverage
from dconvex.names import Name


@dataclass(frozen=True, slots=True, eq=False)
class RowSummary:
    """What is known of rows without looking at them one by one."""

    rows: int
    weight: float
    filled: float
    """The weight of the cells that are missing."""
    shows: Flags
    """For each variable whether some cell is there."""
    has_column: Flags
    other_columns: frozenset[Name]

    @classmethod
    def of(cls, columns: EncodedColumns) -> RowSummary:
        """That of encoded rows."""
        filled = float(((columns.codes < 0) * columns.weights).sum())
        shows = np.any(columns.codes >= 0, axis=1)
        return cls(columns.rows, float(columns.weights.sum()), filled, shows, columns.has_column, columns.other_columns)

    def __add__(self, other: RowSummary) -> RowSummary:
        return RowSummary(
            self.rows + other.rows, self.weight + other.weight, self.filled + other.filled, self.shows | other.shows,
            self.has_column | other.has_column, self.other_columns | other.other_columns,
        )  # fmt: skip

    def check(self, names: Sequence[Name], hidden: frozenset[Name]) -> None:
        """Refuse variables that no row shows, unless they are hidden.

        Raises:
            DataError: There are such variables, or no rows.
        """
        if not self.rows:
            raise DataError("there are no rows to learn from; pass a table with rows")
        if not self.weight > 0:
            raise DataError("all rows weigh nothing: the column of weights= holds zeros only")
        for name, shows, has_column in zip(names, self.shows.tolist(), self.has_column.tolist(), strict=True):
            if name in hidden and has_column:
                raise DataError(f"{name!r} is hidden=, and a table has its column; leave out one of the two")
            if name not in hidden and not has_column:
                raise DataError(
                    f"no table has a column {name!r}; if it is never observed, pass hidden={{{name!r}: labels}} with "
                    "coherent=True"
                )
            if name not in hidden and not shows:
                raise DataError(
                    f"column {name!r} has no values: all its cells are missing; if it is never observed, leave the column out "
                    f"and pass hidden={{{name!r}: labels}} with coherent=True"
                )

    def coverage(self, families: Families, weights: Floats) -> Coverage:
        """Every row is there for every family: what a table lacks is missing in it. Families count in rows of these weights."""
        every = np.ones(len(families), np.int64)
        used = np.minimum(np.rint(weights * (self.rows / (self.weight or 1.0))).astype(np.int64), self.rows)
        has_column = np.ones(len(families.names), bool)
        return Coverage(self.rows, every, self.rows * every, used, has_column, self.other_columns)


class EncodedSource(Protocol):
    """Rows as codes, wherever they are."""

    @property
    def states(self) -> tuple[States, ...]: ...
    @property
    def summary(self) -> RowSummary: ...
    def prepared(
        self, names: Sequence[Name], graph: Graph, variables: Indices, states: Sequence[States], limit: int
    ) -> CountedRows:
        """The cells of some variables, with these states, ready for E-steps over a graph.

        Raises:
            TooLargeError: The missing cells of some row take more memory than the limit.
        """


@dataclass(frozen=True, slots=True, eq=False)
class HeldRows:
    """Rows that are held here."""

    columns: EncodedColumns
    summary: RowSummary

    @classmethod
    def of(cls, columns: EncodedColumns) -> HeldRows:
        """Encoded rows."""
        return cls(columns, RowSummary.of(columns))

    @property
    def states(self) -> tuple[States, ...]:
        return self.columns.states

    def prepared(
        self, names: Sequence[Name], graph: Graph, variables: Indices, states: Sequence[States], limit: int
    ) -> CountedRows:
        sizes = np.array([len(own) for own in states], np.int64)
        codes = _recoded(self.columns, variables, states)
        return GappedRows.of(names, graph, sizes, codes, self.columns.weights, limit)


def _recoded(columns: EncodedColumns, variables: Indices, states: Sequence[States]) -> StateCodes:
    """The codes of some variables where they have these states."""
    before = [columns.states[variable] for variable in variables.tolist()]
    if all(own.labels == new.labels for own, new in zip(before, states, strict=True)):
        return columns.codes[variables]
    width = columns.codes.dtype if max(map(len, states), default=0) <= NARROW else np.dtype(np.int32)
    codes = np.empty((len(variables), columns.codes.shape[1]), width)
    for k, (own, new) in enumerate(zip(before, states, strict=True)):
        table = np.append(own.codes_in(new), MISSING)
        codes[k] = table[columns.codes[variables[k]]]
    return codes
