"""Who learns graphs in the benchmarks of structure learning: each a function from a frame to a graph, on one thread."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pandas as pd

import dconvex as dc
from dconvex.structure.structure_learning import MethodName
from dconvex.structure.structure_options import StructureScore

Learn: TypeAlias = Callable[[pd.DataFrame], dc.Dag | dc.Cpdag]


def ours(method: MethodName, score: StructureScore = "bic", threads: int = 1) -> Learn:
    return lambda frame: dc.learn_structure(frame, method=method, score=score, n_jobs=threads).dag


def our_class(method: MethodName, score: StructureScore = "bic") -> Learn:
    return lambda frame: dc.learn_structure(frame, method=method, score=score, n_jobs=1).cpdag


def with_prior(frame: pd.DataFrame) -> dc.Cpdag:
    """The score of causal-learn: BDeu with its prior on edges."""
    return with_penalty(frame, math.log(len(frame) - 1))


def with_penalty(frame: pd.DataFrame, penalty: float = 15.0) -> dc.Cpdag:
    return dc.learn_structure(frame, method="ges", score=dc.BDeu(1), edge_penalty=penalty, n_jobs=1).cpdag


def names_of(frame: pd.DataFrame) -> list[str]:
    return list(map(str, frame.columns))


def is_discrete(frame: pd.DataFrame) -> bool:
    return isinstance(frame.dtypes.iloc[0], pd.CategoricalDtype)


def pybnesian(frame: pd.DataFrame) -> dc.Dag:
    import pybnesian

    model = pybnesian.DiscreteBN if is_discrete(frame) else pybnesian.GaussianNetwork
    start, names = model(names_of(frame)), names_of(frame)
    found = pybnesian.GreedyHillClimbing().estimate(pybnesian.ArcOperatorSet(), pybnesian.BIC(frame), start)
    return dc.Dag(found.arcs(), names)


def pyagrum(frame: pd.DataFrame) -> dc.Dag:
    import pyagrum

    learner = pyagrum.BNLearner(frame)
    learner.setNumberOfThreads(1)
    learner.useScoreBIC()
    learner.useGreedyHillClimbing()
    found = learner.learnDAG()
    names = {number: learner.nameFromId(number) for number in found.nodes()}
    return dc.Dag([(names[tail], names[head]) for tail, head in found.arcs()], names_of(frame))


def pgmpy(frame: pd.DataFrame) -> dc.Dag:
    from pgmpy.estimators import HillClimbSearch

    score = "bic-d" if is_discrete(frame) else "bic-g"
    found = HillClimbSearch(frame).estimate(scoring_method=score, show_progress=False)
    return dc.Dag(list(found.edges()), names_of(frame))


def causal_learn_ges(frame: pd.DataFrame) -> dc.Cpdag:
    """On codes, by BDeu; on numbers by BIC."""
    from causallearn.search.ScoreBased.GES import ges

    if not is_discrete(frame):
        return from_marks(ges(frame.to_numpy(), score_func="local_score_BIC")["G"].graph, names_of(frame))
    codes = np.array([frame[name].cat.codes for name in names_of(frame)]).T.astype(int)
    return from_marks(ges(codes, score_func="local_score_BDeu")["G"].graph, names_of(frame))


def from_marks(marks: np.ndarray, names: list[str]) -> dc.Cpdag:
    """causal-learn's matrix: -1 at a tail, 1 at a head."""
    pairs = [(one, other) for one in range(len(names)) for other in range(len(names)) if marks[one, other] == -1]
    directed = [(names[one], names[other]) for one, other in pairs if marks[other, one] == 1]
    undirected = [(names[one], names[other]) for one, other in pairs if marks[other, one] == -1 and one < other]
    return dc.Cpdag(directed, undirected, names)


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


CONTENDERS: dict[str, Learn] = {
    "greedy": ours("greedy"),
    "search": ours("search"),
    "search-2-threads": ours("search", threads=2),
    "ges": ours("ges"),
    "pyBNesian": pybnesian,
    "pyAgrum": pyagrum,
    "pgmpy": pgmpy,
    "ges-class": our_class("ges"),
    "ges-BDeu(1)": our_class("ges", dc.BDeu(1)),
    "ges-BDeu(1)-prior": with_prior,
    "ges-BDeu(1)-15": with_penalty,
    "causal-learn": causal_learn_ges,
    "pc": our_class("pc"),
    "pyAgrum-PC": pyagrum_pc,
    "pgmpy-PC": pgmpy_pc,
}
"""By name; ours come first of those that do the same."""
