"""The exact search for a separator that splits a cluster, within a limit of search nodes.

The cluster is d-convex, so its own induced DAG tells which of its subsets are. `graph` is its moral graph with a clique on
every separator towards a neighbour in the tree. For each node x in turn a separator is looked for that has x on its near
side: X grows from {x} and stays connected, S is d-convex and lies in the separator, and the far side lies in the region R.
Every neighbour w of X either goes into S or joins X; whichever is impossible decides it, and only where both are possible,
or R falls apart into several parts that may hold the far side, does the search branch. Once x is done, no separator that is
still to be found has it on a side that counts.

A set is d-convex if and only if it holds, with any two non-adjacent nodes u and v that are connected in the moral graph of
An(u, v), their two minimal separators in that graph closest to u and closest to v. These do not depend on the set, so they
are computed once for each pair that comes up, and hulls are closures under them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dconvex.kernels.compiling import kernel
from dconvex.kernels.convexity import closest_separator
from dconvex.kernels.walks import Flags, Ints, are_adjacent, mark_ancestors, new_marks, next_stamp

IRREDUCIBLE, FOUND, UNDECIDED = 0, 1, 2


class Pairs(NamedTuple):
    """For pairs u < v the nodes that every d-convex set with both must hold: `pool[first[u, v]:][:number[u, v]]`."""

    first: Ints
    """-1 where the pair has not come up yet."""
    number: Ints


class State(NamedTuple):
    """A node of the search."""

    near_side: Flags
    separator: Flags
    region: Flags


class Room(NamedTuple):
    """Room for the work on one search node."""

    around: Flags
    """Neighbours of X."""
    trial: Flags
    part: Ints
    """For each node the number of its part of the region, or -1."""
    queue: Ints
    stack: Ints


@kernel
def find_separator(arcs, graph, minimal, effort):
    """(IRREDUCIBLE, FOUND or UNDECIDED, flags of the separator found); effort < 0 is no limit.

    With `minimal`, a d-convex S with two components that see all of it; without, any d-convex S that leaves two components.
    """
    size = len(graph.start) - 1
    finished = np.zeros(size, np.uint8)
    if len(graph.neighbours) == size * (size - 1):
        return IRREDUCIBLE, finished
    marks = new_marks(size)
    pairs = Pairs(np.full((size, size), -1, np.int32), np.zeros((size, size), np.int32))
    pool = [np.int32(0)]
    room = Room(
        np.zeros(size, np.uint8),
        np.zeros(size, np.uint8),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
    )
    for x in np.argsort(np.diff(graph.start) * size + np.arange(size)):
        status, separator, effort = _around(arcs, graph, marks, pairs, pool, room, x, minimal, finished, effort)
        if status != IRREDUCIBLE:
            return status, separator
        finished[x] = 1
    return IRREDUCIBLE, finished


@kernel
def _around(arcs, graph, marks, pairs, pool, room, x, minimal, finished, effort):
    """Search for a separator with x on the near side, depth first over a stack of states."""
    size = len(finished)
    states = np.zeros((8, 3, size), np.uint8)
    states[0, 0, x] = 1
    states[0, 2] = 1
    if not minimal:  # a separator that need not be minimal holds every finished node
        start = State(states[0, 0], states[0, 1], states[0, 2])
        for node in range(size):
            if finished[node] and not _add_closed(
                arcs, graph, marks, pairs, pool, room, start, start.separator, node, minimal, finished
            ):
                return IRREDUCIBLE, finished, effort
    waiting = 1
    while waiting:
        if effort == 0:
            return UNDECIDED, finished, effort
        effort -= 1
        waiting -= 1
        if waiting + size + 2 > len(states):
            larger = np.zeros((2 * len(states) + size, 3, size), np.uint8)
            larger[: len(states)] = states
            states = larger
        state = State(states[waiting, 0].copy(), states[waiting, 1].copy(), states[waiting, 2].copy())
        parts, w = _propagated(arcs, graph, marks, pairs, pool, room, state, minimal, finished)
        if parts == 0:
            continue
        if parts > 1:
            for number in range(parts):
                states[waiting, 0], states[waiting, 1] = state.near_side, state.separator
                for node in range(size):
                    states[waiting, 2, node] = room.part[node] == number
                waiting += 1
        elif w < 0:
            return FOUND, state.separator, effort
        else:
            states[waiting, 0], states[waiting, 1], states[waiting, 2] = state
            states[waiting, 0, w] = 1
            states[waiting + 1, 0], states[waiting + 1, 1], states[waiting + 1, 2] = state
            branch = states[waiting + 1, 1]
            _add_closed(arcs, graph, marks, pairs, pool, room, state, branch, w, minimal, finished)
            waiting += 2
    return IRREDUCIBLE, finished, effort


@kernel
def _propagated(arcs, graph, marks, pairs, pool, room, state, minimal, finished):
    """Do all that is forced to the state: (parts of the region that may hold the far side, node to branch on).

    No parts: nothing can be found. One part and no node: the state is a solution.
    """
    near_side, separator, region = state
    size = len(near_side)
    while True:
        parts = _split_region(graph, room, state, minimal, finished)
        if parts != 1:
            return parts, -1
        to_branch, is_forced = -1, False
        for w in range(size):
            if not room.around[w] or separator[w]:
                continue
            may_join = not finished[w]
            may_separate = not minimal or _touches(graph, w, region)
            if may_separate:
                room.trial[:] = separator
                may_separate = _add_closed(arcs, graph, marks, pairs, pool, room, state, room.trial, w, minimal, finished)
            if may_join and may_separate:
                to_branch = w if to_branch < 0 else to_branch
            elif may_join:
                near_side[w] = 1
                is_forced = True
            elif may_separate:
                separator[:] = room.trial
                is_forced = True
            else:
                return 0, -1
        if is_forced:
            continue
        if to_branch < 0 and minimal:
            for node in range(size):
                if separator[node] and not room.around[node]:
                    return 0, -1
        return 1, to_branch


@kernel
def _split_region(graph, room, state, minimal, finished):
    """Take X, its neighbours and S out of the region; how many of its parts may hold the far side.

    When one side must be as good as the other, a part may if it holds a node that is not finished and sees all of S.
    """
    near_side, separator, region = state
    size = len(near_side)
    room.around[:] = 0
    for node in range(size):
        if near_side[node]:
            for neighbour in graph.neighbours[graph.start[node] : graph.start[node + 1]]:
                if not near_side[neighbour]:
                    room.around[neighbour] = 1
    in_separator = 0
    for node in range(size):
        room.part[node] = -1
        in_separator += separator[node]
        if near_side[node] or room.around[node] or separator[node]:
            region[node] = 0
    if not minimal:
        return 1 if region.any() else 0
    parts = 0
    for seed in range(size):
        if region[seed] and room.part[seed] < 0:
            parts += _sees_all(graph, room, region, separator, finished, seed, parts, in_separator)
    if parts == 1:
        for node in range(size):
            region[node] = room.part[node] == 0
    return parts


@kernel
def _sees_all(graph, room, region, separator, finished, seed, number, in_separator):
    """Walk over the seed's part of the region and give it this number, or -2 if it cannot be a far side."""
    room.queue[0] = seed
    room.part[seed] = number
    first, last, seen = 0, 1, 0
    is_open = False
    while first < last:
        node = room.queue[first]
        first += 1
        is_open |= not finished[node]
        for neighbour in graph.neighbours[graph.start[node] : graph.start[node + 1]]:
            if region[neighbour]:
                if room.part[neighbour] < 0:
                    room.part[neighbour] = number
                    room.queue[last] = neighbour
                    last += 1
            elif separator[neighbour] and room.part[neighbour] != number:
                room.part[neighbour] = number
                seen += 1
    for neighbour in range(len(separator)):
        if separator[neighbour]:
            room.part[neighbour] = -1
    if is_open and seen == in_separator:
        return True
    for node in room.queue[:last]:
        room.part[node] = -2
    return False


