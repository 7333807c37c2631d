"""Counts of families in files, and back: what is read is checked before it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from dconvex.arrays import Floats, Integers, Offsets
from dconvex.learning.columns.states import Order, States
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.counts import MOST_CELLS, Counts, Seen, Tallies
from dconvex.learning.statistics.coverage import Coverage
from dconvex.names import Label, canonical
from dconvex.storage.container import Container
from dconvex.storage.sections import Arrays

Labels: TypeAlias = Sequence[tuple[Label, ...]]

ORDERS = tuple(Order)


def counts_arrays(counts: Counts) -> Arrays:
    """The counts of small tables, and of the others the cells that were seen."""
    tallies = counts.tallies
    seen = [own for _, own in sorted(tallies.seen.items())]
    section, dtype = ("expected", np.float64) if tallies.is_expected else ("counts", np.int64)
    return {
        f"{section}.orders": np.array([ORDERS.index(own.order) for own in counts.states], np.uint8),
        f"{section}.cells": tallies.counts,
        f"{section}.seen_rows": np.array([len(own.counts) for own in seen], np.int64),
        f"{section}.seen_cells": np.concatenate([np.empty(0, np.int64), *(own.cells.reshape(-1) for own in seen)]),
        f"{section}.seen_counts": np.concatenate([np.empty(0, dtype), *(own.counts for own in seen)]),
    }


def read_counts(file: Container, families: Families, coverage: Coverage, labels: Labels) -> Counts:
    """What `counts_arrays` gave.

    Raises:
        FormatError: It is not counts of as many rows as the families use.
    """
    section = "expected" if "expected" in file else "counts"
    orders = file.array(f"{section}.orders", len(labels))
    if orders.max(initial=0) >= len(ORDERS):
        raise file.damaged("the order of some states comes from nowhere")
    states = tuple(States(own, ORDERS[order]) for own, order in zip(labels, orders.tolist(), strict=True))
    if any(own.order is not Order.DECLARED and list(own.labels) != canonical(own.labels) for own in set(states)):
        raise file.damaged("some states are not in order")
    sizes = np.array([len(own) for own in states], np.int64)
    cells = families.table_sizes(sizes)
    is_dense = cells <= MOST_CELLS
    counts = file.array(f"{section}.cells")
    if float(np.where(is_dense, cells, 0).sum()) != len(counts):
        raise file.damaged("its counts do not fit its families")
    at = np.concatenate([[0.0], np.cumsum(np.where(is_dense, cells, 0))]).astype(np.int64)
    seen = _read_seen(file, section, families, sizes, np.flatnonzero(~is_dense).tolist())
    _check_totals(file, counts, at, coverage, seen)
    return Counts(states, Tallies(families, sizes, at, counts, seen), coverage)


def _read_seen(file: Container, section: str, families: Families, sizes: Integers, numbers: list[int]) -> dict[int, Seen]:
    """The cells that were seen of each large table: states of its members, in order, and how often."""
    rows = file.array(f"{section}.seen_rows", len(numbers))
    cells, counts = file.array(f"{section}.seen_cells"), file.array(f"{section}.seen_counts")
    if len(rows) and (rows.min() < 0 or rows.max() > len(counts)):
        raise file.damaged("the cells that were seen do not fit its families")
    seen: dict[int, Seen] = {}
    cell, row = 0, 0
    for number, many in zip(numbers, rows.tolist(), strict=True):
        members = families.members_of(number)
        own = Seen(cells[cell : cell + many * len(members)], counts[row : row + many])
        cell, row = cell + many * len(members), row + many
        if cell > len(cells) or row > len(counts):
            break
        own = Seen(own.cells.reshape(many, len(members)), own.counts)
        if ((own.cells < 0) | (own.cells >= sizes[members])).any() or not (own.counts > 0).all() or not _ascend(own.cells):
            raise file.damaged("the cells that were seen are not cells, or not in order")
        seen[number] = own
    if cell != len(cells) or row != len(counts):
        raise file.damaged("the cells that were seen do not fit its families")
    return seen


def _ascend(rows: Integers) -> bool:
    """Whether rows are in order, and no two are equal."""
    differs = rows[1:] != rows[:-1]
    first = np.argmax(differs, axis=1)[:, np.newaxis]
    later, earlier = (np.take_along_axis(part, first, axis=1) for part in (rows[1:], rows[:-1]))
    return bool((later > earlier).all())


def _check_totals(
    file: Container, counts: Integers | Floats, at: Offsets, coverage: Coverage, seen: Mapping[int, Seen]
) -> None:
    """That no count is negative, and those of a family are as many as the rows it uses, where they are no fractions."""
    if counts.dtype.kind == "f":  # sums of weights, which rows have nothing to do with
        if not all((own >= 0).all() and np.isfinite(own).all() for own in (counts, *(part.counts for part in seen.values()))):
            raise file.damaged("a count is negative or not finite")
        return
    most = coverage.rows
    if len(counts) and not (counts.min() >= 0 and counts.max() <= most):
        raise file.damaged("a count is negative, or larger than the number of rows")
    if not all(own.counts.max(initial=0) <= most for own in seen.values()):
        raise file.damaged("a count is larger than the number of rows")
    filled = np.flatnonzero(at[1:] > at[:-1])
    totals = np.zeros(len(at) - 1)  # floats do not overflow, and are exact up to the most rows there are
    if len(filled):
        totals[filled] = np.add.reduceat(counts.astype(np.float64), at[filled])
    for number, own in seen.items():
        totals[number] = own.counts.astype(np.float64).sum()
    if not (totals == coverage.used).all():
        raise file.damaged("the counts of a family are not as many as its rows")
