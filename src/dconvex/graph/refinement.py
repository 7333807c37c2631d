"""Splitting the clusters of a tree further, until no separator of the tree's mode splits any of them.

Algorithm 2 alone does not get there ("crossing" and "satellite" separators): a cluster can be left that a minimal d-decomposer
splits. The exact search of `kernels.search` finds such separators inside one cluster; a separator that is already in the
tree can split a cluster elsewhere in which it is no minimal separator by itself, so those are tried too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

Part: TypeAlias = frozenset[int]
Search: TypeAlias = Callable[[int], tuple[int, Part]]

IRREDUCIBLE, FOUND, UNDECIDED = 0, 1, 2


@dataclass
class GrowingTree:
    """The tree of one block while it is refined: `links[i][j]` is the separator between clusters i and j."""

    moral: dict[int, set[int]]
    clusters: dict[int, Part]
    links: dict[int, dict[int, Part]]
    undecided: set[int] = field(default_factory=set)

    def join(self, one: int, other: int, separator: Part) -> None:
        self.links[one][other] = self.links[other][one] = separator

    def split(self, cluster: int, separator: Part) -> list[int]:
        """Put one piece for every component outside the separator in the place of a cluster; what is new or has changed."""
        first = max(self.clusters) + 1
        neighbours, members = self.links.pop(cluster), self.clusters.pop(cluster)
        self.undecided.discard(cluster)
        components = self.components(members, neighbours.values(), separator)
        pieces = list(range(first, first + len(components)))
        for piece, component in zip(pieces, components, strict=True):
            self.clusters[piece], self.links[piece] = component | separator, {}
        for other in pieces[1:]:
            self.join(pieces[0], other, separator)
        for neighbour, shared in neighbours.items():
            del self.links[neighbour][cluster]
            home = next((piece for piece in pieces if shared <= self.clusters[piece]), pieces[0])
            self.join(home, neighbour, shared)
        return [self._contracted(piece) for piece in pieces]

    def _contracted(self, piece: int) -> int:
        """Contract a piece that a neighbour contains into that neighbour; the cluster that holds it in the end."""
        inside = [n for n, shared in self.links[piece].items() if shared == self.clusters[piece]]
        if not inside:
            return piece
        keeper = min(inside)
        for neighbour, shared in self.links.pop(piece).items():
            del self.links[neighbour][piece]
            if neighbour != keeper:
                self.join(keeper, neighbour, shared)
        del self.clusters[piece]
        return keeper

    def components(self, members: Part, cliques: Iterable[Part], separator: Part) -> list[Part]:
        """The components of a cluster's graph (its moral graph, a clique on each separator) without `separator`."""
        outside = members - separator
        groups = [clique - separator for clique in cliques if len(clique - separator) > 1]
        left, found = set(outside), []
        while left:
            component = {min(left)}
            stack = list(component)
            while stack:
                node = stack.pop()
                near = self.moral[node] & outside
                near = near.union(*(group for group in groups if node in group))
                stack.extend(near - component)
                component |= near
            left -= component
            found.append(frozenset(component))
        return found


def refine_tree(tree: GrowingTree, search: Search | None, known: dict[int, tuple[int, Part]]) -> None:
    """Split until nothing splits; clusters for which the search gives up end in `tree.undecided`.

    `known` holds what the search says of clusters as they are now; without a search only the tree's separators are tried.
    """
    queue = deque(sorted(tree.clusters))
    while queue:
        while queue and search is not None:
            cluster = queue.popleft()
            if cluster not in tree.clusters:
                continue
            status, separator = known.pop(cluster) if cluster in known else search(cluster)
            tree.undecided.discard(cluster)
            if status == FOUND:
                changed = tree.split(cluster, separator)
                for other in changed:
                    known.pop(other, None)
                queue.extend(changed)
            elif status == UNDECIDED:
                tree.undecided.add(cluster)
        queue = deque(sorted(set(_split_by_tree_separators(tree))))


def _split_by_tree_separators(tree: GrowingTree) -> Iterator[int]:
    """Split every cluster that a separator of the tree splits ("satellite"); what came of it."""
    for separator in sorted({s for links in tree.links.values() for s in links.values()}, key=sorted):
        for cluster in sorted(tree.clusters):
            if cluster in tree.clusters and separator < tree.clusters[cluster]:
                cliques = tree.links[cluster].values()
                if len(tree.components(tree.clusters[cluster], cliques, separator)) > 1:
                    yield from tree.split(cluster, separator)