@kernel
def _touches(graph, node, flags):
    for neighbour in graph.neighbours[graph.start[node] : graph.start[node + 1]]:
        if flags[neighbour]:
            return True
    return False


@kernel
def _add_closed(arcs, graph, marks, pairs, pool, room, state, inside, node, minimal, finished):
    """Add `node` and what its pairs ask for to a d-convex set, in place; False when nothing can come of that.

    It must not take in a node of X. A hull can grow far, so whether both sides could still see all of it is looked at each
    time it has grown by half.
    """
    if inside[node]:
        return True
    if state.near_side[node]:
        return False
    inside[node] = 1
    room.stack[0] = node
    waiting, members = 1, 0
    for other in inside:
        members += other
    at_first, next_look = members, members + members // 2 + 1
    while waiting:
        waiting -= 1
        new = room.stack[waiting]
        for other in range(len(inside)):
            if not inside[other] or other == new:
                continue
            u, v = min(new, other), max(new, other)
            if pairs.first[u, v] < 0:
                _fill_in(arcs, marks, pairs, pool, u, v)
            for needed in range(pairs.first[u, v], pairs.first[u, v] + pairs.number[u, v]):
                third = pool[needed]
                if not inside[third]:
                    if state.near_side[third]:
                        return False
                    inside[third] = 1
                    room.stack[waiting] = third
                    waiting += 1
                    members += 1
        if minimal and members >= next_look:
            if not _both_sides_see(graph, room, state, inside, finished, members):
                return False
            next_look = members + members // 2 + 1
    if not minimal or members == at_first:
        return True
    return _both_sides_see(graph, room, state, inside, finished, members)


