"""Pieces of a Gaussian network with as many digits as they need, where float64 would lose what the evidence says.

Two sensors of variance 1e-10 of a variable of variance 1e20 differ by less than float64 keeps of either. Here all numbers are
decimals, and covariances are factorised without square roots. What the float64 numbers of the network leave of a variable's
noise after exact cancellation is real however small it is; what they leave by their own rounding is not: each noise on its
own counts as cancelled below 1e-12 of its terms, whatever the size of the others.
"""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import final

import numpy as np

from dconvex.arrays import Flags, Floats
from dconvex.inference.basis import Basis
from dconvex.inference.linear_network import LinearNetwork
from dconvex.network.linear_regressions import ON_SUPPORT

ROUNDING = Decimal("1e-12")
"""A noise counts as cancelled below this share of the terms that it is the sum of."""
DOUBTFUL = Decimal("1e-20")
"""Where less than this share of a variance is left, it may be that nothing is."""
MOST_STEPS = 1 << 22
"""Products of decimals, about a second of them; larger pieces stay with float64."""
ZERO = Decimal(0)
TWO_PI = Decimal("6.28318530717958647692528676655900576839433879875021164194988918461563281257241799725606965068423413596429")

Column = dict[int, Decimal]


@dataclass(slots=True)
class Combination:
    """One variable: `offset + pull · constants + weights · noises`, and the sizes of the terms of each."""

    offset: Decimal = ZERO
    offset_size: Decimal = ZERO
    pull: Column = field(default_factory=dict)
    pull_size: Column = field(default_factory=dict)
    weights: Column = field(default_factory=dict)


@final
class PreciseObservations:
    """What the observations in a piece say about its noises."""

    def __init__(self, network: LinearNetwork, members: Sequence[int], observed: Sequence[int]) -> None:
        self.network, self.members, self.observed = network, members, observed
        self.position = {variable: k for k, variable in enumerate(members)}
        self.variance = [Decimal(number) for number in network.variance[list(members)].tolist()]
        self.digits = 100
        with self.digits_kept():
            self.columns = self.combinations(observed)
        self.digits = _digits_for(self.columns, self.variance)
        with self.digits_kept():
            self.factor = Factor(self.variance)
            for column in self.columns:
                self.factor.add(column.weights)

    def digits_kept(self) -> AbstractContextManager[decimal.Context]:
        """Decimals with as many digits as the piece needs, and no bound on exponents."""
        return decimal.localcontext(
            decimal.Context(self.digits, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[decimal.InvalidOperation])
        )

    def combinations(self, variables: Sequence[int]) -> list[Combination]:
        """What these variables of the piece are made of."""
        return [self._combination(variable) for variable in variables]

    def _combination(self, variable: int) -> Combination:
        shape, found = self.network.shape, Combination()
        weight, size = {self.position[variable]: Decimal(1)}, {self.position[variable]: Decimal(1)}
        for k in range(self.position[variable], -1, -1):
            if k not in weight:
                continue
            own, own_size = weight[k], size[k]
            if abs(own) <= ROUNDING * own_size:
                continue
            member = self.members[k]
            intercept = Decimal(float(self.network.intercept[member]))
            found.offset += own * intercept
            found.offset_size += abs(own_size * intercept)
            if self.variance[k]:
                found.weights[k] = own
            for parent, number in zip(shape.parents[member], self.network.coefficients[member], strict=True):
                coefficient = Decimal(number)
                if shape.is_observed[parent]:
                    _add(found.pull, parent, coefficient * own)
                    _add(found.pull_size, parent, abs(coefficient) * own_size)
                else:
                    _add(weight, self.position[parent], coefficient * own)
                    _add(size, self.position[parent], abs(coefficient) * own_size)
        return found

    def basis(self) -> Basis:
        """The same as a basis in float64, each number of which is right to its last digits."""
        factor, free = self.factor, [self.columns[k].weights for k in self.factor.free]
        with self.digits_kept():
            deviations = [variance.sqrt() for variance in self.variance]
            lengths = [left.sqrt() for left in factor.left]
            vectors = np.zeros((len(self.members), len(free)))
            turned: list[Column] = []
            for j, column in enumerate(free):
                rest = dict(column)
                for before, share in enumerate(factor.lower[j]):
                    for row, number in turned[before].items():
                        _add(rest, row, -share * number)
                turned.append(rest)
                for row, number in rest.items():
                    vectors[row, j] = float(deviations[row] * number / lengths[j])
            coordinates = np.array([[float(x) for x in factor.along(column.weights, lengths)] for column in self.columns]).T
        is_free = np.zeros(len(self.columns), bool)
        is_free[factor.free] = True
        return Basis(vectors, coordinates.reshape(len(free), len(self.columns)), is_free)

    def deviations(self, values: Floats) -> list[list[Decimal]]:
        """For each row and observed variable what it differs by from what it would be without noise."""
        return [
            [Decimal(row[v]) - without_noise(own, row) for v, own in zip(self.observed, self.columns, strict=True)]
            for row in values.T.tolist()
        ]

    def are_impossible(self, values: Floats) -> Flags:
        """For each row whether an observed variable that the others determine differs from what they say."""
        with self.digits_kept():
            found = [self._is_impossible(row, own) for row, own in zip(values.T.tolist(), self.deviations(values), strict=True)]
        return np.array(found, bool)

    def _is_impossible(self, row: list[float], deviations: list[Decimal]) -> bool:
        factor, on_support = self.factor, Decimal(ON_SUPPORT)
        for k, shares in factor.dependent.items():
            left, allowed = deviations[k], self._size(k, row)
            for j, share in zip(factor.free, shares, strict=False):
                left -= share * deviations[j]
                allowed += abs(share) * self._size(j, row)
            if abs(left) > on_support * allowed:
                return True
        return False

    def _size(self, k: int, row: list[float]) -> Decimal:
        own = self.columns[k]
        pulled = sum((abs(size * Decimal(row[v])) for v, size in own.pull_size.items()), ZERO)
        return own.offset_size + abs(Decimal(row[self.observed[k]])) + pulled

    def standard_noises(self, values: Floats) -> Floats:
        """The expected noises of all members, in standard deviations, for each row."""
        found = np.zeros((len(self.members), values.shape[1]))
        with self.digits_kept():
            deviation = [variance.sqrt() for variance in self.variance]
            for number, own in enumerate(self.deviations(values)):
                noises: Column = {}
                shares = self.factor.solved([own[k] for k in self.factor.free])
                for k, share in zip(self.factor.free, shares, strict=True):
                    for row, weight in self.columns[k].weights.items():
                        _add(noises, row, share * weight)
                for row, noise in noises.items():
                    found[row, number] = float(deviation[row] * noise)
        return found

    def log_density(self, values: Floats) -> Floats:
        """Of the observed values, for each row; those that the ones before them determine count nothing."""
        with self.digits_kept():
            found = [
                float(-self.factor.distance([own[k] for k in self.factor.free]) / 2 - self.factor.log_volume)
                for own in self.deviations(values)
            ]
        density = np.array(found)
        density[self.are_impossible(values)] = -np.inf
        return density

    def posterior(self, targets: Sequence[int]) -> PrecisePosterior:
        """Of some variables that are not observed, given the observed ones."""
        with self.digits_kept():
            return PrecisePosterior(self, self.combinations(targets))


