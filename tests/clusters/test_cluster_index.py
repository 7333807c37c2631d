"""Which table each cluster has for each of its variables, seen from Python; tests/core has the native index itself."""

import dconvex as dc
from dconvex.clusters.cluster_index import ClusterIndex


def index_of(name: str) -> ClusterIndex:
    dag = dc.load_network(name).dag
    return ClusterIndex.of(dag, dc.decompose(dag))


def test_the_networks_own_tables_have_all_parents() -> None:
    index = index_of("asia")
    for variable, name in enumerate(index.dag.nodes):
        assert tuple(index.dag.names[parent] for parent in index.parents_of(variable)) == index.dag.parents(name)


def test_derived_tables_have_some_of_the_parents() -> None:
    index = index_of("alarm")
    assert index.table_count > len(index.dag)
    for table in range(len(index.dag), index.table_count):
        own = index.core.table_variable[table]
        assert set(index.parents_of(table)) < set(index.dag.graph.parents[own])


def test_kept_clusters_are_those_of_the_pruned_tree() -> None:
    index = index_of("asia")
    kept = index.kept_clusters([index.dag.index_of("smoke"), index.dag.index_of("xray")])
    pruned = index.tree.pruned_to(["smoke", "xray"])
    assert {index.tree.clusters[cluster] for cluster in kept} == set(pruned.clusters)
