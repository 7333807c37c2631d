"""Bar charts: words, bars and numbers in rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dconvex.arrays import Sizes
from dconvex.display.colours import BAR
from dconvex.display.drawing import (
    BETWEEN,
    FONT,
    PAGE,
    SECONDARY,
    Drawing,
    DrawnShape,
    Group,
    Look,
    Path,
    Rectangle,
    Ruler,
    Text,
)
from dconvex.display.geometry import Box, Point, Size
from dconvex.display.labels import shortened
from dconvex.display.panels import GAP, ROW, captioned

THICK = 8.5
WIDTH = 170.0
"""The length of a full bar."""
WIDEST = 150.0
"""A longer word is cut; hovering shows it in full."""
TRACK = Look(fill=BETWEEN, opacity=0.18)


@dataclass(frozen=True, slots=True)
class ChartBar:
    """A row: words, a bar of a length between 0 and 1 with an error to both sides, and its number."""

    words: tuple[str, ...]
    length: float
    number: str
    error: float = 0.0
    colour: str = BAR


def bar_chart(title: str, heads: tuple[str, ...], bars: Sequence[ChartBar], ruler: Ruler, note: str = "") -> Drawing:
    """The bars below each other, the words to their left in columns with these heads, if any."""
    lines = [*([heads] if heads else []), *(bar.words for bar in bars)]
    columns = [max(min(ruler(word, FONT), WIDEST) for word in column) for column in zip(*lines, strict=True)]
    ends = (np.cumsum(columns) + GAP * np.arange(len(columns))).tolist()
    start = (ends[-1] if ends else 0.0) + GAP
    shapes: list[DrawnShape] = [*_cells(heads, ends, ROW / 2, ruler, SECONDARY)]
    top = 1.5 * ROW if heads else ROW / 2
    for number, bar in enumerate(bars):
        y = top + number * ROW
        written = Text(bar.number, start + WIDTH + GAP, y, FONT, PAGE, "start")
        row = [*_cells(bar.words, ends, y, ruler), *_bar(bar, start, y), written]
        shapes.append(Group(row, ("row",), f"{', '.join(bar.words)}: {bar.number}"))
    bottom = top + len(bars) * ROW - ROW / 2
    if note:
        shapes.append(Text(note, start, bottom + ROW / 2, FONT, SECONDARY, "start"))
        bottom += ROW
    widest = max((ruler(bar.number, FONT) for bar in bars), default=0.0)
    width = max(start + WIDTH + GAP + widest, start + ruler(note, FONT))
    return captioned(title, [], Drawing(shapes, Size(width, bottom)), ruler)


def _cells(words: Sequence[str], ends: Sequence[float], y: float, ruler: Ruler, colour: str = PAGE) -> list[DrawnShape]:
    """The words in their columns; `ends` are the right ends of these."""
    pairs = zip(words, ends, strict=False)
    return [Text(shortened(word, WIDEST, ruler, FONT), end, y, FONT, colour, "end") for word, end in pairs]


def _bar(bar: ChartBar, start: float, y: float) -> list[DrawnShape]:
    whole, length = (Box(start + wide / 2, y, wide, THICK) for wide in (WIDTH, WIDTH * bar.length))
    shapes: list[DrawnShape] = [Rectangle(whole, TRACK), Group([Rectangle(length, Look(fill=bar.colour))], ("bar",))]
    if bar.error:
        low, high = (start + WIDTH * min(max(bar.length + sign * bar.error, 0.0), 1.0) for sign in (-1, 1))
        shapes.append(Path((Point(low, y), Point(high, y)), Look(line=PAGE, width=1.2)))
    return shapes


def histogram(title: str, sizes: Sizes, ruler: Ruler) -> Drawing:
    """The frequency of each size; the longest bar is the most frequent one."""
    bins = binned(sizes)
    most = max((count for _, count in bins), default=1)
    return bar_chart(title, (), [ChartBar((name,), count / most, f"{count:,}") for name, count in bins], ruler)


def binned(sizes: Sizes) -> list[tuple[str, int]]:
    """The frequency of each size; of many sizes those of the ranges 3–4, 5–8, 9–16 and so on.

    >>> binned(np.array([2, 3, 2, 0]))
    [('0', 1), ('2', 2), ('3', 1)]
    """
    counts = np.bincount(sizes) if len(sizes) else np.zeros(0, np.int64)
    found = np.flatnonzero(counts).tolist()
    if len(found) <= 12:
        return [(f"{size:,}", int(counts[size])) for size in found]
    ends = [0, 1, *(2**power for power in range(1, found[-1].bit_length() + 1))]
    starts = [0, *(end + 1 for end in ends)]
    totals = [(start, end, int(counts[start : end + 1].sum())) for start, end in zip(starts, ends, strict=False)]
    return [(f"{start:,}" if start == end else f"{start:,}–{end:,}", count) for start, end, count in totals if count]
