"""Those who answer questions: ours, the engines of pyAgrum, pgmpy's variable elimination, and opt_einsum."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import cycle
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

import dconvex as dc
from benchmarks.asking import Contender, Entry, Question
from dconvex.exchange.pgmpy import to_pgmpy
from dconvex.exchange.pyagrum import to_pyagrum
from dconvex.names import Name

Source: TypeAlias = Callable[[], dc.BayesianNetwork]
"""Makes the network; each process calls it for itself."""
THREADS = os.cpu_count() or 1
ENGINES = ("LazyPropagation", "ShaferShenoyInference", "VariableElimination")


def peers(source: Source, engines: Sequence[str], threaded: str, *, rebuilt: bool = False) -> dict[str, Entry]:
    """Each is asked for one variable before the clock starts; one engine of pyAgrum takes part with all threads as well."""
    makers: dict[str, Callable[[], Contender]] = {f"pyAgrum {name}": partial(PyAgrum, source, name) for name in engines}
    makers[f"pyAgrum {threaded}, {THREADS} threads"] = partial(PyAgrum, source, threaded, THREADS)
    if rebuilt:
        makers |= {f"pyAgrum {name}, rebuilt": partial(PyAgrum, source, name, rebuilt=True) for name in engines}
    makers["pgmpy"] = partial(Pgmpy, source)
    prelude = [Question((source().dag.nodes[0],))]
    return {name: Entry(make, prelude=prelude) for name, make in makers.items()}


class Ours:
    """A localized model."""

    def __init__(self, source: Source) -> None:
        self.network = source()
        self.model = dc.localize(self.network)

    def forget(self) -> None:
        self.model = dc.localize(self.network, tree=self.model.tree)

    def ask(self, question: Question) -> Any:
        if question.variables:
            return self.model.query(question.variables, question.evidence)
        return self.model.marginals(question.evidence)

    def values(self, question: Question, answer: Any) -> Iterable[NDArray[np.float64]]:
        if question.variables:
            return [answer.values]
        return [answer[name].values for name in unobserved(self.network, question)]


class OursInTurns(Ours):
    """A localized model in one process with an engine of pyAgrum, which answers a question of its own before each of ours."""

    def __init__(self, source: Source, engine: str, questions: Sequence[Question]) -> None:
        super().__init__(source)
        self.other, self.questions = PyAgrum(source, engine, rebuilt=True), cycle(questions)

    def forget(self) -> None:
        self.other.ask(next(self.questions))


class PyAgrum:
    """One of its engines: for marginals a new one each time, as one that is kept gives old results again.

    For a joint it is kept, and gets a new target, or `rebuilt`. With several threads it is many times slower
    where the cores are busy otherwise, and rarely faster where they are not.
    """

    def __init__(self, source: Source, engine: str, threads: int = 1, *, rebuilt: bool = False) -> None:
        import pyagrum

        pyagrum.setNumberOfThreads(threads)
        self.network = source()
        self.model = to_pyagrum(self.network)
        self.engine = getattr(pyagrum, engine)
        self.kept, self.rebuilt = self.engine(self.model), rebuilt

    def forget(self) -> None: ...

    def ask(self, question: Question) -> Any:
        if not question.variables:
            engine = self.engine(self.model)
            engine.setEvidence(question.evidence)
            engine.makeInference()
            return [engine.posterior(name) for name in unobserved(self.network, question)]
        if self.rebuilt:
            self.kept = self.engine(self.model)
        elif hasattr(self.kept, "eraseAllJointTargets"):
            self.kept.eraseAllJointTargets()
        self.kept.eraseAllTargets()
        self.kept.setEvidence(question.evidence)
        self.kept.addJointTarget(set(question.variables))
        return self.kept.jointPosterior(set(question.variables))

    def values(self, question: Question, answer: Any) -> Iterable[NDArray[np.float64]]:
        """Its arrays have their axes in reverse."""
        if question.variables:
            return [_in_order(answer.toarray(), answer.names[::-1], question.variables)]
        return [posterior.toarray() for posterior in answer]


class Pgmpy:
    """Variable elimination; for marginals, once for each variable."""

    def __init__(self, source: Source) -> None:
        from pgmpy.inference import VariableElimination

        self.network = source()
        self.engine = VariableElimination(to_pgmpy(self.network))

    def forget(self) -> None: ...

    def ask(self, question: Question) -> Any:
        asked = [question.variables] if question.variables else [(name,) for name in unobserved(self.network, question)]
        return [self.engine.query(list(names), question.evidence, show_progress=False) for names in asked]

    def values(self, question: Question, answer: Any) -> Iterable[NDArray[np.float64]]:
        if question.variables:
            return [_in_order(answer[0].values, answer[0].variables, question.variables)]
        return [factor.values for factor in answer]


class OptEinsum:
    """NumPy's sums of products in the order that opt_einsum finds, over the tables of all ancestors of what is named."""

    def __init__(self, source: Source) -> None:
        self.network = source()
        self.index = {name: index for index, name in enumerate(self.network.dag.nodes)}

    def forget(self) -> None: ...

    def ask(self, question: Question) -> Any:
        from opt_einsum import contract

        network = self.network
        named = [*question.variables, *question.evidence]
        operands: list[Any] = []
        for name in network.dag.ancestors(named) | set(named):
            family = (*network.dag.parents(name), name)
            states = network.states
            cells = tuple(
                states[member].index(question.evidence[member]) if member in question.evidence else slice(None)
                for member in family
            )
            operands.append(cast("dc.Table", network.family(name)).values[cells])
            operands.append([self.index[member] for member in family if member not in question.evidence])
        values = contract(*operands, [self.index[name] for name in question.variables], optimize="greedy")
        return values / values.sum()

    def values(self, question: Question, answer: Any) -> Iterable[NDArray[np.float64]]:
        return [answer]


def unobserved(network: dc.BayesianNetwork, question: Question) -> list[Name]:
    return [name for name in network.dag.nodes if name not in question.evidence]


def _in_order(values: NDArray[np.float64], names: Sequence[Name], asked: Sequence[Name]) -> NDArray[np.float64]:
    return values.transpose([names.index(name) for name in asked])
