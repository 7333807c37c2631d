"""Linear Gaussian networks given evidence, piece by piece.

A variable is a constant plus a combination of noises, each of which belongs to one variable. For its children an observed
variable is a constant too: with the arrows out of the observed variables cut, the network falls into pieces that are
independent of each other given the evidence. What the observations of a piece say about its noises is kept as an
orthonormal basis. No covariance matrix is ever inverted, so variances that differ by many orders of magnitude, and
variables that depend on each other exactly, keep their digits. Where float64 would still lose more than six of its digits, or
overflow, decimals take over (`precise_pieces`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np

from dconvex.arrays import Flags, Floats
from dconvex.caching import cached_property
from dconvex.inference.basis import NO_NOISE, Basis, column_norms
from dconvex.inference.linear_network import LinearNetwork
from dconvex.inference.precise_pieces import MOST_STEPS, PreciseObservations, steps
from dconvex.network.compensated import difference
from dconvex.network.linear_regressions import ON_SUPPORT

SURE = 1e-6
"""Where less than this share of a deviation is left, float64 has lost too many digits."""
ALIKE = 1e-3
"""Where each noise is at least this share of a deviation, what float64 leaves of none of them is nothing."""


class VariablesGiven(Protocol):
    """Variables of a piece given its observed ones: a `Posterior`, or one of decimals."""

    @property
    def covariance(self) -> Floats: ...
    @property
    def variance(self) -> Floats: ...
    @property
    def log_volume(self) -> float: ...
    def mean(self, values: Floats) -> Floats: ...
    def shares_left(self) -> Floats: ...
    def regression(self, parents: Sequence[int]) -> tuple[float, Floats, float]: ...


@final
@dataclass(frozen=True, slots=True, eq=False)
class Combinations:
    """Some variables of a piece: `offset + pull @ constants + noise.T @ (standard noises of the piece)`.

    The sizes are what the terms would add up to if none of them cancelled: the scale of rounding errors.
    """

    offset: Floats
    pull: Floats
    noise: Floats
    offset_size: Floats
    pull_size: Floats
    noise_size: Floats

    @property
    def is_finite(self) -> bool:
        """Whether nothing overflowed."""
        parts = (self.offset, self.offset_size, self.pull, self.pull_size, self.noise_size)
        return all(bool(np.isfinite(part).all()) for part in parts)

    def are_doubtful(self, lengths: Floats) -> Flags:
        """For each variable whether float64 can say what is left of its noise, of which it says that it has this length."""
        largest = np.abs(self.noise).max(axis=1, initial=0.0)
        smallest = largest[largest > 0].min(initial=np.inf)
        is_nothing = (lengths <= NO_NOISE * self.noise_size) & (smallest >= ALIKE * self.noise_size)
        doubtful: Flags = (lengths < SURE * self.noise_size) & ~is_nothing
        return doubtful

    def without_noise(self, values: Floats) -> Floats:
        """For each variable and row what is left of it without noise; `values` are those of the constants."""
        with np.errstate(over="ignore", invalid="ignore"):  # who makes an answer of it looks at it
            center: Floats = self.offset[:, None] + self.pull @ values
        return center


@final
class Piece:
    """A part of a network, and what the observations in it say. Values of observed variables come as rows by index."""

    def __init__(self, network: LinearNetwork, members: Sequence[int]) -> None:
        self.network, self.members = network, members
        self.position = {variable: k for k, variable in enumerate(members)}
        is_observed, parents = network.shape.is_observed, network.shape.parents
        self.observed = [variable for variable in members if is_observed[variable]]
        self.constants = sorted({p for v in members for p in parents[v] if is_observed[p]})

    @cached_property
    def combined(self) -> Combinations:
        """The observed variables."""
        return self.combinations(self.observed)

    @cached_property
    def precise(self) -> PreciseObservations | None:
        """What the observations say in decimals, where float64 does not know."""
        combined = self.combined
        if combined.is_finite and not combined.are_doubtful(self.float_basis.lengths).any():
            return None
        return self._in_decimals(0)

    def _in_decimals(self, targets: int) -> PreciseObservations | None:
        if steps(len(self.members), len(self.observed), targets) > MOST_STEPS:
            return None
        return PreciseObservations(self.network, self.members, self.observed)

    @cached_property
    def float_basis(self) -> Basis:
        """What the observations say about the noises, as far as float64 knows."""
        return Basis.of(self.combined.noise, self.combined.noise_size)

    @cached_property
    def basis(self) -> Basis:
        """What the observations say about the noises."""
        return self.float_basis if self.precise is None else self.precise.basis()

    def combinations(self, variables: Sequence[int]) -> Combinations:
        """What these variables are made of."""
        with np.errstate(over="ignore", invalid="ignore"):  # decimals take over where this is not finite
            return self._combinations(variables)

    def _combinations(self, variables: Sequence[int]) -> Combinations:
        network, position = self.network, self.position
        constant = {variable: k for k, variable in enumerate(self.constants)}
        weights, sizes = (np.zeros((len(self.members), len(variables))) for _ in range(2))
        for k, variable in enumerate(variables):
            weights[position[variable], k] = sizes[position[variable], k] = 1.0
        pull, pull_size = (np.zeros((len(constant), len(variables))) for _ in range(2))
        row, size, pulled, pulled_size = (list(array) for array in (weights, sizes, pull, pull_size))
        is_reached = [False] * len(self.members)
        for variable in variables:
            is_reached[position[variable]] = True
        for k in range(len(self.members) - 1, -1, -1):
            if not is_reached[k]:
                continue
            variable, own, own_size = self.members[k], row[k], size[k]
            own[np.abs(own) <= NO_NOISE * own_size] = 0.0  # all its terms are there, and cancel
            for parent, coefficient in zip(network.shape.parents[variable], network.coefficients[variable], strict=True):
                if parent in constant:
                    above = constant[parent]
                    pulled[above] += coefficient * own
                    pulled_size[above] += abs(coefficient) * own_size
                else:
                    above = position[parent]
                    row[above] += coefficient * own
                    size[above] += abs(coefficient) * own_size
                    is_reached[above] = True
        intercept, deviation = network.intercept[self.members], np.sqrt(network.variance[self.members])[:, None]
        noise = weights * deviation
        spread = np.maximum(column_norms(sizes * deviation), column_norms(noise))
        return Combinations(intercept @ weights, pull.T, noise, np.abs(intercept) @ sizes, pull_size.T, spread)

    def deviations(self, values: Floats) -> Floats:
        """What the observed values differ by from what they would be without noise."""
        combined = self.combined
        return difference(values[self.observed], combined.offset, combined.pull, values[self.constants])

    def are_impossible(self, values: Floats) -> Flags:
        """For each row whether an observed variable that the others determine differs from what they say."""
        if self.precise is not None:
            return self.precise.are_impossible(values)
        basis = self.basis
        if basis.is_full:
            return np.zeros(values.shape[1], bool)
        dependent, combined = ~basis.is_free, self.combined
        weights = basis.weights(basis.coordinates[:, dependent])
        deviations = self.deviations(values)
        sizes = (
            combined.offset_size[:, None] + np.abs(values[self.observed]) + combined.pull_size @ np.abs(values[self.constants])
        )
        with np.errstate(over="ignore", invalid="ignore"):  # weights too large for a float say nothing
            residual = np.abs(deviations[dependent] - weights @ deviations[basis.is_free])
            allowed = ON_SUPPORT * (sizes[dependent] + np.abs(weights) @ sizes[basis.is_free])
        impossible: Flags = np.any(residual > allowed, axis=0)
        return impossible

    def standard_noises(self, values: Floats) -> Floats:
        """The expected noises of all members, in standard deviations, for each row."""
        if self.precise is not None:
            return self.precise.standard_noises(values)
        expected: Floats = self.basis.vectors @ self.basis.whitened(self.deviations(values))
        return expected

    def log_density(self, values: Floats) -> Floats:
        """Of the observed values, for each row; those that the ones before them determine count nothing."""
        if self.precise is not None:
            return self.precise.log_density(values)
        whitened = self.basis.whitened(self.deviations(values))
        with np.errstate(over="ignore"):  # too far out for a float: -inf
            density: Floats = -0.5 * (whitened**2).sum(axis=0) - self.basis.log_volume
        density[self.are_impossible(values)] = -np.inf
        return density

    def posterior(self, targets: Sequence[int]) -> VariablesGiven:
        """Of some variables that are not observed, given the observed ones."""
        if self.precise is not None:
            return self.precise.posterior(targets)
        own = self.combinations(targets)
        precise = None if own.is_finite else self._in_decimals(len(targets))
        if precise is not None:
            return precise.posterior(targets)
        coordinates, residual = self.basis.split(own.noise)
        lengths = column_norms(residual)
        if own.are_doubtful(lengths).any() and (precise := self._in_decimals(len(targets))) is not None:
            return precise.posterior(targets)
        residual[:, lengths <= NO_NOISE * own.noise_size] = 0.0
        return Posterior(self, own, self.basis.weights(coordinates), residual)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """Variables of a piece given its observed ones: `weights` on the deviations of the free ones, and the noise left over."""

    piece: Piece
    own: Combinations
    weights: Floats
    residual: Floats

    def mean(self, values: Floats) -> Floats:
        """For each variable and row."""
        deviations = self.piece.deviations(values)[self.piece.basis.is_free]
        mean: Floats = self.own.without_noise(values[self.piece.constants]) + self.weights @ deviations
        return mean

    @property
    def covariance(self) -> Floats:
        product: Floats = self.residual.T @ self.residual
        return product

    @property
    def variance(self) -> Floats:
        squares: Floats = np.einsum("ij,ij->j", self.residual, self.residual)
        return squares

    @property
    def log_volume(self) -> float:
        """Minus the logarithm of the density at the mean, where variables that the ones before them determine count nothing."""
        return Basis.of(self.residual, self.own.noise_size).log_volume

    def shares_left(self) -> Floats:
        """For each variable but the first one the share of the first one's deviation that is left once it is observed, too."""
        target, others = self.residual[:, :1], self.residual[:, 1:]
        before = float(np.sqrt((target**2).sum()))
        if before == 0:
            return np.ones(others.shape[1])
        variances = (others**2).sum(axis=0)
        slopes = np.divide((target * others).sum(axis=0), variances, out=np.zeros_like(variances), where=variances > 0)
        left = np.sqrt(((target - slopes * others) ** 2).sum(axis=0))
        left[left <= NO_NOISE * self.own.noise_size[0]] = 0.0
        shares: Floats = left / before
        return shares

    def regression(self, parents: Sequence[int]) -> tuple[float, Floats, float]:
        """Intercept, coefficients and variance of the only variable, as a function of observed ones."""
        piece = self.piece
        free = np.flatnonzero(piece.basis.is_free)
        slope = dict.fromkeys(parents, 0.0)
        pull = self.own.pull[0] - self.weights[0] @ piece.combined.pull[free]
        for variable, number in zip(piece.constants, pull.tolist(), strict=True):
            slope[variable] += number
        for k, number in zip(free.tolist(), self.weights[0].tolist(), strict=True):
            slope[piece.observed[k]] += number
        intercept = self.own.offset[0] - self.weights[0] @ piece.combined.offset[free]
        return float(intercept), np.array(list(slope.values())), float(self.variance[0])
