"""Trees of clusters by index: rooting, pruning, and what is checked of them, against the definitions."""

from __future__ import annotations

import random

import networkx as nx
import numpy as np
import pytest
from graph.brute_force import holders_of, mask, members
from graph.families import drawn, every, grown

import dconvex as dc
from dconvex._core import (
    Graph,
    GrowingTree,
    Ragged,
    RootedTree,
    count_components,
    find_nested_cluster,
    find_scattered_variable,
    find_wrong_separator,
)

MODES = ("minimal", "any", "complete", "all")
FAMILIES = [every(3), every(4, 2, 5), drawn(95, 15), grown(96, 15)]


def ints(*numbers):
    return np.array(numbers, np.int32)


def pairs(*edges):
    return np.array(edges, np.int32).reshape(-1, 2)


def sets(*lists):
    return Ragged.from_lists(map(sorted, lists))


CHAIN = RootedTree(sets([0, 1], [1, 2], [2, 3]), pairs((0, 1), (1, 2)), 5)


# --- rooting and pruning


def test_rooted_chain():
    assert len(CHAIN) == 3
    assert CHAIN.parent.tolist() == [-1, 0, 1]
    assert CHAIN.edge_above.tolist() == [-1, 0, 1]
    assert CHAIN.depth.tolist() == [0, 1, 2]
    assert CHAIN.top.tolist() == [0, 0, 1, 2, -1]


def test_random_trees_are_rooted_as_networkx_does():
    rng = random.Random(4)
    for _ in range(50):
        count = rng.randint(1, 30)
        edges = [(rng.randrange(i), i) for i in range(1, count)]
        rng.shuffle(edges)
        edges = [edge[:: rng.choice([1, -1])] for edge in edges]
        tree = RootedTree(sets(*([v] for v in range(count))), pairs(*edges), count)
        graph = nx.Graph(edges)
        graph.add_node(0)
        parents = dict(nx.bfs_predecessors(graph, 0))
        assert tree.parent.tolist() == [parents.get(v, -1) for v in range(count)]
        assert tree.depth.tolist() == [nx.shortest_path_length(graph, 0, v) for v in range(count)]
        for cluster in range(1, count):
            assert set(edges[tree.edge_above[cluster]]) == {cluster, tree.parent[cluster]}


@pytest.mark.parametrize("family", FAMILIES)
def test_smallest_subtrees(family):
    """The smallest connected sets of clusters that hold the variables; a single one before others, the smallest first."""
    for known in family():
        found = known.dag.graph.decompose("minimal", "full", None)
        clusters = [mask(found.clusters[c].tolist()) for c in range(len(found.clusters))]
        tree = RootedTree(found.clusters, found.edges, known.size)
        graph = nx.Graph(found.edges.tolist())
        graph.add_nodes_from(range(len(clusters)))
        for variables in range(1 << known.size):
            kept, visits = tree.smallest_subtree(ints(*members(variables)))
            common = [c for c, cluster in enumerate(clusters) if variables & ~cluster == 0]
            if common:
                assert kept.tolist() == [min(common, key=lambda c: (clusters[c].bit_count(), c))]
                continue
            assert visits >= len(kept)
            assert kept.tolist() == sorted({*kept.tolist()})
            inner = graph.subgraph(kept.tolist())
            assert nx.is_connected(inner)
            held = [clusters[c] for c in kept.tolist()]
            assert all(holders_of(v, held) for v in members(variables))
            for leaf in (c for c in inner if inner.degree[c] == 1):  # none can go
                rest = [clusters[c] for c in kept.tolist() if c != leaf]
                assert not all(holders_of(v, rest) for v in members(variables))


def test_subtree_of_nothing():
    assert CHAIN.smallest_subtree(ints())[0].tolist() == [0]
    nothing = RootedTree(sets(), pairs(), 0)
    assert len(nothing) == 0
    assert nothing.smallest_subtree(ints())[0].tolist() == []


