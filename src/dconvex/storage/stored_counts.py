"""Counts of families in files, and back: what is read is checked before it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from dconvex.arrays import Integers, Offsets
from dconvex.learning.counts import Counts
from dconvex.learning.coverage import Coverage
from dconvex.learning.families import Families
from dconvex.learning.states import Order, States
from dconvex.learning.tallies import MOST_CELLS, Seen, Tallies, table_sizes
from dconvex.names import Label, canonical
from dconvex.storage.container import Container
from dconvex.storage.sections import Arrays

Labels: TypeAlias = Sequence[tuple[Label, ...]]

ORDERS = tuple(Order)


def counts_arrays(counts: Counts) -> Arrays:
    """The counts of small tables, and of the others the cells that were seen."""
    tallies = counts.tallies
    seen = [own for _, own in sorted(tallies.seen.items())]
    none = np.empty(0, np.int64)
    return {
        "counts.orders": np.array([ORDERS.index(own.order) for own in counts.states], np.uint8),
        "counts.cells": tallies.counts,
        "counts.seen_rows": np.array([len(own.counts) for own in seen], np.int64),
        "counts.seen_cells": np.concatenate([none, *(own.cells.reshape(-1) for own in seen)]),
        "counts.seen_counts": np.concatenate([none, *(own.counts for own in seen)]),
    }


def read_counts(file: Container, families: Families, coverage: Coverage, labels: Labels) -> Counts:
    """What `counts_arrays` gave.

    Raises:
        FormatError: It is not counts of as many rows as the families use.
    """
    orders = file.array("counts.orders", len(labels))
    if orders.max(initial=0) >= len(ORDERS):
        raise file.damaged("the order of some states comes from nowhere")
    states = tuple(States(own, ORDERS[order]) for own, order in zip(labels, orders.tolist(), strict=True))
    if any(own.order is not Order.DECLARED and list(own.labels) != canonical(own.labels) for own in set(states)):
        raise file.damaged("some states are not in order")
    sizes = np.array([len(own) for own in states], np.int64)
    cells = table_sizes(families, sizes)
    is_dense = cells <= MOST_CELLS
    counts = file.array("counts.cells")
    if float(np.where(is_dense, cells, 0).sum()) != len(counts):
        raise file.damaged("its counts do not fit its families")
    at = np.concatenate([[0.0], np.cumsum(np.where(is_dense, cells, 0))]).astype(np.int64)
    seen = _read_seen(file, families, sizes, np.flatnonzero(~is_dense).tolist())
    _check_totals(file, counts, at, coverage, seen)
    return Counts(states, Tallies(families, sizes, at, counts, seen), coverage)


def _read_seen(file: Container, families: Families, sizes: Integers, numbers: list[int]) -> dict[int, Seen]:
    """The cells that were seen of each large table: states of its members, in order, and how often."""
    rows = file.array("counts.seen_rows", len(numbers))
    cells, counts = file.array("counts.seen_cells"), file.array("counts.seen_counts")
    if len(rows) and (rows.min() < 0 or rows.max() > len(counts)):
        raise file.damaged("the cells that were seen do not fit its families")
    seen: dict[int, Seen] = {}
    cell, row = 0, 0
    for number, many in zip(numbers, rows.tolist(), strict=True):
        members = families.of_number(number)
        own = Seen(cells[cell : cell + many * len(members)], counts[row : row + many])
        cell, row = cell + many * len(members), row + many
        if cell > len(cells) or row > len(counts):
            break
        own = Seen(own.cells.reshape(many, len(members)), own.counts)
        if ((own.cells < 0) | (own.cells >= sizes[members])).any() or (own.counts < 1).any() or not _ascend(own.cells):
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


def _check_totals(file: Container, counts: Integers, at: Offsets, coverage: Coverage, seen: Mapping[int, Seen]) -> None:
    """That no count is negative, and those of a family are as many as the rows it uses."""
    if len(counts) and (counts.min() < 0 or counts.max() > coverage.rows):
        raise file.damaged("a count is negative, or larger than the number of rows")
    if any(own.counts.max(initial=0) > coverage.rows for own in seen.values()):
        raise file.damaged("a count is larger than the number of rows")
    filled = np.flatnonzero(at[1:] > at[:-1])
    totals = np.zeros(len(at) - 1)  # floats do not overflow, and are exact up to the most rows there are
    if len(filled):
        totals[filled] = np.add.reduceat(counts.astype(np.float64), at[filled])
    for number, own in seen.items():
        totals[number] = own.counts.astype(np.float64).sum()
    if (totals != coverage.used).any():
        raise file.damaged("the counts of a family are not as many as its rows")
