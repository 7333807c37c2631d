"""Positions for the clusters of a tree: the root in the middle, its branches to both sides, a column for each depth.

Within a column nothing overlaps because branches are packed by their outlines (Reingold and Tilford, "Tidier drawings of
trees", 1981); between columns nothing does because each has its own strip. The separator of an edge is next to the cluster
farther from the root and moves with it.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from dconvex.display.geometry import Box, Edge, Point, Route, Size, around, shifted
from dconvex.display.rooted_tree import RootedTree

GAP = 7.0
"""Free space between neighbours in a column."""
STUB = 8.0
"""The length of the line between a separator and its cluster."""
SHAPE = 1.4
"""The preferred ratio of width to height."""


@dataclass(frozen=True)
class TreeLayout:
    """Boxes of clusters, labels and lines of edges; the upper left corner is at the origin."""

    clusters: tuple[Box, ...]
    separators: tuple[Box, ...]
    routes: tuple[Route, ...]
    """For each edge the line from the cluster nearer to the root to the other cluster, through the separator."""
    flows_down: bool
    """Whether branches grow up and down rather than to the left and right."""
    size: Size

    @property
    def page_height(self) -> float:
        """The height of the page with the preferred ratio that holds the picture."""
        return max(self.size.width / SHAPE, self.size.height)


def arrange_tree(clusters: Sequence[Size], edges: Sequence[Edge], separators: Sequence[Size], root: int) -> TreeLayout:
    """Positions for boxes of these sizes: sideways or downwards, from the middle or from one end, in the smallest page."""
    rooted = RootedTree.at(root, len(clusters), edges)
    sideways = [_sideways(rooted, clusters, separators, two_sided=two_sided) for two_sided in (True, False)]
    turned = [_turned_size(size) for size in clusters], [_turned_size(size) for size in separators]
    downwards = [_turned(_sideways(rooted, *turned, two_sided=two_sided)) for two_sided in (True, False)]
    return min([*sideways, *downwards], key=lambda layout: layout.page_height)


def good_roots(count: int, edges: Sequence[Edge]) -> list[int]:
    """Nodes that make good roots: one in the middle of the longest path, and one with the most neighbours."""
    if not count:
        return []
    one_end = RootedTree.at(0, count, edges).order[-1]
    rooted = RootedTree.at(one_end, count, edges)
    path = [rooted.order[-1]]
    while rooted.parent[path[-1]] >= 0:
        path.append(rooted.parent[path[-1]])
    degrees = Counter(itertools.chain.from_iterable(edges))
    return [path[len(path) // 2], max(range(count), key=lambda node: (degrees[node], -node))]


def _turned_size(size: Size) -> Size:
    return Size(size.height, size.width)


def _turned(layout: TreeLayout) -> TreeLayout:
    """Mirrored along the diagonal: what grew to the right grows down."""
    return TreeLayout(
        clusters=tuple(Box(box.y, box.x, box.height, box.width) for box in layout.clusters),
        separators=tuple(Box(box.y, box.x, box.height, box.width) for box in layout.separators),
        routes=tuple(tuple(Point(y, x) for x, y in route) for route in layout.routes),
        flows_down=True,
        size=_turned_size(layout.size),
    )


def _sideways(rooted: RootedTree, clusters: Sequence[Size], separators: Sequence[Size], *, two_sided: bool) -> TreeLayout:
    if not clusters:
        return TreeLayout((), (), (), False, Size(0, 0))
    pairs = zip(clusters, rooted.edge_above, strict=True)
    heights = [max(size.height, separators[edge].height if edge >= 0 else 0.0) for size, edge in pairs]
    y, side = _packed(rooted, heights, two_sided=two_sided)
    columns = _columns(rooted, clusters, separators, y, side)
    boxes = [Box(side[node] * (columns[node].start + size.width / 2), y[node], *size) for node, size in enumerate(clusters)]
    boxes[rooted.order[0]] = Box(0, 0, *clusters[rooted.order[0]])
    labels: dict[int, Box] = {}
    routes: dict[int, Route] = {}
    for node in rooted.order[1:]:
        edge, box = rooted.edge_above[node], boxes[node]
        distance = box.width / 2 + STUB + separators[edge].width / 2
        labels[edge] = Box(box.x - side[node] * distance, box.y, *separators[edge])
        routes[edge] = _route(boxes[rooted.parent[node]], box, columns[node], side[node])
    frame = around([*boxes, *labels.values()])
    dx, dy = -frame.left, -frame.top
    return TreeLayout(
        clusters=tuple(box.moved(dx, dy) for box in boxes),
        separators=tuple(labels[edge].moved(dx, dy) for edge in range(len(separators))),
        routes=shifted([routes[edge] for edge in range(len(separators))], dx, dy),
        flows_down=False,
        size=Size(frame.width, frame.height),
    )


Outline: TypeAlias = list[tuple[float, float]]
"""For each depth of a branch its upper and lower end, relative to its first node."""


def _packed(rooted: RootedTree, heights: Sequence[float], *, two_sided: bool) -> tuple[list[float], list[int]]:
    """The y of each node relative to the root, and whether its branch grows to the right (1) or left (-1)."""
    y = [0.0] * len(heights)
    outlines: list[Outline] = [[] for _ in heights]
    for node in reversed(rooted.order[1:]):
        own = -heights[node] / 2, heights[node] / 2
        outlines[node] = [own, *_stacked(rooted.children[node], outlines, y)]
    root = rooted.order[0]
    right, left = _two_sides(rooted.children[root], outlines) if two_sided else (rooted.children[root], ())
    side = [1] * len(heights)
    for direction, branches in ((1, right), (-1, left)):
        _stacked(branches, outlines, y)
        for node in branches:
            side[node] = direction
    for node in rooted.order[1:]:
        above = rooted.parent[node]
        y[node] += y[above]
        side[node] = side[node] if above == root else side[above]
    return y, side


def _stacked(nodes: Sequence[int], outlines: Sequence[Outline], y: list[float]) -> Outline:
    """Put branches below each other, as near as their outlines allow; `y` is relative to their parent, in the middle."""
    if len(nodes) == 1:  # as below, without copies, which would make a chain of clusters quadratic
        y[nodes[0]] = 0.0
        return outlines[nodes[0]]
    whole: Outline = []
    for node in nodes:
        shared = list(zip(whole, outlines[node], strict=False))
        y[node] = max((bottom + GAP - top for (_, bottom), (top, _) in shared), default=0.0)
        moved = [(top + y[node], bottom + y[node]) for top, bottom in outlines[node]]
        joined = [(top, bottom) for (top, _), (_, bottom) in zip(whole, moved, strict=False)]
        whole = [*joined, *whole[len(joined) :], *moved[len(joined) :]]
    middle = (y[nodes[0]] + y[nodes[-1]]) / 2 if nodes else 0.0
    for node in nodes:
        y[node] -= middle
    return [(top - middle, bottom - middle) for top, bottom in whole]


def _two_sides(nodes: Sequence[int], outlines: Sequence[Outline]) -> tuple[Sequence[int], Sequence[int]]:
    """Branches divided into two sides of about equal height."""
    reach = {node: max(low for _, low in outlines[node]) - min(high for high, _ in outlines[node]) for node in nodes}
    sides: tuple[list[int], list[int]] = [], []
    for node in sorted(nodes, key=lambda node: (-reach[node], node)):
        min(sides, key=lambda side: sum(reach[other] + GAP for other in side)).append(node)
    return sorted(sides[0]), sorted(sides[1])


class _Column(NamedTuple):
    """The strip of one depth, outwards from the root: where the lines to it bend, and where its boxes start and end."""

    bend_from: float
    bend_to: float
    start: float
    end: float


def _columns(
    rooted: RootedTree, clusters: Sequence[Size], separators: Sequence[Size], y: Sequence[float], side: Sequence[int]
) -> dict[int, _Column]:
    """For each node its strip; steep lines get more space to bend."""
    root = rooted.order[0]
    columns = {root: _Column(0.0, 0.0, -clusters[root].width / 2, clusters[root].width / 2)}
    for direction in (1, -1):
        end = columns[root].end
        members = [node for node in rooted.children[root] if side[node] == direction]
        while members:
            steepest = max(abs(y[node] - y[rooted.parent[node]]) for node in members)
            bend_to = end + min(max(18.0, 0.25 * steepest), 80.0)
            start = bend_to + max(separators[rooted.edge_above[node]].width for node in members) + STUB
            column = _Column(end, bend_to, start, start + max(clusters[node].width for node in members))
            columns.update(dict.fromkeys(members, column))
            end = column.end
            members = [child for node in members for child in rooted.children[node]]
    return columns


def _route(above: Box, box: Box, column: _Column, side: int) -> Route:
    """Straight to the end of the parent's column, over in one bend, and through the separator to the cluster."""
    return (
        Point(above.x + side * above.width / 2, above.y),
        Point(side * column.bend_from, above.y),
        Point(side * column.bend_to, box.y),
        Point(box.x - side * box.width / 2, box.y),
    )
