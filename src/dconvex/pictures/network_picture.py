"""The picture of a network: nodes in rows, arrows downwards, coloured by the clusters that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dconvex.errors import UnknownVariableError
from dconvex.names import canonical
from dconvex.pictures.canvas import LINE, ROUNDED, Canvas, NewFigure, curve, need_matplotlib, ruler
from dconvex.pictures.colours import node_colours
from dconvex.pictures.geometry import Box, Route, Size
from dconvex.pictures.labels import label
from dconvex.pictures.network_layout import arrange_network
from dconvex.pictures.subjects import Clusters, Network, refuse_too_many

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FONT = 8.0
HEAD = 5.0
"""The length of an arrow's head."""


def draw_network(
    network: Network, clusters: Clusters | None = None, ax: Axes | None = None, new_figure: NewFigure | None = None
) -> Axes:
    """Draw the network into the axes, or into a new figure that is as large as it needs."""
    need_matplotlib()
    refuse_too_many(len(network.nodes), "nodes", "draw a part of the network: Dag(some of its edges).plot()")
    colours = _colours(network, clusters)
    place = {name: number for number, name in enumerate(network.nodes)}
    texts = [label(name) for name in network.nodes]
    width = ruler(FONT)
    sizes = [Size(width(text) + 1.2 * FONT, 2.1 * FONT) for text in texts]
    layout = arrange_network(sizes, [(place[tail], place[head]) for tail, head in network.edges])
    canvas = Canvas(layout.size, ax, new_figure)
    _draw_arrows(canvas, layout.routes)
    for text, box, own in zip(texts, layout.nodes, colours, strict=True):
        _draw_node(canvas, text, box, own)
    return canvas.ax


def _colours(network: Network, clusters: Clusters | None) -> Sequence[tuple[str, ...]]:
    if clusters is None:
        return [()] * len(network.nodes)
    strangers = canonical(frozenset().union(*clusters.clusters) - set(network.nodes))
    if strangers:
        raise UnknownVariableError(strangers[0], network.nodes, where="member of a cluster")
    return node_colours(network.nodes, clusters)


def _draw_arrows(canvas: Canvas, routes: Sequence[Route]) -> None:
    from matplotlib.collections import PathCollection, PolyCollection

    lines = [curve((*route[:-1], route[-1]._replace(y=route[-1].y - HEAD / 2)), flows_down=True) for route in routes]
    canvas.ax.add_collection(PathCollection(lines, facecolors="none", edgecolors=LINE, linewidths=0.8 * canvas.scale, zorder=1))
    tips = [[(x, y), (x - HEAD / 3, y - HEAD), (x + HEAD / 3, y - HEAD)] for x, y in (route[-1] for route in routes)]
    canvas.ax.add_collection(PolyCollection(tips, facecolors="#555555", edgecolors="none", zorder=2))


def _draw_node(canvas: Canvas, text: str, box: Box, colours: tuple[str, ...]) -> None:
    """A box in the colour of its cluster, in stripes for several clusters, white for none."""
    from matplotlib.patches import FancyBboxPatch, Rectangle

    place = (box.left, box.top), box.width, box.height
    ground = FancyBboxPatch(*place, ROUNDED, facecolor=colours[0] if len(colours) == 1 else "white", edgecolor="none", zorder=3)
    canvas.ax.add_patch(ground)
    width = box.width / max(len(colours), 1)
    for number, colour in enumerate(colours if len(colours) > 1 else ()):
        stripe = Rectangle(
            (box.left + number * width, box.top), width, box.height, facecolor=colour, edgecolor="none", zorder=3
        )
        canvas.ax.add_patch(stripe)
        stripe.set_clip_path(ground)
    rim = FancyBboxPatch(*place, ROUNDED, facecolor="none", edgecolor=LINE, zorder=3)
    rim.set_linewidth((1.4 if len(colours) > 1 else 0.8) * canvas.scale)
    canvas.ax.add_patch(rim)
    canvas.write(text, box.x, box.y, FONT)
