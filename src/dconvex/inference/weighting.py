"""Estimates by sampling, for what is too large to compute: likelihood weighting on the small network of a question."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.errors import DconvexError
from dconvex.inference.evidence import Evidence
from dconvex.inference.planner import Key, Planner
from dconvex.inference.tables import Store

Floats: TypeAlias = NDArray[np.float64]
Longs: TypeAlias = NDArray[np.int64]


def weighted_samples(
    planner: Planner, asked: Key, evidence: Evidence, samples: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Probabilities of the joint states of `asked`, flat, and their standard errors.

    Every variable is drawn given its parents, observed ones stay as they are, and a sample weighs as much as the evidence is
    probable given it.
    """
    if samples < 2:
        raise ValueError(f"an estimate needs at least 2 samples, not {samples}")
    store = planner.store
    is_whole = planner.is_one_distribution  # the network's own tables: none has to be derived
    small = planner.small_network(asked, evidence.observed, evidence.likely, is_whole=is_whole)
    places = np.flatnonzero(small.needed)
    places = places[np.argsort(store.index.arcs.rank[small.nodes[places]])]  # parents before children
    store.derive(small.tables[places])
    codes: dict[int, Longs] = {
        place: np.full(samples, code, np.int64) for place, code in zip(evidence.observed, evidence.codes, strict=True)
    }
    seen = set(codes)
    log_weight = np.zeros(samples)
    likelihoods = dict(zip(evidence.likely, evidence.likelihoods, strict=True))
    with np.errstate(divide="ignore"):
        for v in places.tolist():
            node, table = int(small.nodes[v]), int(small.tables[v])
            rows = store.table(table).reshape(-1, int(store.states[node]))
            row = _row(store, table, codes, samples)
            if node in seen:
                log_weight += np.log(rows[row, codes[node]])
            else:
                codes[node] = _drawn(rows, row, rng)
                if node in likelihoods:
                    log_weight += np.log(likelihoods[node][codes[node]])
    return _weighed(store, asked, codes, log_weight)


def _row(store: Store, table: int, codes: dict[int, Longs], samples: int) -> Longs:
    row = np.zeros(samples, np.int64)
    for parent in store.index.parents_of(table).tolist():
        row = row * int(store.states[parent]) + codes[parent]
    return row


def _drawn(rows: Floats, row: Longs, rng: np.random.Generator) -> Longs:
    """A state for each sample by the row that its parents choose, never one of probability zero."""
    cumulative = np.cumsum(rows, axis=1)
    last = rows.shape[1] - 1 - np.argmax(rows[:, ::-1] > 0, axis=1)
    uniform = rng.random(len(row))
    drawn = np.zeros(len(row), np.int64)
    for state in range(rows.shape[1] - 1):
        drawn += uniform >= cumulative[row, state]
    # rounding may pass the last possible state over, and a state of probability zero may stand first
    limited: Longs = np.minimum(drawn, last[row])
    return limited


def _weighed(store: Store, asked: Key, codes: dict[int, Longs], log_weight: Floats) -> tuple[Floats, Floats]:
    highest = log_weight.max()
    if highest == -np.inf:
        raise DconvexError("none of the samples agrees with the evidence; take more samples, or ask with method='exact'")
    weight = np.exp(log_weight - highest)
    cell = np.zeros(len(weight), np.int64)
    size = 1
    for place in asked:
        cell = cell * int(store.states[place]) + codes[place]
        size *= int(store.states[place])
    total = weight.sum()
    values = np.bincount(cell, weight, size) / total
    squared = np.bincount(cell, weight**2, size)
    # the ratio of two means: the variance of sum w (1[x] - p) over the square of sum w
    variance = squared * (1 - 2 * values) + values**2 * (weight**2).sum()
    return values, np.sqrt(np.maximum(variance, 0.0)) / total
