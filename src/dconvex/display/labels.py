"""Names as text: escaped where they cannot be printed, and broken into lines of a pleasant shape."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence

from dconvex.display.drawing import Ruler
from dconvex.names import Label, Name, in_one_line


def label(name: Name | Label) -> str:
    r"""The name in one line.

    >>> label("a\nb"), label(7), label("")
    ('a\\nb', '7', "''")
    """
    return in_one_line(name)


def wrapped(words: Sequence[str], limit: float, width: Callable[[str], float]) -> list[str]:
    """The words, with commas between them, in lines up to `limit` wide (wider only for a word that is).

    >>> wrapped(["ab", "cde", "f"], 6, len)
    ['ab,', 'cde, f']
    """
    lines: list[str] = []
    for index, word in enumerate(words):
        piece = word if index == len(words) - 1 else f"{word},"
        if lines and width(f"{lines[-1]} {piece}") <= limit:
            lines[-1] = f"{lines[-1]} {piece}"
        else:
            lines.append(piece)
    return lines


def balanced(words: Sequence[str], limit: float, width: Callable[[str], float]) -> list[str]:
    """As few lines as `limit` allows, with the longest of them as short as possible.

    >>> balanced(["abc", "de", "fgh", "ij"], 12, len)
    ['abc, de,', 'fgh, ij']
    """
    lines = wrapped(words, limit, width)
    while lines:
        tighter = wrapped(words, max(map(width, lines)) - 1e-6, width)
        if len(tighter) > len(lines) or max(map(width, tighter)) >= max(map(width, lines)):
            break
        lines = tighter
    return lines


def pleasant_limit(words: Sequence[str], line_height: float, width: Callable[[str], float], shape: float) -> float:
    """The width of lines that makes a text about `shape` times as wide as high."""
    widths = [width(f"{word}, ") for word in words]
    return max(math.sqrt(sum(widths) * line_height * shape), max(widths, default=0.0))


def shortened(text: str, limit: float, ruler: Ruler, font: float) -> str:
    """The text, cut with an ellipsis if it is wider than `limit` in this font size.

    >>> shortened("abcdefgh", 15.0, lambda text, font: len(text) * font, font=3.0)
    'abcd…'
    """
    if ruler(text, font) <= limit:
        return text
    kept = bisect_right(range(len(text)), limit, key=lambda end: ruler(f"{text[:end]}…", font)) - 1
    return f"{text[: max(kept, 1)]}…"
