"""Statistics as arrays in a file, and back."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.learning.counts import Counts
from dconvex.learning.coverage import Coverage
from dconvex.learning.families import Families
from dconvex.learning.moments import Moments
from dconvex.learning.states import Order, States
from dconvex.learning.tallies import Seen, Tallies
from dconvex.storage.container import Container
from dconvex.storage.texts import StoredLabels, packed_labels

Arrays: TypeAlias = dict[str, NDArray[Any]]
Facts: TypeAlias = dict[str, Any]

ORDERS = tuple(Order)
MOMENTS = ("mean", "rest", "scatter")


def part_arrays(part: Counts | Moments) -> tuple[Arrays, Facts]:
    """What was counted, without the graph and the tree."""
    coverage = part.coverage
    arrays: Arrays = {
        "statistics.tables": coverage.tables, "statistics.offered": coverage.offered, "statistics.used": coverage.used,
        "statistics.has_column": coverage.has_column,
    }  # fmt: skip
    arrays |= _counts(part) if isinstance(part, Counts) else {f"statistics.{name}": getattr(part, name) for name in MOMENTS}
    return arrays, {"kind": part.kind, "rows": coverage.rows, "families": len(part.families)}


def part_from(file: Container, facts: Facts, families: Families) -> Counts | Moments:
    """What `part_arrays` gave."""
    tables, offered, used, has_column = (file[f"statistics.{name}"] for name in ("tables", "offered", "used", "has_column"))
    coverage = Coverage(int(facts["rows"]), tables, offered, used, has_column)
    if facts["kind"] == "gaussian":
        mean, rest, scatter = (file[f"statistics.{name}"] for name in MOMENTS)
        return Moments(families, mean, rest, scatter, coverage)
    return _counts_from(file, families, coverage)


def _counts(counts: Counts) -> Arrays:
    tallies = counts.tallies
    seen = list(tallies.seen.values())
    none = np.empty(0, np.int64)
    return {
        **packed_labels([own.labels for own in counts.states], "statistics.labels"),
        "statistics.order": np.array([ORDERS.index(own.order) for own in counts.states], np.uint8),
        "statistics.at": tallies.at,
        "statistics.counts": tallies.counts,
        "statistics.seen": np.array(list(tallies.seen), np.int64),
        "statistics.seen_rows": np.array([len(own.counts) for own in seen], np.int64),
        "statistics.seen_cells": np.concatenate([none, *(own.cells.reshape(-1) for own in seen)]),
        "statistics.seen_counts": np.concatenate([none, *(own.counts for own in seen)]),
    }


def _counts_from(file: Container, families: Families, coverage: Coverage) -> Counts:
    labels = StoredLabels(file, "statistics.labels")
    states = tuple(States(own, ORDERS[order]) for own, order in zip(labels, file["statistics.order"].tolist(), strict=True))
    numbers, rows = file["statistics.seen"].tolist(), file["statistics.seen_rows"].tolist()
    cells, counts = file["statistics.seen_cells"], file["statistics.seen_counts"]
    seen: dict[int, Seen] = {}
    cell, row = 0, 0
    for number, many in zip(numbers, rows, strict=True):
        width = len(families.of_number(number))
        seen[number] = Seen(cells[cell : cell + many * width].reshape(many, width), counts[row : row + many])
        cell, row = cell + many * width, row + many
    tallies = Tallies(families, labels.sizes(), file["statistics.at"], file["statistics.counts"], seen)
    return Counts(states, tallies, coverage)
