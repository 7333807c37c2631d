"""Which tables a question multiplies, pair by pair, and what each product sums out: a program before it is written down.

Every table has its axes in one order, that in which variables are eliminated and then those asked for; so the loops of a
multiplication fuse to a few long ones, and a variable that is summed out is an outer axis. The derivative of the sum with
respect to each table, by the chain rule backwards through the same steps, gives the marginals of all variables without a
division.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dconvex.kernels.compiling import bare_part
from dconvex.kernels.room import POOL, filled, floats, longs, need, sort
from dconvex.kernels.walks import Longs

LONG_END, LONG_ENOUGH, SPARING = 64, 32, 4
"""The innermost loop over a large answer should have so many rounds; with so many it is left alone.

What is written to make it longer should be so many times smaller than the answer.
"""
MANY_TABLES = 40
"""Up to so many tables with one variable the best pair is multiplied first; of more, neighbours are."""
TABLES_MADE, STEPS_MADE, POOL_END, POOL_BEGIN = range(4)
"""Places in `Sketch.made`."""


class Sketch(NamedTuple):
    """Tables and steps before they get places in memory; the axes of table t are `pool[begin[t] : begin[t] + length[t]]`."""

    pool: Longs
    made: Longs
    """Numbers of tables and of steps, where the scopes in the pool end, and where they begin."""
    begin: Longs
    length: Longs
    size: NDArray[np.float64]
    width: NDArray[np.float64]
    """The logarithm (base 2) of the size."""
    signature: Longs
    """A bit for each axis, modulo 64: tables without a common bit have no common axis."""
    left: Longs
    right: Longs
    product: Longs
    turn: Longs
    cost: NDArray[np.float64]
    """One entry: multiplications so far."""
    used_by: Longs
    """For each table the step that multiplies it, or -1."""


class Axes(NamedTuple):
    """One order for the axes of all tables: first those that are eliminated, in that order, then those asked for."""

    variable: Longs
    states: NDArray[np.float64]
    width: NDArray[np.float64]
    """Logarithms (base 2) of the numbers of states."""
    turn: Longs
    held: Longs
    """How many tables hold an axis at present."""
    wide: NDArray[np.float64]
    """Room for the width of the union of each pair of tables that are multiplied next."""
    eliminated: int


@bare_part
def _new_sketch(room, leaves, axes, is_large):
    tables = 2 * leaves + axes + 24
    if is_large:
        tables = 3 * tables + 2 * axes
    made = filled(room, 4, room.top[POOL])
    made[TABLES_MADE] = made[STEPS_MADE] = 0
    cost = floats(room, 1)
    cost[0] = 0.0
    return Sketch(
        room.pool, made, longs(room, tables), longs(room, tables), floats(room, tables), floats(room, tables),
        longs(room, tables), longs(room, tables), longs(room, tables), longs(room, tables), longs(room, tables),
        cost, filled(room, tables, -1),
    )  # fmt: skip


@bare_part
def _close_table(sketch, used, axes):
    """Number the table whose scope ends at `used` in the pool."""
    table, first = sketch.made[TABLES_MADE], sketch.made[POOL_END]
    sketch.begin[table], sketch.length[table] = first, used - first
    size, width, signature = 1.0, 0.0, 0
    for k in range(first, used):
        p = sketch.pool[k]
        size *= axes.states[p]
        width += axes.width[p]
        signature |= 1 << (p & 63)
    sketch.size[table], sketch.width[table], sketch.signature[table] = size, width, signature
    sketch.made[TABLES_MADE] += 1
    sketch.made[POOL_END] = used
    return table


@bare_part
def _close_step(sketch, left, right, product, turn, cost):
    step = sketch.made[STEPS_MADE]
    sketch.left[step], sketch.right[step], sketch.product[step], sketch.turn[step] = left, right, product, turn
    sketch.used_by[left] = step
    sketch.used_by[right] = step
    sketch.made[STEPS_MADE] += 1
    sketch.cost[0] += cost


@bare_part
def _multiply(room, sketch, left, right, axes, now):
    """A step that multiplies two tables and sums out what no other table holds, of the variables whose turn it is."""
    pool = sketch.pool
    a, a_end = sketch.begin[left], sketch.begin[left] + sketch.length[left]
    b, b_end = sketch.begin[right], sketch.begin[right] + sketch.length[right]
    used = sketch.made[POOL_END]
    need(room, used, a_end - a + b_end - b)
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
        cost *= axes.states[p]
        if axes.turn[p] == now and axes.held[p] == times:
            axes.held[p] = 0
        else:
            axes.held[p] += 1 - times
            pool[used] = p
            used += 1
    product = _close_table(sketch, used, axes)
    _close_step(sketch, left, right, product, now, cost)
    return product


@bare_part
def _union_width(sketch, one, other, width):
    total = sketch.width[one] + sketch.width[other]
    if sketch.signature[one] & sketch.signature[other] == 0:
        return total
    pool = sketch.pool
    a, a_end = sketch.begin[one], sketch.begin[one] + sketch.length[one]
    b, b_end = sketch.begin[other], sketch.begin[other] + sketch.length[other]
    while a < a_end and b < b_end:
        if pool[a] < pool[b]:
            a += 1
        elif pool[b] < pool[a]:
            b += 1
        else:
            total -= width[pool[a]]
            a += 1
            b += 1
    return total


@bare_part
def _multiply_down_to(room, sketch, work, many, enough, axes, now):
    """Multiply the tables in `work` pairwise, the least product first, until so many are left; they stand in `work`."""
    if many <= enough:
        return many
    for k in range(many):  # by their last axes
        table = work[k]
        last = sketch.pool[sketch.begin[table] + sketch.length[table] - 1] if sketch.length[table] else -1
        work[k] = ((last + 1) << 32) | table
    sort(work[:many])
    for k in range(many):
        work[k] &= 0xFFFFFFFF
    while many > MANY_TABLES:
        half = 0
        for k in range(0, many - 1, 2):
            work[half] = _multiply(room, sketch, work[k], work[k + 1], axes, now)
            half += 1
        if many % 2:
            work[half] = work[many - 1]
            half += 1
        many = half
    wide, row = axes.wide, MANY_TABLES
    for i in range(many):
        for j in range(i + 1, many):
            wide[i * row + j] = _union_width(sketch, work[i], work[j], axes.width)
    while many > enough:
        first, second = _narrowest(wide, row, many)
        work[first] = _multiply(room, sketch, work[first], work[second], axes, now)
        many -= 1
        for k in range(second, many):
            work[k] = work[k + 1]
        for i in range(many):
            for j in range(i + 1, many):
                if i != first and j != first:
                    wide[i * row + j] = wide[(i + (i >= second)) * row + j + (j >= second)]
        for i in range(first):
            wide[i * row + first] = _union_width(sketch, work[i], work[first], axes.width)
        for j in range(first + 1, many):
            wide[first * row + j] = _union_width(sketch, work[first], work[j], axes.width)
    return many


@bare_part
def _narrowest(wide, row, many):
    """The pair of tables whose union is least, among equals the one that stands closest."""
    first, second = 0, 1
    for i in range(many):
        for j in range(i + 1, many):
            gain = wide[first * row + second] - wide[i * row + j]
            if gain > 1e-9 or (gain > -1e-9 and j - i < second - first):
                first, second = i, j
    return first, second


@bare_part
def sketched(room, factors, axes, place, is_large):
    """The steps that leave one table over the axes that are not eliminated; `place` gives each variable its axis.

    Returns the sketch, the scalars left over, and the table with the answer.
    """
    leaves, count = len(factors.source), len(axes.states)
    sketch = _new_sketch(room, leaves, count, is_large)
    head, following = filled(room, count + 1, -1), filled(room, len(sketch.begin), -1)
    scalars, work = longs(room, leaves + count + 1), longs(room, leaves + 1)
    one = _close_table(sketch, sketch.made[POOL_END], axes)
    many = 0
    for f in range(leaves):
        table = _leaf(room, sketch, factors, f, axes, place)
        if sketch.length[table]:
            many = _put_aside(sketch, table, head, following, scalars, many)
    for f in range(leaves):  # all observed: a number, which a step takes along
        if sketch.length[1 + f] == 0:
            table = _multiply(room, sketch, 1 + f, one, axes, -2)
            many = _put_aside(sketch, table, head, following, scalars, many)
    for p in range(axes.eliminated):
        waiting = _filed_under(p, head, following, work)
        if waiting:
            waiting = _multiply_down_to(room, sketch, work, waiting, 2, axes, axes.turn[p])
            other = work[1] if waiting == 2 else one
            table = _multiply(room, sketch, work[0], other, axes, axes.turn[p])
            many = _put_aside(sketch, table, head, following, scalars, many)
    waiting = 0
    for p in range(axes.eliminated, count):
        waiting += _filed_under(p, head, following, work[waiting:])
    waiting = _multiply_down_to(room, sketch, work, waiting, 2, axes, -2)
    answer = _answer(room, sketch, axes, work, waiting, leaves, one)
    room.top[POOL] = sketch.made[POOL_END]
    return sketch, scalars[:many], answer


@bare_part
def _leaf(room, sketch, factors, f, axes, place):
    """The table of a factor."""
    first = sketch.made[POOL_END]
    used = first
    need(room, used, factors.scope_start[f + 1] - factors.scope_start[f])
    for k in range(factors.scope_start[f], factors.scope_start[f + 1]):
        p = place[factors.scope[k]]
        axes.held[p] += 1
        sketch.pool[used] = p
        used += 1
    sort(sketch.pool[first:used])
    return _close_table(sketch, used, axes)


@bare_part
def _answer(room, sketch, axes, work, waiting, leaves, one):
    """The table with the answer, made by the last step: of the tables that are left, two at most."""
    count = len(axes.states) - axes.eliminated
    if waiting == 1 and sketch.length[work[0]] == count and work[0] > leaves:
        _move_to_end(sketch, work[0])
        return work[0]
    used = sketch.made[POOL_END]
    need(room, used, count)
    cost = 1.0
    for p in range(axes.eliminated, len(axes.states)):
        sketch.pool[used] = p
        used += 1
        cost *= axes.states[p]
    answer = _close_table(sketch, used, axes)
    left, right = work[0] if waiting else one, work[1] if waiting == 2 else one
    _close_step(sketch, left, right, answer, -1, cost)
    return answer


@bare_part
def _move_to_end(sketch, answer):
    """Let the step that makes the answer be the last one; no other uses it."""
    steps = sketch.made[STEPS_MADE]
    step = 0
    while sketch.product[step] != answer:
        step += 1
    left, right, turn = sketch.left[step], sketch.right[step], sketch.turn[step]
    for k in range(step, steps - 1):
        sketch.left[k], sketch.right[k] = sketch.left[k + 1], sketch.right[k + 1]
        sketch.product[k], sketch.turn[k] = sketch.product[k + 1], sketch.turn[k + 1]
    sketch.left[steps - 1], sketch.right[steps - 1] = left, right
    sketch.product[steps - 1], sketch.turn[steps - 1] = answer, turn


@bare_part
def _put_aside(sketch, table, head, following, scalars, count):
    """File a table under its first axis, or among the scalars; how many of these there are."""
    if sketch.length[table] == 0:
        scalars[count] = table
        return count + 1
    first = sketch.pool[sketch.begin[table]]
    following[table] = head[first]
    head[first] = table
    return count


@bare_part
def _filed_under(p, head, following, work):
    """Write down the tables whose first axis is p; how many."""
    many = 0
    table = head[p]
    while table >= 0:
        work[many] = table
        many += 1
        table = following[table]
    return many


@bare_part
def _restricted_step(room, sketch, left, right, within, axes):
    """A step that multiplies two tables and keeps of their axes those of a third."""
    pool = sketch.pool
    a, a_end = sketch.begin[left], sketch.begin[left] + sketch.length[left]
    b, b_end = sketch.begin[right], sketch.begin[right] + sketch.length[right]
    c, c_end = sketch.begin[within], sketch.begin[within] + sketch.length[within]
    used = sketch.made[POOL_END]
    need(room, used, c_end - c)
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
        cost *= axes.states[p]
        while c < c_end and pool[c] < p:
            c += 1
        if c < c_end and pool[c] == p:
            pool[used] = p
            used += 1
    product = _close_table(sketch, used, axes)
    _close_step(sketch, left, right, product, 0, cost)
    return product


@bare_part
def normalized_early(room, sketch, axes, one):
    """Put the sum of the answer before its last step; the table with the sum (the answer's step comes last again)."""
    sketch.made[STEPS_MADE] -= 1
    step = sketch.made[STEPS_MADE]
    left, right, answer, turn = sketch.left[step], sketch.right[step], sketch.product[step], sketch.turn[step]
    if right == one:
        total = _restricted_step(room, sketch, left, one, one, axes)
    else:
        of_left = _restricted_step(room, sketch, left, one, right, axes)
        of_right = _restricted_step(room, sketch, right, one, left, axes)
        total = _restricted_step(room, sketch, of_left, of_right, one, axes)
        left, right = _with_long_ends(room, sketch, left, right, answer, axes, one)
    _close_step(sketch, left, right, answer, turn, 0.0)
    return total


@bare_part
def _with_long_ends(room, sketch, left, right, answer, axes, one):
    """The two tables with all the last axes of the answer, where these alternate between them: long loops run faster."""
    pool = sketch.pool
    end = sketch.begin[answer] + sketch.length[answer]
    run, first, kind = 1.0, end, -1  # how long the innermost loop is as it stands
    size_left, size_right = sketch.size[left], sketch.size[right]
    block = 1.0
    for at in range(end - 1, sketch.begin[answer] - 1, -1):
        p = pool[at]
        in_left, in_right = _holds(sketch, left, p), _holds(sketch, right, p)
        if kind < 0 or in_left + 2 * in_right == kind:
            run *= axes.states[p]
            kind = in_left + 2 * in_right
        else:
            kind = 4
        size_left *= 1.0 if in_left else axes.states[p]
        size_right *= 1.0 if in_right else axes.states[p]
        if block >= LONG_END or SPARING * max(size_left, size_right) > sketch.size[answer]:
            break
        block *= axes.states[p]
        first = at
    if run >= LONG_ENOUGH or block < 2.0 * run:
        return left, right
    return (
        _expanded(room, sketch, left, first, end, axes, one),
        _expanded(room, sketch, right, first, end, axes, one),
    )


@bare_part
def _holds(sketch, table, p):
    for k in range(sketch.begin[table], sketch.begin[table] + sketch.length[table]):
        if sketch.pool[k] == p:
            return 1
    return 0


@bare_part
def _expanded(room, sketch, table, first, end, axes, one):
    """A step that repeats a table along those of the axes pool[first:end] that it lacks; they come after all its others."""
    pool = sketch.pool
    used = sketch.made[POOL_END]
    need(room, used, sketch.length[table] + end - first)
    for k in range(sketch.begin[table], sketch.begin[table] + sketch.length[table]):
        if pool[k] < pool[first]:
            pool[used] = pool[k]
            used += 1
    for k in range(first, end):
        pool[used] = pool[k]
        used += 1
    longer = _close_table(sketch, used, axes)
    _close_step(sketch, table, one, longer, -1, sketch.size[longer])
    return longer


@bare_part
def differentiated(room, sketch, axes, one, leaves, wanted, is_out):
    """Steps that go back through all others and end in a table for each wanted axis, flagged as results.

    The steps so far must leave scalars only, but for the last, which makes the answer over no axes and is taken back.
    """
    sketch.made[STEPS_MADE] -= 1
    forward, tables = sketch.made[STEPS_MADE], sketch.made[TABLES_MADE] - 1
    sketch.used_by[one] = -1
    home = filled(room, len(axes.states), -1)
    _find_homes(room, sketch, one, leaves, wanted, home)
    is_needed, derivative = filled(room, tables + 1, 0), filled(room, tables + 1, -1)
    for p in range(len(axes.states)):
        table = home[p]
        while table >= 0 and not is_needed[table]:
            is_needed[table] = 1
            step = sketch.used_by[table]
            table = sketch.product[step] if 0 <= step < forward else -1
    for step in range(forward - 1, -1, -1):
        left, right, product = sketch.left[step], sketch.right[step], sketch.product[step]
        if not is_needed[left] and not is_needed[right]:
            continue
        outer = derivative[product] if derivative[product] >= 0 else one  # a scalar that nothing uses: the end of a part
        if right == one:
            derivative[left] = outer
            continue
        if is_needed[left]:
            derivative[left] = _restricted_step(room, sketch, outer, right, left, axes)
        if is_needed[right]:
            derivative[right] = _restricted_step(room, sketch, outer, left, right, axes)
    for p in range(len(axes.states)):
        if home[p] >= 0:
            used = sketch.made[POOL_END]
            need(room, used, 1)
            sketch.pool[used] = p
            single = _close_table(sketch, used + 1, axes)
            is_out[_restricted_step(room, sketch, home[p], derivative[home[p]], single, axes)] = 1
    room.top[POOL] = sketch.made[POOL_END]


@bare_part
def _find_homes(room, sketch, one, leaves, wanted, home):
    """For each wanted axis the table from which its marginal comes most cheaply."""
    forward, tables = sketch.made[STEPS_MADE], sketch.made[TABLES_MADE] - 1
    price = floats(room, len(home))
    for table in range(1, tables):
        step = sketch.used_by[table]
        worth = sketch.size[table]
        if step < 0 or step >= forward:
            continue
        if table <= leaves and sketch.right[step] != one:
            worth = 2.0 * max(sketch.size[sketch.left[step]], sketch.size[sketch.right[step]])
        for k in range(sketch.begin[table], sketch.begin[table] + sketch.length[table]):
            p = sketch.pool[k]
            if wanted[p] and (home[p] < 0 or worth <= price[p]):
                home[p], price[p] = table, worth
