"""Drawings as SVG.

An SVG can be inside a page next to others, so it has neither ids nor styles: every colour is an attribute.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from dconvex.display.drawing import FONT, PAGE, SECONDARY, STRENGTH, Drawing, Group, Look, Path, Rectangle, Text
from dconvex.display.geometry import Point
from dconvex.display.typeface import FAMILY

MARGIN = 8.0
PREFIX = "dcx-"
"""The prefix of the classes of groups, since a page has other classes too."""
ALONE = "<style>svg:root{color:#222}@media(prefers-color-scheme:dark){svg:root{color:#ddd}}</style>"
"""The colour of text in a file, which has no page around it; inside a page no SVG is the root."""


def svg_element(drawing: Drawing, head: str = "", style: str = "") -> str:
    """An `<svg>` for a page, whose colour of text it takes."""
    writer = _Writer()
    for shape in drawing.shapes:
        shape.paint(writer)
    width, height = drawing.size.width + 2 * MARGIN, drawing.size.height + 2 * MARGIN
    attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "class": f"{PREFIX}picture",
        "role": "img",
        "aria-label": drawing.name,
        "width": f"{_number(width)}pt",
        "height": f"{_number(height)}pt",
        "viewBox": _numbers((-MARGIN, -MARGIN, width, height)),
        "style": style,
        "font-family": FAMILY,
        "font-size": _number(FONT),
        "text-anchor": "middle",
        "stroke-linejoin": "round",
    }
    return f"<svg{_attributes(attributes)}>{head}{''.join(writer.parts)}</svg>"


def svg_file(drawing: Drawing) -> str:
    """A whole file."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg_element(drawing, ALONE)}\n'


class _Writer:
    """A surface of text."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def rectangle(self, shape: Rectangle) -> None:
        box = shape.box
        frame = {"x": _number(box.left), "y": _number(box.top), "width": _number(box.width), "height": _number(box.height)}
        frame["rx"] = _number(shape.radius) if shape.radius else ""
        self.parts.append(f"<rect{_attributes(frame)}{_look(shape.look)}/>")

    def path(self, shape: Path) -> None:
        self.parts.append(f'<path d="{_steps(shape)}"{_look(shape.look)}/>')

    def text(self, shape: Text) -> None:
        attributes = {
            "x": _number(shape.x),
            "y": _number(shape.y + 0.36 * shape.size),  # the baseline: capitals are about 0.73 font sizes high
            "fill": PAGE if shape.colour == SECONDARY else shape.colour,
            "fill-opacity": f"{STRENGTH:g}" if shape.colour == SECONDARY else "",
            "font-size": _number(shape.size) if shape.size != FONT else "",
            "text-anchor": shape.anchor if shape.anchor != "middle" else "",
            "font-weight": "bold" if shape.is_bold else "",
            "transform": f"rotate(-90 {_numbers((shape.x, shape.y))})" if shape.is_upright else "",
        }
        if shape.width:
            attributes |= {"textLength": _number(shape.width), "lengthAdjust": "spacingAndGlyphs"}
        self.parts.append(f"<text{_attributes(attributes)}>{escape(shape.text)}</text>")

    def group(self, shape: Group) -> None:
        kinds = " ".join(f"{PREFIX}{kind}" for kind in shape.kinds)
        self.parts.append(f"<g{_attributes({'class': kinds})}>")
        if shape.title:
            self.parts.append(f"<title>{escape(shape.title)}</title>")
        for part in shape.shapes:
            part.paint(self)
        self.parts.append("</g>")


def _attributes(values: dict[str, str]) -> str:
    """The attributes that are not empty."""
    return "".join(f' {name}="{escape(value)}"' for name, value in values.items() if value)


def _look(look: Look) -> str:
    rim = {"stroke": look.line, "stroke-width": _number(look.width)} if look.line != "none" else {}
    dashes = {"stroke-dasharray": "4 2"} if look.is_dashed else {}
    glass = {"fill-opacity": f"{look.opacity:g}"} if look.opacity < 1 else {}
    return _attributes({"fill": look.fill, **glass, **rim, **dashes})


def _steps(path: Path) -> str:
    points = path.points
    if path.is_curved:
        bends = zip(points[:-1:3], points[1::3], points[2::3], points[3::3], strict=True)
        onwards = "".join(_bend(*bend) for bend in bends)
    else:
        onwards = f"L{_points(points[1:])}"
    return f"M{_points(points[:1])}{onwards}{'Z' if path.is_closed else ''}"


def _bend(start: Point, one: Point, other: Point, end: Point) -> str:
    """A Bézier curve, or a vertical line where it is one."""
    if start.x == one.x == other.x == end.x:
        return f"V{_number(end.y)}"
    return f"C{_points((one, other, end))}"


def _points(points: Iterable[Point]) -> str:
    return _numbers(number for point in points for number in point)


def _numbers(numbers: Iterable[float]) -> str:
    return " ".join(map(_number, numbers))


def _number(number: float) -> str:
    text = f"{number:.1f}"
    return text.removesuffix(".0") if text != "-0.0" else "0"
