"""The statistics of families from whatever holds rows: one pass over its tables, batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dconvex.errors import DataError
from dconvex.learning.columns.cells import Cells
from dconvex.learning.columns.matching import MatchedTable, kind_of, matched_tables
from dconvex.learning.learning_options import Kind, LearningOptions
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.counting import Counting
from dconvex.learning.statistics.coverage import Coverage
from dconvex.learning.statistics.gatherer import FamilyStatistics, Gatherer
from dconvex.learning.statistics.measuring import Measuring
from dconvex.progress import Bar
from dconvex.threads import Workers, threads


def gathered(families: Families, data: Any, options: LearningOptions) -> FamilyStatistics:
    """The statistics of these families in all tables of `data`.

    Raises:
        DataError: There are no rows, the kind of data is unclear, or a column cannot be used.
        TooLargeError: The counts take more bytes than the limit.
    """
    with threads(options.n_jobs) as workers, Bar("learning", is_shown=options.progress) as bar:
        walk = _Pass(families, options, workers, bar)
        for table in matched_tables(data, families.names, options):
            walk.add(table)
        return walk.finished()


class _Pass:
    """A pass over tables: the gatherer of their kind, and which families they cover."""

    def __init__(self, families: Families, options: LearningOptions, workers: Workers, bar: Bar) -> None:
        self.families, self.options, self.workers, self.bar = families, options, workers, bar
        self.coverage = Coverage.none(families)
        self.gatherer: Gatherer | None = None
        self.kind: Kind | None = None
        """The kind of the tables so far; None while no cell shows it."""

    def add(self, table: MatchedTable) -> None:
        covered = self.families.covered_by(table.has_column)
        self.bar.expect_rows_of(table.table)
        rows = 0
        for batch in table.batches(self.options):
            if rows == 0:
                self.gatherer = self._gatherer_for(batch.cells)
            assert self.gatherer is not None
            self.gatherer.add(batch, covered)
            rows += batch.rows
            self.bar.advance(batch.rows)
        self.coverage = self.coverage.with_table(rows, covered, table.has_column, table.other_columns)

    def finished(self) -> FamilyStatistics:
        if self.gatherer is None:
            raise DataError("there are no rows to learn from; pass a table with rows")
        return self.gatherer.finished(self.coverage)

    def _gatherer_for(self, cells: Sequence[Cells | None]) -> Gatherer:
        """The gatherer for a new table, which must be of the kind of those before it."""
        kind = self.options.kind or kind_of(self.families.names, cells)
        if self.gatherer is None:
            self.kind = kind
            return self._new_gatherer(kind)
        if kind is None or kind == (self.kind or "discrete"):  # without cells to go by the first tables count as discrete
            return self.gatherer
        if self.kind is not None:
            raise DataError('one table holds fractions and another does not; pass kind="gaussian" or kind="discrete"')
        if self.gatherer.used.any():
            raise DataError("the cells of the first tables do not show their kind; pass kind=")
        self.kind = kind
        return self._new_gatherer(kind)

    def _new_gatherer(self, kind: Kind | None) -> Gatherer:
        if kind == "gaussian":
            return Measuring(self.families, self.options, self.workers)
        return Counting(self.families, self.options, self.workers)
