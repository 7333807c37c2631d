"""Counting families: cells of tables, and sums and products of deviations, each family from its own columns.

Columns lie one after the other, a row of the matrix each; a family takes those rows in which none of its cells is missing.
"""

from __future__ import annotations

import numpy as np

from dconvex.kernels.compiling import kernel, part

BLOCK = 2048
"""Rows at a time: the cells of a block stay in the processor's cache."""
LANES = 4
"""Rows that come one after the other are counted in different copies of a small table, so that none waits for the last."""
SMALL = 1024
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2**64 over the golden ratio: multiplied by it, numbers that are close come apart."""


@kernel
def translate(values, keys, codes, out, first):
    """Write the code of each value from `first` on, found by hashing; where one is not there yet, its place, else -1.

    `keys` and `codes` are the slots of the hash table, a power of two of them; a code below -1 is a free slot.
    """
    mask = np.uint64(len(keys) - 1)
    for row in range(first, len(values)):
        value = values[row]
        slot = _slot(value, mask)
        while codes[slot] >= -1 and keys[slot] != value:
            slot = (slot + np.uint64(1)) & mask
        if codes[slot] < -1:
            return row
        out[row] = codes[slot]
    return -1


@kernel
def insert(keys, codes, value, code):
    """Put a value into a hash table that has room for it."""
    mask = np.uint64(len(keys) - 1)
    slot = _slot(value, mask)
    while codes[slot] >= -1:
        slot = (slot + np.uint64(1)) & mask
    keys[slot], codes[slot] = value, code


@part
def _slot(value, mask):
    """Unsigned, as all numbers that hot loops look up: for others Numba asks whether they count from an array's end."""
    return ((np.uint64(value) * GOLDEN) >> np.uint64(40)) & mask


@kernel
def translate_texts(offsets, text, slots, known, out, first, code, begin):
    """Write the code of each text from `first` on; where one is not there yet, its place, else -1.

    Text `row` is `text[offsets[row]:offsets[row + 1]]`, with at least 16 bytes before it. Text `first` is put into the hash
    table if its code is at least -1, and a copy of it into `known[begin:]`. The slots of the table, a power of two of them, are
    records: `code`; `size`, one more than the length of the text, 0 if the slot is free; `low`, the last eight bytes of the
    text; `high`, the eight before, or a hash of all before if there are more; `end`, where its copy ends.
    """
    mask = np.uint64(len(slots) - 1)
    for place in range(first, len(offsets) - 1):
        row = np.uint64(place)
        last = offsets[row + np.uint64(1)]
        length = last - offsets[row]
        low = _word(text, last, min(length, 8))
        high = _word(text, last - 8, min(max(length - 8, 0), 8))
        for done in range(16, length, 8):
            high = (high ^ (high >> np.uint64(29))) * GOLDEN + _word(text, last - done, min(length - done, 8))
        mixed = low + high * np.uint64(0xC2B2AE3D27D4EB4F)
        slot = _slot(mixed ^ (mixed >> np.uint64(32)), mask)
        while not (
            (slots[slot].low == low) & (slots[slot].high == high) & (slots[slot].size == length + 1)
            and (length <= 16 or _is_same(text, last, known, slots[slot].end, length))
        ):
            if slots[slot].size == 0:
                if code < -1 or place != first:
                    return place
                for k in range(length):
                    known[np.uint64(begin + k)] = text[np.uint64(offsets[row] + k)]
                slots[slot].low = low
                slots[slot].high = high
                slots[slot].size = length + 1
                slots[slot].end = begin + length
                slots[slot].code = code
                break
            slot = (slot + np.uint64(1)) & mask
        out[row] = slots[slot].code
    return -1


@part
def _word(text, last, count):
    """Up to eight bytes that end at `last` as a number: one load, and no branch to guess, however many they are."""
    at = np.uint64(last - 8)
    word = (
        np.uint64(text[at])
        | np.uint64(text[at + np.uint64(1)]) << np.uint64(8)
        | np.uint64(text[at + np.uint64(2)]) << np.uint64(16)
        | np.uint64(text[at + np.uint64(3)]) << np.uint64(24)
        | np.uint64(text[at + np.uint64(4)]) << np.uint64(32)
        | np.uint64(text[at + np.uint64(5)]) << np.uint64(40)
        | np.uint64(text[at + np.uint64(6)]) << np.uint64(48)
        | np.uint64(text[at + np.uint64(7)]) << np.uint64(56)
    )
    half = np.uint64(32 - 4 * count)
    return (word >> half) >> half  # by all 64 bits at once nothing would be shifted


