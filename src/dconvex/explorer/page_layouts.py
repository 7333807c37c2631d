"""The layouts of `dconvex.display` as plain data, with rounded coordinates."""

from __future__ import annotations

from collections.abc import Sequence

from dconvex.display.colours import PALETTE, cluster_colours
from dconvex.display.drawable import largest
from dconvex.display.geometry import Box, Route, Size
from dconvex.display.labels import label
from dconvex.display.network_layout import arrange_network
from dconvex.display.tree_layout import arrange_tree, good_roots
from dconvex.explorer import box_sizes
from dconvex.explorer.translation import Plain, Translator
from dconvex.graph.dag import Dag
from dconvex.graph.tree import ClusterTree
from dconvex.names import Name, canonical


def network_layout(dag: Dag, translator: Translator, variables: Sequence[Name]) -> Plain:
    """Boxes of these variables and routes of the edges among them."""
    number = {name: index for index, name in enumerate(variables)}
    edges = [(parent, name) for name in variables for parent in dag.parents(name) if parent in number]
    cards = [box_sizes.card(label(name), translator.states(name)) for name in variables]
    layout = arrange_network(cards, [(number[tail], number[head]) for tail, head in edges])
    return {
        "variables": [dag.index_of(name) for name in variables],
        "boxes": _boxes(layout.nodes),
        "edges": [[dag.index_of(tail), dag.index_of(head)] for tail, head in edges],
        "routes": _routes(layout.routes),
        "size": _rounded(layout.size),
    }


def tree_layout(dag: Dag, tree: ClusterTree) -> Plain:
    """Boxes and colours of clusters, labels and routes of the edges between them."""
    members = [[label(name) for name in canonical(cluster)] for cluster in tree.clusters]
    shared = [[label(name) for name in canonical(separator)] for separator in tree.separators]
    grids = [box_sizes.cluster_grid(names) for names in members]
    is_compact = len(tree) >= box_sizes.COMPACT_FROM
    if is_compact:
        boxes, labels = [box_sizes.compact_cluster(len(names)) for names in members], [Size(0.0, 0.0)] * len(shared)
    else:
        boxes, labels = [size for _, size in grids], [box_sizes.separator(names) for names in shared]
    roots = dict.fromkeys([largest(tree.clusters), *good_roots(len(tree), tree.edges)])
    layout = min((arrange_tree(boxes, tree.edges, labels, root) for root in roots), key=lambda each: each.page_height)
    return {
        "clusters": [[dag.index_of(name) for name in canonical(cluster)] for cluster in tree.clusters],
        "columns": [columns for columns, _ in grids],
        "listed": box_sizes.MOST_MEMBERS,
        "compact": is_compact,
        "boxes": _boxes(layout.clusters),
        "colours": [PALETTE[colour] for colour in cluster_colours(tree)],
        "edges": [list(edge) for edge in tree.edges],
        "separators": shared,
        "labels": [] if is_compact else [box_sizes.separator_lines(names) for names in shared],
        "labelBoxes": _boxes(layout.separators),
        "routes": _routes(layout.routes),
        "flowsDown": layout.flows_down,
        "size": _rounded(layout.size),
    }


def _boxes(boxes: Sequence[Box]) -> list[list[float]]:
    """Left, top, width and height of each."""
    return [_rounded((box.left, box.top, box.width, box.height)) for box in boxes]


def _routes(routes: Sequence[Route]) -> list[list[float]]:
    """x, y, x, y, … of each."""
    return [_rounded([part for point in route for part in point]) for route in routes]


def _rounded(numbers: Sequence[float]) -> list[float]:
    return [round(number, 1) for number in numbers]
