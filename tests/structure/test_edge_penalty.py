"""A prior by which edges are improbable: a price for each edge, in every search by scores."""

import math

import numpy as np
import pytest
from structure.oracles import indices, no_edges

import dconvex as dc
from dconvex import _core


@pytest.fixture(scope="module")
def child():
    return dc.load_network("child").sample(600, seed=1)


@pytest.mark.parametrize("criterion", ["bic", "aic", "bdeu"])
def test_scores_are_those_without_edges_less_their_price(criterion):
    codes = np.random.default_rng(1).integers(0, 3, (5, 80)).astype(np.int8)
    codes[3] = np.minimum(codes[1], codes[2])
    plain = _core.DiscreteScore(codes, indices(3, 3, 3, 3, 3), None, criterion)
    own = _core.PenalisedScore(plain, 2.5)
    assert own.size == 5
    for parents in ((), (1,), (1, 2), (0, 1, 4)):
        assert own.family(3, indices(*parents)) == plain.family(3, indices(*parents)) - 2.5 * len(parents)
    with pytest.raises(ValueError, match="zero or more"):
        _core.PenalisedScore(plain, -1.0)


@pytest.mark.parametrize("criterion", ["bic", "bdeu"])
def test_searches_do_not_depend_on_how_the_score_is_asked(criterion):
    """The bounds on what a candidate gains hold with the price of edges."""
    random = np.random.default_rng(3)
    codes = random.integers(0, 3, (8, 200)).astype(np.int8)
    for later in range(2, 8):
        codes[later] = np.where(random.random(200) < 0.5, codes[random.integers(later)], codes[later])
    plain = _core.DiscreteScore(codes, np.full(8, 3, np.int32), None, criterion)
    own = _core.PenalisedScore(plain, 3.0)
    slow = _core.CallableScore(8, lambda v, given: plain.family(v, indices(*given)) - 3.0 * len(given), plain.parameters)
    free = _core.EdgeConstraints(8, no_edges(), no_edges())
    start = _core.Ragged.from_lists([[]] * 8)
    found = []
    for score in (own, slow):
        search = _core.StructureSearch(score, free, start, budget=2_000, tabu_steps=5, seed=0)
        classes = _core.ClassSearch(score, free, _core.Graph(start), 100)
        while search.advance(1_000) or classes.advance(1_000):
            pass
        found.append((search.parents, classes.graph.extension()[0]))
    assert found[0] == found[1]


@pytest.mark.parametrize("method", ["search", "greedy", "ges"])
def test_dearer_edges_are_fewer(child, method):
    found = [dc.learn_structure(child, method=method, score=dc.BDeu(1), edge_penalty=own) for own in (0, 40.0, 1e6)]
    counts = [len(own.edges) for own in found]
    assert counts[0] > counts[1] > counts[2] == 0, counts
    for own in found:
        assert own.score == pytest.approx(dc.statistics(own, child).score(dc.BDeu(1)))
    assert dc.learn_structure(child.iloc[::-1, ::-1], method=method, score=dc.BDeu(1), edge_penalty=40.0) == found[1]


def test_exact_weighs_edges_too(child):
    some = child[["BirthAsphyxia", "Disease", "LVH", "LVHreport", "Sick", "Age"]]
    found = dc.learn_structure(some, method="exact", edge_penalty=4.0)
    for method in ("search", "ges"):
        other = dc.learn_structure(some, method=method, edge_penalty=4.0)
        assert found.score - 4 * len(found.edges) >= other.score - 4 * len(other.edges) - 1e-9
    assert all(edge.removal is None or edge.removal <= 0 for edge in found.explain())


def test_numbers_and_gaps_too(child):
    numbers = dc.load_network("ecoli70").sample(100, seed=1)
    plain, own = (len(dc.learn_structure(numbers, method="greedy", edge_penalty=price).edges) for price in (0.0, 8.0))
    assert 0 < own < plain
    gaps = child.mask(np.random.default_rng(1).random(child.shape) < 0.02)
    assert dc.learn_structure(gaps, method="greedy", missing="em", edge_penalty=1e6).edges == ()
    strengths = dc.edge_strengths(child, samples=2, score=dc.BDeu(1), edge_penalty=1e6)
    assert not len(strengths)


def test_what_makes_no_sense_is_refused(child):
    for wrong in (-1.0, math.inf, math.nan):
        with pytest.raises(ValueError, match=r"edge_penalty=.* must be a number, zero or more"):
            dc.learn_structure(child, edge_penalty=wrong)
    for method in ("pc", "tree"):
        with pytest.raises(ValueError, match="cannot honour edge_penalty="):
            dc.learn_structure(child, method=method, edge_penalty=1.0)
