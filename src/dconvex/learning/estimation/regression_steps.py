"""The steps of EM for regressions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from dconvex.arrays import Floats
from dconvex.learning.estimation.maximization import Expected, GappedSource, Steps
from dconvex.learning.estimation.priors import NormalInverseGamma
from dconvex.learning.estimation.regression_estimates import RegressionEstimates, least_squares, posterior_means
from dconvex.learning.statistics.moments import Moments, scatter_offsets
from dconvex.threads import Workers

SPREAD = 0.5
"""Starts that are drawn differ by about this part of a variable's deviation, and in the logarithm of the variance."""
ENOUGH = 2
"""A start takes the regression from rows that show it entirely where these are this many times as many as its numbers."""
OFF_SUPPORT = 1e-9
"""A variable without variance that differs from its regression by this part of its size is impossible."""


MeasuredGaps: TypeAlias = GappedSource[RegressionEstimates, Moments]
"""Rows of numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class RegressionSteps(Steps[RegressionEstimates, Moments]):
    """EM of the regressions of one graph; numbers are deviations from the mean of what each column shows.

    Variances are kept from falling below `floor`, a tiny part of what each column shows: where a variable is determined by
    others the likelihood has no bound. The objective is the log-likelihood ℓ(θ). With a prior it is what posterior means raise:
    ℓ(θ) − Σ (A log σ² + (scale + precision |b|² / 2) / σ²). A family of weight n has A = shape − 1 + max(n − 1, 0)/2 − n/2.
    """

    rows: MeasuredGaps
    complete: Moments
    """The moments of each family in the rows that show it entirely."""
    floor: Floats
    spread: Floats
    """The variance of what each column shows."""
    prior: NormalInverseGamma | None
    held: Moments | None
    """Moments that stay as they are, of rows that are not there."""

    def default_start(self) -> RegressionEstimates:
        """The estimates from available cells; of a family that few rows show, only the mean and variance of its column."""
        known = self.complete if self.held is None else self.complete.added(self.held)
        found = self.estimated(known)
        if self.prior is not None:
            return found
        widths = np.diff(known.families.offsets)
        is_sure = known.weight >= ENOUGH * widths
        return RegressionEstimates(
            np.where(is_sure, found.intercept, 0.0),
            np.where(np.repeat(is_sure, widths - 1), found.coefficients, 0.0),
            np.where(is_sure, found.variance, self.spread),
            found.is_singular,
        )

    def drawn_start(self, start: RegressionEstimates, rng: np.random.Generator) -> RegressionEstimates:
        families = self.complete.families
        parents = np.delete(families.members, families.offsets[1:] - 1)
        deviation = np.sqrt(self.spread)
        above = deviation[parents]
        slope = np.repeat(deviation, np.diff(families.offsets) - 1) / np.where(above > 0, above, np.inf)
        variance = start.variance * np.exp(SPREAD * rng.normal(size=len(deviation)))
        coefficients = start.coefficients + SPREAD * rng.normal(size=len(slope)) * slope
        return replace(start, coefficients=coefficients, variance=np.maximum(variance, self.floor))

    def expected(self, parameters: RegressionEstimates, workers: Workers) -> Expected[Moments]:
        found = self.rows.expected(parameters, workers)
        density, impossible = log_density(self.complete, parameters)
        return Expected(self.complete.added(found.statistics), found.log_likelihood + density, found.impossible + impossible)

    def estimated(self, statistics: Moments) -> RegressionEstimates:
        known = statistics if self.held is None else statistics.added(self.held)
        found = least_squares(known) if self.prior is None else posterior_means(known, self.prior)
        return replace(found, variance=np.maximum(found.variance, self.floor))

    def addend(self, parameters: RegressionEstimates) -> float:
        total = 0.0 if self.held is None else log_density(self.held, parameters)[0]
        if self.prior is None:
            return total
        prior, families = self.prior, self.complete.families
        weight = self.complete.weight + self.rows.family_weights + (0.0 if self.held is None else self.held.weight)
        power = prior.shape - 1 + 0.5 * np.maximum(weight - 1, 0.0) - 0.5 * weight
        owners = np.repeat(np.arange(len(families)), np.diff(families.offsets) - 1)
        squares = np.bincount(owners, parameters.coefficients**2, minlength=len(families))
        variance = parameters.variance
        return total - float((power * np.log(variance) + (prior.scale + 0.5 * prior.precision * squares) / variance).sum())


def log_density(moments: Moments, regressions: RegressionEstimates) -> tuple[float, float]:
    """The logarithm of the density of all rows of these moments, and the weight of those of density zero.

    A variable without variance counts nothing where it equals its regression.
    """
    families, weight = moments.families, moments.weight
    widths, at = np.diff(families.offsets), scatter_offsets(families)
    squares = np.zeros(len(families))
    size = np.zeros(len(families))
    for width in np.unique(widths).tolist():
        own = np.flatnonzero(widths == width)
        scatter = moments.scatter[at[own][:, None] + np.arange(width * width)].reshape(-1, width, width)
        mean = (moments.mean + moments.rest)[families.offsets[own][:, None] + np.arange(width)]
        slopes = regressions.coefficients[(families.offsets[own] - own)[:, None] + np.arange(width - 1)]
        across = np.concatenate([-slopes, np.ones((len(own), 1))], axis=1)
        apart = (across * mean).sum(axis=1) - regressions.intercept[own]
        squares[own] = np.einsum("fi,fij,fj->f", across, scatter, across) + weight[own] * apart**2
        size[own] = weight[own] * ((across * mean) ** 2).sum(axis=1) + np.einsum("fi,fii->f", across**2, scatter)
    variance = regressions.variance
    is_noisy = variance > 0
    unit = np.where(is_noisy, variance, 1.0)
    terms = -0.5 * (weight * np.log(2 * np.pi * unit) + np.maximum(squares, 0.0) / unit)
    is_off = ~is_noisy & (squares > OFF_SUPPORT**2 * np.maximum(size, weight * regressions.intercept**2))
    return float(terms[is_noisy & (weight > 0)].sum()), float(weight[is_off].sum())


def shifted(moments: Moments, shift: Floats) -> Moments:
    """The moments of deviations from `shift`, which has a number for each member of each family."""
    return replace(moments, mean=(moments.mean - shift) + moments.rest, rest=np.zeros(len(shift)), total=moments.weight)
