"""Positions for the nodes of a DAG in rows, and the routes of its edges around them."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dconvex.display.geometry import Box, Edge, Point, Route, Size, around, shifted
from dconvex.display.layers import Layers, layered

GAP = 12.0
"""Free space between neighbours in a row."""
LANE = 6.0
"""Free space between edges that pass through a row side by side."""
SOFT = 8.0
"""The length from which a spring gets weaker, in the second half of the rounds."""
ROUNDS, ITEMS = 60, 1_500
"""The most rounds, and the most items for that many: enough for networks that one can read to settle within a point."""


@dataclass(frozen=True)
class NetworkLayout:
    """Boxes of nodes and routes of edges, top to bottom; the upper left corner is at the origin."""

    nodes: tuple[Box, ...]
    routes: tuple[Route, ...]
    size: Size


def arrange_network(nodes: Sequence[Size], edges: Sequence[Edge]) -> NetworkLayout:
    """Positions for boxes of these sizes; edges lead from the lower side of one to the upper side of another."""
    layers = layered(len(nodes), edges)
    x = _straightened(layers, nodes)
    strips = _strips(layers, nodes, x)
    boxes = [Box(x[node], strips[node].middle, *size) for node, size in enumerate(nodes)]
    starts, ends = (_ports(layers, boxes, x, end=end) for end in (0, -1))
    routes = [_route(chain, boxes, x, strips, ports) for chain, *ports in zip(layers.chains, starts, ends, strict=True)]
    frame = around(boxes, routes)
    moved = tuple(box.moved(-frame.left, -frame.top) for box in boxes)
    return NetworkLayout(moved, shifted(routes, -frame.left, -frame.top), Size(frame.width, frame.height))


def _straightened(layers: Layers, nodes: Sequence[Size]) -> dict[int, float]:
    """The x of every node and joint.

    Each edge is a spring between its ends, stiffer between joints, so that long edges run straight. The rows settle one after
    the other, each exactly, and keep their order and gaps.
    """
    springs: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for chain in layers.chains:
        for one, other in itertools.pairwise(chain):
            stiffness = (1.0, 2.0, 8.0)[(one >= len(nodes)) + (other >= len(nodes))]
            springs[one].append((other, stiffness))
            springs[other].append((one, stiffness))
    offsets = [_packed([nodes[item].width if item < len(nodes) else None for item in row]) for row in layers.rows]
    rows = list(zip(layers.rows, offsets, strict=True))
    x = {item: offset for row, own in rows for item, offset in zip(row, own, strict=True)}
    rounds = min(ROUNDS, max(20, ROUNDS * ITEMS // max(len(x), 1)))
    for number in range(rounds):
        for row, own in rows if number % 2 == 0 else reversed(rows):
            _settle(row, own, springs, x, softening=SOFT if number > rounds // 2 else 1e9)
    return x


def _packed(widths: Sequence[float | None]) -> list[float]:
    """The centres of boxes side by side, centred at zero; None is an edge that passes."""
    centres: list[float] = []
    end = 0.0
    for before, width in zip([None, *widths], widths, strict=False):
        gap = LANE if before is None and width is None else GAP
        centres.append(end + (gap if centres else 0.0) + (width or 0.0) / 2)
        end = centres[-1] + (width or 0.0) / 2
    return [centre - end / 2 for centre in centres]


def _settle(
    row: Sequence[int],
    offsets: Sequence[float],
    springs: dict[int, list[tuple[int, float]]],
    x: dict[int, float],
    softening: float,
) -> None:
    """Move a row to where its springs pull it, a monotone regression once the gaps are subtracted.

    A spring longer than `softening` gets weaker, so that lengths count rather than their squares: an edge then has one long
    bend instead of many small ones.
    """
    wishes: list[tuple[float, float]] = []
    for item, offset in zip(row, offsets, strict=True):
        pulls = [(x[other], stiffness / (softening + abs(x[other] - x[item]))) for other, stiffness in springs[item]]
        weight = sum(pull for _, pull in pulls)
        wish = sum(at * pull for at, pull in pulls) / weight if weight else x[item]
        wishes.append((wish - offset, weight or 0.1))
    for item, offset, level in zip(row, offsets, nearest_rising(wishes), strict=True):
        x[item] = level + offset


def nearest_rising(wishes: Sequence[tuple[float, float]]) -> list[float]:
    """The rising numbers nearest to these (number, weight) in weighted squares: neighbours in the wrong order are pooled.

    >>> nearest_rising([(1, 1), (5, 1), (3, 1), (9, 1)])
    [1.0, 4.0, 4.0, 9.0]
    """
    pools: list[tuple[float, float, int]] = []  # mean, weight, count
    for wish, own_weight in wishes:
        mean, weight, count = float(wish), float(own_weight), 1
        while pools and pools[-1][0] > mean:
            before, before_weight, before_count = pools.pop()
            mean = (before * before_weight + mean * weight) / (before_weight + weight)
            weight, count = weight + before_weight, count + before_count
        pools.append((mean, weight, count))
    return [mean for mean, _, count in pools for _ in range(count)]


class _Strip(NamedTuple):
    """The top and bottom of a row."""

    top: float
    bottom: float

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


def _strips(layers: Layers, nodes: Sequence[Size], x: dict[int, float]) -> dict[int, _Strip]:
    """For every node and joint the strip of its row; flat edges get more space to bend between the rows."""
    flattest: dict[int, float] = defaultdict(float)  # of the edges that leave an item
    for chain in layers.chains:
        for one, other in itertools.pairwise(chain):
            flattest[one] = max(flattest[one], abs(x[one] - x[other]))
    strips: dict[int, _Strip] = {}
    top = 0.0
    for row in layers.rows:
        bottom = top + max((nodes[item].height for item in row if item < len(nodes)), default=0.0)
        strips.update(dict.fromkeys(row, _Strip(top, bottom)))
        top = bottom + min(max(26.0, 0.16 * max(flattest[item] for item in row)), 90.0)
    return strips


def _ports(layers: Layers, boxes: Sequence[Box], x: dict[int, float], *, end: int) -> list[float]:
    """Where each edge leaves its tail (`end=0`) or reaches its head (`end=-1`): side by side, in the order of their routes."""
    at: dict[int, list[int]] = defaultdict(list)
    for edge, chain in enumerate(layers.chains):
        at[chain[end]].append(edge)
    next_to_end = 1 if end == 0 else -2
    ports = [0.0] * len(layers.chains)
    for node, edges in at.items():
        edges.sort(key=lambda edge: (x[layers.chains[edge][next_to_end]], edge))
        step = min(9.0, 0.7 * boxes[node].width / len(edges))
        for index, edge in enumerate(edges):
            ports[edge] = x[node] + (index - (len(edges) - 1) / 2) * step
    return ports


def _route(
    chain: Sequence[int], boxes: Sequence[Box], x: dict[int, float], strips: dict[int, _Strip], ports: Sequence[float]
) -> Route:
    """Down through the rows: straight within a row, bending between the rows."""
    tail, head = chain[0], chain[-1]
    knots = [Point(ports[0], boxes[tail].bottom), Point(ports[0], strips[tail].bottom)]
    for joint in chain[1:-1]:
        knots += [Point(x[joint], strips[joint].top), Point(x[joint], strips[joint].bottom)]
    knots += [Point(ports[1], strips[head].top), Point(ports[1], boxes[head].top)]
    return tuple(knot for knot, _ in itertools.groupby(knots))
