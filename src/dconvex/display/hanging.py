"""A tree hung on one of its nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dconvex.errors import NetworkError

Edge: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Hanging:
    """For each node what is above and below it; the root has -1 above it."""

    order: tuple[int, ...]
    """Parents before children, by depth."""
    parent: tuple[int, ...]
    edge_above: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]

    @classmethod
    def on(cls, root: int, count: int, edges: Sequence[Edge]) -> Hanging:
        """Hang the tree over 0 … count-1 on `root`; without nodes there is none, and `root` is ignored."""
        near: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        for place, (one, other) in enumerate(edges):
            near[one].append((other, place))
            near[other].append((one, place))
        parent, above, order = [-1] * count, [-1] * count, [root] if count else []
        for node in order:  # grows while it is read
            below = [(other, place) for other, place in near[node] if place != above[node]]
            for child, place in below:
                parent[child], above[child] = node, place
            order += [child for child, _ in below]
            if len(order) > count:
                break
        if len(order) != count or set(order) != set(range(count)):
            raise NetworkError("the clusters are not joined to a tree; see dconvex.check_tree")
        children = (tuple(sorted(other for other, place in near[node] if place != above[node])) for node in range(count))
        return cls(tuple(order), tuple(parent), tuple(above), tuple(children))
