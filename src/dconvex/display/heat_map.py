"""Numbers as colours in a grid, with the numbers in it if there are few."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from dconvex.arrays import Floats
from dconvex.display.colours import DARK, LIGHT
from dconvex.display.drawing import FONT, PAGE, SECONDARY, Drawing, DrawnShape, Group, Look, Rectangle, Ruler, Text
from dconvex.display.geometry import Box, Size
from dconvex.display.labels import shortened
from dconvex.display.panels import captioned

ROW = 15.0
GAP = 6.0
WIDEST = 110.0
"""A longer word is cut; hovering shows it in full."""
WRITTEN = 12
"""The most columns in a grid with numbers."""


@dataclass(frozen=True, slots=True)
class Side:
    """The words along a side of the grid, and their head."""

    head: str
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Grid:
    """Where the cells are."""

    left: float
    top: float
    wide: float
    is_upright: bool
    """Whether the words above the columns read upwards."""

    @classmethod
    def of(cls, down: Side, across: Side, numbers: Sequence[str], ruler: Ruler) -> _Grid:
        """Columns as wide as their numbers and words, unless the words are long."""
        left, head = (
            max((min(ruler(word, FONT), WIDEST) for word in words), default=0.0)
            for words in ([down.head, *down.words], across.words)
        )
        widest_number = max((ruler(number, FONT) for number in numbers), default=0.0) + GAP
        wide = max(ROW, widest_number, head + GAP if head < 60 and len(across.words) <= WRITTEN else 0.0)
        is_upright = head + GAP > wide
        return cls(left + GAP, ROW + (head + GAP if is_upright else ROW), wide, is_upright)

    def cell(self, row: int, column: int) -> Box:
        return Box(self.left + (column + 0.5) * self.wide, self.top + (row + 0.5) * ROW, self.wide, ROW)


def heat_map(
    title: str,
    down: Side,
    across: Side,
    values: Floats,
    colour: Callable[[float], str],
    number: Callable[[float], str],
    ruler: Ruler,
    written: Sequence[Sequence[str]] | None = None,
) -> Drawing:
    """A grid with a row for each word of `down` and a column for each of `across`; `written` is in the cells if given."""
    numbers = written or [[number(value) for value in row] for row in values.tolist()]
    are_written = len(across.words) <= WRITTEN
    grid = _Grid.of(down, across, list(chain.from_iterable(numbers)) if are_written else (), ruler)
    shapes = _words(down, across, grid, ruler)
    for (row, column), value in np.ndenumerate(values):
        cell = _cell(grid.cell(row, column), colour(float(value)), numbers[row][column] if are_written else "")
        about = f"{down.head} {down.words[row]}, {across.head} {across.words[column]}: {numbers[row][column]}"
        shapes.append(Group(cell, ("cell",), about))
    bottom = grid.top + len(down.words) * ROW
    if not are_written:
        darkest = f"the darkest is {number(float(values.max()))}"
        shapes.append(Text(darkest, grid.left, bottom + ROW / 2, FONT, SECONDARY, "start"))
        bottom += ROW
    width = grid.left + max(len(across.words) * grid.wide, ruler(across.head, FONT))
    return captioned(title, [], Drawing(shapes, Size(width, bottom)), ruler)


def _cell(box: Box, ground: str, written: str) -> list[DrawnShape]:
    shapes: list[DrawnShape] = [Rectangle(box, Look(fill=ground))]
    if written:
        shapes.append(Text(written, box.x, box.y, FONT, LIGHT if _is_dark(ground) else DARK))
    return shapes


def _words(down: Side, across: Side, grid: _Grid, ruler: Ruler) -> list[DrawnShape]:
    def cut(word: str) -> str:
        return shortened(word, WIDEST, ruler, FONT)

    shapes: list[DrawnShape] = [
        Text(cut(down.head), grid.left - GAP, grid.top - ROW / 2, FONT, SECONDARY, "end"),
        Text(cut(across.head), grid.left, ROW / 2, FONT, SECONDARY, "start"),
    ]
    for row, word in enumerate(down.words):
        shapes.append(Text(cut(word), grid.left - GAP, grid.cell(row, 0).y, FONT, PAGE, "end"))
    for column, word in enumerate(across.words):
        x = grid.cell(0, column).x
        if grid.is_upright:
            shapes.append(Text(cut(word), x, grid.top - GAP / 2, FONT, PAGE, "start", is_upright=True))
        else:
            shapes.append(Text(cut(word), x, grid.top - ROW / 2, FONT, PAGE))
    return shapes


def _is_dark(colour: str) -> bool:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return 0.3 * red + 0.59 * green + 0.11 * blue < 140
