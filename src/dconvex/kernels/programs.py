"""A question as a program: tables to load, then pairs of tables to multiply, each time summing out what is finished.

A program is one flat array of integers; its numbers do not depend on the values of tables or evidence, so it is made once
for a question and executed for any evidence.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dconvex.kernels.compiling import bare_part
from dconvex.kernels.requisite import OBSERVED, Factors, Small
from dconvex.kernels.room import LONGS, fill, filled, last_taken, longs
from dconvex.kernels.sketches import POOL_BEGIN, POOL_END, STEPS_MADE, TABLES_MADE
from dconvex.kernels.walks import Longs

TABLES, STEPS, ARENA, OUT, MULTIPLICATIONS, LARGEST, IS_TOO_LARGE, DERIVED = range(8)
SCOPES, AXES, AXIS_COUNT, ELIMINATED, FIRST_STEP, NORMALIZER, ROOTS, OUTS, LEAVES, SUM, HEADER = range(8, 19)
"""Places in the head of a program."""
LOAD, MULTIPLY = 0, 1
LOADED, PRODUCT = 8, 14
"""Where the loops of a load and of a multiplication begin in its record."""
MOST = 2.0**58
"""Larger numbers of entries and of multiplications are not told apart."""


@bare_part
def _placed(room, sketch, is_out, keeps_all, offset):
    """Find where each table lies, in the arena or among the results: the sizes of both."""
    tables, steps = sketch.made[TABLES_MADE], sketch.made[STEPS_MADE]
    last, free_at, free_size = longs(room, tables), longs(room, tables + 1), longs(room, tables + 1)
    for step in range(steps):
        last[sketch.left[step]] = step
        last[sketch.right[step]] = step
    offset[0] = 0
    top, results, free = 1, 0, 0
    for step in range(steps):
        left, right, product = sketch.left[step], sketch.right[step], sketch.product[step]
        for k in range(3):
            table = left if k == 0 else right if k == 1 else product
            if offset[table] >= 0:
                continue
            size = np.int64(sketch.size[table])
            if is_out[table]:
                offset[table] = results
                results += size
                continue
            best = -1
            for f in range(free):
                if free_size[f] >= size and (best < 0 or free_size[f] < free_size[best]):
                    best = f
            if best >= 0:
                offset[table] = free_at[best]
                free_at[best] += size
                free_size[best] -= size
            else:
                offset[table] = top
                top += size
        if keeps_all:
            continue
        for k in range(2):
            table = left if k == 0 else right
            if table and last[table] == step and not (k == 1 and right == left):
                free = _freed(free_at, free_size, free, offset[table], np.int64(sketch.size[table]))
    return top, results


@bare_part
def _freed(free_at, free_size, free, at, size):
    """Add a piece of memory to the sorted free ones and join it with its neighbours."""
    place = free
    while place and free_at[place - 1] > at:
        free_at[place], free_size[place] = free_at[place - 1], free_size[place - 1]
        place -= 1
    free_at[place], free_size[place] = at, size
    free += 1
    kept = 0
    for f in range(free):
        if free_size[f] == 0:
            continue
        if kept and free_at[kept - 1] + free_size[kept - 1] == free_at[f]:
            free_size[kept - 1] += free_size[f]
        else:
            free_at[kept], free_size[kept] = free_at[f], free_size[f]
            kept += 1
    return kept


class Loops(NamedTuple):
    """Room for the loops of one step, from the innermost out."""

    length: Longs
    pattern: Longs
    """Which tables have the axes of a loop: 1 the left one, 2 the right one, 4 the product, and their sums."""
    left: Longs
    right: Longs
    product: Longs
    """Strides."""


@bare_part
def _fused_loops(sketch, states, left, right, product, loops):
    """The loops of a step, neighbouring axes fused where the same tables have them; how many."""
    pool = sketch.pool
    a0, b0, c0 = sketch.begin[left], sketch.begin[right], sketch.begin[product]
    a, b, c = a0 + sketch.length[left] - 1, b0 + sketch.length[right] - 1, c0 + sketch.length[product] - 1
    step_a, step_b, step_c = 1, 1, 1
    groups = 0
    while a >= a0 or b >= b0 or c >= c0:
        p = pool[a] if a >= a0 else -1
        if b >= b0 and pool[b] > p:
            p = pool[b]
        if c >= c0 and pool[c] > p:
            p = pool[c]
        n = np.int64(states[p])
        in_a, in_b, in_c = a >= a0 and pool[a] == p, b >= b0 and pool[b] == p, c >= c0 and pool[c] == p
        kind = in_a + 2 * in_b + 4 * in_c
        if groups and loops.pattern[groups - 1] == kind:
            loops.length[groups - 1] *= n
        else:
            loops.length[groups], loops.pattern[groups] = n, kind
            loops.left[groups], loops.right[groups], loops.product[groups] = step_a * in_a, step_b * in_b, step_c * in_c
            groups += 1
        if in_a:
            a -= 1
            step_a *= n
        if in_b:
            b -= 1
            step_b *= n
        if in_c:
            c -= 1
            step_c *= n
    return groups


@bare_part
def _write_loops(sketch, states, left, right, product, loops, record, at):
    """Write the loops of a step: sizes and strides of fused axes, outermost first; (where they end, how many, summed ones)."""
    groups = _fused_loops(sketch, states, left, right, product, loops)
    inner, outer = -1, -1  # the innermost axis, and the one around it if the product has both
    for g in range(groups):
        if loops.length[g] > 1 and inner < 0:
            inner = g
        elif loops.length[g] > 1 and loops.pattern[g] >= 4 and loops.pattern[inner] >= 4:
            outer = g
            break
        elif loops.length[g] > 1:
            break
    count, summed = 0, 0
    for wants_sum in range(2):  # axes of the product outside, summed ones further inside
        for g in range(groups - 1, -1, -1):
            if (loops.pattern[g] < 4) == wants_sum and loops.length[g] > 1 and g != inner and g != outer:
                at = _write_loop(record, at, loops, g)
                count += 1
                summed += wants_sum
    at = _write_loop(record, at, loops, outer)
    at = _write_loop(record, at, loops, inner)
    return at, count + 2, summed


@bare_part
def _write_loop(record, at, loops, g):
    """One loop, or one of a single round where there is none."""
    if g >= 0:
        record[at], record[at + 1], record[at + 2] = loops.length[g], loops.left[g], loops.right[g]
        record[at + 3] = loops.product[g]
    else:
        record[at], record[at + 1], record[at + 2], record[at + 3] = 1, 0, 0, 1
    return at + 4


class Subject(NamedTuple):
    """What a program is about: the small network, its numbers of states, its factors, what is done with its variables."""

    small: Small
    card: Longs
    factors: Factors
    roles: Longs
    evidence: Longs
    """The place of each observed variable in the evidence."""


@bare_part
def written(room, sketch, axes, about, scalars, is_out, keeps_all, total):
    """Write the program of a sketch; its place in the memory."""
    factors = about.factors
    tables, steps, leaves = sketch.made[TABLES_MADE], sketch.made[STEPS_MADE], len(factors.source)
    largest, whole = 0, 0.0
    for table in range(tables):
        if sketch.size[table] > sketch.size[largest]:
            largest = table
        whole += sketch.size[table]
    is_too_large = whole > MOST
    offset = filled(room, tables, -1)
    arena, results = (0, 0) if is_too_large else _placed(room, sketch, is_out, keeps_all, offset)
    count = len(axes.states)
    loops = Loops(longs(room, count), longs(room, count), longs(room, count), longs(room, count), longs(room, count))
    loaded, axis, order = filled(room, tables, 0), filled(room, len(about.card), -1), longs(room, 3 * count)
    first = room.top[LONGS]
    program = longs(room, _program_length(sketch, axes, about, len(scalars), is_too_large))
    fill(program, 0)
    program[TABLES], program[LARGEST], program[IS_TOO_LARGE] = tables, largest, is_too_large
    program[ELIMINATED], program[MULTIPLICATIONS] = axes.eliminated, np.int64(min(sketch.cost[0], MOST))
    at = _write_axes(program, HEADER, sketch, axes, about.small)
    if is_too_large:
        program[ARENA] = np.int64(min(whole, MOST * 4))
    else:
        program[ARENA], program[OUT] = arena, results
        program[SUM], program[NORMALIZER] = total, offset[total] if total >= 0 else -1
        at = _write_ends(program, at, sketch, axes, about, scalars, is_out, offset)
        program[FIRST_STEP] = at
        for p in range(count):
            axis[axes.variable[p]] = p
        for step in range(steps):
            for table in (sketch.left[step], sketch.right[step]):
                if 0 < table <= leaves and not loaded[table]:
                    loaded[table] = 1
                    at = _write_load(program, at, table, offset[table], sketch, about, axis, order)
                    program[STEPS] += 1
            at = _write_step(program, at, step, offset, is_out, sketch, axes.states, loops)
            program[STEPS] += 1
    room.top[LONGS] = first + at
    return last_taken(room, at)


@bare_part
def _program_length(sketch, axes, about, scalars, is_too_large):
    """How long a program is at most."""
    small, factors, count = about.small, about.factors, len(axes.states)
    tables, leaves = sketch.made[TABLES_MADE], len(factors.source)
    scopes = sketch.made[POOL_END] - sketch.made[POOL_BEGIN]
    length = HEADER + tables + 1 + scopes + 2 * count
    if is_too_large:
        return length
    length += 2 * scalars + 1 + leaves + 1 + 3 * tables + 1
    for f in range(leaves):
        v = factors.owner[f]
        length += LOADED + 2 * (2 + small.parent_start[v + 1] - small.parent_start[v])
    for step in range(sketch.made[STEPS_MADE]):
        loops = sketch.length[sketch.left[step]] + sketch.length[sketch.right[step]] + sketch.length[sketch.product[step]]
        length += PRODUCT + 4 * (loops + 2)
    return length


@bare_part
def _write_axes(program, at, sketch, axes, small):
    """The scopes of all tables, and the variables and sizes of the axes."""
    tables, begin, end = sketch.made[TABLES_MADE], sketch.made[POOL_BEGIN], sketch.made[POOL_END]
    program[SCOPES] = at
    for table in range(tables):
        program[at + table] = sketch.begin[table] - begin
    program[at + tables] = end - begin
    at += tables + 1
    for k in range(begin, end):
        program[at] = sketch.pool[k]
        at += 1
    count = len(axes.states)
    program[AXES], program[AXIS_COUNT] = at, count
    for p in range(count):
        program[at + p], program[at + count + p] = small.nodes[axes.variable[p]], np.int64(axes.states[p])
    return at + 2 * count


@bare_part
def _write_ends(program, at, sketch, axes, about, scalars, is_out, offset):
    """The scalars that are left over, the sources of the leaves, and the results."""
    program[ROOTS] = at
    program[at] = len(scalars)
    for k in range(len(scalars)):
        program[at + 1 + 2 * k], program[at + 2 + 2 * k] = scalars[k], offset[scalars[k]]
    at += 1 + 2 * len(scalars)
    program[LEAVES] = at
    program[at] = len(about.factors.source)
    at += 1
    for source in about.factors.source:
        program[at] = source
        at += 1
    program[OUTS] = at
    at += 1
    for table in range(sketch.made[TABLES_MADE]):
        if is_out[table]:
            first = sketch.pool[sketch.begin[table]] if sketch.length[table] else -1
            program[at] = about.small.nodes[axes.variable[first]] if first >= 0 else -1
            program[at + 1], program[at + 2] = offset[table], np.int64(sketch.size[table])
            program[program[OUTS]] += 1
            at += 3
    return at


@bare_part
def _write_step(program, at, step, offset, is_out, sketch, states, loops):
    left, right, product = sketch.left[step], sketch.right[step], sketch.product[step]
    program[at], program[at + 2], program[at + 3], program[at + 4] = MULTIPLY, left, right, product
    program[at + 5], program[at + 6], program[at + 7] = offset[left], offset[right], offset[product]
    program[at + 8], program[at + 9], program[at + 10] = is_out[product], np.int64(sketch.size[product]), sketch.turn[step]
    program[at + 13] = np.int64(sketch.size[right])
    end, count, summed = _write_loops(sketch, states, left, right, product, loops, program, at + PRODUCT)
    program[at + 11], program[at + 12] = count, summed
    program[at + 1] = end - at
    return end


@bare_part
def _write_load(program, at, table, offset, sketch, about, axis, order):
    """Load a factor: its numbers from the source, observed axes fixed, the others in the program's order."""
    small, f = about.small, table - 1
    v, source = about.factors.owner[f], about.factors.source[f]
    program[at], program[at + 2], program[at + 3], program[at + 4] = LOAD, table, source, offset
    program[at + 5] = np.int64(sketch.size[table])
    free, fixed = 0, 0
    end = at + LOADED
    members = 1 + (small.parent_start[v + 1] - small.parent_start[v] if source >= 0 else 0)
    stride = 1
    for k in range(members):  # the variable itself is the last axis of its table, the last parent the one before
        u = v if k == 0 else small.parents[small.parent_start[v + 1] - k]
        if about.roles[u] == OBSERVED:
            program[end], program[end + 1] = about.evidence[u], stride
            end += 2
            fixed += 1
        else:
            order[3 * free], order[3 * free + 1], order[3 * free + 2] = axis[u], stride, about.card[u]
            free += 1
        stride *= about.card[u]
    for k in range(free):  # in the order of the axes
        least = k
        for other in range(k + 1, free):
            if order[3 * other] < order[3 * least]:
                least = other
        program[end], program[end + 1] = order[3 * least + 2], order[3 * least + 1]
        end += 2
        for field in range(3):
            order[3 * least + field] = order[3 * k + field]
    program[at + 6], program[at + 7] = fixed, free
    program[at + 1] = end - at
    return end
