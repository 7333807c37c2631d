"""Draw the layers of the code, as the import contract in pyproject.toml says them: `python tools/draw_layers.py [FILE.svg]`.

A band for each layer, highest first, with its packages and modules and what their docstrings say in short. `make docs` puts the
picture on the page "The layers of the code", so that it is never out of date.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path as File

from dconvex.display.colours import DARK, EMPTY, FAINT
from dconvex.display.drawing import BETWEEN, FONT, PAGE, Drawing, DrawnShape, Group, Look, Path, Rectangle, Text
from dconvex.display.geometry import Box, Point, Size
from dconvex.display.labels import shortened
from dconvex.display.panels import captioned
from dconvex.display.svg import svg_file
from dconvex.display.typeface import text_width

ROOT = File(__file__).parents[1]
SOURCE = ROOT / "src" / "dconvex"
WIDTH, NAMES, LINE, PADDING, GAP = 470.0, 76.0, 13.0, 4.0, 6.0
TEXT = WIDTH - NAMES - 4 * PADDING
"""The width of what is said of a module."""
ARROW = 26.0
"""The width of the column to the left, with the arrow that says in which direction imports go."""


def main() -> None:
    target = File(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "layers.svg"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(picture(), encoding="utf-8")
    print(f"wrote {target}")


def picture() -> str:
    """The layers as SVG."""
    rule = "A layer imports from those below it, never from above."
    return svg_file(captioned("dconvex", [rule], bands(layers()), text_width))


def layers() -> list[list[str]]:
    """The modules of each layer, highest first, as the contract lists them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    contract = next(contract for contract in contracts if contract["type"] == "layers")
    return [[module.strip() for module in re.split(r"[|:]", layer)] for layer in contract["layers"]]


def bands(found: list[list[str]]) -> Drawing:
    """A band for each layer below the one that may import it."""
    shapes: list[DrawnShape] = []
    y = 0.0
    for modules in found:
        height = len(modules) * LINE + 2 * PADDING
        shapes.append(band(modules, y, height))
        y += height + GAP
    return Drawing([arrow(y - GAP), *shapes], Size(ARROW + WIDTH, y - GAP), name="The layers of the code")


def band(modules: list[str], top: float, height: float) -> Group:
    ground = Rectangle(Box(ARROW + WIDTH / 2, top + height / 2, WIDTH, height), Look(EMPTY, BETWEEN, 0.6), radius=4.0)
    shapes: list[DrawnShape] = [ground]
    for number, module in enumerate(modules):
        y, x = top + PADDING + (number + 0.5) * LINE, ARROW + 2 * PADDING
        said = about(module)
        shapes.append(Text(spelled(module), x, y, FONT, DARK, "start", is_bold=True))
        shapes.append(Text(said, x + NAMES, y, FONT, FAINT, "start", width=text_width(said, FONT)))
    return Group(shapes, ("layer",), ", ".join(modules))


def arrow(bottom: float) -> Group:
    x, head = ARROW / 2 + 2, 5.0
    line = Path((Point(x, 0.0), Point(x, bottom - head)), Look(line=BETWEEN, width=1.2))
    tip = Path((Point(x - 3, bottom - head), Point(x + 3, bottom - head), Point(x, bottom)), Look(BETWEEN), is_closed=True)
    words = Text("imports", x - 7, bottom / 2, FONT, PAGE, "middle", is_upright=True)
    return Group([line, tip, words], ("direction",), "imports go this way")


def spelled(module: str) -> str:
    return f"{module}/" if (SOURCE / module).is_dir() else f"{module}.py"


def about(module: str) -> str:
    """As much of the docstring's first paragraph as fits into a line, without marks of code."""
    path = SOURCE / module / "__init__.py" if (SOURCE / module).is_dir() else SOURCE / f"{module}.py"
    first = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n\n")[0]
    words = " ".join(first.replace("`", "").split())
    ends = [found.start() for found in re.finditer(r"[:;.] |\.$", words)]
    fitting = [end for end in ends if text_width(words[:end], FONT) <= TEXT]
    return words[: max(fitting)] if fitting else shortened(words, TEXT, text_width, FONT)


if __name__ == "__main__":
    main()
