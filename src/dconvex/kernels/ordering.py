"""In which order to eliminate variables: greedy, by the size of the table that an elimination makes or by the edges it adds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dconvex.kernels.compiling import bare_part
from dconvex.kernels.room import FLOATS, LONGS, POOL, filled, floats, longs, need
from dconvex.kernels.walks import Longs

BY_SIZE, BY_FILL, BY_GROWTH = 0, 1, 2
"""Least table first; fewest new pairs first, and among these the least table; least growth over what is already there."""


class Interaction(NamedTuple):
    """The graph in which the variables of a factor are joined: neighbours of v are `pool[begin[v]:begin[v] + length[v]]`."""

    begin: Longs
    length: Longs
    pool: Longs
    used: Longs
    """One entry: where the pool ends."""
    width: NDArray[np.float64]
    """Logarithms (base 2) of the numbers of states."""
    mark: Longs
    stamp: Longs
    """One entry: the last mark given out."""


@bare_part
def _interaction(room, scope_start, scope, width):
    size = len(width)
    graph = Interaction(
        longs(room, size), longs(room, size), room.pool, longs(room, 1), width, filled(room, size, 0), filled(room, 1, 0)
    )
    start, holders, fill = filled(room, size + 1, 0), longs(room, len(scope)), longs(room, size)
    for v in scope:
        start[v + 1] += 1
    for v in range(size):
        start[v + 1] += start[v]
        fill[v] = start[v]
    for f in range(len(scope_start) - 1):
        for k in range(scope_start[f], scope_start[f + 1]):
            holders[fill[scope[k]]] = f
            fill[scope[k]] += 1
    used = room.top[POOL]
    for v in range(size):
        graph.begin[v] = used
        graph.stamp[0] += 1
        graph.mark[v] = graph.stamp[0]
        for h in range(start[v], start[v + 1]):
            f = holders[h]
            need(room, used, scope_start[f + 1] - scope_start[f])
            for k in range(scope_start[f], scope_start[f + 1]):
                u = scope[k]
                if graph.mark[u] != graph.stamp[0]:
                    graph.mark[u] = graph.stamp[0]
                    graph.pool[used] = u
                    used += 1
        graph.length[v] = used - graph.begin[v]
    graph.used[0] = used
    return graph


@bare_part
def elimination_order(room, scope_start, scope, width, turn, rule, order):
    """Write down the variables whose turn is 0, then those of turn 1; how many. Those with a negative turn stay.

    `width` is the logarithm (base 2) of the number of states.
    """
    long_mark, float_mark = room.top[LONGS], room.top[FLOATS]
    graph = _interaction(room, scope_start, scope, width)
    size = len(width)
    score, heap, place, touched = floats(room, size), longs(room, size), filled(room, size, -1), longs(room, size)
    count = 0
    for phase in range(2):
        waiting = 0
        for v in range(size):
            if turn[v] == phase:
                score[v] = _score(graph, v, rule)
                heap[waiting] = v
                _rise(heap, place, score, waiting)
                waiting += 1
        while waiting:
            v = heap[0]
            waiting -= 1
            if waiting:
                heap[0] = heap[waiting]
                _sink(heap, place, score, 0, waiting)
            place[v] = -1
            order[count] = v
            count += 1
            is_filled = _eliminate(room, graph, v)
            for k in range(_touched(graph, v, place, is_filled and rule == BY_FILL, touched)):
                u = touched[k]
                new = _score(graph, u, rule)
                if new != score[u]:
                    score[u] = new
                    _rise(heap, place, score, place[u])
                    _sink(heap, place, score, place[u], waiting)
    room.top[LONGS], room.top[FLOATS] = long_mark, float_mark
    return count


@bare_part
def _score(graph, v, rule):
    first, last = graph.begin[v], graph.begin[v] + graph.length[v]
    table = graph.width[v]
    for k in range(first, last):
        table += graph.width[graph.pool[k]]
    if rule == BY_SIZE:
        return table
    if rule == BY_GROWTH:
        return 2.0 ** min(table, 900.0) - 2.0 ** min(table - graph.width[v], 900.0) * 0.5
    graph.stamp[0] += 1
    stamp = graph.stamp[0]
    for k in range(first, last):
        graph.mark[graph.pool[k]] = stamp
    joined = 0
    for k in range(first, last):
        u = graph.pool[k]
        for other in range(graph.begin[u], graph.begin[u] + graph.length[u]):
            joined += graph.mark[graph.pool[other]] == stamp
    missing = (graph.length[v] * (graph.length[v] - 1) - joined) // 2
    return missing + min(table, 4096.0) / 8192.0


@bare_part
def _eliminate(room, graph, v):
    """Join the neighbours of v with one another and take v out; whether that added an edge."""
    is_filled = False
    for k in range(graph.begin[v], graph.begin[v] + graph.length[v]):
        is_filled |= _join(room, graph, graph.pool[k], v)
    return is_filled


@bare_part
def _touched(graph, v, place, goes_further, touched):
    """Write down the neighbours of v that still wait, or those within two steps of it; how many.

    Only new edges change the fill of those that are not neighbours.
    """
    pool, mark = graph.pool, graph.mark
    graph.stamp[0] += 1
    stamp = graph.stamp[0]
    many = 0
    for k in range(graph.begin[v], graph.begin[v] + graph.length[v]):
        u = pool[k]
        if mark[u] != stamp:
            mark[u] = stamp
            if place[u] >= 0:
                touched[many] = u
                many += 1
        if goes_further:
            for other in range(graph.begin[u], graph.begin[u] + graph.length[u]):
                w = pool[other]
                if mark[w] != stamp:
                    mark[w] = stamp
                    if place[w] >= 0:
                        touched[many] = w
                        many += 1
    return many


@bare_part
def _join(room, graph, u, v):
    """Give u the neighbours of v, and take v away from it; whether it had not had them all."""
    pool, mark = graph.pool, graph.mark
    graph.stamp[0] += 1
    stamp = graph.stamp[0]
    mark[u] = mark[v] = stamp
    first = graph.used[0]
    need(room, first, graph.length[u] + graph.length[v])
    used = first
    for k in range(graph.begin[u], graph.begin[u] + graph.length[u]):
        w = pool[k]
        if w != v:
            mark[w] = stamp
            pool[used] = w
            used += 1
    before = used
    for k in range(graph.begin[v], graph.begin[v] + graph.length[v]):
        w = pool[k]
        if mark[w] != stamp:
            pool[used] = w
            used += 1
    graph.length[u] = used - first
    if used > before:
        graph.begin[u] = first
        graph.used[0] = used
    else:  # nothing new: the old list, without v, is as good
        for k in range(used - first):
            pool[graph.begin[u] + k] = pool[first + k]
    return used > before


@bare_part
def _goes_before(score, u, v):
    return score[u] < score[v] or (score[u] == score[v] and u < v)


@bare_part
def _rise(heap, place, score, at):
    """Let the variable at this place of the heap move up as far as it must."""
    v = heap[at]
    while at and _goes_before(score, v, heap[(at - 1) // 2]):
        heap[at] = heap[(at - 1) // 2]
        place[heap[at]] = at
        at = (at - 1) // 2
    heap[at] = v
    place[v] = at


@bare_part
def _sink(heap, place, score, at, size):
    """Let the variable at this place of the heap move down as far as it must."""
    v = heap[at]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and _goes_before(score, heap[child + 1], heap[child]):
            child += 1
        if _goes_before(score, v, heap[child]):
            break
        heap[at] = heap[child]
        place[heap[at]] = at
        at = child
    heap[at] = v
    place[v] = at