@part
def _is_same(text, last, known, end, length):
    """Whether two texts of the same length are the same."""
    for done in range(0, length, 8):
        count = min(length - done, 8)
        if _word(text, last - done, count) != _word(known, end - done, count):
            return False
    return True


@kernel
def count_cells(codes, rows, start, members, states, may_miss, cell_at, cells, used, first, last):
    """Add the rows to the tables of the families from `first` to `last`; those with `cell_at` below zero are left alone.

    `codes[v, row]` is the state of variable v, below zero where it is missing (then `may_miss[v]` is set); the members of a
    family are its parents and then its variable. `used` gets the number of rows counted.
    """
    key = np.empty(BLOCK, np.int32)
    is_missing = np.zeros(BLOCK, np.uint8)
    lanes = np.zeros(LANES * SMALL, np.int64)
    for family in range(first, last):
        if cell_at[family] < 0:
            continue
        size, misses = 1, False
        for member in members[start[family] : start[family + 1]]:
            size *= states[member]
            misses |= may_miss[member] != 0
        table = cells[cell_at[family] : cell_at[family] + size]
        in_lanes = size <= SMALL and not misses
        for begin in range(0, rows, BLOCK):
            many = min(BLOCK, rows - begin)
            for k in range(many):
                key[k] = 0
            for member in members[start[family] : start[family + 1]]:
                base, own = np.int32(states[member]), codes[member, begin : begin + many]
                for k in range(many):
                    key[k] = key[k] * base + own[k]
            if misses:
                for k in range(many):
                    is_missing[k] = 0
                for member in members[start[family] : start[family + 1]]:
                    own = codes[member, begin : begin + many]
                    for k in range(many):
                        is_missing[k] |= own[k] < 0
                for k in range(many):
                    if not is_missing[k]:
                        table[key[k]] += 1
                        used[family] += 1
            elif in_lanes:
                k = 0
                while k + LANES <= many:
                    lanes[key[k]] += 1
                    lanes[SMALL + key[k + 1]] += 1
                    lanes[2 * SMALL + key[k + 2]] += 1
                    lanes[3 * SMALL + key[k + 3]] += 1
                    k += LANES
                while k < many:
                    lanes[key[k]] += 1
                    k += 1
                used[family] += many
            else:
                for k in range(many):
                    table[key[k]] += 1
                used[family] += many
        if in_lanes:
            for cell in range(size):
                for lane in range(LANES):
                    table[cell] += lanes[lane * SMALL + cell]
                    lanes[lane * SMALL + cell] = 0


@kernel
def add_moments(values, rows, start, members, may_miss, product_at, shift, sums, products, used, first, last):
    """Sums and products of deviations in the families from `first` to `last`, from their first whole rows, which `shift` gets.

    `values[v, row]` is NaN where it is missing (then `may_miss[v]` is set). The products of a family with m members are an
    m × m matrix, of which the half below the diagonal is filled.
    """
    for family in range(first, last):
        own = members[start[family] : start[family + 1]]
        size = len(own)
        deviation = np.empty((size, BLOCK))
        misses = False
        for member in own:
            misses |= may_miss[member] != 0
        for begin in range(0, rows, BLOCK):
            many = min(BLOCK, rows - begin)
            for i in range(size):
                column = values[own[i], begin : begin + many]
                for k in range(many):
                    deviation[i, k] = column[k]
            if misses:
                kept = 0
                for k in range(many):
                    is_whole = True
                    for i in range(size):
                        is_whole &= deviation[i, k] == deviation[i, k]
                    if is_whole:
                        for i in range(size):
                            deviation[i, kept] = deviation[i, k]
                        kept += 1
                many = kept
            if many and used[family] == 0:
                for i in range(size):
                    shift[start[family] + i] = deviation[i, 0]
            used[family] += many
            for i in range(size):
                total, away = 0.0, shift[start[family] + i]
                line = deviation[i]
                for k in range(many):
                    line[k] -= away
                for k in range(many):
                    total += line[k]
                sums[start[family] + i] += total
                for j in range(i + 1):
                    products[product_at[family] + i * size + j] += _dot(deviation[i], deviation[j], many)


@part
def _dot(one, other, many):
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    k = 0
    while k + 4 <= many:
        a += one[k] * other[k]
        b += one[k + 1] * other[k + 1]
        c += one[k + 2] * other[k + 2]
        d += one[k + 3] * other[k + 3]
        k += 4
    while k < many:
        a += one[k] * other[k]
        k += 1
    return (a + b) + (c + d)
