"""The picture of a sensitivity: a tornado, in which each parameter moves the probability to both sides."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dconvex.amounts import amount
from dconvex.display.colours import BAR, LOWER
from dconvex.display.drawing import BETWEEN, Drawing, Look, Ruler, below_each_other
from dconvex.display.panels import GAP, caption, legend
from dconvex.display.span_chart import Span, SpanRow, span_chart
from dconvex.inference.sensitivity import Sensitivity, SensitivityFunction

ROWS = 20
"""The most parameters in the picture."""
STEP = 0.1
"""How far a parameter is moved to both sides."""
THIN = 2.5


def sensitivity_picture(found: Sensitivity, ruler: Ruler) -> Drawing:
    """The largest derivatives on top; the thin lines are what the parameters can do between 0 and 1."""
    title = f"Sensitivity of {found.title} = {found.probability:.4g}"
    shown = found.rows[:ROWS]
    if not shown:
        return caption(title, ["no parameter matters"], ruler)
    ends = _ends(found.probability, shown)
    rows = [_row(row, ends) for row in shown]
    left = len(found.rows) - len(shown)
    notes = [f"the line is at the probability now; {found.decision} where the parameter is in the range to the right"]
    notes += [amount(left, "more parameter")] if left else []
    chart = span_chart(title, notes, rows, ends, found.probability, ruler)
    looks = [
        (Look(fill=LOWER), f"the parameter is {STEP:g} lower"),
        (Look(fill=BAR), f"it is {STEP:g} higher"),
        (Look(fill=BETWEEN, opacity=0.5), "it is anything from 0 to 1"),
    ]
    return below_each_other([chart, legend(looks, ruler)], GAP)


def _ends(now: float, rows: Sequence[SensitivityFunction]) -> tuple[float, float]:
    """The range of the bars, and a little more; what a parameter can do beyond is cut."""
    reached = [now, *(end for row in rows for end in _moved(row))]
    margin = 0.15 * (max(reached) - min(reached)) or 0.05
    return max(min(reached) - margin, 0.0), min(max(reached) + margin, 1.0)


def _moved(row: SensitivityFunction) -> tuple[float, float]:
    """The probability where the parameter is lower and where it is higher."""
    lower, higher = (row.at(min(max(row.value + step, 0.0), 1.0)) for step in (-STEP, STEP))
    return _known(lower, row.probability), _known(higher, row.probability)


def _row(row: SensitivityFunction, ends: tuple[float, float]) -> SpanRow:
    now, (lower, higher) = row.probability, _moved(row)
    first, last = (min(max(_known(row.at(end), now), ends[0]), ends[1]) for end in (0.0, 1.0))
    reach = Span(first, last, Look(fill=BETWEEN, opacity=0.5), THIN)
    spans = [reach, Span(now, lower, Look(fill=LOWER)), Span(now, higher, Look(fill=BAR))]
    low, high = row.admissible
    allowed = "any" if (low, high) == (0.0, 1.0) else f"{low:.3f} to {high:.3f}"
    about = f"{row.title} = {row.value:.4g}: derivative {row.derivative:.4g}, admissible {allowed}"
    return SpanRow(f"{row.title} = {row.value:.4g}", spans, allowed, about)


def _known(probability: float, now: float) -> float:
    """The probability; where the evidence is impossible there is none, and nothing is drawn."""
    return now if math.isnan(probability) else probability
