"""Greedy equivalence search: the class of an exact oracle, laws of its moves, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from structure.oracles import empty, indices, no_edges, population_score, random_dags, score_of

import dconvex as dc
from dconvex import _core


def searched(score, *, attempts=1_000, forbidden=None, max_parents=-1, start=None):
    size = score.size
    constraints = _core.EdgeConstraints(size, no_edges(), no_edges() if forbidden is None else forbidden, max_parents)
    search = _core.ClassSearch(score, constraints, empty(size) if start is None else start, attempts)
    while search.advance(1_000):
        pass
    return search


def class_of(search):
    return dc.Cpdag.from_core(tuple(range(len(search.graph))), search.graph)


def check_oracle(count, attempts):
    exact = 0
    for dag, random in random_dags(count, seed=1):
        score = population_score(dag, random)
        found = class_of(searched(score, attempts=attempts))
        if found == dc.cpdag(dag):
            exact += 1
        else:  # coefficients that cancel nearly: then fewer edges are better
            assert score_of(score, found.dag) > score_of(score, dag)
    assert exact >= 0.99 * count


@pytest.mark.parametrize("attempts", [0, 1_000])
def test_an_oracle_gives_its_class(attempts):
    check_oracle(150, attempts)


@pytest.mark.slow
@pytest.mark.parametrize("attempts", [0, 1_000])
def test_thousands_of_oracles(attempts):
    check_oracle(4_000, attempts)


def data_score(seed, criterion="bic", rows=300):
    network = dc.random_network(dc.random_dag(7, 10, max_parents=3, seed=seed), seed=seed)
    codes = network.sample(rows, seed=seed)[list(range(7))].to_numpy().T.astype(np.int8)
    return _core.DiscreteScore(np.ascontiguousarray(codes), np.full(7, 2, np.int32), None, criterion)


@pytest.mark.parametrize("criterion", ["bic", "aic", "bdeu"])
def test_moves_gain_what_they_promise(criterion):
    kinds = set()
    for seed in range(25):
        score = data_score(seed, criterion)
        search = searched(score)
        found = class_of(search)
        moves, gains = search.moves
        kinds |= set(moves[:, 0].tolist())
        assert score_of(score, found.dag) == pytest.approx(score_of(score, dc.Dag([], range(7))) + gains.sum(), abs=1e-6)
        assert search.gained == pytest.approx(gains.sum(), abs=1e-6)
        assert dc.cpdag(found.dag) == found
        assert search.evaluations > 0
    assert kinds >= {0, 1}


def test_attempts_only_help():
    for seed in range(10):
        score = data_score(seed)
        plain, more = (searched(score, attempts=attempts).gained for attempts in (0, 1_000))
        assert more >= plain - 1e-9


@pytest.mark.parametrize("max_parents", [0, 1, 2])
def test_no_variable_has_more_parents_than_allowed(max_parents):
    for seed in range(10):
        found = class_of(searched(data_score(seed), max_parents=max_parents)).dag
        assert max(len(found.parents(node)) for node in found) <= max_parents


def test_forbidden_pairs_are_never_adjacent():
    for seed in range(10):
        score = data_score(seed)
        free = class_of(searched(score)).dag
        pairs = np.array([pair for edge in free.edges[::2] for pair in (edge, edge[::-1])], np.int32)
        bound = class_of(searched(score, forbidden=pairs)).dag
        assert not set(map(tuple, pairs.tolist())) & set(bound.edges)


def test_it_does_not_matter_how_the_search_is_cut():
    score = data_score(3)
    whole = searched(score)
    search = _core.ClassSearch(score, _core.EdgeConstraints(7, no_edges(), no_edges()), empty(7), 1_000)
    while search.advance(1):
        pass
    assert class_of(search) == class_of(whole)
    assert np.array_equal(search.moves[0], whole.moves[0])


def test_it_starts_where_it_is_asked_to():
    dag, random = next(random_dags(1, seed=7))
    score = population_score(dag, random)
    search = searched(score, start=dag.graph, attempts=0)
    assert class_of(search) == dc.cpdag(dag)
    assert len(search.moves[0]) == 0


def test_the_core_refuses_what_it_cannot_do():
    score = data_score(1)
    one_way = np.array([[0, 1]], np.int32)
    with pytest.raises(ValueError, match="both directions"):
        searched(score, forbidden=one_way)
    with pytest.raises(ValueError, match="cannot be made"):
        _core.ClassSearch(score, _core.EdgeConstraints(7, one_way, no_edges()), empty(7), 0)
    with pytest.raises(ValueError, match="different variables"):
        searched(score, start=empty(3))


# --- learn_structure


@pytest.fixture(scope="module")
def alarm():
    return dc.load_network("alarm").sample(1_000, seed=1)


def test_the_class_does_not_depend_on_the_order_of_columns_and_rows(alarm):
    found = dc.learn_structure(alarm, method="ges")
    other = dc.learn_structure(alarm.sample(frac=1, random_state=1)[sorted(alarm, key=hash)], method="ges")
    assert found.cpdag == other.cpdag
    assert found.dag == other.dag
    assert found.score == other.score
    assert found.score == pytest.approx(dc.statistics(found, alarm).score())
    assert found.score > dc.learn_structure(alarm, method="greedy").score
    assert {move.change for move in found.history} >= {"add"}


def test_edges_of_a_class_are_explained(alarm):
    found = dc.learn_structure(alarm[list(alarm)[:8]], method="ges")
    for edge in found.explain():
        assert edge.removal < 0
        assert edge.reversal is None or edge.reversal <= 1e-6
        without = dc.Dag([other for other in found.edges if other != (edge.parent, edge.child)], found.nodes)
        assert found.score + edge.removal == pytest.approx(dc.statistics(without, alarm).score())


def test_the_clock_ends_it(alarm):
    found = dc.learn_structure(alarm, method="ges", max_seconds=1e-9)
    assert "best class until then" in found.notes[0]


def test_directions_are_refused(alarm):
    with pytest.raises(ValueError, match="'HR' → 'CO' is forbidden, its reverse is not"):
        dc.learn_structure(alarm, method="ges", forbidden=[("HR", "CO")])
    with pytest.raises(ValueError, match="cannot honour required"):
        dc.learn_structure(alarm, method="ges", required=[("HR", "CO")])
    found = dc.learn_structure(alarm, method="ges", forbidden=[("HR", "CO"), ("CO", "HR")])
    assert not {("HR", "CO"), ("CO", "HR")} & set(found.edges)


def test_families_by_hand():
    """Two independent parents of one child: three families decide, and the collider is found."""
    dependent = {(2, (0,)): -5.0, (2, (1,)): -5.0, (2, (0, 1)): 20.0}
    score = _core.CallableScore(3, lambda variable, parents: dependent.get((variable, parents), -1.0 * len(parents)))
    assert score.family(2, indices(0, 1)) == 20.0
    assert class_of(searched(score, start=dc.Dag([(0, 2), (1, 2)]).graph)).directed == ((0, 2), (1, 2))