@pytest.mark.parametrize(
    "edges", [[(0, 1)], [(0, 1), (0, 1)], [(0, 1), (1, 1)], [(0, 1), (1, 2), (0, 2)], [], [(1, 2), (2, 1)]]
)
def test_only_a_tree_can_be_rooted(edges):
    with pytest.raises(ValueError, match="do not join the clusters to one tree"):
        RootedTree(sets([0], [1], [2]), pairs(*edges), 3)


def test_wrong_arguments_of_rooted_trees():
    for clusters, edges, variables, match in (
        (sets([0], [3]), pairs((0, 1)), 3, "outside"),
        (sets([0], [1]), pairs((0, 2)), 3, "outside"),
        (sets([0], [1]), pairs((0, -1)), 3, "outside"),
        (Ragged.from_lists([[1, 0]]), pairs(), 3, "ascend"),
        (Ragged.from_lists([[1, 1]]), pairs(), 3, "ascend"),
        (sets([0], [1]), np.zeros((1, 3), np.int32), 3, "two columns"),
    ):
        with pytest.raises(ValueError, match=match):
            RootedTree(clusters, edges, variables)
    with pytest.raises(TypeError):
        RootedTree(sets([0], [1]), ints(0, 1), 2)
    with pytest.raises(ValueError, match="outside"):
        CHAIN.smallest_subtree(ints(5))
    with pytest.raises(ValueError, match="no cluster holds"):
        CHAIN.smallest_subtree(ints(0, 4))


def test_wrong_arguments_of_growing_trees():
    moral = sets([1], [0])
    for arguments, match in (
        ((moral, sets([0, 2]), pairs()), "outside"),
        ((moral, sets([0], [1]), pairs((0, 2))), "outside"),
        ((sets([1], [2]), sets([0], [1]), pairs((0, 1))), "no node"),
    ):
        with pytest.raises(ValueError, match=match):
            GrowingTree(*arguments)
    with pytest.raises(TypeError):
        GrowingTree(moral, sets([0], [1]), pairs((0, 1))).refine(3, {})


# --- checks


def test_components_are_counted_as_networkx_does():
    rng = np.random.default_rng(8)
    for _ in range(50):
        size = int(rng.integers(1, 30))
        edges = rng.integers(0, size, (int(rng.integers(0, 30)), 2)).astype(np.int32)
        graph = nx.Graph(edges.tolist())
        graph.add_nodes_from(range(size))
        assert count_components(edges, size) == nx.number_connected_components(graph)
    assert count_components(pairs(), 0) == 0
    with pytest.raises(ValueError, match="outside"):
        count_components(pairs((0, 3)), 3)


def test_nested_clusters():
    assert find_nested_cluster(sets([0, 1], [1, 2]), 3) == -1
    assert find_nested_cluster(sets([0, 1], [1], [0, 1, 2]), 3) == 0
    assert find_nested_cluster(sets([0, 2], [1], [0, 1]), 3) == 1
    assert find_nested_cluster(sets([0, 1], [0, 1]), 3) == 0
    assert find_nested_cluster(sets([0, 1], []), 3) == 1
    assert find_nested_cluster(sets([]), 3) == find_nested_cluster(sets(), 0) == -1


def test_scattered_variables():
    clusters = sets([0, 1], [1, 2], [0, 2, 3])
    assert find_scattered_variable(clusters, pairs((0, 1), (1, 2), (0, 2)), 4) == -1
    assert find_scattered_variable(clusters, pairs((0, 1), (1, 2)), 4) == 0
    assert find_scattered_variable(clusters, pairs((0, 1), (0, 2)), 4) == 2
    assert find_scattered_variable(clusters, pairs((0, 2), (1, 2), (1, 1)), 4) == 1
    assert find_scattered_variable(sets(), pairs(), 0) == -1


def test_wrong_separators():
    clusters, edges = sets([0, 1, 2], [1, 2, 3], [4]), pairs((0, 1), (2, 1))
    assert find_wrong_separator(clusters, edges, sets([1, 2], [])) == -1
    assert find_wrong_separator(clusters, edges, sets([1], [])) == 0
    assert find_wrong_separator(clusters, edges, sets([1, 2], [3])) == 1
    with pytest.raises(ValueError, match="a separator for each edge"):
        find_wrong_separator(clusters, edges, sets([1, 2]))


