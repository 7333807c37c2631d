"""The exact search for a separator that splits a cluster, within a limit of search nodes.

The cluster is d-convex, so its own induced DAG tells which of its subsets are. `graph` is its moral graph with a clique on
every separator towards a neighbour in the tree. For each node x a separator is looked for that has x on its near side: X grows
from {x} and stays connected, S is d-convex and lies in the separator, and the far side lies in the region R. Every neighbour w
of X either goes into S or joins X; whichever is impossible decides it, and only where both are possible, or R falls apart into
several parts that may hold the far side, does the search branch. Once x is finished, no separator that is still to be found has
it on a side that counts; easy nodes are finished first, which makes the hard ones easier.

A set is d-convex if and only if it holds, with any two non-adjacent nodes u and v that are connected in the moral graph of
An(u, v), their two minimal separators in that graph closest to u and closest to v. These do not depend on the set, so they are
computed once for each pair that comes up, and hulls are closures under them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dconvex.kernels.compiling import kernel, part
from dconvex.kernels.convexity import closest_separator
from dconvex.kernels.moral import Graph
from dconvex.kernels.walks import Arcs, Flags, Ints, Longs, Marks, are_adjacent, mark_ancestors, new_marks, next_stamp

IRREDUCIBLE, FOUND, UNDECIDED = 0, 1, 2
LARGEST = 4096
"""Larger clusters are left undecided: what is kept of pairs grows with the square of the size."""
STEPS_PER_NODE = 5_000
"""A search node that takes more steps (nodes walked over, pairs looked at) counts for several."""
FIRST_SLICE = 2048
"""Search nodes that every x gets in the first round; those not finished get eight times as many in the next."""


class Room(NamedTuple):
    """Room for the work on one search node."""

    around: Flags
    """Neighbours of X."""
    trial: Flags
    part: Ints
    """For each node the number of its part of the region; -1: none yet, -2: one that cannot hold the far side."""
    queue: Ints
    members: Ints


class Problem(NamedTuple):
    """The cluster, what is known of it so far, and what is left of the budget."""

    arcs: Arcs
    graph: Graph
    minimal: bool
    """Whether both sides must see all of the separator."""
    finished: Flags
    budget: Longs
    """Two entries: the steps that are left, and the steps taken for the present search node."""
    first: Ints
    """For pairs u < v the nodes that every d-convex set with both must hold are `pool[first[u, v]:][:number[u, v]]`;
    -1 where the pair has not come up yet."""
    number: Ints
    marks: Marks
    room: Room


class State(NamedTuple):
    """A node of the search."""

    near_side: Flags
    separator: Flags
    region: Flags


@kernel
def find_separator(arcs, graph, minimal, effort):
    """(IRREDUCIBLE, FOUND or UNDECIDED, flags of the separator found); effort < 0 is no limit.

    With `minimal`, a d-convex S with two components that see all of it; without, any d-convex S that leaves two components.
    """
    size = len(graph.start) - 1
    finished = np.zeros(size, np.uint8)
    if len(graph.neighbours) == size * (size - 1):
        return IRREDUCIBLE, finished
    if size > LARGEST:
        return UNDECIDED, finished
    problem = _new_problem(arcs, graph, minimal, finished, effort)
    pool = [np.int32(0)]
    limit, open_nodes = FIRST_SLICE, np.argsort(np.diff(graph.start) * size + np.arange(size))
    while len(open_nodes):
        for x in open_nodes:
            status, separator = _around(problem, pool, x, limit)
            if status == FOUND:
                return FOUND, separator
            if status == IRREDUCIBLE:
                finished[x] = 1
            elif problem.budget[0] <= 0:
                return UNDECIDED, finished
        open_nodes = open_nodes[finished[open_nodes] == 0]
        limit *= 8
    return IRREDUCIBLE, finished


@part
def _new_problem(arcs, graph, minimal, finished, effort):
    size = len(finished)
    room = Room(
        np.zeros(size, np.uint8),
        np.zeros(size, np.uint8),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
    )
    budget = np.zeros(2, np.int64)
    budget[0] = STEPS_PER_NODE * effort if effort >= 0 else np.int64(1) << 62
    first, number = np.full((size, size), -1, np.int32), np.zeros((size, size), np.int32)
    return Problem(arcs, graph, minimal, finished, budget, first, number, new_marks(size), room)


@part
def _around(problem, pool, x, limit):
    """Search for a separator with x on the near side, depth first, over at most `limit` states."""
    size = len(problem.finished)
    states = np.zeros((size + 8, 3, size), np.uint8)
    states[0, 0, x] = 1
    states[0, 2] = 1
    if not problem.minimal:  # a separator that need not be minimal holds every finished node
        start = State(states[0, 0], states[0, 1], states[0, 2])
        for node in range(size):
            if problem.finished[node] and not _add_closed(problem, pool, start, start.separator, node):
                return IRREDUCIBLE, states[0, 1]
    waiting = 1
    while waiting:
        if limit == 0 or problem.budget[0] <= 0:
            return UNDECIDED, states[0, 1]
        limit -= 1
        waiting -= 1
        state = State(states[waiting, 0].copy(), states[waiting, 1].copy(), states[waiting, 2].copy())
        parts, w = _propagated(problem, pool, state)
        problem.budget[0] -= max(problem.budget[1], STEPS_PER_NODE)
        problem.budget[1] = 0
        if parts == 1 and w < 0:
            return FOUND, state.separator
        if waiting + max(parts, 2) > len(states):
            larger = np.zeros((2 * len(states) + parts, 3, size), np.uint8)
            larger[: len(states)] = states
            states = larger
        if parts == 1:
            waiting = _branched(problem, pool, states, waiting, state, w)
        else:
            waiting = _spread(problem, states, waiting, state, parts)
    return IRREDUCIBLE, states[0, 1]


@part
def _branched(problem, pool, states, waiting, state, w):
    """Put the states in which w joins X and in which it goes into S on the stack, the latter on top."""
    for place in (waiting, waiting + 1):
        states[place, 0], states[place, 1], states[place, 2] = state
    states[waiting, 0, w] = 1
    _add_closed(problem, pool, state, states[waiting + 1, 1], w)
    return waiting + 2


@part
def _spread(problem, states, waiting, state, parts):
    """Put one state for each part of the region on the stack."""
    for number in range(parts):
        states[waiting + number, 0], states[waiting + number, 1] = state.near_side, state.separator
        for node in range(len(state.region)):
            states[waiting + number, 2, node] = problem.room.part[node] == number
    return waiting + parts


@part
def _propagated(problem, pool, state):
    """Do all that is forced to the state: (parts of the region that may hold the far side, node to branch on).

    No parts: nothing can be found. One part and no node: the state is a solution.
    """
    near_side, separator, region = state
    room, trial = problem.room, problem.room.trial
    while True:
        parts = _split_region(problem, state)
        if parts != 1:
            return parts, -1
        to_branch, is_forced = -1, False
        for w in range(len(near_side)):
            if not room.around[w] or separator[w]:
                continue
            may_join = not problem.finished[w]
            may_separate = not problem.minimal or _touches(problem.graph, w, region)
            if may_separate:
                trial[:] = separator
                may_separate = _add_closed(problem, pool, state, trial, w)
            if may_join and may_separate:
                to_branch = w if to_branch < 0 else to_branch
            elif may_join:
                near_side[w] = 1
                is_forced = True
            elif may_separate:
                separator[:] = trial
                is_forced = True
            else:
                return 0, -1
        if is_forced:
            continue
        if to_branch < 0 and problem.minimal:
            for node in range(len(separator)):
                if separator[node] and not room.around[node]:
                    return 0, -1
        return 1, to_branch


@part
def _split_region(problem, state):
    """Take X, its neighbours and S out of the region; how many of its parts may hold the far side.

    When one side must be as good as the other, a part may if it holds a node that is not finished and sees all of S.
    """
    near_side, separator, region = state
    graph, room, size = problem.graph, problem.room, len(near_side)
    problem.budget[1] += 2 * size
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
    if not problem.minimal:
        return 1 if region.any() else 0
    parts = 0
    for seed in range(size):
        if region[seed] and room.part[seed] == -1:
            parts += _may_be_far_side(problem, state, seed, parts, in_separator)
    if parts == 1:
        for node in range(size):
            region[node] = room.part[node] == 0
    return parts


@part
def _may_be_far_side(problem, state, seed, number, in_separator):
    """Walk over the seed's part of the region and give it this number, or -2 if it cannot be a far side."""
    graph, room = problem.graph, problem.room
    room.queue[0] = seed
    room.part[seed] = number
    first, last, seen = 0, 1, 0
    is_open = False
    while first < last:
        node = room.queue[first]
        first += 1
        is_open |= not problem.finished[node]
        for neighbour in graph.neighbours[graph.start[node] : graph.start[node + 1]]:
            if state.region[neighbour]:
                if room.part[neighbour] == -1:
                    room.part[neighbour] = number
                    room.queue[last] = neighbour
                    last += 1
            elif state.separator[neighbour] and room.part[neighbour] != number:
                room.part[neighbour] = number
                seen += 1
    for node in range(len(room.part)):
        if state.separator[node]:
            room.part[node] = -1
    if is_open and seen == in_separator:
        return True
    for node in room.queue[:last]:
        room.part[node] = -2
    return False


