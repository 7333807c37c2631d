"""`dc.learn_structure` as a user meets it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dconvex as dc


@pytest.fixture(scope="module")
def asia():
    return dc.load_network("asia").sample(2000, seed=1)


@pytest.mark.parametrize("method", ["greedy", "search"])
@pytest.mark.parametrize("score", ["bic", "aic", "bdeu", dc.BDeu(3)])
def test_the_reported_score_is_that_of_the_statistics(asia, method, score):
    found = dc.learn_structure(asia, method=method, score=score)
    name = score if isinstance(score, str) else "bdeu"
    size = score.equivalent_sample_size if isinstance(score, dc.BDeu) else 10.0
    assert found.score == pytest.approx(dc.statistics(found, asia).score(name, size), rel=1e-10)
    assert found.criterion == name


def test_a_search_is_no_worse_than_climbing(asia):
    greedy, search = (dc.learn_structure(asia, method=method) for method in ("greedy", "search"))
    assert search.score >= greedy.score
    assert search.evaluations > greedy.evaluations


def test_a_search_is_no_worse_than_classes(asia):
    for score in ("bic", "aic", "bdeu"):
        classes, search = (dc.learn_structure(asia, method=method, score=score) for method in ("ges", "search"))
        assert search.score >= classes.score * (1 + 1e-12)  # scores are negative
        empty = dc.statistics(dc.Dag([], search.nodes), asia).score(score)
        assert empty + sum(move.gain for move in search.history) == pytest.approx(search.score)


def test_a_search_keeps_a_direction_that_classes_cannot(asia):
    free = dc.learn_structure(asia)
    parent, child = next(edge for edge in free.edges if edge in free.cpdag.directed)
    found = dc.learn_structure(asia, forbidden=[(parent, child)])
    assert (parent, child) not in found.edges
    assert found.score >= dc.learn_structure(asia, method="greedy", forbidden=[(parent, child)]).score


def test_the_history_leads_to_the_graph(asia):
    found = dc.learn_structure(asia, method="greedy")
    edges = set()
    for move in found.history:
        edge = (move.parent, move.child)
        if move.change == "add":
            edges.add(edge)
        else:
            edges.remove(edge)
        if move.change == "reverse":
            edges.add(edge[::-1])
    assert edges == set(found.edges)
    start = dc.statistics(dc.Dag([], found.nodes), asia).score()
    assert start + sum(move.gain for move in found.history) == pytest.approx(found.score)


def test_a_structure_is_a_graph(asia):
    found = dc.learn_structure(asia)
    assert dc.Dag(found) == found.dag
    assert dc.fit(found, asia, prior=dc.BDeu(1)).query("dysp", {"smoke": "yes"}).values.sum() == pytest.approx(1)
    assert "8 variables" in repr(found)
    assert found == dc.learn_structure(asia)
    assert "svg" in found._repr_html_()
    with pytest.raises(AttributeError, match="frozen"):
        found.dag = None


def test_numbers_give_a_gaussian_structure():
    random = np.random.default_rng(1)
    a = random.normal(size=500)
    frame = pd.DataFrame({"a": a, "b": a + random.normal(size=500), "c": random.normal(size=500)})
    found = dc.learn_structure(frame)
    assert found.edges == (("a", "b"),)
    assert found.score == pytest.approx(dc.statistics(found, frame).score())


@pytest.mark.parametrize("method", ["greedy", "search", "ges", "tree"])
def test_what_edges_gain_counts_as_memory(method):
    data = pd.DataFrame(np.random.default_rng(1).integers(0, 2, (5, 200)))
    with pytest.raises(dc.TooLargeError, match="what edges between 200 variables gain would take"):
        dc.learn_structure(data, method=method, max_bytes=8 * 200**2 - 1)
    assert len(dc.learn_structure(data.iloc[:, :40], method=method, max_bytes=8 * 200**2).nodes) == 40


def test_a_thousand_columns_of_few_rows():
    wide = pd.DataFrame(np.random.default_rng(1).integers(0, 2, (50, 1000)))
    greedy, tree = (dc.learn_structure(wide, method=method) for method in ("greedy", "tree"))
    assert len(greedy.nodes) == len(tree.nodes) == 1000
    assert greedy.score > tree.score
    assert len(tree.edges) < 1000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "gredy"}, "did you mean 'greedy'"),
        ({"score": "mdl"}, "use 'bic'"),
        ({"score": "bge"}, "does not fit discrete"),
        ({"max_parents": -1}, "max_parents"),
        ({"max_seconds": 0}, "max_seconds"),
        ({"target": "dysp"}, "cannot honour target"),
        ({"required": ["ab"]}, "required"),
        ({"required": [("asia", "dysp")], "forbidden": [("asia", "dysp")]}, "is required"),
        ({"start": [("asia", "dysp")], "forbidden": [("asia", "dysp")]}, "start="),
        ({"required": [("asia", "dysp"), ("smoke", "dysp")], "max_parents": 1}, "max_parents=1"),
        ({"tiers": [["asia"], ["asia"]]}, "two tiers"),
    ],
)
def test_wrong_options_are_refused(asia, options, message):
    with pytest.raises(ValueError, match=message):
        dc.learn_structure(asia, **options)


def test_unknown_names_and_cycles_are_refused(asia):
    with pytest.raises(dc.UnknownVariableError, match="did you mean 'asia'"):
        dc.learn_structure(asia, required=[("asi", "dysp")])
    with pytest.raises(dc.CycleError):
        dc.learn_structure(asia, required=[("asia", "dysp")], start=[("dysp", "asia")])


def test_rules_are_kept(asia):
    free = dc.learn_structure(asia, method="greedy")
    assert ("lung", "smoke") in free.edges
    bound = dc.learn_structure(
        asia,
        required=[("asia", "smoke")],
        forbidden=[("smoke", "lung"), ("lung", "smoke")],
        tiers=[["dysp"], ["xray"]],
        max_parents=1,
    )
    assert ("asia", "smoke") in bound.edges
    assert not {("smoke", "lung"), ("lung", "smoke"), ("xray", "dysp")} & set(bound.edges)
    assert max(len(bound.dag.parents(name)) for name in bound.nodes) == 1


def test_the_clock_ends_a_search():
    random = np.random.default_rng(1)
    frame = pd.DataFrame(random.integers(0, 2, (50, 160)), columns=[f"v{k}" for k in range(160)])
    found = dc.learn_structure(frame, max_seconds=1e-9)
    assert "max_seconds ended the search" in found.notes[0]
    assert found.score == pytest.approx(dc.statistics(found, frame).score())


def test_edges_are_explained(asia):
    found = dc.learn_structure(asia, method="greedy")
    reasons = found.explain()
    assert [(edge.parent, edge.child) for edge in reasons] == list(found.edges)
    for edge in reasons:
        without = dc.Dag([other for other in found.edges if other != (edge.parent, edge.child)], found.nodes)
        assert found.score + edge.removal == pytest.approx(dc.statistics(without, asia).score())
        if edge.reversal is not None:
            turned = dc.Dag([*without.edges, (edge.child, edge.parent)], found.nodes)
            assert found.score + edge.reversal == pytest.approx(dc.statistics(turned, asia).score())
        assert edge.is_directed == ((edge.parent, edge.child) in found.cpdag.directed)
    assert "undetermined" in repr(reasons)
    assert len(reasons.to_frame()) == len(reasons) == len(found.edges)
    empty = dc.learn_structure(asia, max_parents=0)
    assert repr(empty.explain()) == "no edges"


def test_fitting_without_a_graph_says_how_to_get_one(asia):
    with pytest.raises(TypeError, match=r"dc\.learn_structure\(data\)"):
        dc.fit(asia)
