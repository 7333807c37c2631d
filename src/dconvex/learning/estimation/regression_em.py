"""EM of linear Gaussian networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from dconvex._core import Graph
from dconvex.arrays import Floats, Indices
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.errors import DataError
from dconvex.graph.dag import Dag
from dconvex.learning.estimation.em import EmProblem, Part, check_start_kind
from dconvex.learning.estimation.maximization import Steps
from dconvex.learning.estimation.moment_expectation import GappedNumbers
from dconvex.learning.estimation.priors import NormalInverseGamma, Prior
from dconvex.learning.estimation.regression_estimates import NO_RESIDUAL, RegressionEstimates
from dconvex.learning.estimation.regression_steps import MeasuredGaps, RegressionSteps, shifted
from dconvex.learning.learning_options import EM, LearningOptions
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.coverage import Coverage
from dconvex.learning.statistics.measured_rows import MeasuredSource
from dconvex.learning.statistics.moments import Moments, exact_sum, scatter_offsets
from dconvex.names import Name
from dconvex.network.family import Regression
from dconvex.network.network import BayesianNetwork


class NumberGaps(Protocol):
    """Moments of all rows, and the rows with gaps, wherever they are."""

    @property
    def measured(self) -> MeasuredSource: ...
    def prepared(self, families: Families, graph: Graph, variables: Indices, shift: Floats, limit: int) -> MeasuredGaps:
        """The deviations of some variables from `shift`, ready for E-steps over a graph.

        Raises:
            TooLargeError: The missing cells of some row take more memory than the limit.
        """


@dataclass(frozen=True, slots=True, eq=False)
class HeldNumbers:
    """Rows of numbers with gaps that are held here."""

    measured: MeasuredSource

    def prepared(self, families: Families, graph: Graph, variables: Indices, shift: Floats, limit: int) -> MeasuredGaps:
        values = self.measured.values[variables] - shift[:, None]
        return GappedNumbers.of(families, graph, values, self.measured.weights, limit)


@dataclass(frozen=True, slots=True, eq=False)
class RegressionProblem(EmProblem[RegressionEstimates, Moments]):
    """EM of the regressions of a tree's families."""

    index: ClusterIndex
    families: Families
    rows: NumberGaps
    held: Moments | None
    prior: NormalInverseGamma | None
    em: EM
    limit: int

    @classmethod
    def of(
        cls,
        index: ClusterIndex,
        families: Families,
        rows: NumberGaps,
        prior: Prior | None,
        options: LearningOptions,
        held: Moments | None = None,
        *,
        may_lack: bool = False,
    ) -> RegressionProblem:
        """The problem, checked; `may_lack` columns.

        Raises:
            DataError: A column is empty, or absent.
            ValueError: The prior is not one of regressions, or variables are hidden.
        """
        if prior is not None and not isinstance(prior, NormalInverseGamma):
            raise ValueError(f"{type(prior).__name__} is a prior for tables; use NormalInverseGamma for a Gaussian network")
        if options.hidden:
            raise ValueError("hidden= is for discrete networks: a hidden variable has states")
        if held is None and not may_lack:
            _check_columns(rows.measured)
        return cls(index, families, rows, held, prior, options.em or EM(), options.limit)

    @property
    def measured(self) -> MeasuredSource:
        """The moments of all rows."""
        return self.rows.measured

    @property
    def filled(self) -> float:
        singles = self.measured.singles
        return self.measured.weight * len(singles.weight) - float(singles.weight.sum())

    def steps(self, variables: Indices, tables: Indices) -> RegressionSteps:
        families, graph = self.graph_of(variables, tables)
        shift, spread = self._shift()[variables], self._spread()[variables]
        rows = self.rows.prepared(families, graph, variables, shift, self.limit)
        by_member = shift[families.members]
        complete = shifted(_chosen(self.measured.moments, tables, families), by_member)
        held = None if self.held is None else shifted(_chosen(self.held, tables, families), by_member)
        return RegressionSteps(rows, complete, NO_RESIDUAL * spread, spread, self.prior, held)

    def regressions_of(
        self, intercept: Floats, coefficients: Floats, variance: Floats, variables: Indices, tables: Indices
    ) -> RegressionEstimates:
        """The regressions of some tables, out of those of all tables, between deviations."""
        families, _ = self.graph_of(variables, tables)
        at = self.families.offsets - np.arange(len(self.families) + 1)
        slopes = np.concatenate([np.empty(0), *(coefficients[at[table] : at[table + 1]] for table in tables.tolist())])
        shift = self._shift()[variables]
        widths = np.diff(families.offsets)
        owners = np.repeat(np.arange(len(families)), widths - 1)
        parents = np.delete(families.members, families.offsets[1:] - 1)
        pull = np.bincount(owners, slopes * shift[parents], minlength=len(families))
        own = intercept[tables] + pull - shift
        return RegressionEstimates(own, slopes, variance[tables], np.zeros(len(tables), bool))

    def start(self, steps: Steps[RegressionEstimates, Moments], number: int) -> RegressionEstimates:
        start = steps.default_start() if self.em.start is None else self._given_start(self.em.start)
        return steps.drawn_start(start, np.random.default_rng([self.em.seed, number])) if number else start

    def joined(self, parts: Sequence[Part[RegressionEstimates, Moments]]) -> Moments:
        measured = self.measured
        if all(not part.steps.has_gaps for part in parts):
            return measured.moments if self.held is None else self.held.added(measured.moments)
        families, at = self.families, scatter_offsets(self.families)
        mean, rest, scatter = np.zeros(len(families.members)), np.zeros(len(families.members)), np.zeros(int(at[-1]))
        weight, shift = np.zeros(len(families)), self._shift()
        for part in parts:
            own, begin = part.statistics, scatter_offsets(part.statistics.families)
            for k in np.flatnonzero(part.is_wanted).tolist():
                table = int(part.tables[k])
                first, last = families.offsets[table], families.offsets[table + 1]
                there = slice(own.families.offsets[k], own.families.offsets[k + 1])
                mean[first:last], rest[first:last] = exact_sum(
                    shift[families.members[first:last]], own.mean[there] + own.rest[there]
                )
                scatter[at[table] : at[table + 1]] = own.scatter[begin[k] : begin[k + 1]]
                weight[table] = own.weight[k]
        found = Moments(families, mean, rest, scatter, self._coverage(weight), weight)
        return found if self.held is None else self.held.added(found)

    def alike(self, parameters: RegressionEstimates) -> tuple[Name, ...]:
        return ()

    def _shift(self) -> Floats:
        """The mean of what each column shows, with what is held."""
        return self._singles().mean

    def _spread(self) -> Floats:
        """The variance of what each column shows, with what is held."""
        singles = self._singles()
        return np.maximum(singles.scatter, 0.0) / np.where(singles.weight > 0, singles.weight, 1.0)

    def _singles(self) -> Moments:
        singles = self.measured.singles
        return singles if self.held is None else singles.added(_singles_of(self.held, singles))

    def _coverage(self, weight: Floats) -> Coverage:
        """Every row is there for every family: what a table lacks is missing in it."""
        measured, count = self.measured, len(self.families)
        every = np.ones(count, np.int64)
        used = np.minimum(np.rint(weight * (measured.rows / (measured.weight or 1.0))).astype(np.int64), measured.rows)
        has_column = np.ones(len(self.families.names), bool)
        return Coverage(measured.rows, every, measured.rows * every, used, has_column, measured.other_columns)

    def _given_start(self, start: BayesianNetwork) -> RegressionEstimates:
        """The regressions of a network that the caller gave; a column that holds one number is that number.

        Raises:
            ValueError: It is of another kind.
        """
        dag = self.index.dag
        check_start_kind(start, "gaussian")
        every = np.arange(len(dag), dtype=np.int32)
        found = self.regressions_of(*own_regressions(start, dag), every, every)
        spread = self._spread()
        if self.prior is not None:
            least = np.full(len(spread), self.prior.scale / (self.prior.shape - 1))
            return replace(found, variance=np.where(found.variance > 0, found.variance, least))
        is_constant = spread == 0
        widths = np.diff(dag.graph.parents.offsets)
        return RegressionEstimates(
            np.where(is_constant, 0.0, found.intercept),
            np.where(np.repeat(is_constant, widths), 0.0, found.coefficients),
            np.where(is_constant, 0.0, np.maximum(found.variance, NO_RESIDUAL * spread)),
            found.is_singular,
        )


