"""Beyond the paper: how often Algorithm 2 leaves clusters that can be split, and what splitting them gains.

Theorem 2 says that Algorithm 2 gives irreducible clusters. It does not; `decompose` searches on (`refine=True`), and with
`separators="any"` it also splits by d-convex sets that are not minimal.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

import dconvex as dc
from experiments.common import Result, Row, Setting, tidy

REPOSITORY = ("child", "insurance", "alarm", "hailfinder", "hepar2", "win95pts", "pathfinder", "andes", "pigs", "munin1")
NODES, EDGES = (20, 50, 100), (1.0, 1.25, 1.5, 2.0)
"""Of random DAGs; edges for each node."""
QUESTIONS = 50
PUBLISHED = {"child": 7, "alarm": 11, "hailfinder": 24, "hepar2": 34, "win95pts": 35, "pigs": 144}
"""The largest of the clusters that the paper's authors published."""


def run(setting: Setting, folder: Path) -> Result:
    setting = replace(setting, repetitions=setting.pick(5, 50, 200))
    networks = pd.DataFrame([compared(name, setting) for name in setting.pick(REPOSITORY[:3], REPOSITORY, REPOSITORY)])
    shapes = [(n, edges) for n in setting.pick(NODES[:1], NODES, NODES) for edges in EDGES]
    random = pd.DataFrame([on_random_dags(n, edges, setting) for n, edges in shapes])
    rows = [network_row(one) for _, one in networks.iterrows()]
    rows += [
        Row(
            f"random DAGs, {one['nodes']:.0f} nodes, {one['edges']:g} edges per node",
            "always irreducible",
            f"{one['reducible']:.0%} are not; ours proven for {one['certified']:.0%}",
            f"largest cluster on average {one['algorithm 2']:.1f} → {one['minimal']:.1f} → {one['any']:.1f}",
        )
        for _, one in random.iterrows()
    ]
    draw(random, folder / "refinement.png")
    return Result(
        "refinement", "Beyond the paper: what refining gains", setting, rows, verdict(networks, random), ["refinement.png"],
        {"networks": networks, "random": random},
    )  # fmt: skip


def trees(dag: dc.Dag) -> dict[str, dc.ClusterTree]:
    return {
        "algorithm 2": dc.decompose(dag, refine=False),
        "minimal": dc.decompose(dag),
        "any": dc.decompose(dag, separators="any"),
    }


def compared(name: str, setting: Setting) -> dict[str, object]:
    """Clusters, the largest of them, and what questions about two variables cost in a model learned from 1,000 rows."""
    network = dc.random_network(dc.load_network(name).dag, states=2, seed=setting.rng("refinement", name))
    frame = network.sample(1_000, setting.rng("refinement", name, "rows"))
    rng = setting.rng("refinement", name, "questions")
    nodes = np.array(network.dag.nodes, dtype=object)
    questions = [rng.choice(nodes, 2, replace=False).tolist() for _ in range(setting.pick(10, QUESTIONS, QUESTIONS))]
    hulls = [len(dc.convex_hull(network.dag, question)) for question in questions]
    found: dict[str, object] = {"network": name, "hull": float(np.mean(hulls))}
    for what, tree in trees(network.dag).items():
        model = dc.fit(network.dag, frame, tree=tree)
        found |= {
            f"{what}: clusters": len(tree),
            f"{what}: largest": int(tree.sizes.max()),
            f"{what}: certified": tree.certified,
            f"{what}: variables": float(np.mean([len(tree.pruned_to(question).variables) for question in questions])),
            f"{what}: microseconds": 1e6 * median(_seconds(model, question) for question in questions),
        }
    return found


def _seconds(model: dc.LocalModel, question: list[str]) -> float:
    model.query(question)
    start = time.perf_counter()
    model.query(question)
    return time.perf_counter() - start


def on_random_dags(nodes: int, edges: float, setting: Setting) -> dict[str, float]:
    found = []
    for repetition in range(setting.repetitions):
        dag = dc.random_dag(nodes, round(nodes * edges), seed=setting.rng("refinement", nodes, edges, repetition))
        made = trees(dag)
        is_reducible = set(made["algorithm 2"].clusters) != set(made["minimal"].clusters)
        is_certified = made["minimal"].certified
        found.append(
            {"reducible": is_reducible, "certified": is_certified}
            | {what: int(tree.sizes.max()) for what, tree in made.items()}
        )
    means = pd.DataFrame(found).astype(float).mean()
    return {"nodes": nodes, "edges": edges, **{str(what): float(mean) for what, mean in means.items()}}


def network_row(one: pd.Series[Any]) -> Row:
    kinds = ("algorithm 2", "minimal", "any")
    sizes = " → ".join(f"{one[f'{kind}: clusters']}/{one[f'{kind}: largest']}" for kind in kinds)
    asked = " → ".join(f"{one[f'{kind}: variables']:.1f}" for kind in kinds)
    times = " → ".join(f"{one[f'{kind}: microseconds']:.0f}" for kind in kinds)
    proof = "certified" if one["minimal: certified"] else "not certified"
    name = str(one["network"])
    return Row(
        name,
        f"largest {PUBLISHED[name]}" if name in PUBLISHED else "–",
        f"{sizes} ({proof})",
        f"questions: {asked} (hull {one['hull']:.1f}) variables, {times} µs",
    )


def verdict(networks: pd.DataFrame, random: pd.DataFrame) -> str:
    changed = networks.loc[networks["algorithm 2: clusters"] != networks["minimal: clusters"], "network"].to_list()
    worst = random.iloc[int(random["reducible"].argmax())]
    return (
        "Clusters/largest cluster: of Algorithm 2, of the refined minimal tree, and with separators='any'. Algorithm 2 "
        f"leaves reducible clusters on {', '.join(changed) or 'none'} of these networks and on up to "
        f"{worst['reducible']:.0%} of random DAGs ({worst['nodes']:.0f} nodes, {worst['edges']:g} edges per node), so "
        "Theorem 2 is false. The paper's column is the largest cluster that its authors published. Questions are about "
        "two random variables of a binary network learned from 1,000 rows: the variables of the clusters that are kept, "
        "and the median time of the second asking."
    )


def draw(random: pd.DataFrame, path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for number, (nodes, part) in enumerate(random.groupby("nodes")):
        left.plot(part["edges"], 100 * part["reducible"], "o-", color=f"C{number}", label=f"{nodes:.0f} nodes")
        for kind, style in (("algorithm 2", ":"), ("minimal", "-"), ("any", "--")):
            label = f"{nodes:.0f} nodes, {kind}"
            right.plot(part["edges"], part[kind], f"o{style}", color=f"C{number}", markersize=4, label=label)
    left.set(xlabel="edges per node", ylabel="% of random DAGs", ylim=(0, 104), title="Algorithm 2 is not irreducible")
    right.set(xlabel="edges per node", ylabel="variables", title="largest cluster, on average")
    for axes in (left, right):
        axes.legend(frameon=False, fontsize=8)
        tidy(axes)
    figure.savefig(path, dpi=110)
