"""The marginals of all variables on fifteen repository networks, without evidence and with a fifth of the variables observed.

What is observed comes from rows drawn from the network, and is another fifth each time. Our model is new before each question
and then asked once more; the decomposition of the network is not counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

import dconvex as dc
from benchmarks.asking import Contest, Entry, Question
from benchmarks.contenders import Ours, peers
from benchmarks.pairs import NETWORKS

QUICK = ("child", "hepar2")
SHARE = 0.2
SEED = 1
ENGINES = ("LazyPropagation", "ShaferShenoyInference")
"""pyAgrum's variable elimination would run once for each variable."""


def cases(quick: bool) -> Iterator[Contest]:
    for name in QUICK if quick else NETWORKS:
        yield case(name, "no evidence", [Question()] * (2 if quick else 5))
        yield case(name, "20 % observed", drawn(dc.load_network(name), 3 if quick else 20))


def case(name: str, regime: str, questions: list[Question]) -> Contest:
    source = partial(dc.load_network, name)
    entries = {"dconvex": Entry(partial(Ours, source), questions, twice=True, fresh=True)} | peers(
        source, ENGINES, "ShaferShenoyInference"
    )
    return Contest(f"{name}, {regime}", entries, questions)


def drawn(network: dc.BayesianNetwork, count: int) -> list[Question]:
    rng = np.random.default_rng(SEED)
    nodes = network.dag.nodes
    rows = network.sample(count, seed=SEED).to_dict("records")
    observed = (rng.choice(len(nodes), round(SHARE * len(nodes)), replace=False).tolist() for _ in rows)
    return [
        Question((), {nodes[place]: row[nodes[place]] for place in places}) for row, places in zip(rows, observed, strict=True)
    ]
