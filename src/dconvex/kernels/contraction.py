"""Executing a program: loading tables and multiplying them, in plain numbers, with scaling, or in logarithms.

Plain numbers are taken where the product of the smallest positive entries of all tables stays far above the smallest
float, so that nothing that is positive can become zero. Otherwise every table is scaled by a power of two, which is exact,
and the smallest positive entries are watched; where even that could lose one, logarithms are taken.
"""

from __future__ import annotations

import numpy as np

from dconvex.kernels.compiling import kernel, part
from dconvex.kernels.programs import (
    AXES,
    AXIS_COUNT,
    FIRST_STEP,
    LEAVES,
    LOAD,
    NORMALIZER,
    OUTS,
    PRODUCT,
    ROOTS,
    STEPS,
    TABLES,
)

PLAIN, SCALED, LOGARITHMS = 0, 1, 2
FINE, IMPOSSIBLE, NEEDS_LOGARITHMS, NEEDS_TABLES = 0, 1, 2, 3
RAW, JOINT, EACH, ROWS = 0, 1, 2, 3
"""What to do with results: leave them as they come, normalise the one, each, or each row of one (uniform where it is zero)."""
FLOOR = -1000.0
"""Products whose binary logarithm stays above this are safe from becoming zero."""
SMALL = 2.0**-200


@part
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


@kernel
def execute(
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
    log_sum,
):
    """Run the program for each row of evidence: `ended` gets a status and the arithmetic, `log_sum` the sum's logarithm."""
    mode = safe_mode(program, floor, likelihood_floor)
    if mode < 0:
        ended[:, 0] = NEEDS_TABLES
        return
    if uses_logs:
        mode = LOGARITHMS
    for row in range(len(rows)):
        ended[row, 1] = mode
        ended[row, 0], log_sum[row] = run(
            program, values, table_at, rows[row], likelihoods, likelihood_at, mode, finish, arena, out[row]
        )
        if ended[row, 0] == NEEDS_LOGARITHMS:
            ended[row, 1] = LOGARITHMS
            ended[row, 0], log_sum[row] = run(
                program, values, table_at, rows[row], likelihoods, likelihood_at, LOGARITHMS, finish, arena, out[row]
            )


@part
def run(program, values, table_at, codes, likelihoods, likelihood_at, mode, finish, arena, out):
    arena[0] = 0.0 if mode == LOGARITHMS else 1.0
    tables = program[TABLES] if mode == SCALED else 0
    exponent, floor = np.zeros(tables, np.int64), np.zeros(tables)
    at = program[FIRST_STEP]
    steps = program[STEPS]
    total = 0.0
    scaled_by = 0
    for step in range(steps):
        record = program[at : at + program[at + 1]]
        at += program[at + 1]
        if record[0] == LOAD:
            _load(record, values, table_at, codes, likelihoods, likelihood_at, arena, mode)
            if mode == SCALED and not _watch(arena[record[4] : record[4] + record[5]], record[2], exponent, floor):
                return IMPOSSIBLE, -np.inf
            continue
        if step == steps - 1 and finish == JOINT and program[NORMALIZER] >= 0 and mode != LOGARITHMS:
            total = arena[program[NORMALIZER]]
            if not total > 0.0:
                return IMPOSSIBLE, -np.inf
            right = arena[record[6] : record[6] + record[13]]
            for k in range(len(right)):
                right[k] /= total
        if mode == LOGARITHMS:
            _multiply_logs(record, arena, out)
        else:
            multiply(record, arena, out if record[8] else arena)
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


@part
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


@part
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


@part
def _load(record, values, table_at, codes, likelihoods, likelihood_at, arena, mode):
    source, to, size, fixed, free = record[3], record[4], record[5], record[6], record[7]
    numbers = values if source >= 0 else likelihoods
    base = table_at[source] if source >= 0 else likelihood_at[-1 - source]
    for k in range(fixed):
        base += codes[record[8 + 2 * k]] * record[9 + 2 * k]
    loops = record[8 + 2 * fixed :]
    if free == 0:
        arena[to] = numbers[base]
    elif free == 1:
        for k in range(loops[0]):
            arena[to + k] = numbers[base + k * loops[1]]
    else:
        inner, stride = loops[2 * free - 2], loops[2 * free - 1]
        count = np.zeros(free - 1, np.int64)
        done = 0
        while done < size:
            for k in range(inner):
                arena[to + done + k] = numbers[base + k * stride]
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


@part
def multiply(record, arena, out):
    """c[...] = sum of a[...] * b[...] over the axes that c does not have, in the loops of the record."""
    a, b, c = record[5], record[6], record[7]
    loops, summed = record[11] - 2, record[12]
    loop = record[PRODUCT:]
    count = np.zeros(loops, np.int64)
    is_first = True
    while True:
        _inner_loops(loop[4 * loops :], arena, a, b, out, c, is_first)
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


@part
def _inner_loops(loop, arena, a, b, out, c, is_first):
    """The two innermost loops; the innermost has strides of zero and one. The first time the product is set, then added to."""
    n, sa, sb, sc = loop[4], loop[5], loop[6], loop[7]
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
        a += loop[1]
        b += loop[2]
        c += loop[3]


@part
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


@part
def _multiply_logs(record, arena, out):
    """The same in logarithms: the maximum, or the logarithm of the sum of exponentials."""
    is_sum = record[10] != 1
    target = out if record[8] else arena
    c, size = record[7], record[9]
    for k in range(size):
        target[c + k] = -np.inf
    _sweep_logs(record, arena, target, target, c, False)
    if not is_sum or record[12] + (record[PRODUCT + 4 * (record[11] - 1) + 3] == 0) == 0:
        return
    total = np.zeros(size)
    _sweep_logs(record, arena, target, total, 0, True)
    for k in range(size):
        if total[k] > 0.0:
            target[c + k] += np.log(total[k])


@part
def _sweep_logs(record, arena, highest, result, at, adds):
    """For each cell the maximum of a + b, or the sum of exp(a + b - maximum); `at` is where the result begins."""
    a, b, c = record[5], record[6], record[7]
    first = c
    loops = record[11]
    loop = record[PRODUCT:]
    count = np.zeros(loops, np.int64)
    while True:
        value = arena[a] + arena[b]
        if adds:
            if value > -np.inf:
                result[at + c - first] += np.exp(value - highest[c])
        elif value > result[at + c - first]:
            result[at + c - first] = value
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
