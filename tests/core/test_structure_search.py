"""Moves of a search keep the graph acyclic and within the constraints, and each is the best there is."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dconvex as dc
from dconvex import _core

SIZE = 6


def pairs(edges):
    return np.array(sorted(edges), np.int32).reshape(-1, 2)


def is_acyclic(edges):
    try:
        dc.Dag(edges, range(SIZE))
    except dc.CycleError:
        return False
    return True


class Oracle:
    """Scores that are drawn, a number for each family, with a penalty."""

    def __init__(self, seed):
        self.random, self.known = np.random.default_rng(seed), {}

    def __call__(self, variable, parents):
        return self.known.setdefault((variable, tuple(parents)), float(self.random.normal()) - 0.3 * len(parents))

    def total(self, edges):
        return sum(self(v, sorted(p for p, c in edges if c == v)) for v in range(SIZE))


def neighbours(edges, required, forbidden, most):
    """All graphs a move away that are allowed."""
    for edge in itertools.permutations(range(SIZE), 2):
        if edge in edges:
            if edge not in required:
                yield edges - {edge}
                yield (edges - {edge}) | {edge[::-1]}
        elif edge[::-1] not in edges:
            yield edges | {edge}


def is_allowed(edges, required, forbidden, most):
    parents = [sum(c == v for _, c in edges) for v in range(SIZE)]
    return is_acyclic(edges) and required <= edges and not forbidden & edges and max(parents) <= most


@pytest.mark.parametrize("seed", range(25))
def test_each_move_is_the_best_one(seed):
    random = np.random.default_rng(seed)
    every = list(itertools.permutations(range(SIZE), 2))
    required = {(0, 1), (1, 4)} if seed % 2 else set()
    forbidden = {every[k] for k in random.choice(len(every), 6, replace=False)} - required
    most = int(random.integers(2, 4))
    oracle = Oracle(seed)
    constraints = _core.EdgeConstraints(SIZE, pairs(required), pairs(forbidden), most)
    start = _core.Ragged.from_lists([[p for p, c in sorted(required) if c == v] for v in range(SIZE)])
    search = _core.StructureSearch(_core.CallableScore(SIZE, oracle), constraints, start)
    while search.advance(1):
        pass
    edges = set(required)
    moves, gains = search.moves()
    for (kind, parent, child), gain in zip(moves.tolist(), gains.tolist(), strict=True):
        before = oracle.total(edges)
        allowed = [own for own in neighbours(edges, required, forbidden, most) if is_allowed(own, required, forbidden, most)]
        best = max(map(oracle.total, allowed)) - before
        edges ^= {(parent, child)} if kind < 2 else {(parent, child), (child, parent)}
        assert is_allowed(edges, required, forbidden, most)
        assert oracle.total(edges) - before == pytest.approx(gain) == pytest.approx(best)
    assert search.score == pytest.approx(oracle.total(edges))
    left = [own for own in neighbours(edges, required, forbidden, most) if is_allowed(own, required, forbidden, most)]
    assert max(map(oracle.total, left)) <= search.score + 1e-9
    found = {(p, v) for v in range(SIZE) for p in search.parents[v].tolist()}
    assert found == edges


@pytest.mark.parametrize("seed", range(5))
def test_a_longer_search_ends_within_the_constraints_and_is_no_worse(seed):
    oracle = Oracle(seed)
    forbidden = {(0, 1), (2, 3), (5, 4)}
    constraints = _core.EdgeConstraints(SIZE, pairs(set()), pairs(forbidden), 2)
    empty = _core.Ragged.from_lists([[]] * SIZE)
    scores = []
    for budget, calls in ((0, 10), (5000, 3), (5000, 100_000)):
        own = _core.StructureSearch(_core.CallableScore(SIZE, oracle), constraints, empty, budget, 5, seed)
        while own.advance(calls):
            pass
        edges = {(p, v) for v in range(SIZE) for p in own.parents[v].tolist()}
        assert is_allowed(edges, set(), forbidden, 2)
        scores.append(own.score)
        removal, reversal = own.edge_gains()
        assert len(removal) == len(reversal) == len(edges)
    assert scores[0] <= scores[1] == scores[2]


def test_unsound_starts_are_refused():
    score = _core.CallableScore(3, Oracle(0))
    constraints = _core.EdgeConstraints(3, pairs({(0, 1)}), pairs({(1, 2)}), 1)
    for lists, message in [
        ([[], [0]], "other variables"),
        ([[1], [0], []], "acyclic"),
        ([[], [0], [1]], "forbidden"),
        ([[], [0, 2], []], "more parents"),
        ([[], [], []], "lacks a required"),
    ]:
        with pytest.raises(ValueError, match=message):
            _core.StructureSearch(score, constraints, _core.Ragged.from_lists(lists))
    with pytest.raises(ValueError, match="other variables"):
        _core.StructureSearch(_core.CallableScore(4, Oracle(0)), constraints, _core.Ragged.from_lists([[]] * 4))
