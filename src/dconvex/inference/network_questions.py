"""Questions to the network of all clusters together: which of its numbers matter, and what an action does."""

from __future__ import annotations

from typing import Literal, overload

from dconvex.inference.decision_plan import DecisionPlan, errors_about, limited_besides, plan_of
from dconvex.inference.decision_questions import DecisionQuestions
from dconvex.inference.effect import Effect
from dconvex.inference.engine import Engine, EvidenceLike
from dconvex.inference.evidence import Soft
from dconvex.inference.intervention import Intervention
from dconvex.inference.kinds import bytes_of_whole_engine, whole_engine
from dconvex.inference.request import Request
from dconvex.inference.sensitivity import Sensitivity, check_threshold, sensitivity_of
from dconvex.names import Label, Name, in_one_line
from dconvex.network.network import BayesianNetwork

WAY_OUT = "Give more evidence, or raise max_bytes."


class NetworkQuestions(DecisionQuestions):
    """What is asked of the numbers and of the edges of the whole network."""

    @overload
    def sensitivity(
        self,
        target: Name,
        state: Label,
        evidence: EvidenceLike = None,
        *,
        threshold: float | None = None,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        explain: Literal[False] = False,
    ) -> Sensitivity: ...
    @overload
    def sensitivity(
        self,
        target: Name,
        state: Label,
        evidence: EvidenceLike = None,
        *,
        threshold: float | None = None,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        explain: Literal[True],
    ) -> DecisionPlan: ...
    def sensitivity(
        self,
        target: Name,
        state: Label,
        evidence: EvidenceLike = None,
        *,
        threshold: float | None = None,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        explain: bool = False,
    ) -> Sensitivity | DecisionPlan:
        """How a probability moves with each parameter of `network()` that matters, exactly, the largest derivative first.

        A parameter is one probability of one row of a table. When it moves, the rest of the row moves in proportion (in equal
        parts where the parameter is 1), and the probability is a quotient of two linear functions of it. Of a row with two
        states the first is listed; the other one moves the opposite way.

        Args:
            target: The variable.
            state: The state whose probability is looked at.
            evidence: A label by variable, or a set of labels where one of several was seen.
            threshold: The probability at which the decision changes; None: the decision is the target's most probable state.
            soft: Likelihoods by variable: `{label: likelihood}`, or numbers in the order of the states.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            explain: Give the plan instead: what the question would run, and what it costs. Nothing is run.

        Returns:
            A row for each parameter: the function of it, its derivative, and the values that keep the decision.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: The question would take more memory than allowed; nothing has been allocated.
            ValueError: The target is observed, the threshold is not between 0 and 1, the model is Gaussian, or it was learned
                `for_query=` some variables only.

        >>> import dconvex as dc
        >>> model = dc.localize(dc.load_network("asia"))
        >>> found = model.sensitivity("lung", "yes", {"smoke": "yes", "xray": "yes"})
        >>> found[0].title, round(found[0].derivative, 4), round(found[0].at(0.2), 4)
        ('P(xray = yes | either = no)', -3.7925, 0.3435)
        """
        check_threshold(threshold)
        request = self._about_one(target, evidence, soft, max_bytes)
        (variable,), network = request.targets, self.network()
        code = self._state_of(variable, state)
        question = f"sensitivity of {self._title(request)}"
        with errors_about(question, request.limit, WAY_OUT):
            limited = self._besides_engine(request, network)
            engine = self._global_engine(network)
            plan = plan_of(question, engine.slopes_plan(limited, network.parameters), request.limit - limited.limit)
            if explain:
                return plan
            found = engine.slopes(limited, network.parameters)
        return sensitivity_of(found, variable, code, network, threshold)

    @overload
    def effect(
        self,
        treatment: Name,
        outcome: Name,
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        explain: Literal[False] = False,
    ) -> Effect: ...
    @overload
    def effect(
        self,
        treatment: Name,
        outcome: Name,
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        explain: Literal[True],
    ) -> DecisionPlan: ...
    def effect(
        self,
        treatment: Name,
        outcome: Name,
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        explain: bool = False,
    ) -> Effect | DecisionPlan:
        """What setting a variable does to another one, next to what seeing it there says; the edges are taken for causes.

        Setting the treatment to x is `do`: the edges into it are cut, in the network of all clusters together. The evidence is
        what is known in the world where it is set. On variables that the treatment cannot change (none of its descendants)
        it may as well be known before: the effect on those of whom this holds. A finding on a descendant is one that is made
        after the treatment was set, and it may carry what the treatment did; such findings are listed in `after`. It is not
        what would have been, had the treatment been another one.

        Args:
            treatment: The variable that is set.
            outcome: The variable that is looked at.
            evidence: A label by variable, or a set of labels where one of several was seen; a number in a Gaussian model.
            soft: Likelihoods by variable: `{label: likelihood}`, or numbers in the order of the states.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            explain: Give the plan instead: what the question would run, and what it costs. Nothing is run.

        Returns:
            A row for each state of the treatment; in a Gaussian model for three of its numbers, and the slopes.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: The question would take more memory than allowed; nothing has been allocated.
            ValueError: There is evidence on the treatment, the outcome is observed or the treatment itself, or the model was
                learned `for_query=` some variables only.

        >>> import dconvex as dc
        >>> model = dc.localize(dc.load_network("asia"))
        >>> model.effect("bronc", "lung")
        effect of bronc on lung
          bronc  do: P(yes)  see: P(yes)
          yes        0.0550       0.0700
          no         0.0550       0.0427
        """
        request = self._about_one(outcome, evidence, soft, max_bytes)
        settings = self._indices(treatment)
        if len(settings) != 1:
            raise ValueError(f"one treatment is set at a time, not {len(settings)}: {treatment!r}")
        (variable,) = settings
        if variable in request.targets:
            raise ValueError(f"{treatment!r} is both treatment and outcome")
        if variable in request.evidence.variables:
            raise ValueError(f"{treatment!r} is set, so there can be no evidence on it")
        network = self.network()
        question = f"effect of {in_one_line(treatment)} on {self._title(request)}"
        with errors_about(question, request.limit, WAY_OUT):
            limited = self._besides_engine(request, network)
            asked = Intervention.of(self._global_engine(network), network, variable, limited)
            plan = plan_of(question, asked.plan(), request.limit - limited.limit)
            return plan if explain else asked.effect()

    def _besides_engine(self, request: Request, network: BayesianNetwork) -> Request:
        """The request with what its limit leaves besides an engine for the network, where the model's own will not do."""
        return (
            request if self.coherent else limited_besides(request, bytes_of_whole_engine(network), "an engine for the network")
        )

    def _global_engine(self, network: BayesianNetwork) -> Engine:
        """An engine for the network of all clusters together: the model's own where they agree."""
        return self._engine if self.coherent else whole_engine(network)
