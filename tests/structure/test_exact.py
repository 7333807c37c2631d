"""Exact search against all graphs of up to four variables (five: slow), with and without constraints."""

from __future__ import annotations

import numpy as np
import pytest
from graph.equivalence_classes import labelled_dags
from structure.oracles import indices, no_edges, problem_edges

import dconvex as dc
from dconvex import _core


def discrete(size, seed, criterion):
    random = np.random.default_rng(seed)
    states = random.integers(1, 4, size).astype(np.int32)
    codes = np.array([random.integers(0, count, 60) for count in states])
    for later in range(1, size):
        codes[later] = (codes[later] // 2 + codes[random.integers(later)]) % states[later]
    return _core.DiscreteScore(codes.astype(np.int8), states, None, criterion)


def gaussian(size, seed, criterion):
    random = np.random.default_rng(seed)
    rows = random.normal(size=(40, size)) @ random.normal(size=(size, size))
    prior = (1.0, size + 2.0, 1.0) if criterion == "bge" else ()
    return _core.GaussianScore(rows.mean(0), np.cov(rows.T, bias=True), 40.0, criterion, *prior)


def best_of_all(score, allowed=lambda edges: True):
    families = {}

    def family(node, parents):
        if (node, parents) not in families:
            families[node, parents] = score.family(node, indices(*sorted(parents)))
        return families[node, parents]

    scores = [
        sum(family(node, frozenset(a for a, b in edges if b == node)) for node in range(score.size))
        for edges in labelled_dags(score.size)
        if allowed(edges)
    ]
    return max(scores)


def found_by(score, tops, penalty, constraints):
    search = _core.ExactSearch(score, constraints, tops, penalty)
    for _ in range(score.size):
        assert search.score_sets(10**6, 10**6)
    assert search.largest_part() <= score.size
    parents = search.best_parents()
    _core.Graph(parents)  # raises where there is a cycle
    assert search.evaluations > 0
    return parents, sum(score.family(child, parents[child]) for child in range(score.size))


def bounds(score, criterion, likelihood):
    if criterion not in ("bic", "aic"):
        return None, 0.0
    size = score.size
    everything = np.arange(size, dtype=np.int32)
    tops = np.array([likelihood.family(own, everything[everything != own]) for own in range(size)])
    rows = 40.0 if isinstance(score, _core.GaussianScore) else 60.0
    return tops, 1.0 if criterion == "aic" else 0.5 * np.log(rows)


def check(size, seed):
    for make, criteria in ((discrete, ("bic", "aic", "bdeu")), (gaussian, ("bic", "aic", "bge"))):
        for criterion in criteria:
            score, likelihood = make(size, seed, criterion), make(size, seed, "likelihood")
            tops, penalty = bounds(score, criterion, likelihood)
            free = _core.EdgeConstraints(size, no_edges(), no_edges())
            assert found_by(score, tops, penalty, free)[1] == pytest.approx(best_of_all(score), rel=1e-10)
            random = np.random.default_rng(seed)
            order = random.permutation(size)
            pairs = [(int(order[i]), int(order[j])) for i in range(size) for j in range(i + 1, size)]
            required = set(pairs[:1])
            forbidden = {pair for pair in pairs[1:] if random.random() < 0.4} | {pairs[-1][::-1]}
            bound = _core.EdgeConstraints(size, problem_edges(required), problem_edges(forbidden), 2)

            def allowed(edges, required=required, forbidden=forbidden):
                parents = [child for _, child in edges]
                return edges >= required and not edges & forbidden and all(parents.count(c) <= 2 for c in parents)

            assert found_by(score, tops, penalty, bound)[1] == pytest.approx(best_of_all(score, allowed), rel=1e-10)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_no_graph_is_better(size):
    for seed in range(3):
        check(size, seed)


@pytest.mark.slow
def test_no_graph_of_five_variables_is_better():
    for seed in range(5):
        check(5, seed)


def test_one_variable_and_none():
    for size in (0, 1):
        score = _core.CallableScore(size, lambda variable, parents: 0.0)
        search = _core.ExactSearch(score, _core.EdgeConstraints(size, no_edges(), no_edges()), None, 0.0)
        while search.evaluations < size:
            search.score_sets(10, 10)
        assert len(search.best_parents()) == size


def test_the_core_refuses():
    score = _core.CallableScore(65, lambda variable, parents: 0.0)
    with pytest.raises(ValueError, match="64"):
        _core.ExactSearch(score, _core.EdgeConstraints(65, no_edges(), no_edges()), None, 0.0)
    three = _core.CallableScore(3, lambda variable, parents: float(len(parents)))
    search = _core.ExactSearch(three, _core.EdgeConstraints(3, no_edges(), no_edges()), None, 0.0)
    assert not search.score_sets(2, 100)
    search = _core.ExactSearch(three, _core.EdgeConstraints(3, no_edges(), no_edges()), None, 0.0)
    assert not search.score_sets(100, 2)
    with pytest.raises(ValueError, match="still"):
        search.best_parents()
    with pytest.raises(ValueError, match="each variable has a top"):
        _core.ExactSearch(three, _core.EdgeConstraints(3, no_edges(), no_edges()), np.zeros(2), 0.0)
    with pytest.raises(ValueError, match="other variables"):
        _core.ExactSearch(three, _core.EdgeConstraints(2, no_edges(), no_edges()), None, 0.0)


# --- learn_structure


@pytest.mark.parametrize("score", ["bic", "aic", "bdeu"])
def test_no_other_method_is_better(score):
    data = dc.load_network("asia").sample(500, seed=2)
    best = dc.learn_structure(data, method="exact", score=score)
    assert best.notes == ("no graph within the constraints has a better score",)
    for method in ("search", "ges", "greedy"):
        assert dc.learn_structure(data, method=method, score=score).score <= best.score + 1e-9
    bound = dc.learn_structure(data, method="exact", score=score, tiers=[["xray", "dysp"], ["lung"]], max_parents=2)
    assert bound.score <= best.score
    assert not {("lung", "xray"), ("lung", "dysp")} & set(bound.edges)


def test_gaussian_scores_are_bounded_by_the_likelihood():
    data = dc.random_gaussian_network(dc.random_dag(6, 7, seed=1), seed=1).sample(200, seed=1)
    best = dc.learn_structure(data, method="exact")
    assert best.score >= dc.learn_structure(data, method="search").score - 1e-6
    assert best.score == pytest.approx(dc.statistics(best, data).score())
    assert dc.learn_structure(data[data.columns[::-1]], method="exact").dag == best.dag


def test_what_is_too_large_is_refused():
    data = dc.load_network("alarm").sample(200, seed=1)
    with pytest.raises(dc.TooLargeError, match="scoring the families of 37 variables"):
        dc.learn_structure(data, method="exact", score="bdeu")
    with pytest.raises(dc.TooLargeError, match="scoring the families of 8 variables would take"):
        dc.learn_structure(dc.load_network("asia").sample(200, seed=1), method="exact", score="aic", max_bytes=5_500)
    with pytest.raises(dc.TooLargeError, match="variables that may depend on each other would take"):
        dc.learn_structure(data, method="exact", max_parents=1, max_bytes=2_000_000)
    small = dc.learn_structure(data, method="exact", max_parents=0)
    assert small.edges == ()


def too_much(work, **options):
    """What is said where so much work is too much."""
    data = dc.load_network("asia").sample(200, seed=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dconvex.structure.exact.MOST_WORK", float(work))
        try:
            dc.learn_structure(data, method="exact", **options)
        except ValueError as error:
            assert 'Set max_parents, forbid edges, give fewer variables, or use method="search"' in str(error)
            return str(error)
    return ""


def test_too_much_work_is_refused():
    # an order of 8 variables takes little: first the scores are too many, then nothing is
    assert "families of 8 variables are too many to score" in too_much(1e5)
    assert "families of 8 variables are too many to score" in too_much(1e5, score="bdeu")
    assert too_much(1e9) == too_much(1e9, score="bdeu") == ""
    assert too_much(1e5, max_parents=0) == ""


def test_an_order_of_too_many_variables_is_refused():
    data = dc.load_network("alarm").sample(500, seed=1)
    with pytest.raises(ValueError, match=r"best order of \d+ of 37 variables would take .* looks .* max_parents"):
        dc.learn_structure(data, method="exact", max_parents=1, max_bytes=2**60)


def test_all_columns_of_a_network_are_refused_at_once(monkeypatch):
    """Single parents show how many variables depend on each other, before sets of parents are scored."""
    data = dc.load_network("alarm").sample(500, seed=1)
    monkeypatch.delattr("dconvex.structure.exact._score_sets")
    with pytest.raises(dc.TooLargeError, match=r"all subsets of 3\d variables that may depend on each other"):
        dc.learn_structure(data, method="exact")


def test_the_work_of_an_order_is_what_it_looks_at():
    """Of variables that gain by no parents, one set each is looked at; of others, what the subsets leave."""
    flat = _core.CallableScore(10, lambda variable, parents: -float(len(parents)))
    free = _core.EdgeConstraints(10, no_edges(), no_edges())
    search = _core.ExactSearch(flat, free, None, 0.0)
    while search.evaluations < 10 * 2**9:
        assert search.score_sets(10**6, 10**6)
    assert search.ordering_work() == 10  # ten parts of one variable
    # the best parent of each is the one before it: found in half of the subsets, else the empty set is the second
    ring = _core.CallableScore(10, lambda own, parents: float(list(parents) == [(own + 1) % 10]))
    search = _core.ExactSearch(ring, _core.EdgeConstraints(10, no_edges(), no_edges(), 1), None, 0.0)
    for _ in range(10):
        assert search.score_sets(10**6, 10**6)
    assert search.ordering_work() == pytest.approx(10 * 2**9 * 1.5, rel=0.1)
