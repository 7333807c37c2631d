"""Figure 1 and Examples 1 and 2: a DAG, a minimal d-separator tree of it, and its minimal d-decomposition tree."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import dconvex as dc
from experiments.common import Result, Row, Setting

EDGES = ("cd", "dg", "ig", "is", "gl", "gh", "lj", "sj", "kh", "mk")
SEPARATOR_TREE = ("cd", "dgi", "gis", "gls", "jls", "ghk", "km")
SEPARATOR_TREE_EDGES = ((0, 1), (1, 2), (2, 3), (3, 4), (3, 5), (5, 6))
DECOMPOSITION_TREE = ("cd", "dgi", "gijls", "ghk", "km")
SEPARATORS = {"d": True, "g": True, "gi": True, "k": True, "gs": False, "ls": False}
"""Example 2: whether they are d-convex."""


def run(setting: Setting, folder: Path) -> Result:
    dag = dc.Dag([(edge[0], edge[1]) for edge in EDGES])
    separated, decomposed = dc.decompose(dag, separators="all"), dc.decompose(dag)
    draw(dag, separated, decomposed, folder / "figure1.png")
    rows = [*example_rows(dag), separator_tree_row(dag, separated), *decomposition_tree_rows(decomposed)]
    same = all(row.verdict.startswith("the same") for row in rows if not row.item.startswith("(b)"))
    verdict = "Reproduced; (b) is not unique." if same else "Not reproduced."
    return Result("figure1", "Figure 1: the example", setting, rows, verdict, REMARKS)


def example_rows(dag: dc.Dag) -> list[Row]:
    path = " – ".join(map(str, dc.inducing_path(dag, set("dglj")) or ()))
    is_convex = dc.is_d_convex(dag, set("gislj"))
    found = {separator: dc.is_d_convex(dag, set(separator)) for separator in SEPARATORS}
    convex, not_convex = (sets(one for one in found if found[one] is wanted) for wanted in (True, False))
    expected = "{g, s}, {l, s}"
    return [
        Row("Example 1: {d, g, l, j}", "not d-convex: d – g – i – s – j", path, same(path == "d – g – i – s – j")),
        Row("Example 1: {g, i, s, l, j}", "d-convex", "d-convex" if is_convex else "not d-convex", same(is_convex)),
        Row("Example 2: not d-convex", expected, f"{not_convex}, but {convex} are", same(found == SEPARATORS)),
    ]  # fmt: skip


def separator_tree_row(dag: dc.Dag, ours: dc.ClusterTree) -> Row:
    theirs = dc.ClusterTree(map(tuple, SEPARATOR_TREE), SEPARATOR_TREE_EDGES, mode="all")
    is_same = set(theirs.clusters) == set(ours.clusters)
    are_sound = not dc.check_tree(dag, theirs) and not dc.check_tree(dag, ours)
    verdict = "the same" if is_same else "another triangulation" + ", both pass `check_tree`" * are_sound
    return Row("(b) minimal d-separator tree", sets(SEPARATOR_TREE), sets(ours.clusters), verdict)


def decomposition_tree_rows(ours: dc.ClusterTree) -> list[Row]:
    is_same = {frozenset(cluster) for cluster in DECOMPOSITION_TREE} == set(ours.clusters)
    proven = "the same, by an exhaustive search" if ours.certified else "not proven"
    return [
        Row("(c) minimal d-decomposition tree", sets(DECOMPOSITION_TREE), sets(ours.clusters), same(is_same)),
        Row("(c) cannot be split further", "claimed", "certified" if ours.certified else "open", proven),
    ]


def same(is_same: bool) -> str:
    return "the same" if is_same else "differs"


def sets(clusters: Iterable[Iterable[object]]) -> str:
    return ", ".join(sorted("{" + ", ".join(sorted(map(str, members))) + "}" for members in clusters))


def draw(dag: dc.Dag, separated: dc.ClusterTree, decomposed: dc.ClusterTree, path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 5.5), layout="constrained")
    panels = figure.subplot_mosaic([["dag", "separated"], ["dag", "decomposed"]], width_ratios=(2, 5))
    drawn = {
        "dag": (dag, "(a) the DAG"),
        "separated": (separated, "(b) a minimal d-separator tree"),
        "decomposed": (decomposed, "(c) the minimal d-decomposition tree"),
    }
    for place, (graph, title) in drawn.items():
        graph.plot(ax=panels[place])
        panels[place].set_title(title)
    figure.savefig(path, dpi=110)


REMARKS = """
A minimal d-separator tree is not unique. In the moral graph, where l and s are married, g, i, s and l form a cycle, and a
triangulation chooses one of its two diagonals: the paper's is g–s, ours i–l. Neither is d-convex, and merging across them gives
the same cluster {g, i, j, l, s} of (c).
"""
