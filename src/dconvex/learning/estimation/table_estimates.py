"""Tables from counts: relative frequencies, or posterior means under a Dirichlet prior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dconvex.arrays import Floats, Integers
from dconvex.errors import DataError, TooLargeError
from dconvex.learning.estimation.priors import TablePrior
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.counts import Counts, Tallies

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
    families, states = counts.families, counts.tallies.sizes[counts.families.variables()]
    _check_states(counts)
    cells = families.table_sizes(counts.tallies.sizes)
    _check_size(families, cells, limit)
    values = _dense(counts.tallies, cells)
    rows = cells.astype(np.int64) // states
    length = np.repeat(states, rows)
    start = np.cumsum(length) - length
    first = np.concatenate([[0], np.cumsum(rows)])[:-1]
    totals = np.add.reduceat(values, start) if len(values) else values
    unobserved = np.add.reduceat((totals == 0).astype(np.int64), first) if len(rows) else rows
    if prior is None:
        values[np.repeat(totals == 0, length)] = 1.0
        totals[totals == 0] = length[totals == 0]
    else:
        pseudo = np.array([prior.pseudo_count(size) for size in cells.tolist()])
        values += np.repeat(pseudo, cells.astype(np.int64))
        totals += np.repeat(pseudo, rows) * length
    values /= np.repeat(totals, length)
    return TableEstimates(values, rows, unobserved)


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


def _dense(tallies: Tallies, cells: Floats) -> Floats:
    """All counts, those of large tables too."""
    if not tallies.seen:
        return tallies.counts.astype(np.float64)
    at = np.concatenate([[0], np.cumsum(cells.astype(np.int64))])
    values = np.zeros(int(at[-1]))
    for number in range(len(cells)):
        own = values[at[number] : at[number + 1]]
        if number in tallies.seen:
            seen = tallies.seen[number]
            shape = [int(tallies.sizes[member]) for member in tallies.families.members_of(number)]
            own.reshape(shape)[tuple(seen.cells.T)] = seen.counts
        else:
            own[:] = tallies.counts[tallies.at[number] : tallies.at[number + 1]]
    return values
