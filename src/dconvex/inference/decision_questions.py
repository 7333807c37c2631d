"""Questions to a model after the answer: what to observe next, how sure it is, where it comes from, what an action does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dconvex.bins import state_of
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.errors import UnknownStateError
from dconvex.graph.decomposition import quick_tree
from dconvex.inference.base_model import BaseModel
from dconvex.inference.effect import Effect, effect_of
from dconvex.inference.engine import Engine, EvidenceLike
from dconvex.inference.evidence import Soft, Variables
from dconvex.inference.influences import Influences, influences_of
from dconvex.inference.informative import MostInformative, check_costs, most_informative
from dconvex.inference.kinds import engine_of
from dconvex.inference.request import Request
from dconvex.inference.sensitivity import Sensitivity, check_threshold, sensitivity_of
from dconvex.names import Label, Name
from dconvex.network.network import BayesianNetwork


class DecisionQuestions(BaseModel):
    """What one asks to decide something."""

    def most_informative(
        self,
        target: Name,
        evidence: EvidenceLike = None,
        candidates: Name | Iterable[Name] | None = None,
        costs: Mapping[Name, float] | None = None,
        *,
        soft: Soft | None = None,
        max_bytes: float | None = None,
    ) -> MostInformative:
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
        names = self.dag.names
        checked = None if costs is None else check_costs(names, costs)
        found = self._engine.information(request, chosen)
        asked = names[request.targets[0]]
        return most_informative(asked, [names[v] for v in chosen], found, checked, is_gaussian=self.kind == "gaussian")

    def sensitivity(
        self,
        target: Name,
        state: Label,
        evidence: EvidenceLike = None,
        *,
        threshold: float | None = None,
        soft: Soft | None = None,
        max_bytes: float | None = None,
    ) -> Sensitivity:
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
        network, (variable,) = self.network(), request.targets
        code = self._state_of(variable, state)
        engine = self._global_engine(network)
        return sensitivity_of(engine.slopes(request, network.parameters), variable, code, network, threshold)

    def influences(
        self,
        target: Name,
        evidence: EvidenceLike = None,
        *,
        state: Label | None = None,
        soft: Soft | None = None,
        max_bytes: float | None = None,
    ) -> Influences:
        """What each finding did to the answer about a variable, and whether the findings agree.

        Each finding is left out, and looked at alone. Where the answer is the same with and without it, the others say all that
        it says. Its conflict is the logarithm of its own probability over that given the others: above zero it surprises them.

        Args:
            target: The variable.
            evidence: A label by variable, or a set of labels where one of several was seen; a number in a Gaussian model.
            state: The state of the target whose odds are compared; None: the most probable one. A Gaussian model has none.
            soft: Likelihoods by variable: `{label: likelihood}`, or numbers in the order of the states.
            max_bytes: The most memory that the question may take; None: the model's own limit.

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
        return influences_of(self._engine, request, code)

    def effect(
        self,
        treatment: Name,
        outcome: Name,
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        max_bytes: float | None = None,
    ) -> Effect:
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
        return effect_of(self._global_engine(network), network, variable, request)

    def _global_engine(self, network: BayesianNetwork) -> Engine:
        """An engine for the network of all clusters together: the model's own where they agree."""
        if self.coherent:
            return self._engine
        return engine_of(ClusterIndex.of(network.dag, quick_tree(network.dag)), network.parameters)

    def _about_one(self, target: Name, evidence: EvidenceLike, soft: Soft | None, max_bytes: float | None) -> Request:
        """The question about one variable that is not observed."""
        request = self._request(target, evidence, soft, max_bytes)
        if len(request.variables) != 1:
            raise ValueError(f"one target is asked about at a time, not {len(request.variables)}: {target!r}")
        if not request.targets:
            raise ValueError(f"{target!r} is observed: nothing is uncertain about it")
        return request

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
