"""The requests of the page and their answers: plain data in, plain data out, each request on its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

from dconvex.amounts import readable_bytes
from dconvex.caching import cached_property
from dconvex.display.colours import node_colours
from dconvex.display.labels import label
from dconvex.errors import DconvexError, ImpossibleEvidenceError, TooLargeError
from dconvex.explorer import box_sizes
from dconvex.explorer.advice import effect_data, influence_data, next_data, sensitivity_data
from dconvex.explorer.case_rows import evidence_of_row
from dconvex.explorer.conflict import conflict_of
from dconvex.explorer.csv_tables import table_of
from dconvex.explorer.family_tables import family_data
from dconvex.explorer.network_files import network_text
from dconvex.explorer.page_layouts import network_layout, tree_layout
from dconvex.explorer.page_question import PageQuestion, read_question, read_variables
from dconvex.explorer.python_lines import most_probable_lines, query_lines
from dconvex.explorer.request_data import RequestError, read_object
from dconvex.explorer.translation import Plain, Translator, translator_of
from dconvex.explorer.variants import Variants
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
        question, model = self._read(request)
        return {
            "marginals": _unless_too_large(lambda: self._marginals(model, question)),
            "question": _unless_too_large(lambda: self._joint_and_plan(model, question)) if question.targets else None,
            "evidence": _unless_too_large(lambda: self._log_evidence(model, question)),
            "python": query_lines(self.loading, question),
        }

    def most_probable(self, request: object) -> Plain:
        """The most probable joint state of the targets, or of all variables that are not observed."""
        question, model = self._read(request)
        found = _unless_too_large(lambda: self._most_probable(model, question))
        return {**found, "python": most_probable_lines(self.loading, question)}

    def script(self, request: object) -> Plain:
        """The lines of Python alone, also for a question that has no answer."""
        question = read_question(self.model.dag.nodes, self._translator, request)
        return {"python": query_lines(self.loading, question)}

    def family(self, request: object) -> Plain:
        """The table or regression of the only target, with the changes of the question; observed parents have their state."""
        question = read_question(self.model.dag.nodes, self._translator, request)
        if len(question.targets) != 1:
            raise RequestError("a table belongs to one variable")
        fixed = {
            name: self.model.states[name].index(state)
            for name, state in question.evidence.items()
            if self.model.kind == "discrete" and not isinstance(state, set)
        }
        return family_data(self._variants.of(replace(question.variant, settings={})), question.targets[0], fixed)

    def conflict(self, request: object) -> Plain:
        """How well the pieces of evidence fit together."""
        question, model = self._read(request)
        return conflict_of(model, question)

    def next(self, request: object) -> Plain:
        """What to observe next, to know more about the target."""
        question, model = self._read(request)
        return next_data(model, question)

    def influences(self, request: object) -> Plain:
        """What each finding did to the answer about the target."""
        question, model = self._read(request)
        return influence_data(model, self._translator, question)

    def sensitivity(self, request: object) -> Plain:
        """Which numbers of the network the answer about the target hangs on; `"state": 1` names a state of the target."""
        question, model = self._read(request)
        state = read_object(request, "a question").get("state")
        return sensitivity_data(model, self._translator, question, state)

    def effect(self, request: object) -> Plain:
        """What setting the first target does to the second."""
        question, model = self._read(request)
        return effect_data(model, self._translator, question)

    def case(self, request: object) -> Plain:
        """The evidence in a row of a CSV text: `{"text": …, "row": 0}`."""
        parts = read_object(request, "a case")
        text, row = parts.get("text"), parts.get("row", 0)
        if not isinstance(text, str) or type(row) is not int:
            raise RequestError("a case is a text and the number of a row")
        return evidence_of_row(self.model, text, row)

    def table(self, request: object) -> str:
        """The answer as CSV: the joint distribution of the targets, or all marginals."""
        question, model = self._read(request)
        if not question.targets:
            return self._translator.marginals_table(model.marginals(question.evidence, soft=question.soft))
        self._translator.refuse_large_joint(question.targets)
        return self._translator.joint_table(model.query(question.targets, question.evidence, soft=question.soft))

    def most_probable_table(self, request: object) -> str:
        """The most probable joint state as CSV."""
        question, model = self._read(request)
        states, _ = model.most_probable(question.targets or None, question.evidence, soft=question.soft)
        return table_of(("variable", "state" if self.model.kind == "discrete" else "value"), states.items())

    def network_file(self, request: object) -> str:
        """The network with the changes of the question, as a file: BIF, or JSON for a Gaussian one."""
        _, model = self._read(request)
        return network_text(model.network())

    def problem(self, error: Exception) -> Plain:
        """The message of an error, and the variables whose evidence is to blame."""
        conflict = error.conflict if isinstance(error, ImpossibleEvidenceError) else {}
        return {"problem": str(error), "conflict": self._indices(tuple(conflict))}

    @cached_property
    def _variants(self) -> Variants:
        return Variants(self.model)

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

    def _read(self, request: object) -> tuple[PageQuestion, LocalModel]:
        """The question, and the model that answers it."""
        question = read_question(self.model.dag.nodes, self._translator, request)
        return question, self._variants.of(question.variant)

    def _indices(self, names: tuple[Name, ...]) -> list[int]:
        return [self.model.dag.index_of(name) for name in names]

    def _marginals(self, model: LocalModel, question: PageQuestion) -> Plain:
        variables = dict.fromkeys([*question.targets, *question.shown])
        started = perf_counter()
        answers = model.marginals(question.evidence, soft=question.soft, variables=variables)
        seconds = perf_counter() - started
        numbers = [[self.model.dag.index_of(name), self._translator.marginal(answer)] for name, answer in answers.items()]
        return {"numbers": numbers, "seconds": seconds}

    def _joint_and_plan(self, model: LocalModel, question: PageQuestion) -> Plain:
        plan = model.explain(question.targets, question.evidence, soft=question.soft)
        return {"plan": self._plan(plan), "joint": _unless_too_large(lambda: self._joint(model, question))}

    def _joint(self, model: LocalModel, question: PageQuestion) -> Plain:
        self._translator.refuse_large_joint(question.targets)
        started = perf_counter()
        answer = model.query(question.targets, question.evidence, soft=question.soft)
        return {**self._translator.joint(answer), "seconds": perf_counter() - started}

    def _most_probable(self, model: LocalModel, question: PageQuestion) -> Plain:
        started = perf_counter()
        states, log_probability = model.most_probable(question.targets or None, question.evidence, soft=question.soft)
        seconds = perf_counter() - started
        found = [[self.model.dag.index_of(name), self._translator.state(name, value)] for name, value in states.items()]
        return {"states": found, "logProbability": log_probability, "seconds": seconds}

    def _log_evidence(self, model: LocalModel, question: PageQuestion) -> Plain:
        return {"log": model.log_evidence(question.evidence, soft=question.soft)}

    def _plan(self, plan: QueryPlan) -> Plain:
        is_own = plan.tree == self.model.tree
        return {
            "kept": list(plan.kept) if is_own else self._holding(plan.variables_kept),
            "clusters": len(plan.tree),
            "answering": len(plan.kept),
            "variables": self._indices(plan.variables_kept),
            "requisite": self._indices(plan.requisite),
            "network": plan.network,
            "method": plan.method,
            "multiplications": plan.multiplications,
            "peakMemory": readable_bytes(plan.peak_bytes),
            "text": str(plan),
        }

    def _holding(self, variables: tuple[Name, ...]) -> list[int]:
        """The clusters of our own tree all of whose variables are among these: a changed model has a tree of its own."""
        kept = set(variables)
        return [number for number, cluster in enumerate(self.model.tree.clusters) if cluster <= kept]


def _unless_too_large(ask: Callable[[], Plain]) -> Plain:
    """The answer, or the reason why there is none: the rest of the page must not fail with it."""
    try:
        return ask()
    except TooLargeError as error:
        return {"problem": str(error)}
