"""d-convexity of a set of nodes: the first inducing pair, and the closure that leaves none."""

from __future__ import annotations

import heapq

import numpy as np

from dconvex.kernels.compiling import kernel, part
from dconvex.kernels.walks import are_adjacent, mark_ancestors, moral_walk, next_stamp


@kernel
def are_joined(arcs, marks, u, v, inside, lowest_rank):
    """Whether an inducing path over the set `inside` joins its non-adjacent members u and v.

    By Lemma 2: whether v is reached from u in the moral graph of An(u, v) through nodes outside the set. The steps of the
    walk stay in `marks`. Nodes that rank below `lowest_rank` are known not to matter.
    """
    stamp = next_stamp(marks)
    mark_ancestors(arcs, marks.queue, marks.ancestral, stamp, np.array([u, v], np.int32), lowest_rank)
    reached, _ = moral_walk(arcs, marks, marks.ancestral, stamp, u, v, inside)
    return reached


@part
def have_common_ancestor_nearby(arcs, marks, u, v, inside, steps):
    """Whether u and v descend from a common node through nodes outside the set, as far as a few steps upwards can tell.

    Such a node, or one of the two being an ancestor of the other, makes an inducing path. The walk goes up from both at once,
    highest rank first, so that a node is met from both sides before it is left.
    """
    from_u, from_v = next_stamp(marks), next_stamp(marks)
    both = next_stamp(marks)
    marks.ancestral[u], marks.ancestral[v] = from_u, from_v
    heap = [(-np.int64(arcs.rank[u]), u), (-np.int64(arcs.rank[v]), v)]
    heapq.heapify(heap)
    while heap and steps:
        steps -= 1
        _, node = heapq.heappop(heap)
        side = marks.ancestral[node]
        for parent in arcs.parents[arcs.parent_start[node] : arcs.parent_start[node + 1]]:
            met = marks.ancestral[parent]
            if met == side:
                continue
            if met == from_u or met == from_v:
                if not inside[parent] or parent == u or parent == v:
                    return True
                marks.ancestral[parent] = both
            elif met != both:
                marks.ancestral[parent] = side
                if not inside[parent]:
                    heapq.heappush(heap, (-np.int64(arcs.rank[parent]), parent))
    return False


@kernel
def first_inducing_pair(arcs, marks, members, inside):
    """A non-adjacent pair of members joined by an inducing path over the set, or (-1, -1) if it is d-convex."""
    pairs, _ = inducing_pairs(arcs, marks, members, inside, 1)
    if len(pairs):
        return pairs[0, 0], pairs[0, 1]
    return np.int32(-1), np.int32(-1)


@part
def inducing_pairs(arcs, marks, members, inside, most):
    """Non-adjacent pairs of members joined by an inducing path over the set, and below which rank no path goes.

    Nothing outside W = An(set) matters, and a pair can be joined only through a component of the moral graph of W without
    the set whose boundary holds both: one sweep over W finds the components, and for each the first of its boundary pairs
    that is joined; at most `most` in all.
    """
    stamp, swept = next_stamp(marks), next_stamp(marks)
    ancestors = marks.queue[: mark_ancestors(arcs, marks.queue, marks.region, stamp, members, 0)].copy()
    pairs, lowest_ranks, found = np.empty((1, 2), np.int32), np.empty(1, np.int32), 0
    for start in ancestors:
        if inside[start] or marks.swept[start] == swept:
            continue
        _, count = moral_walk(arcs, marks, marks.region, stamp, start, -1, inside)
        component = marks.queue[:count].copy()
        lowest = arcs.rank[start]
        for node in component:
            if not inside[node]:
                marks.swept[node] = swept
                lowest = min(lowest, arcs.rank[node])
        u, v = _joined_pair(arcs, marks, np.sort(component[inside[component] == 1]), inside, lowest)
        if u >= 0:
            if found == len(pairs):
                pairs, lowest_ranks = np.concatenate((pairs, pairs)), np.concatenate((lowest_ranks, lowest_ranks))
            pairs[found, 0], pairs[found, 1], lowest_ranks[found] = u, v, lowest
            found += 1
            if found == most:
                break
    return pairs[:found], lowest_ranks[:found]


@part
def _joined_pair(arcs, marks, boundary, inside, lowest):
    for i in range(len(boundary)):
        for j in range(i + 1, len(boundary)):
            u, v = boundary[i], boundary[j]
            if not are_adjacent(arcs, u, v) and are_joined(arcs, marks, u, v, inside, lowest):
                return u, v
    return np.int32(-1), np.int32(-1)


