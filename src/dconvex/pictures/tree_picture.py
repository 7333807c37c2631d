"""The picture of a cluster tree: a box for each cluster, with what it shares with the cluster before it in grey."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dconvex.names import Name, canonical
from dconvex.pictures.canvas import FAINT, INK, LINE, LINE_PITCH, ROUNDED, Canvas, NewFigure, curve, need_matplotlib, ruler
from dconvex.pictures.colours import PALETTE, cluster_colours
from dconvex.pictures.geometry import Box, Size
from dconvex.pictures.hanging import Hanging
from dconvex.pictures.labels import balanced, label, pleasant_limit
from dconvex.pictures.subjects import Clusters, largest, refuse_too_many
from dconvex.pictures.tree_layout import TreeLayout, arrange_tree, likely_roots

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FONT, SMALL = 8.0, 6.5
WARNING = "#cc3311"
LONG = 6
"""A separator of more variables is only counted: its cluster lists them in grey anyway."""


def draw_tree(tree: Clusters, ax: Axes | None = None, new_figure: NewFigure | None = None) -> Axes:
    """Draw the tree into the axes, or into a new figure that is as large as it needs."""
    need_matplotlib()
    refuse_too_many(len(tree.clusters), "clusters", "draw a part of the tree: tree.pruned_to(variables).plot()")
    layout, clusters, separators = _handiest(tree)
    canvas = Canvas(layout.size, ax, new_figure)
    _draw_links(canvas, layout, separators)
    undecided = set(tree.undecided)
    for place, (text, box, colour) in enumerate(zip(clusters, layout.clusters, cluster_colours(tree), strict=True)):
        _draw_cluster(canvas, text, box, PALETTE[colour], is_undecided=place in undecided)
    return canvas.ax


@dataclass(frozen=True)
class _Text:
    """Lines of (text, colour), and the box they need."""

    lines: list[tuple[str, str]]
    size: Size


class _Writer:
    """Turns sets of names into text of one font size, in boxes about `shape` times as wide as high."""

    def __init__(self, font: float, shape: float) -> None:
        self.font, self.shape = font, shape
        self.width: Callable[[str], float] = ruler(font)

    def text(self, *parts: tuple[Sequence[str], str]) -> _Text:
        """Each part, words and their colour, starts a new line."""
        limit = pleasant_limit([word for words, _ in parts for word in words], LINE_PITCH * self.font, self.width, self.shape)
        lines = [(line, colour) for words, colour in parts for line in balanced(words, limit, self.width)]
        wide = max((self.width(line) for line, _ in lines), default=0.0)
        return _Text(lines, Size(wide + 1.2 * self.font, (len(lines) * LINE_PITCH + 0.7) * self.font))


def _handiest(tree: Clusters) -> tuple[TreeLayout, list[_Text], list[_Text]]:
    """Hang the tree on its largest cluster and on those that its shape suggests, and keep the handiest picture."""
    small, normal = _Writer(SMALL, shape=1.2), _Writer(FONT, shape=2.5)
    separators = [small.text((_separator_words(separator), FAINT)) for separator in tree.separators]
    undecided = set(tree.undecided)
    marks = [(["undecided"] if place in undecided else [], WARNING) for place in range(len(tree.clusters))]
    found: list[tuple[TreeLayout, list[_Text], list[_Text]]] = []
    for root in dict.fromkeys([largest(tree.clusters), *likely_roots(len(tree.clusters), tree.edges)]):
        above = Hanging.on(root, len(tree.clusters), tree.edges).edge_above
        shared = [tree.separators[edge] if edge >= 0 else frozenset[Name]() for edge in above]
        pairs = zip(tree.clusters, shared, marks, strict=True)
        clusters = [normal.text((_words(cluster - old), INK), (_words(old), FAINT), mark) for cluster, old, mark in pairs]
        sizes = [[text.size for text in texts] for texts in (clusters, separators)]
        found.append((arrange_tree(sizes[0], tree.edges, sizes[1], root), clusters, separators))
    return min(found, key=lambda each: each[0].unwieldiness)


def _words(names: frozenset[Name]) -> list[str]:
    return [label(name) for name in canonical(names)]


def _separator_words(names: frozenset[Name]) -> list[str]:
    return _words(names) if 0 < len(names) <= LONG else [f"{len(names)} variables" if names else "∅"]


def _draw_links(canvas: Canvas, layout: TreeLayout, separators: Sequence[_Text]) -> None:
    from matplotlib.patches import PathPatch, Rectangle

    for text, box, route in zip(separators, layout.separators, layout.routes, strict=True):
        line = PathPatch(curve(route, flows_down=layout.flows_down), facecolor="none", edgecolor=LINE, zorder=1)
        frame = Rectangle((box.left, box.top), box.width, box.height, facecolor="white", edgecolor=LINE, zorder=2)
        for patch, width in ((line, 0.9), (frame, 0.6)):
            patch.set_linewidth(width * canvas.scale)
            canvas.ax.add_patch(patch)
        canvas.write_lines(text.lines, box.x, box.y, SMALL)


def _draw_cluster(canvas: Canvas, text: _Text, box: Box, colour: str, *, is_undecided: bool) -> None:
    from matplotlib.patches import FancyBboxPatch

    frame = FancyBboxPatch((box.left, box.top), box.width, box.height, ROUNDED, facecolor=colour, edgecolor=LINE, zorder=3)
    frame.set_linewidth(0.8 * canvas.scale)
    if is_undecided:
        frame.set(edgecolor=WARNING, linewidth=1.6 * canvas.scale, linestyle="--")
    canvas.ax.add_patch(frame)
    canvas.write_lines(text.lines, box.x, box.y, FONT)
