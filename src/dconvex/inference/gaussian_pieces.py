"""Linear Gaussian networks given evidence, piece by piece.

A variable is a constant plus a combination of noises, each of which belongs to one variable. For its children an observed
variable is a constant too: with the arrows out of the observed variables cut, the network falls into pieces that are
independent of each other given the evidence. What the observations of a piece tell about its noises is kept as an
orthonormal basis. No covariance matrix is ever inverted, so variances that differ by many orders of magnitude, and
variables that depend on each other exactly, keep their digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.caching import cached_property
from dconvex.network.linear_regressions import ON_SUPPORT

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]

NO_NOISE = 1e-12
"""What is left of a standard deviation counts as zero below this share of the terms that it is made of."""
LOG_2_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A network without its numbers. Variables by place, parents first; those that are not needed are constants only."""

    nodes: list[int]
    """The node of the whole network that each variable is."""
    tables: list[int]
    """The number of its regression, -1 for a standard normal variable."""
    parents: list[list[int]]
    is_observed: list[bool]
    is_needed: list[bool]

    def pieces(self) -> list[list[int]]:
        """The needed variables, joined by the arrows out of variables that are not observed."""
        leader = list(range(len(self.nodes)))
        for variable, parents in enumerate(self.parents):
            for parent in parents:
                if not self.is_observed[parent]:
                    one, other = _leader(leader, variable), _leader(leader, parent)
                    leader[max(one, other)] = min(one, other)
        members: dict[int, list[int]] = {}
        for variable, is_needed in enumerate(self.is_needed):
            if is_needed:
                members.setdefault(_leader(leader, variable), []).append(variable)
        return list(members.values())


@dataclass(frozen=True, slots=True, eq=False)
class LinearNetwork:
    """A network with its numbers; `coefficients` lie along the parents."""

    shape: Shape
    coefficients: list[list[float]]
    intercept: Floats
    variance: Floats

    def forward(self, start: Floats) -> Floats:
        """All variables, for each row: what `start` says plus what comes from the parents; observed ones stay as they are."""
        found = start.copy()
        row = list(found)
        for variable, is_observed in enumerate(self.shape.is_observed):
            if not is_observed:
                own = row[variable]
                for parent, coefficient in zip(self.shape.parents[variable], self.coefficients[variable], strict=True):
                    own += coefficient * row[parent]
        return found

    def values(self, noises: Floats, observed: Floats) -> Floats:
        """All variables, for each row: the observed ones as given, the others from these standard noises."""
        start = self.intercept[:, None] + np.sqrt(self.variance)[:, None] * noises
        return self.forward(np.where(np.array(self.shape.is_observed)[:, None], observed, start))


def _leader(leader: list[int], variable: int) -> int:
    while leader[variable] != variable:
        leader[variable] = leader[leader[variable]]
        variable = leader[variable]
    return variable


@dataclass(frozen=True, slots=True, eq=False)
class Combinations:
    """Some variables of a piece: `offset + pull @ constants + noise.T @ (standard noises of the piece)`.

    The sizes are what the terms would add up to if none of them cancelled, roughly: the scale of rounding errors.
    """

    offset: Floats
    pull: Floats
    noise: Floats
    offset_size: Floats
    pull_size: Floats
    noise_size: Floats

    def without_noise(self, values: Floats) -> Floats:
        """For each variable and row what is left of it without noise; `values` are those of the constants."""
        center: Floats = self.offset[:, None] + self.pull @ values
        return center


