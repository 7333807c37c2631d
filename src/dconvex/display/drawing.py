"""The parts of a picture: shapes as data, in points, which a surface paints (`svg`, `canvas`).

A picture is shown on light pages and on dark ones: text on the page itself has the colour of the page's text (`PAGE`,
`SECONDARY`), lines have it or one between light and dark; dark text is only on light boxes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, Self, TypeAlias

from dconvex.display.geometry import Box, Point, Route, Size

Ruler: TypeAlias = Callable[[str, float], float]
"""From a line of text and a font size to its width."""

PAGE = "currentColor"
"""The colour of the text around the picture."""
SECONDARY = "secondary"
"""The same, a little fainter: text that is less important."""
BETWEEN = "#808080"
"""Lines and areas that are visible on light pages and on dark ones; too faint for text."""
STRENGTH = 0.75
"""Of text that is less important."""

FONT, TITLE = 8.0, 9.0
"""The sizes of text and of titles."""
PAGE_WIDTH = 700.0
"""The widest picture that can be read in a notebook or on a page without zooming."""


@dataclass(frozen=True, slots=True)
class Look:
    """Colours of the inside and of the outline, and the width of the outline."""

    fill: str = "none"
    line: str = "none"
    width: float = 0.8
    is_dashed: bool = False
    opacity: float = 1.0
    """Of the inside."""


class Surface(Protocol):
    """Paints shapes."""

    def rectangle(self, shape: Rectangle) -> None: ...
    def path(self, shape: Path) -> None: ...
    def text(self, shape: Text) -> None: ...
    def group(self, shape: Group) -> None: ...


class DrawnShape(Protocol):
    """A part of a picture."""

    def paint(self, surface: Surface) -> None: ...
    def moved(self, dx: float, dy: float) -> Self: ...


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A box with rounded corners."""

    box: Box
    look: Look
    radius: float = 0.0

    def paint(self, surface: Surface) -> None:
        surface.rectangle(self)

    def moved(self, dx: float, dy: float) -> Self:
        return replace(self, box=self.box.moved(dx, dy))


@dataclass(frozen=True, slots=True)
class Path:
    """Straight lines from point to point or, if curved, Bézier curves: every third point is a knot."""

    points: Route
    look: Look
    is_curved: bool = False
    is_closed: bool = False

    def paint(self, surface: Surface) -> None:
        surface.path(self)

    def moved(self, dx: float, dy: float) -> Self:
        return replace(self, points=tuple(Point(x + dx, y + dy) for x, y in self.points))


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text; `y` is the height of its middle, `x` its anchor."""

    text: str
    x: float
    y: float
    size: float
    colour: str = PAGE
    anchor: Literal["start", "middle", "end"] = "middle"
    is_bold: bool = False
    is_upright: bool = False
    """Whether it reads upwards; then `x` is the middle of the line and `y` its anchor."""
    width: float | None = None
    """The width it is squeezed or stretched to, for a reader whose font differs."""

    def paint(self, surface: Surface) -> None:
        surface.text(self)

    def moved(self, dx: float, dy: float) -> Self:
        return replace(self, x=self.x + dx, y=self.y + dy)


@dataclass(frozen=True, slots=True)
class Group:
    """Shapes that belong together; `kinds` are names to find it by, hovering shows `title`."""

    shapes: Sequence[DrawnShape]
    kinds: tuple[str, ...] = ()
    title: str = ""

    def paint(self, surface: Surface) -> None:
        surface.group(self)

    def moved(self, dx: float, dy: float) -> Self:
        return replace(self, shapes=[shape.moved(dx, dy) for shape in self.shapes])


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture; `name` says in words what it shows."""

    shapes: Sequence[DrawnShape]
    size: Size
    name: str = field(default="", kw_only=True)


def flow(route: Route, look: Look, *, flows_down: bool) -> Path:
    """A smooth line through the knots of a route, leaving and reaching each of them along the flow."""
    points: list[Point] = [route[0]]
    for start, end in itertools.pairwise(route):
        half_x, half_y = (start.x + end.x) / 2, (start.y + end.y) / 2
        points.append(Point(start.x, half_y) if flows_down else Point(half_x, start.y))
        points.append(Point(end.x, half_y) if flows_down else Point(half_x, end.y))
        points.append(end)
    return Path(tuple(points), look, is_curved=True)


def below_each_other(drawings: Sequence[Drawing], gap: float) -> Drawing:
    """One drawing of several, their left sides aligned, with the name of the first."""
    *tops, end = itertools.accumulate((drawing.size.height + gap for drawing in drawings), initial=0.0)
    width = max((drawing.size.width for drawing in drawings), default=0.0)
    return _joined(drawings, [Point(0.0, top) for top in tops], Size(width, max(end - gap, 0.0)))


def side_by_side(drawings: Sequence[Drawing], gap: float) -> Drawing:
    """One drawing of several, their upper sides aligned, with the name of the first."""
    *lefts, end = itertools.accumulate((drawing.size.width + gap for drawing in drawings), initial=0.0)
    height = max((drawing.size.height for drawing in drawings), default=0.0)
    return _joined(drawings, [Point(left, 0.0) for left in lefts], Size(max(end - gap, 0.0), height))


def _joined(drawings: Sequence[Drawing], corners: Sequence[Point], size: Size) -> Drawing:
    """One drawing of several, with their upper left corners at these points."""
    moved = [shape.moved(*corner) for drawing, corner in zip(drawings, corners, strict=True) for shape in drawing.shapes]
    return Drawing(moved, size, name=drawings[0].name if drawings else "")
