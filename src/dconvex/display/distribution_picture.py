"""The picture of a discrete distribution: bars for one variable, a heat map for two, the most probable rows for more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dconvex.arrays import Floats, Integers
from dconvex.display.charts import ChartBar, bar_chart
from dconvex.display.colours import shade
from dconvex.display.drawable import DrawableDistribution
from dconvex.display.drawing import Drawing, Ruler
from dconvex.display.heat_map import Side, heat_map
from dconvex.display.labels import label
from dconvex.display.panels import without_variables
from dconvex.names import Name

ROWS = 30
"""The most bars: all states of one variable in their order, or the most probable ones."""
LONGEST, CELLS = 64, 1_600
"""The longest side of a heat map, and the most cells in it."""
STRIP = 12
"""A heat map with a side more than this many times as long as the other is a strip; bars are drawn instead."""
COLUMNS = 12
"""The most variables whose states are listed."""


def distribution_picture(table: DrawableDistribution, ruler: Ruler) -> Drawing:
    """Bars, or a heat map for two variables."""
    if not table.variables:
        return without_variables(ruler)
    is_small = table.values.size <= CELLS and max(table.values.shape) <= LONGEST
    is_map = len(table.variables) == 2 and is_small and not _is_strip(table.values.shape) and table.standard_errors is None
    return _heat_map(table, ruler) if is_map else _bars(table, ruler)


def _is_strip(shape: tuple[int, ...]) -> bool:
    return max(shape) > ROWS and max(shape) > STRIP * min(shape)


def _bars(table: DrawableDistribution, ruler: Ruler) -> Drawing:
    flat = table.values.reshape(-1)
    errors = np.zeros(len(flat)) if table.standard_errors is None else table.standard_errors.reshape(-1)
    shown = np.arange(len(flat)) if len(table.variables) == 1 and len(flat) <= ROWS else _most_probable(flat)
    cells = np.transpose(np.unravel_index(shown, table.values.shape)).tolist()
    whole = full_length(float(flat.max(initial=0.0)))
    bars = [
        ChartBar(
            tuple(label(names[code]) for names, code in zip(table.labels[:COLUMNS], cell, strict=False)),
            float(flat[index]) / whole,
            _number(flat[index]) + (f" ± {errors[index]:.2g}" if errors[index] else ""),
            float(errors[index]) / whole,
        )
        for index, cell in zip(shown.tolist(), cells, strict=True)
    ]
    notes = [f"a full bar is {whole:g}"] if whole < 1 else []
    notes += _left_out(flat, shown, len(table.variables))
    return bar_chart(table.title, _heads(table.variables), bars, ruler, "; ".join(notes))


def full_length(largest: float) -> float:
    """The probability of a full bar: the next of 1, 0.5, 0.2, 0.1, 0.05 and so on.

    >>> full_length(0.7), full_length(0.14)
    (1.0, 0.2)
    """
    steps = (step * 10.0**-power for power in range(1, 7) for step in (5, 2, 1))
    return min([1.0, *(round(step, 6) for step in steps if step >= largest)])


def _most_probable(flat: Floats) -> Integers:
    """The indices of the most probable rows, most probable first, equal ones in their order."""
    last = max(len(flat) - ROWS, 0)
    threshold = np.partition(flat, last)[last]
    candidates = np.flatnonzero(flat >= threshold)
    order = np.lexsort((candidates, -flat[candidates]))
    chosen: Integers = candidates[order[:ROWS]]
    return chosen


def _left_out(flat: Floats, shown: Integers, variables: int) -> list[str]:
    notes = []
    if len(shown) < len(flat):
        left = max(float(flat.sum() - flat[shown].sum()), 0.0)
        notes.append(f"{len(flat) - len(shown):,} more states have {_number(left)} together")
    if variables > COLUMNS:
        notes.append(f"states of the first {COLUMNS} of {variables} variables")
    return notes


def _heads(variables: Sequence[Name]) -> tuple[str, ...]:
    return tuple(map(label, variables[:COLUMNS])) if len(variables) > 1 else ()


def _number(probability: float) -> str:
    return f"{probability:.4f}" if probability >= 0.001 or not probability else f"{probability:.1e}"


def _heat_map(table: DrawableDistribution, ruler: Ruler) -> Drawing:
    """A row for each state of the first variable, a column for each of the second."""
    down, across = (
        Side(label(name), [label(state) for state in states])
        for name, states in zip(table.variables, table.labels, strict=True)
    )
    most = float(table.values.max(initial=0.0)) or 1.0
    return heat_map(table.title, down, across, table.values, lambda value: shade(value / most), _number, ruler)
