"""EM from tables with missing cells: one pass over the rows, prepared for it, and from a data frame to a model at the maximum.

pyAgrum runs one propagation for each row and pass, on one thread; its time is for some of the rows, scaled up. "two processes"
do the passes of one thread twice at the same time, and half of their time counts: what two threads could gain at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pandas as pd

import dconvex as dc
from benchmarks.harness import Case
from benchmarks.processes import in_two_processes
from dconvex.exchange.pyagrum import to_pyagrum
from dconvex.learning.em_fitting import em_problem
from dconvex.learning.estimation.table_em import TableProblem
from dconvex.learning.learning_options import LearningOptions
from dconvex.learning.tree_statistics import Scope
from dconvex.threads import threads

ROWS = 10_000
PEER_ROWS, PEER_PASSES = 20, 2


def cases(quick: bool) -> Iterator[Case]:
    rows = 1_000 if quick else ROWS
    for name, shares in {"alarm": (0.1, 0.3, 0.5), "hepar2": (0.1, 0.3, 0.5), "win95pts": (0.1, 0.3, 0.5)}.items():
        for share in shares[:1] if quick else shares:
            network = dc.load_network(name)
            frame = with_gaps(network, rows, share)
            what = f"{name}, {rows:,} rows, {share:.0%} missing"
            yield one_pass(f"{what}: a pass", network, frame)
            yield to_the_maximum(f"{what}: converged", network, frame)
    alarm = dc.load_network("alarm")
    hidden = alarm.sample(rows, seed=1).drop(columns="HR")
    how = {"hidden": {"HR": alarm.states["HR"]}}
    yield to_the_maximum(f"alarm, {rows:,} rows, HR hidden: converged", alarm, hidden, **how)
    many = 10 * rows if quick else 1_000_000
    yield to_the_maximum(f"alarm, {many:,} rows, 10% missing: converged", alarm, with_gaps(alarm, many, 0.1))
    yield in_parallel(f"alarm, {rows:,} rows, 50% missing: two at once", "alarm", rows, 0.5)


def with_gaps(network: dc.BayesianNetwork, rows: int, share: float) -> pd.DataFrame:
    """A sample with a share of the cells missing."""
    frame = network.sample(rows, seed=1)
    return frame.mask(np.random.default_rng(2).random(frame.shape) < share)


def passes(network: dc.BayesianNetwork, frame: pd.DataFrame, n_jobs: int, times: int = 1) -> Callable[[], object]:
    """E-steps and M-steps over rows that are prepared here."""
    scope = Scope.of(network.dag, None, coherent=True)
    options = LearningOptions("discrete", n_jobs=n_jobs).with_states(network.dag, network.states)
    problem = em_problem(scope.index, scope.families, frame, None, options)
    assert isinstance(problem, TableProblem)
    every = np.arange(len(network.dag), dtype=np.int32)
    steps = problem.steps(every, every)

    def run() -> object:
        parameters = steps.default_start()
        with threads(n_jobs) as workers:
            for _ in range(times):
                parameters = steps.estimated(steps.expected(parameters, workers).statistics)
        return parameters

    return run


def one_pass(name: str, network: dc.BayesianNetwork, frame: pd.DataFrame) -> Case:
    """One thread against pyAgrum's."""
    contenders = {"dconvex, one thread": passes(network, frame, 1), "pyAgrum": passes_of_pyagrum(network, frame[:PEER_ROWS])}
    done = PEER_ROWS * (PEER_PASSES + 1) / len(frame)
    return Case(name, contenders, most={"dconvex, one thread": 7, "pyAgrum": 0}, share={"pyAgrum": done})


def passes_of_pyagrum(network: dc.BayesianNetwork, frame: pd.DataFrame) -> Callable[[], object]:
    """A few iterations over a few rows, from the network itself, and the pass that they start with.

    A prior keeps what the rows do not show from stopping it.
    """
    import pyagrum

    start = to_pyagrum(network)
    learner = pyagrum.BNLearner(frame.astype(object).where(frame.notna(), "?"), start, ["?"])
    learner.setNumberOfThreads(1)
    learner.useSmoothingPrior(0.01)
    learner.useEMWithRateCriterion(1e-30, 0.0)
    learner.EMsetMaxIter(PEER_PASSES)
    return lambda: learner.learnParameters(start, False)


def to_the_maximum(name: str, network: dc.BayesianNetwork, frame: pd.DataFrame, **how: object) -> Case:
    """From a frame to a model."""

    def fitted(n_jobs: int) -> dc.LocalModel:
        return dc.fit(network, frame, coherent=True, missing="em", n_jobs=n_jobs, **how)  # type: ignore[arg-type]

    contenders = {"dconvex, two threads": lambda: fitted(2), "dconvex, one thread": lambda: fitted(1)}
    return Case(name, contenders, most=dict.fromkeys(contenders, 1 if len(frame) > ROWS else 2), describe=iterations)


def iterations(model: dc.LocalModel) -> str:
    """How many there were."""
    em = model.report().em
    assert em is not None
    return f"{em.iterations} iterations, log-likelihood {em.log_likelihood[-1]:,.1f}"


def in_parallel(name: str, network: str, rows: int, share: float) -> Case:
    """Two threads on the same passes, against two processes that each do them all."""
    prepare = partial(passes_over, network, rows, share)
    contenders = {
        "dconvex, two threads": prepare(2),
        "dconvex, one thread": prepare(1),
        "dconvex, two processes": in_two_processes(partial(prepare, 1)),
    }
    return Case(name, contenders, most=dict.fromkeys(contenders, 7), share={"dconvex, two processes": 2.0})


def passes_over(network: str, rows: int, share: float, n_jobs: int) -> Callable[[], object]:
    """Ten passes over rows that are drawn here."""
    loaded = dc.load_network(network)
    return passes(loaded, with_gaps(loaded, rows, share), n_jobs, times=10)
