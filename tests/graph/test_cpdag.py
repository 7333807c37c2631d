"""CPDAGs and their extensions against all DAGs of up to four nodes (five: slow), and a peer."""

from __future__ import annotations

import itertools
import pickle
import random
import warnings

import numpy as np
import pytest
from graph.equivalence_classes import adjacencies, agreed, classes, colliders, labelled_dags
from hypothesis import given
from strategies import dags

import dconvex as dc
from dconvex._core import Pdag


def check_classes(size):
    for members in classes(size):
        directed, undirected = agreed(members)
        for edges in members:
            found = dc.cpdag(dc.Dag(edges, nodes=range(size)))
            assert set(found.directed) == directed
            assert set(found.undirected) == undirected
            assert found.nodes == tuple(range(size))
        assert found.extension.given_up == ()
        assert frozenset(found.dag.edges) in members


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4])
def test_the_cpdag_is_what_all_equivalent_dags_agree_on(size):
    check_classes(size)


@pytest.mark.slow
def test_the_same_of_five_nodes():
    check_classes(5)


def pdags(size):
    pairs = list(itertools.combinations(range(size), 2))
    for marks in itertools.product(range(4), repeat=len(pairs)):
        marked = list(zip(pairs, marks, strict=True))
        directed = [(a, b) if mark == 1 else (b, a) for (a, b), mark in marked if mark in (1, 2)]
        yield directed, [pair for pair, mark in marked if mark == 3]


@pytest.mark.parametrize("size", [2, 3, 4])
def test_a_graph_is_extended_if_it_has_an_extension(size):
    """Of all graphs with directed and undirected edges."""
    known = {}
    for edges in labelled_dags(size):
        known.setdefault((adjacencies(edges), colliders(edges)), []).append(edges)
    for directed, undirected in pdags(size):
        adjacent = adjacencies(frozenset([*directed, *undirected]))
        wanted = known.get((adjacent, colliders(frozenset(directed), adjacent)), [])
        extensions = [edges for edges in wanted if edges >= set(directed)]
        found = dc.Cpdag(directed, undirected, range(size)).extension
        edges = frozenset(found.dag.edges)
        assert adjacencies(edges) == adjacent
        if extensions:
            assert found.given_up == ()
            assert edges in extensions
        else:
            assert found.given_up
            assert edges >= set(directed) - set(found.given_up)


@given(dags())
def test_a_class_has_one_cpdag(dag):
    found = dc.cpdag(dag)
    assert dc.cpdag(found.dag) == found
    assert dc.cpdag(found) is found
    assert found.dag.nodes == dag.nodes
    assert dc.cpdag(dag.to_networkx()) == found


def test_neither_the_order_of_edges_nor_of_ends_matters():
    dag = dc.random_dag(60, 90, seed=3)
    found = dc.cpdag(dag)
    shuffled = random.Random(1)
    directed, undirected = list(found.directed), [edge[::-1] for edge in found.undirected]
    for edges in (directed, undirected):
        shuffled.shuffle(edges)
    other = dc.Cpdag(directed, undirected, dag.nodes)
    assert other == found
    assert hash(other) == hash(found)
    assert other.dag == found.dag
    assert pickle.loads(pickle.dumps(found)) == found


def test_five_thousand_nodes():
    dag = dc.random_dag(5_000, 10_000, seed=1)
    found = dc.cpdag(dag)
    assert dc.cpdag(found.dag) == found
    assert dc.compare_structures(found, dag).distance == 0
    star = dc.Cpdag([], [(0, leaf) for leaf in range(1, 3_000)])
    assert star.extension.given_up == ()


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
def test_a_peer_agrees():
    pgmpy = pytest.importorskip("pgmpy.base")
    for seed in range(5):
        dag = dc.random_dag(12, 18, max_parents=3, seed=seed)
        theirs = pgmpy.DAG(list(dag.edges))
        theirs.add_nodes_from(dag.nodes)
        pdag = theirs.to_pdag()
        ours = dc.cpdag(dag)
        assert set(ours.directed) == set(pdag.directed_edges)
        assert set(map(frozenset, ours.undirected)) == set(map(frozenset, pdag.undirected_edges))


def test_it_stands_wherever_a_dag_is_expected():
    found = dc.cpdag(dc.load_network("asia"))
    assert isinstance(dc.Dag(found), dc.Dag)
    assert dc.decompose(found).variables == frozenset(found.nodes)
    assert dc.d_separated(found, "asia", "smoke")


