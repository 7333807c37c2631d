"""Beyond the paper: the gap between local and coherent answers as rows grow.

Learned locally, a question is answered from the clusters that it touches, each estimated from its own columns. In finite
samples that is not the marginal of the global estimate: the paper's equality holds for true distributions only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import dconvex as dc
from experiments.common import Result, Row, Setting, random_binary, slope, span, tidy

Floats: TypeAlias = NDArray[np.float64]

NETWORKS = ("child", "alarm", "hepar2", "win95pts", "pathfinder")
SIZES = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
QUESTIONS = 50
SAME = 1e-12
CLAIM = "none: “the same target inference output”"


def run(setting: Setting, folder: Path) -> Result:
    setting = replace(setting, repetitions=setting.pick(2, 20, 100))
    names, sizes = setting.pick(NETWORKS[:2], NETWORKS, NETWORKS), setting.pick(SIZES[:3], SIZES, SIZES)
    runs = pd.DataFrame([one for name in names for size in sizes for one in measured(name, size, setting)])
    means = runs.groupby(["network", "rows"], sort=False)[["gap", "error", "local_error", "widest"]].mean().reset_index()
    draw(means, folder / "gap.png")
    rows = [row(name, means[means["network"] == name]) for name in names]
    title = "Beyond the paper: local against coherent answers"
    return Result("gap", title, setting, rows, verdict(means), remarks(means), {"runs": runs})


def measured(name: str, rows: int, setting: Setting) -> Iterator[dict[str, object]]:
    """Total variation, over questions about two variables: between the two models, and of each from the truth."""
    dag = dc.load_network(name).dag
    tree = dc.decompose(dag)
    nodes = np.array(dag.nodes, dtype=object)
    for repetition in range(setting.repetitions):
        rng = setting.rng("gap", name, rows, repetition)
        truth = random_binary(dag, rng)
        counts = dc.statistics(dag, truth.sample(rows, rng), tree=tree)
        models = dc.fit(dag, counts), dc.fit(dag, counts, coherent=True), dc.localize(truth, tree=tree)
        questions = [rng.choice(nodes, 2, replace=False).tolist() for _ in range(QUESTIONS)]
        answers = np.array([[values(model, question) for question in questions] for model in models])
        local, coherent, true = answers.reshape(3, QUESTIONS, -1)
        gaps = variation(local, coherent)
        yield {
            "network": name,
            "rows": rows,
            "repetition": repetition,
            "gap": gaps.mean(),
            "widest": gaps.max(),
            "error": variation(coherent, true).mean(),
            "local_error": variation(local, true).mean(),
        }


def values(model: dc.LocalModel, question: list[str]) -> Floats:
    return cast("dc.Distribution", model.query(question)).values


def variation(one: Floats, other: Floats) -> Floats:
    distance: Floats = 0.5 * np.abs(one - other).sum(axis=-1)
    return distance


def row(name: str, means: pd.DataFrame) -> Row:
    first, last = means.iloc[0], means.iloc[-1]
    if means["widest"].max() < SAME:
        return Row(name, CLAIM, "none", "local and coherent answers are the same numbers")
    power = slope(means["rows"].to_list(), means["gap"].to_list())
    ours = f"{first['gap']:.1e} at {first['rows']:,} rows, {last['gap']:.1e} at {last['rows']:,}: rows^{power:.2f}"
    shares = " and ".join(f"{one['gap'] / one['error']:.1%}" for one in (first, last))
    return Row(name, CLAIM, ours, f"{shares} of the estimation error")


def verdict(means: pd.DataFrame) -> str:
    share = (means["gap"] / means["error"]).max()
    return (
        "Learned locally, an answer is not exactly the marginal of the global estimate. The gap is at most "
        f"{share:.1%} of the estimation error, and closes with the rows as that does."
    )


def remarks(means: pd.DataFrame) -> str:
    by_network = means.groupby("network", sort=False)
    ratio = by_network["local_error"].sum() / by_network["error"].sum()
    return f"""
    Mean total variation between the two answers to {QUESTIONS} questions about two random variables, for each of the random
    binary networks. The estimation error is that of the coherent answer from the true one.

    The paper's equality holds for true distributions: Corollary 1 and the pruning rule are about these. In finite samples a
    pruned cluster estimates P(v | pa(v) ∩ C) from its own columns, where the marginal of the global estimate also uses the
    columns that were pruned.

    Neither is nearer to the truth: local answers are {span(ratio, ".3f")} times as far from it as coherent ones. Whoever needs
    answers that agree with each other exactly asks for `coherent=True`.
    """


def draw(means: pd.DataFrame, path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for number, (name, part) in enumerate(means.groupby("network", sort=False)):
        axes.plot(part["rows"], part["error"], "s:", color=f"C{number}", markersize=3, linewidth=1)
        axes.plot(part["rows"], part["gap"], "o-", color=f"C{number}", markersize=4, label=str(name))
    axes.plot([], [], "ks:", markersize=3, linewidth=1, label="estimation error")
    axes.set(xscale="log", yscale="log", xlabel="rows", ylabel="mean total variation", title="local against coherent answers")
    axes.legend(frameon=False, fontsize=8, ncols=2)
    tidy(axes)
    figure.savefig(path, dpi=110)
