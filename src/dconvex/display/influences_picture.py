"""The picture of influences: for each finding a bar to the side to which it moved the answer."""

from __future__ import annotations

import math

from dconvex.amounts import amount
from dconvex.display.colours import BAR, LOWER
from dconvex.display.drawing import Drawing, Look, Ruler
from dconvex.display.panels import caption
from dconvex.display.span_chart import Span, SpanRow, span_chart
from dconvex.inference.influences import Influence, Influences

ROWS = 25
"""The most findings in the picture."""


def influences_picture(found: Influences, ruler: Ruler) -> Drawing:
    """The finding that changed the answer most on top."""
    if not found.rows:
        return caption(f"No findings say anything about {found.title}", [], ruler)
    shown = found.rows[:ROWS]
    finite = [abs(row.shift) for row in shown if math.isfinite(row.shift)]
    reach = 1.1 * (max(finite, default=0.0) or 1.0)
    unit = "the mean in standard deviations" if found.state is None else f"the log-odds of {found.state}"
    notes = [f"each finding moves {unit}; next to the bars what is without it and with it", found.agreement]
    left = len(found.rows) - len(shown)
    if left:
        notes.append(f"{amount(left, 'more finding')}")
    rows = [_row(found, row, reach) for row in shown]
    return span_chart(f"Influences on {found.title}", notes, rows, (-reach, reach), 0.0, ruler)


def _row(found: Influences, row: Influence, reach: float) -> SpanRow:
    end = min(max(row.shift, -reach), reach)
    before, after = found.number(row.without), found.number(found.answer)
    about = f"{row.title}: {row.shift:+.4g}, {row.divergence:.4g} bits, conflict {row.conflict:+.4g} bits"
    span = Span(0.0, end, Look(fill=BAR if end > 0 else LOWER))
    return SpanRow(row.title, [span], f"{before:.4g} → {after:.4g}", about)
