"""`_core.Graph`: how it is made, and walks, paths and hulls against the definitions."""

from __future__ import annotations

import copy
import itertools
import pickle

import networkx as nx
import numpy as np
import pytest
from graph.brute_force import mask, members
from graph.families import drawn, every, grown

import dconvex as dc
from dconvex._core import Graph, Ragged, find_cycle, find_repeated_arc


def ints(*numbers):
    return np.array(numbers, np.int32)


def graph_of(*parents):
    return Graph(Ragged.from_lists(parents))


DIAMOND = graph_of([], [0], [0], [1, 2])
FAMILIES = [every(0), every(3), every(4, 1, 3), drawn(81, 12), grown(82, 8)]


# --- making one


def test_parts_of_a_graph():
    graph = graph_of([3], [], [1], [], [1, 0])
    assert len(graph) == 5
    assert [graph.parents[v].tolist() for v in range(5)] == [[3], [], [1], [], [1, 0]]
    assert [graph.children[v].tolist() for v in range(5)] == [[4], [2, 4], [], [0], []]
    assert graph.order.tolist() == [1, 3, 2, 0, 4]  # first in, first out
    assert graph.rank.tolist() == [3, 0, 2, 1, 4]


def test_graph_of_nothing():
    graph = graph_of()
    assert len(graph) == len(graph.order) == len(graph.convex_hull(ints())) == len(graph.d_connected(ints(), ints())) == 0
    assert graph.find_inducing_path(ints()) is None


def test_order_puts_parents_first():
    for seed in range(20):
        graph = dc.random_dag(50, 100, seed=seed).graph
        for node in range(50):
            assert all(graph.rank[parent] < graph.rank[node] for parent in graph.parents[node])


@pytest.mark.parametrize(
    ("parents", "match"),
    [
        ([[0]], "cycle"),
        ([[2], [0], [1]], "cycle"),
        ([[], [0, 0]], "twice"),
        ([[], [2]], "no node"),
        ([[], [-1]], "no node"),
    ],
)
def test_what_is_no_dag_is_refused(parents, match):
    with pytest.raises(ValueError, match=match):
        graph_of(*parents)


def test_copies():
    for again in (pickle.loads(pickle.dumps(DIAMOND)), copy.deepcopy(DIAMOND)):
        assert again.parents == DIAMOND.parents
        assert again.children == DIAMOND.children


def test_arrays_are_read_only_and_outlive_the_graph():
    graph = graph_of([], [0], [1])
    order, children = graph.order, graph.children.values
    del graph
    assert (order.tolist(), children.tolist()) == ([0, 1, 2], [1, 2])
    for array in (order, children):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_cycle():
    assert find_cycle(Ragged.from_lists([[], [0], [1]])).tolist() == []
    parents = [[], [0, 3], [1], [2], [3], [0]]  # 1 → 2 → 3 → 1, below it 4; 0 and 5 are free
    cycle = find_cycle(Ragged.from_lists(parents)).tolist()
    assert sorted(cycle) == [1, 2, 3]
    for one, other in itertools.pairwise([*cycle, cycle[0]]):
        assert one in parents[other]
    with pytest.raises(ValueError, match="outside"):
        find_cycle(Ragged.from_lists([[1]]))


def test_cycles_of_random_graphs_are_cycles():
    rng = np.random.default_rng(3)
    for _ in range(200):
        size = int(rng.integers(2, 9))
        parents = [sorted({int(p) for p in rng.integers(0, size, rng.integers(0, 3))}) for _ in range(size)]
        cycle = find_cycle(Ragged.from_lists(parents)).tolist()
        directed = nx.DiGraph((p, v) for v, own in enumerate(parents) for p in own)
        assert bool(cycle) != nx.is_directed_acyclic_graph(directed)
        assert all(one in parents[other] for one, other in itertools.pairwise([*cycle, *cycle[:1]]))


