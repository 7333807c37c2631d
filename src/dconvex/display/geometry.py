"""Points, boxes and routes of layouts; the unit is a point, y grows downwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias


class Size(NamedTuple):
    """The size of a box."""

    width: float
    height: float


class Point(NamedTuple):
    """A position in the picture."""

    x: float
    y: float


Route: TypeAlias = tuple[Point, ...]
"""The knots of a line, which passes through each of them in the direction of flow."""
Edge: TypeAlias = tuple[int, int]
"""The indices of two nodes."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle around its centre."""

    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width / 2

    @property
    def top(self) -> float:
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        return self.y + self.height / 2

    def moved(self, dx: float, dy: float) -> Box:
        return replace(self, x=self.x + dx, y=self.y + dy)


def around(boxes: Iterable[Box], routes: Iterable[Route] = ()) -> Box:
    """The smallest box that holds all of them."""
    corners = [corner for box in boxes for corner in ((box.left, box.top), (box.right, box.bottom))]
    corners += [point for route in routes for point in route]
    if not corners:
        return Box(0, 0, 0, 0)
    (left, top), (right, bottom) = ([pick(axis) for axis in zip(*corners, strict=True)] for pick in (min, max))
    return Box((left + right) / 2, (top + bottom) / 2, right - left, bottom - top)


def shifted(routes: Sequence[Route], dx: float, dy: float) -> tuple[Route, ...]:
    """The routes, moved."""
    return tuple(tuple(Point(x + dx, y + dy) for x, y in route) for route in routes)
