"""Drawings with matplotlib, in axes whose unit is a point."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from dconvex.display.drawing import PAGE, SECONDARY, STRENGTH, Drawing, Group, Look, Path, Rectangle, Text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

NewFigure: TypeAlias = "Callable[..., Figure]"
Colour: TypeAlias = tuple[float, float, float, float]
"""Red, green, blue and opacity."""

MARGIN = 12.0
LARGEST = 120 * 72.0
"""The longest side of a figure; a larger picture is scaled down."""
ABOVE = 2
"""The same for all shapes: those painted later are above those painted before."""
SIDES = {"start": "left", "middle": "center", "end": "right"}


def paint(drawing: Drawing, ax: Axes | None = None, new_figure: NewFigure | None = None) -> Axes:
    """Paint into the axes, or into a new figure that is as large as the drawing needs."""
    canvas = _Canvas(drawing, ax, new_figure)
    for shape in drawing.shapes:
        shape.paint(canvas)
    return canvas.ax


@lru_cache(maxsize=1 << 16)
def drawn_width(text: str, size: float) -> float:
    """The width of a line of text that matplotlib draws, in points; cached, since measuring is slow."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    return float(text_to_path.get_text_width_height_descent(text, FontProperties(size=size), ismath=False)[0])


def need_matplotlib() -> None:
    """Raise an ImportError that says how to install matplotlib if it is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'dconvex[plot]'") from error


class _Canvas:
    """A surface whose unit is `scale` points: text fits into the boxes measured for it."""

    def __init__(self, drawing: Drawing, ax: Axes | None, new_figure: NewFigure | None) -> None:
        width, height = drawing.size.width + 2 * MARGIN, drawing.size.height + 2 * MARGIN
        self.ax = _own_axes(width, height, new_figure) if ax is None else ax
        self.ax.set(xlim=(-MARGIN, width - MARGIN), ylim=(height - MARGIN, -MARGIN), aspect="equal")
        self.ax.set_axis_off()
        self.scale = _scale(self.ax, width, height)

    def rectangle(self, shape: Rectangle) -> None:
        from matplotlib.patches import FancyBboxPatch
        from matplotlib.patches import Rectangle as Plain

        box = shape.box
        if shape.radius:
            rounded = f"round,pad=0,rounding_size={shape.radius}"
            self._add(FancyBboxPatch((box.left, box.top), box.width, box.height, rounded), shape.look)
        else:
            self._add(Plain((box.left, box.top), box.width, box.height), shape.look)

    def path(self, shape: Path) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path as Steps

        step = Steps.CURVE4 if shape.is_curved else Steps.LINETO
        points: list[tuple[float, float]] = [*shape.points]
        codes = [Steps.MOVETO, *[step] * (len(points) - 1)]
        if shape.is_closed:
            points, codes = [*points, points[0]], [*codes, Steps.CLOSEPOLY]
        self._add(PathPatch(Steps(points, codes)), shape.look)

    def text(self, shape: Text) -> None:
        drop = 0.36 * shape.size  # from the middle to the baseline: capitals are about 0.73 font sizes high
        x, y = (shape.x + drop, shape.y) if shape.is_upright else (shape.x, shape.y + drop)
        written = self.ax.text(
            x, y, shape.text, ha=SIDES[shape.anchor], va="baseline", rotation_mode="anchor", parse_math=False
        )
        weight, angle = "bold" if shape.is_bold else "normal", 90 if shape.is_upright else 0
        written.set(color=_colour(shape.colour), fontsize=shape.size * self.scale, fontweight=weight, rotation=angle)
        written.set(clip_on=True, zorder=2)

    def group(self, shape: Group) -> None:
        for part in shape.shapes:
            part.paint(self)

    def _add(self, patch: Patch, look: Look) -> None:
        patch.set(facecolor=_colour(look.fill, look.opacity), edgecolor=_colour(look.line), joinstyle="round", zorder=ABOVE)
        patch.set(linewidth=look.width * self.scale, linestyle="--" if look.is_dashed else "-")
        self.ax.add_patch(patch)


def _colour(name: str, opacity: float = 1.0) -> Colour | Literal["none"]:
    from matplotlib import rcParams
    from matplotlib.colors import to_rgba

    if name == "none":
        return "none"
    strength = STRENGTH if name == SECONDARY else 1.0
    return to_rgba(rcParams["text.color"] if name in (PAGE, SECONDARY) else name, strength * opacity)


def _own_axes(width: float, height: float, new_figure: NewFigure | None) -> Axes:
    if new_figure is None:
        from matplotlib import pyplot

        new_figure = pyplot.figure
    inches = min(1.0, LARGEST / max(width, height)) / 72
    return new_figure(figsize=(width * inches, height * inches)).add_axes((0, 0, 1, 1))


def _scale(ax: Axes, width: float, height: float) -> float:
    pixels = ax.get_window_extent()
    return float(min(pixels.width / width, pixels.height / height) * 72 / ax.figure.dpi)
