"""The thin layer over matplotlib: axes measured in points, text measured before it is drawn."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from dconvex.pictures.geometry import Route, Size

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path

NewFigure: TypeAlias = "Callable[..., Figure]"

INK = "#222222"
FAINT = "#666666"
LINE = "#808080"
MARGIN = 12.0
LINE_PITCH = 1.25
"""From one line of text to the next, in font sizes."""
ROUNDED = "round,pad=0,rounding_size=4"
LARGEST = 120 * 72.0
"""No figure is made larger than this; a larger picture is drawn smaller."""


class Canvas:
    """Axes in which one unit is `scale` points, so that text fits into the boxes that were measured for it."""

    def __init__(self, size: Size, ax: Axes | None, new_figure: NewFigure | None) -> None:
        width, height = size.width + 2 * MARGIN, size.height + 2 * MARGIN
        self.ax = _own_axes(width, height, new_figure) if ax is None else ax
        self.ax.set(xlim=(-MARGIN, width - MARGIN), ylim=(height - MARGIN, -MARGIN), aspect="equal")
        self.ax.set_axis_off()
        self.scale = _scale(self.ax, width, height)

    def write(self, text: str, x: float, y: float, size: float, colour: str = INK) -> None:
        """One line, its middle at (x, y); a dollar sign is a dollar sign."""
        baseline = y + 0.36 * size  # capitals are about 0.73 font sizes high
        written = self.ax.text(x, baseline, text, ha="center", va="baseline", color=colour, zorder=4, parse_math=False)
        written.set(fontsize=size * self.scale, clip_on=True)

    def write_lines(self, lines: Sequence[tuple[str, str]], x: float, y: float, size: float) -> None:
        """Lines of (text, colour) below each other, their middle at (x, y)."""
        for row, (text, colour) in enumerate(lines):
            self.write(text, x, y + (row - (len(lines) - 1) / 2) * LINE_PITCH * size, size, colour)


def ruler(size: float) -> Callable[[str], float]:
    """A function that tells how wide matplotlib will draw a line of text, in points; measuring is slow, so it remembers."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size)
    return cache(lambda text: float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]))


def curve(route: Route, *, flows_down: bool) -> Path:
    """A smooth line through the knots of a route, leaving and reaching each of them along the flow."""
    from matplotlib.path import Path

    points: list[tuple[float, float]] = [route[0]]
    for (x, y), (next_x, next_y) in itertools.pairwise(route):
        half_x, half_y = (x + next_x) / 2, (y + next_y) / 2
        points += [(x, half_y), (next_x, half_y)] if flows_down else [(half_x, y), (half_x, next_y)]
        points.append((next_x, next_y))
    return Path(points, [Path.MOVETO, *[Path.CURVE4] * (len(points) - 1)])


def need_matplotlib() -> None:
    """Say how to get it when it is not there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'dconvex[plot]'") from error


def _own_axes(width: float, height: float, new_figure: NewFigure | None) -> Axes:
    if new_figure is None:
        from matplotlib import pyplot

        new_figure = pyplot.figure
    inches = min(1.0, LARGEST / max(width, height)) / 72
    return new_figure(figsize=(width * inches, height * inches)).add_axes((0, 0, 1, 1))


def _scale(ax: Axes, width: float, height: float) -> float:
    pixels = ax.get_window_extent()
    return float(min(pixels.width / width, pixels.height / height) * 72 / ax.figure.dpi)
