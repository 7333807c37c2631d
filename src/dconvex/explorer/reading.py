"""Plain data from the page, checked before anything is done with it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

from dconvex.errors import DconvexError

Thing = TypeVar("Thing")


class RequestError(DconvexError):
    """A request that the page does not send: of the wrong shape, or about something that is not there."""


def read_object(value: Any, what: str) -> dict[str, Any]:
    """The value itself if it is an object, which JSON calls so and Python a dict."""
    if not isinstance(value, dict):
        raise RequestError(f"{what} must be an object, not {shortened(value)}")
    return value


def read_list(value: Any, what: str) -> list[Any]:
    """The value itself if it is a list."""
    if not isinstance(value, list):
        raise RequestError(f"{what} must be a list, not {shortened(value)}")
    return value


def read_pairs(value: Any, what: str) -> list[tuple[Any, Any]]:
    """A list of pairs."""
    pairs = [read_list(pair, f"each of {what}") for pair in read_list(value, what)]
    for pair in pairs:
        if len(pair) != 2:
            raise RequestError(f"each of {what} must be a pair, not {shortened(pair)}")
    return [(one, other) for one, other in pairs]


def read_place(value: Any, things: Sequence[Thing], what: str) -> Thing:
    """The thing at that place."""
    if type(value) is not int or not 0 <= value < len(things):
        raise RequestError(f"there is no {what} number {shortened(value)}; there are {len(things)}")
    return things[value]


def read_number(value: Any, what: str) -> float:
    """A finite number; the digits of an integer may be more than a float can hold."""
    try:
        number = float(value) if type(value) in (int, float) else math.nan
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise RequestError(f"{what} takes a finite number, not {shortened(value)}")
    return number


def shortened(value: Any, most: int = 40) -> str:
    """What it looks like, for a message."""
    shown = repr(value)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"
