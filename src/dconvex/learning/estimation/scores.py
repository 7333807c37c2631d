"""How well a network fits the data: BIC, AIC, BDeu and BGe, from the statistics of its own families."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex._core import GaussianScore
from dconvex.arrays import Floats, Integers
from dconvex.errors import DataError
from dconvex.learning.estimation.priors import BGe
from dconvex.learning.estimation.regression_estimates import least_squares
from dconvex.learning.statistics.counts import Counts, Seen
from dconvex.learning.statistics.gatherer import FamilyStatistics
from dconvex.learning.statistics.moments import Moments, scatter_offsets

Criterion: TypeAlias = Literal["bic", "aic", "bdeu", "bge"]


def score(statistics: FamilyStatistics, criterion: Criterion, equivalent_sample_size: float, prior: BGe | None = None) -> float:
    """The score of the network as a whole; the first families are those of its variables."""
    own = statistics.first(len(statistics.families.names))
    own.coverage.check(own.families)
    if isinstance(own, Moments):
        return _bge(own, prior or BGe()) if criterion == "bge" else _score_of_regressions(own, criterion)
    if criterion == "bge":
        raise ValueError("BGe is a score of Gaussian networks; use 'bic', 'aic' or 'bdeu' for tables")
    if not equivalent_sample_size > 0:
        raise ValueError(f"the equivalent sample size must be positive, not {equivalent_sample_size}")
    return sum(_score_of_table(own, number, criterion, equivalent_sample_size) for number in range(len(own.families)))


def _score_of_table(counts: Counts, number: int, criterion: Criterion, equivalent_sample_size: float) -> float:
    seen = counts.tallies.cells_seen(number)
    cells, totals = seen.counts, _row_totals(seen)
    *parents, variable = counts.families.members_of(number)
    states = len(counts.states[variable])
    rows = math.prod(len(counts.states[parent]) for parent in parents)
    if criterion == "bdeu":
        by_row, by_cell = equivalent_sample_size / rows, equivalent_sample_size / (rows * states)
        return float(
            (math.lgamma(by_row) - _log_gamma(totals + by_row)).sum()
            + (_log_gamma(cells + by_cell) - math.lgamma(by_cell)).sum()
        )
    likelihood = float((cells * np.log(cells)).sum() - (totals * np.log(totals)).sum())
    penalty = 1.0 if criterion == "aic" else 0.5 * math.log(max(float(cells.sum()), 1.0))
    return likelihood - penalty * rows * (states - 1)


def _score_of_regressions(moments: Moments, criterion: Criterion) -> float:
    if criterion == "bdeu":
        raise ValueError("BDeu is a score of tables; use 'bic', 'aic' or 'bge' for a Gaussian network")
    variance = least_squares(moments).variance
    if not (variance > 0).all():
        name = moments.families.names[int(np.argmin(variance > 0))]
        raise DataError(f"{name!r} is determined by its parents, so the likelihood has no bound; leave it or a parent out")
    rows = moments.weight
    likelihood = float((-0.5 * rows * (np.log(2 * math.pi * variance) + 1)).sum())
    parameters = np.diff(moments.families.offsets) + 1
    penalty = np.ones(len(rows)) if criterion == "aic" else 0.5 * np.log(np.maximum(rows, 1))
    return likelihood - float((penalty * parameters).sum())


def _bge(moments: Moments, prior: BGe) -> float:
    """The marginal likelihood, the prior around the means of the data."""
    variables = len(moments.families.names)
    mean_weight, degrees, scale = prior.numbers(variables)
    at = scatter_offsets(moments.families)
    total = 0.0
    for number, weight in enumerate(moments.weight.tolist()):
        members = len(moments.families.members_of(number))
        covariance = moments.scatter[at[number] : at[number + 1]].reshape(members, members) / max(weight, 1.0e-300)
        left = degrees - variables + members  # those of the marginal prior of the family
        core = GaussianScore(np.zeros(members), covariance, weight, "bge", mean_weight, left, scale)
        total += core.family(members - 1, np.arange(members - 1, dtype=np.int32))
    return total


def _row_totals(seen: Seen) -> Integers | Floats:
    """How often each configuration of the parents was seen."""
    if not len(seen.counts):
        return seen.counts
    parents = seen.cells[:, :-1]
    is_new = np.ones(len(parents), bool)
    is_new[1:] = (parents[1:] != parents[:-1]).any(axis=1)
    return np.add.reduceat(seen.counts, np.flatnonzero(is_new))


def _log_gamma(numbers: NDArray[np.floating[Any]]) -> Floats:
    """Counts repeat, so each different one is computed once."""
    distinct, index = np.unique(numbers, return_inverse=True)
    return np.array([math.lgamma(number) for number in distinct.tolist()])[index]
