"""Joint questions without evidence on Pathfinder with two states a variable, the workload of the paper's Table II.

Every question is new: 100 different random sets of variables for each size. Compilation is not counted, nor are the messages of
the tree: other questions come before. Of large answers, the bandwidth stands beside that of a plain copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dconvex as dc
from benchmarks.asking import Contest, Entry, Question
from benchmarks.contenders import ENGINES, Ours, peers

SIZES = (2, 5, 10, 15, 20, 25)
QUICK = (2, 10)
LARGE = 15
"""From so many variables on, bandwidth matters."""
SEED = 1


def cases(quick: bool) -> Iterator[Contest]:
    for size in QUICK if quick else SIZES:
        yield case(size, 20 if quick else 100)


def case(size: int, count: int) -> Contest:
    prelude, questions = drawn(10, 300, SEED), drawn(size, count, SEED + size)
    rehearsal = drawn(size, 2 if size >= LARGE else 20, SEED + 100)
    entries = {"dconvex": Entry(partial(Ours, binary_pathfinder), rehearsal, prelude, twice=True)}
    entries |= peers(binary_pathfinder, ENGINES, "VariableElimination")
    if size >= LARGE:
        entries["numpy copy"] = Entry(partial(Copy, 2**size))
    return Contest(f"|Q| = {size}", entries, questions, batch=50 if size < 20 else 2, size=8 * 2**size if size >= LARGE else 0)


def binary_pathfinder() -> dc.BayesianNetwork:
    return dc.random_network(dc.load_network("pathfinder").dag, states=2, seed=SEED)


def drawn(size: int, count: int, seed: int) -> list[Question]:
    """So many different sets of variables, in random order."""
    rng = np.random.default_rng(seed)
    nodes = dc.load_network("pathfinder").dag.nodes
    found: dict[frozenset[int], Question] = {}
    while len(found) < count:
        places = rng.choice(len(nodes), size, replace=False).tolist()
        found.setdefault(frozenset(places), Question(tuple(nodes[place] for place in places)))
    return list(found.values())


class Copy:
    """Answers every question with a copy of the same numbers."""

    def __init__(self, entries: int) -> None:
        self.numbers = np.ones(entries)

    def forget(self) -> None: ...

    def ask(self, question: Question) -> Any:
        return self.numbers.copy()

    def values(self, question: Question, answer: Any) -> Iterable[NDArray[np.float64]] | None:
        return None