@part
def _touches(graph, node, flags):
    for neighbour in graph.neighbours[graph.start[node] : graph.start[node + 1]]:
        if flags[neighbour]:
            return True
    return False


@part
def _add_closed(problem, pool, state, inside, node):
    """Add `node` and what its pairs ask for to a d-convex set, in place; False when nothing can come of that.

    The set must not take in a node of X. A hull can grow far, so whether both sides could still see all of it is looked at
    each time it has grown by half.
    """
    if inside[node]:
        return True
    if state.near_side[node]:
        return False
    members = problem.room.members
    count = _listed(inside, members)
    at_first, next_look = count + 1, count + count // 2 + 2
    inside[node] = 1
    members[count] = node
    done, count = count, count + 1
    while done < count:  # members before `done` have been paired with all before them
        new = members[done]
        problem.budget[1] += done
        for other in members[:done]:
            u, v = min(new, other), max(new, other)
            if problem.first[u, v] < 0:
                _fill_in(problem, pool, u, v)
            problem.budget[1] += problem.number[u, v]
            for needed in range(problem.first[u, v], problem.first[u, v] + problem.number[u, v]):
                third = pool[needed]
                if not inside[third]:
                    if state.near_side[third]:
                        return False
                    inside[third] = 1
                    members[count] = third
                    count += 1
        done += 1
        if problem.minimal and count >= next_look:
            if not _both_sides_see(problem, state, inside, count):
                return False
            next_look = count + count // 2 + 1
    return not problem.minimal or count == at_first or _both_sides_see(problem, state, inside, count)


