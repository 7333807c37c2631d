"""Walks over a DAG in arrays: ancestors, d-connection, and the moral graph of an ancestral set without building it.

In that moral graph x is joined to its parents and, for each child c of x inside the ancestral set, to c and to c's other
parents. A walk expands every child once, so it is linear in the arcs it meets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dconvex.kernels.compiling import kernel, part

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.uint8]


class Arcs(NamedTuple):
    """A DAG: parents of v are `parents[parent_start[v]:parent_start[v + 1]]`, children likewise; parents rank lower."""

    parent_start: Longs
    parents: Ints
    child_start: Longs
    children: Ints
    rank: Ints


class Marks(NamedTuple):
    """Room for walks: a node is marked when its entry equals the walk's own stamp, so nothing has to be cleared."""

    stamp: Ints
    """One entry: the last stamp given out."""
    ancestral: Ints
    region: Ints
    """A second set of nodes, kept while `ancestral` is marked anew."""
    swept: Ints
    seen: Ints
    expanded: Ints
    came_from: Ints
    through: Ints
    """The common child by which a step of the walk married two parents, or -1."""
    queue: Ints


@kernel
def new_marks(size):
    return Marks(
        np.zeros(1, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
    )


@part
def next_stamp(marks):
    marks.stamp[0] += 1
    return marks.stamp[0]


@part
def mark_ancestors(arcs, queue, mark, stamp, sources, lowest_rank):
    """Set `mark` to `stamp` for the sources and all their ancestors, but for none that ranks below `lowest_rank`.

    They stand in the queue afterwards; how many.
    """
    first, last = 0, 0
    for source in sources:
        if mark[source] != stamp:
            mark[source] = stamp
            queue[last] = source
            last += 1
    while first < last:
        node = queue[first]
        first += 1
        for parent in arcs.parents[arcs.parent_start[node] : arcs.parent_start[node + 1]]:
            if mark[parent] != stamp and arcs.rank[parent] >= lowest_rank:
                mark[parent] = stamp
                queue[last] = parent
                last += 1
    return last


@part
def moral_walk(arcs, marks, region, stamp, source, target, inside):
    """Walk from `source` in the moral graph of the ancestral set {v: region[v] == stamp}, passing only nodes outside `inside`.

    `inside[v]` is 1 for members of the set walked over: they are reached but not passed. Stops at `target` (-1: nowhere)
    and returns (whether it was reached, how many nodes stand in the queue in the order they were reached).
    """
    seen = next_stamp(marks)
    marks.seen[source] = seen
    marks.came_from[source] = -1
    marks.through[source] = -1
    marks.queue[0] = source
    first, last = 0, 1
    while first < last:
        node = marks.queue[first]
        first += 1
        if inside[node] and node != source:
            continue
        for parent in arcs.parents[arcs.parent_start[node] : arcs.parent_start[node + 1]]:
            last = _reach(marks, region, stamp, seen, parent, node, -1, last)
        for child in arcs.children[arcs.child_start[node] : arcs.child_start[node + 1]]:
            if region[child] != stamp or marks.expanded[child] == seen:
                continue
            marks.expanded[child] = seen
            last = _reach(marks, region, stamp, seen, child, node, -1, last)
            for parent in arcs.parents[arcs.parent_start[child] : arcs.parent_start[child + 1]]:
                last = _reach(marks, region, stamp, seen, parent, node, child, last)
        if target >= 0 and marks.seen[target] == seen:
            return True, last
    return False, last


@part
def _reach(marks, region, stamp, seen, node, origin, child, last):
    if marks.seen[node] == seen or region[node] != stamp:
        return last
    marks.seen[node] = seen
    marks.came_from[node] = origin
    marks.through[node] = child
    marks.queue[last] = node
    return last + 1


@part
def are_adjacent(arcs, u, v):
    """Whether an arc joins u and v; looks through the shorter of the lists that would show it."""
    for parent in arcs.parents[arcs.parent_start[u] : arcs.parent_start[u + 1]]:
        if parent == v:
            return True
    for parent in arcs.parents[arcs.parent_start[v] : arcs.parent_start[v + 1]]:
        if parent == u:
            return True
    return False


@kernel
def d_connected(arcs, sources, given):
    """Flags of the nodes that are d-connected to the sources given the flagged nodes (given ones are never flagged).

    Each (node, direction) is entered once. A ball that comes down from a parent passes on to children if the node is not
    given, and bounces back to parents if the node or one of its descendants is given; one that comes up from a child
    passes on to parents and children if the node is not given.
    """
    size = len(given)
    marks = new_marks(size)
    stamp = next_stamp(marks)
    mark_ancestors(arcs, marks.queue, marks.ancestral, stamp, np.flatnonzero(given).astype(np.int32), 0)
    entered = np.zeros((2, size), np.uint8)  # 0: from a child, 1: from a parent
    stack = np.empty((2 * size + 1, 2), np.int32)
    count = 0
    connected = np.zeros(size, np.uint8)
    for source in sources:
        if not entered[0, source] and not given[source]:
            entered[0, source] = 1
            stack[count, 0], stack[count, 1] = source, 0
            count += 1
    while count:
        count -= 1
        node, came_down = stack[count, 0], stack[count, 1]
        if not given[node]:
            connected[node] = 1
        up = marks.ancestral[node] == stamp if came_down else not given[node]
        if up:
            for parent in arcs.parents[arcs.parent_start[node] : arcs.parent_start[node + 1]]:
                if not entered[0, parent]:
                    entered[0, parent] = 1
                    stack[count, 0], stack[count, 1] = parent, 0
                    count += 1
        if not given[node]:
            for child in arcs.children[arcs.child_start[node] : arcs.child_start[node + 1]]:
                if not entered[1, child]:
                    entered[1, child] = 1
                    stack[count, 0], stack[count, 1] = child, 1
                    count += 1
    return connected
