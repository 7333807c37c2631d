"""Tables from counts: relative frequencies, or posterior means under a Dirichlet prior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dconvex.arrays import Flags, Floats, Integers
from dconvex.errors import DataError, TooLargeError
from dconvex.learning.estimation.priors import TablePrior
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.counts import Counts

HELD = 5
"""The numbers held at once for each probability while tables are estimated and put into the model."""


@dataclass(frozen=True, slots=True, eq=False)
class TableEstimates:
    """The tables of all families one after the other, and of each how many rows it has and how many were never seen."""

    values: Floats
    rows: Integers
    unobserved: Integers

    def unobserved_rows(self, families: Families) -> dict[str, tuple[int, int]]:
        """By family the rows that were never seen, most first, and of how many."""
        most_first = np.argsort(-self.unobserved, kind="stable").tolist()
        return {families.title(n): (int(self.unobserved[n]), int(self.rows[n])) for n in most_first if self.unobserved[n]}


def estimated_tables(counts: Counts, prior: TablePrior | None, limit: int) -> TableEstimates:
    """Relative frequencies, or posterior means. Rows that were never seen are uniform, or the prior's.

    Raises:
        DataError: A column has no values.
        TooLargeError: The tables take more bytes than the limit.
    """
    families = counts.families
    _check_states(counts)
    cells = families.table_sizes(counts.tallies.sizes)
    _check_size(families, cells, limit)
    values = counts.tallies.dense()
    shape = TableShape.of(families, counts.tallies.sizes)
    unobserved = shape.estimate(values, None if prior is None else shape.pseudo_counts(prior, families, counts.tallies.sizes))
    return TableEstimates(values, shape.rows, shape.by_family(unobserved))


@dataclass(frozen=True, slots=True, eq=False)
class TableShape:
    """How the tables of all families lie in one array: of each its cells and rows, of each row its first cell and length."""

    cells: Integers
    rows: Integers
    start: Integers
    length: Integers

    @classmethod
    def of(cls, families: Families, sizes: Integers) -> TableShape:
        """That of the tables of these families, with these numbers of states."""
        states, cells = sizes[families.variables()], families.table_sizes(sizes).astype(np.int64)
        rows = cells // states
        length = np.repeat(states, rows)
        return cls(cells, rows, np.cumsum(length) - length, length)

    def estimate(self, values: Floats, pseudo: Floats | None) -> Flags:
        """Turn counts into probabilities, in place, with a pseudo-count for each cell; the rows without any count."""
        totals = np.add.reduceat(values, self.start) if len(values) else values
        is_empty: Flags = totals == 0
        if pseudo is None:
            is_nothing = is_empty
        else:
            values += pseudo
            totals += np.add.reduceat(pseudo, self.start) if len(pseudo) else pseudo
            is_nothing = totals == 0
        values[np.repeat(is_nothing, self.length)] = 1.0
        totals[is_nothing] = self.length[is_nothing]
        values /= np.repeat(totals, self.length)
        return is_empty

    def by_family(self, is_chosen: Flags) -> Integers:
        """The number of chosen rows of each family."""
        first = np.concatenate([[0], np.cumsum(self.rows)])[:-1]
        return np.add.reduceat(is_chosen.astype(np.int64), first) if len(first) else self.rows

    def pseudo_counts(self, prior: TablePrior, families: Families, sizes: Integers) -> Floats:
        """The pseudo-count of each cell, for families with these numbers of states.

        Raises:
            ValueError: The prior has others.
        """
        if prior.is_common:
            return np.repeat([prior.pseudo_count(size) for size in self.cells.tolist()], self.cells)
        members = [families.members_of(number) for number in range(len(families))]
        parts = (prior.cells([families.names[k] for k in own], sizes[own].tolist()) for own in members)
        return np.concatenate([np.empty(0), *parts])


def _check_states(counts: Counts) -> None:
    for name, own in zip(counts.families.names, counts.states, strict=True):
        if not own.labels:
            raise DataError(f"column {name!r} has no values: all its cells are missing; drop the variable, or pass states=")


def _check_size(families: Families, cells: Floats, limit: int) -> None:
    held = 8 * HELD * cells.sum()
    if held > limit:
        largest = int(np.argmax(cells))
        what = f"the table of {families.title(largest)} ({cells[largest]:,.0f} probabilities), with {len(cells) - 1:,} others,"
        raise TooLargeError(what, int(min(held, 2.0**62)), limit, "Leave out parents, merge states, or raise max_bytes.")
