"""Separators of trees in the core: looking at one cluster at a time finds what looking at the whole DAG finds."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import dags

import dconvex as dc
from dconvex._core import ClusterIndex, Ragged


@st.composite
def trees(draw):
    """Clusters over a DAG with the junction property whose separators may be anything: cliques, some of them merged, and leaves
    that are parts of other clusters.
    """
    dag = draw(dags(max_nodes=8))
    tree = dc.decompose(dag, separators="all")
    clusters, edges = dict(enumerate(map(set, tree.clusters))), [list(edge) for edge in tree.edges]
    while edges and draw(st.booleans()):
        kept, gone = edges.pop(draw(st.integers(0, len(edges) - 1)))
        clusters[kept] |= clusters.pop(gone)
        edges = [[kept if end == gone else end for end in edge] for edge in edges]
    for holder in draw(st.lists(st.sampled_from(list(clusters)), max_size=2)) if clusters else []:
        leaf = 1 + max(clusters)
        clusters[leaf] = draw(st.sets(st.sampled_from(list(clusters[holder])), max_size=4)) if clusters[holder] else set()
        edges.append([holder, leaf])
    number = {cluster: k for k, cluster in enumerate(clusters)}
    return dag, list(clusters.values()), [[number[a], number[b]] for a, b in edges]


def index_of(dag, clusters, edges):
    members = Ragged.from_lists([sorted(map(dag.index_of, cluster)) for cluster in clusters])
    return ClusterIndex(dag.graph, members, np.array(edges, np.int32).reshape(-1, 2))


@settings(max_examples=300)
@given(trees())
def test_all_separators_are_convex_if_and_only_if_none_is_found(sample):
    dag, clusters, edges = sample
    index = index_of(dag, clusters, edges)
    separators = index.separators()
    for cluster, above in enumerate(index.parent.tolist()):
        shared = clusters[cluster] & clusters[above] if above >= 0 else set()
        assert [dag.nodes[v] for v in separators[cluster].tolist()] == sorted(shared, key=dag.index_of)
    wrong = [k for k in range(len(clusters)) if not dc.is_d_convex(dag, [dag.nodes[v] for v in separators[k].tolist()])]
    found = index.find_inducing_separator()
    assert found in wrong if wrong else found == -1


def test_a_separator_that_is_not_convex_is_found_by_its_cluster():
    dag = dc.Dag([("z", "a"), ("z", "b"), ("a", "c"), ("b", "c"), ("a", "d"), ("b", "d")])
    assert index_of(dag, ["abc", "abz", "abd"], [[0, 1], [0, 2]]).find_inducing_separator() == 1
    assert index_of(dag, ["abcz", "abdz"], [[0, 1]]).find_inducing_separator() == -1


def test_one_cluster_and_none():
    assert index_of(dc.Dag([("a", "b")]), ["ab"], []).find_inducing_separator() == -1
    empty = index_of(dc.Dag(), [], [])
    assert empty.find_inducing_separator() == -1
    assert len(empty.separators()) == 0
