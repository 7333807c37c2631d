"""The index of families by cluster, against its definition."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dconvex as dc
from dconvex._core import ClusterIndex, Graph, Ragged


def index_of(dag: dc.Dag, tree: dc.ClusterTree) -> ClusterIndex:
    index = {name: number for number, name in enumerate(dag.nodes)}
    clusters = Ragged.from_lists([sorted(index[name] for name in cluster) for cluster in tree.clusters])
    return ClusterIndex(dag.graph, clusters, np.array(tree.edges, np.int32).reshape(-1, 2))


@st.composite
def indexes(draw):
    nodes = draw(st.integers(1, 12))
    edges = draw(st.integers(0, nodes * (nodes - 1) // 2))
    dag = dc.random_dag(nodes, min(edges, 2 * nodes), seed=draw(st.integers(0, 10_000)))
    tree = dc.decompose(dag, separators=draw(st.sampled_from(["minimal", "any", "complete"])))
    return dag, tree, index_of(dag, tree)


def path(index: ClusterIndex, one: int, other: int) -> list[int]:
    """The clusters from one to another."""
    up, down = [one], [other]
    while up[-1] != down[-1]:
        side = up if index.depth[up[-1]] >= index.depth[down[-1]] else down
        side.append(int(index.parent[side[-1]]))
    return up + down[-2::-1]


@given(indexes())
def test_the_tree_hangs_on_the_first_cluster(case):
    _, tree, index = case
    edges = {frozenset(edge) for edge in tree.edges}
    assert {frozenset((cluster, int(index.parent[cluster]))) for cluster in range(1, len(tree))} == edges
    assert index.parent[0] == -1
    assert all(index.depth[cluster] == len(path(index, 0, cluster)) - 1 for cluster in range(len(tree)))


@given(indexes())
def test_holders_tops_and_smallest(case):
    dag, tree, index = case
    for variable, name in enumerate(dag.nodes):
        holders = [number for number, cluster in enumerate(tree.clusters) if name in cluster]
        assert index.holders[variable].tolist() == holders
        assert index.top[variable] == min(holders, key=lambda number: index.depth[number])
        assert index.smallest[variable] == min(holders, key=lambda number: len(tree.clusters[number]))


@given(indexes())
def test_tables_are_the_families_that_clusters_hold(case):
    dag, tree, index = case
    owners, members = index.clusters.owners().tolist(), index.clusters.values.tolist()
    seen: dict[tuple, int] = {}
    for entry, (cluster, variable) in enumerate(zip(owners, members, strict=True)):
        parents = dag.graph.parents[variable].tolist()
        held = [parent for parent in parents if dag.nodes[parent] in tree.clusters[cluster]]
        table = int(index.member_table[entry])
        assert index.table_parents[table].tolist() == held
        assert index.table_variable[table] == variable
        assert seen.setdefault((variable, tuple(held)), table) == table
        if held == parents:
            assert (table, index.toward[entry]) == (variable, -1)
            continue
        homes = [number for number, own in enumerate(tree.clusters) if {dag.nodes[v] for v in (variable, *parents)} <= own]
        assert index.toward[entry] in {path(index, cluster, home)[1] for home in homes}
    assert set(seen.values()) | set(range(len(dag))) == set(range(index.table_count))


@given(indexes())
def test_a_derived_table_is_made_next_to_where_it_is_needed(case):
    dag, _, index = case
    entry = {
        (cluster, variable): number
        for number, (cluster, variable) in enumerate(
            zip(index.clusters.owners().tolist(), index.clusters.values.tolist(), strict=True)
        )
    }
    for table in range(index.table_count):
        source, behind, variable = int(index.source[table]), int(index.behind[table]), int(index.table_variable[table])
        if table < len(dag):
            assert (source, behind) == (-1, -1)
            continue
        assert index.member_table[entry[behind, variable]] == table != index.member_table[entry[source, variable]]
        assert index.toward[entry[behind, variable]] == source


@given(indexes(), st.lists(st.integers(0, 11), max_size=5))
def test_kept_clusters_are_those_of_the_pruned_tree(case, wanted):
    dag, tree, index = case
    variables = [variable % len(dag) for variable in wanted]
    kept = index.kept_clusters(np.array(variables, np.int32)).tolist()
    if not variables:
        assert kept == []
    else:
        assert tuple(tree.clusters[k] for k in kept) == tree.pruned_to([dag.nodes[v] for v in variables]).clusters


def test_pickles_and_copies():
    dag = dc.load_network("alarm").dag
    index = index_of(dag, dc.decompose(dag))
    for again in (pickle.loads(pickle.dumps(index)), copy.deepcopy(index)):
        assert np.array_equal(again.member_table, index.member_table)
        assert again.table_parents == index.table_parents


CHAIN = Graph(Ragged.from_lists([[], [0], [1]]))
BAD = {
    "a cluster without an edge": ([[0, 1], [1, 2]], []),
    "a cycle": ([[0, 1], [1, 2], [2]], [(0, 1), (0, 1)]),
    "an edge to itself": ([[0, 1], [1, 2]], [(0, 0)]),
    "an edge to nowhere": ([[0, 1], [1, 2]], [(0, 7)]),
    "a negative end": ([[0, 1], [1, 2]], [(0, -1)]),
    "a member that is no variable": ([[0, 1], [1, 2, 3]], [(0, 1)]),
    "members that fall": ([[1, 0], [1, 2]], [(0, 1)]),
    "a member twice": ([[0, 1, 1], [1, 2]], [(0, 1)]),
    "a variable in no cluster": ([[0, 1], [1]], [(0, 1)]),
    "a family in no cluster": ([[0, 1], [0, 2]], [(0, 1)]),
    "holders that are not joined": ([[0, 1], [0], [1, 2]], [(0, 1), (1, 2)]),
}


@pytest.mark.parametrize(("clusters", "edges"), BAD.values(), ids=BAD)
def test_what_is_no_junction_tree_is_refused(clusters, edges):
    with pytest.raises(ValueError, match=r"cluster|edge|variable|member|family"):
        ClusterIndex(CHAIN, Ragged.from_lists(clusters), np.array(edges, np.int32).reshape(-1, 2))


def test_no_such_variable():
    index = ClusterIndex(CHAIN, Ragged.from_lists([[0, 1], [1, 2]]), np.array([[0, 1]], np.int32))
    for wrong in (-1, 3):
        with pytest.raises(ValueError, match="no such variable"):
            index.kept_clusters(np.array([wrong], np.int32))


def test_an_empty_network():
    index = ClusterIndex(Graph(Ragged.from_lists([])), Ragged.from_lists([]), np.empty((0, 2), np.int32))
    assert index.table_count == len(index.kept_clusters(np.empty(0, np.int32))) == 0
