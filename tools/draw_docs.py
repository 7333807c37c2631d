"""Draw the pictures of the documentation: `python tools/draw_docs.py [FOLDER]`, by default into `docs/pictures`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import dconvex as dc
from dconvex.inference.report import EmReport

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("asia", "alarm", "hepar2", "pathfinder", "arth150"):
        model = dc.localize(dc.load_network(name))
        model.dag.save_picture(folder / f"{name}-network.svg", model.tree)
        model.tree.save_picture(folder / f"{name}-tree.svg")
    for name, subject in {**questions(), **answers(), **decisions(), **learned(), **summaries()}.items():
        subject.save_picture(folder / f"{name}.svg")
    dc.localize(dc.load_network("asia")).save_picture(folder / "asia-model.svg")


def questions() -> dict[str, dc.QueryPlan]:
    asia, alarm, hepar2, pathfinder, arth150 = (
        dc.localize(dc.load_network(name)) for name in ("asia", "alarm", "hepar2", "pathfinder", "arth150")
    )
    return {
        "asia-plan": asia.explain("lung", {"smoke": "yes", "xray": "yes"}),
        "alarm-plan": alarm.explain(["HR", "CO"], {"BP": "LOW", "SAO2": "LOW"}),
        "alarm-plan-soft": alarm.explain("PRESS", {"MINVOL": "LOW", "SAO2": "LOW"}, soft={"KINKEDTUBE": [0.7, 0.1]}),
        "hepar2-plan": hepar2.explain("carcinoma", {"sex": "male", "ascites": "present", "jaundice": "present"}),
        "pathfinder-plan": pathfinder.explain(["F17", "F67"], {"F41": "Present", "F92": "Absent"}),
        "arth150-plan": arth150.explain("677", {"4": 1.0, "299": 0.5}),
    }


def answers() -> dict[str, dc.Distribution | dc.GaussianDistribution]:
    alarm, ecoli70 = (dc.localize(dc.load_network(name)) for name in ("alarm", "ecoli70"))
    evidence: dict[str | int, str] = {"BP": "LOW", "SAO2": "LOW"}
    genes = ["lacA", "lacY", "lacZ", "asnA", "eutG"]
    return {
        "bars": alarm.query("HR", evidence),
        "estimate": alarm.query("HR", evidence, method="sampling", samples=500, seed=1),
        "heat-map": alarm.query(["HR", "CO"], evidence),
        "rows": alarm.query(["HR", "CO", "TPR"], evidence),
        "density": ecoli70.query("lacA", {"eutG": 1.0}),
        "ellipses": ecoli70.query(["lacA", "lacZ"]),
        "intervals": ecoli70.query(genes),
    }


def decisions() -> dict[str, dc.MostInformative | dc.Influences | dc.Sensitivity | dc.Effect]:
    asia, hepar2 = (dc.localize(dc.load_network(name)) for name in ("asia", "hepar2"))
    patient: dict[str | int, str] = {"sex": "female", "itching": "present"}
    return {
        "most-informative": hepar2.most_informative("PBC", patient),
        "influences": asia.influences("lung", {"smoke": "no", "xray": "yes", "dysp": "no"}, state="yes"),
        "sensitivity": asia.sensitivity("lung", "yes", {"smoke": "yes", "xray": "yes"}),
        "effect": asia.effect("bronc", "lung"),
    }


def learned() -> dict[str, dc.EdgeStrengths | dc.Evaluation | EmReport]:
    """How sure edges are, how EM went, how well probabilities are calibrated; the code is that of the guides."""
    asia, alarm = (dc.load_network(name) for name in ("asia", "alarm"))
    rows = alarm.sample(5_000, seed=1)[["HR", "CO", "BP", "TPR", "STROKEVOLUME", "HISTORY"]]
    patients = asia.sample(20_000, seed=1)
    untested = (patients["dysp"] == "no") & (np.random.default_rng(3).random(len(patients)) < 0.9)
    patients.loc[untested, ["lung", "tub", "either", "bronc"]] = None
    em = dc.fit(asia, patients, coherent=True, missing="em", prior=dc.BDeu(1)).report().em
    assert em is not None
    evaluated = dc.fit(asia, asia.sample(5_000, seed=1), prior=dc.BDeu(1)).evaluate(asia.sample(2_000, seed=2), "bronc")
    assert isinstance(evaluated, dc.Evaluation)
    return {"strengths": dc.edge_strengths(rows, samples=50), "em": em, "evaluation": evaluated}


def summaries() -> dict[str, dc.LocalModel]:
    return {"large-model": dc.localize(dc.random_network(dc.random_dag(10_000, 9_000, max_parents=1, seed=1), seed=1))}


if __name__ == "__main__":
    main()
