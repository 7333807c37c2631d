"""A small network cut out of a large one, and what of it a question needs (Shachter's Bayes ball).

Roles say what a question does with a variable. Only an observed variable blocks; one with a likelihood stands like a
variable with an observed child.
"""

from __future__ import annotations

from typing import NamedTuple

from dconvex.kernels.compiling import bare_part, inlined
from dconvex.kernels.room import LONGS, filled, longs
from dconvex.kernels.walks import Longs

HIDDEN, ASKED, OBSERVED, LIKELY, ASKED_LIKELY, GIVEN = 0, 1, 2, 3, 4, 5
"""`GIVEN` blocks like an observation, but stays an axis of the answer."""


class Small(NamedTuple):
    """Variables `nodes` (by number in the large network), the table of each (-1: none), parents and children by place here."""

    nodes: Longs
    tables: Longs
    parent_start: Longs
    parents: Longs
    child_start: Longs
    children: Longs


@bare_part
def small_network(room, families, scratch, nodes, tables):
    """The network over `nodes` with these tables; `scratch.local` says where each node stands."""
    size = len(nodes)
    parent_start, child_start, fill = longs(room, size + 1), filled(room, size + 1, 0), longs(room, size)
    parent_start[0] = 0
    for v in range(size):
        t = tables[v]
        count = families.parent_start[t + 1] - families.parent_start[t] if t >= 0 else 0
        parent_start[v + 1] = parent_start[v] + count
    parents, children = longs(room, parent_start[size]), longs(room, parent_start[size])
    at = 0
    for v in range(size):
        t = tables[v]
        if t >= 0:
            for k in range(families.parent_start[t], families.parent_start[t + 1]):
                local = scratch.local[families.parents[k]]
                parents[at] = local
                child_start[local + 1] += 1
                at += 1
    for v in range(size):
        fill[v] = child_start[v]
        child_start[v + 1] += child_start[v]
    for v in range(size):
        for k in range(parent_start[v], parent_start[v + 1]):
            children[fill[parents[k]]] = v
            fill[parents[k]] += 1
    return Small(nodes, tables, parent_start, parents, child_start, children)


@bare_part
def requisite(room, small, roles):
    """Flags (needed, met): whose table the question needs, and which variables the ball met at all."""
    size = len(small.nodes)
    above, met = filled(room, size, 0), filled(room, size, 0)
    mark = room.top[LONGS]
    below = filled(room, size, 0)
    stack = longs(room, 2 * size + 2 * len(small.parents) + 2)  # 2 * node + (came from a parent)
    count = 0
    for v in range(size):
        if roles[v] == ASKED or roles[v] == ASKED_LIKELY:
            stack[count] = 2 * v
            count += 1
    while count:
        count -= 1
        v, came_down = stack[count] >> 1, stack[count] & 1
        met[v] = 1
        blocks = roles[v] == OBSERVED or roles[v] == GIVEN
        goes_up = blocks if came_down else not blocks
        if came_down and (roles[v] == LIKELY or roles[v] == ASKED_LIKELY):
            goes_up = True
        if goes_up and not above[v]:
            above[v] = 1
            for k in range(small.parent_start[v], small.parent_start[v + 1]):
                stack[count] = 2 * small.parents[k]
                count += 1
        if not blocks and not below[v]:
            below[v] = 1
            for k in range(small.child_start[v], small.child_start[v + 1]):
                stack[count] = 2 * small.children[k] + 1
                count += 1
    room.top[LONGS] = mark
    return above, met


@inlined
def ancestral(room, small, roles):
    """Flags of the variables with a role and of their ancestors: all but the barren ones."""
    inside = filled(room, len(small.nodes), 0)
    _mark_ancestral(room, small, roles, inside)
    return inside


@bare_part
def _mark_ancestral(room, small, roles, inside):
    mark = room.top[LONGS]
    stack = longs(room, len(small.nodes))
    count = 0
    for v in range(len(small.nodes)):
        if roles[v] != HIDDEN:
            inside[v] = 1
            stack[count] = v
            count += 1
    while count:
        count -= 1
        v = stack[count]
        for k in range(small.parent_start[v], small.parent_start[v + 1]):
            p = small.parents[k]
            if not inside[p]:
                inside[p] = 1
                stack[count] = p
                count += 1
    room.top[LONGS] = mark


class Factors(NamedTuple):
    """What is multiplied: the scope of each factor by place in the small network, and where its numbers come from.

    Source t >= 0 is table t, -1 - k the likelihood number k. Observed variables are not in the scope.
    """

    scope_start: Longs
    scope: Longs
    source: Longs
    owner: Longs
    """For each factor the variable whose table or likelihood it is."""


@bare_part
def factors_of(room, small, roles, needed, likelihood):
    """The tables that are flagged as needed, and the likelihoods of the variables that these tables speak of."""
    size = len(small.nodes)
    spoken = filled(room, size, 0)
    count, total = 0, 0
    for v in range(size):
        if needed[v] and small.tables[v] >= 0:
            count += 1
            spoken[v] = 1
            total += 1 + small.parent_start[v + 1] - small.parent_start[v]
            for k in range(small.parent_start[v], small.parent_start[v + 1]):
                spoken[small.parents[k]] = 1
    for v in range(size):
        if spoken[v] and likelihood[v] >= 0:
            count += 1
            total += 1
    scope_start, scope = longs(room, count + 1), longs(room, total)
    source, owner = longs(room, count), longs(room, count)
    scope_start[0] = 0
    at, f = 0, 0
    for v in range(size):
        if needed[v] and small.tables[v] >= 0:
            for k in range(small.parent_start[v], small.parent_start[v + 1]):
                if roles[small.parents[k]] != OBSERVED:
                    scope[at] = small.parents[k]
                    at += 1
            if roles[v] != OBSERVED:
                scope[at] = v
                at += 1
            source[f], owner[f] = small.tables[v], v
            f += 1
            scope_start[f] = at
    for v in range(size):
        if spoken[v] and likelihood[v] >= 0:
            scope[at] = v
            at += 1
            source[f], owner[f] = -1 - likelihood[v], v
            f += 1
            scope_start[f] = at
    return Factors(scope_start, scope[:at], source, owner)
