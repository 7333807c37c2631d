"""Pictures of evaluations: calibration curves, confusion matrices, and how often intervals held what happened."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dconvex.display.axis import Axis
from dconvex.display.charts import ChartBar, bar_chart
from dconvex.display.colours import BAR, LINES, shade
from dconvex.display.drawing import (
    BETWEEN,
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
    side_by_side,
)
from dconvex.display.geometry import Box, Point, Size
from dconvex.display.heat_map import Side, heat_map
from dconvex.display.labels import label, shortened
from dconvex.display.panels import GAP, caption, captioned, legend
from dconvex.evaluation.fold_results import CrossValidation
from dconvex.inference.calibration import Calibration
from dconvex.inference.confusion import Confusion
from dconvex.inference.discrete_evaluation import Evaluation
from dconvex.inference.gaussian_evaluation import GaussianEvaluation

SIDE = 200.0
"""The side of the square."""
LEFT, NUMBERS = 36.0, 14.0
"""The space of the numbers to the left of the square and below it."""
SMALLEST, LARGEST = 3.0, 9.0
"""The sides of dots: their areas grow with the weight of their rows."""
STATES = 24
"""The most states of a matrix, the most frequent ones."""
WIDEST = 120.0


@dataclass(frozen=True, slots=True)
class _Dot:
    """A point of a curve, the share of the rows that it has, and what hovering shows."""

    predicted: float
    observed: float
    share: float
    about: str


@dataclass(frozen=True, slots=True)
class _Curve:
    dots: Sequence[_Dot]
    colour: str


def evaluation_picture(evaluation: Evaluation, ruler: Ruler) -> Drawing:
    """The calibration curves next to the confusion matrix."""
    both = [calibration_picture(evaluation.calibration, ruler), confusion_picture(evaluation.confusion, ruler)]
    title = f"{label(evaluation.target)}, {evaluation.rows:,} rows"
    notes = [f"accuracy {evaluation.accuracy:.4f}, log loss {evaluation.log_loss:.4f}, AUC {evaluation.auc:.4f}"]
    return below_each_other([caption(title, notes, ruler), side_by_side(both, 4 * GAP)], GAP)


def cross_validation_picture(found: CrossValidation, ruler: Ruler) -> Drawing:
    """The picture of all rows together; of log-likelihoods a bar for each fold."""
    if isinstance(found.pooled, Evaluation):
        return evaluation_picture(found.pooled, ruler)
    if isinstance(found.pooled, GaussianEvaluation):
        return coverage_picture(found.pooled, ruler)
    values = [fold.scores["log_likelihood"] for fold in found]
    whole = max((abs(value) for value in values if math.isfinite(value)), default=0.0) or 1.0
    bars = [
        ChartBar((f"fold {number}",), abs(value) / whole if math.isfinite(value) else 0.0, f"{value:.5g}")
        for number, value in enumerate(values)
    ]
    note = f"together {found.pooled.mean:.6g} a row"
    return bar_chart("Log-likelihood of rows that were held out", (), bars, ruler, note)


def coverage_picture(evaluation: GaussianEvaluation, ruler: Ruler) -> Drawing:
    """Of intervals of each probability, the share that held what happened."""
    dots = [_Dot(row.level, row.observed, 0.1, f"{row.level:.0%}: {row.observed:.1%}") for row in evaluation]
    square = _square([_Curve(dots, BAR)], "probability of the interval", "share of rows in it")
    notes = [f"RMSE {evaluation.rmse:.5g} (always the mean: {evaluation.spread:.5g}), MAE {evaluation.mae:.5g}"]
    return captioned(f"{label(evaluation.target)}, {evaluation.rows:,} rows", notes, square, ruler)


def calibration_picture(calibration: Calibration, ruler: Ruler) -> Drawing:
    """A curve for each state, of two states for the rarer one: the other's is its mirror image."""
    counts = {
        state: sum(one.weight * one.observed for one in bins) for state, bins in calibration.by_state.items() if len(bins) > 0
    }
    most = 1 if len(calibration.by_state) == 2 else len(LINES)
    sign = 1 if len(calibration.by_state) == 2 else -1
    shown = sorted(counts, key=lambda state: sign * counts[state])[:most]
    in_order = [state for state in calibration.by_state if state in shown]
    curves = [
        _Curve(
            [
                _Dot(
                    one.predicted,
                    one.observed,
                    one.weight / sum(own.weight for own in calibration.by_state[state]),
                    f"{label(str(state))}: {one.predicted:.3f} predicted, {one.observed:.3f} observed, {one.weight:,.6g} rows",
                )
                for one in calibration.by_state[state]
            ],
            LINES[number],
        )
        for number, state in enumerate(in_order)
    ]
    parts = [_square(curves, "predicted probability", "observed share")]
    if len(in_order) > 1:
        looks = [Look(fill=curve.colour) for curve in curves]
        words = [shortened(label(str(state)), WIDEST, ruler, FONT) for state in in_order]
        parts.append(below_each_other([legend([entry], ruler) for entry in zip(looks, words, strict=True)], 2.0))
    is_one = len(in_order) == 1
    title = f"Calibration of {label(calibration.target)}" + (f" = {label(str(in_order[0]))}" if is_one else "")
    notes = [f"expected error {calibration.error:.4f}"]
    if len(counts) > len(in_order) > 1:
        notes.append(f"the {len(in_order)} most frequent of {len(calibration.by_state)} states")
    return captioned(title, notes, side_by_side(parts, GAP), ruler)


