"""Regressions from moments: least squares, sound where columns are collinear, and with a prior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dconvex.arrays import Flags, Floats
from dconvex.learning.estimation.priors import NormalInverseGamma
from dconvex.learning.statistics.moments import Moments, scatter_offsets

FULL_RANK = 1e-13
"""Directions in which the correlation of the parents is smaller than this are taken for collinear."""
NO_RESIDUAL = 1e-13
"""A part of the variance that is smaller than this is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class RegressionEstimates:
    """Of each family its intercept, coefficients (in the order of the parents, one family after the other) and variance."""

    intercept: Floats
    coefficients: Floats
    variance: Floats
    is_singular: Flags
    """The data does not determine the coefficients: the smallest ones that fit are taken."""


def least_squares(moments: Moments) -> RegressionEstimates:
    """Maximum likelihood."""
    return _estimated(moments, None)


def posterior_means(moments: Moments, prior: NormalInverseGamma) -> RegressionEstimates:
    """Under the prior; the intercept is free."""
    return _estimated(moments, prior)


def _estimated(moments: Moments, prior: NormalInverseGamma | None) -> RegressionEstimates:
    """All families with the same number of members at once."""
    families = moments.families
    widths, at = np.diff(families.offsets), scatter_offsets(families)
    count = len(families)
    found = RegressionEstimates(
        np.zeros(count), np.zeros(len(families.members) - count), np.zeros(count), np.zeros(count, bool)
    )
    for width in np.unique(widths).tolist():
        own = np.flatnonzero(widths == width)
        scatter = moments.scatter[at[own][:, None] + np.arange(width * width)].reshape(-1, width, width)
        mean = moments.mean[families.offsets[own][:, None] + np.arange(width)]
        rows = moments.weight[own]
        if prior is None:
            slopes, variance, is_singular = _fitted(scatter, rows)
        else:
            slopes, variance = _posterior(scatter, rows, prior)
            is_singular = np.zeros(len(own), bool)
        found.intercept[own] = mean[:, -1] - (slopes * mean[:, :-1]).sum(axis=1)
        found.coefficients[(families.offsets[own] - own)[:, None] + np.arange(width - 1)] = slopes
        found.variance[own], found.is_singular[own] = variance, is_singular
    return found


def _fitted(scatter: Floats, rows: Floats) -> tuple[Floats, Floats, Flags]:
    parents, cross, own = scatter[:, :-1, :-1], scatter[:, :-1, -1], scatter[:, -1, -1]
    size = np.sqrt(np.diagonal(parents, axis1=1, axis2=2))
    unit = np.where(size > 0, size, 1.0)
    correlation = parents / (unit[:, :, None] * unit[:, None, :])
    values, vectors = np.linalg.eigh(correlation)
    is_there = values > FULL_RANK
    inverse = np.where(is_there, 1.0 / np.where(is_there, values, 1.0), 0.0)
    along = np.einsum("fij,fi->fj", vectors, cross / unit)
    slopes: Floats = np.einsum("fij,fj->fi", vectors, along * inverse) / unit
    is_singular = np.asarray(np.logical_not(is_there).any(axis=1))
    for family in np.flatnonzero(is_singular).tolist():
        free = vectors[family][:, ~is_there[family]] / unit[family][:, None]
        basis, _ = np.linalg.qr(free)
        slopes[family] -= basis @ (basis.T @ slopes[family])
    rest = own - 2 * (slopes * cross).sum(axis=1) + np.einsum("fi,fij,fj->f", slopes, parents, slopes)
    variance = np.where(rest > NO_RESIDUAL * own, rest, 0.0) / np.where(rows > 0, rows, 1.0)
    return slopes, variance, is_singular


def _posterior(scatter: Floats, rows: Floats, prior: NormalInverseGamma) -> tuple[Floats, Floats]:
    parents, cross, own = scatter[:, :-1, :-1], scatter[:, :-1, -1], scatter[:, -1, -1]
    ridge = parents + prior.precision * np.eye(parents.shape[1])
    slopes = np.asarray(np.linalg.solve(ridge, cross[:, :, None])[:, :, 0], np.float64)
    rest = own - 2 * (slopes * cross).sum(axis=1) + np.einsum("fi,fij,fj->f", slopes, ridge, slopes)
    variance = (prior.scale + 0.5 * np.maximum(rest, 0.0)) / (prior.shape - 1 + 0.5 * np.maximum(rows - 1, 0.0))
    return slopes, variance
