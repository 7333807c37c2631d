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
            slot = (slot + 1) & np.int64(mask)
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
        slot = (slot + 1) & np.int64(mask)
    keys[slot], codes[slot] = value, code


@part
def _slot(value, mask):
    mixed = np.uint64(value) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed >> np.uint64(40)) & mask)


@kernel
def translate_texts(offsets, text, slots, codes, begin, end, known, out, first):
    """Write the code of each text from `first` on; where one is not there yet, its place, else -1.

    Text `row` is `text[offsets[row]:offsets[row + 1]]`. The slots of the hash table hold hashes, with a code below -1 where
    they are free; the text of a slot is `known[begin[slot]:end[slot]]`.
    """
    mask = np.uint64(len(slots) - 1)
    for row in range(first, len(offsets) - 1):
        mixed = _text_hash(text, offsets[row], offsets[row + 1])
        slot = np.int64((mixed >> np.uint64(32)) & mask)
        while codes[slot] >= -1 and not (
            slots[slot] == mixed and _is_same(text, offsets[row], offsets[row + 1], known, begin[slot], end[slot])
        ):
            slot = (slot + 1) & np.int64(mask)
        if codes[slot] < -1:
            return row
        out[row] = codes[slot]
    return -1


@kernel
def insert_text(text, slots, codes, begin, end, known, first, code):
    """Put `known[first:]`, a copy of `text`, into a hash table that has room for it."""
    mask = np.uint64(len(slots) - 1)
    mixed = _text_hash(text, 0, len(text))
    slot = np.int64((mixed >> np.uint64(32)) & mask)
    while codes[slot] >= -1:
        slot = (slot + 1) & np.int64(mask)
    slots[slot], codes[slot], begin[slot], end[slot] = mixed, code, first, first + len(text)
    for k in range(len(text)):
        known[first + k] = text[k]


@part
def _text_hash(text, first, last):
    """A hash that tells texts of one length apart if they have up to eight bytes: each step can be undone."""
    mixed = np.uint64(last - first)
    at = first
    while at < last:
        stop = min(at + 8, last)
        word = np.uint64(0)
        for k in range(stop - at):
            word |= np.uint64(text[at + k]) << np.uint64(8 * k)
        mixed = (mixed ^ word) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
        at = stop
    return mixed


@part
def _is_same(text, first, last, known, begin, end):
    """Whether two texts with the same hash are the same."""
    if last - first != end - begin:
        return False
    if last - first > 8:
        for k in range(last - first):
            if text[first + k] != known[begin + k]:
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
