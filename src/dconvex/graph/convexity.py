"""d-convex sets: those onto which a Bayesian network collapses.

A set is d-convex if no inducing path over it joins two of its non-adjacent nodes: a path whose inner nodes in the set are
all colliders, and whose colliders are all ancestors of its ends (Definition 1 of the paper). The marginal of the network on
a d-convex set is the network of the induced subgraph.
"""

from __future__ import annotations

from collections.abc import Iterable

from dconvex.graph.dag import DagLike, as_dag
from dconvex.graph.separation import indices
from dconvex.names import Name


def is_d_convex(dag: DagLike, nodes: Name | Iterable[Name]) -> bool:
    """Whether the network over `dag` collapses onto `nodes`.

    Args:
        dag: The graph: a `Dag`, a networkx `DiGraph`, an iterable of edges, or a network.
        nodes: A node, or several of them.

    Returns:
        Whether no inducing path over `nodes` joins two of them that are not adjacent.

    Raises:
        UnknownVariableError: The graph does not have a node.
        CycleError: The edges contain a cycle.

    >>> is_d_convex([("a", "b"), ("b", "c")], ["a", "c"])
    False
    """
    return inducing_path(dag, nodes) is None


def inducing_path(dag: DagLike, nodes: Name | Iterable[Name]) -> tuple[Name, ...] | None:
    """The witness that `nodes` is not d-convex.

    Args:
        dag: The graph: a `Dag`, a networkx `DiGraph`, an iterable of edges, or a network.
        nodes: A node, or several of them.

    Returns:
        The nodes of an inducing path over `nodes`, end to end; None if `nodes` is d-convex.

    Raises:
        UnknownVariableError: The graph does not have a node.
        CycleError: The edges contain a cycle.

    >>> inducing_path([("a", "b"), ("b", "c")], ["a", "c"])
    ('a', 'b', 'c')
    """
    graph = as_dag(dag)
    path = graph.graph.find_inducing_path(indices(graph, nodes))
    return None if path is None else graph.named(path)


def convex_hull(dag: DagLike, nodes: Name | Iterable[Name]) -> frozenset[Name]:
    """The smallest d-convex set that holds `nodes`.

    Args:
        dag: The graph: a `Dag`, a networkx `DiGraph`, an iterable of edges, or a network.
        nodes: A node, or several of them.

    Returns:
        The set.

    Raises:
        UnknownVariableError: The graph does not have a node.
        CycleError: The edges contain a cycle.

    >>> sorted(convex_hull([("a", "b"), ("b", "c"), ("c", "d")], ["a", "c"]))
    ['a', 'b', 'c']
    """
    graph = as_dag(dag)
    return frozenset(graph.named(graph.graph.convex_hull(indices(graph, nodes))))
