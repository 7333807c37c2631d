"""Executing a program: loading tables and multiplying them, in plain numbers, with scaling, or in logarithms.

Plain numbers are taken where the product of the smallest positive entries of all tables stays far above the smallest
float, so that nothing that is positive can become zero. Otherwise every table is scaled by a power of two, which is exact,
and the smallest positive entries are watched; where even that could lose one, logarithms are taken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dconvex.kernels.compiling import bare_kernel, bare_part
from dconvex.kernels.programs import (
    ARENA,
    AXES,
    AXIS_COUNT,
    FIRST_STEP,
    LEAVES,
    LOAD,
    LOADED,
    NORMALIZER,
    OUT,
    OUTS,
    PRODUCT,
    ROOTS,
    STEPS,
    SUM,
    TABLES,
)
from dconvex.kernels.room import FLOATS, LONGS, filled, floats, whole_room
from dconvex.kernels.walks import Longs

Floats = NDArray[np.float64]

PLAIN, SCALED, LOGARITHMS = 0, 1, 2
FINE, IMPOSSIBLE, NEEDS_LOGARITHMS, NEEDS_TABLES = 0, 1, 2, 3
STATUS, ARITHMETIC, LOG_SUM = 0, 1, 2
"""What is told about each row of evidence, in this order."""
RAW, JOINT, EACH, ROWS = 0, 1, 2, 3
"""What to do with results: leave them as they come, normalise the one, each, or each row of one (uniform where it is zero)."""
FLOOR = -1000.0
"""Products whose binary logarithm stays above this are safe from becoming zero."""
SMALL = 2.0**-200


@bare_part
def safe_mode(program, floor, likelihood_floor):
    """Plain numbers where no product of positive entries comes near the smallest float; -1 where a table is not there yet."""
    total = 0.0
    leaves = program[LEAVES]
    for k in range(program[leaves]):
        source = program[leaves + 1 + k]
        total += floor[source] if source >= 0 else likelihood_floor[-1 - source]
    if np.isnan(total):
        return -1
    return PLAIN if total > FLOOR else SCALED


@bare_kernel
def execute(
    memory,
    float_memory,
    program,
    values,
    table_at,
    floor,
    rows,
    likelihoods,
    likelihood_at,
    likelihood_floor,
    uses_logs,
    finish,
    arena,
    out,
    ended,
):
    """Run the program for each row of evidence: the status, the arithmetic and the logarithm of the sum of the last one.

    `out` gets the results of all rows, one after the other, and `ended` these three of each, where there is room in it. A small
    arena may be left to the kernel.
    """
    mode = safe_mode(program, floor, likelihood_floor)
    if uses_logs and mode >= 0:
        mode = LOGARITHMS
    status, arithmetic, log_sum = NEEDS_TABLES, mode, 0.0
    room = whole_room(memory, float_memory)
    own_arena = arena if len(arena) else floats(room, program[ARENA])
    long_mark, float_mark = room.top[LONGS], room.top[FLOATS]
    size = program[OUT]
    for row in range(len(rows)):
        arithmetic = mode
        while arithmetic >= 0:
            numbers = Numbers(values, table_at, rows[row], likelihoods, likelihood_at)
            status, log_sum = run(room, program, numbers, arithmetic, finish, own_arena, out[row * size : (row + 1) * size])
            room.top[LONGS], room.top[FLOATS] = long_mark, float_mark
            if status != NEEDS_LOGARITHMS:
                break
            arithmetic = LOGARITHMS
        if len(ended):
            ended[row, STATUS], ended[row, ARITHMETIC], ended[row, LOG_SUM] = status, arithmetic, log_sum
    return status, arithmetic, log_sum


class Numbers(NamedTuple):
    """What a program is run on: all tables, the states that were observed, and likelihoods."""

    values: Floats
    table_at: Longs
    codes: Longs
    likelihoods: Floats
    likelihood_at: Longs


@bare_part
def run(room, program, numbers, mode, finish, arena, out):
    arena[0] = 0.0 if mode == LOGARITHMS else 1.0
    tables = program[TABLES] if mode == SCALED else 0
    exponent, floor = filled(room, tables, 0), floats(room, tables)
    if mode == SCALED:
        floor[0] = 0.0
    count = filled(room, program[AXIS_COUNT] + 2, 0)
    at = program[FIRST_STEP]
    steps = program[STEPS]
    total = 0.0
    scaled_by = 0
    for step in range(steps):
        record = program[at : at + program[at + 1]]
        at += program[at + 1]
        if record[0] == LOAD:
            _load(record, numbers, arena, mode, count)
            if mode == SCALED and not _watch(arena[record[4] : record[4] + record[5]], record[2], exponent, floor):
                return IMPOSSIBLE, -np.inf
            continue
        if step == steps - 1 and finish == JOINT and program[NORMALIZER] >= 0 and mode != LOGARITHMS:
            total = arena[program[NORMALIZER]]
            if not total > 0.0:
                return IMPOSSIBLE, -np.inf
            if mode == SCALED:  # by what the answer is scaled, not by what the sum is
                total *= 2.0 ** (exponent[program[SUM]] - exponent[record[2]] - exponent[record[3]])
            right = arena[record[6] : record[6] + record[13]]
            for k in range(len(right)):
                right[k] /= total
        if mode == LOGARITHMS:
            _multiply_logs(record, arena, out if record[8] else arena, count)
        else:
            multiply(record, arena, out if record[8] else arena, count)
            if mode == SCALED:
                left, right_table, product = record[2], record[3], record[4]
                if floor[left] + floor[right_table] < FLOOR:
                    return NEEDS_LOGARITHMS, 0.0
                exponent[product] = exponent[left] + exponent[right_table]
                if record[8]:
                    scaled_by = exponent[product]
                elif not _watch(arena[record[7] : record[7] + record[9]], product, exponent, floor):
                    return IMPOSSIBLE, -np.inf
    return _finished(program, mode, finish, exponent, arena, out, total, scaled_by)


@bare_part
def _finished(program, mode, finish, exponent, arena, out, total, scaled_by):
    log_sum = 0.0
    root = program[ROOTS]
    for k in range(program[root]):
        scalar = arena[program[root + 2 + 2 * k]]
        if mode == LOGARITHMS:
            log_sum += scalar
        elif scalar > 0.0:
            log_sum += np.log(scalar)
        else:
            return IMPOSSIBLE, -np.inf
        if mode == SCALED:
            log_sum += exponent[program[root + 1 + 2 * k]] * np.log(2.0)
    if log_sum == -np.inf:
        return IMPOSSIBLE, -np.inf
    if finish == JOINT:
        log_sum += scaled_by * np.log(2.0)
        if total > 0.0:
            return FINE, log_sum + np.log(total)
        log_total = _normalize(out, mode)
        return (FINE if log_total > -np.inf else IMPOSSIBLE), log_sum + log_total
    if finish == EACH:
        outs = program[OUTS]
        for k in range(program[outs]):
            first, size = program[outs + 2 + 3 * k], program[outs + 3 + 3 * k]
            if _normalize(out[first : first + size], mode) == -np.inf:
                return IMPOSSIBLE, -np.inf
    if finish == ROWS:
        row = program[program[AXES] + 2 * program[AXIS_COUNT] - 1]
        for first in range(0, len(out), row):
            if _normalize(out[first : first + row], mode) == -np.inf:
                out[first : first + row] = 1.0 / row
    return FINE, log_sum


@bare_part
def _normalize(part, mode):
    """Divide by the sum; its logarithm."""
    if mode == LOGARITHMS:
        highest = -np.inf
        for k in range(len(part)):
            highest = max(highest, part[k])
        if highest == -np.inf:
            return -np.inf
        for k in range(len(part)):
            part[k] = np.exp(part[k] - highest)
    else:
        highest = 0.0
    total = 0.0
    for k in range(len(part)):
        total += part[k]
    if not total > 0.0:
        return -np.inf
    for k in range(len(part)):
        part[k] /= total
    return highest + np.log(total)


@bare_part
def _load(record, numbers, arena, mode, count):
    """Copy a table in the program's order of axes; `count` holds zeros, before and after."""
    source, to, size, fixed, free = record[3], record[4], record[5], record[6], record[7]
    values = numbers.values if source >= 0 else numbers.likelihoods
    base = numbers.table_at[source] if source >= 0 else numbers.likelihood_at[-1 - source]
    for k in range(fixed):
        base += numbers.codes[record[LOADED + 2 * k]] * record[LOADED + 1 + 2 * k]
    loops = record[LOADED + 2 * fixed :]
    if free == 0:
        arena[to] = values[base]
    elif free == 1:
        for k in range(loops[0]):
            arena[to + k] = values[base + k * loops[1]]
    else:
        inner, stride = loops[2 * free - 2], loops[2 * free - 1]
        done = 0
        while done < size:
            for k in range(inner):
                arena[to + done + k] = values[base + k * stride]
            done += inner
            axis = free - 2
            while axis >= 0:
                count[axis] += 1
                base += loops[2 * axis + 1]
                if count[axis] < loops[2 * axis]:
                    break
                base -= loops[2 * axis + 1] * loops[2 * axis]
                count[axis] = 0
                axis -= 1
    if mode == LOGARITHMS:
        for k in range(size):
            arena[to + k] = np.log(arena[to + k]) if arena[to + k] > 0.0 else -np.inf


