"""Drawings in web pages: plain if they fit, otherwise to be moved and zoomed with a few lines of JavaScript."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from html import escape

from dconvex.display.drawing import PAGE_WIDTH, Drawing, DrawnShape, Group
from dconvex.display.geometry import Size
from dconvex.display.svg import svg_element

ZOOM_AND_PAN = """
(box, needsKey) => {
  const svg = box.querySelector("svg"), whole = svg.getAttribute("viewBox").split(" ").map(Number);
  let [x, y, width, height] = whole, held = null;
  const show = () => svg.setAttribute("viewBox", [x, y, width, height].join(" "));
  const at = event => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const zoom = (by, here) => {
    if (width * by > 4 * whole[2] || width * by < 20) return;
    [x, y, width, height] = [here.x - (here.x - x) * by, here.y - (here.y - y) * by, width * by, height * by];
    show();
  };
  svg.addEventListener("wheel", event => {
    if (needsKey && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(Math.exp(Math.sign(event.deltaY) * 0.2), at(event));
  }, {passive: false});
  const fingers = new Map();
  const middle = () => {
    const each = [...fingers.values()], mean = key => each.reduce((sum, one) => sum + one[key], 0) / each.length;
    return at({clientX: mean("clientX"), clientY: mean("clientY")});
  };
  const spread = () => {
    const [one, other] = fingers.values();
    return other ? Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) : 0;
  };
  const hold = () => { held = fingers.size ? {at: middle(), spread: spread()} : null; };
  svg.addEventListener("pointerdown", event => {
    fingers.set(event.pointerId, event);
    svg.setPointerCapture(event.pointerId);
    hold();
  });
  for (const end of ["pointerup", "pointercancel"])
    svg.addEventListener(end, event => { fingers.delete(event.pointerId); hold(); });
  svg.addEventListener("pointermove", event => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, event);
    if (held.spread && spread()) zoom(held.spread / spread(), middle());
    const here = middle();
    [x, y] = [x + held.at.x - here.x, y + held.at.y - here.y];
    show();
    held.spread = spread();
  });
  svg.addEventListener("dblclick", () => { [x, y, width, height] = whole; show(); });
  const search = box.querySelector("input");
  if (!search) return;
  const parts = [...svg.querySelectorAll("g.dcx-node, g.dcx-cluster")];
  const name = part => [...part.querySelectorAll("text")].map(text => text.textContent).join(" ").toLowerCase();
  let found = [], chosen = 0, marked = null;
  const go = () => {
    if (marked) marked.style.filter = "";
    marked = found[chosen];
    search.nextElementSibling.textContent = search.value ? `${found.length ? chosen + 1 : 0} of ${found.length}` : "";
    if (!marked) return;
    marked.style.filter = "drop-shadow(0 0 3px #e5007a) drop-shadow(0 0 3px #e5007a)";
    const at = marked.getBBox(), wide = Math.min(whole[2], Math.max(at.width * 1.5, 420)), high = wide * whole[3] / whole[2];
    [x, y, width, height] = [at.x + at.width / 2 - wide / 2, at.y + at.height / 2 - high / 2, wide, high];
    show();
  };
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    const hits = parts.filter(part => wanted && name(part).includes(wanted));
    found = hits.filter(part => name(part) === wanted).concat(hits);
    found = found.filter((part, index) => found.indexOf(part) === index);
    chosen = 0;
    go();
  });
  search.addEventListener("keydown", event => {
    if (event.key !== "Enter" || !found.length) return;
    event.preventDefault();
    chosen = (chosen + (event.shiftKey ? found.length - 1 : 1)) % found.length;
    go();
  });
}
""".strip()
SEARCHED_ABOVE = 100
"""With more nodes or clusters there is a box to find one by its name."""
SEARCH = (
    '<label style="{style}"><input type="search" placeholder="Find a name" aria-label="Find a name" autocomplete="off"'
    ' style="font:inherit;color:inherit;background:transparent;border:1px solid #808080;border-radius:4px;padding:1px 6px">'
    " <span></span></label>"
)
FILLED = Size(400.0, 240.0)
"""A smaller picture has space around it on a page of its own; a larger one fills the page."""


def html_part(drawing: Drawing) -> str:
    """An element for a page such as a notebook."""
    if drawing.size.width <= PAGE_WIDTH:
        return svg_element(drawing, style="max-width:100%;height:auto")
    svg = svg_element(drawing, style="width:100%;height:auto;min-height:25em;cursor:grab")
    hint = "drag to move, Ctrl and the wheel to zoom, double-click to see all"
    return (
        f'<div>{_search(drawing, "font-size:smaller")}{svg}<div style="font-size:smaller;opacity:0.75">{hint}</div>'
        f"<script>document.currentScript && ({ZOOM_AND_PAN})(document.currentScript.parentElement, true)</script></div>"
    )


def html_file(drawing: Drawing) -> str:
    """A whole page."""
    style = "width:100vw;height:calc(100dvh - 40px);display:block;cursor:grab;touch-action:none"
    svg = svg_element(_centred(drawing, FILLED), style=style)
    search = _search(drawing, "position:fixed;top:8px;right:12px;font:13px sans-serif")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>{escape(drawing.name)}</title>
<style>
body {{ margin: 0; overflow: hidden }}
p {{ margin: 0 1em; font: 12px/20px sans-serif; opacity: 0.75; height: 40px; display: flex; align-items: center }}
</style>
</head>
<body>
{search}{svg}
<p>Drag to move, turn the wheel or pinch to zoom, double-click to see all.</p>
<script>({ZOOM_AND_PAN})(document.body, false)</script>
</body>
</html>
"""


def _search(drawing: Drawing, style: str) -> str:
    """A box to find a node by its name, where there are many."""
    return SEARCH.format(style=style) if _named(drawing.shapes) > SEARCHED_ABOVE else ""


def _named(shapes: Iterable[DrawnShape]) -> int:
    """The number of nodes and clusters among the shapes."""
    groups = [shape for shape in shapes if isinstance(shape, Group)]
    return sum(1 if {"node", "cluster"} & {*group.kinds} else _named(group.shapes) for group in groups)


def _centred(drawing: Drawing, least: Size) -> Drawing:
    """The drawing with space around it up to the size `least`, so that a small one does not fill a page."""
    size = Size(max(drawing.size.width, least.width), max(drawing.size.height, least.height))
    dx, dy = (size.width - drawing.size.width) / 2, (size.height - drawing.size.height) / 2
    return replace(drawing, shapes=[shape.moved(dx, dy) for shape in drawing.shapes], size=size)
