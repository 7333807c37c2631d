"""Counting a Dask DataFrame where its partitions lie: statistics are added up in a tree, and nothing else moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np

from dconvex.inference.partitions import by_partition, checked_dask_frame
from dconvex.learning.cells import Decimals, cells_of
from dconvex.learning.encoding import Unknown
from dconvex.learning.reading import columns_of, kind_of, read_statistics
from dconvex.learning.sources import sources_of
from dconvex.learning.statistics import Kind, Options, Scope, Statistics
from dconvex.names import Label, Name

Value = TypeVar("Value")
Columns: TypeAlias = frozenset[Name]

AT_ONCE = 8
"""So many statistics are added by one task."""


def is_distributed(data: Any) -> bool:
    """Whether Dask holds the rows."""
    return type(data).__module__.partition(".")[0] in ("dask", "dask_expr")


def counted_where_it_lies(scope: Scope, data: Any, options: Options) -> Statistics:
    """The statistics of all partitions together, each counted by the worker that has it or reads it.

    Dask decides how many are counted at a time, so `n_jobs` has no say, and `progress` is for Dask's own bars to show.
    """
    names = scope.index.dag.nodes
    table = next(sources_of(checked_dask_frame(data)._meta))  # refuses what it refuses of a single frame
    column_of = columns_of(names, table.columns)
    frame = data[list(dict.fromkeys(column_of.values()))]
    kind = options.kind or _kind_in(frame, names, column_of)
    job = _Job(scope, kind, options.states, options.unknown, options.given_limit)
    part = _reduced(by_partition(frame, job, _Job.count), _added).part
    strangers = frozenset(list(set(table.columns) - set(column_of.values()))[:1000])
    coverage = replace(part.coverage, tables=np.minimum(part.coverage.tables, 1), strangers=strangers)
    return Statistics(scope, replace(part, coverage=coverage))


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """What a worker has to know to count a frame."""

    scope: Scope
    kind: Kind
    states: Mapping[Name, tuple[Label, ...]] | None
    unknown: Unknown
    max_bytes: float | None
    """None stands for what the worker's machine allows, not the caller's."""

    def count(self, frame: Any) -> Statistics:
        return read_statistics(
            self.scope, frame, Options(self.kind, self.states, self.unknown, n_jobs=1, max_bytes=self.max_bytes)
        )


def _reduced(values: Sequence[Any], combined: Callable[[list[Value]], Value]) -> Value:
    """One value of all, by a tree of a fixed shape: sums are rounded the same way whoever comes first."""
    import dask

    while len(values) > 1:
        groups = [list(values[first : first + AT_ONCE]) for first in range(0, len(values), AT_ONCE)]
        values = [dask.delayed(combined)(group) for group in groups]
    found: Value = values[0].compute()
    return found


def _added(group: list[Statistics]) -> Statistics:
    """In the order of the partitions."""
    total, *others = group
    for other in others:
        total = total + other
    return total


def _kind_in(data: Any, names: Sequence[Name], column_of: Mapping[Name, Name]) -> Kind:
    """As for a single frame: by which columns hold fractions, in whatever partition."""
    fractional = _fractional_columns(data)

    def stand_in(name: Name) -> Decimals | None:
        return Decimals(np.array([0.5 if column_of[name] in fractional else 0.0])) if name in column_of else None

    return kind_of(names, [stand_in(name) for name in names]) or "discrete"


def _fractional_columns(data: Any) -> Columns:
    """The first partition often tells all; the others are asked only about columns of floats that are whole in it."""
    from pandas.api.types import is_float_dtype

    floats = [column for column, dtype in data.dtypes.items() if is_float_dtype(dtype)]
    found: Columns = frozenset()
    for first, last in ((0, 1), (1, data.npartitions)):
        asked = tuple(column for column in floats if column not in found)
        if asked and first < last:
            some = data.partitions[first:last][list(asked)]
            more: Columns = _reduced(by_partition(some, asked, _fractional_in), _united)
            found = found | more
    return found


def _fractional_in(columns: tuple[Name, ...], frame: Any) -> Columns:
    import narwhals as nw

    table: Any = nw.from_native(frame, eager_only=True)
    return frozenset(column for column in columns if cells_of(table.get_column(column)).has_fractions())


def _united(group: list[Columns]) -> Columns:
    return frozenset().union(*group)
