"""What a second thread gains, against two processes that share nothing, and what a busy Python thread costs.

The two processes each do all of the work of one thread at the same time, and half of their time counts: what two cores can
gain at most. Where the ratio of "two processes" is 1, two threads gain as much; the target is at least 0.8. What comes out has
the same bits for any number of threads.

*decompose* takes as long as its most difficult cluster, which one thread searches: of one network, 99 % of the time. Several
that are about as difficult share the threads.

*Next to a busy Python thread* has no other contender than itself: a loop in Python holds the interpreter's lock, which a long
call needs only to hear Ctrl-C. The loop and the call have a core each.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

import dconvex as dc
from benchmarks.harness import Case
from benchmarks.processes import Work, in_two_processes

Prepare: TypeAlias = Callable[[int, float], Work]
"""Prepares a piece of work for so many threads; the second number makes it smaller."""

SEED = 1
ALONE = ("all marginals of a grid", "fit, 37 columns of states", "decompose, four networks")
"""What is done next to a busy Python thread."""
QUICK = 0.1
"""The size of a quick run, as a part of a full one."""


def cases(quick: bool) -> Iterator[Case]:
    size = QUICK if quick else 1.0
    for name, prepare in WORKS.items():
        yield two_at_once(name, prepare, size)
    for name in ALONE:
        yield next_to_python(name, WORKS[name], size)


def two_at_once(name: str, prepare: Prepare, size: float) -> Case:
    """Two threads, one thread, and two processes with a thread each."""
    contenders = {
        "dconvex, two threads": prepare(2, size),
        "dconvex, one thread": prepare(1, size),
        "dconvex, two processes": in_two_processes(partial(prepare, 1, size)),
    }
    return Case(name, contenders, most=dict.fromkeys(contenders, 9), share={"dconvex, two processes": 2.0})


def next_to_python(name: str, prepare: Prepare, size: float) -> Case:
    """One thread of ours, alone and while a loop in Python holds the lock whenever it can."""
    work = prepare(1, size)
    contenders: dict[str, Work] = {"dconvex": work, "dconvex, next to a busy Python thread": partial(with_a_loop, work)}
    return Case(f"{name}, one thread", contenders, most=dict.fromkeys(contenders, 9))


def with_a_loop(work: Work) -> None:
    """Do the work while another thread counts."""
    is_over = threading.Event()

    def count() -> None:
        number = 0
        while not is_over.is_set():
            number += 1

    loop = threading.Thread(target=count)
    loop.start()
    try:
        work()
    finally:
        is_over.set()
        loop.join()


# --- what is done


def marginals_of_a_grid(n_jobs: int, size: float) -> Work:
    """Exact, in one cluster: one plan for all variables, most of it in a few large tables."""
    side = 16 if size == 1 else 12
    edges = [(k, k + 1) for k in range(side * side) if (k + 1) % side] + [(k, k + side) for k in range(side * (side - 1))]
    network = dc.random_network(dc.Dag(edges), states=2, seed=SEED)
    model = dc.localize(network, tree=dc.ClusterTree([network.dag.nodes], [], mode="any"))
    return partial(model.marginals, n_jobs=n_jobs)


def marginals_of(name: str, n_jobs: int, size: float) -> Work:
    """With a fifth of the variables observed."""
    network = dc.load_network(name)
    row = network.sample(1, seed=SEED).iloc[0]
    evidence = {node: row[node] for node in network.dag.nodes[::5]}
    return partial(dc.localize(network).marginals, evidence, n_jobs=n_jobs)


def prediction(n_jobs: int, size: float) -> Work:
    """The other variables from every third column."""
    network = dc.load_network("hepar2")
    frame = network.sample(round(20_000 * size), seed=SEED)
    known = frame[list(frame.columns[::3])]
    targets = [name for name in frame.columns if name not in known.columns]
    return partial(dc.localize(network).predict_proba, known, targets, n_jobs=n_jobs)


def fitting(n_jobs: int, size: float) -> Work:
    network = dc.load_network("alarm")
    frame = network.sample(round(500_000 * size), seed=SEED)
    return partial(dc.fit, network, frame, tree=dc.decompose(network), n_jobs=n_jobs)


def fitting_numbers(n_jobs: int, size: float) -> Work:
    network = dc.load_network("ecoli70")
    frame = network.sample(round(200_000 * size), seed=SEED)
    return partial(dc.fit, network, frame, tree=dc.decompose(network), n_jobs=n_jobs)


def sampling(n_jobs: int, size: float) -> Work:
    model = dc.localize(dc.load_network("alarm"))
    return partial(model.sample, round(500_000 * size), seed=SEED, n_jobs=n_jobs)


def likelihood(n_jobs: int, size: float) -> Work:
    network = dc.load_network("alarm")
    return partial(dc.localize(network).log_likelihood, network.sample(round(500_000 * size), seed=SEED), n_jobs=n_jobs)


def decomposition(copies: int, n_jobs: int, size: float) -> Work:
    """Of a network, or of several that have nothing to do with each other."""
    edges = dc.load_network("link" if size == 1 else "andes").dag.edges
    dag = dc.Dag([(f"{copy} {a}", f"{copy} {b}") for copy in range(copies) for a, b in edges])
    return partial(dc.decompose, dag, n_jobs=n_jobs)


WORKS: dict[str, Prepare] = {
    "all marginals of a grid": marginals_of_a_grid,
    "all marginals of diabetes": partial(marginals_of, "diabetes"),
    "all marginals of munin": partial(marginals_of, "munin"),
    "predict_proba, 47 variables": prediction,
    "fit, 37 columns of states": fitting,
    "fit, 46 columns of numbers": fitting_numbers,
    "sample, 37 variables": sampling,
    "log_likelihood, 37 variables": likelihood,
    "decompose, one network": partial(decomposition, 1),
    "decompose, four networks": partial(decomposition, 4),
}