@part
def _listed(flags, into):
    count = 0
    for node in range(len(flags)):
        if flags[node]:
            into[count] = node
            count += 1
    return count


@part
def _fill_in(problem, pool, u, v):
    """Compute what every d-convex set that holds u and v must hold."""
    arcs, marks = problem.arcs, problem.marks
    problem.first[u, v] = len(pool)
    if are_adjacent(arcs, u, v):
        return
    stamp = next_stamp(marks)
    ancestors = mark_ancestors(arcs, marks.queue, marks.ancestral, stamp, np.array([u, v], np.int32), 0)
    problem.budget[1] += 8 * ancestors
    for near, far in ((u, v), (v, u)):
        for node in closest_separator(arcs, marks, stamp, near, far):
            pool.append(node)
        if len(pool) == problem.first[u, v]:  # the two are not connected
            return
    problem.number[u, v] = len(pool) - problem.first[u, v]


@part
def _both_sides_see(problem, state, inside, members):
    """Whether all of `inside` is next to what X can still become, and to one part of what the far side can still be."""
    room = problem.room
    room.part[:] = -1
    last = 0
    for node in range(len(inside)):
        if state.near_side[node]:
            room.part[node] = 0
            room.queue[last] = node
            last += 1
    if _walked(problem, state, inside, False, 0, last) < members:
        return False
    for seed in range(len(inside)):
        if state.region[seed] and not inside[seed] and room.part[seed] < 1:
            room.part[seed] = seed + 1
            room.queue[0] = seed
            if _walked(problem, state, inside, True, seed + 1, 1) == members:
                return True
    return False


@part
def _walked(problem, state, inside, is_far, number, last):
    """Walk on from the queue, in the region or past nodes that are not finished; how many of `inside` are met."""
    graph, room = problem.graph, problem.room
    first, met = 0, 0
    while first < last:
        node = room.queue[first]
        first += 1
        for neighbour in graph.neighbours[graph.start[node] : graph.start[node + 1]]:
            if room.part[neighbour] == number:
                continue
            if inside[neighbour]:
                met += 1
            elif state.region[neighbour] if is_far else not problem.finished[neighbour]:
                room.queue[last] = neighbour
                last += 1
            else:
                continue
            room.part[neighbour] = number
    problem.budget[1] += 4 * last
    return met
