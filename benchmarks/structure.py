"""Graphs from tables: our searches and those of pyBNesian, pyAgrum and pgmpy, on the same rows in one run.

Each starts from the same DataFrame of categoricals and uses one thread. `seconds` are those of the processor, the least of some
warm calls, with what the frame costs. A peer that takes more than a tenth of a minute at one size is not asked for the next.
BIC and BDeu are those of `dc.statistics(…).score` for every graph alike; the distance is that of the CPDAGs to the network
that the rows were sampled from; memory is by how much the process grew.

Needs the extra `structure-peers`.
"""

from __future__ import annotations

import json
import math
import resource
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

import pandas as pd

import dconvex as dc
from benchmarks import harness

Learn: TypeAlias = Callable[[pd.DataFrame], dc.Dag]

NETWORKS = ("alarm", "hailfinder", "hepar2", "win95pts", "andes", "pigs")
MANY_STATES = ("mildew", "barley", "munin1", "diabetes")
ROWS = (1_000, 10_000, 100_000)
PATIENCE = 60.0
"""A contender that took longer than this is not asked again."""
MOST_CALLS, ENOUGH = 5, 2.0
"""Calls are repeated this often, or for as many seconds."""
BARS = {"alarm": 10, "hailfinder": 10, "hepar2": 20, "win95pts": 20, "andes": 20, "pigs": 20}
"""At 10,000 rows `greedy` is to be this many times as fast as pyBNesian."""


@dataclass(frozen=True)
class Learned:
    """What a contender came to."""

    network: str
    rows: int
    contender: str
    seconds: float
    bic: float
    bdeu: float
    distance: int
    edges: int
    megabytes: float


def greedy(frame: pd.DataFrame) -> dc.Dag:
    return dc.learn_structure(frame, method="greedy", n_jobs=1).dag


def search(frame: pd.DataFrame) -> dc.Dag:
    return dc.learn_structure(frame, method="search", n_jobs=1).dag


def ges(frame: pd.DataFrame) -> dc.Dag:
    return dc.learn_structure(frame, method="ges", n_jobs=1).dag


def pybnesian(frame: pd.DataFrame) -> dc.Dag:
    import pybnesian

    start = pybnesian.DiscreteBN(list(frame.columns))
    found = pybnesian.GreedyHillClimbing().estimate(pybnesian.ArcOperatorSet(), pybnesian.BIC(frame), start)
    return dc.Dag(found.arcs(), list(frame.columns))


def pyagrum(frame: pd.DataFrame) -> dc.Dag:
    import pyagrum

    learner = pyagrum.BNLearner(frame)
    learner.setNumberOfThreads(1)
    learner.useScoreBIC()
    learner.useGreedyHillClimbing()
    found = learner.learnDAG()
    names = {number: learner.nameFromId(number) for number in found.nodes()}
    return dc.Dag([(names[tail], names[head]) for tail, head in found.arcs()], list(frame.columns))


def pgmpy(frame: pd.DataFrame) -> dc.Dag:
    from pgmpy.estimators import HillClimbSearch

    found = HillClimbSearch(frame).estimate(scoring_method="bic-d", show_progress=False)
    return dc.Dag(list(found.edges()), list(frame.columns))


CONTENDERS: dict[str, Learn] = {
    "greedy": greedy,
    "search": search,
    "ges": ges,
    "pyBNesian": pybnesian,
    "pyAgrum": pyagrum,
    "pgmpy": pgmpy,
}


def run(quick: bool, folder: Path) -> None:
    found: list[Learned] = []
    for own in races(quick):
        found.append(own)
        harness.wide_console().print(line(own), highlight=False)
    folder.mkdir(parents=True, exist_ok=True)
    learned = [asdict(own) for own in found]
    record = {"benchmark": "structure", "quick": quick, "machine": harness.machine(), "learned": learned}
    (folder / "structure.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    for own in found:
        if own.contender == "greedy":
            harness.wide_console().print(verdict(own, found), highlight=False)


def races(quick: bool) -> Iterator[Learned]:
    """One result after the other."""
    sizes = ROWS[:2] if quick else ROWS
    for network in (*NETWORKS[:4], *(() if quick else (*NETWORKS[4:], *MANY_STATES))):
        truth = dc.load_network(network)
        given_up: set[str] = {"pgmpy"} if quick or len(truth.dag) > 80 else set()
        for rows in sizes if network in NETWORKS else (10_000,):
            frame = truth.sample(rows, seed=1)
            for contender, learn in CONTENDERS.items():
                if contender in given_up:
                    continue
                learned = race(network, truth.dag, frame, contender, learn)
                yield learned
                if learned.seconds > PATIENCE / 10:  # ten times the rows take about ten times as long
                    given_up.add(contender)


def race(network: str, truth: dc.Dag, frame: pd.DataFrame, contender: str, learn: Learn) -> Learned:
    """The best time of a contender, and its graph's scores."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    times: list[float] = []
    began = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while len(times) < MOST_CALLS and (not times or time.monotonic() - began < ENOUGH):
            clock = time.process_time()
            dag = learn(frame)
            times.append(time.process_time() - clock)
    megabytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    bic, bdeu = scores(dag, frame)
    distance = dc.compare_structures(dag, truth).distance
    return Learned(network, len(frame), contender, min(times), bic, bdeu, distance, len(dag.edges), megabytes)


def scores(dag: dc.Dag, frame: pd.DataFrame) -> tuple[float, float]:
    statistics = dc.statistics(dag, frame, coherent=True)
    return statistics.score("bic"), statistics.score("bdeu")


def line(own: Learned) -> str:
    return (
        f"{own.network:<11}{own.rows:>8,} {own.contender:<10}{own.seconds:>9.4f} s  BIC {own.bic:>15,.1f}"
        f"  BDeu {own.bdeu:>15,.1f}  SHD {own.distance:>4}  {own.edges:>4} edges  {own.megabytes:>6.0f} MB"
    )


def verdict(own: Learned, found: list[Learned]) -> str:
    """How many times as fast as pyBNesian, and whether `search` has the best score."""
    same = {other.contender: other for other in found if (other.network, other.rows) == (own.network, own.rows)}
    peer = same.get("pyBNesian")
    ratio = math.nan if peer is None else peer.seconds / own.seconds
    bar = BARS.get(own.network) if own.rows == 10_000 else None
    best = max(same.values(), key=lambda other: other.bic)
    target = "" if bar is None else f" (target {bar})"
    agrum = same.get("pyAgrum")
    allowed = 1.0 if agrum is None else max(1.0, agrum.seconds)
    took = same["search"].seconds if "search" in same else math.nan
    return (
        f"{own.network:<11}{own.rows:>8,}: greedy {ratio:5.1f} times as fast as pyBNesian{target}; best BIC: {best.contender}; "
        f"search took {took:.2f} s of {allowed:.2f}"
    )
