"""The picture of a cluster tree: a box for each cluster, with the variables it shares with its parent in grey."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from dconvex.amounts import amount
from dconvex.display.charts import histogram
from dconvex.display.colours import DARK, EMPTY, FAINT, PALETTE, WARNING, cluster_colours
from dconvex.display.drawable import DrawableTree, largest
from dconvex.display.drawing import BETWEEN, FONT, Drawing, DrawnShape, Group, Look, Rectangle, Ruler, flow
from dconvex.display.geometry import Box, Point, Route
from dconvex.display.labels import label
from dconvex.display.panels import summary
from dconvex.display.rooted_tree import RootedTree
from dconvex.display.text_block import TextBlock, Word, text_block
from dconvex.display.tree_layout import TreeLayout, arrange_tree, good_roots
from dconvex.names import Name, canonical

SMALL = 6.5
"""The size of text in separators."""
ROUND = 4.0
LONG = 6
"""Of a separator with more variables only their number is shown: its cluster lists them in grey."""
LISTED = 60
"""The most variables listed in a cluster; the others are counted."""


class Painting(Protocol):
    """The looks of the parts of a tree."""

    def number(self, index: int) -> int:
        """The index of a cluster in the whole tree, if only a part is drawn."""

    def words(self, index: int, names: Iterable[Name], *, is_shared: bool) -> list[Word]:
        """The names of variables of a cluster: those that are new in it, or those shared with its parent."""

    def marks(self, index: int) -> list[Word]:
        """Further words in a cluster."""

    def cluster(self, index: int) -> Look: ...
    def separator(self, edge: int) -> tuple[Look, str]:
        """The ground of a separator, and the colour of its words."""

    def link(self, edge: int) -> Look: ...
    def kinds(self, index: int) -> tuple[str, ...]:
        """The kinds of a cluster's group."""


def tree_picture(tree: DrawableTree, ruler: Ruler, most: int) -> Drawing:
    """All clusters, or a summary of a tree with more than `most`."""
    if len(tree) > most:
        return tree_summary(tree, ruler)
    return painted_tree(tree, _Plain(cluster_colours(tree), frozenset(tree.undecided)), ruler)


def tree_summary(tree: DrawableTree, ruler: Ruler) -> Drawing:
    """Facts about a tree of any size."""
    facts = [
        ("clusters", f"{len(tree):,}"),
        ("undecided ones", f"{len(tree.undecided):,}"),
        ("variables of the largest", f"{int(tree.sizes.max(initial=0)):,}"),
        ("of the largest separator", f"{int(tree.separator_sizes.max(initial=0)):,}"),
    ]
    charts = [
        histogram("Variables of a cluster", tree.sizes, ruler),
        histogram("Variables of a separator", tree.separator_sizes, ruler),
    ]
    return summary(_called(tree), facts, charts, ruler)


def painted_tree(tree: DrawableTree, painting: Painting, ruler: Ruler) -> Drawing:
    """The tree with the root that makes the smallest picture."""
    layout, clusters, separators = _smallest(tree, painting, ruler)
    links = [
        Group(
            [*_line(route, box, painting.link(edge), layout), Rectangle(box, painting.separator(edge)[0]), *words.shapes(box)],
            ("separator",),
            _listing(tree.separators[edge]),
        )
        for edge, (words, box, route) in enumerate(zip(separators, layout.separators, layout.routes, strict=True))
    ]
    thin_first = sorted(range(len(links)), key=lambda edge: painting.link(edge).width)
    boxes = [
        Group(
            [Rectangle(box, painting.cluster(index), ROUND), *words.shapes(box)],
            ("cluster", *painting.kinds(index)),
            f"cluster {painting.number(index)}: {_listing(tree.clusters[index])}",
        )
        for index, (words, box) in enumerate(zip(clusters, layout.clusters, strict=True))
    ]
    return Drawing([*(links[edge] for edge in thin_first), *boxes], layout.size, name=_called(tree))


