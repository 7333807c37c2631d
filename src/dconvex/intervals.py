"""Intervals of numbers as states."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import total_ordering
from itertools import pairwise
from typing import Literal, TypeAlias, cast, final, get_args

Closed: TypeAlias = Literal["left", "right", "both", "neither"]
CLOSED: tuple[Closed, ...] = get_args(Closed)
NUMBER = r"-?(?:inf|\d{1,17}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?)"
AS_PRINTED = re.compile(rf"([\[(])({NUMBER}), ({NUMBER})([\])])", re.ASCII)
LARGEST_INTEGER = 2**53
"""Integers beyond it are not all different as floats."""


@final
@total_ordering
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Interval:
    """The numbers between two ends, as a state of a variable: what pandas' `cut` and `qcut` make, without pandas.

    It equals pandas' own `Interval` with the same ends, and has the same hash. A number that is given as evidence, or that is
    in a cell, counts as the state that it falls into. An infinite end belongs to its interval.

    Args:
        left: The lower end.
        right: The upper end.
        closed: Which ends belong to it: `"right"`, `"left"`, `"both"` or `"neither"`.

    Raises:
        ValueError: An end is no number, `left` is above `right`, or `closed` is something else.

    >>> import dconvex as dc
    >>> dc.Interval(18, 25)
    Interval(18, 25, closed='right')
    >>> print(dc.Interval(18, 25, "left"))
    [18, 25)
    >>> 25 in dc.Interval(18, 25), 25 in dc.Interval(18, 25, "left")
    (True, False)
    """

    left: int | float
    right: int | float
    closed: Closed = "right"

    def __post_init__(self) -> None:
        object.__setattr__(self, "left", _end(self.left))
        object.__setattr__(self, "right", _end(self.right))
        if self.closed not in CLOSED:
            raise ValueError(f"closed={self.closed!r} is unknown; use 'right', 'left', 'both' or 'neither'")
        if not self.left <= self.right:
            raise ValueError(f"the left end of an interval, {self.left}, must not be above the right one, {self.right}")

    @classmethod
    def of(cls, value: object) -> Interval | None:
        """The interval that `value` is.

        Args:
            value: An interval, one of ours or of pandas, or anything else.

        Returns:
            The interval; None for anything else.

        Raises:
            ValueError: It is an interval of something else than numbers.
        """
        if isinstance(value, Interval):
            return value
        if type(value).__name__ != "Interval" or not all(hasattr(value, part) for part in ("left", "right", "closed")):
            return None
        return cls(value.left, value.right, value.closed)  # type: ignore[attr-defined]

    @classmethod
    def from_text(cls, text: str) -> Interval:
        """The interval that prints so.

        Args:
            text: What `str` gives.

        Returns:
            The interval.

        Raises:
            ValueError: None does.
        """
        found = AS_PRINTED.fullmatch(text)
        if not found:
            raise ValueError(f"{text!r:.60} is not an interval such as (0.5, 2.0]")
        ends = [int(word) if re.fullmatch(r"-?\d+", word) else float(word) for word in found.group(2, 3)]
        brackets = {"[]": "both", "[)": "left", "(]": "right", "()": "neither"}
        return cls(ends[0], ends[1], cast("Closed", brackets[found[1] + found[4]]))

    @property
    def has_left(self) -> bool:
        """Whether the left end belongs to it; an infinite one does."""
        return self.closed in ("left", "both") or self.left == -math.inf

    @property
    def has_right(self) -> bool:
        """Whether the right end belongs to it; an infinite one does."""
        return self.closed in ("right", "both") or self.right == math.inf

    def __contains__(self, number: float) -> bool:
        above = number > self.left or (self.has_left and number == self.left)
        return bool(above and (number < self.right or (self.has_right and number == self.right)))

    def __eq__(self, other: object) -> bool:
        try:
            own = Interval.of(other)
        except ValueError:
            return False
        if own is None:
            return NotImplemented
        return (self.left, self.right, self.closed) == (own.left, own.right, own.closed)

    def __hash__(self) -> int:
        return hash((self.left, self.right, self.closed))  # as pandas has it

    def __lt__(self, other: object) -> bool:
        own = Interval.of(other)
        return NotImplemented if own is None else self._key < own._key

    @property
    def _key(self) -> tuple[float, float, str]:
        return self.left, self.right, self.closed

    def __str__(self) -> str:
        begin = "[" if self.closed in ("left", "both") else "("
        end = "]" if self.closed in ("right", "both") else ")"
        return f"{begin}{self.left}, {self.right}{end}"

    def __repr__(self) -> str:
        return f"Interval({self.left}, {self.right}, closed={self.closed!r})"


def intervals_between(edges: Iterable[float]) -> tuple[Interval, ...]:
    """The intervals that these inner edges cut all numbers into, closed on the right."""
    ends = [-math.inf, *edges, math.inf]
    return tuple(Interval(left, right) for left, right in pairwise(ends))


def _end(value: object) -> int | float:
    """An end as Python's own number."""
    item = getattr(value, "item", None)  # numpy's scalars
    plain = item() if callable(item) else value
    if isinstance(plain, bool) or not isinstance(plain, int | float) or plain != plain:
        raise ValueError(f"the ends of an interval are numbers, not {value!r}")
    if isinstance(plain, int) and abs(plain) > LARGEST_INTEGER:
        raise ValueError("an end of an interval is an integer beyond 2**53; pass a float")
    return plain
