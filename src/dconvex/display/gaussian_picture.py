"""The picture of a normal distribution: a density for one variable, ellipses for two, intervals for more."""

from __future__ import annotations

import math

import numpy as np

from dconvex.arrays import Floats
from dconvex.display.axis import Axis
from dconvex.display.colours import BAR, contrast
from dconvex.display.drawable import DrawableGaussian
from dconvex.display.drawing import (
    FONT,
    PAGE,
    SECONDARY,
    Drawing,
    DrawnShape,
    Group,
    Look,
    Path,
    Rectangle,
    Ruler,
    Text,
    side_by_side,
)
from dconvex.display.geometry import Box, Point, Size
from dconvex.display.heat_map import Side, heat_map
from dconvex.display.labels import label, shortened
from dconvex.display.panels import GAP, ROW, captioned, without_variables

WIDE = 240.0
NUMBERS = 14.0
"""The height of the numbers below an axis."""
MIDDLE = 1.959964
"""Standard deviations to both sides of the mean that hold 95 % of a normal distribution."""
HALF, MOST = 0.5, 0.95
"""The share of the distribution in each of the two ellipses."""
ROWS = 40
"""The most variables with an interval."""
WIDEST = 150.0
"""A longer name is cut."""
CORRELATED = 12
"""The most variables with a map of correlations."""


def gaussian_picture(normal: DrawableGaussian, ruler: Ruler) -> Drawing:
    """A density, ellipses or intervals."""
    if not normal.variables:
        return without_variables(ruler)
    pictures = {1: _density, 2: _ellipses}
    return pictures.get(len(normal.variables), _intervals)(normal, ruler)


def _density(normal: DrawableGaussian, ruler: Ruler) -> Drawing:
    """The curve, with the middle 95 % of the area below it darker; only the mean if the variance is zero."""
    (mean,), (deviation,) = normal.mean.tolist(), normal.standard_deviations.tolist()
    axis, bottom = Axis(*_reach(mean, 3.5 * deviation), 0.0, WIDE), 0.45 * WIDE
    looks = ((3.5, Look(BAR, BAR, 1.2, opacity=0.25)), (MIDDLE, Look(BAR, opacity=0.45))) if deviation else ()
    shapes: list[DrawnShape] = [_hill(axis, mean, deviation, reach, bottom, look) for reach, look in looks]
    shapes.append(Path((Point(axis.position(mean), bottom), Point(axis.position(mean), 0.0)), Look(line=PAGE, width=1.0)))
    drawing = Drawing([*shapes, *axis.below(bottom)], Size(WIDE, bottom + NUMBERS))
    low, high = mean - MIDDLE * deviation, mean + MIDDLE * deviation
    notes = [f"mean {mean:.5g}, standard deviation {deviation:.5g}", f"95 % between {low:.5g} and {high:.5g}"]
    return captioned(normal.title, notes if deviation else [f"certainly {mean:.6g}"], drawing, ruler)


def _hill(axis: Axis, mean: float, deviation: float, reach: float, bottom: float, look: Look) -> DrawnShape:
    """The area below the curve, up to `reach` standard deviations from the mean."""
    z = np.linspace(-reach, reach, 91)
    heights = bottom * np.exp(-0.5 * z**2)
    top = [Point(axis.position(mean + deviation * at), bottom - y) for at, y in zip(z.tolist(), heights.tolist(), strict=True)]
    ends = Point(top[-1].x, bottom), Point(top[0].x, bottom)
    return Group([Path((*top, *ends), look, is_closed=True)], ("density",))


def _ellipses(normal: DrawableGaussian, ruler: Ruler) -> Drawing:
    """The ellipses around the mean that hold half and 95 % of the distribution."""
    (name, other), means, deviations = map(label, normal.variables), normal.mean.tolist(), normal.standard_deviations.tolist()
    left, bottom = 40.0, 0.8 * WIDE
    across = Axis(*_reach(means[0], 2.9 * deviations[0]), left, left + WIDE)
    up = Axis(*_reach(means[1], 2.9 * deviations[1]), bottom, 0.0)
    shapes: list[DrawnShape] = []
    for share in (MOST, HALF):
        rim = tuple(Point(across.position(x), up.position(y)) for x, y in _ellipse(normal, share).tolist())
        shapes.append(Group([Path(rim, Look(BAR, BAR, opacity=0.25), is_closed=True)], ("ellipse",), f"{share:.0%}"))
    x, y = across.position(means[0]), up.position(means[1])
    shapes += [Path((Point(x - dx, y - dy), Point(x + dx, y + dy)), Look(line=PAGE)) for dx, dy in ((4, 0), (0, 4))]
    shapes += [*across.below(bottom), *up.upright(left)]
    shapes.append(Text(name, left + WIDE / 2, bottom + NUMBERS + FONT, FONT, SECONDARY))
    shapes.append(Text(other, FONT / 2, bottom / 2, FONT, SECONDARY, is_upright=True))
    drawing = Drawing(shapes, Size(left + WIDE, bottom + NUMBERS + 2 * FONT))
    notes = [f"{label(who)}: {at:.5g} ± {by:.5g}" for who, at, by in zip(normal.variables, means, deviations, strict=True)]
    notes.append(f"correlation {_correlations(normal)[0, 1]:.3f}; the ellipses hold {HALF:.0%} and {MOST:.0%}")
    return captioned(normal.title, notes, drawing, ruler)


