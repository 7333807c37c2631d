"""The picture of what to observe next: a bar for each candidate."""

from __future__ import annotations

import math

from dconvex.amounts import amount
from dconvex.display.charts import ChartBar, bar_chart
from dconvex.display.drawing import Drawing, Ruler
from dconvex.display.labels import label
from dconvex.inference.informative import Informative, MostInformative

ROWS = 25
"""The most candidates in the picture."""


def informative_picture(found: MostInformative, ruler: Ruler) -> Drawing:
    """The best candidates; where costs are given, bars are gains per cost."""
    shown = found.rows[:ROWS]
    finite = [_height(found, row) for row in shown if math.isfinite(row.gain)]
    most = max(finite, default=0.0) or 1.0
    bars = [
        ChartBar((label(row.variable),), min(_height(found, row) / most, 1.0), _number(row.gain, row.cost, found.has_costs))
        for row in shown
    ]
    left = len(found.rows) - len(shown)
    title = f"What says most about {found.title}, in bits{' (bars: bits per cost)' if found.has_costs else ''}"
    return bar_chart(title, (), bars, ruler, f"{amount(left, 'more variable')}" if left else "")


def _height(found: MostInformative, row: Informative) -> float:
    return row.gain / row.cost if found.has_costs else row.gain


def _number(gain: float, cost: float, has_costs: bool) -> str:
    bits = "∞" if math.isinf(gain) else f"{gain:.4f}"
    return f"{bits}, cost {cost:g}" if has_costs else bits
