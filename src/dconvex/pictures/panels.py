"""What stands around pictures: captions, legends, and facts about what is too large to be drawn."""

from __future__ import annotations

from collections.abc import Sequence

from dconvex.pictures.drawing import (
    BETWEEN,
    PAGE,
    Drawing,
    Look,
    Rectangle,
    Ruler,
    Shape,
    Text,
    below_each_other,
    side_by_side,
)
from dconvex.pictures.geometry import Box, Size

FONT = 8.0
TITLE = 9.0
ROW = 13.0
GAP = 8.0


def caption(title: str, notes: Sequence[str], ruler: Ruler) -> Drawing:
    """A title, and below it lines that say more."""
    lines: list[Shape] = [Text(title, 0.0, ROW / 2, TITLE, PAGE, "start", is_bold=True)]
    lines += [Text(note, 0.0, (1.5 + row) * ROW, FONT, BETWEEN, "start") for row, note in enumerate(notes)]
    width = max([1.1 * ruler(title, TITLE), *(ruler(note, FONT) for note in notes)])
    return Drawing(lines, Size(width, (1 + len(notes)) * ROW), name=title)


def legend(entries: Sequence[tuple[Look, str]], ruler: Ruler) -> Drawing:
    """What the colours stand for, in one line."""
    shapes: list[Shape] = []
    x = 0.0
    for look, meaning in entries:
        shapes.append(Rectangle(Box(x + 7, ROW / 2, 14, 9), look, radius=2.5))
        shapes.append(Text(meaning, x + 18, ROW / 2, FONT, PAGE, "start"))
        x += 18 + ruler(meaning, FONT) + 14
    return Drawing(shapes, Size(max(x - 14, 0.0), ROW))


def summary(name: str, facts: Sequence[tuple[str, str]], charts: Sequence[Drawing], ruler: Ruler) -> Drawing:
    """The name, below it (what, how much) in two columns, and charts beside them."""
    below = side_by_side([_table(facts, ruler), *charts], gap=4 * GAP)
    return below_each_other([caption(name, [], ruler), below], GAP)


def _table(facts: Sequence[tuple[str, str]], ruler: Ruler) -> Drawing:
    left, right = (max((ruler(fact[column], FONT) for fact in facts), default=0.0) for column in (0, 1))
    width = left + 2 * GAP + right
    shapes: list[Shape] = []
    for row, (what, how_much) in enumerate(facts):
        y = (row + 0.5) * ROW
        shapes += [Text(what, 0.0, y, FONT, BETWEEN, "start"), Text(how_much, width, y, FONT, PAGE, "end")]
    return Drawing(shapes, Size(width, len(facts) * ROW))
