"""Beyond the paper: related decompositions side by side.

- complete (Li and Guo): separators that are pairwise adjacent in the DAG
- minimal: the paper's minimal d-decomposition tree, refined
- any: d-convex separators that need not be minimal
- atoms: the moral graph cut along clique minimal separators; an undirected model of the moral graph, which has forgotten the
  directions, can be cut there, but the clusters need not be d-convex
- separator tree (Liu et al.): the cliques of a minimal triangulation, which cannot be learned on their own either
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

import dconvex as dc
from experiments.common import Result, Row, Setting, tidy

NETWORKS = ("asia", "child", "insurance", "mildew", "alarm", "hailfinder", "hepar2", "win95pts", "pathfinder", "andes", "pigs")
KINDS = ("complete", "minimal", "any", "atoms", "separator tree")


def run(setting: Setting, folder: Path) -> Result:
    names = setting.pick(NETWORKS[:5], NETWORKS, NETWORKS)
    found = pd.DataFrame([one for name in names for one in compared(name)])
    rows = [row(name, found[found["network"] == name]) for name in names]
    draw(found, folder / "related.png")
    title = "Beyond the paper: related decompositions"
    return Result("related", title, setting, rows, verdict(found), remarks(found), {"sizes": found})


def compared(name: str) -> list[dict[str, object]]:
    dag = dc.load_network(name).dag
    cliques = dc.decompose(dag, separators="all")
    clusters = {
        "complete": dc.decompose(dag, separators="complete").clusters,
        "minimal": dc.decompose(dag).clusters,
        "any": dc.decompose(dag, separators="any").clusters,
        "atoms": atoms(dag, cliques),
        "separator tree": cliques.clusters,
    }
    return [
        {
            "network": name,
            "kind": kind,
            "clusters": len(parts),
            "largest": max(map(len, parts)),
            "mean": float(np.mean([len(part) for part in parts])),
            "convex": sum(dc.is_d_convex(dag, part) for part in parts) / len(parts),
            "variables": len(dag),
        }
        for kind, parts in clusters.items()
    ]


def atoms(dag: dc.Dag, cliques: dc.ClusterTree) -> tuple[frozenset[str | int], ...]:
    """The clique tree, merged across separators that are not complete in the moral graph (Leimer; Berry and others)."""
    import networkx as nx

    moral = nx.moral_graph(dag.to_networkx())
    to_merge: nx.Graph[int] = nx.Graph()
    to_merge.add_nodes_from(range(len(cliques)))
    for edge, separator in zip(cliques.edges, cliques.separators, strict=True):
        if not all(moral.has_edge(*pair) for pair in combinations(separator, 2)):
            to_merge.add_edge(*edge)
    return tuple(frozenset().union(*(cliques.clusters[place] for place in part)) for part in nx.connected_components(to_merge))


def row(name: str, found: pd.DataFrame) -> Row:
    ours = ", ".join(f"{one.kind} {one.clusters}/{one.largest}" for one in found.itertuples())
    convex = found.set_index("kind")["convex"]
    remark = f"d-convex: {convex['atoms']:.0%} of the atoms, {convex['separator tree']:.0%} of the cliques"
    return Row(f"{name} ({found['variables'].iloc[0]})", "–", ours, remark)


def verdict(found: pd.DataFrame) -> str:
    largest = found.pivot(index="network", columns="kind", values="largest")
    gain, more = int((largest["minimal"] < largest["complete"]).sum()), int((largest["any"] < largest["minimal"]).sum())
    return (
        "The paper's separators make the largest cluster smaller than complete ones do on "
        f"{gain} of {len(largest)} networks; d-convex separators that are not minimal make it smaller still on {more}."
    )


def remarks(found: pd.DataFrame) -> str:
    largest = found.pivot(index="network", columns="kind", values="largest")
    missing = 1 - found.groupby("kind")["convex"].mean()
    smaller = int((largest["atoms"] < largest["minimal"]).sum())
    return f"""
    Clusters/largest cluster. Complete, minimal and any are d-convex by construction.

    The largest undirected atom is smaller than the largest minimal cluster on {smaller} of {len(largest)} networks, but a part
    of the atoms is not d-convex ({missing["atoms"]:.0%} on average), and more of the cliques
    ({missing["separator tree"]:.0%}): these have no Bayesian network of their own that could be learned alone.
    """


def draw(found: pd.DataFrame, path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 4.5), layout="constrained")
    axes = figure.subplots()
    names = list(dict.fromkeys(found["network"]))
    for number, kind in enumerate(KINDS):
        part = found[found["kind"] == kind]
        places = np.arange(len(names)) + (number - 2) * 0.16
        axes.bar(places, part["largest"] / part["variables"], width=0.15, label=kind, color=f"C{number}")
    axes.set_xticks(range(len(names)), names)
    axes.set(ylabel="largest cluster / variables", ylim=(0, 1))
    axes.legend(frameon=False, ncols=len(KINDS), loc="upper right")
    tidy(axes)
    figure.savefig(path, dpi=110)
