"""What a drawn line covers, computed without matplotlib; shared by the layout tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from dconvex.display.geometry import Box, Point, Route


def overlapping(boxes: Sequence[Box], gap: float = 0.0) -> list[tuple[int, int]]:
    """Pairs of boxes that are nearer to each other than `gap` in both directions."""
    return [
        (one, other)
        for one, other in itertools.combinations(range(len(boxes)), 2)
        if abs(boxes[one].x - boxes[other].x) < (boxes[one].width + boxes[other].width) / 2 + gap - 1e-6
        and abs(boxes[one].y - boxes[other].y) < (boxes[one].height + boxes[other].height) / 2 + gap - 1e-6
    ]


def along(route: Route, *, flows_down: bool, steps: int = 25) -> Iterator[Point]:
    """Points of the curve through the knots, whose tangents at the knots follow the flow."""
    for start, end in itertools.pairwise(route):
        half_x, half_y = (start.x + end.x) / 2, (start.y + end.y) / 2
        one = (start.x, half_y) if flows_down else (half_x, start.y)
        other = (end.x, half_y) if flows_down else (half_x, end.y)
        for step in range(steps + 1):
            t = step / steps
            weights = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3
            knots = (start, one, other, end)
            yield Point(*(sum(w * knot[axis] for w, knot in zip(weights, knots, strict=True)) for axis in (0, 1)))


def enters(points: Iterable[Point], box: Box) -> bool:
    """Whether one of the points lies inside the box, not only on its rim."""
    tiny = 1e-6
    return any(box.left + tiny < x < box.right - tiny and box.top + tiny < y < box.bottom - tiny for x, y in points)
