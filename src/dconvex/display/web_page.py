"""Drawings in web pages: plain if they fit, otherwise to be moved and zoomed with a few lines of JavaScript."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from dconvex.display.drawing import PAGE_WIDTH, Drawing
from dconvex.display.geometry import Size
from dconvex.display.svg import svg_element

ZOOM_AND_PAN = """
(box, needsKey) => {
  const svg = box.querySelector("svg"), whole = svg.getAttribute("viewBox").split(" ").map(Number);
  let [x, y, width, height] = whole, held = null;
  const show = () => svg.setAttribute("viewBox", [x, y, width, height].join(" "));
  const at = event => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  svg.addEventListener("wheel", event => {
    if (needsKey && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const by = Math.exp(Math.sign(event.deltaY) * 0.2), here = at(event);
    if (width * by > 4 * whole[2] || width * by < 20) return;
    [x, y, width, height] = [here.x - (here.x - x) * by, here.y - (here.y - y) * by, width * by, height * by];
    show();
  }, {passive: false});
  svg.addEventListener("pointerdown", event => { held = at(event); svg.setPointerCapture(event.pointerId); });
  svg.addEventListener("pointerup", () => { held = null; });
  svg.addEventListener("pointermove", event => {
    if (!held) return;
    const here = at(event);
    [x, y] = [x + held.x - here.x, y + held.y - here.y];
    show();
  });
  svg.addEventListener("dblclick", () => { [x, y, width, height] = whole; show(); });
}
""".strip()


def html_part(drawing: Drawing) -> str:
    """An element for a page such as a notebook."""
    if drawing.size.width <= PAGE_WIDTH:
        return svg_element(drawing, style="max-width:100%;height:auto")
    svg = svg_element(drawing, style="width:100%;height:auto;min-height:25em;cursor:grab")
    hint = "drag to move, Ctrl and the wheel to zoom, double-click to see all"
    return (
        f'<div>{svg}<div style="font-size:smaller;opacity:0.6">{hint}</div>'
        f"<script>document.currentScript && ({ZOOM_AND_PAN})(document.currentScript.parentElement, true)</script></div>"
    )


def html_file(drawing: Drawing) -> str:
    """A whole page."""
    style = "width:100vw;height:calc(100vh - 30px);display:block;cursor:grab"
    svg = svg_element(_centred(drawing, Size(PAGE_WIDTH, 0.6 * PAGE_WIDTH)), style=style)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>{escape(drawing.name)}</title>
<style>
body {{ margin: 0; overflow: hidden }}
p {{ margin: 0 1em; font: 12px/30px sans-serif; opacity: 0.6 }}
</style>
</head>
<body>
{svg}
<p>Drag to move, turn the wheel to zoom, double-click to see all.</p>
<script>({ZOOM_AND_PAN})(document.body, false)</script>
</body>
</html>
"""


def _centred(drawing: Drawing, least: Size) -> Drawing:
    """The drawing with space around it up to the size `least`, so that a small one does not fill a page."""
    size = Size(max(drawing.size.width, least.width), max(drawing.size.height, least.height))
    dx, dy = (size.width - drawing.size.width) / 2, (size.height - drawing.size.height) / 2
    return replace(drawing, shapes=[shape.moved(dx, dy) for shape in drawing.shapes], size=size)
