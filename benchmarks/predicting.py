"""Probabilities of one variable for each row of a data frame, from all other columns or from ten, and of all others from ten.

The peers answer row by row. They get fewer rows, as their names here tell, and their times are scaled to the same number.
pyAgrum's classifier looks at the Markov boundary only, and needs all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import dconvex as dc
from benchmarks.harness import Case, Work
from dconvex.exchange.pgmpy import to_pgmpy
from dconvex.exchange.pyagrum import to_pyagrum

Predict: TypeAlias = Callable[[pd.DataFrame], NDArray[np.float64]]

TARGETS = {"alarm": "LVFAILURE", "win95pts": "Problem1", "hepar2": "Cirrhosis"}
QUICK = 1
"""So many of the targets."""
FEW = 10
CHECKED = 20
SEED = 1


def cases(quick: bool) -> Iterator[Case]:
    rows = 10_000 if quick else 100_000
    for name, target in list(TARGETS.items())[: QUICK if quick else None]:
        network = dc.load_network(name)
        frame = network.sample(rows, seed=SEED).drop(columns=target)
        yield case(f"{name}, {rows:,} rows, all columns", network, frame, [target])
        few = list(np.random.default_rng(SEED).choice(frame.columns.to_numpy(), FEW, replace=False))
        yield case(f"{name}, {rows:,} rows, {FEW} columns", network, frame[few], [target])
        part, others = frame[few][: rows // 10], [str(node) for node in network.dag.nodes if node not in few]
        yield case(f"{name}, {len(part):,} rows, {FEW} columns, all others predicted", network, part, others)


def case(name: str, network: dc.BayesianNetwork, frame: pd.DataFrame, targets: list[str]) -> Case:
    """Only if all agree on the first rows."""
    model = dc.localize(network)
    expected = np.hstack(list(model.predict_proba(frame[:CHECKED], targets).values()))
    contenders: dict[str, Work] = {"dconvex": partial(model.predict_proba, frame, targets)}
    share = {}
    for peer, (predict, rows) in peers(network, frame, targets).items():
        np.testing.assert_allclose(predict(frame[:CHECKED]), expected, rtol=0, atol=1e-9, err_msg=peer)
        contenders[title := f"{peer}, {rows:,} rows"] = partial(predict, frame[:rows])
        share[title] = rows / len(frame)
    return Case(name, contenders, share=share)


def peers(network: dc.BayesianNetwork, frame: pd.DataFrame, targets: list[str]) -> dict[str, tuple[Predict, int]]:
    """Each with the number of rows that it gets."""
    many, few = (1_000, 100) if len(targets) == 1 else (200, CHECKED)
    found = {engine: (by_pyagrum(network, engine, targets), many) for engine in ("LazyPropagation", "ShaferShenoyInference")}
    if len(targets) == 1 and dc.markov_boundary(network.dag, targets[0]) <= set(frame.columns):
        found["BNClassifier"] = by_classifier(network, targets[0]), 5_000
    return {f"pyAgrum {name}": peer for name, peer in found.items()} | {"pgmpy": (by_pgmpy(network, targets), few)}


def by_pyagrum(network: dc.BayesianNetwork, name: str, targets: list[str]) -> Predict:
    """One engine for all rows: with each, only the values of its evidence change."""
    import pyagrum

    pyagrum.setNumberOfThreads(1)
    model = to_pyagrum(network)
    engine = getattr(pyagrum, name)(model)
    engine.setTargets(set(targets))

    def predicted(row: dict[Any, Any]) -> NDArray[np.float64]:
        engine.updateEvidence(row)
        return np.concatenate([engine.posterior(target).toarray() for target in targets])

    def predict(frame: pd.DataFrame) -> NDArray[np.float64]:
        engine.setEvidence(frame.iloc[0].to_dict())
        return np.array([predicted(row) for row in frame.to_dict("records")])

    return predict


def by_classifier(network: dc.BayesianNetwork, target: str) -> Predict:
    from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
    from pyagrum.skbn import BNClassifier

    classifier = BNClassifier(type_processor=DiscreteTypeProcessor())
    classifier.fromTrainedModel(to_pyagrum(network), targetAttribute=target)
    predict: Predict = classifier.predict_proba
    return predict


def by_pgmpy(network: dc.BayesianNetwork, targets: list[str]) -> Predict:
    """Variable elimination; `predict_probability` does the same, for the joint of all missing variables."""
    from pgmpy.inference import VariableElimination

    engine = VariableElimination(to_pgmpy(network))

    def predicted(row: dict[Any, Any]) -> NDArray[np.float64]:
        return np.concatenate([engine.query([target], row, show_progress=False).values for target in targets])

    return lambda frame: np.array([predicted(row) for row in frame.to_dict("records")])
