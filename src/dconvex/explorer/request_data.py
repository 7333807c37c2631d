"""Plain data from the page, checked before it is used."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

from dconvex.errors import DconvexError

Item = TypeVar("Item")


class RequestError(DconvexError):
    """A request that the page never sends: of the wrong shape, or about something that does not exist."""


def read_object(value: object, what: str) -> dict[str, object]:
    """The value if it is an object, in Python a dict."""
    if not isinstance(value, dict):
        raise RequestError(f"{what} must be an object, not {shortened(value)}")
    return value


def read_list(value: object, what: str) -> list[object]:
    """The value if it is a list."""
    if not isinstance(value, list):
        raise RequestError(f"{what} must be a list, not {shortened(value)}")
    return value


def read_pairs(value: object, what: str) -> list[tuple[object, object]]:
    """The value if it is a list of pairs."""
    pairs = [read_list(pair, f"each item of {what}") for pair in read_list(value, what)]
    for pair in pairs:
        if len(pair) != 2:
            raise RequestError(f"each item of {what} must be a pair, not {shortened(pair)}")
    return [(one, other) for one, other in pairs]


def read_item(index: object, items: Sequence[Item], what: str) -> Item:
    """The item with this index."""
    if type(index) is not int or not 0 <= index < len(items):
        raise RequestError(f"there is no {what} number {shortened(index)}; there are {len(items)}, counted from 0")
    return items[index]


def read_number(value: object, what: str) -> float:
    """The value if it is a finite number; an integer may be too large for a float."""
    try:
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise RequestError(f"{what} must be a finite number, not {shortened(value)}")
    return number


def shortened(value: object, most: int = 40) -> str:
    """The value for a message, cut to `most` characters."""
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"
