"""How far apart two Gaussian networks over the same variables are; some variables may be determined by others.

Networks without such variables are compared by their families or covariances. Where there are some, both distributions live on
flats of fewer dimensions: these must be the same, and are compared in coordinates of their own.
"""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from dconvex.arrays import Floats
from dconvex.errors import TooLargeError
from dconvex.inference.distribution import GaussianDistribution
from dconvex.inference.memory import limit_of
from dconvex.inference.model import LocalModel, localize
from dconvex.names import Name
from dconvex.network.family import Regression
from dconvex.network.linear_regressions import Regressions
from dconvex.network.network import BayesianNetwork

NO_NOISE, ROUNDING = 1e-12, 1e-9
"""Relative to how much variables vary: directions with less noise count as without, and flats that are nearer as one."""


def gaussian_kl(p: BayesianNetwork, q: BayesianNetwork, max_bytes: float | None) -> float:
    """KL(p‖q)."""
    if _is_degenerate(p, q):
        return _degenerate_kl(p, q, limit_of(max_bytes))
    model = localize(p, max_bytes=max_bytes)
    return max(0.0, sum(_regression_gain(model, p, q, node) for node in p.dag.nodes))


def _regression_gain(model: LocalModel, p: BayesianNetwork, q: BayesianNetwork, node: Name) -> float:
    ours, theirs = cast("Regression", p.family(node)), cast("Regression", q.family(node))
    family = model.query([*theirs.parents, node])
    assert isinstance(family, GaussianDistribution)
    weight = np.array([*(-theirs.coefficients[parent] for parent in theirs.parents), 1.0])
    squared = float(weight @ family.covariance @ weight) + (float(weight @ family.mean) - theirs.intercept) ** 2
    return 0.5 * (math.log(theirs.variance / ours.variance) + squared / theirs.variance - 1)


def gaussian_log_overlap(p: BayesianNetwork, q: BayesianNetwork, limit: int) -> float:
    """The logarithm of the Bhattacharyya coefficient."""
    _refuse_large_covariance(p, limit)
    if _is_degenerate(p, q):
        return _degenerate_overlap(p, q)
    (mean, factor), (other_mean, other) = _mean_and_factor(p), _mean_and_factor(q)
    log_volumes = sum(float(np.log(cast("Regressions", network.parameters).variance).sum()) for network in (p, q))
    return _overlap_of(mean - other_mean, factor @ factor.T, other @ other.T, log_volumes)


def _overlap_of(gap: Floats, covariance: Floats, other: Floats, log_volumes: float) -> float:
    """The logarithm of the overlap of two normal distributions, given the logarithms of both determinants, added."""
    triangle = np.linalg.cholesky((covariance + other) / 2)
    solved = np.linalg.solve(triangle, gap)
    log_volume = 2 * float(np.log(np.diagonal(triangle)).sum())
    return 0.25 * log_volumes - 0.5 * log_volume - 0.125 * float(solved @ solved)


def _refuse_large_covariance(p: BayesianNetwork, limit: int) -> None:
    if 8 * 6 * len(p.dag) ** 2 > limit:
        what = f"the covariance of {len(p.dag):,} variables"
        raise TooLargeError(what, 8 * 6 * len(p.dag) ** 2, limit, 'Use method="sampling", or raise max_bytes.')


def gaussian_wasserstein2(p: BayesianNetwork, q: BayesianNetwork) -> float:
    """The Wasserstein-2 distance.

    The covariance part is the least distance of two factors L, M with covariances L Lᵀ and M Mᵀ over all rotations of one of
    them (orthogonal Procrustes), which loses nothing where the two are nearly equal, or singular.
    """
    (mean, factor), (other_mean, other) = _mean_and_factor(p), _mean_and_factor(q)
    left, _, right = np.linalg.svd(factor.T @ other)
    gap = factor @ (left @ right) - other
    return math.hypot(float(np.linalg.norm(mean - other_mean)), float(np.linalg.norm(gap)))


def _mean_and_factor(network: BayesianNetwork) -> tuple[Floats, Floats]:
    """The mean, and a square root L of the covariance: how each variable depends on the standard noises of all."""
    dag, regressions = network.dag, cast("Regressions", network.parameters)
    mean, factor = np.zeros(len(dag)), np.zeros((len(dag), len(dag)))
    start = dag.graph.parents.offsets
    for variable in dag.graph.order.tolist():
        parents, slopes = dag.graph.parents[variable], regressions.coefficients[start[variable] : start[variable + 1]]
        mean[variable] = regressions.intercept[variable] + slopes @ mean[parents]
        factor[variable] = slopes @ factor[parents]
        factor[variable, variable] = math.sqrt(regressions.variance[variable])
    return mean, factor


# --- networks with variables that others determine


def _is_degenerate(p: BayesianNetwork, q: BayesianNetwork) -> bool:
    return any((cast("Regressions", network.parameters).variance == 0).any() for network in (p, q))


def _degenerate_kl(p: BayesianNetwork, q: BayesianNetwork, limit: int) -> float:
    _refuse_large_covariance(p, limit)
    within = _within_support(p, q)
    if within is None:
        return math.inf
    gap, factor, other = within
    solved, own = np.linalg.solve(other, gap), np.linalg.solve(other, factor)
    log_volumes = _log_volume(other) - _log_volume(factor)
    return max(0.0, 0.5 * (float((own**2).sum()) + float(solved @ solved) - len(gap) + log_volumes))


def _degenerate_overlap(p: BayesianNetwork, q: BayesianNetwork) -> float:
    within = _within_support(p, q)
    if within is None:
        return -math.inf
    gap, factor, other = within
    return _overlap_of(gap, factor @ factor.T, other @ other.T, _log_volume(factor) + _log_volume(other))


def _log_volume(factor: Floats) -> float:
    return 2 * float(np.linalg.slogdet(factor)[1])


def _within_support(p: BayesianNetwork, q: BayesianNetwork) -> tuple[Floats, Floats, Floats] | None:
    """In coordinates of the flat that both live on: the gap of the means and a square root of each covariance.

    None where they live on different flats, so that each rules out what the other expects.
    """
    (mean, factor), (other_mean, other) = _mean_and_factor(p), _mean_and_factor(q)
    sizes = np.maximum(np.linalg.norm(factor, axis=1), np.linalg.norm(other, axis=1))
    gap, is_fixed = mean - other_mean, sizes == 0
    if (np.abs(gap[is_fixed]) > ROUNDING * np.maximum(np.abs(mean), np.abs(other_mean))[is_fixed]).any():
        return None
    varies = ~is_fixed
    scaled = [part[varies] / sizes[varies, np.newaxis] for part in (factor, other)]
    gap = gap[varies] / sizes[varies]
    bases = [_column_space(part) for part in scaled]
    if bases[0].shape != bases[1].shape:
        return None
    basis = bases[0]
    allowed = ROUNDING * max(1.0, float(np.abs(gap).max(initial=0.0)))
    for strays in (bases[1], gap[:, np.newaxis]):
        if (np.abs(strays - basis @ (basis.T @ strays)) > allowed).any():
            return None
    roots = [np.asarray(np.linalg.qr((basis.T @ part).T, mode="r")).T for part in scaled]
    return basis.T @ gap, roots[0], roots[1]


def _column_space(factor: Floats) -> Floats:
    left, sizes, _ = np.linalg.svd(factor, full_matrices=False)
    return np.asarray(left[:, sizes > NO_NOISE * sizes.max(initial=0.0)])
