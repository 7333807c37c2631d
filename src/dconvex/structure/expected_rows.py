"""Rows of states with missing cells, as a search asks them: counts of families in expectation under one network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dconvex._core import CountedScore, ExpectedTables
from dconvex.arrays import Floats, Indices, Integers, StateCodes
from dconvex.errors import TooLargeError
from dconvex.graph.dag import Dag
from dconvex.learning.estimation.table_em import own_tables
from dconvex.names import Name
from dconvex.network.network import BayesianNetwork
from dconvex.structure.coded_tables import CodedRows

FINEST = 2.0**40
"""Expected counts are rounded to about this part of the weight of all rows: scores are functions of whole numbers."""
MISSING_BYTES = 64
"""Of a missing cell, with what is known of it."""
CELL_BYTES = 24
"""Of a count: as it is expected, as a whole number, and in the core."""


@dataclass(frozen=True, slots=True, eq=False)
class DistinctRows:
    """Different rows in an order of their own, with their weights: the same for any order of the rows that they are of."""

    codes: StateCodes
    weights: Floats

    @classmethod
    def of(cls, rows: CodedRows) -> DistinctRows:
        """Those of a table."""
        weights = np.ones(rows.codes.shape[1]) if rows.weights is None else rows.weights
        order = np.lexsort((weights, *rows.codes[::-1]))
        codes, weights = rows.codes[:, order], weights[order]
        is_first = np.append(True, (codes[:, 1:] != codes[:, :-1]).any(axis=0))
        found: StateCodes = codes[:, is_first].copy()
        return cls(found, np.add.reduceat(weights, np.flatnonzero(is_first)))

    @property
    def needed_bytes(self) -> int:
        """What expecting their cells takes besides posteriors."""
        return 2 * self.codes.nbytes + 16 * len(self.weights) + MISSING_BYTES * int((self.codes < 0).sum())


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedRows:
    """What a score asks of rows with missing cells: counts given what each row shows, under a network."""

    variables: tuple[Name, ...]
    sizes: Indices
    tables: ExpectedTables
    weight: float
    rows: int
    """Of the data."""
    limit: int
    """The most bytes for a table."""
    dropped: int = 0

    @classmethod
    def of(
        cls, rows: CodedRows, distinct: DistinctRows, dag: Dag, network: BayesianNetwork, limit: int, threads: int
    ) -> ExpectedRows:
        """The rows under a network whose variables are numbered as those of the rows.

        Raises:
            TooLargeError: They take more bytes than the limit.
        """
        needed = distinct.needed_bytes
        if needed > limit:
            what = "rows whose missing cells are filled in expectation"
            raise TooLargeError(what, needed, limit, 'Raise max_bytes, or pass missing="complete".')
        sizes = np.maximum(rows.sizes, 1)
        tables = ExpectedTables(
            dag.graph, sizes, own_tables(network, dag), distinct.codes, distinct.weights, float(limit - needed), threads
        )
        return cls(rows.variables, sizes, tables, float(distinct.weights.sum()), rows.rows, limit)

    @property
    def unit(self) -> float:
        """What one of a whole count counts as."""
        return float(2.0 ** np.floor(np.log2(self.weight / FINEST)))

    def score(self, criterion: str, common_size: float) -> CountedScore:
        """The score of families, by name."""
        total = int(np.rint(self.weight / self.unit))
        return CountedScore(self.sizes, total, self.counts_of, criterion, common_size, self.unit)

    def counts_of(self, families: Sequence[tuple[int, ...]]) -> list[Integers]:
        """The expected counts of each family in units, flat.

        Raises:
            TooLargeError: A table, or the posteriors of what is missing in the rows, take more bytes than the limit.
        """
        for family in families:
            needed = CELL_BYTES * int(np.prod([int(self.sizes[variable]) for variable in family], dtype=object))
            if needed > self.limit:
                raise TooLargeError(f"the counts of {self._named(family)}", needed, self.limit, "Set max_parents.")
        found = self.tables.tables_of(families)
        if found is None:
            what = "the posteriors of missing cells that the counts of one family ask for"
            needed = min(int(self.tables.refused_bytes), 2**62)
            raise TooLargeError(what, needed, self.limit, 'Raise max_bytes, or pass missing="complete".')
        total = np.rint(self.weight / self.unit)
        return [np.minimum(np.rint(table / self.unit), total).astype(np.int64) for table in found]

    def _named(self, family: tuple[int, ...]) -> str:
        return f"({', '.join(repr(self.variables[variable]) for variable in family)})"