def _ellipse(normal: DrawableGaussian, share: float) -> Floats:
    """Points of the curve of equal density that holds this share of the distribution."""
    values, vectors = np.linalg.eigh(normal.covariance)
    angle = np.linspace(0.0, 2 * math.pi, 72, endpoint=False)
    circle = math.sqrt(-2 * math.log(1 - share)) * np.array([np.cos(angle), np.sin(angle)])
    points: Floats = normal.mean + (vectors @ (np.sqrt(np.clip(values, 0.0, None))[:, None] * circle)).T
    return points


def _intervals(normal: DrawableGaussian, ruler: Ruler) -> Drawing:
    """A row for each variable: the mean, and one and two standard deviations; next to them the correlations."""
    count = len(normal.variables)
    names = [shortened(label(name), WIDEST, ruler, FONT) for name in normal.variables[:ROWS]]
    means, deviations = normal.mean[:ROWS], normal.standard_deviations[:ROWS]
    left = max(ruler(name, FONT) for name in names) + GAP
    low, high = float((means - 2.1 * deviations).min()), float((means + 2.1 * deviations).max())
    axis = Axis(*_reach((low + high) / 2, (high - low) / 2), left, left + WIDE)
    rows = [
        _interval(name, mean, deviation, (row + 0.5) * ROW, axis)
        for row, (name, mean, deviation) in enumerate(zip(names, means.tolist(), deviations.tolist(), strict=True))
    ]
    width = axis.end + GAP + ruler("-0.00000 ± 0.00000", FONT)
    drawing = Drawing([*rows, *axis.below(len(names) * ROW)], Size(width, len(names) * ROW + NUMBERS))
    note = "mean, and one and two standard deviations" + (f"; the first {ROWS} of {count:,} variables" if count > ROWS else "")
    whole = captioned(normal.title, [note], drawing, ruler)
    return side_by_side([whole, _correlation_map(normal, ruler)], 4 * GAP) if count <= CORRELATED else whole


def _interval(name: str, mean: float, deviation: float, y: float, axis: Axis) -> DrawnShape:
    wide = axis.position(mean + deviation) - axis.position(mean)
    lines = [
        Rectangle(Box(axis.position(mean), y, 2 * times * wide, high), look)
        for times, high, look in ((2, 2.5, Look(BAR, opacity=0.5)), (1, 5.0, Look(BAR)))
    ]
    dot = Path((Point(axis.position(mean), y - 4), Point(axis.position(mean), y + 4)), Look(line=PAGE, width=1.2))
    words = f"{mean:.5g} ± {deviation:.5g}"
    texts = [Text(name, axis.start - GAP, y, FONT, PAGE, "end"), Text(words, axis.end + GAP, y, FONT, PAGE, "start")]
    return Group([*lines, dot, *texts], ("row",), f"{name}: {words}")


def _correlation_map(normal: DrawableGaussian, ruler: Ruler) -> Drawing:
    """A number that is certain has no correlation, not even with itself."""
    side = Side("", [label(name) for name in normal.variables])
    values, varies = _correlations(normal), normal.standard_deviations > 0
    written = [
        [f"{value:.2f}" if both else "–" for value, both in zip(row, line, strict=True)]
        for row, line in zip(values.tolist(), np.outer(varies, varies).tolist(), strict=True)
    ]
    return heat_map("Correlations", side, side, values, contrast, "{:.2f}".format, ruler, written)


def _correlations(normal: DrawableGaussian) -> Floats:
    """The correlations; zero with a variable of variance zero."""
    scale = np.where(normal.standard_deviations > 0, normal.standard_deviations, np.inf)
    correlations: Floats = normal.covariance / np.outer(scale, scale)
    return correlations


def _reach(middle: float, spread: float) -> tuple[float, float]:
    """The ends of an axis; a spread smaller than rounding is replaced by the size of the middle."""
    reach = spread if spread > 1e-9 * abs(middle) else abs(middle) or 1.0
    return middle - reach, middle + reach
