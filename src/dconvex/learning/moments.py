"""Statistics of continuous families: means, and sums of squares and products of deviations from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex._core import MomentSums, add_moments
from dconvex.errors import DataError
from dconvex.learning.cells import Cells
from dconvex.learning.coverage import Coverage
from dconvex.learning.families import Families
from dconvex.learning.threads import TASKS, Workers, even_parts

Floats: TypeAlias = NDArray[np.float64]
Longs: TypeAlias = NDArray[np.int64]


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

    def added(self, other: Moments, limit: int) -> Moments:
        one, two = (part.coverage.used.astype(np.float64) for part in (self, other))
        both = np.maximum(one + two, 1.0)
        widths = np.diff(self.families.offsets)
        apart = (other.mean - self.mean) + (other.rest - self.rest)
        mean, rest = _exact_sum(self.mean, self.rest + apart * np.repeat(two / both, widths))
        is_new = np.repeat(one == 0, widths)
        mean, rest = np.where(is_new, other.mean, mean), np.where(is_new, other.rest, rest)
        row, column, _ = pair_places(self.families)
        weight = np.repeat(one * two / both, widths**2)
        scatter = self.scatter + other.scatter + weight * apart[row] * apart[column]
        return Moments(self.families, mean, rest, scatter, self.coverage + other.coverage)

    def first(self, count: int) -> Moments:
        """Those of the first families only."""
        families = self.families.first(count)
        members, squares = families.offsets[-1], scatter_places(families)[-1]
        return Moments(families, self.mean[:members], self.rest[:members], self.scatter[:squares], self.coverage.first(count))

    def score(self, criterion: Literal["bic", "aic", "bdeu"], equivalent_sample_size: float) -> float:
        """The score of the network as a whole, from its own families."""
        from dconvex.learning.regressions import least_squares

        if criterion == "bdeu":
            raise ValueError("BDeu is a score of tables; use 'bic' or 'aic' for a Gaussian network")
        own = self.first(len(self.families.names))
        variance = least_squares(own).variance
        if not (variance > 0).all():
            name = self.families.names[int(np.argmin(variance > 0))]
            raise DataError(f"{name!r} is determined by its parents, so that the likelihood has no bound")
        rows = own.coverage.used
        likelihood = float((-0.5 * rows * (np.log(2 * math.pi * variance) + 1)).sum())
        parameters = np.diff(own.families.offsets) + 1
        price = np.ones(len(rows)) if criterion == "aic" else 0.5 * np.log(np.maximum(rows, 1))
        return likelihood - float((price * parameters).sum())

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Moments)
            and self.families == other.families
            and np.array_equal(self.mean, other.mean)
            and np.array_equal(self.rest, other.rest)
            and np.array_equal(self.scatter, other.scatter)
            and np.array_equal(self.coverage.used, other.coverage.used)
        )

    __hash__ = None  # type: ignore[assignment]


class Measuring:
    """Adds up the moments of tables part by part; `finished` gives the statistics."""

    def __init__(self, families: Families, workers: Workers) -> None:
        self.families, self.workers = families, workers
        self.total: Moments | None = None
        self.used = np.zeros(len(families), np.int64)
        self._values = np.empty((0, 0))

    def add(self, first: int, last: int, cells: Sequence[Cells | None], covered: NDArray[np.bool_]) -> None:
        """Add these rows of a table, which has cells for some variables and covers some families."""
        rows, names = last - first, self.families.names
        if len(self._values) < len(cells) or self._values.shape[1] < rows:
            self._values = np.empty((len(cells), rows))
        may_miss = np.zeros(len(cells), bool)

        def read(variable: int) -> None:
            column, own = cells[variable], self._values[variable, :rows]
            if column is not None:
                own[:] = column.numbers(first, last, names[variable])
                may_miss[variable] = np.isnan(own).any()

        self.workers.for_each(read, range(len(cells)))
        sums = MomentSums(self.families.lists)
        parts = even_parts(np.diff(self.families.offsets) ** 2.0, TASKS)
        runs = [run for part in parts for run in _covered_runs(covered, *part)]
        self.workers.map(lambda bounds: add_moments(sums, self._values, rows, may_miss, *bounds), runs)
        part = self._moments(sums)
        self.total = part if self.total is None else self.total.added(part, 0)
        self.used += sums.used

    def finished(self, coverage: Coverage) -> Moments:
        assert self.total is not None
        return replace(self.total, coverage=coverage)

    def _moments(self, found: MomentSums) -> Moments:
        """From sums of deviations to deviations from the mean."""
        sums, products, used = found.sums, found.products, found.used.copy()
        widths, rows = np.diff(self.families.offsets), np.maximum(used, 1).astype(np.float64)
        mean, rest = _exact_sum(found.shift, sums / np.repeat(rows, widths))
        row, column, mirrored = pair_places(self.families)
        whole = np.where(row >= column, products, products[mirrored])  # the core fills one half
        scatter = whole - sums[row] * sums[column] / np.repeat(rows, widths**2)
        return Moments(self.families, mean, rest, scatter, Coverage.of_rows(used, len(self.families.names)))


def scatter_places(families: Families) -> Longs:
    """Where the square of each family begins."""
    return np.concatenate([[0], np.cumsum(np.diff(families.offsets) ** 2)]).astype(np.int64)


def pair_places(families: Families) -> tuple[Longs, Longs, Longs]:
    """For each entry of all squares its two members, by place in `families.members`, and the entry across the diagonal."""
    widths = np.diff(families.offsets)
    width = np.repeat(widths, widths**2)
    begin, at = np.repeat(families.offsets[:-1], widths**2), np.repeat(scatter_places(families)[:-1], widths**2)
    row, column = np.divmod(np.arange(len(width)) - at, np.maximum(width, 1))
    return begin + row, begin + column, at + column * width + row


def _exact_sum(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """The sum as a float and what is left over (Knuth)."""
    total = one + other
    part = total - one
    return total, (one - (total - part)) + (other - part)


def _covered_runs(covered: NDArray[np.bool_], first: int, last: int) -> list[tuple[int, int]]:
    """Bounds of the runs of families that are covered, within a part."""
    if covered[first:last].all():
        return [(first, last)]
    edges = np.flatnonzero(np.diff(np.concatenate([[False], covered[first:last], [False]]).astype(np.int8)))
    return [(first + int(a), first + int(b)) for a, b in edges.reshape(-1, 2)]
