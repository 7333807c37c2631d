"""Statistics of continuous families: means, and sums of squares and products of deviations from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from dconvex.arrays import Floats, Integers, Offsets
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.coverage import Coverage


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Additive statistics of continuous families, by the update of Chan, Golub and LeVeque.

    A family with m members has m means along `families.members`, and m × m entries of `scatter`. `rest` is what a float is too
    coarse for in the mean of a column that lies far from zero.
    """

    kind: ClassVar[Literal["gaussian"]] = "gaussian"

    families: Families
    mean: Floats
    rest: Floats
    scatter: Floats
    coverage: Coverage
    total: Floats | None = None
    """For each family the weight of its rows, where that is not their number."""

    @property
    def weight(self) -> Floats:
        """For each family the weight of the rows that it uses, or their number where rows have no weights."""
        return self.coverage.used.astype(np.float64) if self.total is None else self.total

    def added(self, other: Moments) -> Moments:
        """The moments of all rows together."""
        one, two = self.weight, other.weight
        both = np.where(one + two > 0, one + two, 1.0)
        widths = np.diff(self.families.offsets)
        apart = (other.mean - self.mean) + (other.rest - self.rest)
        mean, rest = exact_sum(self.mean, self.rest + apart * np.repeat(two / both, widths))
        is_new = np.repeat(one == 0, widths)
        mean, rest = np.where(is_new, other.mean, mean), np.where(is_new, other.rest, rest)
        row, column, _ = entry_indices(self.families)
        weight = np.repeat(one * two / both, widths**2)
        scatter = self.scatter + other.scatter + weight * apart[row] * apart[column]
        total = None if self.total is None and other.total is None else one + two
        return Moments(self.families, mean, rest, scatter, self.coverage + other.coverage, total)

    def first(self, count: int) -> Moments:
        """Those of the first families only."""
        families = self.families.first(count)
        members, squares = families.offsets[-1], scatter_offsets(families)[-1]
        total = None if self.total is None else self.total[:count]
        return Moments(
            families, self.mean[:members], self.rest[:members], self.scatter[:squares], self.coverage.first(count), total
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Moments)
            and self.families == other.families
            and np.array_equal(self.mean, other.mean)
            and np.array_equal(self.rest, other.rest)
            and np.array_equal(self.scatter, other.scatter)
            and np.array_equal(self.coverage.used, other.coverage.used)
            and np.array_equal(self.weight, other.weight)
        )

    __hash__ = None  # type: ignore[assignment]


def scatter_offsets(families: Families) -> Offsets:
    """The index of the first entry of each family in `scatter`, and one past the last."""
    return np.concatenate([[0], np.cumsum(np.diff(families.offsets) ** 2)]).astype(np.int64)


def entry_indices(families: Families) -> tuple[Integers, Integers, Integers]:
    """For each entry of `scatter` its two members, by index in `families.members`, and the entry across the diagonal."""
    widths = np.diff(families.offsets)
    width = np.repeat(widths, widths**2)
    begin, at = np.repeat(families.offsets[:-1], widths**2), np.repeat(scatter_offsets(families)[:-1], widths**2)
    row, column = np.divmod(np.arange(len(width)) - at, np.maximum(width, 1))
    return begin + row, begin + column, at + column * width + row


def exact_sum(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """The sum as a float and what is left over (Knuth)."""
    total = one + other
    part = total - one
    return total, (one - (total - part)) + (other - part)