def own_regressions(network: BayesianNetwork, dag: Dag) -> tuple[Floats, Floats, Floats]:
    """Intercepts, coefficients and variances of all variables, the coefficients in the order of the graph's parents."""
    found = [network.family(name) for name in dag.nodes]
    regressions = [own for own in found if isinstance(own, Regression)]
    slopes = [own.coefficients[parent] for own in regressions for parent in dag.parents(own.variable)]
    return (
        np.array([own.intercept for own in regressions], np.float64),
        np.array(slopes, np.float64),
        np.array([own.variance for own in regressions], np.float64),
    )


def _check_columns(measured: MeasuredSource) -> None:
    """Refuse variables that no row shows."""
    if not measured.weight > 0:
        raise DataError("all rows weigh nothing: the column of weights= holds zeros only")
    singles = measured.singles
    for name, has_column, weight in zip(
        singles.families.names, singles.coverage.has_column.tolist(), singles.weight.tolist(), strict=True
    ):
        if not has_column:
            raise DataError(f"no table has a column {name!r}; hidden= is for discrete networks, so leave the variable out")
        if not weight > 0:
            raise DataError(
                f"column {name!r} has no values: all its cells are missing; hidden= is for discrete networks, so leave the "
                "variable out"
            )


def _chosen(moments: Moments, tables: Indices, families: Families) -> Moments:
    """The moments of some tables, as those of these families."""
    before, at = moments.families, scatter_offsets(moments.families)
    members = [slice(before.offsets[table], before.offsets[table + 1]) for table in tables.tolist()]
    squares = [slice(at[table], at[table + 1]) for table in tables.tolist()]
    none = [np.empty(0)]
    return Moments(
        families,
        np.concatenate(none + [moments.mean[own] for own in members]),
        np.concatenate(none + [moments.rest[own] for own in members]),
        np.concatenate(none + [moments.scatter[own] for own in squares]),
        Coverage.none(families),
        moments.weight[tables],
    )


def _singles_of(held: Moments, like: Moments) -> Moments:
    """The moments of each variable on its own, from those of its own family."""
    count = len(like.families.names)
    at = scatter_offsets(held.families)
    last = held.families.offsets[1 : count + 1] - 1
    own = Coverage.none(like.families)
    return Moments(
        like.families, held.mean[last], held.rest[last], held.scatter[at[1 : count + 1] - 1], own, held.weight[:count]
    )
