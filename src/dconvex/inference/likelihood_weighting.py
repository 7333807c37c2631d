"""Likelihood weighting on the small network of a question, for what is too large to compute."""

from __future__ import annotations

import numpy as np

from dconvex._core import NetworkPart, Question, small_network
from dconvex.arrays import Floats, Integers
from dconvex.errors import DconvexError, TooLargeError
from dconvex.inference.evidence import Variables
from dconvex.inference.planner import Planner
from dconvex.inference.request import Request
from dconvex.inference.table_store import TableStore

WORKING_COLUMNS = 8
"""Besides the states, this many numbers are held for each sample."""


def weighted_samples(planner: Planner, request: Request, samples: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Probabilities of the joint states of the targets, flat, and their standard errors.

    Every variable is drawn given its parents, observed ones stay as they are, and the weight of a sample is the probability
    of the evidence given it.
    """
    if samples < 2:
        raise ValueError(f"an estimate needs at least 2 samples, not {samples}")
    store, evidence = planner.store, request.evidence
    # in the whole network no table has to be derived
    network = NetworkPart.WHOLE if planner.coherent else NetworkPart.PRUNED
    question = Question(request.targets, evidence.observed, evidence.soft, network=network, coherent=planner.coherent)
    small = small_network(store.index.core, question)
    requisite = np.flatnonzero(small.is_requisite)
    requisite = requisite[np.argsort(store.index.core.graph.rank[small.nodes[requisite]])]  # parents before children
    _refuse_many_samples(samples, len(requisite) + len(evidence.observed), request.limit)
    store.derive(small.tables[requisite])
    states: dict[int, Integers] = {v: np.full(samples, state, np.int64) for v, state in evidence.state_of().items()}
    observed = set(states)
    log_weight = np.zeros(samples)
    likelihoods = dict(zip(evidence.soft, evidence.likelihoods, strict=True))
    with np.errstate(divide="ignore"):
        for v in requisite.tolist():
            node, table = int(small.nodes[v]), int(small.tables[v])
            rows = store.table(table).reshape(-1, int(store.states[node]))
            row = _row(store, table, states, samples)
            if node in observed:
                log_weight += np.log(rows[row, states[node]])
            else:
                states[node] = _drawn(rows, row, rng)
                if node in likelihoods:
                    log_weight += np.log(likelihoods[node][states[node]])
    return _weighed(store, request.targets, states, log_weight)


def _refuse_many_samples(samples: int, variables: int, limit: int) -> None:
    estimate = 8 * samples * (variables + WORKING_COLUMNS)
    if estimate > limit:
        what = f"{samples:,} samples of {variables:,} variables"
        raise TooLargeError(what, estimate, limit, "Take fewer samples, or raise max_bytes.")


def _row(store: TableStore, table: int, states: dict[int, Integers], samples: int) -> Integers:
    row = np.zeros(samples, np.int64)
    for parent in store.index.parents_of(table).tolist():
        row = row * int(store.states[parent]) + states[parent]
    return row


def _drawn(rows: Floats, row: Integers, rng: np.random.Generator) -> Integers:
    """A state for each sample by the row that its parents choose, never one of probability zero."""
    cumulative = np.cumsum(rows, axis=1)
    last = rows.shape[1] - 1 - np.argmax(rows[:, ::-1] > 0, axis=1)
    uniform = rng.random(len(row))
    drawn = np.zeros(len(row), np.int64)
    for state in range(rows.shape[1] - 1):
        drawn += uniform >= cumulative[row, state]
    # rounding may pass the last possible state over, and a state of probability zero may come first
    limited: Integers = np.minimum(drawn, last[row])
    return limited


def _weighed(store: TableStore, targets: Variables, states: dict[int, Integers], log_weight: Floats) -> tuple[Floats, Floats]:
    highest = log_weight.max()
    if highest == -np.inf:
        raise DconvexError("none of the samples agrees with the evidence; take more samples, or ask with method='exact'")
    weight = np.exp(log_weight - highest)
    cell = np.zeros(len(weight), np.int64)
    size = 1
    for target in targets:
        cell = cell * int(store.states[target]) + states[target]
        size *= int(store.states[target])
    total = weight.sum()
    values = np.bincount(cell, weight, size) / total
    squared = np.bincount(cell, weight**2, size)
    # the ratio of two means: the variance of sum w (1[x] - p) over the square of sum w
    variance = squared * (1 - 2 * values) + values**2 * (weight**2).sum()
    return values, np.sqrt(np.maximum(variance, 0.0)) / total
