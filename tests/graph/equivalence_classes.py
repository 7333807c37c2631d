"""Markov equivalence by its definition: adjacencies and colliders of every labelled DAG. Shares no code with src."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator

Edges = frozenset[tuple[int, int]]


def is_acyclic(size: int, edges: Edges) -> bool:
    left = set(range(size))
    while left:
        sinks = {node for node in left if not any((node, other) in edges for other in left)}
        if not sinks:
            return False
        left -= sinks
    return True


def labelled_dags(size: int) -> Iterator[Edges]:
    """Every DAG over 0 … size-1."""
    pairs = list(itertools.combinations(range(size), 2))
    for marks in itertools.product((0, 1, 2), repeat=len(pairs)):
        edges = frozenset((a, b) if mark == 1 else (b, a) for (a, b), mark in zip(pairs, marks, strict=True) if mark)
        if is_acyclic(size, edges):
            yield edges


def adjacencies(edges: Edges) -> frozenset[frozenset[int]]:
    return frozenset(map(frozenset, edges))


def colliders(edges: Edges, adjacent: frozenset[frozenset[int]] | None = None) -> frozenset[tuple[frozenset[int], int]]:
    """Pairs of parents that are not adjacent, with their child."""
    joined = adjacencies(edges) if adjacent is None else adjacent
    return frozenset(
        (frozenset((a, b)), child)
        for (a, child), (b, other) in itertools.combinations(edges, 2)
        if child == other and frozenset((a, b)) not in joined
    )


def classes(size: int) -> list[list[Edges]]:
    """All DAGs, the equivalent ones together."""
    found = defaultdict(list)
    for edges in labelled_dags(size):
        found[adjacencies(edges), colliders(edges)].append(edges)
    return list(found.values())


def agreed(dags: list[Edges]) -> tuple[Edges, Edges]:
    """The edges on which equivalent DAGs agree, and the others with their ends ascending."""
    directed = frozenset.intersection(*dags)
    others = frozenset.union(*dags) - directed
    return directed, frozenset((min(edge), max(edge)) for edge in others)