@kernel
def close(arcs, marks, inside):
    """Add to the set `inside`, in place, what its d-convex hull adds.

    For a pair joined by an inducing path every d-convex superset holds the two minimal separators of the pair, in the moral
    graph of its ancestral set, that are closest to either end, and every vertex that alone separates the pair there. Of these
    the ones in the component through which the path goes are added; the single vertices cut a long component into short ones.
    """
    members = np.flatnonzero(inside).astype(np.int32)
    while True:
        pairs, lowest_ranks = inducing_pairs(arcs, marks, members, inside, -1)
        if not len(pairs):
            return
        for i in range(len(pairs)):
            u, v = pairs[i, 0], pairs[i, 1]
            stamp = next_stamp(marks)
            mark_ancestors(arcs, marks.queue, marks.ancestral, stamp, np.array([u, v], np.int32), lowest_ranks[i])
            needed = np.concatenate(
                (
                    _separator_near(arcs, marks, stamp, u, v, inside),
                    _separator_near(arcs, marks, stamp, v, u, inside),
                    _single_separators(arcs, marks, stamp, u, v, inside),
                )
            )
            for node in needed:
                inside[node] = 1
            members = np.concatenate((members, np.unique(needed)))


@part
def _separator_near(arcs, marks, stamp, near, far, inside):
    """The neighbours of `near` outside the set that a walk from `far` outside the set reaches without passing another."""
    count = _moral_neighbours(arcs, marks, stamp, near)
    neighbours = marks.queue[:count].copy()
    for node in neighbours:
        if not inside[node]:
            inside[node] = 2
    _, count = moral_walk(arcs, marks, marks.ancestral, stamp, far, -1, inside)
    reached = marks.queue[:count]
    found = reached[inside[reached] == 2].copy()
    for node in neighbours:
        if inside[node] == 2:
            inside[node] = 0
    return found


@part
def _single_separators(arcs, marks, stamp, u, v, inside):
    """The nodes outside the set that lie on every way from u to v outside the set.

    They lie on any one way. Walking along it, and from each of its nodes over all that can be reached without stepping on the
    way again, a node that nothing before it leads past is one of them.
    """
    is_joined, _ = moral_walk(arcs, marks, marks.ancestral, stamp, u, v, inside)
    if not is_joined:  # what was added for another pair has cut the way already
        return np.empty(0, np.int32)
    length, node = 1, v
    while node != u:
        node = marks.came_from[node]
        length += 1
    way = np.empty(length, np.int32)
    node = v
    for i in range(length - 1, -1, -1):
        way[i] = node
        node = marks.came_from[node]
    for i in range(length):
        marks.through[way[i]] = i
        inside[way[i]] += 2
    found, count, furthest = np.empty(length, np.int32), 0, 0
    visited = next_stamp(marks)
    room = np.empty(len(marks.queue), np.int32)
    for i in range(length - 1):
        if i and furthest == i:
            found[count] = way[i]
            count += 1
        room[0] = way[i]
        waiting = 1
        while waiting:
            waiting -= 1
            neighbours = marks.queue[: _moral_neighbours(arcs, marks, stamp, room[waiting])]
            for node in neighbours:
                if inside[node] >= 2:
                    furthest = max(furthest, marks.through[node])
                elif not inside[node] and marks.expanded[node] != visited:
                    marks.expanded[node] = visited
                    room[waiting] = node
                    waiting += 1
    for node in way:
        inside[node] -= 2
    return found[:count]


@part
def closest_separator(arcs, marks, stamp, near, far):
    """In the moral graph of the marked An(near, far), the minimal separator of the two that is closest to `near`.

    It is the part of the neighbours of `near` that a walk from `far` reaches; empty if the two are not connected.
    """
    count = _moral_neighbours(arcs, marks, stamp, near)
    neighbours = marks.queue[:count].copy()
    inside = np.zeros(len(arcs.rank), np.uint8)
    for node in neighbours:
        inside[node] = 1
    _, count = moral_walk(arcs, marks, marks.ancestral, stamp, far, -1, inside)
    reached = marks.queue[:count]
    return reached[inside[reached] == 1].copy()


@part
def _moral_neighbours(arcs, marks, stamp, node):
    """Write the neighbours of `node` in the moral graph of the marked set into the queue; how many."""
    seen = next_stamp(marks)
    marks.seen[node] = seen
    count = 0
    for parent in arcs.parents[arcs.parent_start[node] : arcs.parent_start[node + 1]]:
        if marks.seen[parent] != seen:
            marks.seen[parent] = seen
            marks.queue[count] = parent
            count += 1
    for child in arcs.children[arcs.child_start[node] : arcs.child_start[node + 1]]:
        if marks.ancestral[child] != stamp:
            continue
        if marks.seen[child] != seen:
            marks.seen[child] = seen
            marks.queue[count] = child
            count += 1
        for parent in arcs.parents[arcs.parent_start[child] : arcs.parent_start[child + 1]]:
            if marks.seen[parent] != seen:
                marks.seen[parent] = seen
                marks.queue[count] = parent
                count += 1
    return count
