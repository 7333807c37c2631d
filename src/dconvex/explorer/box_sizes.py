"""The sizes of the boxes of variables and clusters, large enough for the text that the page writes into them.

Browsers choose their own fonts, so widths are estimates; the page squeezes a text that is wider.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from dconvex.display.geometry import Size
from dconvex.display.typeface import text_width

NAME_FONT, ROW_FONT = 13.0, 12.0
"""The drawing opens at no less than 0.92 of its size, so that its text has at least 11 pixels."""
BOLD = 1.08
"""How much wider bold letters are."""
HEAD = 23.0
"""The height of a variable's name."""
ROW = 18.0
"""The height of a state."""
MOST_ROWS = 6
"""A variable with more states shows the most probable ones, and how many others there are."""
CHART = 58.0
"""The height of a chart."""
FOOT = 4.0
WIDEST, NARROWEST = 240.0, 124.0

CELL = 16.0
"""The height of a member in a cluster's box."""
MOST_MEMBERS = 12
"""The most variables listed in the box of a cluster."""
COMPACT_FROM = 120
"""From this many clusters on, each is a small box with its number of variables."""


def metrics() -> dict[str, float]:
    """The numbers that the page needs to write into the boxes."""
    return {
        "nameFont": NAME_FONT,
        "rowFont": ROW_FONT,
        "head": HEAD,
        "row": ROW,
        "mostRows": MOST_ROWS,
        "chart": CHART,
        "cell": CELL,
    }


def card(name: str, states: Sequence[str]) -> Size:
    """The box of a variable: its name, and below it a row for each state or a chart."""
    rows = min(len(states), MOST_ROWS)
    widest_row = max((text_width(f"{state}   100.0 %", ROW_FONT) for state in states), default=0.0)
    width = max(BOLD * text_width(name, NAME_FONT) + 14, widest_row + 12, NARROWEST)
    return Size(min(width, WIDEST), HEAD + (rows * ROW if rows else CHART) + FOOT)


def cluster_grid(members: Sequence[str]) -> tuple[int, Size]:
    """The number of columns for the members of a cluster, and the size of its box."""
    shown = min(len(members), MOST_MEMBERS)
    columns = 1 if shown <= 3 else 2 if shown <= 8 else 3
    texts = [*members[:shown], "+ 99 more"] if len(members) > MOST_MEMBERS else members
    widest = max((text_width(text, ROW_FONT) for text in texts), default=0.0)
    return columns, Size(columns * (min(BOLD * widest, WIDEST) + 11) + 9, math.ceil(shown / columns) * CELL + 8)


def compact_cluster(count: int) -> Size:
    """A small box for a cluster of `count` variables, larger for more."""
    return Size(26 + 3.5 * math.sqrt(count), 20 + 1.2 * math.sqrt(count))


def separator(members: Sequence[str]) -> Size:
    """The size of an edge's label."""
    lines = separator_lines(members)
    return Size(max(text_width(line, ROW_FONT) for line in lines) + 10, len(lines) * (CELL - 1) + 5)


def separator_lines(members: Sequence[str]) -> list[str]:
    """The label of an edge: its members below each other, or their number if they are many."""
    if not members:
        return ["∅"]
    return list(members) if len(members) <= 3 else [f"{len(members)} shared"]
