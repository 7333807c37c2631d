"""The picture of a network: nodes in rows, arrows downwards, coloured by clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from dconvex.amounts import amount
from dconvex.display.charts import histogram
from dconvex.display.colours import DARK, EMPTY, node_colours
from dconvex.display.drawable import DrawableNetwork, DrawableTree
from dconvex.display.drawing import BETWEEN, FONT, Drawing, DrawnShape, Group, Look, Path, Rectangle, Ruler, Text, flow
from dconvex.display.geometry import Box, Point, Route, Size
from dconvex.display.labels import label, shortened
from dconvex.display.network_layout import arrange_network
from dconvex.display.panels import summary
from dconvex.errors import UnknownVariableError
from dconvex.names import Label, Name, canonical

HEAD = 5.0
"""The length of an arrow's head."""
ROUND = 4.0
WIDEST = 190.0
"""A longer name is cut; hovering shows it in full."""
ARROW = Look(line=BETWEEN)
CROWDED = 3
"""The most edges per node of the largest picture: among more of them no arrow can be followed."""


def network_picture(
    network: DrawableNetwork,
    ruler: Ruler,
    most: int,
    clusters: DrawableTree | None = None,
    states: Mapping[Name, Sequence[Label]] | None = None,
) -> Drawing:
    """All nodes and edges, or a summary of a network with more than `most` nodes."""
    if is_crowded(network, most):
        return network_summary(network, ruler)
    return drawn_network(network, ruler, arrow, _colours(network, clusters), states or {}, name=_called(network))


def is_crowded(network: DrawableNetwork, most: int) -> bool:
    """Whether the network has too many nodes or edges for a picture."""
    return len(network) > most or network.graph.parents.offsets[-1] > CROWDED * most


def drawn_network(
    network: DrawableNetwork,
    ruler: Ruler,
    draw_edge: Callable[[Route, tuple[Name, Name]], DrawnShape],
    colours: Sequence[tuple[str, ...]] = (),
    states: Mapping[Name, Sequence[Label]] | None = None,
    *,
    name: str,
) -> Drawing:
    """All nodes in rows, and the edges as a function draws them along their routes."""
    index = {node: number for number, node in enumerate(network.nodes)}
    texts = [shortened(label(node), WIDEST, ruler, FONT) for node in network.nodes]
    sizes = [Size(ruler(text, FONT) + 1.2 * FONT, 2.1 * FONT) for text in texts]
    layout = arrange_network(sizes, [(index[tail], index[head]) for tail, head in network.edges])
    edges = [draw_edge(route, edge) for route, edge in zip(layout.routes, network.edges, strict=True)]
    parts = zip(network.nodes, texts, layout.nodes, colours or [()] * len(network), strict=True)
    nodes = [_node(text, box, own, _about(node, states or {})) for node, text, box, own in parts]
    return Drawing([*edges, *nodes], layout.size, name=name)


def network_summary(network: DrawableNetwork, ruler: Ruler) -> Drawing:
    """Facts about a network of any size."""
    parents, children = (np.diff(lists.offsets) for lists in (network.graph.parents, network.graph.children))
    facts = [
        ("nodes", f"{len(network):,}"),
        ("edges", f"{int(parents.sum()):,}"),
        ("without parents", f"{np.count_nonzero(parents == 0):,}"),
        ("without children", f"{np.count_nonzero(children == 0):,}"),
        ("isolated", f"{np.count_nonzero((parents == 0) & (children == 0)):,}"),
    ]
    charts = [histogram("Parents of a node", parents, ruler), histogram("Children of a node", children, ruler)]
    return summary(_called(network), facts, charts, ruler)


def _about(name: Name, states: Mapping[Name, Sequence[Label]], most: int = 30) -> str:
    own = states.get(name, ())
    listed = ", ".join(map(label, own[:most])) + (f", … {len(own) - most:,} more" if len(own) > most else "")
    return f"{label(name)}: {listed}" if own else label(name)


def _called(network: DrawableNetwork) -> str:
    return f"Network of {amount(len(network), 'node')} and {amount(int(network.graph.parents.offsets[-1]), 'edge')}"


def _colours(network: DrawableNetwork, clusters: DrawableTree | None) -> Sequence[tuple[str, ...]]:
    if clusters is None:
        return [()] * len(network)
    unknown = canonical(frozenset().union(*clusters.clusters) - set(network.nodes))
    if unknown:
        raise UnknownVariableError(unknown[0], network.nodes, where="member of a cluster")
    return node_colours(network.nodes, clusters)


def arrow(route: Route, edge: tuple[Name, Name], look: Look = ARROW, *, points_up: bool = False, title: str = "") -> DrawnShape:
    """An arrow along a route from top to bottom, with its head at the end, or at the start if it points up."""
    (*before, (x, y)), side = (route[::-1], -1) if points_up else (route, 1)
    head = HEAD * max(1.0, look.width)
    knots = (*before, Point(x, y - side * head / 2))
    line = flow(knots[::-1] if points_up else knots, look, flows_down=True)
    tip = (Point(x, y), Point(x - head / 3, y - side * head), Point(x + head / 3, y - side * head))
    ends = edge[::-1] if points_up else edge
    return Group([line, Path(tip, Look(fill=look.line), is_closed=True)], ("edge",), title or " → ".join(map(label, ends)))


def _node(text: str, box: Box, colours: tuple[str, ...], about: str) -> DrawnShape:
    """A box in the colour of its cluster, with stripes for several clusters, white for none."""
    written = Text(text, box.x, box.y, FONT, DARK, width=box.width - 1.2 * FONT)
    if len(colours) < 2:
        ground = Rectangle(box, Look(fill=colours[0] if colours else EMPTY, line=BETWEEN), ROUND)
        return Group([ground, written], ("node",), about)
    rim = Rectangle(box, Look(line=BETWEEN, width=1.4), ROUND)
    return Group([*_stripes(box, colours), rim, written], ("node",), about)


def _stripes(box: Box, colours: Sequence[str]) -> list[DrawnShape]:
    """Stripes side by side; the first and the last follow the rounded corners of the box."""
    width = box.width / len(colours)
    boxes = [Box(box.left + (number + 0.5) * width, box.y, width, box.height) for number in range(len(colours))]
    inner: list[DrawnShape] = [Rectangle(own, Look(fill=fill)) for own, fill in zip(boxes[1:-1], colours[1:-1], strict=True)]
    return [_end(boxes[0], Look(fill=colours[0]), -1), *inner, _end(boxes[-1], Look(fill=colours[-1]), 1)]


def _end(box: Box, look: Look, side: int) -> Path:
    """A box with round corners on its left (-1) or right (1) side."""
    far, near = box.x + side * box.width / 2, box.x - side * box.width / 2
    angles = [math.radians(degrees) for degrees in (90, 60, 30, 0)]
    corner = [(far - side * ROUND * (1 - math.cos(angle)), ROUND * (1 - math.sin(angle))) for angle in angles]
    upper = [Point(x, box.top + depth) for x, depth in corner]
    lower = [Point(x, box.bottom - depth) for x, depth in reversed(corner)]
    return Path((Point(near, box.top), *upper, *lower, Point(near, box.bottom)), look, is_closed=True)
