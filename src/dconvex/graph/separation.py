"""d-separation and Markov boundaries, in one linear walk each.

A path is blocked by Z if it has a non-collider in Z, or a collider that is not in An(Z), the ancestors of Z with Z itself.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from dconvex.graph.dag import Dag, DagLike, as_dag
from dconvex.names import Name, as_names


def d_separated(dag: DagLike, xs: Name | Iterable[Name], ys: Name | Iterable[Name], given: Name | Iterable[Name] = ()) -> bool:
    """Whether `given` blocks every path between `xs` and `ys`.

    Args:
        dag: The graph: a `Dag`, a networkx `DiGraph`, an iterable of edges, or a network.
        xs: A node, or several of them.
        ys: A node, or several of them.
        given: Nodes that are observed.

    Returns:
        Whether they are d-separated. Nodes of `given` are separated from everything; a node in both `xs` and `ys` and not in
        `given` is not separated from itself.

    Raises:
        UnknownVariableError: The graph does not have a node.
        CycleError: The edges contain a cycle.

    >>> d_separated([("rain", "wet"), ("sprinkler", "wet")], "rain", "sprinkler")
    True
    >>> d_separated([("rain", "wet"), ("sprinkler", "wet")], "rain", "sprinkler", given="wet")
    False
    """
    graph = as_dag(dag)
    sources, targets, blocked = (indices(graph, names) for names in (xs, ys, given))
    return not graph.graph.d_connected(sources, blocked)[targets].any()


def markov_boundary(dag: DagLike, nodes: Name | Iterable[Name]) -> frozenset[Name]:
    """Parents, children and the children's other parents of `nodes`.

    Args:
        dag: The graph: a `Dag`, a networkx `DiGraph`, an iterable of edges, or a network.
        nodes: A node, or several of them.

    Returns:
        The boundary, without `nodes` themselves.

    Raises:
        UnknownVariableError: The graph does not have a node.
        CycleError: The edges contain a cycle.

    >>> sorted(markov_boundary([("rain", "wet"), ("sprinkler", "wet")], "rain"))
    ['sprinkler', 'wet']
    """
    graph = as_dag(dag)
    members = set(indices(graph, nodes).tolist())
    children = {child for node in members for child in graph.graph.children[node].tolist()}
    families = {parent for node in members | children for parent in graph.graph.parents[node].tolist()}
    return frozenset(graph.nodes[index] for index in (children | families) - members)


def indices(dag: Dag, names: Name | Iterable[Name]) -> NDArray[np.int32]:
    """The indices of the named nodes, each once, ascending."""
    return np.unique(np.array([dag.index_of(name) for name in as_names(names)], np.int32))
