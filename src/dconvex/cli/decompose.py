"""`dconvex decompose`."""

from __future__ import annotations

import json
import time
from pathlib import Path

from rich.console import Console
from rich.text import Text

from dconvex.amounts import amount
from dconvex.cli.dot import as_dot
from dconvex.cli.drawing import check_picture, draw
from dconvex.cli.sources import find_network
from dconvex.cli.terminal import waiting
from dconvex.cli.tree_view import print_sizes, print_tree
from dconvex.graph.dag import Dag
from dconvex.graph.decomposition import decompose
from dconvex.graph.tree import ClusterTree, Mode
from dconvex.graph.treewidth import HEURISTICS, treewidth_bound
from dconvex.names import canonical

MOST_FOR_TREEWIDTH = 5_000
"""Variables; min-fill takes most of a minute on 10,000 that are densely connected."""


def decompose_network(
    source: str,
    *,
    mode: Mode = "minimal",
    refine: bool = True,
    effort: int = 100_000,
    full: bool = False,
    as_json: bool = False,
    dot: bool = False,
    picture: Path | None = None,
) -> None:
    """Decompose a network and show the tree, for people or for programs."""
    check_picture(picture)
    dag = find_network(source).dag
    with waiting(f"decomposing {amount(len(dag), 'variable')}"):
        start = time.perf_counter()
        tree = decompose(dag, separators=mode, refine=refine, effort=effort)
        seconds = time.perf_counter() - start
    if as_json:
        print(json.dumps(_record(source, dag, tree, seconds)))
    elif dot:
        print(as_dot(tree), end="")
    else:
        _print_decomposition(Console(), source, dag, tree, seconds, full=full)
    draw(tree, picture, for_programs=as_json or dot)


def _print_decomposition(console: Console, source: str, dag: Dag, tree: ClusterTree, seconds: float, *, full: bool) -> None:
    """The tree with a summary above it, the sizes of its clusters and the treewidth below."""
    console.print(Text(f"{source}: {_summary(dag, tree)}, {_spoken(seconds)}", style="bold"))
    print_tree(console, tree, full=full)
    console.print()
    print_sizes(console, tree.sizes.tolist())
    bounds = _treewidth(dag)
    if bounds is None:
        said = f"not estimated for more than {MOST_FOR_TREEWIDTH:,} variables"
    else:
        said = "at most " + ", ".join(f"{bound} ({heuristic})" for heuristic, bound in bounds.items())
    console.print(Text(f"treewidth of the moral graph: {said}"))


def _summary(dag: Dag, tree: ClusterTree) -> str:
    proof = "certified" if tree.certified else f"{len(tree.undecided):,} undecided"
    largest = max(tree.sizes.tolist(), default=0)
    kind = "minimal triangulation" if tree.mode == "all" else f"{tree.mode} separators, {proof}"
    return f"{amount(len(tree), 'cluster')} of up to {largest:,} among {amount(len(dag), 'variable')}, {kind}"


def _spoken(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.1f} ms"


def _record(source: str, dag: Dag, tree: ClusterTree, seconds: float) -> dict[str, object]:
    return {
        "network": source,
        "variables": len(dag),
        "mode": tree.mode,
        "certified": tree.certified,
        "undecided": list(tree.undecided),
        "clusters": [canonical(cluster) for cluster in tree.clusters],
        "edges": [list(edge) for edge in tree.edges],
        "separators": [canonical(separator) for separator in tree.separators],
        "treewidth": _treewidth(dag),
        "seconds": seconds,
    }


def _treewidth(dag: Dag) -> dict[str, int] | None:
    if len(dag) > MOST_FOR_TREEWIDTH:
        return None
    return {heuristic: treewidth_bound(dag, heuristic) for heuristic in HEURISTICS}
