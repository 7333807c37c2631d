"""Figure 4: how far the learned Gaussian network is from the true one, as rows grow.

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
from experiments.common import Result, Row, Setting, draw_boxes, slope

NETWORKS = ("ecoli70", "magic-niab", "magic-irri", "arth150")
SIZES = (500, 1_000, 2_500, 5_000, 7_500, 10_000)
MEASURES = {"kl": "KL(estimate‖truth)", "hellinger": "Hellinger distance", "wasserstein2": "Wasserstein-2 distance"}
SCALE = 0.1


def run(setting: Setting, folder: Path) -> Result:
    names = setting.pick(NETWORKS[:1], NETWORKS, NETWORKS)
    sizes = setting.pick(SIZES[:2], SIZES, SIZES)
    runs = pd.DataFrame([one for name in names for one in measured(name, sizes, setting)])
    draw_boxes(runs, folder / "figure4.png", {"": names}, MEASURES)
    rows = [row(name, runs[runs["network"] == name]) for name in names]
    apart = runs["apart"].max()
    rows.append(Row("decomposed estimate against full MLE", "–", f"furthest apart by {apart:.1g}", "the same, by Corollary 1"))
    title = "Figure 4: accuracy of learned Gaussian networks"
    return Result("figure4", title, setting, rows, VERDICT, ["figure4.png"], {"runs": runs})


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
    means = runs.groupby("rows")[list(MEASURES)].mean()
    most = means.index[-1]
    last = means.loc[most]
    power = slope(means.index.to_list(), means["wasserstein2"].to_list())
    expected = runs["parameters"].iloc[0] / (2 * most)
    ours = f"W2 {last['wasserstein2']:.3f}, KL {last['kl']:.2g}, H {last['hellinger']:.2g} at {most:,} rows"
    verdict = f"W2 falls as rows^{power:.2f}; KL is {last['kl'] / expected:.2f} × parameters/(2 rows)"
    return Row(name, "W2 “around 0.04” at 10,000" if most == SIZES[-1] else "–", ours, verdict)


VERDICT = (
    "Wasserstein-2 is of the size that the paper gives once the networks are drawn as in its notebook. It does not "
    "stabilise: it falls with the square root of the rows, as maximum likelihood does. The decomposed estimate is the "
    "full estimate, so the figure shows sampling error, not decomposition. ecoli70 has 46 variables and magic-niab 44; "
    "the supplement has them the other way round, or took other files."
)
