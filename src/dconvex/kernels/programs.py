"""A question as a program: tables to load, then pairs of tables to multiply, each time summing out what is finished.

A program is one flat array of integers; its numbers do not depend on the values of tables or evidence, so it is made once
for a question and executed for any evidence. Every table has its axes in one order, that in which variables are eliminated
and then those asked for; so the loops of a multiplication fuse to a few long ones, and a variable that is summed out is an
outer axis. The derivative of the sum with respect to each table, by the chain rule backwards through the same steps, gives
the marginals of all variables without a division.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dconvex.kernels.compiling import part
from dconvex.kernels.ordering import room, sort
from dconvex.kernels.requisite import OBSERVED
from dconvex.kernels.walks import Longs

TABLES, STEPS, ARENA, OUT, MULTIPLICATIONS, LARGEST, IS_TOO_LARGE, IS_ALL_MET, DERIVED, DERIVED_COST, DERIVED_PEAK = range(11)
SCOPES, AXES, AXIS_COUNT, ELIMINATED, FIRST_STEP, NORMALIZER, ROOTS, OUTS, LEAVES, HEADER = range(11, 21)
"""Places in the head of a program."""
LOAD, MULTIPLY = 0, 1
PRODUCT = 14
"""Where the loops of a multiplication begin in its record."""
LARGE_RESULT = 4096
"""Above so many entries an answer is normalised before its last multiplication, not after."""
LONG_END, LONG_ENOUGH = 256, 64
"""The innermost loop over a large answer should have so many rounds; with so many it is left alone."""
MANY_TABLES = 40
"""Up to so many tables with one variable the best pair is multiplied first; of more, neighbours are."""
MOST = 2.0**58


class Sketch(NamedTuple):
    """Tables and steps before they get their places in memory."""

    made: Longs
    """Numbers of tables, of steps, of entries in the pool of scopes."""
    begin: Longs
    length: Longs
    size: NDArray[np.float64]
    left: Longs
    right: Longs
    product: Longs
    turn: Longs
    cost: NDArray[np.float64]
    """One entry: multiplications so far."""
    used_by: Longs
    """For each table the step that multiplies it, or -1."""


@part
def new_sketch(leaves, axes, is_large):
    tables = 2 * leaves + axes + 24
    if is_large:
        tables = 3 * tables + 2 * axes
    return Sketch(
        np.zeros(3, np.int64),
        np.zeros(tables, np.int64),
        np.zeros(tables, np.int64),
        np.ones(tables),
        np.zeros(tables, np.int64),
        np.zeros(tables, np.int64),
        np.zeros(tables, np.int64),
        np.zeros(tables, np.int64),
        np.zeros(1),
        np.full(tables, -1, np.int64),
    )


@part
def _close_table(sketch, used, states, pool):
    """Number the table whose scope ends at `used` in the pool."""
    table = sketch.made[0]
    sketch.begin[table] = sketch.made[2]
    sketch.length[table] = used - sketch.made[2]
    size = 1.0
    for p in pool[sketch.made[2] : used]:
        size *= states[p]
    sketch.size[table] = size
    sketch.made[0] += 1
    sketch.made[2] = used
    return table


@part
def _close_step(sketch, left, right, product, turn, cost):
    step = sketch.made[1]
    sketch.left[step], sketch.right[step], sketch.product[step], sketch.turn[step] = left, right, product, turn
    sketch.used_by[left] = step
    sketch.used_by[right] = step
    sketch.made[1] += 1
    sketch.cost[0] += cost


@part
def _multiply(sketch, pool, left, right, states, turn, held, now):
    """A step that multiplies two tables and sums out what no other table holds, of the variables whose turn it is."""
    a, a_end = sketch.begin[left], sketch.begin[left] + sketch.length[left]
    b, b_end = sketch.begin[right], sketch.begin[right] + sketch.length[right]
    used = sketch.made[2]
    pool = room(pool, used, a_end - a + b_end - b)
    cost = 1.0
    while a < a_end or b < b_end:
        if b == b_end or (a < a_end and pool[a] < pool[b]):
            p, times = pool[a], 1
            a += 1
        elif a == a_end or pool[b] < pool[a]:
            p, times = pool[b], 1
            b += 1
        else:
            p, times = pool[a], 2
            a += 1
            b += 1
        cost *= states[p]
        if turn[p] == now and held[p] == times:
            held[p] = 0
        else:
            held[p] += 1 - times
            pool[used] = p
            used += 1
    product = _close_table(sketch, used, states, pool)
    _close_step(sketch, left, right, product, now, cost)
    return pool, product


@part
def _union_width(sketch, pool, one, other, width):
    a, a_end = sketch.begin[one], sketch.begin[one] + sketch.length[one]
    b, b_end = sketch.begin[other], sketch.begin[other] + sketch.length[other]
    total = 0.0
    while a < a_end and b < b_end:
        if pool[a] < pool[b]:
            total += width[pool[a]]
            a += 1
        elif pool[b] < pool[a]:
            total += width[pool[b]]
            b += 1
        else:
            total += width[pool[a]]
            a += 1
            b += 1
    for p in pool[a:a_end]:
        total += width[p]
    for p in pool[b:b_end]:
        total += width[p]
    return total


@part
def _multiply_down_to(sketch, pool, work, many, enough, states, width, turn, held, now):
    """Multiply the tables in `work` pairwise, the least product first, until so many are left; they stand in `work`."""
    key = np.empty(many, np.int64)
    for k in range(many):
        table = work[k]
        last = pool[sketch.begin[table] + sketch.length[table] - 1] if sketch.length[table] else -1
        key[k] = ((np.int64(last) + 1) << 32) | table
    sort(key)
    for k in range(many):
        work[k] = key[k] & 0xFFFFFFFF
    while many > MANY_TABLES:
        half = 0
        for k in range(0, many - 1, 2):
            pool, work[half] = _multiply(sketch, pool, work[k], work[k + 1], states, turn, held, now)
            half += 1
        if many % 2:
            work[half] = work[many - 1]
            half += 1
        many = half
    if many <= enough:
        return pool, many
    wide = np.empty((many, many))
    for i in range(many):
        for j in range(i + 1, many):
            wide[i, j] = _union_width(sketch, pool, work[i], work[j], width)
    while many > enough:
        first, second = 0, 1
        for i in range(many):
            for j in range(i + 1, many):
                gain = wide[first, second] - wide[i, j]
                if gain > 1e-9 or (gain > -1e-9 and j - i < second - first):
                    first, second = i, j
        pool, work[first] = _multiply(sketch, pool, work[first], work[second], states, turn, held, now)
        many -= 1
        for k in range(second, many):
            work[k] = work[k + 1]
        for i in range(many):
            for j in range(i + 1, many):
                if i != first and j != first:
                    wide[i, j] = wide[i if i < second else i + 1, j if j < second else j + 1]
        for i in range(first):
            wide[i, first] = _union_width(sketch, pool, work[i], work[first], width)
        for j in range(first + 1, many):
            wide[first, j] = _union_width(sketch, pool, work[first], work[j], width)
    return pool, many


@part
def sketched(factors, states, turn, place, eliminated, is_large):
    """The steps that leave one table over the axes from `eliminated` on; `place` gives each variable its axis.

    Returns the sketch, its pool, the scalars left over, and the table with the answer.
    """
    leaves, axes = len(factors.source), len(states)
    sketch = new_sketch(leaves, axes, is_large)
    pool = np.empty(4 * len(factors.scope) + 64, np.int32)
    one = _close_table(sketch, 0, states, pool)
    width, held = np.log2(states), np.zeros(axes, np.int64)
    head, following = np.full(axes + 1, -1, np.int64), np.full(len(sketch.begin), -1, np.int64)
    scalars = np.empty(leaves + axes + 1, np.int64)
    count = 0
    for f in range(leaves):
        used = sketch.made[2]
        pool = room(pool, used, factors.scope_start[f + 1] - factors.scope_start[f])
        for v in factors.scope[factors.scope_start[f] : factors.scope_start[f + 1]]:
            pool[used] = place[v]
            held[place[v]] += 1
            used += 1
        sort(pool[sketch.made[2] : used])
        table = _close_table(sketch, used, states, pool)
        if sketch.length[table]:
            count = _put_aside(sketch, pool, table, head, following, scalars, count)
    for f in range(leaves):  # all observed: a number, which a step takes along
        if sketch.length[1 + f] == 0:
            pool, table = _multiply(sketch, pool, 1 + f, one, states, turn, held, -2)
            count = _put_aside(sketch, pool, table, head, following, scalars, count)
    work = np.empty(leaves + 1, np.int64)
    for p in range(eliminated):
        many = _taken(head, following, p, work)
        if not many:
            continue
        pool, many = _multiply_down_to(sketch, pool, work, many, 2, states, width, turn, held, turn[p])
        other = work[1] if many == 2 else one
        pool, table = _multiply(sketch, pool, work[0], other, states, turn, held, turn[p])
        count = _put_aside(sketch, pool, table, head, following, scalars, count)
    many = 0
    for p in range(eliminated, axes):
        more = _taken(head, following, p, work[many:])
        many += more
    pool, many = _multiply_down_to(sketch, pool, work, many, 2, states, width, turn, held, -2)
    if many == 1 and sketch.length[work[0]] == axes - eliminated and work[0] > leaves:
        _move_to_end(sketch, work[0])
        return sketch, pool, scalars[:count], work[0]
    used = sketch.made[2]
    pool = room(pool, used, axes - eliminated)
    cost = 1.0
    for p in range(eliminated, axes):
        pool[used] = p
        used += 1
        cost *= states[p]
    answer = _close_table(sketch, used, states, pool)
    left, right = work[0] if many else one, work[1] if many == 2 else one
    _close_step(sketch, left, right, answer, -1, cost)
    return sketch, pool, scalars[:count], answer


@part
def _move_to_end(sketch, answer):
    """Let the step that makes the answer be the last one; no other uses it."""
    steps = sketch.made[1]
    step = 0
    while sketch.product[step] != answer:
        step += 1
    left, right, turn = sketch.left[step], sketch.right[step], sketch.turn[step]
    for k in range(step, steps - 1):
        sketch.left[k], sketch.right[k] = sketch.left[k + 1], sketch.right[k + 1]
        sketch.product[k], sketch.turn[k] = sketch.product[k + 1], sketch.turn[k + 1]
    sketch.left[steps - 1], sketch.right[steps - 1] = left, right
    sketch.product[steps - 1], sketch.turn[steps - 1] = answer, turn


@part
def _put_aside(sketch, pool, table, head, following, scalars, count):
    """File a table under its first axis, or among the scalars; how many of these there are."""
    if sketch.length[table] == 0:
        scalars[count] = table
        return count + 1
    first = pool[sketch.begin[table]]
    following[table] = head[first]
    head[first] = table
    return count


@part
def _taken(head, following, p, work):
    many = 0
    table = head[p]
    while table >= 0:
        work[many] = table
        many += 1
        table = following[table]
    return many


@part
def _restricted_step(sketch, pool, left, right, within, states):
    """A step that multiplies two tables and keeps of their axes those of a third."""
    a, a_end = sketch.begin[left], sketch.begin[left] + sketch.length[left]
    b, b_end = sketch.begin[right], sketch.begin[right] + sketch.length[right]
    c, c_end = sketch.begin[within], sketch.begin[within] + sketch.length[within]
    used = sketch.made[2]
    pool = room(pool, used, c_end - c)
    cost = 1.0
    while a < a_end or b < b_end:
        if b == b_end or (a < a_end and pool[a] < pool[b]):
            p = pool[a]
            a += 1
        elif a == a_end or pool[b] < pool[a]:
            p = pool[b]
            b += 1
        else:
            p = pool[a]
            a += 1
            b += 1
        cost *= states[p]
        while c < c_end and pool[c] < p:
            c += 1
        if c < c_end and pool[c] == p:
            pool[used] = p
            used += 1
    product = _close_table(sketch, used, states, pool)
    _close_step(sketch, left, right, product, 0, cost)
    return pool, product


@part
def normalized_early(sketch, pool, states, one):
    """Put the sum of the answer before its last step; the table with the sum (the answer's step comes last again)."""
    sketch.made[1] -= 1
    step = sketch.made[1]
    left, right, answer, turn = sketch.left[step], sketch.right[step], sketch.product[step], sketch.turn[step]
    if right == one:
        pool, total = _restricted_step(sketch, pool, left, one, one, states)
    else:
        pool, of_left = _restricted_step(sketch, pool, left, one, right, states)
        pool, of_right = _restricted_step(sketch, pool, right, one, left, states)
        pool, total = _restricted_step(sketch, pool, of_left, of_right, one, states)
    if right != one:
        pool, left, right = _with_long_ends(sketch, pool, left, right, answer, states, one)
    _close_step(sketch, left, right, answer, turn, 0.0)
    return pool, total


@part
def _with_long_ends(sketch, pool, left, right, answer, states, one):
    """The two tables with all the last axes of the answer, where these alternate between them: long loops run faster."""
    end = sketch.begin[answer] + sketch.length[answer]
    run, first, block = 1.0, end, 1.0
    kind = -1
    while first > sketch.begin[answer] and block < LONG_END:
        first -= 1
        p = pool[first]
        own = _holds(sketch, pool, left, p) + 2 * _holds(sketch, pool, right, p)
        if kind < 0 or own == kind:
            run *= states[p]
            kind = own
        else:
            kind = 4
        block *= states[p]
    if run >= LONG_ENOUGH or block * max(sketch.size[left], sketch.size[right]) > sketch.size[answer]:
        return pool, left, right
    pool, longer_left = _expanded(sketch, pool, left, first, end, states, one)
    pool, longer_right = _expanded(sketch, pool, right, first, end, states, one)
    return pool, longer_left, longer_right


@part
def _holds(sketch, pool, table, p):
    for axis in pool[sketch.begin[table] : sketch.begin[table] + sketch.length[table]]:
        if axis == p:
            return 1
    return 0


@part
def _expanded(sketch, pool, table, first, end, states, one):
    """A step that repeats a table along those of the axes pool[first:end] that it lacks; they come after all its others."""
    used = sketch.made[2]
    pool = room(pool, used, sketch.length[table] + end - first)
    for k in range(sketch.begin[table], sketch.begin[table] + sketch.length[table]):
        if pool[k] < pool[first]:
            pool[used] = pool[k]
            used += 1
    for k in range(first, end):
        pool[used] = pool[k]
        used += 1
    longer = _close_table(sketch, used, states, pool)
    _close_step(sketch, table, one, longer, -1, sketch.size[longer])
    return pool, longer


@part
def differentiated(sketch, pool, states, one, leaves, wanted):
    """Steps that go back through all others and end in a table for each wanted axis: (pool, these tables, -1 for no axis).

    The steps so far must leave scalars only, but for the last, which makes the answer over no axes and is taken back.
    """
    axes = len(states)
    sketch.made[1] -= 1
    forward, tables = sketch.made[1], sketch.made[0] - 1
    sketch.used_by[one] = -1
    home, price = np.full(axes, -1, np.int64), np.full(axes, np.inf)
    for table in range(1, tables):
        step = sketch.used_by[table]
        worth = sketch.size[table]
        if step < 0 or step >= forward:
            continue
        if table <= leaves and sketch.right[step] != one:
            worth = 2.0 * max(sketch.size[sketch.left[step]], sketch.size[sketch.right[step]])
        for p in pool[sketch.begin[table] : sketch.begin[table] + sketch.length[table]]:
            if wanted[p] and worth <= price[p]:
                home[p], price[p] = table, worth
    is_needed = np.zeros(tables + 1, np.uint8)
    for p in range(axes):
        table = home[p]
        while table >= 0 and not is_needed[table]:
            is_needed[table] = 1
            step = sketch.used_by[table]
            table = sketch.product[step] if 0 <= step < forward else -1
    derivative = np.full(tables + 1, -1, np.int64)
    for step in range(forward - 1, -1, -1):
        left, right, product = sketch.left[step], sketch.right[step], sketch.product[step]
        if not is_needed[left] and not is_needed[right]:
            continue
        outer = derivative[product] if derivative[product] >= 0 else one  # a scalar that nothing uses: the end of a part
        if right == one:
            derivative[left] = outer
            continue
        if is_needed[left]:
            pool, derivative[left] = _restricted_step(sketch, pool, outer, right, left, states)
        if is_needed[right]:
            pool, derivative[right] = _restricted_step(sketch, pool, outer, left, right, states)
    marginal = np.full(axes, -1, np.int64)
    for p in range(axes):
        if home[p] >= 0:
            used = sketch.made[2]
            pool = room(pool, used, 1)
            pool[used] = p
            single = _close_table(sketch, used + 1, states, pool)
            pool, marginal[p] = _restricted_step(sketch, pool, home[p], derivative[home[p]], single, states)
    return pool, marginal


@part
def placed(sketch, is_out, keeps_all):
    """Where each table lies: in the arena, or among the results; (offsets, size of the arena, of the results)."""
    tables, steps = sketch.made[0], sketch.made[1]
    last = np.full(tables, -1, np.int64)
    for step in range(steps):
        last[sketch.left[step]] = step
        last[sketch.right[step]] = step
    offset = np.full(tables, -1, np.int64)
    offset[0] = 0
    top, results = 1, 0
    free_at, free_size = np.empty(tables + 1, np.int64), np.empty(tables + 1, np.int64)
    free = 0
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
    return offset, top, results


@part
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


@part
def _loops(sketch, pool, states, left, right, product, record, at):
    """Write the loops of a step: sizes and strides of fused axes, outermost first; (where they end, how many, summed ones)."""
    a, b, c = sketch.length[left], sketch.length[right], sketch.length[product]
    a0, b0, c0 = sketch.begin[left], sketch.begin[right], sketch.begin[product]
    longest = a + b + c
    length, stride = np.empty(longest, np.int64), np.empty((3, longest), np.int64)
    pattern = np.empty(longest, np.int64)
    step_a, step_b, step_c = 1, 1, 1
    groups = 0
    while a or b or c:  # from the innermost axis out
        p = -1
        if a:
            p = pool[a0 + a - 1]
        if b and pool[b0 + b - 1] > p:
            p = pool[b0 + b - 1]
        if c and pool[c0 + c - 1] > p:
            p = pool[c0 + c - 1]
        n = np.int64(states[p])
        in_a, in_b, in_c = a > 0 and pool[a0 + a - 1] == p, b > 0 and pool[b0 + b - 1] == p, c > 0 and pool[c0 + c - 1] == p
        kind = in_a + 2 * in_b + 4 * in_c
        if groups and pattern[groups - 1] == kind:
            length[groups - 1] *= n
        else:
            length[groups], pattern[groups] = n, kind
            stride[0, groups], stride[1, groups], stride[2, groups] = step_a * in_a, step_b * in_b, step_c * in_c
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
    inner, outer = -1, -1  # the innermost axis, and the one around it if the product has both
    for g in range(groups):
        if length[g] > 1 and inner < 0:
            inner = g
        elif length[g] > 1 and pattern[g] >= 4 and pattern[inner] >= 4:
            outer = g
            break
        elif length[g] > 1:
            break
    count, summed = 0, 0
    for wants_sum in range(2):  # axes of the product outside, summed ones further inside
        for g in range(groups - 1, -1, -1):
            if (pattern[g] < 4) == wants_sum and length[g] > 1 and g != inner and g != outer:
                record[at], record[at + 1], record[at + 2], record[at + 3] = length[g], stride[0, g], stride[1, g], stride[2, g]
                at += 4
                count += 1
                summed += wants_sum
    for g in (outer, inner):
        record[at] = length[g] if g >= 0 else 1
        for k in range(3):
            record[at + 1 + k] = stride[k, g] if g >= 0 else k == 2
        at += 4
    return at, count + 2, summed


@part
def written(
    sketch, pool, states, variable, eliminated, small, card, factors, roles, evidence, scalars, is_out, keeps_all, total
):
    """The program of a sketch. `variable` names the axes, `evidence` the place of each observed variable in the evidence."""
    tables, steps, leaves, axes = sketch.made[0], sketch.made[1], len(factors.source), len(states)
    largest, whole = 0, 0.0
    for table in range(tables):
        if sketch.size[table] > sketch.size[largest]:
            largest = table
        whole += sketch.size[table]
    is_too_large = whole > MOST
    length = HEADER + tables + 1 + sketch.made[2] + 2 * axes + 2 * len(scalars) + 1 + leaves + 1 + 3 * (axes + 1) + 1
    if not is_too_large:
        for f in range(leaves):
            v = factors.owner[f]
            length += 8 + 2 * (2 + small.parent_start[v + 1] - small.parent_start[v])
        for step in range(steps):
            length += PRODUCT + 4 * (
                sketch.length[sketch.left[step]] + sketch.length[sketch.right[step]] + sketch.length[sketch.product[step]] + 2
            )
    program = np.zeros(length, np.int64)
    program[TABLES], program[LARGEST], program[IS_TOO_LARGE], program[ELIMINATED] = tables, largest, is_too_large, eliminated
    program[MULTIPLICATIONS] = np.int64(min(sketch.cost[0], MOST))
    at = HEADER
    program[SCOPES] = at
    for table in range(tables):
        program[at + table] = sketch.begin[table]
    program[at + tables] = sketch.made[2]
    for k in range(sketch.made[2]):
        program[at + tables + 1 + k] = pool[k]
    at += tables + 1 + sketch.made[2]
    program[AXES] = at
    program[AXIS_COUNT] = axes
    for p in range(axes):
        program[at + p], program[at + axes + p] = small.nodes[variable[p]], np.int64(states[p])
    at += 2 * axes
    if is_too_large:
        program[ARENA] = np.int64(min(whole, MOST * 4))
        return program[:at]
    offset, program[ARENA], program[OUT] = placed(sketch, is_out, keeps_all)
    program[ROOTS] = at
    program[at] = len(scalars)
    for k in range(len(scalars)):
        program[at + 1 + 2 * k], program[at + 2 + 2 * k] = scalars[k], offset[scalars[k]]
    at += 1 + 2 * len(scalars)
    program[LEAVES] = at
    program[at] = leaves
    for f in range(leaves):
        program[at + 1 + f] = factors.source[f]
    at += 1 + leaves
    program[OUTS] = at
    at += 1
    for table in range(tables):
        if is_out[table]:
            first = pool[sketch.begin[table]] if sketch.length[table] else -1
            program[at] = small.nodes[variable[first]] if first >= 0 else -1
            program[at + 1], program[at + 2] = offset[table], np.int64(sketch.size[table])
            program[program[OUTS]] += 1
            at += 3
    program[NORMALIZER] = offset[total] if total >= 0 else -1
    program[FIRST_STEP] = at
    is_loaded = np.zeros(tables, np.uint8)
    axis = np.full(len(small.nodes), -1, np.int64)
    for p in range(axes):
        axis[variable[p]] = p
    for step in range(steps):
        left, right, product = sketch.left[step], sketch.right[step], sketch.product[step]
        for k in range(2):
            table = right if k else left
            if 0 < table <= leaves and not is_loaded[table]:
                is_loaded[table] = 1
                at = _write_load(program, at, table, offset[table], sketch, small, card, factors, roles, evidence, axis)
                program[STEPS] += 1
        program[at], program[at + 2], program[at + 3], program[at + 4] = MULTIPLY, left, right, product
        program[at + 5], program[at + 6], program[at + 7] = offset[left], offset[right], offset[product]
        program[at + 8], program[at + 9], program[at + 10] = is_out[product], np.int64(sketch.size[product]), sketch.turn[step]
        program[at + 13] = np.int64(sketch.size[right])
        end, program[at + 11], program[at + 12] = _loops(sketch, pool, states, left, right, product, program, at + PRODUCT)
        program[at + 1] = end - at
        at = end
        program[STEPS] += 1
    return program[:at]


@part
def _write_load(program, at, table, offset, sketch, small, card, factors, roles, evidence, axis):
    """Load a factor: its numbers from the source, observed axes fixed, the others in the program's order."""
    f = table - 1
    v = factors.owner[f]
    program[at], program[at + 2], program[at + 3], program[at + 4] = LOAD, table, factors.source[f], offset
    program[at + 5] = np.int64(sketch.size[table])
    free, fixed = 0, 0
    end = at + 8
    members = 1
    if factors.source[f] >= 0:
        members += small.parent_start[v + 1] - small.parent_start[v]
    stride = 1
    place = np.empty(members, np.int64)
    apart, length = np.empty(members, np.int64), np.empty(members, np.int64)
    for k in range(members):  # the variable itself is the last axis of its table, the last parent the one before
        u = v if k == 0 else small.parents[small.parent_start[v + 1] - k]
        if roles[u] == OBSERVED:
            program[end], program[end + 1] = evidence[u], stride
            end += 2
            fixed += 1
        else:
            place[free], apart[free], length[free] = axis[u], stride, card[u]
            free += 1
        stride *= card[u]
    for k in range(free):  # in the order of the axes
        least = k
        for other in range(k + 1, free):
            if place[other] < place[least]:
                least = other
        program[end], program[end + 1] = length[least], apart[least]
        end += 2
        place[least], apart[least], length[least] = place[k], apart[k], length[k]
    program[at + 6], program[at + 7] = fixed, free
    program[at + 1] = end - at
    return end