def _line(route: Route, separator: Box, look: Look, layout: TreeLayout) -> list[DrawnShape]:
    """The line to the separator and the one from it: its text may be on the bare page."""
    *before, end = route
    if layout.flows_down:
        sides = [Point(end.x, separator.y + side * separator.height / 2) for side in (-1, 1)]
    else:
        sides = [Point(separator.x + side * separator.width / 2, end.y) for side in (-1, 1)]
    near, far = sides if sum(end) > sum(before[-1]) else reversed(sides)
    return [flow(part, look, flows_down=layout.flows_down) for part in ((*before, near), (far, end))]


def _called(tree: DrawableTree) -> str:
    return f"Tree of {amount(len(tree), 'cluster')}"


@dataclass(frozen=True)
class _Plain:
    """Every cluster in its own colour."""

    colours: Sequence[int]
    undecided: frozenset[int]

    def number(self, index: int) -> int:
        return index

    def words(self, index: int, names: Iterable[Name], *, is_shared: bool) -> list[Word]:
        return [Word(label(name), FAINT if is_shared else DARK) for name in names]

    def marks(self, index: int) -> list[Word]:
        return [Word("undecided", WARNING)] if index in self.undecided else []

    def cluster(self, index: int) -> Look:
        colour = PALETTE[self.colours[index]]
        return Look(colour, WARNING, 1.6, is_dashed=True) if index in self.undecided else Look(colour, BETWEEN)

    def separator(self, edge: int) -> tuple[Look, str]:
        return Look(EMPTY, BETWEEN, 0.6), FAINT

    def link(self, edge: int) -> Look:
        return Look(line=BETWEEN, width=0.9)

    def kinds(self, index: int) -> tuple[str, ...]:
        return ("undecided",) if index in self.undecided else ()


def _smallest(tree: DrawableTree, painting: Painting, ruler: Ruler) -> tuple[TreeLayout, list[TextBlock], list[TextBlock]]:
    """The smallest picture of those with the largest cluster, or another good one, as the root."""
    separators = [
        text_block([[Word(word, painting.separator(edge)[1]) for word in _separator_words(names)]], SMALL, 1.2, ruler)
        for edge, names in enumerate(tree.separators)
    ]
    found: list[tuple[TreeLayout, list[TextBlock], list[TextBlock]]] = []
    for root in dict.fromkeys([largest(tree.clusters), *good_roots(len(tree), tree.edges)]):
        above = RootedTree.at(root, len(tree), tree.edges).edge_above
        shared = [tree.separators[edge] if edge >= 0 else frozenset[Name]() for edge in above]
        clusters = [_cluster_words(tree, index, old, painting, ruler) for index, old in enumerate(shared)]
        sizes = [[words.size for words in texts] for texts in (clusters, separators)]
        found.append((arrange_tree(sizes[0], tree.edges, sizes[1], root), clusters, separators))
    return min(found, key=lambda each: each[0].page_height)


def _cluster_words(tree: DrawableTree, index: int, shared: frozenset[Name], painting: Painting, ruler: Ruler) -> TextBlock:
    parts = [
        _first(painting.words(index, canonical(names), is_shared=is_shared))
        for names, is_shared in ((tree.clusters[index] - shared, False), (shared, True))
    ]
    return text_block([*parts, painting.marks(index)], FONT, 2.5, ruler)


def _first(words: list[Word]) -> list[Word]:
    """The marked words, and of the others about the first `LISTED`."""
    if len(words) <= LISTED:
        return words
    named = [word for index, word in enumerate(words) if index < LISTED or word.mark is not None]
    more = [Word(f"… {len(words) - len(named):,} more", words[-1].colour)] if len(named) < len(words) else []
    return [*named, *more]


def _listing(names: frozenset[Name], most: int = 200) -> str:
    ordered = canonical(names)
    more = f", … {len(ordered) - most:,} more" if len(ordered) > most else ""
    return f"{', '.join(map(label, ordered[:most]))}{more}" if ordered else "no variable"


def _separator_words(names: frozenset[Name]) -> list[str]:
    if 0 < len(names) <= LONG:
        return [label(name) for name in canonical(names)]
    return [f"{len(names)} variables" if names else "∅"]
