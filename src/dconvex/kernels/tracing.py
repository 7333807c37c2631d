"""Back through the steps of a program: the states of what was eliminated, by the largest weight or at random."""

from __future__ import annotations

import numpy as np

from dconvex.kernels.compiling import kernel, part
from dconvex.kernels.programs import AXES, AXIS_COUNT, FIRST_STEP, LOAD, SCOPES, STEPS, TABLES


@kernel
def trace(program, arena, is_log, is_random, seed, state):
    """Go back through a program that was run and kept all its tables: the states of all its axes, for each row of `state`."""
    rows = len(state)
    steps = program[STEPS]
    where = np.empty(steps, np.int64)
    at = program[FIRST_STEP]
    for step in range(steps):
        where[step] = at
        at += program[at + 1]
    for step in range(steps - 1, -1, -1):
        record = program[where[step] : where[step] + program[where[step] + 1]]
        if record[0] != LOAD:
            _choose(program, record, arena, is_log, is_random, seed + np.uint64(step) * np.uint64(rows), state)


@part
def _choose(program, record, arena, is_log, is_random, seed, state):
    """The states of the axes that a step summed out, given those of its product."""
    fixed, summed = _step_axes(program, record[2], record[3], record[4])
    if len(summed) == 0:
        return
    cells = 1
    for k in range(len(summed)):
        cells *= summed[k, 3]
    weight = np.empty(cells)
    for row in range(len(state)):
        a, b = record[5], record[6]
        for k in range(len(fixed)):
            a += state[row, fixed[k, 0]] * fixed[k, 1]
            b += state[row, fixed[k, 0]] * fixed[k, 2]
        _weigh(summed, a, b, arena, is_log, weight)
        cell = _drawn(weight, is_log, _uniform(seed + np.uint64(row))) if is_random else np.argmax(weight)
        for k in range(len(summed) - 1, -1, -1):
            state[row, summed[k, 0]] = cell % summed[k, 3]
            cell //= summed[k, 3]


@part
def _step_axes(program, left, right, product):
    """Axes of the two factors with their strides in each: those that the product has, and those that it has not."""
    tables, axes = program[TABLES], program[AXIS_COUNT]
    begin = program[program[SCOPES] : program[SCOPES] + tables + 1]
    pool = program[program[SCOPES] + tables + 1 : program[AXES]]
    states = program[program[AXES] + axes : program[AXES] + 2 * axes]
    a, b = pool[begin[left] : begin[left + 1]], pool[begin[right] : begin[right + 1]]
    c = pool[begin[product] : begin[product + 1]]
    fixed, summed = np.empty((len(a) + len(b), 4), np.int64), np.empty((len(a) + len(b), 4), np.int64)
    n_fixed, n_summed = 0, 0
    i, j, k = len(a) - 1, len(b) - 1, len(c) - 1
    step_a, step_b = 1, 1
    while i >= 0 or j >= 0:
        p = max(a[i] if i >= 0 else -1, b[j] if j >= 0 else -1)
        in_a, in_b = i >= 0 and a[i] == p, j >= 0 and b[j] == p
        while k >= 0 and c[k] > p:
            k -= 1
        if k >= 0 and c[k] == p:
            fixed[n_fixed, 0], fixed[n_fixed, 1], fixed[n_fixed, 2] = p, step_a * in_a, step_b * in_b
            n_fixed += 1
        else:
            summed[n_summed, 0], summed[n_summed, 1], summed[n_summed, 2] = p, step_a * in_a, step_b * in_b
            summed[n_summed, 3] = states[p]
            n_summed += 1
        if in_a:
            i -= 1
            step_a *= states[p]
        if in_b:
            j -= 1
            step_b *= states[p]
    return fixed[:n_fixed], summed[:n_summed]


@part
def _weigh(summed, a, b, arena, is_log, weight):
    """The product of the two factors in each joint state of the summed axes, the last axis fastest."""
    axes = len(summed)
    count = np.zeros(axes, np.int64)
    for cell in range(len(weight)):
        weight[cell] = arena[a] + arena[b] if is_log else arena[a] * arena[b]
        axis = axes - 1
        while axis >= 0:
            count[axis] += 1
            a += summed[axis, 1]
            b += summed[axis, 2]
            if count[axis] < summed[axis, 3]:
                break
            a -= summed[axis, 1] * summed[axis, 3]
            b -= summed[axis, 2] * summed[axis, 3]
            count[axis] = 0
            axis -= 1


@part
def _drawn(weight, is_log, uniform):
    """A cell at random by weight, never one of weight zero."""
    highest = weight.max()
    total = 0.0
    for k in range(len(weight)):
        if is_log:
            weight[k] = np.exp(weight[k] - highest)
        total += weight[k]
    left = uniform * total
    chosen = -1
    for k in range(len(weight)):
        if weight[k] > 0.0:
            chosen = k
            left -= weight[k]
            if left < 0.0:
                break
    return chosen


@part
def _uniform(number):
    """A number in [0, 1) from a counter (SplitMix64)."""
    mixed = number * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed = mixed ^ (mixed >> np.uint64(31))
    return np.float64(mixed >> np.uint64(11)) * 2.0**-53
