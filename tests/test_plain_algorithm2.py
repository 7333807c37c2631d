from collections import Counter

import networkx as nx
import pytest

import dconvex as dc
from benchmarks.plain_algorithm2 import cliques, decomposition_tree, is_d_convex, junction_tree

RANDOM_DAGS = [
    dc.random_dag(nodes, edges, max_parents=4, seed=seed)
    for seed in range(40)
    for nodes, edges in ((6, 8), (12, 14), (25, 25), (40, 60))
]
NETWORKS = ("asia", "cancer", "survey", "sachs", "child", "insurance", "alarm", "hailfinder", "hepar2", "win95pts")


def clique_tree_of_ours(dag):
    """The junction tree that ours begins with, on which the merged clusters depend."""
    ours = dc.decompose(dag, separators="all")
    tree = nx.Graph()
    tree.add_nodes_from(ours.clusters)
    tree.add_edges_from((ours.clusters[a], ours.clusters[b]) for a, b in ours.edges)
    return tree


def separators(tree):
    return Counter(a & b for a, b in tree.edges)


def assert_equals_ours(dag):
    ours = dc.decompose(dag, refine=False)
    plain = decomposition_tree(dag.to_networkx(), clique_tree_of_ours(dag))
    assert set(plain) == set(ours.clusters)
    # the edges between two blocks may be attached to other clusters; what they share is the same
    assert separators(plain) == Counter(ours.separators)


def test_equals_ours_on_random_dags():
    for dag in RANDOM_DAGS:
        assert_equals_ours(dag)


@pytest.mark.parametrize("name", NETWORKS)
def test_equals_ours_on_repository_networks(name):
    assert_equals_ours(dc.load_network(name).dag)


def test_another_junction_tree_of_the_same_cliques_keeps_the_same_separators():
    for dag in RANDOM_DAGS:
        ours = dc.decompose(dag, refine=False)
        plain = decomposition_tree(dag.to_networkx(), junction_tree(dc.decompose(dag, separators="all").clusters))
        assert separators(plain) == Counter(ours.separators)
        assert len(plain) == len(ours)


def test_which_cliques_are_merged_may_depend_on_the_junction_tree():
    """The "satellite": {d, s1, s2} hangs on the clique of p or on that of q, and {s1, s2} is not d-convex."""
    dag = dc.Dag(edge.split("→") for edge in "z→s1 z→s2 s1→d s2→d s1→p s2→p z→p s1→q s2→q z→q".split())
    d, p, q = (frozenset([node, "s1", "s2"]) for node in "dpq")
    p, q = p | {"z"}, q | {"z"}
    assert set(decomposition_tree(dag.to_networkx(), nx.Graph([(d, p), (p, q)]))) == {d | p, q}
    assert set(decomposition_tree(dag.to_networkx(), nx.Graph([(d, q), (p, q)]))) == {d | q, p}


def test_its_own_triangulation_is_minimal_and_gives_a_sound_tree():
    for dag in RANDOM_DAGS[::4]:
        graph = dag.to_networkx()
        assert set().union(*cliques(graph)) == set(dag)
        tree = decomposition_tree(graph)
        assert nx.is_tree(tree)
        assert all(is_d_convex(graph, separator) for separator in separators(tree))
        indices = {cluster: index for index, cluster in enumerate(tree)}
        as_ours = dc.ClusterTree(tree, [(indices[a], indices[b]) for a, b in tree.edges])
        assert not set(dc.check_tree(dag, as_ours)) - {"irreducible"}


def test_convexity_agrees_with_ours():
    for dag in RANDOM_DAGS:
        graph = dag.to_networkx()
        for size in (2, 3, 5):
            nodes = frozenset(sorted(dag, key=lambda node: (node * 7 + size) % 11)[:size])
            assert is_d_convex(graph, nodes) == dc.is_d_convex(dag, nodes)


def test_a_disconnected_dag_gets_empty_separators():
    tree = decomposition_tree(nx.DiGraph([("a", "b"), ("c", "d")]))
    assert set(tree) == {frozenset("ab"), frozenset("cd")}
    assert separators(tree) == {frozenset(): 1}