@bare_part
def multiply(record, arena, out, count):
    """c[...] = sum of a[...] * b[...] over the axes that c does not have, in the loops of the record.

    `count` holds zeros, before and after. A sum of two terms that stands right outside the two innermost loops is taken in
    one go, so that the product is written once.
    """
    a, b, c = record[5], record[6], record[7]
    loops, summed = record[11] - 2, record[12]
    loop = record[PRODUCT:]
    inner = loop[4 * loops :]
    is_pair = summed > 0 and loop[4 * loops - 4] == 2 and inner[7] == 1
    if is_pair:
        loops -= 1
        summed -= 1
    further_a, further_b = loop[4 * loops + 1], loop[4 * loops + 2]
    is_first = True
    while True:
        if is_pair:
            _inner_pairs(inner, arena, a, b, further_a, further_b, out, c, is_first)
        else:
            _inner_loops(inner, arena, a, b, out, c, is_first)
        axis = loops - 1
        while axis >= 0:
            count[axis] += 1
            a += loop[4 * axis + 1]
            b += loop[4 * axis + 2]
            c += loop[4 * axis + 3]
            if count[axis] < loop[4 * axis]:
                break
            a -= loop[4 * axis + 1] * loop[4 * axis]
            b -= loop[4 * axis + 2] * loop[4 * axis]
            c -= loop[4 * axis + 3] * loop[4 * axis]
            count[axis] = 0
            axis -= 1
        if axis < 0:
            return
        is_first = axis < loops - summed


