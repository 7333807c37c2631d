"""The colours, and the colour of each cluster: clusters that share a variable differ as far as there are colours."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from dconvex.display.drawable import DrawableTree, largest
from dconvex.display.rooted_tree import RootedTree
from dconvex.names import Name

# Paul Tol's scheme "light", which colour-blind readers can distinguish, half mixed with white as a ground for dark text
PALETTE = ("#b0cdeb", "#f6bba9", "#f5ebbb", "#99d9c7", "#ffd0d9", "#d9e38f", "#c8edff", "#d3d37a")
NEUTRAL = "#e8e8e8"
EMPTY = "#f6f7f9"
"""The ground of boxes without a colour: a white that does not dazzle on a dark page."""
DARK = "#222222"
"""Text on a light ground."""
LIGHT = "#ffffff"
"""Text on a dark ground."""
FAINT = "#505050"
"""Text on a light ground that is less important."""
WARNING = "#cc3311"
BAR = "#4a86c0"
"""Between light and dark, visible on any page."""
LINES = (BAR, "#cc6677", "#4f9d69", "#b8860b", "#8e6bbf", "#808080")
"""Curves next to each other, visible on any page."""
LOWER = "#c0854a"
"""Next to it: lower, or the other of two."""

PALE, DEEP, DEEP_RED = (236, 242, 249), (16, 62, 122), (150, 30, 20)
"""The ends of the scales of heat maps: red, green and blue."""


def shade(share: float) -> str:
    """A colour between pale (0) and deep (1).

    >>> shade(0.0), shade(1.0)
    ('#ecf2f9', '#103e7a')
    """
    return _mixed(PALE, DEEP, share)


def contrast(value: float) -> str:
    """A colour for a number between -1 and 1: red below zero, blue above."""
    return _mixed(PALE, DEEP if value > 0 else DEEP_RED, min(abs(value), 1.0))


def _mixed(start: tuple[int, int, int], end: tuple[int, int, int], share: float) -> str:
    return "#" + "".join(f"{round(low + share * (high - low)):02x}" for low, high in zip(start, end, strict=True))


def cluster_colours(tree: DrawableTree) -> list[int]:
    """For each cluster the index of its colour in the palette.

    From the largest cluster outwards each gets a colour that differs from its parent's, and is the rarest among the clusters
    that share a variable with it, then among all so far.
    """
    holders: dict[Name, list[int]] = defaultdict(list)
    for index, cluster in enumerate(tree.clusters):
        for name in cluster:
            holders[name].append(index)
    rooted = RootedTree.at(largest(tree.clusters), len(tree.clusters), tree.edges)
    colours: dict[int, int] = {}
    used: Counter[int] = Counter()
    for index in rooted.order:
        before = colours.get(rooted.parent[index])
        touching = {other for name in tree.clusters[index] for other in holders[name]}
        near = Counter(colours[other] for other in touching if other in colours)
        free = [colour for colour in range(len(PALETTE)) if colour != before]
        colours[index] = min(free, key=lambda colour: (near[colour], used[colour], colour))
        used[colours[index]] += 1
    return [colours[index] for index in range(len(tree.clusters))]


def node_colours(nodes: Sequence[Name], tree: DrawableTree) -> list[tuple[str, ...]]:
    """For each node the colours of its clusters: none for a node in no cluster, a neutral one for a node in too many."""
    colours = cluster_colours(tree)
    found: dict[Name, list[int]] = {name: [] for name in nodes}
    for index, cluster in enumerate(tree.clusters):
        for name in cluster:
            found[name].append(colours[index])
    return [_stripes(found[name]) for name in nodes]


def _stripes(colours: Sequence[int], most: int = 6) -> tuple[str, ...]:
    return tuple(PALETTE[colour] for colour in colours) if len(colours) <= most else (NEUTRAL,)
