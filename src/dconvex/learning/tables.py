"""Tables from counts: relative frequencies, or posterior means under a Dirichlet prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.errors import DataError, TooLargeError
from dconvex.learning.counts import Counts
from dconvex.learning.priors import TablePrior
from dconvex.learning.tallies import Tallies, table_sizes

Floats: TypeAlias = NDArray[np.float64]
Longs: TypeAlias = NDArray[np.int64]

HELD = 5
"""So many numbers are held at once for each probability while tables are estimated and put into the model."""


@dataclass(frozen=True, slots=True, eq=False)
class TableEstimates:
    """The tables of all families one after the other, and of each how many rows it has and how many were never seen."""

    values: Floats
    rows: Longs
    unobserved: Longs


def estimated_tables(counts: Counts, prior: TablePrior | None, limit: int) -> TableEstimates:
    """Rows that were never seen are uniform."""
    tallies, families = counts.tallies, counts.families
    for name, own in zip(families.names, counts.states, strict=True):
        if not own.labels:
            raise DataError(f"column {name!r} has no values: all its cells are missing; drop the variable, or pass states=")
    cells = table_sizes(families, tallies.sizes)
    if 8 * HELD * cells.sum() > limit:
        largest = int(np.argmax(cells))
        what = f"the table of {families.title(largest)} ({cells[largest]:,.0f} probabilities), with {len(cells) - 1:,} others,"
        way_out = "Leave out parents, merge states, or raise max_bytes."
        raise TooLargeError(what, int(min(8 * HELD * cells.sum(), 2.0**62)), limit, way_out)
    values = _dense(tallies, cells)
    states = tallies.sizes[families.variables()]
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
            shape = [int(tallies.sizes[member]) for member in tallies.families.of_number(number)]
            own.reshape(shape)[tuple(seen.cells.T)] = seen.counts
        else:
            own[:] = tallies.counts[tallies.at[number] : tallies.at[number + 1]]
    return values
