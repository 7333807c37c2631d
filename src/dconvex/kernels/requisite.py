"""A small network cut out of a large one, and what of it a question needs (Shachter's Bayes ball).

Roles say what a question does with a variable. Only an observed variable blocks; one with a likelihood stands like a
variable with an observed child.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dconvex.kernels.compiling import part
from dconvex.kernels.walks import Ints, Longs

HIDDEN, ASKED, OBSERVED, LIKELY, ASKED_LIKELY, GIVEN = 0, 1, 2, 3, 4, 5
"""`GIVEN` blocks like an observation, but stays an axis of the answer."""


class Small(NamedTuple):
    """Variables `nodes` (by number in the large network), the table of each (-1: none), parents and children by place here."""

    nodes: Ints
    tables: Ints
    parent_start: Longs
    parents: Ints
    child_start: Longs
    children: Ints


@part
def small_network(families, scratch, nodes, tables):
    """The network over `nodes` with these tables; `scratch.local` says where each node stands."""
    size = len(nodes)
    parent_start, child_start = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    for v in range(size):
        t = tables[v]
        parent_start[v + 1] = parent_start[v]
        if t >= 0:
            parent_start[v + 1] += families.parent_start[t + 1] - families.parent_start[t]
    parents = np.empty(parent_start[size], np.int32)
    for v in range(size):
        t = tables[v]
        if t >= 0:
            at = parent_start[v]
            for p in families.parents[families.parent_start[t] : families.parent_start[t + 1]]:
                local = scratch.local[p]
                parents[at] = local
                child_start[local + 1] += 1
                at += 1
    for v in range(size):
        child_start[v + 1] += child_start[v]
    children = np.empty(len(parents), np.int32)
    fill = child_start[:-1].copy()
    for v in range(size):
        for p in parents[parent_start[v] : parent_start[v + 1]]:
            children[fill[p]] = v
            fill[p] += 1
    return Small(nodes, tables, parent_start, parents, child_start, children)


@part
def requisite(small, roles):
    """Flags (needed, met): whose table the question needs, and which variables the ball met at all."""
    size = len(small.nodes)
    above, below, met = np.zeros(size, np.uint8), np.zeros(size, np.uint8), np.zeros(size, np.uint8)
    stack = np.empty(2 * size + 2 * len(small.parents) + 2, np.int32)  # 2 * node + (came from a parent)
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
            for p in small.parents[small.parent_start[v] : small.parent_start[v + 1]]:
                stack[count] = 2 * p
                count += 1
        if not blocks and not below[v]:
            below[v] = 1
            for c in small.children[small.child_start[v] : small.child_start[v + 1]]:
                stack[count] = 2 * c + 1
                count += 1
    return above, met


@part
def ancestral(small, roles):
    """Flags of the variables with a role and of their ancestors: all but the barren ones."""
    size = len(small.nodes)
    inside = np.zeros(size, np.uint8)
    stack = np.empty(size, np.int32)
    count = 0
    for v in range(size):
        if roles[v] != HIDDEN:
            inside[v] = 1
            stack[count] = v
            count += 1
    while count:
        count -= 1
        v = stack[count]
        for p in small.parents[small.parent_start[v] : small.parent_start[v + 1]]:
            if not inside[p]:
                inside[p] = 1
                stack[count] = p
                count += 1
    return inside


class Factors(NamedTuple):
    """What is multiplied: the scope of each factor by place in the small network, and where its numbers come from.

    Source t >= 0 is table t, -1 - k the likelihood number k. Observed variables are not in the scope.
    """

    scope_start: Longs
    scope: Ints
    source: Longs
    owner: Ints
    """For each factor the variable whose table or likelihood it is."""


@part
def factors_of(small, roles, needed, likelihood):
    """The tables that are flagged as needed, and the likelihoods of the variables that these tables speak of."""
    size = len(small.nodes)
    spoken = np.zeros(size, np.uint8)
    count = 0
    total = 0
    for v in range(size):
        if needed[v] and small.tables[v] >= 0:
            count += 1
            spoken[v] = 1
            total += 1 + small.parent_start[v + 1] - small.parent_start[v]
            for p in small.parents[small.parent_start[v] : small.parent_start[v + 1]]:
                spoken[p] = 1
    for v in range(size):
        if spoken[v] and likelihood[v] >= 0:
            count += 1
            total += 1
    scope_start, scope = np.zeros(count + 1, np.int64), np.empty(total, np.int32)
    source, owner = np.empty(count, np.int64), np.empty(count, np.int32)
    at, f = 0, 0
    for v in range(size):
        if needed[v] and small.tables[v] >= 0:
            for p in small.parents[small.parent_start[v] : small.parent_start[v + 1]]:
                if roles[p] != OBSERVED:
                    scope[at] = p
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
