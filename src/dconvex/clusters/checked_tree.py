"""Trees that fit a DAG, so that each cluster can answer for itself."""

from __future__ import annotations

from dconvex.graph.checking import check_tree
from dconvex.graph.convexity import inducing_path
from dconvex.graph.dag import Dag
from dconvex.graph.tree import ClusterTree


def checked_tree(dag: Dag, tree: ClusterTree) -> ClusterTree:
    """A tree over this DAG whose separators are d-convex."""
    if not isinstance(tree, ClusterTree):
        raise TypeError(f"tree must be a ClusterTree, as `decompose` gives one, not {type(tree).__name__}")
    if tree.mode == "all":
        tree = ClusterTree(tree.clusters, tree.edges, mode="any")
    broken = set(check_tree(dag, tree)) & {"covers", "families", "tree", "junction", "separators", "convex"}
    if not broken:
        return tree
    for separator in sorted(dict.fromkeys(tree.separators), key=len):
        if separator <= set(dag.nodes) and (path := inducing_path(dag, separator)) is not None:
            raise ValueError(
                f"the separator {sorted(map(str, separator))} is not d-convex: the inducing path {' – '.join(map(str, path))} "
                "joins two of its variables; use a tree with separators='minimal', 'any' or 'complete'"
            )
    raise ValueError(f"the tree does not fit the network: {', '.join(sorted(broken))} (see dc.check_tree)")
