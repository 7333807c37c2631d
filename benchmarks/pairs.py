"""Two targets given three observed variables on fifteen repository networks; the values come from rows drawn from the network.

Compilation is not counted, nor are the messages of the tree: other questions come before.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

import dconvex as dc
from benchmarks.asking import Contest, Entry, Question
from benchmarks.contenders import ENGINES, Ours, peers

NETWORKS = (
    *("child", "insurance", "alarm", "mildew", "barley", "hailfinder", "hepar2", "win95pts", "pathfinder"),
    *("munin1", "andes", "diabetes", "pigs", "link", "munin"),
)
QUICK = ("hepar2", "munin1")
SEED = 1


def cases(quick: bool) -> Iterator[Contest]:
    for name in QUICK if quick else NETWORKS:
        yield case(name, 10 if quick else 50)


def case(name: str, count: int) -> Contest:
    questions = drawn(dc.load_network(name), 2 * count)
    source = partial(dc.load_network, name)
    prelude = questions[count:]
    entries = {"dconvex": Entry(partial(Ours, source), questions, prelude, twice=True)} | peers(
        source, ENGINES, "VariableElimination"
    )
    return Contest(name, entries, questions[:count], batch=5)


def drawn(network: dc.BayesianNetwork, count: int) -> list[Question]:
    rng = np.random.default_rng(SEED)
    nodes = network.dag.nodes
    rows = network.sample(count, seed=SEED).to_dict("records")
    questions = []
    for row in rows:
        one, other, *seen = (nodes[place] for place in rng.choice(len(nodes), 5, replace=False).tolist())
        questions.append(Question((one, other), {name: row[name] for name in seen}))
    return questions
