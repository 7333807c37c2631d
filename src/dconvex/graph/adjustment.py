"""Sets of variables to adjust for, so that what is seen says what an action does: Pearl's back-door criterion.

A set Z is right for the effect of x on y if no member of it is a descendant of x, and Z blocks every path between x and y
that begins with an edge into x: that is, Z d-separates them once the edges out of x are removed. The minimal ones are the
minimal separators of x and y in a moral graph (van der Zander, Liśkiewicz and Textor, 2019), which are listed from that nearest
to x on: from each separator and each member of it one step leads to the next one (Shen and Liang, 1997).
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterable, Iterator

import numpy as np

from dconvex.graph.dag import Dag, DagLike, as_dag
from dconvex.names import Name

Neighbours = dict[int, set[int]]
"""The neighbours of each node of an undirected graph."""


def adjustment_sets(dag: DagLike, treatment: Name, outcome: Name, *, most: int = 1000) -> tuple[frozenset[Name], ...]:
    """The minimal sets that satisfy the back-door criterion for the effect of one variable on another.

    The sum over z of P(outcome | treatment, z) P(z) is then what setting the treatment does. Finding the next set takes time
    that grows with the size of the graph only, but there may be exponentially many of them.

    Args:
        dag: The graph: a `Dag`, a networkx `DiGraph`, an iterable of edges, or a network. Its edges are taken for causes.
        treatment: The variable that is set.
        outcome: The variable that is looked at.
        most: The most sets; if there are more, a warning says so, and those that were found first, near the treatment, are
            returned.

    Returns:
        The sets, small ones first, then in canonical order; a single empty set where nothing has to be adjusted for, and none
        where no set is right.

    Raises:
        UnknownVariableError: The graph does not have a variable.
        CycleError: The edges contain a cycle.
        ValueError: Treatment and outcome are the same, or `most` is below 1.

    >>> paths = [("smoke", "tar"), ("tar", "cancer"), ("gene", "smoke"), ("gene", "diet"), ("diet", "cancer")]
    >>> [sorted(members) for members in adjustment_sets(paths, "smoke", "cancer")]
    [['diet'], ['gene']]
    """
    graph = as_dag(dag)
    source, target = graph.index_of(treatment), graph.index_of(outcome)
    if source == target:
        raise ValueError(f"{treatment!r} is both treatment and outcome")
    if most < 1:
        raise ValueError(f"most is {most!r}; it must be at least 1")
    found: list[tuple[int, ...]] = []
    for separator in each_adjustment_set(graph, source, target):
        if len(found) == most:
            warnings.warn(f"there are more than {most:,} minimal adjustment sets; most= takes more of them", stacklevel=2)
            break
        found.append(separator)
    found.sort(key=lambda members: (len(members), members))
    return tuple(frozenset(graph.nodes[index] for index in members) for members in found)


def each_adjustment_set(dag: Dag, source: int, target: int) -> Iterator[tuple[int, ...]]:
    """The minimal sets by index as they are found, from that nearest to the source on."""
    return _minimal_separators(_back_door_graph(dag, source, target), source, target)


def _back_door_graph(dag: Dag, source: int, target: int) -> Neighbours:
    """The moral graph of the ancestors, without the edges out of the source, over the nodes that may be adjusted for.

    What lies below the source is left out, and what it connects becomes adjacent.
    """
    parents = {node: [p for p in dag.graph.parents[node].tolist() if p != source] for node in range(len(dag))}
    neighbours: Neighbours = {node: set() for node in _closure({source, target}, parents)}
    for node in neighbours:
        _connect(neighbours, [node, *parents[node]])
    below = set(dag.graph.descendants(np.array([source], np.int32)).tolist()) - {source, target}
    for node in sorted(below & neighbours.keys()):
        around = neighbours.pop(node)
        for other in around:
            neighbours[other].discard(node)
        _connect(neighbours, sorted(around))
    return neighbours


def _closure(nodes: Iterable[int], parents: dict[int, list[int]]) -> list[int]:
    """The nodes and all above them."""
    found, left = set(nodes), list(nodes)
    while left:
        new = [parent for parent in parents[left.pop()] if parent not in found]
        found.update(new)
        left += new
    return sorted(found)


def _connect(neighbours: Neighbours, nodes: list[int]) -> None:
    for node in nodes:
        neighbours[node].update(other for other in nodes if other != node)


def _minimal_separators(neighbours: Neighbours, source: int, target: int) -> Iterator[tuple[int, ...]]:
    """All minimal separators of two nodes, each once, that nearest to the source first."""
    if target in neighbours[source]:
        return
    first = _beyond(neighbours, {source}, target)
    seen, left = {first}, deque([first])
    while left:
        separator = left.popleft()
        yield separator
        inside = _component(neighbours, source, set(separator))
        for node in separator:
            if target in neighbours[node]:
                continue
            following = _beyond(neighbours, inside | {node}, target)
            if following not in seen:
                seen.add(following)
                left.append(following)


def _beyond(neighbours: Neighbours, inside: set[int], target: int) -> tuple[int, ...]:
    """Of the nodes around `inside` those that can be reached from the target without passing others of them."""
    around = {other for node in inside for other in neighbours[node]} - inside
    outside = _component(neighbours, target, around | inside)
    return tuple(sorted({other for node in outside for other in neighbours[node]} - outside))


def _component(neighbours: Neighbours, start: int, without: set[int]) -> set[int]:
    """The nodes that can be reached."""
    found, left = {start}, [start]
    while left:
        new = neighbours[left.pop()] - without - found
        found |= new
        left += new
    return found
