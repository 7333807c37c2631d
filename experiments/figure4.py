"""Figure 4: how far the learned Gaussian network is from the true one, as rows grow.

The paper prints KL(estimate‖truth), its notebook computes KL(truth‖estimate); we give both.

The true networks are drawn as the published notebook draws them, by pgmpy's `get_random(loc=0, scale=0.1)`: intercepts and
coefficients from N(0, 0.1²), and |N(0, 0.1²)| for the noise. pgmpy calls the latter a standard deviation, but some of its
versions put it on the diagonal of the noise covariance unsquared. The paper's condition numbers are those of a variance (see
the supplement), so that is our default.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import dconvex as dc
from experiments.common import Result, Row, Setting, draw_boxes, slope, span

NETWORKS = ("ecoli70", "magic-niab", "magic-irri", "arth150")
SIZES = (500, 1_000, 2_500, 5_000, 7_500, 10_000)
MEASURES = {"kl": "KL(estimate‖truth)", "hellinger": "Hellinger distance", "wasserstein2": "Wasserstein-2 distance"}
SCALE = 0.1
PAPER = 0.04
"""Wasserstein-2 at 10,000 rows, of all four networks."""


def run(setting: Setting, folder: Path) -> Result:
    names = setting.pick(NETWORKS[:1], NETWORKS, NETWORKS)
    sizes = setting.pick(SIZES[:2], SIZES, SIZES)
    runs = pd.DataFrame([one for name in names for one in measured(name, sizes, setting)])
    draw_boxes(runs, folder / "figure4.png", {"": names}, MEASURES)
    rows = [row(name, runs[runs["network"] == name]) for name in names]
    apart = f"W2 between them at most {runs['apart'].max():.1g}"
    rows.append(Row("decomposed estimate = global estimate", "implied by Corollary 1", apart, "the same but for rounding"))
    title = "Figure 4: accuracy of learned Gaussian networks"
    return Result("figure4", title, setting, rows, verdict(runs), remarks(runs), {"runs": runs})


def measured(name: str, sizes: tuple[int, ...], setting: Setting) -> Iterator[dict[str, object]]:
    dag = dc.load_network(name).dag
    tree = dc.decompose(dag)
    for rows in sizes:
        for repetition in range(setting.repetitions):
            rng = setting.rng("figure4", name, rows, repetition)
            truth = random_truth(dag, rng)
            moments = dc.statistics(dag, truth.sample(rows, rng), tree=tree, kind="gaussian")
            estimate, full = dc.fit(dag, moments).network(), dc.fit(dag, moments, coherent=True).network()
            yield {
                "network": name,
                "rows": rows,
                "repetition": repetition,
                "parameters": 2 * len(dag) + len(dag.edges),
                "kl": float(dc.kl_divergence(estimate, truth)),
                "kl_reverse": float(dc.kl_divergence(truth, estimate)),
                "hellinger": float(dc.hellinger_distance(estimate, truth)),
                "wasserstein2": float(dc.wasserstein2_distance(estimate, truth)),
                "apart": float(dc.wasserstein2_distance(estimate, full)),
            }


def random_truth(dag: dc.Dag, rng: np.random.Generator, *, noise_is_variance: bool = True) -> dc.BayesianNetwork:
    def regression(node: str | int) -> tuple[float, dict[str | int, float], float]:
        parents = dag.parents(node)
        intercept, *slopes = rng.normal(0, SCALE, 1 + len(parents)).tolist()
        noise = abs(rng.normal(0, SCALE))
        return intercept, dict(zip(parents, slopes, strict=True)), noise if noise_is_variance else noise**2

    return dc.BayesianNetwork.gaussian(dag, {node: regression(node) for node in dag.nodes})


def row(name: str, runs: pd.DataFrame) -> Row:
    means = runs.groupby("rows")[[*MEASURES, "kl_reverse"]].mean()
    most = means.index[-1]
    last = means.loc[most]
    power = slope(means.index.to_list(), means["wasserstein2"].to_list())
    expected = runs["parameters"].iloc[0] / (2 * most)
    ours = f"W2 {last['wasserstein2']:.3f}, H {last['hellinger']:.2g}, KL {last['kl']:.2g}, reversed {last['kl_reverse']:.2g}"
    verdict = f"W2 is {last['wasserstein2'] / PAPER:.2f} × {PAPER} and falls as rows^{power:.2f}; "
    verdict += f"KL is {last['kl'] / expected:.2f} × parameters/(2 rows)"
    return Row(f"{name}, {most:,} rows", f"W2 “around {PAPER}” at 10,000", ours, verdict)


def verdict(runs: pd.DataFrame) -> str:
    most = runs["rows"].max()
    found = runs[runs["rows"] == most].groupby("network", sort=False)["wasserstein2"].mean()
    is_near = most == SIZES[-1] and found.between(PAPER / 2, 2 * PAPER).all()
    goes_on = max(powers(runs)) < -0.4
    return (
        f"{'Reproduced' if is_near else 'Differs'} in size: Wasserstein-2 is {span(found, '.3f')} at {most:,} rows, in the "
        f"paper “around {PAPER}” at 10,000. It {'does not stabilise there' if goes_on else 'falls ever more slowly'}."
    )


def powers(runs: pd.DataFrame) -> list[float]:
    """With which power of the rows the distance falls, by network."""
    means = runs.groupby(["network", "rows"])["wasserstein2"].mean()
    return [slope(part.index.get_level_values("rows").to_list(), part.to_list()) for _, part in means.groupby("network")]


def remarks(runs: pd.DataFrame) -> str:
    return f"""
    The paper says that Wasserstein-2 stabilises. It falls with the square root of the rows in all networks, as maximum
    likelihood does (powers of {span(powers(runs), ".2f")}), and would be half as large with four times the rows.

    The decomposed estimate is the global one, so the figure shows sampling error and not what decomposition loses.

    The size depends on how the true networks are drawn: this is the notebook's way, with the noise taken as a variance, which
    the condition numbers of the supplement confirm.

    ecoli70 has 46 variables and magic-niab 44; the supplement has them the other way round.
    """
