"""A tree with one of its nodes as the root."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dconvex.display.geometry import Edge
from dconvex.errors import NetworkError


@dataclass(frozen=True)
class RootedTree:
    """For each node its parent, the edge to it, and its children; the root has parent and edge -1."""

    order: tuple[int, ...]
    """Parents before children, by depth."""
    parent: tuple[int, ...]
    edge_above: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]

    @classmethod
    def at(cls, root: int, count: int, edges: Sequence[Edge]) -> RootedTree:
        """The tree over 0 … count-1 with this root, which is ignored if there are no nodes."""
        near: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        for edge, (one, other) in enumerate(edges):
            near[one].append((other, edge))
            near[other].append((one, edge))
        parent, above, order = [-1] * count, [-1] * count, [root] if count else []
        for node in order:  # grows while it is read
            below = [(other, edge) for other, edge in near[node] if edge != above[node]]
            for child, edge in below:
                parent[child], above[child] = node, edge
            order += [child for child, _ in below]
            if len(order) > count:
                break
        if len(order) != count or set(order) != set(range(count)):
            raise NetworkError("the edges between the clusters do not form a tree; dconvex.check_tree says more")
        children = (tuple(sorted(other for other, edge in near[node] if edge != above[node])) for node in range(count))
        return cls(tuple(order), tuple(parent), tuple(above), tuple(children))
