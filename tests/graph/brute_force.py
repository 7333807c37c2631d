"""The definitions, taken literally: paths and subsets are enumerated, sets are bit masks. Shares no code with src."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cached_property

import dconvex as dc


def all_dags(size: int) -> Iterator[dc.Dag]:
    """Every upper-triangular adjacency matrix as a DAG over 0 … size-1."""
    pairs = list(itertools.combinations(range(size), 2))
    for chosen in range(1 << len(pairs)):
        yield dc.Dag([pair for bit, pair in enumerate(pairs) if chosen >> bit & 1], nodes=range(size))


class Definitions:
    """One DAG over the nodes 0 … n-1 and what the definitions say of it."""

    def __init__(self, dag: dc.Dag) -> None:
        self.size = len(dag)
        self.parents = [sum(1 << p for p in dag.parents(v)) for v in range(self.size)]
        self.children = [sum(1 << c for c in dag.children(v)) for v in range(self.size)]
        self.adjacent = [up | down for up, down in zip(self.parents, self.children, strict=True)]
        self.full = (1 << self.size) - 1

    def ancestral(self, nodes: int) -> int:
        """An(nodes): the nodes and all their ancestors."""
        found = 0
        while nodes != found:
            found = nodes
            for v in members(found):
                nodes |= self.parents[v]
        return found

    @cached_property
    def paths(self) -> list[tuple[int, int, tuple[int, ...]]]:
        """(u, v, path) for every simple path of two or more edges or one, u < v."""
        found = []

        def extend(path: list[int], used: int) -> None:
            if len(path) > 1 and path[0] < path[-1]:
                found.append((path[0], path[-1], tuple(path)))
            for step in members(self.adjacent[path[-1]] & ~used):
                extend([*path, step], used | 1 << step)

        for start in range(self.size):
            extend([start], 1 << start)
        return found

    def colliders(self, path: tuple[int, ...]) -> int:
        inner = zip(path, path[1:], path[2:], strict=False)
        return sum(1 << b for a, b, c in inner if self.parents[b] >> a & 1 and self.parents[b] >> c & 1)

    @cached_property
    def described_paths(self) -> list[tuple[int, int, int, int]]:
        """(u, v, inner nodes, colliders) of every path."""
        return [(u, v, mask(path[1:-1]), self.colliders(path)) for u, v, path in self.paths]

    @cached_property
    def inducing(self) -> list[tuple[int, int, int, int]]:
        """The paths between non-adjacent ends whose colliders are all ancestors of the ends."""
        return [
            (u, v, inner, colliders)
            for u, v, inner, colliders in self.described_paths
            if not self.adjacent[u] >> v & 1 and not colliders & ~self.ancestral(1 << u | 1 << v)
        ]

    def d_separated(self, x: int, y: int, given: int) -> bool:
        around = self.ancestral(given)
        return not any(
            {u, v} == {x, y} and not inner & ~colliders & given and not colliders & ~around
            for u, v, inner, colliders in self.described_paths
        )

    def is_convex(self, nodes: int) -> bool:
        return not any(
            nodes >> u & 1 and nodes >> v & 1 and not nodes & inner & ~colliders for u, v, inner, colliders in self.inducing
        )

    def is_inducing(self, path: tuple[int, ...], nodes: int) -> bool:
        """Whether `path` is what Definition 1 forbids."""
        u, v = path[0], path[-1]
        is_path = all(self.adjacent[a] >> b & 1 for a, b in itertools.pairwise(path)) and len(set(path)) == len(path)
        inner, colliders = mask(path[1:-1]), self.colliders(path)
        return (
            is_path
            and bool(nodes >> u & 1 and nodes >> v & 1)
            and not self.adjacent[u] >> v & 1
            and not nodes & inner & ~colliders
            and not colliders & ~self.ancestral(1 << u | 1 << v)
        )

    @cached_property
    def convex_sets(self) -> list[int]:
        return [nodes for nodes in range(1 << self.size) if self.is_convex(nodes)]

    def hull(self, nodes: int) -> int:
        common = self.full
        for convex in self.convex_sets:
            if nodes & ~convex == 0:
                common &= convex
        return common

    @cached_property
    def moral(self) -> list[int]:
        near = list(self.adjacent)
        for v in range(self.size):
            for parent in members(self.parents[v]):
                near[parent] |= self.parents[v] & ~(1 << parent)
        return near

    def components(self, nodes: int) -> list[int]:
        """The components of the moral graph on these nodes."""
        found = []
        while nodes:
            component = nodes & -nodes
            grown = 0
            while grown != component:
                grown = component
                for v in members(grown):
                    component |= self.moral[v] & nodes
            found.append(component)
            nodes &= ~component
        return found

    def boundary(self, nodes: int) -> int:
        return union(self.moral[v] for v in members(nodes)) & ~nodes

    def is_minimal_separator(self, separator: int) -> bool:
        """Whether at least two components of the moral graph without it see all of it."""
        around = self.components(self.full & ~separator)
        return sum(self.boundary(component) == separator for component in around) >= 2

    def is_complete(self, nodes: int) -> bool:
        return all(self.adjacent[u] >> v & 1 for u, v in itertools.combinations(members(nodes), 2))

    @cached_property
    def splitters(self) -> dict[str, list[int]]:
        """For each mode the sets that may not split a cluster."""
        separating = [s for s in range(1 << self.size) if len(self.components(self.full & ~s)) > 1]
        convex = [s for s in separating if self.is_convex(s)]
        return {
            "minimal": [s for s in convex if self.is_minimal_separator(s)],
            "any": convex,
            "complete": [s for s in separating if self.is_complete(s)],
        }

    def splits(self, separator: int, cluster: int) -> bool:
        return sum(bool(component & cluster) for component in self.components(self.full & ~separator)) > 1

    def violations(self, tree: dc.ClusterTree, *, irreducible: bool) -> set[str]:
        """The properties of a decomposition tree that do not hold, by definition."""
        clusters = [mask(cluster) for cluster in tree.clusters]
        pairs = list(zip(tree.edges, map(mask, tree.separators), strict=True))
        broken = set()
        if union(clusters) != self.full:
            broken.add("covers")
        if not all(any((self.parents[v] | 1 << v) & ~c == 0 for c in clusters) for v in range(self.size)):
            broken.add("families")
        if not is_tree(len(clusters), tree.edges):
            broken.add("tree")
        if not all(self._has_junction_property(tree, clusters, v) for v in range(self.size)):
            broken.add("junction")
        if any(a & ~b == 0 for a, b in itertools.permutations(clusters, 2)):
            broken.add("reduced")
        if any(clusters[i] & clusters[j] != separator for (i, j), separator in pairs):
            broken.add("separators")
        if tree.mode != "all" and not all(map(self.is_convex, [*clusters, *(separator for _, separator in pairs)])):
            broken.add("convex")
        if tree.mode != "any" and not all(self.is_minimal_separator(separator) for _, separator in pairs):
            broken.add("minimal")
        if tree.mode == "complete" and not all(self.is_complete(separator) for _, separator in pairs):
            broken.add("complete")
        if irreducible and any(self.splits(s, c) for s in self.splitters[tree.mode] for c in clusters if s & ~c == 0):
            broken.add("irreducible")
        return broken

    @staticmethod
    def _has_junction_property(tree: dc.ClusterTree, clusters: list[int], v: int) -> bool:
        holders = [i for i, cluster in enumerate(clusters) if cluster >> v & 1]
        inner = [(i, j) for i, j in tree.edges if i in holders and j in holders]
        return len(inner) == len(holders) - 1


def is_tree(count: int, edges: tuple[tuple[int, int], ...]) -> bool:
    reached, todo = {0}, [0]
    while todo:
        i = todo.pop()
        near = {a + b - i for a, b in edges if i in (a, b)} - reached
        reached |= near
        todo += near
    return count == 0 or (len(edges) == count - 1 and len(reached) == count)


def members(nodes: int) -> list[int]:
    return [v for v in range(nodes.bit_length()) if nodes >> v & 1]


def mask(nodes) -> int:
    return sum(1 << v for v in nodes)


def union(masks) -> int:
    found = 0
    for nodes in masks:
        found |= nodes
    return found
