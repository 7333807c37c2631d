"""Joint questions on Pathfinder with two states a variable, the workload of the paper's Table II, and on other networks.

Every question is new: 100 different random sets of variables for each size. Compilation is not counted, nor are the messages of
the tree: other questions come before. In a row, one contender answers many questions one after the other; in turns, an engine
of pyAgrum works before each of our questions in the same process, so that caches are cold. pyAgrum's engines are kept and get
a new target, or are rebuilt for each question. Of large answers, the bandwidth is shown next to that of a plain copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dconvex as dc
from benchmarks.asking import Contest, Entry, Question
from benchmarks.contenders import ENGINES, OptEinsum, Ours, OursInTurns, Source, peers

SIZES = (2, 5, 10, 15, 20, 25)
QUICK = (2, 10)
LARGE, LARGEST = 15, 25
"""From this many variables on, bandwidth matters; and where it is all that matters."""
OBSERVED = 3
OWN_TABLES = ("alarm", "hailfinder", "insurance", "win95pts", "water", "barley", "diabetes", "munin")
SEED = 1


def cases(quick: bool) -> Iterator[Contest]:
    for size in QUICK if quick else SIZES:
        yield case(size, 20 if quick else 100)
        if size < LARGEST:
            yield case(size, 20 if quick else 100, in_turns=True)
            yield case(size, 20 if quick else 100, observed=OBSERVED)
    for name in () if quick else OWN_TABLES:
        yield case(2, 50, partial(dc.load_network, name), name=name)
        yield case(5, 50, partial(dc.load_network, name), name=name, observed=OBSERVED)


def case(
    size: int, count: int, source: Source | None = None, *, name: str = "", observed: int = 0, in_turns: bool = False
) -> Contest:
    source = source or binary_pathfinder
    network = source()
    prelude = drawn(network, 10 if not name else size, 300 if not name else 50, SEED, observed)
    questions = drawn(network, size, count, SEED + size, observed)
    rehearsal = drawn(network, size, 2 if size >= LARGE else 20, SEED + 100, observed)
    make = partial(OursInTurns, source, ENGINES[0], rehearsal) if in_turns else partial(Ours, source)
    entries = {"dconvex": Entry(make, rehearsal, prelude, twice=True, in_turns=in_turns)}
    entries |= peers(source, ENGINES, "VariableElimination", rebuilt=True) | {"opt_einsum": Entry(partial(OptEinsum, source))}
    is_large = size >= LARGE
    if is_large:
        entries["numpy copy"] = Entry(partial(Copy, 2**size))
    about = [name, f"|Q| = {size}", f"{observed} observed" if observed else "", "in turns" if in_turns else "in a row"]
    batch = 50 if size < 20 else 2
    return Contest(", ".join(filter(None, about)), entries, questions, batch, 8 * 2**size if is_large else 0)


def binary_pathfinder() -> dc.BayesianNetwork:
    return dc.random_network(dc.load_network("pathfinder").dag, states=2, seed=SEED)


def drawn(network: dc.BayesianNetwork, size: int, count: int, seed: int, observed: int = 0) -> list[Question]:
    """Different sets of variables, in random order; what is observed comes from a row drawn from the network."""
    rng = np.random.default_rng(seed)
    nodes = network.dag.nodes
    row = network.sample(1, seed=seed).to_dict("records")[0] if observed else {}
    found: dict[frozenset[int], Question] = {}
    while len(found) < count:
        chosen = rng.choice(len(nodes), size + observed, replace=False).tolist()
        names = [nodes[index] for index in chosen]
        question = Question(tuple(names[:size]), {name: row[name] for name in names[size:]})
        found.setdefault(frozenset(chosen), question)
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
