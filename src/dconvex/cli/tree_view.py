"""A cluster tree on the terminal: drawn as an indented tree, the sizes of its clusters as bars."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from dconvex.display.drawable import largest
from dconvex.display.labels import label
from dconvex.display.rooted_tree import RootedTree
from dconvex.graph.tree import ClusterTree
from dconvex.names import Name, canonical

MANY = 60
"""Of more clusters than this a part is shown without `--full`."""
SHOWN = 40
INDENT, TEXT_WIDTH = 4, 40


def print_tree(console: Console, tree: ClusterTree, *, full: bool) -> None:
    """The tree from its largest cluster; branches too deep for the width of the console go on further below."""
    view = _View.of(tree, full=full)
    legend = "size  new variables  [shared with the cluster above]" + ("  ? undecided" if tree.undecided else "")
    console.print(Text(legend, style="dim"))
    deepest = max(6, (console.width - TEXT_WIDTH) // INDENT)
    roots = list(view.hanging.order[:1])
    for number, root in enumerate(roots):  # grows while it is read
        drawn, continued = view.drawn(root, deepest, number, first_free=len(roots))
        roots += continued
        console.print(drawn)
    if len(view.shown) < len(tree):
        said = f"{len(view.shown)} of {len(tree):,} clusters, those on the way to the largest ones; --full shows all"
        console.print(Text(said, style="dim"))


def print_sizes(console: Console, sizes: Sequence[int]) -> None:
    """How many clusters there are of each size, as bars."""
    rows = binned(sizes)
    longest = max((count for _, count in rows), default=0)
    wide = max((len(size) for size, _ in rows), default=0)
    width = max(10, min(50, console.width - 30))
    block = "#" if console.options.ascii_only else "█"
    for size, count in rows:
        bar = block * max(1, round(width * count / longest))
        console.print(Text.assemble(f"size {size:>{wide}}  ", (bar, "cyan"), f" {count:,}"))


def binned(sizes: Sequence[int]) -> list[tuple[str, int]]:
    """The number of clusters of each size; where there are many sizes, of 1, 2, 3-4, 5-8, 9-16 and so on.

    >>> binned([2, 3, 2])
    [('2', 2), ('3', 1)]
    """
    counts = Counter(sizes)
    if len(counts) <= 12:
        return [(str(size), counts[size]) for size in sorted(counts)]
    bins = Counter((size - 1).bit_length() for size in sizes)  # the size lies above 2 ** (bin - 1) and up to 2 ** bin
    names = {bin_: f"{2 ** (bin_ - 1) + 1}-{2**bin_}" if bin_ > 1 else str(2**bin_) for bin_ in bins}
    return [(names[bin_], bins[bin_]) for bin_ in sorted(bins)]


@dataclass(frozen=True)
class _View:
    """What to show of a tree that hangs on its largest cluster."""

    tree: ClusterTree
    hanging: RootedTree
    shown: frozenset[int]
    branch_clusters: list[int]
    branch_largest: list[int]
    undecided: frozenset[int]
    most_names: tuple[int, int]
    """How many new and how many shared variables a line may list."""

    @classmethod
    def of(cls, tree: ClusterTree, *, full: bool) -> _View:
        hanging = RootedTree.at(largest(tree.clusters), len(tree), tree.edges)
        count, most = [1] * len(tree), tree.sizes.tolist()
        for node in reversed(hanging.order[1:]):
            above = hanging.parent[node]
            count[above] += count[node]
            most[above] = max(most[above], most[node])
        is_large = len(tree) > MANY
        shown = _most_informative(hanging, count, most) if is_large and not full else hanging.order
        most_names = (len(tree.variables),) * 2 if full else (6, 4) if is_large else (12, 6)
        return cls(tree, hanging, frozenset(shown), count, most, frozenset(tree.undecided), most_names)

    def drawn(self, root: int, deepest: int, number: int, first_free: int) -> tuple[Tree, list[int]]:
        """The branch of a cluster; where it is cut off, a number says in which of the trees below it goes on."""
        start = self._line(root) if not number else Text.assemble((f"{number} → ", "bold magenta"), self._line(root))
        tree = Tree(start, guide_style="dim")
        continued: list[int] = []
        stack = [(root, tree, 0)]
        while stack:
            node, drawn, depth = stack.pop()
            below = [child for child in self.hanging.children[node] if child in self.shown]
            if below and depth == deepest:
                drawn.add(Text(f"→ {first_free + len(continued)}, below", style="bold magenta"))
                continued.append(node)
                continue
            stack += reversed([(child, drawn.add(self._line(child)), depth + 1) for child in below])
            hidden = [child for child in self.hanging.children[node] if child not in self.shown]
            if hidden:
                drawn.add(self._left_out(hidden))
        return tree, continued

    def _line(self, node: int) -> Text:
        cluster, edge = self.tree.clusters[node], self.hanging.edge_above[node]
        shared = self.tree.separators[edge] if edge >= 0 else frozenset[Name]()
        line = Text.assemble((f"{len(cluster)}", "bold cyan"), "  ", _listed(cluster - shared, self.most_names[0]))
        if edge >= 0:
            line.append(f"  [{_listed(shared, self.most_names[1])}]", "dim")
        if node in self.undecided:
            line.append("  ?", "bold red")
        return line

    def _left_out(self, nodes: Sequence[int]) -> Text:
        count = sum(self.branch_clusters[node] for node in nodes)
        size = max(self.branch_largest[node] for node in nodes)
        return Text(f"… {count:,} more, of up to {size}" if count > 1 else f"… 1 more, of {size}", style="dim italic")


def _listed(names: frozenset[Name], most: int) -> str:
    words = [label(name) for name in canonical(names)]
    shown = words if len(words) <= most else [*words[: most - 2], f"… {len(words) - most + 2} more"]
    return ", ".join(shown)


def _most_informative(hanging: RootedTree, count: Sequence[int], most: Sequence[int]) -> list[int]:
    """The root and then, again and again, the child of a chosen cluster whose branch holds the largest cluster, or more."""
    queue = [(0, 0, hanging.order[0])]
    chosen: list[int] = []
    while queue and len(chosen) < SHOWN:
        node = heapq.heappop(queue)[2]
        chosen.append(node)
        for child in hanging.children[node]:
            heapq.heappush(queue, (-most[child], -count[child], child))
    return chosen
