"""In which order to eliminate variables: greedy, by the size of the table that an elimination makes or by the edges it adds."""

from __future__ import annotations

import numpy as np

from dconvex.kernels.compiling import part

BY_SIZE, BY_FILL, BY_GROWTH = 0, 1, 2
"""Least table first; fewest new pairs first, and among these the least table; least growth over what is already there."""


@part
def interaction(scope_start, scope, size):
    """Neighbour lists of the graph in which the variables of a factor are joined: (where each begins, lengths, pool)."""
    count = np.zeros(size + 1, np.int64)
    for v in scope:
        count[v + 1] += 1
    for v in range(size):
        count[v + 1] += count[v]
    holders = np.empty(len(scope), np.int32)
    fill = count[:-1].copy()
    for f in range(len(scope_start) - 1):
        for v in scope[scope_start[f] : scope_start[f + 1]]:
            holders[fill[v]] = f
            fill[v] += 1
    begin, length = np.zeros(size, np.int64), np.zeros(size, np.int64)
    mark = np.full(size, -1, np.int64)
    pool = np.empty(4 * len(scope) + 16, np.int32)
    used = 0
    for v in range(size):
        begin[v] = used
        mark[v] = v
        for f in holders[count[v] : count[v + 1]]:
            pool = room(pool, used, scope_start[f + 1] - scope_start[f])
            for u in scope[scope_start[f] : scope_start[f + 1]]:
                if mark[u] != v:
                    mark[u] = v
                    pool[used] = u
                    used += 1
        length[v] = used - begin[v]
    return begin, length, pool, used


@part
def sort(numbers):
    """Sort in place (Shell's way: NumPy's sort takes seconds to compile)."""
    gap = 1
    while gap < len(numbers) // 3:
        gap = 3 * gap + 1
    while gap:
        for first in range(gap, len(numbers)):
            number, at = numbers[first], first
            while at >= gap and numbers[at - gap] > number:
                numbers[at] = numbers[at - gap]
                at -= gap
            numbers[at] = number
        gap //= 3


@part
def room(pool, used, extra):
    """The pool itself, or a larger copy, with room for so many more entries."""
    if used + extra <= len(pool):
        return pool
    grown = np.empty(max(2 * len(pool), used + extra), pool.dtype)
    grown[:used] = pool[:used]
    return grown


@part
def elimination_order(scope_start, scope, width, turn, rule):
    """The variables whose turn is 0, then those of turn 1; variables with a negative turn stay.

    `width` is the logarithm (base 2) of the number of states.
    """
    size = len(width)
    begin, length, pool, used = interaction(scope_start, scope, size)
    mark = np.zeros(size, np.int64)
    stamp = 0
    score = np.empty(size)
    for v in range(size):
        stamp += 1
        score[v] = _score(v, begin, length, pool, width, mark, stamp, rule)
    goes = np.zeros(size, np.uint8)
    order = np.empty(size, np.int32)
    count = 0
    touched = np.empty(size, np.int32)
    heap, member = np.empty(2 * size + 16), np.empty(2 * size + 16, np.int32)
    for phase in range(2):
        waiting = 0
        for v in range(size):
            if turn[v] == phase:
                heap, member, waiting = _pushed(heap, member, waiting, score[v], v)
        while waiting:
            value, v = heap[0], member[0]
            waiting = _popped(heap, member, waiting)
            if goes[v] or value != score[v]:
                continue
            goes[v] = 1
            order[count] = v
            count += 1
            pool, used, many = _eliminate(v, begin, length, pool, used, mark, stamp, touched, rule)
            stamp += many + length[v] + 1
            for k in range(many):
                u = touched[k]
                stamp += 1
                new = _score(u, begin, length, pool, width, mark, stamp, rule)
                if new != score[u]:
                    score[u] = new
                    if turn[u] == phase and not goes[u]:
                        heap, member, waiting = _pushed(heap, member, waiting, new, u)
    return order[:count]


@part
def _score(v, begin, length, pool, width, mark, stamp, rule):
    around = pool[begin[v] : begin[v] + length[v]]
    table = width[v]
    for u in around:
        table += width[u]
    if rule == BY_SIZE:
        return table
    if rule == BY_GROWTH:
        return 2.0 ** min(table, 900.0) - 2.0 ** min(table - width[v], 900.0) * 0.5
    for u in around:
        mark[u] = stamp
    joined = 0
    for u in around:
        for w in pool[begin[u] : begin[u] + length[u]]:
            joined += mark[w] == stamp
    missing = (length[v] * (length[v] - 1) - joined) // 2
    return missing + min(table, 4096.0) / 8192.0


@part
def _eliminate(v, begin, length, pool, used, mark, stamp, touched, rule):
    """Join the neighbours of v with one another and take v out; (pool, used, how many nodes stand in `touched`)."""
    degree = length[v]
    for k in range(degree):
        u = pool[begin[v] + k]
        stamp += 1
        mark[u] = stamp
        pool = room(pool, used, length[u] + degree)
        first = used
        for w in pool[begin[u] : begin[u] + length[u]]:
            mark[w] = stamp
            if w != v:
                pool[used] = w
                used += 1
        before = used - first
        for w in pool[begin[v] : begin[v] + degree]:
            if mark[w] != stamp:
                pool[used] = w
                used += 1
        if used - first == before:  # nothing new: the old list, without v, is as good
            pool[begin[u] : begin[u] + before] = pool[first:used]
            used = first
        else:
            begin[u] = first
        length[u] = before if used == first else used - first
    stamp += 1
    many = 0
    for k in range(degree):
        u = pool[begin[v] + k]
        mark[u] = stamp
        touched[many] = u
        many += 1
    if rule == BY_FILL:
        for k in range(degree):
            u = touched[k]
            for w in pool[begin[u] : begin[u] + length[u]]:
                if mark[w] != stamp:
                    mark[w] = stamp
                    touched[many] = w
                    many += 1
    return pool, used, many


@part
def _pushed(heap, member, size, key, item):
    """Add to the heap, ordered by key and then item."""
    if size == len(heap):
        longer, more = np.empty(2 * size), np.empty(2 * size, np.int32)
        longer[:size], more[:size] = heap, member
        heap, member = longer, more
    at = size
    while at:
        above = (at - 1) // 2
        if heap[above] < key or (heap[above] == key and member[above] < item):
            break
        heap[at], member[at] = heap[above], member[above]
        at = above
    heap[at], member[at] = key, item
    return heap, member, size + 1


@part
def _popped(heap, member, size):
    size -= 1
    key, item = heap[size], member[size]
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and (
            heap[child + 1] < heap[child] or (heap[child + 1] == heap[child] and member[child + 1] < member[child])
        ):
            child += 1
        if key < heap[child] or (key == heap[child] and item < member[child]):
            break
        heap[at], member[at] = heap[child], member[child]
        at = child
    heap[at], member[at] = key, item
    return size
