"""The picture of a cluster tree: a box for each cluster, with what it shares with the cluster before it in grey."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from dconvex.amounts import amount
from dconvex.display.charts import histogram
from dconvex.display.colours import DARK, EMPTY, FAINT, PALETTE, WARNING, cluster_colours
from dconvex.display.drawing import BETWEEN, FONT, Drawing, Group, Look, Rectangle, Ruler, Shape, flow
from dconvex.display.geometry import Box, Point, Route
from dconvex.display.hanging import Hanging
from dconvex.display.labels import label
from dconvex.display.panels import summary
from dconvex.display.subjects import Clusters, largest
from dconvex.display.tree_layout import TreeLayout, arrange_tree, likely_roots
from dconvex.display.wording import Word, Wording, wording
from dconvex.names import Name, canonical

SMALL = 6.5
"""The size of text in separators."""
ROUND = 4.0
LONG = 6
"""A separator of more variables is only counted: its cluster lists them in grey anyway."""
LISTED = 60
"""So many variables of a cluster are listed, the others counted."""


class Painting(Protocol):
    """What the parts of a tree look like."""

    def number(self, place: int) -> int:
        """The place of a cluster in the whole tree, where only a part is drawn."""

    def words(self, place: int, names: Iterable[Name], *, is_shared: bool) -> list[Word]:
        """The names of variables of a cluster: those that are new in it, or those shared with the one before it."""

    def marks(self, place: int) -> list[Word]:
        """What else is written into a cluster."""

    def cluster(self, place: int) -> Look: ...
    def separator(self, edge: int) -> tuple[Look, str]:
        """The ground of a separator, and the colour of its words."""

    def link(self, edge: int) -> Look: ...
    def kinds(self, place: int) -> tuple[str, ...]:
        """What a cluster may be found by in the picture."""


def tree_picture(tree: Clusters, ruler: Ruler, most: int) -> Drawing:
    """All clusters; of a tree with more than `most` a summary."""
    if len(tree) > most:
        return tree_summary(tree, ruler)
    return painted_tree(tree, _Plain(cluster_colours(tree), frozenset(tree.undecided)), ruler)


def tree_summary(tree: Clusters, ruler: Ruler) -> Drawing:
    """What can be said of any tree, however large."""
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


def painted_tree(tree: Clusters, painting: Painting, ruler: Ruler) -> Drawing:
    """The tree on the root that makes it handiest."""
    layout, clusters, separators = _handiest(tree, painting, ruler)
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
            [Rectangle(box, painting.cluster(place), ROUND), *words.shapes(box)],
            ("cluster", *painting.kinds(place)),
            f"cluster {painting.number(place)}: {_listing(tree.clusters[place])}",
        )
        for place, (words, box) in enumerate(zip(clusters, layout.clusters, strict=True))
    ]
    return Drawing([*(links[edge] for edge in thin_first), *boxes], layout.size, name=_called(tree))


def _line(route: Route, separator: Box, look: Look, layout: TreeLayout) -> list[Shape]:
    """To the separator, and on from it: its text may stand on the bare page."""
    *before, end = route
    if layout.flows_down:
        sides = [Point(end.x, separator.y + side * separator.height / 2) for side in (-1, 1)]
    else:
        sides = [Point(separator.x + side * separator.width / 2, end.y) for side in (-1, 1)]
    near, far = sides if sum(end) > sum(before[-1]) else reversed(sides)
    return [flow(part, look, flows_down=layout.flows_down) for part in ((*before, near), (far, end))]


def _called(tree: Clusters) -> str:
    return f"Tree of {amount(len(tree), 'cluster')}"


@dataclass(frozen=True)
class _Plain:
    """Every cluster in its own colour."""

    colours: Sequence[int]
    undecided: frozenset[int]

    def number(self, place: int) -> int:
        return place

    def words(self, place: int, names: Iterable[Name], *, is_shared: bool) -> list[Word]:
        return [Word(label(name), FAINT if is_shared else DARK) for name in names]

    def marks(self, place: int) -> list[Word]:
        return [Word("undecided", WARNING)] if place in self.undecided else []

    def cluster(self, place: int) -> Look:
        colour = PALETTE[self.colours[place]]
        return Look(colour, WARNING, 1.6, is_dashed=True) if place in self.undecided else Look(colour, BETWEEN)

    def separator(self, edge: int) -> tuple[Look, str]:
        return Look(EMPTY, BETWEEN, 0.6), FAINT

    def link(self, edge: int) -> Look:
        return Look(line=BETWEEN, width=0.9)

    def kinds(self, place: int) -> tuple[str, ...]:
        return ("undecided",) if place in self.undecided else ()


def _handiest(tree: Clusters, painting: Painting, ruler: Ruler) -> tuple[TreeLayout, list[Wording], list[Wording]]:
    """Hang the tree on its largest cluster and on those that its shape suggests, and keep the handiest picture."""
    separators = [
        wording([[Word(word, painting.separator(edge)[1]) for word in _separator_words(names)]], SMALL, 1.2, ruler)
        for edge, names in enumerate(tree.separators)
    ]
    found: list[tuple[TreeLayout, list[Wording], list[Wording]]] = []
    for root in dict.fromkeys([largest(tree.clusters), *likely_roots(len(tree), tree.edges)]):
        above = Hanging.on(root, len(tree), tree.edges).edge_above
        shared = [tree.separators[edge] if edge >= 0 else frozenset[Name]() for edge in above]
        clusters = [_cluster_words(tree, place, old, painting, ruler) for place, old in enumerate(shared)]
        sizes = [[words.size for words in texts] for texts in (clusters, separators)]
        found.append((arrange_tree(sizes[0], tree.edges, sizes[1], root), clusters, separators))
    return min(found, key=lambda each: each[0].unwieldiness)


def _cluster_words(tree: Clusters, place: int, shared: frozenset[Name], painting: Painting, ruler: Ruler) -> Wording:
    parts = [
        _first(painting.words(place, canonical(names), is_shared=is_shared))
        for names, is_shared in ((tree.clusters[place] - shared, False), (shared, True))
    ]
    return wording([*parts, painting.marks(place)], FONT, 2.5, ruler)


def _first(words: list[Word]) -> list[Word]:
    """Those that are marked, and of the others so many that about `LISTED` are named."""
    if len(words) <= LISTED:
        return words
    named = [word for place, word in enumerate(words) if place < LISTED or word.mark is not None]
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
