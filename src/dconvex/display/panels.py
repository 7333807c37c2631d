"""Captions, legends, and summaries of what is too large for a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dconvex.display.drawing import (
    FONT,
    PAGE,
    PAGE_WIDTH,
    SECONDARY,
    TITLE,
    Drawing,
    DrawnShape,
    Look,
    Rectangle,
    Ruler,
    Text,
    below_each_other,
    side_by_side,
)
from dconvex.display.geometry import Box, Size

ROW = 13.0
GAP = 8.0


def caption_scale(drawing: Drawing) -> float:
    """How much larger a caption must be to be readable when a wide drawing is scaled down to a page."""
    return max(1.0, drawing.size.width / PAGE_WIDTH)


def caption(title: str, notes: Sequence[str], ruler: Ruler, scale: float = 1.0) -> Drawing:
    """A title, and notes below it."""
    large, small, row = scale * TITLE, scale * FONT, scale * ROW
    lines: list[DrawnShape] = [Text(title, 0.0, row / 2, large, PAGE, "start", is_bold=True)]
    lines += [Text(note, 0.0, (1.5 + number) * row, small, SECONDARY, "start") for number, note in enumerate(notes)]
    width = max([1.2 * ruler(title, large), *(ruler(note, small) for note in notes)])
    return Drawing(lines, Size(width, (1 + len(notes)) * row), name=title)


def captioned(title: str, notes: Sequence[str], drawing: Drawing, ruler: Ruler) -> Drawing:
    """The drawing below its caption."""
    return below_each_other([caption(title, notes, ruler), drawing], GAP)


def without_variables(ruler: Ruler) -> Drawing:
    """The picture of an answer without variables."""
    return caption("Nothing was asked for", [], ruler)


def legend(entries: Sequence[tuple[Look, str]], ruler: Ruler, scale: float = 1.0) -> Drawing:
    """The meanings of the colours, in one line."""
    font, row = scale * FONT, scale * ROW
    shapes: list[DrawnShape] = []
    x = 0.0
    for look, meaning in entries:
        patch = Box(x + 0.9 * font, row / 2, 1.8 * font, 1.1 * font)
        shapes.append(Rectangle(patch, replace(look, width=scale * look.width), radius=0.3 * font))
        shapes.append(Text(meaning, x + 2.3 * font, row / 2, font, PAGE, "start"))
        x += 2.3 * font + ruler(meaning, font) + 1.8 * font
    return Drawing(shapes, Size(max(x - 1.8 * font, 0.0), row))


def summary(name: str, facts: Sequence[tuple[str, str]], charts: Sequence[Drawing], ruler: Ruler) -> Drawing:
    """The name, below it the facts in two columns, and charts next to them."""
    below = side_by_side([_table(facts, ruler), *charts], gap=4 * GAP)
    return captioned(name, [], below, ruler)


def _table(facts: Sequence[tuple[str, str]], ruler: Ruler) -> Drawing:
    left, right = (max((ruler(fact[column], FONT) for fact in facts), default=0.0) for column in (0, 1))
    width = left + 2 * GAP + right
    shapes: list[DrawnShape] = []
    for row, (what, how_much) in enumerate(facts):
        y = (row + 0.5) * ROW
        shapes += [Text(what, 0.0, y, FONT, SECONDARY, "start"), Text(how_much, width, y, FONT, PAGE, "end")]
    return Drawing(shapes, Size(width, len(facts) * ROW))
