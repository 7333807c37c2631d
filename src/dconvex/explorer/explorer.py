"""What the page asks and what it gets: plain data in, plain data out, each request on its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

from dconvex.amounts import readable_bytes
from dconvex.display.colours import node_colours
from dconvex.display.labels import label
from dconvex.errors import DconvexError, ImpossibleEvidenceError, TooLargeError
from dconvex.explorer import sizes
from dconvex.explorer.kinds import Kind, Plain, kind_of, table_of
from dconvex.explorer.layouts import network_layout, tree_layout
from dconvex.explorer.python_lines import asking_lines, most_probable_lines
from dconvex.explorer.question import Question, read_question, read_variables
from dconvex.explorer.reading import read_object
from dconvex.inference.model import LocalModel
from dconvex.inference.plan import QueryPlan
from dconvex.names import Name

FOLDED_ABOVE = 150
"""A network of more variables starts folded: the tree first, and of the network what is asked about."""
MOST_DRAWN = 2_000
"""To find places for more variables takes minutes."""
MOST_VARIABLES = 5_000
"""A page with more does not stay quick."""


@dataclass(frozen=True)
class Explorer:
    """A model that is looked at; `loading` is the Python expression that makes it.

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
        """The variables, the tree, and where everything stands; of a large network only the tree does."""
        dag = self.model.dag
        is_folded = len(dag) > FOLDED_ABOVE
        return {
            "title": self.title,
            "kind": self.model.kind,
            "coherent": self.model.coherent,
            "edgeCount": len(dag.edges),
            "variables": [self._variable(name) for name in dag.nodes],
            "colours": node_colours(dag.nodes, self.model.tree),
            "metrics": sizes.metrics(),
            "foldedAbove": FOLDED_ABOVE,
            "mostDrawn": MOST_DRAWN,
            "network": None if is_folded else self._whole_layout,
            "tree": tree_layout(dag, self.model.tree),
        }

    def layout(self, request: Any) -> Plain:
        """Where the variables of `{"variables": [0, 5]}` stand when only they are drawn, or all of `{"variables": null}`."""
        wanted = read_object(request, "a request for a layout").get("variables", [])
        if wanted is None:
            if len(self.model) > MOST_DRAWN:
                raise DconvexError(f"{len(self.model):,} variables are too many to draw at once (at most {MOST_DRAWN:,})")
            return self._whole_layout
        return network_layout(self.model.dag, self._kind, read_variables(self.model.dag.nodes, wanted, "variables"))

    def answer(self, request: Any) -> Plain:
        """The marginals of what is asked for and shown; the plan, the time and the joint distribution of what is asked for."""
        question = self._read(request)
        return {
            "marginals": _unless_too_large(lambda: self._marginals(question)),
            "question": _unless_too_large(lambda: self._asked(question)) if question.asked else None,
            "evidence": _unless_too_large(lambda: self._evidence(question)),
            "python": asking_lines(self.loading, question),
        }

    def most_probable(self, request: Any) -> Plain:
        """The most probable joint state of what is asked for, or of all that is not observed."""
        question = self._read(request)
        found = _unless_too_large(lambda: self._most_probable(question))
        return {**found, "python": most_probable_lines(self.loading, question)}

    def table(self, request: Any) -> str:
        """The answer as CSV: the joint distribution of what is asked for, or all marginals."""
        question = self._read(request)
        if not question.asked:
            return self._kind.marginals_table(self.model.marginals(question.seen, soft=question.soft))
        self._kind.refuse_large_joint(question.asked)
        return self._kind.joint_table(self.model.query(question.asked, question.seen, soft=question.soft))

    def most_probable_table(self, request: Any) -> str:
        """The most probable joint state as CSV."""
        question = self._read(request)
        states, _ = self.model.most_probable(question.asked or None, question.seen, soft=question.soft)
        return table_of(("variable", "state" if self.model.kind == "discrete" else "value"), states.items())

    def problem(self, error: Exception) -> Plain:
        """What is wrong, for people to read, and the evidence to blame."""
        conflict = error.conflict if isinstance(error, ImpossibleEvidenceError) else {}
        return {"problem": str(error), "conflict": self._places(tuple(conflict))}

    @cached_property
    def _kind(self) -> Kind:
        return kind_of(self.model)

    @cached_property
    def _whole_layout(self) -> Plain:
        return network_layout(self.model.dag, self._kind, self.model.dag.nodes)

    def _variable(self, name: Name) -> Plain:
        return {"name": label(name), "states": self._kind.states(name), "parents": self._places(self.model.dag.parents(name))}

    def _read(self, request: Any) -> Question:
        return read_question(self.model.dag.nodes, self._kind, request)

    def _places(self, names: tuple[Name, ...]) -> list[int]:
        return [self.model.dag.index_of(name) for name in names]

    def _marginals(self, question: Question) -> Plain:
        wanted = dict.fromkeys([*question.asked, *question.shown])
        started = perf_counter()
        answers = self.model.marginals(question.seen, soft=question.soft, variables=wanted)
        seconds = perf_counter() - started
        numbers = [[self.model.dag.index_of(name), self._kind.marginal(answer)] for name, answer in answers.items()]
        return {"numbers": numbers, "seconds": seconds}

    def _asked(self, question: Question) -> Plain:
        plan = self.model.explain(question.asked, question.seen, soft=question.soft)
        return {"plan": self._plan(plan), "joint": _unless_too_large(lambda: self._joint(question))}

    def _joint(self, question: Question) -> Plain:
        self._kind.refuse_large_joint(question.asked)
        started = perf_counter()
        answer = self.model.query(question.asked, question.seen, soft=question.soft)
        return {**self._kind.joint(answer), "seconds": perf_counter() - started}

    def _most_probable(self, question: Question) -> Plain:
        started = perf_counter()
        states, height = self.model.most_probable(question.asked or None, question.seen, soft=question.soft)
        seconds = perf_counter() - started
        found = [[self.model.dag.index_of(name), self._kind.found(name, value)] for name, value in states.items()]
        return {"states": found, "logProbability": height, "seconds": seconds}

    def _evidence(self, question: Question) -> Plain:
        return {"log": self.model.log_evidence(question.seen, soft=question.soft)}

    def _plan(self, plan: QueryPlan) -> Plain:
        return {
            "kept": list(plan.kept),
            "variables": self._places(plan.variables_kept),
            "requisite": self._places(plan.requisite),
            "network": plan.network,
            "method": plan.method,
            "multiplications": plan.multiplications,
            "peakMemory": readable_bytes(plan.peak_bytes),
            "text": str(plan),
        }


def _unless_too_large(ask: Callable[[], Plain]) -> Plain:
    """The answer, or why there is none: what is too large must not take the rest of the page with it."""
    try:
        return ask()
    except TooLargeError as error:
        return {"problem": str(error)}