def _square(curves: Sequence[_Curve], across: str, up: str) -> Drawing:
    """The curves between 0 and 1 on both sides, and the diagonal where both are equal."""
    left = LEFT + FONT
    x, y = Axis(0.0, 1.0, left, left + SIDE), Axis(0.0, 1.0, SIDE, 0.0)
    diagonal = Path((Point(left, SIDE), Point(left + SIDE, 0.0)), Look(line=BETWEEN, is_dashed=True))
    shapes: list[DrawnShape] = [diagonal, *x.below(SIDE), *y.upright(left)]
    for curve in curves:
        points = tuple(Point(x.position(dot.predicted), y.position(dot.observed)) for dot in curve.dots)
        if len(points) > 1:
            shapes.append(Path(points, Look(line=curve.colour, width=1.4)))
        for dot, (at, height) in zip(curve.dots, points, strict=True):
            wide = max(LARGEST * float(np.sqrt(dot.share)), SMALLEST)
            look = Look(fill=curve.colour)
            shapes.append(Group([Rectangle(Box(at, height, wide, wide), look, radius=wide / 2)], ("dot",), dot.about))
    shapes.append(Text(across, left + SIDE / 2, SIDE + NUMBERS + FONT, FONT, SECONDARY))
    shapes.append(Text(up, FONT / 2, SIDE / 2, FONT, SECONDARY, is_upright=True))
    return Drawing(shapes, Size(left + SIDE + FONT, SIDE + NUMBERS + 2 * FONT))


def confusion_picture(confusion: Confusion, ruler: Ruler) -> Drawing:
    """What happened (down) and what was predicted (across): numbers of rows, coloured by their share of what happened."""
    values = confusion.values
    chosen = np.sort(np.argsort(-(values.sum(axis=0) + values.sum(axis=1)), kind="stable")[:STATES])
    part = values[np.ix_(chosen, chosen)]
    totals = values.sum(axis=1)[chosen]
    shares = part / np.where(totals > 0, totals, 1.0)[:, None]
    words = [label(str(confusion.states[code])) for code in chosen.tolist()]
    written = [[f"{value:,.6g}" for value in line] for line in part.tolist()]
    title = f"Confusion of {label(confusion.target)}"
    grid = heat_map(title, Side("actual", words), Side("predicted", words), shares, shade, "{:.0%}".format, ruler, written)
    if len(chosen) == len(values):
        return grid
    note = Text(
        f"the {len(chosen)} most frequent of {len(values)} states", 0.0, grid.size.height + GAP, FONT, SECONDARY, "start"
    )
    return Drawing([*grid.shapes, note], Size(grid.size.width, grid.size.height + 2 * GAP), name=grid.name)
