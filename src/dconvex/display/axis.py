"""A number line with round numbers next to it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dconvex.display.drawing import BETWEEN, PAGE, DrawnShape, Look, Path, Text
from dconvex.display.geometry import Point

FONT = 7.0
TICK = 3.0


@dataclass(frozen=True, slots=True)
class Axis:
    """Values from `low` to `high` along the line from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def position(self, value: float) -> float:
        """The position of a value on the line."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def below(self, y: float, least: float = 0.0) -> list[DrawnShape]:
        """The horizontal line at `y`, with numbers below it that are at least `least` apart."""
        shapes: list[DrawnShape] = [_line(Point(self.start, y), Point(self.end, y))]
        for value, text in ticks(self.low, self.high, least=least):
            x = self.position(value)
            shapes += [_line(Point(x, y), Point(x, y + TICK)), Text(text, x, y + TICK + FONT, FONT)]
        return shapes

    def upright(self, x: float) -> list[DrawnShape]:
        """The vertical line at `x`, with numbers to its left."""
        shapes: list[DrawnShape] = [_line(Point(x, self.start), Point(x, self.end))]
        for value, text in ticks(self.low, self.high):
            y = self.position(value)
            shapes += [_line(Point(x - TICK, y), Point(x, y)), Text(text, x - 2 * TICK, y, FONT, PAGE, "end")]
        return shapes


def ticks(low: float, high: float, most: int = 8, least: float = 0.0) -> list[tuple[float, str]]:
    """At most `most` round numbers from `low` to `high`, at least `least` apart, and their texts.

    >>> ticks(-1.3, 5.2)
    [(-1.0, '-1'), (0.0, '0'), (1.0, '1'), (2.0, '2'), (3.0, '3'), (4.0, '4'), (5.0, '5')]
    >>> ticks(1, 3, least=1)
    [(1.0, '1'), (2.0, '2'), (3.0, '3')]
    """
    rough = max((high - low) / most, least)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    values = [number * step for number in range(math.ceil(low / step), math.floor(high / step) + 1)]
    digits = -math.floor(math.log10(step))
    is_plain = 0 <= digits <= 6
    return [(value, f"{value:.{digits}f}" if is_plain else f"{value:.6g}") for value in values]


def _line(start: Point, end: Point) -> Path:
    return Path((start, end), Look(line=BETWEEN, width=0.7))
