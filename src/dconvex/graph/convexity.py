"""d-convex sets: those onto which a Bayesian network collapses.

A set is d-convex if no inducing path over it joins two of its non-adjacent nodes: a path whose inner nodes in the set are
all colliders, and whose colliders are all ancestors of its ends (Definition 1 of the paper). The marginal of the network on
a d-convex set is the network of the induced subgraph.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dconvex.graph.dag import DagLike, as_dag
from dconvex.graph.separation import flags, kernel_arcs, places
from dconvex.kernels import load
from dconvex.names import Name


def is_d_convex(dag: DagLike, nodes: Name | Iterable[Name]) -> bool:
    """Whether the network over `dag` collapses onto `nodes`.

    >>> is_d_convex([("a", "b"), ("b", "c")], ["a", "c"])
    False
    """
    return inducing_path(dag, nodes) is None


def inducing_path(dag: DagLike, nodes: Name | Iterable[Name]) -> tuple[Name, ...] | None:
    """The witness that `nodes` is not d-convex: the nodes of an inducing path over it, end to end; None if it is d-convex.

    >>> inducing_path([("a", "b"), ("b", "c")], ["a", "c"])
    ('a', 'b', 'c')
    """
    graph = as_dag(dag)
    members = places(graph, nodes)
    arcs, kernels = kernel_arcs(graph), load("convexity")
    marks = load("walks").new_marks(len(graph))
    inside = flags(graph, members)
    u, v = kernels.first_inducing_pair(arcs, marks, members, inside)
    if u < 0:
        return None
    kernels.are_joined(arcs, marks, u, v, inside, 0)
    return graph.named(np.array(_steps(marks, u, v), np.int32))


def convex_hull(dag: DagLike, nodes: Name | Iterable[Name]) -> frozenset[Name]:
    """The smallest d-convex set that holds `nodes`.

    >>> sorted(convex_hull([("a", "b"), ("b", "c"), ("c", "d")], ["a", "c"]))
    ['a', 'b', 'c']
    """
    graph = as_dag(dag)
    inside = flags(graph, places(graph, nodes))
    load("convexity").close(kernel_arcs(graph), load("walks").new_marks(len(graph)), inside)
    return frozenset(graph.named(np.flatnonzero(inside).astype(np.int32)))


def _steps(marks: Any, u: int, v: int) -> list[int]:
    """The walk from u to v that is left in `marks`, with the common child put between two married parents.

    The walk is a shortest one in a moral graph, so no node comes twice: a node next to two of its steps would shorten it.
    """
    steps = [int(v)]
    while steps[-1] != u:
        node = steps[-1]
        if marks.through[node] >= 0:
            steps.append(int(marks.through[node]))
        steps.append(int(marks.came_from[node]))
    return steps[::-1]
