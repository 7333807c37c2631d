"""From statistics to the numbers of a model: tables or regressions in the engine that engine from them, and a report."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from dconvex.amounts import amount
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.errors import DataError
from dconvex.inference.discrete import DiscreteEngine
from dconvex.inference.gaussian import GaussianEngine
from dconvex.inference.gaussian_store import RegressionStore
from dconvex.inference.report import Report
from dconvex.inference.table_store import TableStore
from dconvex.learning.estimation.priors import NormalInverseGamma, Prior
from dconvex.learning.estimation.regression_estimates import least_squares, posterior_means
from dconvex.learning.estimation.remarks import remarks_on
from dconvex.learning.estimation.table_estimates import estimated_tables
from dconvex.learning.statistics.counts import Counts
from dconvex.learning.statistics.gatherer import FamilyStatistics
from dconvex.learning.statistics.moments import Moments

LearnedEngine: TypeAlias = DiscreteEngine | GaussianEngine


@dataclass(frozen=True, slots=True, eq=False)
class Estimated:
    """The engine with the numbers that were estimated, and what was found on the way."""

    engine: LearnedEngine
    report: Report


def estimated(
    index: ClusterIndex, statistics: FamilyStatistics, prior: Prior | None, limit: int, *, coherent: bool
) -> Estimated:
    """Maximum likelihood, or posterior means under a prior.

    Raises:
        DataError: No table covers a family, or there are no rows and no prior.
        ValueError: The prior is for another kind of network.
        TooLargeError: The tables take more bytes than the limit.
    """
    coverage, families = statistics.coverage, statistics.families
    coverage.check(families)
    if coverage.rows == 0 and prior is None:
        raise DataError("there are no rows to learn from; pass a table with rows, or a prior")
    if isinstance(statistics, Counts):
        return _discrete(index, statistics, prior, limit, coherent=coherent)
    return _gaussian(index, statistics, prior, coherent=coherent)


def _discrete(index: ClusterIndex, counts: Counts, prior: Prior | None, limit: int, *, coherent: bool) -> Estimated:
    if isinstance(prior, NormalInverseGamma):
        raise ValueError("NormalInverseGamma is a prior for Gaussian networks; use BDeu or Dirichlet for tables")
    if (
        prior is None
        and counts.coverage.used.any()
        and not any(own.any() for own in (counts.tallies.counts, *(seen.counts for seen in counts.tallies.seen.values())))
    ):
        raise DataError("all rows weigh nothing: the column of weights= holds zeros only")
    found = estimated_tables(counts, prior, limit)
    store = TableStore.of(index, counts.tallies.sizes, found.values)
    engine = DiscreteEngine(store, tuple(own.labels for own in counts.states), coherent=coherent)
    unobserved = found.unobserved_rows(counts.families)
    return Estimated(engine, replace(_report(counts), unobserved=unobserved, suspicious=remarks_on(counts)))


def _gaussian(index: ClusterIndex, moments: Moments, prior: Prior | None, *, coherent: bool) -> Estimated:
    if prior is not None and not isinstance(prior, NormalInverseGamma):
        raise ValueError(f"{type(prior).__name__} is a prior for tables; use NormalInverseGamma for a Gaussian network")
    empty = np.flatnonzero(moments.weight == 0)
    if len(empty) and prior is None:
        family = moments.families.title(int(empty[0]))
        raise DataError(f"no row has all the cells of the family {family}; fill some, or pass a prior")
    found = least_squares(moments) if prior is None else posterior_means(moments, prior)
    store = RegressionStore(index, found.intercept, found.coefficients, found.variance)
    singular = tuple(moments.families.title(number) for number in np.flatnonzero(found.is_singular).tolist())
    _warn_of_singular(singular)
    names = index.dag.nodes
    constant = tuple(names[variable] for variable in np.flatnonzero(found.variance[: len(names)] == 0).tolist())
    report = replace(_report(moments), singular=singular, constant=constant)
    return Estimated(GaussianEngine(store, coherent=coherent), report)


def _report(statistics: FamilyStatistics) -> Report:
    """What the data shows of itself, before estimates are made from it."""
    coverage, families = statistics.coverage, statistics.families
    missing, partial = coverage.missing_rows(families), coverage.partial_rows(families)
    return Report(statistics.kind, coverage.rows, len(families), missing=missing, partial=partial)


def _warn_of_singular(singular: tuple[str, ...]) -> None:
    if singular:
        regressions = amount(len(singular), "regression")
        warnings.warn(
            f"the data does not determine {regressions}, the first is {singular[0]}: parents are collinear or "
            "constant, or there are too few rows; the smallest coefficients that fit are taken (see model.report())",
            stacklevel=6,
        )