def without_noise(own: Combination, row: Sequence[float]) -> Decimal:
    """What a variable would be without noise; `row` has the values of the constants."""
    return own.offset + sum((pull * Decimal(row[v]) for v, pull in own.pull.items()), ZERO)


@final
class PrecisePosterior:
    """Variables of a piece given its observed ones."""

    def __init__(self, piece: PreciseObservations, own: Sequence[Combination]) -> None:
        self.piece, self.own = piece, own
        factor = piece.factor
        free = [piece.columns[k].weights for k in factor.free]
        self.weights = [factor.solved([factor.product(column, one.weights) for column in free]) for one in own]
        self.residuals = [factor.residual(one.weights, free, shares) for one, shares in zip(own, self.weights, strict=True)]

    def mean(self, values: Floats) -> Floats:
        """For each variable and row."""
        with self.piece.digits_kept():
            rows, free = values.T.tolist(), self.piece.factor.free
            deviations = self.piece.deviations(values)
            means = [
                [
                    float(without_noise(one, row) + sum((s * own[k] for s, k in zip(shares, free, strict=True)), ZERO))
                    for row, own in zip(rows, deviations, strict=True)
                ]
                for one, shares in zip(self.own, self.weights, strict=True)
            ]
        return np.array(means).reshape(len(self.own), values.shape[1])

    @property
    def covariance(self) -> Floats:
        with self.piece.digits_kept():
            product = self.piece.factor.product
            found = [[float(product(one, other)) for other in self.residuals] for one in self.residuals]
        return np.array(found).reshape(len(self.own), len(self.own))

    @property
    def variance(self) -> Floats:
        with self.piece.digits_kept():
            return np.array([float(self.piece.factor.product(one, one)) for one in self.residuals])

    @property
    def log_volume(self) -> float:
        """Minus the logarithm of the density at the mean, where variables that the ones before them determine count nothing."""
        with self.piece.digits_kept():
            joint = Factor(self.piece.variance)
            for residual in self.residuals:
                joint.add(residual)
            return float(joint.log_volume)

    def shares_left(self) -> Floats:
        """For each variable but the first one the share of the first one's deviation that is left once it is observed, too."""
        first, *others = self.residuals
        with self.piece.digits_kept():
            product, shares = self.piece.factor.product, []
            before = product(first, first)
            for other in others:
                variance = product(other, other)
                slope = product(first, other) / variance if variance else ZERO
                residual = self.piece.factor.residual(first, [other], [slope])
                shares.append(float((product(residual, residual) / before).sqrt()) if before else 1.0)
        return np.array(shares)

    def regression(self, parents: Sequence[int]) -> tuple[float, Floats, float]:
        """Intercept, coefficients and variance of the only variable, as a function of observed ones."""
        [own], [shares] = self.own, self.weights
        with self.piece.digits_kept():
            slope, intercept = dict(own.pull), own.offset
            for k, share in zip(self.piece.factor.free, shares, strict=True):
                column = self.piece.columns[k]
                _add(slope, self.piece.observed[k], share)
                intercept -= share * column.offset
                for variable, pull in column.pull.items():
                    _add(slope, variable, -share * pull)
            coefficients = np.array([float(slope.get(parent, ZERO)) for parent in parents])
            return float(intercept), coefficients, float(self.variance[0])


