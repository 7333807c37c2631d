"""The picture of expectation maximisation: what each iteration gained."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dconvex.amounts import amount
from dconvex.display.axis import Axis
from dconvex.display.colours import BAR, LOWER
from dconvex.display.drawing import (
    FONT,
    SECONDARY,
    Drawing,
    DrawnShape,
    Group,
    Look,
    Path,
    Rectangle,
    Ruler,
    Text,
    below_each_other,
)
from dconvex.display.geometry import Box, Point, Size
from dconvex.display.panels import GAP, captioned, legend
from dconvex.inference.report import EmReport

WIDE, HIGH = 320.0, 170.0
LEFT, NUMBERS = 52.0, 14.0
"""The space of the numbers to the left of the curve and below it."""
DOT = 4.0
DOTS = 60
"""The most iterations that are marked by dots."""
ROUNDING = 1e-12
"""Smaller gains, as parts of the values, are drawn as none."""


def em_picture(report: EmReport, ruler: Ruler) -> Drawing:
    """What each iteration gained of the log-likelihood and, where there is a prior, of the objective."""
    curves = [_Course("log-likelihood", report.log_likelihood, BAR)]
    if report.objective != report.log_likelihood:
        curves.insert(0, _Course("objective, with the prior", report.objective, LOWER))
    ended = "converged after" if report.converged else "stopped, not converged, after"
    notes = [f"{ended} {amount(report.iterations, 'iteration')}, {amount(round(report.filled), 'missing cell')}"]
    if len(report.restarts) > 1:
        notes.append(f"start {report.best + 1} of {len(report.restarts)} won")
    parts = [_axes(curves), *(legend([(Look(fill=curve.colour), curve.meaning)], ruler) for curve in curves)]
    return captioned("EM: what each iteration gained", notes, below_each_other(parts, GAP / 2), ruler)


@dataclass(frozen=True, slots=True)
class _Course:
    """The values of something by iteration."""

    name: str
    values: Sequence[float]
    colour: str

    @property
    def meaning(self) -> str:
        return f"{self.name}: {self.values[0]:.8g} … {self.values[-1]:.8g}"

    def gains(self) -> list[tuple[int, float]]:
        """The iterations with a finite value, and how far that is above the first one."""
        finite = [(number, value) for number, value in enumerate(self.values, 1) if math.isfinite(value)]
        return [(number, value - finite[0][1]) for number, value in finite]


def _axes(curves: Sequence[_Course]) -> Drawing:
    """The curves in one system of axes."""
    across = Axis(1.0, float(max(2, *(len(curve.values) for curve in curves))), LEFT, LEFT + WIDE)
    gains = [gain for curve in curves for _, gain in curve.gains()]
    least = ROUNDING * max((abs(value) for curve in curves for value in curve.values if math.isfinite(value)), default=0.0)
    highest = max(gains, default=0.0)
    up = Axis(min(gains, default=0.0), 1.04 * highest if highest > least else 1.0, HIGH, 0.0)
    shapes: list[DrawnShape] = [*across.below(HIGH, least=1.0), *up.upright(LEFT)]
    for curve in curves:
        points = tuple(Point(across.position(number), up.position(gain)) for number, gain in curve.gains())
        if len(points) > 1:
            shapes.append(Path(points, Look(line=curve.colour, width=1.4)))
        if len(points) <= DOTS:
            shapes += [_dot(curve, number, at) for (number, _), at in zip(curve.gains(), points, strict=True)]
    shapes.append(Text("iteration", LEFT + WIDE / 2, HIGH + NUMBERS + FONT, FONT, SECONDARY))
    shapes.append(Text("gain over the first", FONT / 2, HIGH / 2, FONT, SECONDARY, is_upright=True))
    return Drawing(shapes, Size(LEFT + WIDE + FONT, HIGH + NUMBERS + 2 * FONT))


def _dot(curve: _Course, number: int, at: Point) -> Group:
    about = f"{curve.name} after iteration {number}: {curve.values[number - 1]:.10g}"
    return Group([Rectangle(Box(at.x, at.y, DOT, DOT), Look(fill=curve.colour), DOT / 2)], ("dot",), about)
