"""The requests of the page and their answers: plain data in, plain data out, each request on its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from dconvex.amounts import readable_bytes
from dconvex.caching import cached_property
from dconvex.display.colours import node_colours
from dconvex.display.labels import label
from dconvex.errors import DconvexError, ImpossibleEvidenceError, TooLargeError
from dconvex.explorer import box_sizes
from dconvex.explorer.page_layouts import network_layout, tree_layout
from dconvex.explorer.page_question import PageQuestion, read_question, read_variables
from dconvex.explorer.python_lines import most_probable_lines, query_lines
from dconvex.explorer.request_data import read_object
from dconvex.explorer.translation import Plain, Translator, table_of, translator_of
from dconvex.inference.model import LocalModel
from dconvex.inference.query_plan import QueryPlan
from dconvex.names import Name

FOLDED_ABOVE = 150
"""A network with more variables starts folded: the page draws the tree, and only a part of the network."""
MOST_DRAWN = 2_000
"""The most variables in one drawing; the layout of more takes minutes."""
MOST_VARIABLES = 5_000
"""The most variables of a network on the page; with more it is slow."""


@dataclass(frozen=True)
class Explorer:
    """A model on the page; `loading` is the Python expression that makes it.

    >>> import dconvex as dc
    >>> asia = Explorer(dc.localize(dc.load_network("asia")), "asia", "dc.localize(dc.load_network('asia'))")
    >>> [variable["name"] for variable in asia.overview()["variables"]][:3]
    ['asia', 'bronc', 'dysp']
    >>> asia.answer({"asked": [1], "evidence": [[2, [0]]]})["question"]["plan"]["kept"]
    [1]
    """

    model: LocalModel
    title: str
    loading: str

    def __post_init__(self) -> None:
        if len(self.model) > MOST_VARIABLES:
            raise DconvexError(
                f"{len(self.model):,} variables are too many to explore (at most {MOST_VARIABLES:,}); "
                "learn a part with for_query=, or ask with dconvex query and dconvex explain"
            )

    def overview(self) -> Plain:
        """The variables, the tree, and their layouts; of a large network only that of the tree."""
        dag = self.model.dag
        is_folded = len(dag) > FOLDED_ABOVE
        return {
            "title": self.title,
            "kind": self.model.kind,
            "coherent": self.model.coherent,
            "edgeCount": len(dag.edges),
            "variables": [self._variable(name) for name in dag.nodes],
            "colours": node_colours(dag.nodes, self.model.tree),
            "metrics": box_sizes.metrics(),
            "foldedAbove": FOLDED_ABOVE,
            "mostDrawn": MOST_DRAWN,
            "network": None if is_folded else self._whole_layout,
            "tree": tree_layout(dag, self.model.tree),
        }

    def layout(self, request: object) -> Plain:
        """The layout of the variables in `{"variables": [0, 5]}` alone, or of all for `{"variables": null}`."""
        indices = read_object(request, "a request for a layout").get("variables", [])
        if indices is None:
            if len(self.model) > MOST_DRAWN:
                raise DconvexError(f"{len(self.model):,} variables are too many to draw at once (at most {MOST_DRAWN:,})")
            return self._whole_layout
        variables = read_variables(self.model.dag.nodes, indices, "variables")
        return network_layout(self.model.dag, self._translator, variables)

    def answer(self, request: object) -> Plain:
        """The marginals of targets and shown variables; the plan, the time and the joint distribution of the targets."""
        question = self._read(request)
        return {
            "marginals": _unless_too_large(lambda: self._marginals(question)),
            "question": _unless_too_large(lambda: self._joint_and_plan(question)) if question.targets else None,
            "evidence": _unless_too_large(lambda: self._log_evidence(question)),
            "python": query_lines(self.loading, question),
        }

    def most_probable(self, request: object) -> Plain:
        """The most probable joint state of the targets, or of all variables that are not observed."""
        question = self._read(request)
        found = _unless_too_large(lambda: self._most_probable(question))
        return {**found, "python": most_probable_lines(self.loading, question)}

    def table(self, request: object) -> str:
        """The answer as CSV: the joint distribution of the targets, or all marginals."""
        question = self._read(request)
        if not question.targets:
            return self._translator.marginals_table(self.model.marginals(question.evidence, soft=question.soft))
        self._translator.refuse_large_joint(question.targets)
        return self._translator.joint_table(self.model.query(question.targets, question.evidence, soft=question.soft))

    def most_probable_table(self, request: object) -> str:
        """The most probable joint state as CSV."""
        question = self._read(request)
        states, _ = self.model.most_probable(question.targets or None, question.evidence, soft=question.soft)
        return table_of(("variable", "state" if self.model.kind == "discrete" else "value"), states.items())

    def problem(self, error: Exception) -> Plain:
        """The message of an error, and the variables whose evidence is to blame."""
        conflict = error.conflict if isinstance(error, ImpossibleEvidenceError) else {}
        return {"problem": str(error), "conflict": self._indices(tuple(conflict))}

    @cached_property
    def _translator(self) -> Translator:
        return translator_of(self.model)

    @cached_property
    def _whole_layout(self) -> Plain:
        return network_layout(self.model.dag, self._translator, self.model.dag.nodes)

    def _variable(self, name: Name) -> Plain:
        return {
            "name": label(name),
            "states": self._translator.states(name),
            "parents": self._indices(self.model.dag.parents(name)),
        }

    def _read(self, request: object) -> PageQuestion:
        return read_question(self.model.dag.nodes, self._translator, request)

    def _indices(self, names: tuple[Name, ...]) -> list[int]:
        return [self.model.dag.index_of(name) for name in names]

    def _marginals(self, question: PageQuestion) -> Plain:
        variables = dict.fromkeys([*question.targets, *question.shown])
        started = perf_counter()
        answers = self.model.marginals(question.evidence, soft=question.soft, variables=variables)
        seconds = perf_counter() - started
        numbers = [[self.model.dag.index_of(name), self._translator.marginal(answer)] for name, answer in answers.items()]
        return {"numbers": numbers, "seconds": seconds}

    def _joint_and_plan(self, question: PageQuestion) -> Plain:
        plan = self.model.explain(question.targets, question.evidence, soft=question.soft)
        return {"plan": self._plan(plan), "joint": _unless_too_large(lambda: self._joint(question))}

    def _joint(self, question: PageQuestion) -> Plain:
        self._translator.refuse_large_joint(question.targets)
        started = perf_counter()
        answer = self.model.query(question.targets, question.evidence, soft=question.soft)
        return {**self._translator.joint(answer), "seconds": perf_counter() - started}

    def _most_probable(self, question: PageQuestion) -> Plain:
        started = perf_counter()
        states, log_probability = self.model.most_probable(question.targets or None, question.evidence, soft=question.soft)
        seconds = perf_counter() - started
        found = [[self.model.dag.index_of(name), self._translator.state(name, value)] for name, value in states.items()]
        return {"states": found, "logProbability": log_probability, "seconds": seconds}

    def _log_evidence(self, question: PageQuestion) -> Plain:
        return {"log": self.model.log_evidence(question.evidence, soft=question.soft)}

    def _plan(self, plan: QueryPlan) -> Plain:
        return {
            "kept": list(plan.kept),
            "variables": self._indices(plan.variables_kept),
            "requisite": self._indices(plan.requisite),
            "network": plan.network,
            "method": plan.method,
            "multiplications": plan.multiplications,
            "peakMemory": readable_bytes(plan.peak_bytes),
            "text": str(plan),
        }


def _unless_too_large(ask: Callable[[], Plain]) -> Plain:
    """The answer, or the reason why there is none: the rest of the page must not fail with it."""
    try:
        return ask()
    except TooLargeError as error:
        return {"problem": str(error)}
