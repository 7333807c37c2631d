"""What a picture is made of: shapes as data, in points, which a surface paints (`svg`, `canvas`).

A picture is seen on light pages and on dark ones: what stands on the page itself has the colour of the page's own text
(`PAGE`) or one between light and dark; dark text stands on light boxes only.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, Self, TypeAlias

from dconvex.display.geometry import Box, Point, Route, Size

Ruler: TypeAlias = Callable[[str, float], float]
"""How wide a line of text is in a font of some size."""

PAGE = "currentColor"
"""The colour of the text around the picture."""
BETWEEN = "#808080"
"""Seen on light pages and on dark ones."""

FONT, TITLE = 8.0, 9.0
"""The sizes of text and of titles."""
PAGE_WIDTH = 700.0
"""What can be read in a notebook or on a page without zooming is no wider."""


@dataclass(frozen=True, slots=True)
class Look:
    """Colours of the inside and of the rim, and how thick that is."""

    fill: str = "none"
    line: str = "none"
    width: float = 0.8
    is_dashed: bool = False
    opacity: float = 1.0
    """Of the inside."""


class Surface(Protocol):
    """What can be painted on."""

    def rectangle(self, shape: Rectangle) -> None: ...
    def path(self, shape: Path) -> None: ...
    def text(self, shape: Text) -> None: ...
    def group(self, shape: Group) -> None: ...


class Shape(Protocol):
    """A part of a picture."""

    def paint(self, surface: Surface) -> None: ...
    def moved(self, dx: float, dy: float) -> Self: ...


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A box, its corners rounded."""

    box: Box
    look: Look
    radius: float = 0.0

    def paint(self, surface: Surface) -> None:
        surface.rectangle(self)

    def moved(self, dx: float, dy: float) -> Self:
        return replace(self, box=self.box.moved(dx, dy))


@dataclass(frozen=True, slots=True)
class Path:
    """Straight lines from point to point, or where it is curved, Bézier curves: every third point is a knot."""

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
    """One line; `y` is the height of its middle, and `x` is where it is anchored."""

    text: str
    x: float
    y: float
    size: float
    colour: str = PAGE
    anchor: Literal["start", "middle", "end"] = "middle"
    is_bold: bool = False
    is_upright: bool = False
    """Whether it reads upwards; then `x` is the middle of the line, and `y` is where it is anchored."""
    width: float | None = None
    """The room for it: a reader whose font is wider sees it narrower."""

    def paint(self, surface: Surface) -> None:
        surface.text(self)

    def moved(self, dx: float, dy: float) -> Self:
        return replace(self, x=self.x + dx, y=self.y + dy)


@dataclass(frozen=True, slots=True)
class Group:
    """Shapes that belong together; `kinds` are names to find it by, `title` is shown where the mouse rests on it."""

    shapes: Sequence[Shape]
    kinds: tuple[str, ...] = ()
    title: str = ""

    def paint(self, surface: Surface) -> None:
        surface.group(self)

    def moved(self, dx: float, dy: float) -> Self:
        return replace(self, shapes=[shape.moved(dx, dy) for shape in self.shapes])


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture; `name` says in words what it shows."""

    shapes: Sequence[Shape]
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
    """One drawing of several, their left sides in line, called what the first one is."""
    shapes: list[Shape] = []
    y = 0.0
    for drawing in drawings:
        shapes += [shape.moved(0.0, y) for shape in drawing.shapes]
        y += drawing.size.height + gap
    size = Size(max((drawing.size.width for drawing in drawings), default=0.0), max(y - gap, 0.0))
    return Drawing(shapes, size, name=drawings[0].name if drawings else "")


def side_by_side(drawings: Sequence[Drawing], gap: float) -> Drawing:
    """One drawing of several, their upper sides in line, called what the first one is."""
    shapes: list[Shape] = []
    x = 0.0
    for drawing in drawings:
        shapes += [shape.moved(x, 0.0) for shape in drawing.shapes]
        x += drawing.size.width + gap
    size = Size(max(x - gap, 0.0), max((drawing.size.height for drawing in drawings), default=0.0))
    return Drawing(shapes, size, name=drawings[0].name if drawings else "")
