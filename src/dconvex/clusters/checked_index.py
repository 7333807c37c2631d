"""Trees that fit a DAG, so that each cluster can answer for itself."""

from __future__ import annotations

from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.graph.checking import find_violations
from dconvex.graph.convexity import inducing_path
from dconvex.graph.dag import Dag
from dconvex.graph.tree import ClusterTree


def checked_index(dag: Dag, tree: ClusterTree) -> ClusterIndex:
    """The index of a tree over this DAG whose separators are d-convex, which shows within each cluster."""
    if not isinstance(tree, ClusterTree):
        raise TypeError(f"tree must be a ClusterTree, as `decompose` gives one, not {type(tree).__name__}")
    if tree.mode == "all":
        tree = ClusterTree(tree.clusters, tree.edges, mode="any")
    broken = find_violations(dag, tree, ("covers", "families", "tree", "junction", "separators"))
    if not broken:
        index = ClusterIndex.of(dag, tree)
        if index.core.find_inducing_separator() < 0:
            return index
    for separator in sorted(dict.fromkeys(tree.separators), key=len):
        if separator <= set(dag.nodes) and (path := inducing_path(dag, separator)) is not None:
            raise ValueError(
                f"the separator {sorted(map(str, separator))} is not d-convex: the inducing path {' – '.join(map(str, path))} "
                "joins two of its variables; use a tree with separators='minimal', 'any' or 'complete'"
            )
    raise ValueError(f"the tree does not fit the network: {', '.join(sorted(broken))} (see dc.check_tree)")
