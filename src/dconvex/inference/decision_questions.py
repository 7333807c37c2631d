"""Questions to a model after the answer: what to observe next, and what each finding did to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, overload

from dconvex.bins import state_of
from dconvex.errors import UnknownStateError
from dconvex.inference.base_model import BaseModel
from dconvex.inference.decision_plan import DecisionPlan, errors_about, plan_of
from dconvex.inference.engine import EvidenceLike
from dconvex.inference.evidence import Soft, Variables
from dconvex.inference.influences import Influences, influences_of, influences_plan
from dconvex.inference.informative import MostInformative, check_costs, most_informative
from dconvex.inference.request import Request
from dconvex.inference.titles import title_of
from dconvex.names import Label, Name


class DecisionQuestions(BaseModel):
    """What one asks to decide something. With `explain=True` each question gives its plan instead, and runs nothing."""

    @overload
    def most_informative(
        self,
        target: Name,
        evidence: EvidenceLike = None,
        candidates: Name | Iterable[Name] | None = None,
        costs: Mapping[Name, float] | None = None,
        *,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        explain: Literal[False] = False,
    ) -> MostInformative: ...
    @overload
    def most_informative(
        self,
        target: Name,
        evidence: EvidenceLike = None,
        candidates: Name | Iterable[Name] | None = None,
        costs: Mapping[Name, float] | None = None,
        *,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        explain: Literal[True],
    ) -> DecisionPlan: ...
    def most_informative(
        self,
        target: Name,
        evidence: EvidenceLike = None,
        candidates: Name | Iterable[Name] | None = None,
        costs: Mapping[Name, float] | None = None,
        *,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        explain: bool = False,
    ) -> MostInformative | DecisionPlan:
        """What to observe next: the expected gain of each variable that is not observed, exactly, the best first.

        The gain is the mutual information of target and candidate given the evidence, in bits: by how much the entropy of the
        target falls on average once the candidate is observed.

        Args:
            target: The variable that is to become more certain.
            evidence: A label by variable, or a set of labels where one of several was seen; a number in a Gaussian model.
            candidates: The variables that can be observed; None: all that are not observed.
            costs: What observing a variable costs, 1 where nothing is said; the gain per cost then decides the order.
            soft: Likelihoods by variable: `{label: likelihood}`, or numbers in the order of the states.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            explain: Give the plan instead: what the question would run, and what it costs. Nothing is run.

        Returns:
            A row for each candidate, the best first; equal ones in the order given.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: The question would take more memory than allowed; nothing has been allocated.
            ValueError: The target or a candidate is observed, the target is a candidate, a candidate is named twice, or a cost
                is not above zero.

        >>> import dconvex as dc
        >>> model = dc.localize(dc.load_network("asia"))
        >>> model.most_informative("lung", {"smoke": "yes"}, ["xray", "dysp", "asia"])
        most informative about P(lung | smoke = yes), 0.468996 bits unknown
          variable  bits gained  bits left
          xray           0.3064     0.1626
          dysp           0.0253     0.4437
          asia           0.0000     0.4690
        """
        request = self._about_one(target, evidence, soft, max_bytes)
        chosen = self._candidates(request, candidates)
        names, engine = self.dag.names, self._engine
        checked = None if costs is None else check_costs(names, costs)
        question = f"what is most informative about {self._title(request)}"
        with errors_about(question, request.limit, "Name fewer candidates, give more evidence, or raise max_bytes."):
            plan = plan_of(question, engine.information_plan(request, chosen))
            if explain:
                return plan
            found = engine.information(request, chosen)
        asked = names[request.targets[0]]
        return most_informative(asked, [names[v] for v in chosen], found, checked, is_gaussian=self.kind == "gaussian")

    @overload
    def influences(
        self,
        target: Name,
        evidence: EvidenceLike = None,
        *,
        state: Label | None = None,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        explain: Literal[False] = False,
    ) -> Influences: ...
    @overload
    def influences(
        self,
        target: Name,
        evidence: EvidenceLike = None,
        *,
        state: Label | None = None,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        explain: Literal[True],
    ) -> DecisionPlan: ...
    def influences(
        self,
        target: Name,
        evidence: EvidenceLike = None,
        *,
        state: Label | None = None,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        explain: bool = False,
    ) -> Influences | DecisionPlan:
        """What each finding did to the answer about a variable, and whether the findings agree.

        Each finding is left out, and looked at alone. Where the answer is the same with and without it, the others say all that
        it says. Its conflict is the logarithm of its own probability over that given the others: above zero it surprises them.

        Args:
            target: The variable.
            evidence: A label by variable, or a set of labels where one of several was seen; a number in a Gaussian model.
            state: The state of the target whose odds are compared; None: the most probable one. A Gaussian model has none.
            soft: Likelihoods by variable: `{label: likelihood}`, or numbers in the order of the states.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            explain: Give the plan instead: what the question would run, and what it costs. Nothing is run.

        Returns:
            A row for each finding, the one that changed the answer most first.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: The question would take more memory than allowed; nothing has been allocated.
            ValueError: The target is observed, or it has no states and one is named.

        >>> import dconvex as dc
        >>> model = dc.localize(dc.load_network("asia"))
        >>> model.influences("lung", {"smoke": "no", "xray": "yes", "dysp": "no"}, state="yes")
        influences on P(lung | smoke = no, xray = yes, dysp = no): lung = yes 0.0609746, from 0.055
          finding     without   alone  log-odds    bits  conflict
          smoke = no   0.2523  0.0100   -1.6480  0.1837   +0.0386
          xray = yes   0.0035  0.4887   +2.9100  0.1703   +0.9611
          dysp = no    0.1423  0.0181   -0.9380  0.0482   +0.0102
        conflict of the findings: +0.6895 bits; xray disagrees with the others
        """
        request = self._about_one(target, evidence, soft, max_bytes)
        code = None if state is None else self._state_of(request.targets[0], state)
        question = f"influences on {self._title(request)}"
        with errors_about(question, request.limit, "Give less evidence, whose parts are looked at alone, or raise max_bytes."):
            plan = plan_of(question, influences_plan(self._engine, request))
            return plan if explain else influences_of(self._engine, request, code)

    def _about_one(self, target: Name, evidence: EvidenceLike, soft: Soft | None, max_bytes: float | None) -> Request:
        """The question about one variable that is not observed."""
        request = self._request(target, evidence, soft, max_bytes)
        if len(request.variables) != 1:
            raise ValueError(f"one target is asked about at a time, not {len(request.variables)}: {target!r}")
        if not request.targets:
            raise ValueError(f"{target!r} is observed: nothing is uncertain about it")
        return request

    def _title(self, request: Request) -> str:
        """What is asked, as `P(lung | smoke = yes)`."""
        measure = "p" if self.kind == "gaussian" else "P"
        return title_of(
            [self.dag.names[variable] for variable in request.variables], self._engine.known(request.evidence), measure
        )

    def _state_of(self, variable: int, state: Label | None) -> int:
        """The index of a state; None: there is none to be named, in a Gaussian model."""
        name = self.dag.names[variable]
        if self.kind == "gaussian":
            raise ValueError(f"{name!r} has no states: the model is Gaussian")
        labels = self.states[name]
        code = state_of(state, labels)
        if code is None:
            raise UnknownStateError(name, state, labels)
        return code

    def _candidates(self, request: Request, candidates: Name | Iterable[Name] | None) -> Variables:
        """The variables that could be observed; those that are named must be possible."""
        closed = {*request.evidence.observed, *request.targets}
        if candidates is None:
            return tuple(variable for variable in range(len(self.dag)) if variable not in closed)
        chosen = self._indices(candidates)
        for variable in chosen:
            if variable in closed:
                what = "the target itself" if variable in request.targets else "observed already"
                raise ValueError(f"{self.dag.names[variable]!r} is {what}; name other candidates")
        return chosen
