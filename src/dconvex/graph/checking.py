"""What must hold of a tree of clusters, each property by its definition, for any tree however it was made.

Nothing is taken over from how `decompose` works, and no property is assumed when another is looked at. The blocks of
the moral graph keep it cheap: a set inside a block is d-convex in the network if and only if it is in the block, and the
same holds of two or more nodes being a minimal separator; so a set costs the size of its block, not of the network. What looks
at paths is in the native core (`core/graph/checking.hpp`).
"""

from __future__ import annotations

from collections.abc import Callable

from dconvex._core import count_components, find_nested_cluster, find_scattered_variable, find_wrong_separator
from dconvex.graph.dag import DagLike, as_dag
from dconvex.graph.tree import ClusterTree


def check_tree(dag: DagLike, tree: ClusterTree, irreducible: bool = False) -> tuple[str, ...]:
    """The properties that `tree` should have as a decomposition of `dag` and does not have.

    - `covers`: the clusters hold the variables of the DAG, all of them and no others.
    - `families`: every variable is in some cluster with all its parents.
    - `tree`: the edges join the clusters to one tree.
    - `junction`: the clusters that hold a variable are joined with each other.
    - `reduced`: no cluster lies inside another.
    - `separators`: they are what the clusters at the two ends share; with mode "complete", pairwise adjacent in the DAG.
    - `convex`: every cluster and every separator is d-convex; not required of mode "all".
    - `minimal`: in the moral graph without it, two components see all of a separator; not required of mode "any".
    - `irreducible`: no separator of the mode's kind splits a d-convex cluster; not required of mode "all".

    Variables that the DAG does not have count as isolated nodes for all properties but the first.

    Args:
        dag: The graph: a `Dag`, a networkx `DiGraph`, an iterable of edges, or a network.
        tree: The tree to check, however it was made.
        irreducible: Whether to check that property too, by a search that may take exponential time.

    Returns:
        The names of the violated properties, in the order above; empty when the tree is sound.

    Raises:
        CycleError: The edges contain a cycle.

    >>> check_tree([("a", "b"), ("b", "c")], ClusterTree([["a", "b"], ["b", "c"]], [(0, 1)]), irreducible=True)
    ()
    >>> check_tree([("a", "b"), ("b", "c")], ClusterTree([["a", "b"], ["b", "c"]]))
    ('tree', 'junction')
    """
    graph = as_dag(dag)
    whole = graph.with_nodes(tree.variables)
    clusters, edges, separators = tree.as_lists(whole)
    network, mode, size = whole.graph, tree.mode, len(whole)
    count = len(clusters)
    fails: dict[str, Callable[[], bool]] = {
        "covers": lambda: tree.variables != frozenset(graph.nodes),
        "families": lambda: network.find_uncovered_family(clusters) >= 0,
        "tree": lambda: len(edges) != max(count - 1, 0) or count_components(edges, count) != min(count, 1),
        "junction": lambda: find_scattered_variable(clusters, edges, size) >= 0,
        "reduced": lambda: find_nested_cluster(clusters, size) >= 0,
        "separators": lambda: (
            find_wrong_separator(clusters, edges, separators) >= 0
            or (mode == "complete" and network.find_incomplete_set(separators) >= 0)
        ),
        "convex": lambda: mode != "all" and max(map(network.find_inducing_set, (clusters, separators))) >= 0,
        "minimal": lambda: mode != "any" and network.find_nonminimal_separator(separators) >= 0,
        "irreducible": lambda: irreducible and network.find_reducible_cluster(clusters, mode) >= 0,
    }
    return tuple(name for name, fails_it in fails.items() if fails_it())
