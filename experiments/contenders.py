"""Who answers the questions of Table II, and when: after learning each time, as in the paper, or learned once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import dconvex as dc
from experiments.baselines.junction_tree import JunctionTree, Name, junction_tree
from experiments.baselines.wu import LosslessDecomposition, Plan

Floats: TypeAlias = NDArray[np.float64]
Question: TypeAlias = tuple[Name, ...]
Ask: TypeAlias = Callable[[], Floats]
Contender: TypeAlias = Callable[[Question], Ask]
"""Prepares a question, which is not timed, for an answer, which is."""

AS_IN_THE_PAPER = OURS, WU, BELIEFS = "ours, fitted each time", "Wu, learned each time", "junction tree, calibrated each time"
ONCE, WU_ONCE, BELIEFS_ONCE = "ours, learned once", "Wu, learned once and pruned", "junction tree, calibrated once"
PYAGRUM, PGMPY = "pyAgrum VariableElimination", "pgmpy VariableElimination"


def open_contenders(dag: dc.Dag, rows: pd.DataFrame) -> dict[str, Contender]:
    """Everybody, ready for questions."""
    tree, cliques, plan = dc.decompose(dag), junction_tree(dag), Plan(dag)
    model = dc.fit(dag, rows, tree=tree)
    network = learned(dag, rows, tree)
    wu, beliefs = LosslessDecomposition(network, plan), JunctionTree(network, cliques)
    return {
        OURS: partial(_ours, dag, rows, tree),
        WU: lambda question: lambda: LosslessDecomposition(learned(dag, rows, tree), plan).query(question),
        BELIEFS: lambda question: lambda: JunctionTree(network, cliques).query(question),
        ONCE: lambda question: lambda: values_of(model.query(question)),
        WU_ONCE: lambda question: lambda: wu.query(question, prune=True),
        BELIEFS_ONCE: lambda question: lambda: beliefs.query(question),
        PYAGRUM: _pyagrum(network),
        PGMPY: _pgmpy(network),
    }


def learned(dag: dc.Dag, rows: pd.DataFrame, tree: dc.ClusterTree) -> dc.BayesianNetwork:
    """The global estimate."""
    return dc.fit(dag, rows, tree=tree, coherent=True).network()


def _ours(dag: dc.Dag, rows: pd.DataFrame, tree: dc.ClusterTree, question: Question) -> Ask:
    kept = tree.pruned_to(question)
    part, own_tree = dag.induced(kept.variables), dc.ClusterTree(kept.clusters, kept.edges)
    return lambda: values_of(dc.fit(part, rows, tree=own_tree, for_query=question).query(question))


def _pyagrum(network: dc.BayesianNetwork) -> Contender:
    """Of its engines the fastest on these questions (see benchmarks/queries.py); it is kept, with a new target each time."""
    import pyagrum

    pyagrum.setNumberOfThreads(1)
    engine = pyagrum.VariableElimination(dc.to_pyagrum(network))

    def answer(question: Question) -> Floats:
        engine.eraseAllTargets()
        engine.addJointTarget(set(question))
        found = engine.jointPosterior(set(question))
        return _in_order(found.toarray(), found.names[::-1], question)

    return lambda question: lambda: answer(question)


def _pgmpy(network: dc.BayesianNetwork) -> Contender:
    engine = _pgmpy_inference().VariableElimination(dc.to_pgmpy(network))

    def answer(question: Question) -> Floats:
        found = engine.query(list(question), show_progress=False)
        return _in_order(found.values, found.variables, question)

    return lambda question: lambda: answer(question)


def pgmpy_propagation(network: dc.BayesianNetwork) -> Any:
    """Its belief propagation, not yet calibrated."""
    return _pgmpy_inference().BeliefPropagation(dc.to_pgmpy(network))


def _pgmpy_inference() -> Any:
    with warnings.catch_warnings(action="ignore", category=FutureWarning):  # about modules of its own
        from pgmpy import inference
    return inference


def values_of(answer: dc.Distribution | dc.GaussianDistribution) -> Floats:
    assert isinstance(answer, dc.Distribution)
    return answer.values


def _in_order(values: Floats, names: Sequence[Name], question: Question) -> Floats:
    return values.transpose([names.index(name) for name in question])