@kernel
def _both_sides_see(graph, room, state, inside, finished, members):
    """Whether all of `inside` is next to what X can still become, and to one part of what the far side can still be."""
    size = len(inside)
    room.part[:] = -1
    last = 0
    for node in range(size):
        if state.near_side[node]:
            room.part[node] = 0
            room.queue[last] = node
            last += 1
    if _walked(graph, room, inside, finished, state.region, False, 0, last) < members:
        return False
    for seed in range(size):
        if state.region[seed] and not inside[seed] and room.part[seed] < 1:
            room.part[seed] = seed + 1
            room.queue[0] = seed
            if _walked(graph, room, inside, finished, state.region, True, seed + 1, 1) == members:
                return True
    return False


@kernel
def _walked(graph, room, inside, finished, region, is_far, number, last):
    """Walk on from the queue outside `inside`, in the region or past nodes that are not finished; how many members are met."""
    first, met = 0, 0
    while first < last:
        node = room.queue[first]
        first += 1
        for neighbour in graph.neighbours[graph.start[node] : graph.start[node + 1]]:
            if room.part[neighbour] == number:
                continue
            if inside[neighbour]:
                met += 1
            elif region[neighbour] if is_far else not finished[neighbour]:
                room.queue[last] = neighbour
                last += 1
            else:
                continue
            room.part[neighbour] = number
    return met


@kernel
def _fill_in(arcs, marks, pairs, pool, u, v):
    """Compute what every d-convex set that holds u and v must hold."""
    pairs.first[u, v] = len(pool)
    if are_adjacent(arcs, u, v):
        return
    stamp = next_stamp(marks)
    mark_ancestors(arcs, marks.queue, marks.ancestral, stamp, np.array([u, v], np.int32), 0)
    for node in closest_separator(arcs, marks, stamp, u, v):
        pool.append(node)
    if len(pool) > pairs.first[u, v]:
        for node in closest_separator(arcs, marks, stamp, v, u):
            pool.append(node)
    pairs.number[u, v] = len(pool) - pairs.first[u, v]