def test_uncovered_families():
    graph = dc.Dag([(0, 2), (1, 2), (2, 3)]).graph
    assert graph.find_uncovered_family(sets([0, 1, 2], [2, 3])) == -1
    assert graph.find_uncovered_family(sets([0, 2], [1, 2], [2, 3])) == 2
    assert graph.find_uncovered_family(sets([0, 1, 2], [3])) == 3
    assert graph.find_uncovered_family(sets()) == 0


def first_failure(chosen, holds):
    return next((index for index, nodes in enumerate(chosen) if not holds(nodes)), -1)


@pytest.mark.parametrize("family", FAMILIES)
def test_sets_are_judged_as_the_definitions_do(family):
    rng = random.Random(6)
    for known in family():
        graph, everything = known.dag.graph, [*range(1 << known.size)]
        rng.shuffle(everything)
        for start in range(0, len(everything), 7):
            chosen = everything[start : start + 7]
            lists = Ragged.from_lists(map(members, chosen))
            assert graph.find_incomplete_set(lists) == first_failure(chosen, known.is_complete)
            assert graph.find_inducing_set(lists) == first_failure(chosen, known.is_convex)
            assert graph.find_nonminimal_separator(lists) == first_failure(chosen, known.is_minimal_separator)
        convex, separating = ([s for s in everything if test(s)] for test in (known.is_convex, known.is_minimal_separator))
        assert graph.find_inducing_set(Ragged.from_lists(map(members, convex))) == -1
        assert graph.find_nonminimal_separator(Ragged.from_lists(map(members, separating))) == -1


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("family", FAMILIES)
def test_clusters_are_judged_as_the_definitions_do(family, mode):
    for known in family():
        convex = [s for s in range(1 << known.size) if known.is_convex(s)]
        for nodes in convex[::3]:
            found = known.dag.graph.find_reducible_cluster(Ragged.from_lists([members(nodes)]), mode)
            assert found == (0 if known.is_reducible(nodes, mode) else -1), (known.dag.edges, members(nodes))


def test_sets_that_are_no_sets():
    graph = dc.Dag([(0, 1), (1, 2)]).graph
    for lists, match in (([[3]], "outside"), ([[-1]], "outside"), ([[1, 0]], "ascend"), ([[0], [1, 1]], "ascend")):
        wrong = Ragged.from_lists(lists)
        checks = (
            graph.find_uncovered_family,
            graph.find_incomplete_set,
            graph.find_inducing_set,
            graph.find_nonminimal_separator,
            lambda clusters: graph.find_reducible_cluster(clusters, "minimal"),
        )
        for check in checks:
            with pytest.raises(ValueError, match=match):
                check(wrong)
    with pytest.raises(ValueError, match="minimal, any, complete or all"):
        graph.find_reducible_cluster(sets([0]), "most")


def test_no_sets():
    graph = Graph(Ragged.from_lists([]))
    assert graph.find_uncovered_family(sets()) == -1
    for check in (graph.find_incomplete_set, graph.find_inducing_set, graph.find_nonminimal_separator):
        assert check(sets()) == -1
    assert graph.find_reducible_cluster(sets(), "minimal") == -1


def test_complete_sets_cost_next_to_nothing():
    """A million separators of a long chain; were each to cost more than its size, this would not end."""
    count = 1_000_000
    chain = Graph(Ragged(np.maximum(np.arange(count + 1) - 1, 0), np.arange(count - 1, dtype=np.int32)))
    single = Ragged(np.arange(count + 1), np.arange(count, dtype=np.int32))
    both = Ragged(2 * np.arange(count), np.repeat(np.arange(count, dtype=np.int32), 2)[1:-1].copy())
    assert chain.find_inducing_set(single) == chain.find_inducing_set(both) == -1
    assert chain.find_nonminimal_separator(Ragged(np.arange(count - 1), np.arange(1, count - 1, dtype=np.int32))) == -1
