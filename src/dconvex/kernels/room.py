"""Memory for bare kernels, which make no arrays of their own: they take pieces of what they are given.

Numba counts the references to every array that is made, cut or handed on; for a small question that takes longer than the
planning itself. Where the memory is too little, `OutOfRoom` or `OutOfFloats` is raised, and the caller tries again with more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dconvex.kernels.compiling import bare_part, inlined
from dconvex.kernels.walks import Longs

LONGS, FLOATS, POOL, HEAD = 0, 1, 2, 3
"""Places in `Room.top`, and how many there are; they stand at the front of the memory."""


class OutOfRoom(Exception):  # noqa: N818
    """The memory for integers that was given to a kernel is too little."""


class OutOfFloats(Exception):  # noqa: N818
    """The memory for numbers that was given to a kernel is too little."""


class Room(NamedTuple):
    """Memory that is taken from the front; `pool` is for lists whose length is not known beforehand."""

    top: Longs
    """How much is taken of each."""
    longs: Longs
    floats: NDArray[np.float64]
    pool: Longs


@bare_part
def whole_room(memory, float_memory):
    """All of this memory, nothing of it taken."""
    middle = len(memory) // 2
    top = memory[:HEAD]
    fill(top, 0)
    return Room(top, memory[HEAD:middle], float_memory, memory[middle:])


@bare_part
def _taken_longs(room, count):
    first = room.top[LONGS]
    if first + count > len(room.longs):
        raise OutOfRoom
    room.top[LONGS] = first + count
    return first


@bare_part
def _taken_floats(room, count):
    first = room.top[FLOATS]
    if first + count > len(room.floats):
        raise OutOfFloats
    room.top[FLOATS] = first + count
    return first


@inlined
def longs(room, count):
    """A piece for so many integers, whatever stands in it."""
    first = _taken_longs(room, count)
    return room.longs[first : first + count]


@inlined
def filled(room, count, value):
    """A piece with so many times the same integer."""
    first = _taken_longs(room, count)
    fill(room.longs[first : first + count], value)
    return room.longs[first : first + count]


@inlined
def floats(room, count):
    """A piece for so many numbers, whatever stands in it."""
    first = _taken_floats(room, count)
    return room.floats[first : first + count]


@bare_part
def fill(array, value):
    for k in range(len(array)):
        array[k] = value


@bare_part
def put(room, at, value):
    """Write into the pool at a place that may lie beyond what is taken."""
    if at >= len(room.pool):
        raise OutOfRoom
    room.pool[at] = value


@bare_part
def need(room, at, count):
    """Make sure that the pool has so many places from `at` on."""
    if at + count > len(room.pool):
        raise OutOfRoom


@bare_part
def last_taken(room, count):
    """Where the last so many integers that were taken stand in the memory: (begin, end)."""
    end = HEAD + room.top[LONGS]
    return end - count, end


@bare_part
def packed_together(room, arrays):
    """Copy arrays into one piece, whose head says where each begins; where it stands in the memory: (begin, end)."""
    total = 1 + len(arrays)
    for array in arrays:
        total += len(array)
    image = longs(room, total)
    number, at = 0, 1 + len(arrays)
    for array in arrays:
        image[number] = at
        for value in array:
            image[at] = value
            at += 1
        number += 1
    image[number] = at
    return last_taken(room, total)


@bare_part
def sort(numbers):
    """Sort in place, by Shell's way."""
    gap = 1
    while gap < len(numbers) // 3:
        gap = 3 * gap + 1
    while gap:
        for first in range(gap, len(numbers)):
            number, at = numbers[first], first
            while at >= gap and numbers[at - gap] > number:
                numbers[at] = numbers[at - gap]
                at -= gap
            numbers[at] = number
        gap //= 3
