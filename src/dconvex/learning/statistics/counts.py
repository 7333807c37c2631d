"""Statistics of discrete families: how often each configuration of a family was seen.

Counts of the cells of many tables are in one flat array; tables with too many cells keep only those that were seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from dconvex.arrays import Floats, Integers, Offsets
from dconvex.errors import DataError, TooLargeError
from dconvex.learning.columns.encoder import check_number_of_states
from dconvex.learning.columns.states import States
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.coverage import Coverage

MOST_CELLS = 1 << 20
"""A table with more cells is kept as a list of those that were seen."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """The cells that were seen: a row of states for each, sorted, and how often (in expectation, after EM)."""

    cells: Integers
    counts: Integers | Floats

    @classmethod
    def of(cls, cells: Integers, counts: Integers | Floats) -> Seen:
        """Put equal cells together."""
        distinct, index = np.unique(cells, axis=0, return_inverse=True)
        totals = np.bincount(index.reshape(-1), weights=counts, minlength=len(distinct))
        return cls(distinct, totals if counts.dtype.kind == "f" else totals.astype(np.int64))

    def recoded(self, codes: Sequence[Integers]) -> Seen:
        """The same cells where state s of the member k has become `codes[k][s]`."""
        return Seen.of(np.stack([own[self.cells[:, k]] for k, own in enumerate(codes)], axis=1), self.counts)

    def __add__(self, other: Seen) -> Seen:
        return Seen.of(np.concatenate([self.cells, other.cells]), np.concatenate([self.counts, other.counts]))


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """For each family the counts of its table, `counts[at[f]:at[f + 1]]` with axes (*parents, variable), or in `seen`."""

    families: Families
    sizes: Integers
    """The number of states of each variable."""
    at: Offsets
    counts: Integers | Floats
    """Whole numbers, or fractions: the expected ones of EM, and sums of weights."""
    seen: Mapping[int, Seen] = field(default_factory=dict)

    @classmethod
    def empty(cls, families: Families, sizes: Integers, limit: int, *, is_weighted: bool = False) -> Tallies:
        """Tables without counts; those of rows with weights hold fractions.

        Raises:
            TooLargeError: They take more bytes than the limit.
        """
        cells = families.table_sizes(sizes)
        is_dense = cells <= MOST_CELLS
        total = float(cells[is_dense].sum())
        if 8 * total > limit:
            largest = int(np.argmax(np.where(is_dense, cells, 0)))
            what = f"counting {len(families):,} families (the largest: {families.title(largest)})"
            raise TooLargeError(what, int(8 * total), limit, "Raise max_bytes, or give fewer variables or states.")
        at = np.concatenate([[0.0], np.cumsum(np.where(is_dense, cells, 0))]).astype(np.int64)
        zeros: Integers | Floats = np.zeros(int(total), np.int64)
        zeros = zeros.astype(np.float64) if is_weighted else zeros
        none = {
            int(number): Seen(np.empty((0, len(families.members_of(int(number)))), np.int64), zeros[:0])
            for number in np.flatnonzero(~is_dense)
        }
        return cls(families, sizes, at, zeros, none)

    @classmethod
    def expected(cls, families: Families, sizes: Integers, counts: Floats) -> Tallies:
        """Expected counts, given for each cell of all tables."""
        cells = families.table_sizes(sizes)
        is_dense = cells <= MOST_CELLS
        begin = np.concatenate([[0.0], np.cumsum(cells)]).astype(np.int64)
        every = cls(families, sizes, begin, counts)
        seen = {number: every.cells_seen(number) for number in np.flatnonzero(~is_dense).tolist()}
        at = np.concatenate([[0.0], np.cumsum(np.where(is_dense, cells, 0))]).astype(np.int64)
        return cls(families, sizes, at, counts[np.repeat(is_dense, cells.astype(np.int64))], seen)

    def dense(self) -> Floats:
        """All counts, those of large tables too."""
        if not self.seen:
            return self.counts.astype(np.float64)
        cells = self.families.table_sizes(self.sizes)
        at = np.concatenate([[0], np.cumsum(cells.astype(np.int64))])
        values = np.zeros(int(at[-1]))
        for number in range(len(cells)):
            own = values[at[number] : at[number + 1]]
            if number in self.seen:
                seen = self.seen[number]
                shape = [int(self.sizes[member]) for member in self.families.members_of(number)]
                own.reshape(shape)[tuple(seen.cells.T)] = seen.counts
            else:
                own[:] = self.counts[self.at[number] : self.at[number + 1]]
        return values

    @property
    def is_expected(self) -> bool:
        """Whether the counts are fractions: expected ones, of EM, or sums of weights."""
        return self.counts.dtype.kind == "f"

    def recoded(self, sizes: Integers, codes: Sequence[Integers], limit: int) -> Tallies:
        """The same counts where state s of variable v has become `codes[v][s]`, of `sizes[v]`."""
        after = Tallies.empty(self.families, sizes, limit, is_weighted=self.is_expected)
        if not self.counts.size and not self.seen:  # no states were known: as in the first batch of most tables
            return after
        is_changed = sizes != self.sizes
        for variable, own in enumerate(codes):
            is_changed[variable] |= not np.array_equal(own, np.arange(len(own)))
        changes = self.families.any_member(is_changed)
        seen = dict(after.seen)
        for number in range(len(self.families)):
            members = self.families.members_of(number)
            if number in seen:
                before = self.cells_seen(number)
                seen[number] = before.recoded([codes[member] for member in members]) if changes[number] else before
            elif not changes[number]:
                after.counts[after.at[number] : after.at[number + 1]] = self.counts[self.at[number] : self.at[number + 1]]
            elif (old := self.table(number)).size:  # it was no larger before
                after.table(number)[np.ix_(*(codes[member] for member in members))] = old
        return Tallies(self.families, sizes, after.at, after.counts, seen)

    def table(self, number: int) -> Integers | Floats:
        """The counts of a family as an array; a view."""
        shape = [int(self.sizes[member]) for member in self.families.members_of(number)]
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


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Additive statistics of discrete families."""

    kind: ClassVar[Literal["discrete"]] = "discrete"

    states: tuple[States, ...]
    tallies: Tallies
    coverage: Coverage

    @property
    def families(self) -> Families:
        """The families that were counted."""
        return self.tallies.families

    def added(self, other: Counts, limit: int) -> Counts:
        """The counts of all rows together."""
        for name, mine, theirs in zip(self.families.names, self.states, other.states, strict=True):
            if not mine.is_compatible(theirs):
                raise DataError(
                    f"column {name!r} holds {mine.labels[0]!r} in one part and {theirs.labels[0]!r} in another; convert both "
                    "to one type"
                )
        states = tuple(mine | theirs for mine, theirs in zip(self.states, other.states, strict=True))
        check_number_of_states(self.families.names, states)
        sizes = np.array([len(own) for own in states], np.int64)
        one, two = (
            part.tallies
            if part.states == states
            else part.tallies.recoded(sizes, [own.codes_in(new) for own, new in zip(part.states, states, strict=True)], limit)
            for part in (self, other)
        )
        return Counts(states, one + two, self.coverage + other.coverage)

    def first(self, count: int) -> Counts:
        """Those of the first families only."""
        return Counts(self.states, self.tallies.first(count), self.coverage.first(count))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Counts)
            and self.states == other.states
            and self.families == other.families
            and self.tallies == other.tallies
            and np.array_equal(self.coverage.used, other.coverage.used)
            and np.array_equal(self.coverage.offered, other.coverage.offered)
        )

    __hash__ = None  # type: ignore[assignment]
