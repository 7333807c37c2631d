"""The picture of an effect: what setting the treatment does next to what seeing it says, as bars or as two lines."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dconvex.display.axis import Axis
from dconvex.display.charts import ChartBar, bar_chart
from dconvex.display.colours import BAR, LOWER
from dconvex.display.distribution_picture import full_length
from dconvex.display.drawing import FONT, SECONDARY, Drawing, DrawnShape, Look, Path, Ruler, Text, below_each_other
from dconvex.display.geometry import Point, Size
from dconvex.display.labels import label
from dconvex.display.panels import GAP, captioned, legend
from dconvex.inference.distribution import Distribution, GaussianDistribution
from dconvex.inference.effect import Effect, Setting
from dconvex.inference.engine import Answer
from dconvex.names import Label, in_one_line

ROWS = 40
"""The most bars."""
WIDE, HIGH = 260.0, 170.0
LEFT = 45.0
NUMBERS = 14.0


def effect_picture(found: Effect, ruler: Ruler) -> Drawing:
    """Bars for states, lines for numbers."""
    return _bars(found, ruler) if found.slope is None else _lines(found, ruler)


def _bars(found: Effect, ruler: Ruler) -> Drawing:
    states = found.before.states[found.outcome]
    shown = states[:1] if len(states) == 2 else states
    cells = [
        (in_one_line(row.value), label(state), how, _chance(answer, state))
        for row in found.rows
        for state in shown
        for how, answer in (("set", row.doing), ("seen", row.seeing))
    ]
    whole = full_length(max((chance for *_, chance in cells if not math.isnan(chance)), default=1.0))
    bars = [
        ChartBar(
            (setting, state, how),
            0.0 if math.isnan(chance) else chance / whole,
            _number(chance),
            colour=BAR if how == "set" else LOWER,
        )
        for setting, state, how, chance in cells[:ROWS]
    ]
    heads = (label(found.treatment), label(found.outcome), "is")
    notes = [f"a full bar is {whole:g}"] if whole < 1 else []
    notes += [f"{len(cells) - ROWS} more bars"] if len(cells) > ROWS else []
    return bar_chart(_title(found), heads, bars, ruler, "; ".join(notes))


def _chance(answer: Answer | None, state: Label) -> float:
    return answer[state] if isinstance(answer, Distribution) else math.nan


def _number(chance: float) -> str:
    return "–" if math.isnan(chance) else f"{chance:.4f}"


def _title(found: Effect) -> str:
    return found.title[:1].upper() + found.title[1:]


def _lines(found: Effect, ruler: Ruler) -> Drawing:
    """The expected outcome where the treatment is set and where it is seen."""
    across = Axis(_as_number(found.rows[0]), _as_number(found.rows[-1]), LEFT, LEFT + WIDE)
    means = [(_means(found.rows, "doing"), BAR), (_means(found.rows, "seeing"), LOWER)]
    heights = [mean for line, _ in means for _, mean in line]
    low, high = min(heights), max(heights)
    up = Axis(low, high, HIGH, 0.0) if high > low else Axis(low - 1, high + 1, HIGH, 0.0)
    shapes: list[DrawnShape] = [*across.below(HIGH), *up.upright(LEFT)]
    for line, colour in means:
        points = tuple(Point(across.position(value), up.position(mean)) for value, mean in line)
        if len(points) > 1:
            shapes.append(Path(points, Look(line=colour, width=2.0)))
    shapes.append(Text(label(found.treatment), LEFT + WIDE / 2, HIGH + NUMBERS + FONT, FONT, SECONDARY))
    shapes.append(Text(label(found.outcome), FONT / 2, HIGH / 2, FONT, SECONDARY, is_upright=True))
    drawing = Drawing(shapes, Size(LEFT + WIDE, HIGH + NUMBERS + 2 * FONT))
    looks = [(Look(fill=BAR), f"set: slope {found.slope:.4g}"), (Look(fill=LOWER), f"seen: slope {found.seeing_slope:.4g}")]
    return captioned(_title(found), [], below_each_other([drawing, legend(looks, ruler)], GAP), ruler)


def _means(rows: Sequence[Setting], how: str) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for row in rows:
        answer = row.doing if how == "doing" else row.seeing
        if isinstance(answer, GaussianDistribution):
            found.append((_as_number(row), float(answer.mean[0])))
    return found


def _as_number(row: Setting) -> float:
    assert isinstance(row.value, int | float)
    return float(row.value)
