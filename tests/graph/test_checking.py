"""`check_tree` against the definitions, on sound trees and on trees broken in every way we can think of."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from graph.brute_force import Definitions
from graph.examples import CROSSING, FIGURE_1, NOT_MINIMAL, SATELLITE
from graph.families import drawn, every, grown, on_a_sample_too

import dconvex as dc
from dconvex import ClusterTree, check_tree
from dconvex._core import Ragged

MODES = ("minimal", "any", "complete", "all")
PROPERTIES = ("covers", "families", "tree", "junction", "reduced", "separators", "convex", "minimal", "irreducible")


# --- agreement with the definitions


@on_a_sample_too
def test_sound_trees_are_judged_as_the_definitions_do(family):
    for known in family():
        for mode, refine in itertools.product(MODES, [True, False]):
            if refine or mode != "all":  # which is not refined
                tree = dc.decompose(known.dag, separators=mode, refine=refine)
                expected = known.violations(tree, irreducible=True)
                assert check_tree(known.dag, tree, irreducible=True) == expected, (known.dag.edges, tree.clusters, mode)


def broken(tree, rng, size):
    """Trees like this one with something wrong, or at least changed, under all four labels."""
    for clusters, edges in changed(list(map(set, tree.clusters)), list(tree.edges), rng, size):
        yield ClusterTree(clusters, edges, mode=rng.choice(MODES))


def changed(clusters, edges, rng, size):
    count = len(clusters)
    one, other = rng.randrange(count), rng.randrange(count)
    node = rng.randrange(size)
    cut = rng.randrange(max(len(edges), 1))
    inside = set(rng.sample(sorted(clusters[one]), rng.randrange(len(clusters[one]) + 1)))
    yield clusters, edges  # under another label
    yield without_cluster(clusters, edges, one)
    yield clusters, edges[:cut] + edges[cut + 1 :]
    yield clusters, [*edges, (one, other)]  # a cycle, a loop or the same edge twice
    yield clusters, [*edges[:cut], (one, other), *edges[cut + 1 :]]  # an edge moved
    yield [*clusters, clusters[one]], [*edges, (one, count)]
    yield [*clusters, clusters[one]], [*edges, (other, count)]
    yield [*clusters, inside], [*edges, (one, count)]
    yield [*clusters, set(rng.sample(range(size), rng.randint(0, size)))], [*edges, (one, count)]
    yield [c | {node} if i == one else c for i, c in enumerate(clusters)], edges
    yield [c - {node} if i == one else c for i, c in enumerate(clusters)], edges
    yield [c - {node} for c in clusters], edges
    yield [c | {node} for c in clusters], edges
    yield clusters, [(rng.randrange(i), i) for i in range(1, count)]  # another tree on the same clusters
    yield [set(range(size))], []
    yield [set(), *clusters], [(a + 1, b + 1) for a, b in edges] + [(0, one + 1)]
    if edges:
        yield merged(clusters, edges, cut)


def without_cluster(clusters, edges, gone):
    number = {old: new for new, old in enumerate(i for i in range(len(clusters)) if i != gone)}
    return [clusters[i] for i in number], [(number[a], number[b]) for a, b in edges if gone not in (a, b)]


def merged(clusters, edges, cut):
    keep, gone = edges[cut]
    moved = [(keep if a == gone else a, keep if b == gone else b) for edge, (a, b) in enumerate(edges) if edge != cut]
    both = [c | clusters[gone] if i == keep else c for i, c in enumerate(clusters)]
    number = {old: new for new, old in enumerate(i for i in range(len(clusters)) if i != gone)}
    return [both[i] for i in number], [(number[a], number[b]) for a, b in moved]


def check_broken(family, rng, found):
    for known in family():
        tree = dc.decompose(known.dag, separators=rng.choice(MODES), refine=rng.random() < 0.7)
        for other in broken(tree, rng, known.size):
            expected = known.violations(other, irreducible=True)
            found.update(expected or ["none"])
            described = (known.dag.edges, other.clusters, other.edges, other.mode)
            assert check_tree(known.dag, other, irreducible=True) == expected, described


@pytest.mark.parametrize("family", [every(4), every(5, 3, 8), drawn(41, 60), grown(42, 60)])
def test_broken_trees_are_judged_as_the_definitions_do(family):
    found = Counter()
    check_broken(family, random.Random(0), found)
    assert set(found) == {*PROPERTIES, "none"}  # all of them came up
    assert min(found.values()) > 5


@pytest.mark.slow
@pytest.mark.parametrize(
    "family",
    [
        *(every(5, s, 4) for s in range(4)),
        every(6, 5, 16),
        *(drawn(s, 150) for s in range(50, 58)),
        *(grown(s, 150) for s in range(60, 68)),
    ],
)
def test_many_broken_trees_are_judged_as_the_definitions_do(family):
    check_broken(family, random.Random(1), Counter())


@pytest.mark.parametrize("family", [every(3), drawn(43, 30)])
def test_unknown_variables_count_as_isolated_nodes_but_cover_nothing(family):
    rng = random.Random(2)
    for known in family():
        tree = dc.decompose(known.dag)
        larger = Definitions(known.dag.with_nodes([known.size]))
        clusters = [set(c) for c in tree.clusters]
        clusters[rng.randrange(len(clusters))].add(known.size)
        if rng.random() < 0.5:
            clusters[rng.randrange(len(clusters))].add(known.size)
        other = ClusterTree(clusters, tree.edges, mode=rng.choice(MODES))
        rest = larger.violations(other, irreducible=True)
        assert check_tree(known.dag, other, irreducible=True) == ("covers", *(name for name in rest if name != "covers"))


# --- each property by an example


CHAIN = [("a", "b"), ("b", "c"), ("c", "d")]


def tree_of(*clusters, edges=None, mode="minimal"):
    return ClusterTree(map(list, clusters), itertools.pairwise(range(len(clusters))) if edges is None else edges, mode=mode)


@pytest.mark.parametrize(
    ("dag", "tree", "expected"),
    [
        (CHAIN, tree_of("ab", "bc", "cd"), ()),
        (CHAIN, tree_of("ab", "bc"), ("covers", "families")),
        (CHAIN, tree_of("ab", "bc", "cde"), ("covers", "irreducible")),
        (CHAIN, tree_of("ab", "bc", "cd", edges=[(0, 1)]), ("tree", "junction")),
        (CHAIN, tree_of("ab", "bc", "cd", edges=[(0, 1), (1, 2), (0, 2)]), ("tree", "minimal")),
        (CHAIN, tree_of("ab", "bc", "cd", edges=[(0, 1), (1, 2), (2, 2)]), ("tree", "minimal")),
        (CHAIN, tree_of("ab", "bc", "cd", edges=[(0, 1), (1, 2), (1, 2)]), ("tree",)),
        (CHAIN, tree_of("ab", "cd", "bc"), ("junction", "minimal")),
        (CHAIN, tree_of("ab", "bc", "cd", "d"), ("reduced", "minimal")),
        (CHAIN, tree_of("ab", "bc", "bc", "cd"), ("reduced", "minimal")),
        (CHAIN, tree_of("abd", "bcd"), ("convex", "minimal", "irreducible")),
        (CHAIN, tree_of("abcd"), ("irreducible",)),
        (CHAIN, tree_of("abc", "bcd"), ("minimal", "irreducible")),
        (CHAIN, tree_of("abc", "bcd", mode="any"), ("irreducible",)),
        (CHAIN, tree_of("abc", "bcd", mode="all"), ("minimal",)),
        (CHAIN, tree_of("ab", "bc", "cd", mode="complete"), ()),
        (CHAIN, tree_of("abcd", mode="complete"), ("irreducible",)),
        (CHAIN, tree_of("abcd", mode="all"), ()),
        (CHAIN, tree_of(), ("covers", "families")),
        (CHAIN, tree_of("xy"), ("covers", "families", "irreducible")),
        (CHAIN, tree_of("", "abcd"), ("reduced", "minimal", "irreducible")),
        ([], tree_of(), ()),
        ([], tree_of(""), ()),
        ([], tree_of("a"), ("covers",)),
        ([], tree_of("a", "b"), ("covers",)),
        ([], tree_of("", ""), ("reduced", "minimal")),
        (dc.Dag(nodes=["a", "b"]), tree_of("a", "b"), ()),
        (dc.Dag(nodes=["a", "b"]), tree_of("ab"), ("irreducible",)),
        (dc.Dag(nodes=["a", "b"]), tree_of("a", "b", edges=[]), ("tree",)),
        ([("a", "c"), ("b", "c")], tree_of("ac", "bc"), ("families", "minimal")),
    ],
)
def test_violations_by_example(dag, tree, expected):
    assert check_tree(dag, tree, irreducible=True) == expected


def test_complete_asks_for_adjacency_in_the_dag():
    tree = dc.decompose(SATELLITE)
    assert check_tree(SATELLITE, tree) == ()
    relabelled = ClusterTree(tree.clusters, tree.edges, mode="complete")
    assert check_tree(SATELLITE, relabelled) == ("separators",)
    assert check_tree(FIGURE_1, ClusterTree(*_parts(dc.decompose(FIGURE_1)), mode="complete")) == ()


def _parts(tree):
    return tree.clusters, tree.edges


def test_separator_that_is_not_convex():
    tree = dc.decompose(FIGURE_1, separators="all")
    assert check_tree(FIGURE_1, tree, irreducible=True) == ()
    for mode in ("minimal", "any"):
        assert "convex" in check_tree(FIGURE_1, ClusterTree(*_parts(tree), mode=mode))


def test_separator_that_is_not_minimal():
    tree = dc.decompose(NOT_MINIMAL, separators="any")
    assert check_tree(NOT_MINIMAL, tree, irreducible=True) == ()
    assert check_tree(NOT_MINIMAL, ClusterTree(*_parts(tree)), irreducible=True) == ("minimal",)
    one = ClusterTree([dc.Dag(NOT_MINIMAL).nodes])
    assert check_tree(NOT_MINIMAL, one, irreducible=True) == ()
    assert check_tree(NOT_MINIMAL, ClusterTree(one.clusters, mode="any"), irreducible=True) == ("irreducible",)


def test_irreducible_is_looked_at_only_when_asked():
    for known in grown(44, 30)():
        tree = dc.decompose(known.dag, refine=False)
        assert check_tree(known.dag, tree) == known.violations(tree, irreducible=False) == ()
    for dag in (CROSSING, SATELLITE):
        one = ClusterTree([dc.Dag(dag).nodes])
        assert check_tree(dag, one) == ()
        assert check_tree(dag, one, irreducible=True) == ("irreducible",)


def test_separators_that_are_not_what_the_clusters_share():
    lists = Ragged.from_lists
    for separators, expected in (([[1], [2]], ()), ([[1], []], ("separators", "minimal")), ([[2], [1]], ("separators",))):
        tree = ClusterTree.from_arrays(
            tuple("abcd"),
            lists([[0, 1], [1, 2], [2, 3]]),
            np.array([[0, 1], [1, 2]], np.int32),
            lists(separators),
            mode="minimal",
            certified=False,
            undecided=(),
        )
        assert check_tree(CHAIN, tree) == expected


def test_names_come_in_the_order_of_the_docs():
    tree = tree_of("ab", "cd", "xy", "x", edges=[(0, 1), (0, 2)])
    found = check_tree(CHAIN, tree, irreducible=True)
    assert list(found) == [name for name in PROPERTIES if name in found]
    assert found == ("covers", "families", "tree", "junction", "reduced", "irreducible")


def test_any_kind_of_graph_is_taken():
    tree = tree_of("ab", "bc", "cd")
    for graph in (CHAIN, dc.Dag(CHAIN), nx.DiGraph(CHAIN), dc.random_network(dc.Dag(CHAIN))):
        assert check_tree(graph, tree, irreducible=True) == ()


def test_mixed_names():
    edges = [(1, "1"), ("1", 2), (2, "b")]
    tree = dc.decompose(edges)
    assert check_tree(edges, tree, irreducible=True) == ()
    assert check_tree(edges, ClusterTree([*tree.clusters[:-1], ["1", "x"]], tree.edges)) != ()


@pytest.mark.parametrize("name", ["pigs", "munin1", "win95pts", "barley", "mildew"])
@pytest.mark.parametrize("mode", ["minimal", "complete", "all"])
def test_repository_trees_are_sound(name, mode):
    dag = dc.load_network(name).dag
    tree = dc.decompose(dag, separators=mode)
    assert check_tree(dag, tree, irreducible=tree.certified) == ()
    if len(tree.edges):
        joined = ClusterTree(*merged(list(map(set, tree.clusters)), list(tree.edges), 0), mode=mode)
        assert check_tree(dag, joined, irreducible=True) == (() if mode == "all" else ("irreducible",))


def test_pruned_tree_is_sound_but_for_what_it_leaves_out():
    dag = dc.load_network("alarm").dag
    tree = dc.decompose(dag)
    pruned = tree.pruned_to(["HISTORY", "BP"])
    assert set(check_tree(dag, pruned, irreducible=True)) == {"covers", "families"}


# --- size


def test_long_chain():
    dag = dc.Dag((i, i + 1) for i in range(100_000))
    assert check_tree(dag, dc.decompose(dag)) == ()


def test_long_chain_without_a_link():
    last = 10_000
    clusters = [(i, i + 1) for i in range(last)]
    cut = ClusterTree(clusters, [(i, i + 1) for i in range(last - 1) if i != 5_000])
    assert check_tree(dc.Dag(clusters), cut, irreducible=True) == ("tree", "junction")


def test_star():
    dag = dc.Dag((0, leaf) for leaf in range(1, 10_001))
    assert check_tree(dag, dc.decompose(dag), irreducible=True) == ()


def test_chain_of_diamonds():
    dag = dc.Dag(edge for i in range(0, 9_000, 3) for edge in [(i, i + 1), (i, i + 2), (i + 1, i + 3), (i + 2, i + 3)])
    tree = dc.decompose(dag)
    assert check_tree(dag, tree, irreducible=True) == ()
    assert check_tree(dag, dc.decompose(dag, separators="all")) == ()