@bare_part
def _inner_loops(loop, arena, a, b, out, c, is_first):
    """The two innermost loops; the innermost has strides of zero and one. The first time the product is set, then added to.

    Indices are unsigned: with those that might be negative, loops would not be vectorised.
    """
    n, sa, sb, sc = np.uint64(loop[4]), loop[5], loop[6], loop[7]
    a, b, c = np.uint64(a), np.uint64(b), np.uint64(c)
    for _ in range(loop[0]):
        if sc == 0:
            total = 0.0
            if sa and sb:
                for k in range(n):
                    total += arena[a + k] * arena[b + k]
            elif sa:
                for k in range(n):
                    total += arena[a + k]
                total *= arena[b]
            else:
                for k in range(n):
                    total += arena[b + k]
                total *= arena[a]
            out[c] = total if is_first else out[c] + total
        elif sa and sb:
            if is_first:
                for k in range(n):
                    out[c + k] = arena[a + k] * arena[b + k]
            else:
                for k in range(n):
                    out[c + k] += arena[a + k] * arena[b + k]
        elif sa:
            y = arena[b]
            if is_first:
                for k in range(n):
                    out[c + k] = arena[a + k] * y
            else:
                for k in range(n):
                    out[c + k] += arena[a + k] * y
        else:
            x = arena[a] if sb else arena[a] * arena[b]
            if is_first:
                for k in range(n):
                    out[c + k] = x * arena[b + k] if sb else x
            else:
                for k in range(n):
                    out[c + k] += x * arena[b + k] if sb else x
        a += np.uint64(loop[1])
        b += np.uint64(loop[2])
        c += np.uint64(loop[3])


