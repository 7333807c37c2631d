"""A smallest part of impossible evidence that is impossible already."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def smallest_conflict(items: Sequence[int], is_possible: Callable[[tuple[int, ...]], bool]) -> tuple[int, ...]:
    """A part of `items` that is impossible and of which no item can be left out; all of them where they seem possible.

    Halves are tried before single items, so a conflict of k among n takes about k log n questions.
    """
    needed: tuple[int, ...] = ()
    left = tuple(items)
    if is_possible(left):
        return left
    while is_possible(needed):
        low, high = 0, len(left)  # the shortest beginning of what is left that makes it impossible
        while low < high:
            middle = (low + high) // 2
            if is_possible((*needed, *left[:middle])):
                low = middle + 1
            else:
                high = middle
        needed, left = (*needed, left[low - 1]), left[: low - 1]
    return needed