def test_what_is_given_up_is_said():
    square = dc.Cpdag([], [(1, 2), (2, 3), (3, 4), (4, 1)])
    assert square.extension.given_up == ((1, 4), (3, 4))
    with pytest.warns(UserWarning, match="given up between 1 and 4, 3 and 4$"):
        square.dag  # noqa: B018
    circle = dc.Cpdag([(1, 2), (2, 3), (3, 1)])
    assert circle.extension.given_up == ((3, 1),)
    wheel = dc.Cpdag([], [(one, (one + 1) % 3 + 3 * (one // 3)) for one in range(9)] + [(i, i + 3) for i in range(6)])
    with pytest.warns(UserWarning, match="and . more$"):
        dc.Dag(wheel)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(dc.Dag(square)) == 4  # once is enough


def test_its_parts_and_words():
    found = dc.Cpdag([("b", "a")], [("d", "c"), ("c", 1)], nodes=["lonely"])
    assert found.nodes == (1, "a", "b", "c", "d", "lonely")
    assert found.undirected == ((1, "c"), ("c", "d"))
    assert repr(found) == "Cpdag(6 nodes, 1 directed and 2 undirected edges)"
    assert len(found) == 6
    graph = found.to_networkx()
    assert set(graph.nodes) == set(found.nodes)
    assert set(graph.edges) == {("b", "a"), ("c", "d"), ("d", "c"), (1, "c"), ("c", 1)}
    with pytest.raises(AttributeError):
        found.nodes = ()


@pytest.mark.parametrize(
    ("directed", "undirected", "message"),
    [
        ([("a", "b")], [("b", "a")], "'a' and 'b' are joined twice"),
        ([("a", "b"), ("b", "a")], [], "'a' and 'b' are joined twice"),
        ([("a", "a")], [], "'a' is joined to itself"),
        (["ab"], [], "an edge is a pair of names, not 'ab'"),
        ([("a", 1.5)], [], "must be a str or an int"),
    ],
)
def test_edges_that_are_none(directed, undirected, message):
    with pytest.raises(dc.NetworkError, match=message):
        dc.Cpdag(directed, undirected)


def test_the_core_checks_what_it_is_given():
    none = np.empty((0, 2), np.int32)
    for edges in ([[0, 2]], [[-1, 0]], [[1, 1]], [[0, 1], [1, 0]]):
        with pytest.raises(ValueError, match=r"join"):
            Pdag(2, np.array(edges, np.int32), none)
    with pytest.raises(ValueError, match="two columns"):
        Pdag(2, np.zeros((1, 3), np.int32), none)
    assert len(Pdag(2, none, np.array([[1, 0]], np.int32))) == 2


# --- comparing


def test_edges_that_differ():
    learned = [("a", "b"), ("c", "b"), ("d", "e"), ("f", "g")]
    true = [("a", "b"), ("b", "c"), ("d", "e"), ("h", "i")]
    found = dc.compare_structures(learned, true)
    assert found.missing == (("h", "i"),)
    assert found.extra == (("f", "g"),)
    assert found.turned == (("a", "b"), ("c", "b"))
    assert found.distance == len(found) == 4
    assert list(found) == [
        ("missing", "", "h – i"),
        ("extra", "f – g", ""),
        ("turned", "a → b", "a – b"),
        ("turned", "c → b", "b – c"),
    ]
    frame = found.to_frame()
    assert list(frame.columns) == ["problem", "learned", "true"]
    assert len(frame) == 4
    assert "turned   c → b, truly b – c" in str(found)
    assert repr(found).startswith("structural Hamming distance 4: 1 missing, 1 extra, 2 turned (4 edges learned, 4 edges true)")


def test_long_comparisons_are_cut():
    found = dc.compare_structures(dc.random_dag(40, 60, seed=1), dc.random_dag(40, 60, seed=2))
    assert f"… {len(found.missing) - 12} more" in str(found)


@given(dags(max_nodes=6), dags(max_nodes=6))
def test_a_distance(one, other):
    there, back = dc.compare_structures(one, other), dc.compare_structures(other, one)
    assert there.distance == back.distance
    assert there.missing == back.extra
    assert len(there.turned) == len(back.turned)
    assert (there.distance == 0) == (set(dc.cpdag(one).directed) == set(dc.cpdag(other).directed)
                                     and dc.cpdag(one).undirected == dc.cpdag(other).undirected)  # fmt: skip
