"""Gathering over a Dask DataFrame where its partitions are: statistics are added up in a tree, and nothing else moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np

from dconvex.inference.partitions import by_partition, checked_dask_frame
from dconvex.learning.columns.cells import FloatCells
from dconvex.learning.columns.data_tables import cells_of
from dconvex.learning.columns.matching import MatchedTable, kind_of, matched_tables
from dconvex.learning.learning_options import Kind, LearningOptions
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.gatherer import FamilyStatistics, added
from dconvex.learning.statistics.gathering import gathered
from dconvex.names import Name

Value = TypeVar("Value")
ColumnNames: TypeAlias = frozenset[Name]

AT_ONCE = 8
"""The number of statistics that one task adds."""


def gathered_by_partition(families: Families, data: Any, options: LearningOptions) -> FamilyStatistics:
    """The statistics of all partitions together, each gathered by the worker that has it or reads it.

    Dask decides how many are gathered at a time, so `n_jobs` has no effect; progress is for Dask's own bars to show.
    """
    table = next(matched_tables(checked_dask_frame(data)._meta, families.names, options))  # refuses what a frame would
    frame = data[list(dict.fromkeys(column for column in (*table.columns, table.weights) if column is not None))]
    kind = options.kind or kind_in(frame, families.names, table)
    job = _Job(families, replace(options, kind=kind, n_jobs=1, progress=False))
    part: FamilyStatistics = reduced(by_partition(frame, job, _Job.gathered), _added_in_order)
    coverage = replace(part.coverage, tables=np.minimum(part.coverage.tables, 1), other_columns=table.other_columns)
    return replace(part, coverage=coverage)


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """What a worker has to know to gather from a frame; without `max_bytes` its own machine sets the limit."""

    families: Families
    options: LearningOptions

    def gathered(self, frame: Any) -> FamilyStatistics:
        return gathered(self.families, frame, self.options)


def reduced(values: Sequence[Any], combined: Callable[[list[Value]], Value]) -> Value:
    """One value of all, by a tree of a fixed shape: sums are rounded the same way whoever comes first."""
    import dask

    while len(values) > 1:
        groups = [list(values[first : first + AT_ONCE]) for first in range(0, len(values), AT_ONCE)]
        values = [dask.delayed(combined)(group) for group in groups]
    found: Value = values[0].compute()
    return found


def _added_in_order(group: list[FamilyStatistics]) -> FamilyStatistics:
    """In the order of the partitions."""
    total, *others = group
    for other in others:
        total = added(total, other)
    return total


def kind_in(data: Any, variables: Sequence[Name], table: MatchedTable) -> Kind:
    """As for a single frame: by which columns hold fractions, in any partition."""
    fractional = _fractional_columns(data)
    examples = [
        None if column is None else FloatCells(np.array([0.5 if column in fractional else 0.0])) for column in table.columns
    ]
    return kind_of(variables, examples) or "discrete"


def _fractional_columns(data: Any) -> ColumnNames:
    """Columns with fractions. The other partitions are asked only about columns of floats that are whole in the first."""
    from pandas.api.types import is_float_dtype

    floats = [column for column, dtype in data.dtypes.items() if is_float_dtype(dtype)]
    found: ColumnNames = frozenset()
    for first, last in ((0, 1), (1, data.npartitions)):
        asked = tuple(column for column in floats if column not in found)
        if asked and first < last:
            some = data.partitions[first:last][list(asked)]
            more: ColumnNames = reduced(by_partition(some, asked, _fractional_in), _united)
            found = found | more
    return found


def _fractional_in(columns: tuple[Name, ...], frame: Any) -> ColumnNames:
    import narwhals as nw

    table: Any = nw.from_native(frame, eager_only=True)
    return frozenset(column for column in columns if cells_of(table.get_column(column)).has_fractions())


def _united(group: list[ColumnNames]) -> ColumnNames:
    return frozenset().union(*group)
