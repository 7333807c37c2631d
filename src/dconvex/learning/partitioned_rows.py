"""E-steps over a Dask DataFrame where its partitions are: rows are encoded once and stay there, expected statistics travel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

import numpy as np

from dconvex._core import Graph, Ragged
from dconvex.arrays import Floats, Indices
from dconvex.errors import DataError
from dconvex.inference.partitions import by_partition, checked_dask_frame
from dconvex.learning.columns.encoded_columns import EncodedColumns, encoded_tables
from dconvex.learning.columns.encoder import check_number_of_states
from dconvex.learning.columns.matching import matched_tables
from dconvex.learning.columns.states import States
from dconvex.learning.estimation.coded_rows import HeldRows, RowSummary
from dconvex.learning.estimation.maximization import Expected
from dconvex.learning.estimation.regression_em import HeldNumbers
from dconvex.learning.estimation.regression_estimates import RegressionEstimates
from dconvex.learning.estimation.regression_steps import MeasuredGaps
from dconvex.learning.estimation.table_steps import CountedRows
from dconvex.learning.learning_options import Kind, LearningOptions
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.distributed import kind_in, reduced
from dconvex.learning.statistics.measured_rows import MeasuredSource, measured_rows
from dconvex.learning.statistics.moments import Moments
from dconvex.names import Name
from dconvex.threads import Workers

Value = TypeVar("Value")

SERIAL = Workers(0)


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What a worker has to know to read a partition."""

    families: Families
    options: LearningOptions

    def encoded(self, frame: object) -> EncodedColumns:
        """Its rows as codes."""
        names = self.families.names
        return encoded_tables(names, matched_tables(frame, names, self.options), self.options)

    def measured(self, frame: object) -> MeasuredSource:
        """Its moments, and its rows with gaps."""
        tables = matched_tables(frame, self.families.names, self.options)
        return measured_rows(self.families, tables, self.options, may_be_empty=True)


class Prepared:
    """Rows of one partition that are ready for E-steps. They are made ready again where another worker gets them."""

    def __init__(self, make: Callable[..., CountedRows | MeasuredGaps], *given: object) -> None:
        self.make, self.given = make, given
        self.rows = make(*given)

    def __reduce__(self) -> tuple[object, ...]:
        return Prepared, (self.make, *self.given)


def read_by_partition(families: Families, data: object, options: LearningOptions) -> PartitionedCodes | PartitionedNumbers:
    """The rows of a Dask DataFrame, encoded or measured by the workers that have them."""
    import dask

    frame = checked_dask_frame(data)
    table = next(matched_tables(frame._meta, families.names, options))  # refuses what a frame would
    chosen = frame[list(dict.fromkeys(column for column in (*table.columns, table.weights) if column is not None))]
    kind: Kind = options.kind or kind_in(chosen, families.names, table)
    reading = Reading(families, replace(options, kind=kind, n_jobs=1, progress=False))
    if kind == "gaussian":
        parts = dask.persist(*by_partition(chosen, reading, Reading.measured))
        whole: MeasuredSource = reduced([dask.delayed(_without_rows)(part) for part in parts], _added_sources)
        coverage = replace(whole.moments.coverage, tables=np.minimum(whole.moments.coverage.tables, 1))
        moments = replace(whole.moments, coverage=coverage)
        return PartitionedNumbers(replace(whole, moments=moments, other_columns=table.other_columns), parts)
    parts = dask.persist(*by_partition(chosen, reading, Reading.encoded))
    states, summary = reduced([dask.delayed(_about)(part) for part in parts], _about_all(families.names))
    return PartitionedCodes(states, replace(summary, other_columns=table.other_columns), parts)


@dataclass(frozen=True, slots=True, eq=False)
class PartitionedCodes:
    """Codes in partitions, which are Dask's to keep; as `HeldRows`."""

    states: tuple[States, ...]
    summary: RowSummary
    parts: Sequence[object]

    def prepared(
        self, names: Sequence[Name], graph: Graph, variables: Indices, states: Sequence[States], limit: int
    ) -> CountedRows:
        import dask

        about = dask.delayed((tuple(names), graph.parents, variables, tuple(states), limit), traverse=False)
        parts = dask.persist(*(dask.delayed(_prepared_codes)(part, about) for part in self.parts))
        about_rows: tuple[Floats, Floats, float, int] = reduced([dask.delayed(_of_counts)(part) for part in parts], _summed)
        counts, weights, missing, has_gaps = about_rows
        return PartitionedCounts(counts, weights, missing, bool(has_gaps), parts)


@dataclass(frozen=True, slots=True, eq=False)
class PartitionedNumbers:
    """Moments of all rows, and those with gaps in partitions, which are Dask's to keep; as `HeldNumbers`."""

    measured: MeasuredSource
    parts: Sequence[object]

    def prepared(self, families: Families, graph: Graph, variables: Indices, shift: Floats, limit: int) -> MeasuredGaps:
        import dask

        about = dask.delayed((families, graph.parents, variables, shift, limit), traverse=False)
        parts = dask.persist(*(dask.delayed(_prepared_numbers)(part, about) for part in self.parts))
        about_rows: tuple[Floats, float, int] = reduced([dask.delayed(_of_moments)(part) for part in parts], _summed)
        weights, missing, has_gaps = about_rows
        return PartitionedGaps(weights, missing, bool(has_gaps), parts)


