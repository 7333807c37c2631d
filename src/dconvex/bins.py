"""The interval among some states that a number falls into."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from numbers import Real
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from dconvex.arrays import Codes
from dconvex.intervals import Interval


@final
@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """The states of a variable that are intervals, in ascending order, to find those that numbers fall into."""

    intervals: tuple[Interval, ...]
    states: Codes
    """The state that each interval is."""

    @classmethod
    def of(cls, labels: Sequence[Hashable]) -> Bins | None:
        """Those among these labels; None where there are none, or where some overlap."""
        found = sorted((label, state) for state, label in enumerate(labels) if isinstance(label, Interval))
        intervals = tuple(interval for interval, _ in found)
        if not found or any(_overlap(one, other) for one, other in pairwise(intervals)):
            return None
        return cls(intervals, np.array([state for _, state in found], np.intp))

    def states_of(self, numbers: ArrayLike) -> Codes:
        """The state of each number, -1 where it falls into no interval (NaN does not)."""
        values = np.asarray(numbers, np.float64)
        lefts, rights = (np.array([getattr(own, end) for own in self.intervals], np.float64) for end in ("left", "right"))
        has_left, has_right = (np.array([getattr(own, end) for own in self.intervals]) for end in ("has_left", "has_right"))
        last = np.searchsorted(lefts, values, side="right") - 1  # the last one that does not begin above the number
        last -= (last >= 0) & (values == lefts[last]) & ~has_left[last]
        is_within = (last >= 0) & ((values < rights[last]) | ((values == rights[last]) & has_right[last]))
        found: Codes = np.where(is_within, self.states[last], -1)
        return found


@lru_cache(maxsize=4096)
def bins_of(labels: tuple[Hashable, ...]) -> Bins | None:
    """As `Bins.of`; kept, since every piece of evidence asks."""
    return Bins.of(labels)


def state_of_number(value: object, labels: tuple[Hashable, ...]) -> int | None:
    """The index of the interval among the labels that a number falls into; None for what is no number or falls into none."""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool) or not isinstance(plain, Real):
        return None
    bins = bins_of(labels)
    if bins is None:
        return None
    try:
        state = int(bins.states_of(np.array([plain], np.float64))[0])
    except OverflowError:
        return None
    return None if state < 0 else state


def state_of(value: object, labels: tuple[Hashable, ...]) -> int | None:
    """The index of the label that a value is, or of the interval that a number falls into; None where there is none."""
    try:
        return labels.index(value)
    except (ValueError, TypeError):  # pandas' NA cannot even be compared
        return state_of_number(value, labels)


def _overlap(one: Interval, later: Interval) -> bool:
    """Whether some number falls into both; `later` does not begin before."""
    is_shared = one.has_right and later.has_left
    return later.left < one.right or (later.left == one.right and is_shared)