class Piece:
    """A part of a network, and what the observations in it tell. Values of observed variables come as rows by place."""

    def __init__(self, network: LinearNetwork, members: Sequence[int]) -> None:
        self.network, self.members = network, members
        self.position = {variable: place for place, variable in enumerate(members)}
        is_observed, parents = network.shape.is_observed, network.shape.parents
        self.observed = [variable for variable in members if is_observed[variable]]
        self.constants = sorted({p for v in members for p in parents[v] if is_observed[p]})

    @cached_property
    def told(self) -> Combinations:
        """The observed variables."""
        return self.combinations(self.observed)

    @cached_property
    def basis(self) -> Basis:
        """What the observations tell about the noises."""
        return Basis.of(self.told.noise, self.told.noise_size)

    def combinations(self, variables: Sequence[int]) -> Combinations:
        """What these variables are made of."""
        network, position = self.network, self.position
        constant = {variable: place for place, variable in enumerate(self.constants)}
        weights, squares = (np.zeros((len(self.members), len(variables))) for _ in range(2))
        for place, variable in enumerate(variables):
            weights[position[variable], place] = squares[position[variable], place] = 1.0
        pull, pull_squares = (np.zeros((len(constant), len(variables))) for _ in range(2))
        row, square, pulled, pulled_square = (list(array) for array in (weights, squares, pull, pull_squares))
        is_reached = [False] * len(self.members)
        for variable in variables:
            is_reached[position[variable]] = True
        for place in range(len(self.members) - 1, -1, -1):
            if not is_reached[place]:
                continue
            variable, own, own_square = self.members[place], row[place], square[place]
            for parent, coefficient in zip(network.shape.parents[variable], network.coefficients[variable], strict=True):
                if parent in constant:
                    above = constant[parent]
                    pulled[above] += coefficient * own
                    pulled_square[above] += coefficient * coefficient * own_square
                else:
                    above = position[parent]
                    row[above] += coefficient * own
                    square[above] += coefficient * coefficient * own_square
                    is_reached[above] = True
        intercept, variance = network.intercept[self.members], network.variance[self.members]
        noise = weights * np.sqrt(variance)[:, None]
        spread = np.maximum(np.sqrt(variance @ squares), _norms(noise))
        sizes = np.sqrt(intercept**2 @ squares), np.sqrt(pull_squares).T
        return Combinations(intercept @ weights, pull.T, noise, *sizes, spread)

    def deviations(self, values: Floats) -> Floats:
        """What the observed values differ by from what they would be without noise."""
        difference: Floats = values[self.observed] - self.told.without_noise(values[self.constants])
        return difference

    def are_impossible(self, values: Floats) -> Flags:
        """For each row whether an observed variable that the others determine differs from what they say."""
        basis = self.basis
        if basis.is_full:
            return np.zeros(values.shape[1], bool)
        dependent, told = ~basis.is_free, self.told
        weights = basis.weights(basis.coordinates[:, dependent])
        deviations = self.deviations(values)
        sizes = told.offset_size[:, None] + np.abs(values[self.observed]) + told.pull_size @ np.abs(values[self.constants])
        with np.errstate(over="ignore", invalid="ignore"):  # weights too large for a float say nothing
            residual = np.abs(deviations[dependent] - weights @ deviations[basis.is_free])
            allowed = ON_SUPPORT * (sizes[dependent] + np.abs(weights) @ sizes[basis.is_free])
        impossible: Flags = np.any(residual > allowed, axis=0)
        return impossible

    def standard_noises(self, values: Floats) -> Floats:
        """The expected noises of all members, in standard deviations, for each row."""
        expected: Floats = self.basis.vectors @ self.basis.whitened(self.deviations(values))
        return expected

    def log_density(self, values: Floats) -> Floats:
        """Of the observed values, for each row; those that the ones before them determine count nothing."""
        whitened = self.basis.whitened(self.deviations(values))
        with np.errstate(over="ignore"):  # too far out for a float: -inf
            density: Floats = -0.5 * (whitened**2).sum(axis=0) - self.basis.log_volume
        density[self.are_impossible(values)] = -np.inf
        return density

    def posterior(self, asked: Sequence[int]) -> Posterior:
        """Of some variables that are not observed, given the observed ones."""
        own = self.combinations(asked)
        coordinates, residual = self.basis.split(own.noise)
        residual[:, _norms(residual) <= NO_NOISE * own.noise_size] = 0.0
        return Posterior(self, own, self.basis.weights(coordinates), residual)


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

    def regression(self, parents: Sequence[int]) -> tuple[float, Floats, float]:
        """Intercept, coefficients and variance of the only variable, as a function of observed ones."""
        piece = self.piece
        free = np.flatnonzero(piece.basis.is_free)
        slope = dict.fromkeys(parents, 0.0)
        pull = self.own.pull[0] - self.weights[0] @ piece.told.pull[free]
        for variable, number in zip(piece.constants, pull.tolist(), strict=True):
            slope[variable] += number
        for place, number in zip(free.tolist(), self.weights[0].tolist(), strict=True):
            slope[piece.observed[place]] += number
        intercept = self.own.offset[0] - self.weights[0] @ piece.told.offset[free]
        return float(intercept), np.array(list(slope.values())), float(self.variance[0])


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """Orthonormal `vectors` for columns of numbers: column j is `vectors @ coordinates[:, j]`.

    A column that is a combination of those before it adds no vector; the others are free.
    """

    vectors: Floats
    coordinates: Floats
    is_free: Flags

    @classmethod
    def of(cls, columns: Floats, sizes: Floats) -> Basis:
        """Column by column: one counts as a combination if nothing but rounding errors is left, by the sizes of its terms."""
        count = columns.shape[1]
        if not count:
            return cls(np.zeros((len(columns), 0)), np.zeros((0, 0)), np.ones(0, bool))
        vectors, coordinates = np.linalg.qr(columns)
        short = np.flatnonzero(np.abs(np.diagonal(coordinates)) <= NO_NOISE * sizes)
        if len(short):
            return cls._one_by_one(columns, sizes, vectors, coordinates, int(short[0]))
        return cls(vectors, coordinates, np.ones(count, bool))

    @classmethod
    def _one_by_one(cls, columns: Floats, sizes: Floats, vectors: Floats, coordinates: Floats, first: int) -> Basis:
        """As `of`, where the columns before `first` are done already."""
        count = columns.shape[1]
        is_free = np.ones(count, bool)
        rank = first
        for place in range(first, count):
            column = columns[:, place].copy()
            coordinates[:, place] = 0.0
            for _ in range(2):  # once more: what the first time leaves of rounding errors
                along = vectors[:, :rank].T @ column
                column -= vectors[:, :rank] @ along
                coordinates[:rank, place] += along
            length = float(np.linalg.norm(column))
            is_free[place] = length > NO_NOISE * sizes[place]
            if is_free[place]:
                vectors[:, rank], coordinates[rank, place] = column / length, length
                rank += 1
        return cls(vectors[:, :rank].copy(), coordinates[:rank].copy(), is_free)

    @property
    def is_full(self) -> bool:
        return bool(self.is_free.all())

    @property
    def triangle(self) -> Floats:
        """The coordinates of the free columns."""
        return self.coordinates if self.is_full else self.coordinates[:, self.is_free]

    @property
    def log_volume(self) -> float:
        """Minus the logarithm of the density of the free variables at their mean."""
        diagonal = np.abs(np.diagonal(self.triangle))
        return float(np.log(diagonal).sum() + 0.5 * LOG_2_PI * len(diagonal))

    def split(self, columns: Floats) -> tuple[Floats, Floats]:
        """Coordinates of columns, and what is left of them at right angles to all vectors."""
        coordinates = self.vectors.T @ columns
        residual = columns - self.vectors @ coordinates
        more = self.vectors.T @ residual
        residual -= self.vectors @ more
        return coordinates + more, residual

    def weights(self, coordinates: Floats) -> Floats:
        """For each column of coordinates its weights on the free columns."""
        return _solved(self.triangle, coordinates).T

    def whitened(self, deviations: Floats) -> Floats:
        """Coordinates of noises that explain these deviations of the observed variables, for each row."""
        turned = self.triangle[::-1, ::-1].T  # a lower triangle turned about is an upper one
        return _solved(turned, deviations[self.is_free][::-1])[::-1]


def _solved(triangle: Floats, right: Floats) -> Floats:
    """By an upper triangle: there no rows are exchanged, so that each unknown is as good as its own row allows."""
    if not len(triangle):
        return right
    solution: Floats = np.asarray(np.linalg.solve(triangle, right), np.float64)
    return solution


def _norms(columns: Floats) -> Floats:
    lengths: Floats = np.sqrt(np.einsum("ij,ij->j", columns, columns))
    return lengths
