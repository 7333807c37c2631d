"""Classes and tests: `ges` against causal-learn's, and `pc` against pyAgrum's and pgmpy's, on the same rows in one run.

Each starts from the same DataFrame of categoricals (causal-learn from its codes) and uses one thread. `seconds` are the
processor's in a warm call; BIC is that of `dc.statistics(…).score`, the distance that of the CPDAGs to the network from which
the rows were sampled. causal-learn scores discrete data by BDeu with a prior on edges: ours is shown with BIC and with BDeu.

Needs the extra `structure-peers`. `python -m benchmarks.structure_methods [--quick]`.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean
from typing import Annotated, TypeAlias

import numpy as np
import pandas as pd
import typer

import dconvex as dc
from benchmarks import harness
from dconvex.structure.structure_learning import MethodName
from dconvex.structure.structure_options import StructureScore

Learn: TypeAlias = Callable[[pd.DataFrame], dc.Cpdag]


@dataclass(frozen=True)
class Found:
    """The means of a contender over some samples."""

    task: str
    network: str
    rows: int
    samples: int
    contender: str
    seconds: float
    bic: float
    distance: float


def ours(method: MethodName, score: StructureScore = "bic") -> Learn:
    return lambda frame: dc.learn_structure(frame, method=method, score=score, n_jobs=1).cpdag


def names_of(frame: pd.DataFrame) -> list[str]:
    return list(map(str, frame.columns))


def causal_learn_ges(frame: pd.DataFrame) -> dc.Cpdag:
    from causallearn.search.ScoreBased.GES import ges

    codes = np.array([frame[name].cat.codes for name in names_of(frame)]).T.astype(int)
    return from_marks(ges(codes, score_func="local_score_BDeu")["G"].graph, names_of(frame))


def pyagrum_pc(frame: pd.DataFrame) -> dc.Cpdag:
    import pyagrum

    learner = pyagrum.BNLearner(frame)
    learner.setNumberOfThreads(1)
    learner.usePC()
    found = learner.learnPDAG()
    names = {learner.idFromName(name): name for name in names_of(frame)}
    directed = [(names[tail], names[head]) for tail, head in found.arcs()]
    return dc.Cpdag(directed, [(names[one], names[other]) for one, other in found.edges()], names_of(frame))


def pgmpy_pc(frame: pd.DataFrame) -> dc.Cpdag:
    from pgmpy.estimators import PC

    found = PC(frame).estimate(
        variant="stable", ci_test="g_sq", significance_level=0.01, return_type="pdag", show_progress=False, n_jobs=1
    )
    return dc.Cpdag(list(found.directed_edges), list(found.undirected_edges), names_of(frame))


def from_marks(marks: np.ndarray, names: list[str]) -> dc.Cpdag:
    """causal-learn's matrix: -1 at a tail, 1 at a head."""
    pairs = [(one, other) for one in range(len(names)) for other in range(len(names)) if marks[one, other] == -1]
    directed = [(names[one], names[other]) for one, other in pairs if marks[other, one] == 1]
    undirected = [(names[one], names[other]) for one, other in pairs if marks[other, one] == -1 and one < other]
    return dc.Cpdag(directed, undirected, names)


TASKS: dict[str, dict[str, Learn]] = {
    "ges": {
        "dconvex": ours("ges"),
        "dconvex, BDeu": ours("ges", dc.BDeu(1)),
        "causal-learn": causal_learn_ges,
    },
    "pc": {"dconvex": ours("pc"), "pyAgrum": pyagrum_pc, "pgmpy": pgmpy_pc},
}


def run(quick: bool, folder: Path) -> None:
    found: list[Found] = []
    for own in races(quick):
        found.append(own)
        first = next(other for other in found if (other.task, other.rows) == (own.task, own.rows))
        shown = f"{own.task} {own.network} {own.rows:,} {own.contender}: {own.seconds:.3f} s"
        ratio = f"({own.seconds / first.seconds:.0f}x), BIC {own.bic:,.0f}, distance {own.distance:.1f}"
        harness.wide_console().print(f"{shown} {ratio}", highlight=False)
    folder.mkdir(parents=True, exist_ok=True)
    record = {"benchmark": "structure_methods", "quick": quick, "machine": harness.machine(), "found": list(map(asdict, found))}
    (folder / "structure_methods.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def races(quick: bool) -> Iterator[Found]:
    """Each contender on the same samples."""
    network = dc.load_network("alarm")
    for task, rows, samples in (("ges", 1_000, 1 if quick else 10), ("pc", 1_000, 1 if quick else 5), ("pc", 10_000, 1)):
        frames = [network.sample(rows, seed=seed) for seed in range(samples)]
        for contender, learn in TASKS[task].items():
            results = [judged(learn, frame, network) for frame in frames]
            yield Found(task, "alarm", rows, samples, contender, *(mean(column) for column in zip(*results, strict=True)))


def judged(learn: Learn, frame: pd.DataFrame, network: dc.BayesianNetwork) -> tuple[float, float, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learn(frame.iloc[:100, :3])  # imports and caches
        began = time.process_time()
        found = learn(frame)
        seconds = time.process_time() - began
    dag = found.extension.dag
    return seconds, dc.statistics(dag, frame).score("bic"), float(dc.compare_structures(found, network).distance)


def main(quick: Annotated[bool, typer.Option("--quick", help="One sample each.")] = False) -> None:
    run(quick, Path("benchmarks-quick") if quick else harness.RESULTS)


if __name__ == "__main__":
    typer.run(main)
