"""Orthonormal bases for columns of numbers, some of which may be combinations of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from dconvex.arrays import Flags, Floats

NO_NOISE = 1e-12
"""What is left of a standard deviation counts as zero below this share of the terms that it is made of."""
LOG_2_PI = float(np.log(2 * np.pi))


@final
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
        for k in range(first, count):
            column = columns[:, k].copy()
            coordinates[:, k] = 0.0
            for _ in range(2):  # once more: what the first time leaves of rounding errors
                along = vectors[:, :rank].T @ column
                column -= vectors[:, :rank] @ along
                coordinates[:rank, k] += along
            length = float(np.linalg.norm(column))
            is_free[k] = length > NO_NOISE * sizes[k]
            if is_free[k]:
                vectors[:, rank], coordinates[rank, k] = column / length, length
                rank += 1
        return cls(vectors[:, :rank].copy(), coordinates[:rank].copy(), is_free)

    @property
    def is_full(self) -> bool:
        return bool(self.is_free.all())

    @property
    def lengths(self) -> Floats:
        """What each column adds to those before it; nothing where it is a combination of them."""
        lengths = np.zeros(len(self.is_free))
        lengths[self.is_free] = np.abs(np.diagonal(self.triangle))
        return lengths

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


def column_norms(columns: Floats) -> Floats:
    """The length of each column."""
    lengths: Floats = np.sqrt(np.einsum("ij,ij->j", columns, columns))
    return lengths
