"""The definitions, taken literally: paths and subsets are enumerated, sets are bit masks. Shares no code with src."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

import dconvex as dc


def all_dags(size: int) -> Iterator[dc.Dag]:
    """Every upper-triangular adjacency matrix as a DAG over 0 … size-1."""
    pairs = list(itertools.combinations(range(size), 2))
    for chosen in range(1 << len(pairs)):
        yield dc.Dag([pair for bit, pair in enumerate(pairs) if chosen >> bit & 1], nodes=range(size))


class Definitions:
    """One DAG over the nodes 0 … n-1 and what the definitions say of it."""

    def __init__(self, dag: dc.Dag) -> None:
        self.dag = dag
        self.size = len(dag)
        self.parents = [mask(dag.parents(v)) for v in range(self.size)]
        self.children = [mask(dag.children(v)) for v in range(self.size)]
        self.adjacent = [up | down for up, down in zip(self.parents, self.children, strict=True)]
        self.full = (1 << self.size) - 1
        self.subsets = np.arange(1 << self.size)
        self._components: dict[int, list[int]] = {}

    def ancestral(self, nodes: int) -> int:
        """An(nodes): the nodes and all their ancestors."""
        found = 0
        while nodes != found:
            found = nodes
            nodes |= union(self.parents[v] for v in members(found))
        return found

    @cached_property
    def all_ancestral(self) -> np.ndarray:
        """`ancestral` of every subset."""
        return np.array([self.ancestral(nodes) for nodes in range(1 << self.size)])

    @cached_property
    def paths(self) -> list[tuple[int, ...]]:
        """Every path of one or more edges, from its lower end to its higher."""
        found = []

        def extend(path: list[int], used: int) -> None:
            if path[0] < path[-1]:
                found.append(tuple(path))
            for step in members(self.adjacent[path[-1]] & ~used):
                extend([*path, step], used | 1 << step)

        for start in range(self.size):
            extend([start], 1 << start)
        return found

    def colliders(self, path: tuple[int, ...]) -> int:
        inner = zip(path, path[1:], path[2:], strict=False)
        return mask(b for a, b, c in inner if self.parents[b] >> a & 1 and self.parents[b] >> c & 1)

    @cached_property
    def described_paths(self) -> list[tuple[int, int, int, int]]:
        """(lower end, higher end, inner nodes, colliders) of every path."""
        return [(path[0], path[-1], mask(path[1:-1]), self.colliders(path)) for path in self.paths]

    @cached_property
    def inducing(self) -> list[tuple[int, int, int, int]]:
        """The paths between non-adjacent ends whose colliders are all ancestors of the ends."""
        return [
            (u, v, inner, colliders)
            for u, v, inner, colliders in self.described_paths
            if not self.adjacent[u] >> v & 1 and not colliders & ~self.ancestral(1 << u | 1 << v)
        ]

    @cached_property
    def connected(self) -> np.ndarray:
        """`connected[given, x, y]`: whether some path between x and y, none of them given, is not blocked by `given`."""
        found = np.zeros((1 << self.size, self.size, self.size), bool)
        for u, v, inner, colliders in self.described_paths:
            is_open = (self.subsets & (inner & ~colliders) == 0) & (colliders & ~self.all_ancestral == 0)
            found[:, u, v] |= is_open
            found[:, v, u] |= is_open
        for v in range(self.size):
            found[:, v, v] = True
            found[self.subsets >> v & 1 == 1, v, :] = False
            found[self.subsets >> v & 1 == 1, :, v] = False
        return found

    def are_separated(self, xs: Iterable[int], ys: Iterable[int], given: int) -> bool:
        return not any(self.connected[given, x, y] for x, y in itertools.product(xs, ys))

    def markov_boundary(self, nodes: int) -> int:
        """The smallest set outside `nodes` that d-separates `nodes` from all the rest."""
        rest = self.full & ~nodes
        shields = [s for s in subsets_of(rest) if self.are_separated(members(nodes), members(rest & ~s), s)]
        return min(shields, key=int.bit_count)

    @cached_property
    def _convex(self) -> np.ndarray:
        convex = np.ones(1 << self.size, bool)
        for u, v, inner, colliders in self.inducing:
            ends = 1 << u | 1 << v
            convex &= (self.subsets & ends != ends) | (self.subsets & inner & ~colliders != 0)
        return convex

    def is_convex(self, nodes: int) -> bool:
        """Definition 1: there is no inducing path over the nodes."""
        return bool(self._convex[nodes])

    def is_inducing(self, path: tuple[int, ...], nodes: int) -> bool:
        """Whether `path` is what Definition 1 forbids."""
        u, v = path[0], path[-1]
        is_path = all(self.adjacent[a] >> b & 1 for a, b in itertools.pairwise(path)) and len(set(path)) == len(path) > 1
        inner, colliders = mask(path[1:-1]), self.colliders(path)
        return (
            is_path
            and bool(nodes >> u & 1 and nodes >> v & 1)
            and not self.adjacent[u] >> v & 1
            and not nodes & inner & ~colliders
            and not colliders & ~self.ancestral(1 << u | 1 << v)
        )

    @cached_property
    def hulls(self) -> list[int]:
        """For every subset the intersection of all convex sets that hold it."""
        found = [self.full] * (1 << self.size)
        for convex in members_of(self._convex):
            for nodes in subsets_of(convex):
                found[nodes] &= convex
        return found

    @cached_property
    def moral(self) -> list[int]:
        near = list(self.adjacent)
        for v in range(self.size):
            for parent in members(self.parents[v]):
                near[parent] |= self.parents[v] & ~(1 << parent)
        return near

    def components(self, separator: int) -> list[int]:
        """The components of the moral graph without the separator."""
        if separator not in self._components:
            self._components[separator] = self._found_components(self.full & ~separator)
        return self._components[separator]

    def _found_components(self, nodes: int) -> list[int]:
        found = []
        while nodes:
            component = nodes & -nodes
            grown = 0
            while grown != component:
                grown = component
                component |= union(self.moral[v] for v in members(grown)) & nodes
            found.append(component)
            nodes &= ~component
        return found

    def boundary(self, nodes: int) -> int:
        return union(self.moral[v] for v in members(nodes)) & ~nodes

    def is_minimal_separator(self, separator: int) -> bool:
        """Whether at least two components of the moral graph without it see all of it."""
        return sum(self.boundary(component) == separator for component in self.components(separator)) >= 2

    def is_complete(self, nodes: int) -> bool:
        return all(self.adjacent[u] >> v & 1 for u, v in itertools.combinations(members(nodes), 2))

    @cached_property
    def splitters(self) -> dict[str, list[int]]:
        """For each mode the sets that may not split a cluster."""
        separating = [s for s in range(1 << self.size) if len(self.components(s)) > 1]
        convex = [s for s in separating if self.is_convex(s)]
        return {
            "minimal": [s for s in convex if self.is_minimal_separator(s)],
            "any": convex,
            "complete": [s for s in separating if self.is_complete(s)],
            "all": [],
        }

    def splits(self, separator: int, cluster: int) -> bool:
        is_inside = separator & ~cluster == 0
        return is_inside and sum(bool(component & cluster) for component in self.components(separator)) > 1

    def is_reducible(self, cluster: int, mode: str) -> bool:
        return any(self.splits(separator, cluster) for separator in self.splitters[mode])

    def violations(self, tree: dc.ClusterTree, *, irreducible: bool) -> tuple[str, ...]:
        """The properties of a decomposition tree that its mode demands and that do not hold, by definition."""
        mode = tree.mode
        clusters, separators = list(map(mask, tree.clusters)), list(map(mask, tree.separators))
        families = [self.parents[v] | 1 << v for v in range(self.size)]
        holds = {
            "covers": union(clusters) == self.full,
            "families": all(any(family & ~c == 0 for c in clusters) for family in families),
            "tree": is_tree(len(clusters), tree.edges),
            "junction": all(are_joined(holders_of(v, clusters), tree.edges) for v in range(self.size)),
            "reduced": not any(a & ~b == 0 for a, b in itertools.permutations(clusters, 2)),
            "separators": separators == [clusters[i] & clusters[j] for i, j in tree.edges]
            and (mode != "complete" or all(map(self.is_complete, separators))),
            "convex": mode == "all" or all(map(self.is_convex, [*clusters, *separators])),
            "minimal": mode == "any" or all(map(self.is_minimal_separator, separators)),
            "irreducible": not irreducible or not any(self.is_reducible(c, mode) for c in clusters if self.is_convex(c)),
        }
        return tuple(name for name, is_so in holds.items() if not is_so)


def holders_of(v: int, clusters: list[int]) -> list[int]:
    return [i for i, cluster in enumerate(clusters) if cluster >> v & 1]


def are_joined(indices: Iterable[int], edges: Iterable[tuple[int, int]]) -> bool:
    """Whether the indices are connected by the edges among them."""
    left = set(indices)
    todo = [left.pop()] if left else []
    while todo:
        i = todo.pop()
        near = {a + b - i for a, b in edges if i in (a, b)} & left
        left -= near
        todo += near
    return not left


def is_tree(count: int, edges: tuple[tuple[int, int], ...]) -> bool:
    return are_joined(range(count), edges) and len(edges) == max(count - 1, 0)


def members(nodes: int) -> list[int]:
    return [v for v in range(nodes.bit_length()) if nodes >> v & 1]


def members_of(flags: np.ndarray) -> list[int]:
    return np.flatnonzero(flags).tolist()


def subsets_of(nodes: int) -> Iterator[int]:
    """Every subset of a bit mask, the full one first, the empty one last."""
    subset = nodes
    while True:
        yield subset
        if not subset:
            return
        subset = (subset - 1) & nodes


def mask(nodes: Iterable[int]) -> int:
    return sum(1 << v for v in nodes)


def union(masks: Iterable[int]) -> int:
    found = 0
    for nodes in masks:
        found |= nodes
    return found