@dataclass(frozen=True, slots=True, eq=False)
class PartitionedCounts:
    """Rows of codes that are ready for E-steps, each part where it lies."""

    complete_counts: Floats
    family_weights: Floats
    missing_cells: float
    has_gaps: bool
    parts: Sequence[object]

    def expected(self, values: Floats, workers: Workers) -> Expected[Floats]:
        """The sums over all parts, always in the same order."""
        return _expected(self.parts, values, _summed_counts)


@dataclass(frozen=True, slots=True, eq=False)
class PartitionedGaps:
    """Rows of numbers with gaps that are ready for E-steps, each part where it lies."""

    family_weights: Floats
    missing_cells: float
    has_gaps: bool
    parts: Sequence[object]

    def expected(self, regressions: RegressionEstimates, workers: Workers) -> Expected[Moments]:
        """The sums over all parts, always in the same order."""
        return _expected(self.parts, regressions, _added_moments)


def _expected(
    parts: Sequence[object],
    parameters: object,
    combined: Callable[[list[tuple[Value, float, float]]], tuple[Value, float, float]],
) -> Expected[Value]:
    import dask

    sent = dask.delayed(parameters, traverse=False)
    return Expected(*reduced([dask.delayed(_step)(part, sent) for part in parts], combined))


def _step(part: Prepared, parameters: object) -> tuple[object, float, float]:
    found = part.rows.expected(parameters, SERIAL)  # type: ignore[arg-type]
    return found.statistics, found.log_likelihood, found.impossible


def _prepared_codes(columns: EncodedColumns, about: tuple[Sequence[Name], Ragged, Indices, Sequence[States], int]) -> Prepared:
    return Prepared(_made_codes, columns, *about)


def _made_codes(
    columns: EncodedColumns, names: Sequence[Name], parents: Ragged, variables: Indices, states: Sequence[States], limit: int
) -> CountedRows:
    return HeldRows.of(columns).prepared(names, Graph(parents), variables, states, limit)


def _prepared_numbers(measured: MeasuredSource, about: tuple[Families, Ragged, Indices, Floats, int]) -> Prepared:
    return Prepared(_made_numbers, measured, *about)


def _made_numbers(
    measured: MeasuredSource, families: Families, parents: Ragged, variables: Indices, shift: Floats, limit: int
) -> MeasuredGaps:
    return HeldNumbers(measured).prepared(families, Graph(parents), variables, shift, limit)


def _of_counts(part: Prepared) -> tuple[Floats, Floats, float, int]:
    rows = part.rows
    return rows.complete_counts.copy(), rows.family_weights.copy(), rows.missing_cells, int(rows.has_gaps)  # type: ignore[union-attr]


def _of_moments(part: Prepared) -> tuple[Floats, float, int]:
    return part.rows.family_weights.copy(), part.rows.missing_cells, int(part.rows.has_gaps)


def _summed(group: list[Value]) -> Value:
    """The sums of each item of tuples, in the order of the partitions."""
    total, *others = group
    for other in others:
        pairs = zip(cast("tuple[float, ...]", total), cast("tuple[float, ...]", other), strict=True)
        total = cast("Value", tuple(one + two for one, two in pairs))
    return total


def _summed_counts(group: list[tuple[Floats, float, float]]) -> tuple[Floats, float, float]:
    return _summed(group)


def _added_moments(group: list[tuple[Moments, float, float]]) -> tuple[Moments, float, float]:
    total, *others = group
    for other in others:
        total = (total[0].added(other[0]), total[1] + other[1], total[2] + other[2])
    return total


def _without_rows(source: MeasuredSource) -> MeasuredSource:
    return replace(source, values=source.values[:, :0], weights=source.weights[:0])


def _added_sources(group: list[MeasuredSource]) -> MeasuredSource:
    total, *others = group
    for other in others:
        total = total.added(other)
    return total


def _about(columns: EncodedColumns) -> tuple[tuple[States, ...], RowSummary]:
    return columns.states, RowSummary.of(columns)


def _about_all(
    names: Sequence[Name],
) -> Callable[[list[tuple[tuple[States, ...], RowSummary]]], tuple[tuple[States, ...], RowSummary]]:
    """What adds up states and summaries, and names the variable whose states do not go together."""

    def combined(group: list[tuple[tuple[States, ...], RowSummary]]) -> tuple[tuple[States, ...], RowSummary]:
        (states, summary), *others = group
        for more, other in others:
            for name, mine, theirs in zip(names, states, more, strict=True):
                if not mine.is_compatible(theirs):
                    one, two = mine.labels[0], theirs.labels[0]
                    raise DataError(
                        f"column {name!r} holds {one!r} in one part and {two!r} in another; convert both to one type"
                    )
            states, summary = tuple(mine | theirs for mine, theirs in zip(states, more, strict=True)), summary + other
            check_number_of_states(names, states)
        return states, summary

    return combined