def test_repeated_arc():
    assert find_repeated_arc(Ragged.from_lists([[], [0], [0, 1]])) is None
    assert find_repeated_arc(Ragged.from_lists([[], [0], [1, 0, 1], [0, 0]])) == (0, 3)  # by parent, then by child
    with pytest.raises(ValueError, match="outside"):
        find_repeated_arc(Ragged.from_lists([[7]]))


# --- walks


@pytest.mark.parametrize("family", FAMILIES)
def test_ancestors_and_descendants(family):
    for known in family():
        directed = known.dag.to_networkx()
        for nodes in range(0, 1 << known.size, 3):
            chosen = members(nodes)
            above = set(chosen).union(*(nx.ancestors(directed, v) for v in chosen))
            below = set(chosen).union(*(nx.descendants(directed, v) for v in chosen))
            assert known.dag.graph.ancestors(ints(*chosen)).tolist() == sorted(above)
            assert known.dag.graph.descendants(ints(*chosen)).tolist() == sorted(below)


@pytest.mark.parametrize("family", FAMILIES)
def test_d_connection(family):
    for known in family():
        for given in range(0, 1 << known.size, 5):
            for source in range(known.size):
                connected = known.dag.graph.d_connected(ints(source), ints(*members(given)))
                assert connected.dtype == bool
                assert connected.tolist() == known.connected[given, source].tolist(), (known.dag.edges, given, source)


def test_several_sources_are_connected_to_what_any_is_connected_to():
    rng = np.random.default_rng(5)
    for seed in range(30):
        graph = dc.random_dag(30, 45, seed=seed).graph
        sources, given = (rng.choice(30, 5).astype(np.int32) for _ in range(2))
        single = [graph.d_connected(ints(source), given) for source in sources]
        assert graph.d_connected(sources, given).tolist() == np.any(single, axis=0).tolist()


# --- convexity


@pytest.mark.parametrize("family", FAMILIES)
def test_inducing_path_and_hull(family):
    for known in family():
        for nodes in range(1 << known.size):
            chosen = ints(*members(nodes))
            path = known.dag.graph.find_inducing_path(chosen)
            if path is None:
                assert known.is_convex(nodes)
            else:
                assert known.is_inducing(tuple(path.tolist()), nodes), (known.dag.edges, chosen, path)
            assert mask(known.dag.graph.convex_hull(chosen).tolist()) == known.hulls[nodes], (known.dag.edges, chosen)


def test_nodes_may_come_twice_and_in_any_order():
    chain = graph_of([], [0], [1], [2])
    assert chain.convex_hull(ints(2, 0, 2)).tolist() == [0, 1, 2]
    assert sorted(chain.find_inducing_path(ints(2, 0, 2)).tolist()) == [0, 1, 2]
    assert chain.ancestors(ints(2, 1, 2)).tolist() == [0, 1, 2]


@pytest.mark.parametrize("nodes", [[4], [-1], [0, 2**31 - 1]])
def test_nodes_that_are_not_there(nodes):
    wrong, right = ints(*nodes), ints(0)
    for call in (DIAMOND.ancestors, DIAMOND.descendants, DIAMOND.find_inducing_path, DIAMOND.convex_hull):
        with pytest.raises(ValueError, match="outside"):
            call(wrong)
    for arguments in ((wrong, right), (right, wrong)):
        with pytest.raises(ValueError, match="outside"):
            DIAMOND.d_connected(*arguments)


@pytest.mark.parametrize("nodes", [None, "ab", [0], np.zeros((1, 1), np.int32)])
def test_what_is_no_array_of_nodes(nodes):
    with pytest.raises(TypeError):
        DIAMOND.ancestors(nodes)


def test_long_chain():
    last = 200_000
    chain = Graph(Ragged(np.maximum(np.arange(last + 2) - 1, 0), np.arange(last, dtype=np.int32)))
    assert len(chain.ancestors(ints(last))) == last + 1
    assert chain.d_connected(ints(0), ints(last // 2)).sum() == last // 2
    assert len(chain.find_inducing_path(ints(0, last))) == last + 1
    assert len(chain.convex_hull(ints(0, last))) == last + 1
