"""Moments of what rows of numbers show, and the rows with gaps themselves: what EM goes over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dconvex._core import Ragged
from dconvex.arrays import Flags, Floats
from dconvex.errors import DataError, TooLargeError
from dconvex.learning.columns.encoded_columns import NumberReader, NumberRows
from dconvex.learning.columns.matching import MatchedTable
from dconvex.learning.learning_options import LearningOptions
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.coverage import Coverage
from dconvex.learning.statistics.measuring import Measuring
from dconvex.learning.statistics.moments import Moments
from dconvex.progress import Bar
from dconvex.threads import threads

COPIES = 3
"""The copies of the rows with gaps that are held at once."""


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredSource:
    """Moments of families in the rows that show them entirely, and all rows that have a gap."""

    moments: Moments
    singles: Moments
    """Those of each variable on its own."""
    values: Floats
    """`values[variable, row]` of the rows with gaps, NaN where a cell is missing."""
    weights: Floats
    rows: int
    weight: float
    """Of all rows."""
    other_columns: frozenset[str | int]

    def added(self, other: MeasuredSource) -> MeasuredSource:
        """Those of all rows together, the ones with gaps left where they are."""
        return MeasuredSource(
            self.moments.added(other.moments), self.singles.added(other.singles), self.values[:, :0], self.weights[:0],
            self.rows + other.rows, self.weight + other.weight, self.other_columns | other.other_columns,
        )  # fmt: skip


def measured_rows(
    families: Families, tables: Iterable[MatchedTable], options: LearningOptions, *, may_be_empty: bool = False
) -> MeasuredSource:
    """What EM needs of the rows of all tables.

    Raises:
        DataError: There are no rows, or a column holds something that is not a number.
        TooLargeError: The rows with gaps take more bytes than the limit.
    """
    both = _with_singles(families)
    coverage, others = Coverage.none(both), frozenset[str | int]()
    parts: list[NumberRows] = []
    weights: list[Floats] = []
    rows, weight, held = 0, 0.0, 0
    with threads(options.n_jobs) as workers, Bar("reading", is_shown=options.progress) as bar:
        reader, measuring = NumberReader(families.names, options, workers), Measuring(both, options, workers)
        for table in tables:
            bar.expect_rows_of(table.table)
            covered, own_rows = both.covered_by(table.has_column), 0
            for batch in table.batches(options):
                found = reader.read(batch)
                measuring.add_numbers(found, covered)
                gapped = _gapped(found, batch.has_column)
                held += gapped.values.nbytes
                if COPIES * held > options.limit:
                    way_out = "Raise max_bytes, or give fewer variables or rows."
                    raise TooLargeError("holding the rows with missing cells", COPIES * held, options.limit, way_out)
                own = np.ones(gapped.rows) if gapped.weights is None else gapped.weights
                parts.append(gapped)
                weights.append(own)
                weight += float(batch.rows if found.weights is None else found.weights.sum())
                own_rows += batch.rows
                bar.advance(batch.rows)
            rows += own_rows
            others |= table.other_columns
            coverage = coverage.with_table(own_rows, covered, table.has_column, table.other_columns)
    if not rows and not may_be_empty:
        raise DataError("there are no rows to learn from; pass a table with rows")
    moments = measuring.finished(coverage)
    values = np.concatenate([part.values for part in parts], axis=1)
    return MeasuredSource(
        moments.first(len(families)), _last(moments, len(families)), values, np.concatenate(weights), rows, weight, others
    )


def _gapped(found: NumberRows, has_column: Flags) -> NumberRows:
    """The rows in which a cell is missing."""
    own = found.values[:, : found.rows].copy()
    own[~has_column] = np.nan
    is_gapped = np.isnan(own).any(axis=0)
    weights = None if found.weights is None else found.weights[is_gapped]
    return NumberRows(own[:, is_gapped], int(is_gapped.sum()), found.has_missing, weights)


def _with_singles(families: Families) -> Families:
    """These families, and each variable on its own."""
    count = len(families.names)
    offsets = np.concatenate([families.offsets, families.offsets[-1] + np.arange(1, count + 1)])
    return Families(families.names, Ragged(offsets, np.concatenate([families.members, np.arange(count, dtype=np.int32)])))


def _last(moments: Moments, count: int) -> Moments:
    """The moments of each variable on its own, which come after these families."""
    variables = len(moments.families.names)
    families = Families(moments.families.names, Ragged(np.arange(variables + 1), np.arange(variables, dtype=np.int32)))
    coverage = moments.coverage
    own = Coverage(
        coverage.rows, coverage.tables[count:], coverage.offered[count:], coverage.used[count:], coverage.has_column,
        coverage.other_columns,
    )  # fmt: skip
    last = slice(len(moments.mean) - variables, None)
    scatter = moments.scatter[len(moments.scatter) - variables :]
    total = None if moments.total is None else moments.total[count:]
    return Moments(families, moments.mean[last], moments.rest[last], scatter, own, total)