@bare_part
def _inner_pairs(loop, arena, a, b, further_a, further_b, out, c, is_first):
    """The two innermost loops for a sum of two terms, the second of which lies further on in both tables."""
    n, sa, sb = np.uint64(loop[4]), loop[5], loop[6]
    a, b, c = np.uint64(a), np.uint64(b), np.uint64(c)
    for _ in range(loop[0]):
        a2, b2 = a + np.uint64(further_a), b + np.uint64(further_b)
        x, x2, y, y2 = arena[a], arena[a2], arena[b], arena[b2]
        if sa and sb:
            if is_first:
                for k in range(n):
                    out[c + k] = arena[a + k] * arena[b + k] + arena[a2 + k] * arena[b2 + k]
            else:
                for k in range(n):
                    out[c + k] += arena[a + k] * arena[b + k] + arena[a2 + k] * arena[b2 + k]
        elif sa:
            if is_first:
                for k in range(n):
                    out[c + k] = arena[a + k] * y + arena[a2 + k] * y2
            else:
                for k in range(n):
                    out[c + k] += arena[a + k] * y + arena[a2 + k] * y2
        elif sb:
            if is_first:
                for k in range(n):
                    out[c + k] = x * arena[b + k] + x2 * arena[b2 + k]
            else:
                for k in range(n):
                    out[c + k] += x * arena[b + k] + x2 * arena[b2 + k]
        else:
            total = x * y + x2 * y2
            for k in range(n):
                out[c + k] = total if is_first else out[c + k] + total
        a += np.uint64(loop[1])
        b += np.uint64(loop[2])
        c += np.uint64(loop[3])


@bare_part
def _watch(table, number, exponent, floor):
    """Scale a table of small numbers by a power of two and note its smallest positive entry; whether there is any."""
    highest, lowest = 0.0, np.inf
    for k in range(len(table)):
        highest = max(highest, table[k])
        if 0.0 < table[k] < lowest:
            lowest = table[k]
    if highest == 0.0:
        return False
    if highest < SMALL:
        shift = np.int64(-np.floor(np.log2(highest)))
        shift = min(shift, 1000)
        factor = 2.0**shift
        for k in range(len(table)):
            table[k] *= factor
        lowest *= factor
        exponent[number] -= shift
    floor[number] = np.log2(lowest)
    return True


@bare_part
def _multiply_logs(record, arena, out, count):
    """The same in logarithms, cell by cell of the product: the maximum, or the logarithm of the sum of exponentials."""
    a, b, c = record[5], record[6], record[7]
    loops, is_sum = record[11], record[10] != 1
    loop = record[PRODUCT:]
    innermost, n, sa, sb = -1, 1, 0, 0
    for axis in range(loops):
        if loop[4 * axis + 3] == 0:
            innermost, n, sa, sb = axis, loop[4 * axis], loop[4 * axis + 1], loop[4 * axis + 2]
    has_cell = True
    while has_cell:
        highest, has_terms = -np.inf, True
        while has_terms:
            for k in range(n):
                highest = max(highest, arena[a + k * sa] + arena[b + k * sb])
            has_terms, a, b, c = _advanced(loop, innermost, True, count, a, b, c)
        if is_sum and innermost >= 0 and highest > -np.inf:
            total, has_terms = 0.0, True
            while has_terms:
                for k in range(n):
                    total += np.exp(arena[a + k * sa] + arena[b + k * sb] - highest)
                has_terms, a, b, c = _advanced(loop, innermost, True, count, a, b, c)
            highest += np.log(total)
        out[c] = highest
        has_cell, a, b, c = _advanced(loop, loops, False, count, a, b, c)


@bare_part
def _advanced(loop, loops, is_summed, count, a, b, c):
    """One round on in the first so many loops, of those that sum or of the others: whether there is one, and where it is."""
    for axis in range(loops - 1, -1, -1):
        if (loop[4 * axis + 3] == 0) == is_summed:
            count[axis] += 1
            a += loop[4 * axis + 1]
            b += loop[4 * axis + 2]
            c += loop[4 * axis + 3]
            if count[axis] < loop[4 * axis]:
                return True, a, b, c
            a -= loop[4 * axis + 1] * loop[4 * axis]
            b -= loop[4 * axis + 2] * loop[4 * axis]
            c -= loop[4 * axis + 3] * loop[4 * axis]
            count[axis] = 0
    return False, a, b, c
