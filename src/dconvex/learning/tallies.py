"""Counts of the cells of many tables in one flat array; tables with too many cells keep only those that were seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.errors import TooLargeError
from dconvex.learning.families import Families

Longs: TypeAlias = NDArray[np.int64]

MOST_CELLS = 1 << 20
"""A table with more cells is kept as a list of those that were seen."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """The cells that were seen: a row of states for each, sorted, and how often."""

    cells: Longs
    counts: Longs

    @classmethod
    def of(cls, cells: Longs, counts: Longs) -> Seen:
        """Put equal cells together."""
        distinct, place = np.unique(cells, axis=0, return_inverse=True)
        return cls(distinct, np.bincount(place.reshape(-1), weights=counts, minlength=len(distinct)).astype(np.int64))

    def __add__(self, other: Seen) -> Seen:
        return Seen.of(np.concatenate([self.cells, other.cells]), np.concatenate([self.counts, other.counts]))


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """For each family the counts of its table, `counts[at[f]:at[f + 1]]` with axes (*parents, variable), or in `seen`."""

    families: Families
    sizes: Longs
    """The number of states of each variable."""
    at: Longs
    counts: Longs
    seen: Mapping[int, Seen] = field(default_factory=dict)

    @classmethod
    def empty(cls, families: Families, sizes: Longs, limit: int) -> Tallies:
        cells = table_sizes(families, sizes)
        is_dense = cells <= MOST_CELLS
        total = float(cells[is_dense].sum())
        if 8 * total > limit:
            largest = int(np.argmax(np.where(is_dense, cells, 0)))
            what = f"counting {len(families):,} families (the largest: {families.title(largest)})"
            raise TooLargeError(what, int(8 * total), limit, "Raise max_bytes, or give fewer variables or states.")
        at = np.concatenate([[0.0], np.cumsum(np.where(is_dense, cells, 0))]).astype(np.int64)
        none = {
            int(number): Seen(np.empty((0, len(families.of_number(int(number)))), np.int64), np.empty(0, np.int64))
            for number in np.flatnonzero(~is_dense)
        }
        return cls(families, sizes, at, np.zeros(int(total), np.int64), none)

    def moved(self, sizes: Longs, places: Sequence[Longs], limit: int) -> Tallies:
        """The same counts where state s of variable v has become `places[v][s]`, of `sizes[v]`."""
        after = Tallies.empty(self.families, sizes, limit)
        is_changed = sizes != self.sizes
        for variable, own in enumerate(places):
            is_changed[variable] |= not np.array_equal(own, np.arange(len(own)))
        moves = self.families.reduced(np.logical_or, is_changed)
        seen = dict(after.seen)
        for number in range(len(self.families)):
            if not moves[number]:
                if number in seen:
                    seen[number] = self.seen[number]
                else:
                    after.counts[after.at[number] : after.at[number + 1]] = self.counts[self.at[number] : self.at[number + 1]]
                continue
            members = self.families.of_number(number)
            if number not in seen:  # it was no larger before
                if (old := self.table(number)).size:
                    after.table(number)[np.ix_(*(places[member] for member in members))] = old
            else:
                before = self.cells_seen(number)
                cells = np.stack([places[member][before.cells[:, k]] for k, member in enumerate(members)], axis=1)
                seen[number] = Seen.of(cells, before.counts)
        return Tallies(self.families, sizes, after.at, after.counts, seen)

    def table(self, number: int) -> Longs:
        """The counts of a family as an array; a view."""
        shape = [int(self.sizes[member]) for member in self.families.of_number(number)]
        return self.counts[self.at[number] : self.at[number + 1]].reshape(shape)

    def cells_seen(self, number: int) -> Seen:
        """The cells of a family that were seen, whichever way they are kept."""
        if number in self.seen:
            return self.seen[number]
        table = self.table(number)
        cells = np.argwhere(table)
        return Seen(cells.astype(np.int64), table[tuple(cells.T)])

    def __add__(self, other: Tallies) -> Tallies:
        """The sum of counts over the same families and states."""
        seen = {number: own + other.seen[number] for number, own in self.seen.items()}
        return Tallies(self.families, self.sizes, self.at, self.counts + other.counts, seen)

    def first(self, count: int) -> Tallies:
        """Those of the first families only."""
        seen = {number: own for number, own in self.seen.items() if number < count}
        return Tallies(self.families.first(count), self.sizes, self.at[: count + 1], self.counts[: self.at[count]], seen)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Tallies)
            and np.array_equal(self.counts, other.counts)
            and self.seen.keys() == other.seen.keys()
            and all(
                np.array_equal(own.cells, other.seen[number].cells) and np.array_equal(own.counts, other.seen[number].counts)
                for number, own in self.seen.items()
            )
        )

    __hash__ = None  # type: ignore[assignment]


def table_sizes(families: Families, sizes: NDArray[Any]) -> NDArray[np.float64]:
    """How many cells the table of each family has."""
    with np.errstate(over="ignore"):
        found: NDArray[np.float64] = families.reduced(np.multiply, sizes.astype(np.float64))
    return found
