"""A DAG in rows: every edge leads downwards, long edges pass through a joint in each row, and few edges cross.

The method of Sugiyama, Tagawa and Toda ("Methods for visual understanding of hierarchical system structures", 1981): layers
by the longest path, then each row is sorted repeatedly by the positions of its neighbours. The items of a row are nodes,
0 … n-1, and joints, numbered from n on.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dconvex.display.geometry import Edge

Rows: TypeAlias = list[list[int]]

SWEEPS, ITEMS = 12, 1_500
"""The most sweeps, and the most items for that many; with more items there are fewer sweeps, which bounds the time."""


@dataclass(frozen=True)
class Layers:
    """The rows from top to bottom, each from left to right, and for each edge its chain: tail, joints, head."""

    rows: Rows
    chains: list[list[int]]


def layered(count: int, edges: Sequence[Edge]) -> Layers:
    """Rows for the nodes 0 … count-1 of a DAG, with few crossings."""
    depth = depths(count, edges)
    chains, joint_depths = _chains(count, edges, depth)
    where = [*depth, *joint_depths]
    rows: Rows = [[] for _ in range(max(where, default=-1) + 1)]
    for item in _by_component(count, chains, len(where)):
        rows[where[item]].append(item)
    return Layers(_uncrossed(rows, chains), chains)


def depths(count: int, edges: Sequence[Edge]) -> list[int]:
    """The row of each node: by the longest path to it, with two exceptions.

    A node with more children than parents moves down towards them; from a row that would become too wide the nodes with the
    least below them move to the next one.
    """
    parents: list[list[int]] = [[] for _ in range(count)]
    children: list[list[int]] = [[] for _ in range(count)]
    for tail, head in edges:
        parents[head].append(tail)
        children[tail].append(head)
    order, depth = _longest_paths(parents, children)
    _, height = _longest_paths(children, parents)
    for node in reversed(order):
        if len(children[node]) > len(parents[node]):
            depth[node] = min(depth[child] for child in children[node]) - 1
    return _narrowed(order, parents, depth, height, most=max(8, math.ceil(1.5 * math.sqrt(count))))


def _longest_paths(before: Sequence[Sequence[int]], after: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """The nodes, those `before` a node first, and the length of the longest path to each."""
    waiting = list(map(len, before))
    order = [node for node, count in enumerate(waiting) if not count]
    length = [0] * len(before)
    for node in order:  # grows while it is read
        for other in after[node]:
            length[other] = max(length[other], length[node] + 1)
            waiting[other] -= 1
            if not waiting[other]:
                order.append(other)
    return order, length


def _narrowed(
    order: Sequence[int], parents: Sequence[Sequence[int]], wish: Sequence[int], height: Sequence[int], most: int
) -> list[int]:
    """The row of each node: the first from its wish on with fewer than `most` nodes."""
    depth = [0] * len(order)
    filled: Counter[int] = Counter()
    for node in sorted(order, key=lambda node: (wish[node], -height[node], node)):
        row = max([wish[node], *(depth[parent] + 1 for parent in parents[node])])
        while filled[row] >= most:
            row += 1
        depth[node] = row
        filled[row] += 1
    return depth


def crossings(rows: Rows, chains: Sequence[Sequence[int]]) -> int:
    """The number of pairs of edges that cross between neighbouring rows."""
    position = _positions(rows)
    row_of = {item: number for number, row in enumerate(rows) for item in row}
    between: list[list[tuple[int, int]]] = [[] for _ in rows]
    for one, other in _links(chains):
        between[row_of[one]].append((position[one], position[other]))
    return sum(_inversions([low for _, low in sorted(pairs)]) for pairs in between)


def _inversions(numbers: Sequence[int]) -> int:
    seen: list[int] = []
    found = 0
    for number in numbers:
        found += len(seen) - bisect_right(seen, number)
        insort(seen, number)
    return found


def _links(chains: Sequence[Sequence[int]]) -> Iterator[Edge]:
    return ((one, other) for chain in chains for one, other in itertools.pairwise(chain))


def _positions(rows: Rows) -> dict[int, int]:
    return {item: position for row in rows for position, item in enumerate(row)}


def _chains(count: int, edges: Sequence[Edge], depth: Sequence[int]) -> tuple[list[list[int]], list[int]]:
    chains: list[list[int]] = []
    joint_depths: list[int] = []
    for tail, head in edges:
        passed = range(depth[tail] + 1, depth[head])
        first = count + len(joint_depths)
        joint_depths += passed
        chains.append([tail, *range(first, first + len(passed)), head])
    return chains, joint_depths


def _by_component(count: int, chains: Sequence[Sequence[int]], items: int) -> list[int]:
    """All items in the order of a walk, so that unconnected parts start side by side."""
    near: list[list[int]] = [[] for _ in range(items)]
    for one, other in _links(chains):
        near[one].append(other)
        near[other].append(one)
    seen: dict[int, None] = {}
    for start in range(count):
        stack = [start]
        while stack:
            item = stack.pop()
            if item not in seen:
                seen[item] = None
                stack += reversed(near[item])
    return list(seen)


def _uncrossed(rows: Rows, chains: Sequence[Sequence[int]]) -> Rows:
    above: dict[int, list[int]] = {item: [] for row in rows for item in row}
    below: dict[int, list[int]] = {item: [] for row in rows for item in row}
    for one, other in _links(chains):
        above[other].append(one)
        below[one].append(other)
    best, fewest = rows, crossings(rows, chains)
    sweeps = min(SWEEPS, max(2, SWEEPS * ITEMS // max(len(above), 1)))
    for _ in range(sweeps):
        rows = _swept(_swept(rows, above), below, upwards=True)
        rows = _swapped(rows, above, below, sweeps)
        count = crossings(rows, chains)
        if count < fewest:
            best, fewest = rows, count
    return best


def _swept(rows: Rows, near: dict[int, list[int]], *, upwards: bool = False) -> Rows:
    """Sort each row by the mean position of its neighbours in the row before; an item without any keeps its position."""
    swept = [list(row) for row in rows]
    position = _positions(rows)

    def key(item: int) -> float:
        return sum(position[other] for other in near[item]) / len(near[item]) if near[item] else position[item]

    for row in reversed(swept) if upwards else swept:
        row.sort(key=key)
        position.update((item, number) for number, item in enumerate(row))
    return swept


def _swapped(rows: Rows, above: dict[int, list[int]], below: dict[int, list[int]], sweeps: int) -> Rows:
    """Swap neighbours in a row as long as that removes crossings, in at most `sweeps` sweeps."""
    swapped = [list(row) for row in rows]
    position = _positions(rows)

    def gain(one: int, other: int) -> int:
        return sum(
            _crossed(near[one], near[other], position) - _crossed(near[other], near[one], position) for near in (above, below)
        )

    for _ in range(sweeps):
        has_changed = False
        for row in swapped:
            for left in range(len(row) - 1):
                one, other = row[left], row[left + 1]
                if gain(one, other) > 0:
                    row[left : left + 2] = other, one
                    position[one], position[other] = left + 1, left
                    has_changed = True
        if not has_changed:
            break
    return swapped


def _crossed(left: Sequence[int], right: Sequence[int], position: dict[int, int]) -> int:
    """Crossings of the lines from two neighbours in a row to these items of the next one."""
    return sum(position[one] > position[other] for one in left for other in right)
