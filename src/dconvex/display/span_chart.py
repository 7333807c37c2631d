"""Rows of spans on one number line, each with words to its left and a number to its right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dconvex.display.axis import Axis
from dconvex.display.drawing import FONT, PAGE, Drawing, DrawnShape, Group, Look, Path, Rectangle, Ruler, Text
from dconvex.display.geometry import Box, Point, Size
from dconvex.display.labels import shortened
from dconvex.display.panels import GAP, ROW, captioned

WIDE = 260.0
NUMBERS = 14.0
"""The height of the numbers below the line."""
WIDEST = 260.0
"""Longer words are cut; hovering shows them in full."""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the number line, drawn this high."""

    start: float
    end: float
    look: Look
    height: float = 8.5


@dataclass(frozen=True, slots=True)
class SpanRow:
    """The words of a row, its spans, its number, and what hovering shows."""

    words: str
    spans: Sequence[Span]
    number: str
    about: str


def span_chart(
    title: str, notes: Sequence[str], rows: Sequence[SpanRow], ends: tuple[float, float], mark: float, ruler: Ruler
) -> Drawing:
    """The rows below each other, on the line between `ends`, with an upright line at `mark`."""
    words = [shortened(row.words, WIDEST, ruler, FONT) for row in rows]
    left = max((ruler(word, FONT) for word in words), default=0.0) + GAP
    axis = Axis(*_apart(*ends), left, left + WIDE)
    bottom = len(rows) * ROW
    shapes: list[DrawnShape] = []
    for number, (row, word) in enumerate(zip(rows, words, strict=True)):
        y = (number + 0.5) * ROW
        texts = [Text(word, left - GAP, y, FONT, PAGE, "end"), Text(row.number, axis.end + GAP, y, FONT, PAGE, "start")]
        shapes.append(Group([*(_drawn(span, axis, y) for span in row.spans), *texts], ("row",), row.about))
    at = axis.position(mark)
    shapes.append(Path((Point(at, 0.0), Point(at, bottom)), Look(line=PAGE, width=1.0)))
    shapes += axis.below(bottom)
    width = axis.end + GAP + max((ruler(row.number, FONT) for row in rows), default=0.0)
    return captioned(title, notes, Drawing(shapes, Size(width, bottom + NUMBERS)), ruler)


def _drawn(span: Span, axis: Axis, y: float) -> DrawnShape:
    low, high = sorted((axis.position(span.start), axis.position(span.end)))
    return Group([Rectangle(Box((low + high) / 2, y, high - low, span.height), span.look)], ("span",))


def _apart(low: float, high: float) -> tuple[float, float]:
    return (low, high) if high > low else (low - 0.5, high + 0.5)
