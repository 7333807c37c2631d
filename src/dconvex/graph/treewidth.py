"""Upper bounds of the treewidth, by eliminating the nodes of the moral graph one after the other.

Eliminating a node joins all its neighbours with each other. The largest number of neighbours that any node has when it is
eliminated bounds the treewidth from above, whatever the order. The two classical orders take the node with the fewest
neighbours (min-degree) or the one that needs the fewest new edges (min-fill), see Bodlaender and Koster, "Treewidth
computations I: upper bounds" (2010). The exact number is NP-hard to find.
"""

from __future__ import annotations

import heapq
import itertools
from typing import Literal, TypeAlias, get_args

from dconvex.graph.dag import Dag, DagLike, as_dag

Heuristic: TypeAlias = Literal["min-degree", "min-fill"]
HEURISTICS: tuple[Heuristic, ...] = get_args(Heuristic)


def treewidth_bound(dag: DagLike, heuristic: Heuristic = "min-fill") -> int:
    """A number that the treewidth of the moral graph does not exceed.

    Args:
        dag: The graph: a `Dag`, a networkx `DiGraph`, an iterable of edges, or a network.
        heuristic: "min-fill" or "min-degree"; ties are broken in canonical order.

    Returns:
        The bound.

    Raises:
        ValueError: The heuristic is another one.
        CycleError: The edges contain a cycle.

    >>> treewidth_bound([("a", "b"), ("b", "c"), ("c", "d")])
    1
    >>> treewidth_bound([("a", "d"), ("b", "d"), ("c", "d")], "min-degree")
    3
    """
    if heuristic not in HEURISTICS:
        raise ValueError(f"unknown heuristic {heuristic!r}; there are {', '.join(HEURISTICS)}")
    graph = _Elimination(as_dag(dag), counts_fill=heuristic == "min-fill")
    width = 0
    while len(graph.near) > width + 1:  # the nodes left have at most as many neighbours as there are others: no more to learn
        width = max(width, graph.eliminate_next())
    return width


class _Elimination:
    """The graph while it shrinks.

    For min-fill, `missing[v]` counts the pairs of v's neighbours that are not joined, and is kept up to date edge by edge:
    counting them again around every elimination would cost the square of the degrees each time.
    """

    def __init__(self, dag: Dag, *, counts_fill: bool) -> None:
        self.near = _moral_neighbours(dag)
        self.counts_fill = counts_fill
        self.missing = dict.fromkeys(self.near, 0)
        if counts_fill:
            self.missing = {node: self._missing_pairs(node) for node in self.near}
        self.queue = [(self.missing[node], len(near), node) for node, near in self.near.items()]
        heapq.heapify(self.queue)

    def eliminate_next(self) -> int:
        """Take out the cheapest node; how many neighbours it had."""
        node = self._cheapest()
        around = sorted(self.near[node])
        touched = set(around)
        for one, other in itertools.combinations(around, 2):
            if other not in self.near[one]:
                touched |= self._join(one, other)
        self._remove(node)
        for changed in touched - {node}:
            heapq.heappush(self.queue, self._key(changed))
        return len(around)

    def _cheapest(self) -> int:
        """The queue keeps the old keys of changed nodes; those that no longer hold are skipped."""
        while True:
            key = heapq.heappop(self.queue)
            if key[2] in self.near and key == self._key(key[2]):
                return key[2]

    def _key(self, node: int) -> tuple[int, int, int]:
        """Min-degree leaves `missing` at zero; among nodes of equal fill the one with the fewest neighbours goes first."""
        return self.missing[node], len(self.near[node]), node

    def _missing_pairs(self, node: int) -> int:
        around = self.near[node]
        return sum(len(around) - 1 - len(around & self.near[one]) for one in around) // 2

    def _join(self, one: int, other: int) -> set[int]:
        """Add an edge; the nodes that see it in their neighbourhood."""
        near, missing = self.near, self.missing
        if not self.counts_fill:
            near[one].add(other)
            near[other].add(one)
            return set()
        common = near[one] & near[other]
        for witness in common:
            missing[witness] -= 1
        for end, new in ((one, other), (other, one)):
            missing[end] += len(near[end]) - len(common)
            near[end].add(new)
        return common

    def _remove(self, node: int) -> None:
        """Its neighbours form a clique by now, so each of them misses the node's edge to those that lie outside."""
        around = self.near.pop(node)
        for neighbour in around:
            self.near[neighbour].discard(node)
            if self.counts_fill:
                self.missing[neighbour] -= len(self.near[neighbour]) - (len(around) - 1)


def _moral_neighbours(dag: Dag) -> dict[int, set[int]]:
    near: dict[int, set[int]] = {node: set() for node in range(len(dag))}
    for child in near:
        family = [child, *dag.graph.parents[child].tolist()]
        for one, other in itertools.permutations(family, 2):
            near[one].add(other)
    return near