@final
class Factor:
    """Covariances of columns of noises, as L D Lᵀ; a column that is a combination of those before it is left out."""

    def __init__(self, variance: Sequence[Decimal]) -> None:
        self.variance = variance
        self.free: list[int] = []
        self.dependent: dict[int, list[Decimal]] = {}
        """The columns that are left out, and what they are of the free ones before them."""
        self.lower: list[list[Decimal]] = []
        self.left: list[Decimal] = []
        self._columns: list[Column] = []

    def add(self, column: Column) -> None:
        """One more column."""
        number = len(self.free) + len(self.dependent)
        along = self._forward([self.product(own, column) for own in self._columns])
        whole = self.product(column, column)
        left = whole - sum((a * a / d for a, d in zip(along, self.left, strict=True)), ZERO)
        if left <= DOUBTFUL * whole:
            shares = self._back([a / d for a, d in zip(along, self.left, strict=True)])
            residual = self.residual(column, self._columns, shares)
            left = self.product(residual, residual)
            if not left:
                self.dependent[number] = shares
                return
        self.lower.append([a / d for a, d in zip(along, self.left, strict=True)])
        self.free.append(number)
        self.left.append(left)
        self._columns.append(column)

    def product(self, one: Column, other: Column) -> Decimal:
        """The covariance of two columns."""
        few, many = (one, other) if len(one) <= len(other) else (other, one)
        return sum((w * many[row] * self.variance[row] for row, w in few.items() if row in many), ZERO)

    def residual(self, column: Column, free: Sequence[Column], shares: Sequence[Decimal]) -> Column:
        """What is left of a column without these shares of others; noises that cancel up to rounding are gone."""
        rest, size = dict(column), {row: abs(number) for row, number in column.items()}
        for own, share in zip(free, shares, strict=True):
            for row, number in own.items():
                _add(rest, row, -share * number)
                _add(size, row, abs(share * number))
        return {row: number for row, number in rest.items() if abs(number) > ROUNDING * size[row]}

    def along(self, column: Column, lengths: Sequence[Decimal]) -> list[Decimal]:
        """Coordinates of a column along orthonormal directions."""
        along = self._forward([self.product(own, column) for own in self._columns])
        return [a / length for a, length in zip(along, lengths, strict=True)]

    def solved(self, right: Sequence[Decimal]) -> list[Decimal]:
        """The covariance matrix of the free columns divided into this."""
        along = self._forward(right)
        return self._back([a / d for a, d in zip(along, self.left, strict=True)])

    def distance(self, right: Sequence[Decimal]) -> Decimal:
        """The squared length of deviations in standard deviations."""
        return sum((a * a / d for a, d in zip(self._forward(right), self.left, strict=True)), ZERO)

    @property
    def log_volume(self) -> Decimal:
        """Minus the logarithm of the density of the free columns at their mean."""
        return sum(((TWO_PI * left).ln() / 2 for left in self.left), ZERO)

    def _forward(self, right: Sequence[Decimal]) -> list[Decimal]:
        found: list[Decimal] = []
        for number, shares in zip(right, self.lower, strict=True):
            found.append(number - sum((s * x for s, x in zip(shares, found, strict=True)), ZERO))
        return found

    def _back(self, right: Sequence[Decimal]) -> list[Decimal]:
        found = list(right)
        for k in range(len(found) - 1, -1, -1):
            for j, share in enumerate(self.lower[k]):
                found[j] -= share * found[k]
        return found


def steps(members: int, observed: int, targets: int = 0) -> int:
    """About how many products of decimals a piece takes."""
    return (observed + targets) * observed * (members + observed)


def _add(column: Column, key: int, number: Decimal) -> None:
    column[key] = column.get(key, ZERO) + number


def _digits_for(columns: Sequence[Combination], variance: Sequence[Decimal]) -> int:
    """Digits for covariances in which the smallest noises are seen next to the largest ones."""
    sizes = [(number * number * variance[row]).adjusted() for own in columns for row, number in own.weights.items() if number]
    return 60 + (2 * (max(sizes) - min(sizes)) if sizes else 0)
