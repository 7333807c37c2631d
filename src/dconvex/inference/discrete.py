"""Questions about discrete variables."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from dconvex._core import Ending, NetworkPart, Queries, Question, RunReport, Status
from dconvex.errors import ImpossibleEvidenceError, TooLargeError
from dconvex.inference import planner
from dconvex.inference.conflict import smallest_conflict
from dconvex.inference.distribution import Distribution
from dconvex.inference.evidence import NOTHING, Evidence, Soft, read_evidence
from dconvex.inference.memory import default_limit
from dconvex.inference.plan import Candidate, QueryPlan
from dconvex.inference.planner import PLANNING_ONE, SHARED_BY, Plan, Planner, Variables
from dconvex.inference.tables import TableStore
from dconvex.inference.weighting import weighted_samples
from dconvex.names import Label, Name
from dconvex.network.probability_tables import Tables

if TYPE_CHECKING:
    import pandas as pd

    from dconvex.clusters.cluster_index import ClusterIndex
    from dconvex.network.network import BayesianNetwork

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int32]

ANSWER, MARGINALS, TRACE = Ending.ANSWER, Ending.MARGINALS, Ending.TRACE
PRUNED, WHOLE = NetworkPart.PRUNED, NetworkPart.WHOLE
FINE, IMPOSSIBLE, NEEDS_TABLES = Status.FINE, Status.IMPOSSIBLE, Status.NEEDS_TABLES
MOST_AXES = 64
"""NumPy's limit; it holds for answers only, not for the tables on the way."""


class DiscreteAnswers:
    """Answers about the tables of a model; in a coherent one all clusters agree, so that any plan is right.

    `variables` are those that a caller names, `targets` those of them that are not observed.
    """

    kind: ClassVar[Literal["discrete"]] = "discrete"

    def __init__(self, store: TableStore, labels: Sequence[tuple[Label, ...]], *, coherent: bool) -> None:
        self.store, self.labels = store, labels
        self.names = store.index.dag.names
        self._axes = _Axes(self.names, labels)
        self.planner, self.coherent = Planner(store, coherent=coherent), coherent
        self.queries = Queries(
            store.tables, store.index.dag.indices, self.names, labels, store.derive, coherent, default_limit(),
            planner.CHEAP, planner.CHEAP_FOR_EACH, SHARED_BY, PLANNING_ONE,
        )  # fmt: skip
        """Answers ordinary questions in one call of the core."""

    @classmethod
    def of(cls, index: ClusterIndex, tables: Tables) -> DiscreteAnswers:
        store = TableStore.of(index, [len(own) for own in tables.labels], tables.values)
        return cls(store, tables.labels, coherent=True)

    def read_evidence(self, evidence: Mapping[Name, Any] | None, soft: Soft | None) -> Evidence:
        if not evidence and not soft:
            return NOTHING
        return read_evidence(self.store.index.dag, self.labels, evidence, soft)

    def query(self, variables: Variables, evidence: Evidence, limit: int, *, assume_possible: bool) -> Distribution:
        targets = evidence.targets_of(variables)
        plan = self._plan(targets, evidence, ANSWER, limit)
        if targets is not variables:
            self._refuse_large_result(variables, limit, plan.peak_bytes)
        plan, report, values = self._run(plan, evidence)
        if report.status is IMPOSSIBLE:
            self.raise_impossible(evidence, limit, context=variables)
        if not (plan.uses_all_evidence or assume_possible):
            self._check_possible(evidence, limit, variables)
        _refuse_many_axes(variables)
        if targets is not variables:
            values = self._with_observed(values.reshape([len(self.labels[v]) for v in targets]), variables, evidence)
        axes = self._axes
        names, labels, shape = zip(*[axes[v] for v in variables], strict=True) if variables else ((), (), ())
        return Distribution(names, labels, values.reshape(shape))

    def marginals(
        self, variables: Variables, evidence: Evidence, limit: int, *, assume_possible: bool
    ) -> dict[Name, Distribution]:
        state_of = dict(zip(evidence.observed, evidence.states, strict=True))
        targets = evidence.targets_of(variables)
        found: dict[int, Floats] = {v: _one_hot(len(self.labels[v]), state_of[v]) for v in variables if v in state_of}
        plans = self._marginal_plans(targets, evidence, limit)
        for planned in plans:
            plan, report, values = self._run(planned, evidence)
            if report.status is IMPOSSIBLE:
                self.raise_impossible(evidence, limit, context=tuple(output.variable for output in plan.outputs))
            for output in plan.outputs:
                found[output.variable] = values[output.offset : output.offset + output.size]
        if evidence and not assume_possible:
            self._check_all_possible(plans, evidence, limit, asks_observed=len(targets) < len(variables))
        names, labels = self.names, self.labels
        return {names[v]: Distribution((names[v],), (labels[v],), found[v]) for v in variables}

    def log_evidence(self, evidence: Evidence, limit: int, context: Variables = ()) -> float:
        """The logarithm of the probability of the evidence, -inf where it is impossible.

        Where clusters disagree, it is that in the network of a question about the `context`.
        """
        if not evidence:
            return evidence.log_scale
        _, report, _ = self._run(self.evidence_plan(evidence, limit, context), evidence)
        return report.log_sum + evidence.log_scale if report.status is FINE else -np.inf

    def most_probable(
        self, variables: Variables | None, evidence: Evidence, limit: int, *, assume_possible: bool
    ) -> tuple[dict[Name, Label], float]:
        targets = evidence.targets_of(tuple(range(len(self.names))) if variables is None else variables)
        plan = self.planner.sound(self._plan(targets, evidence, TRACE, limit, map_variables=targets))
        states = self._traced(plan, evidence, limit, context=targets)[0]
        state_of = dict(zip(plan.program.axes.tolist(), states.tolist(), strict=True))
        state_of |= dict(zip(evidence.observed, evidence.states, strict=True))
        given, requisite = evidence, self._requisite(targets, evidence)
        if self.coherent and len(requisite) < len(evidence.observed) + len(evidence.soft):
            given = evidence.only(set(requisite))
        both = given.with_states(targets, tuple(state_of[v] for v in targets))
        log_both, log_given = (self.log_evidence(part, limit, targets) for part in (both, given))
        if log_given == -np.inf:
            self.raise_impossible(given, limit, context=targets)
        if given is not evidence and not assume_possible:
            self._check_possible(evidence, limit, targets)
        assignment = {self.names[v]: self.labels[v][state_of[v]] for v in (targets if variables is None else variables)}
        return assignment, log_both - log_given

    def sample(
        self, rows: int, evidence: Evidence, rng: np.random.Generator, limit: int, *, network: BayesianNetwork
    ) -> pd.DataFrame:
        """Ancestors of the evidence by going back through its elimination, all others given their parents."""
        tables = cast("Tables", network.parameters)
        known = self._sampled_ancestors(rows, evidence, rng, limit) if evidence else {}
        return tables.frame(network.dag, tables.sampled_codes(network.dag, rows, rng, known), rows)

    def _sampled_ancestors(self, rows: int, evidence: Evidence, rng: np.random.Generator, limit: int) -> dict[int, Indices]:
        plan = self.planner.sound(self._plan((), evidence, TRACE, limit, network=WHOLE))
        everything = tuple(range(len(self.names)))
        states = self._traced(plan, evidence, limit, rows, int(rng.integers(2**63)), context=everything)
        found = dict(zip(plan.program.axes.tolist(), states.T, strict=True))
        for variable, state in zip(evidence.observed, evidence.states, strict=True):
            found[variable] = np.full(rows, state, np.int32)
        return found

    def estimate(
        self, variables: Variables, evidence: Evidence, limit: int, samples: int, rng: np.random.Generator
    ) -> Distribution:
        """An estimate from weighted samples, with standard errors."""
        targets = evidence.targets_of(variables)
        self._refuse_large_result(variables, limit, copies=3)
        _refuse_many_axes(variables)
        with contextlib.suppress(TooLargeError):  # too large to know: the samples will show it
            self._check_possible(evidence, limit, variables)
        values, errors = weighted_samples(self.planner, targets, evidence, samples, rng)
        shape = [len(self.labels[v]) for v in targets]
        values, errors = values.reshape(shape), errors.reshape(shape)
        if targets is not variables:
            values, errors = (self._with_observed(part, variables, evidence) for part in (values, errors))
        names = tuple(self.names[v] for v in variables)
        return Distribution(names, tuple(self.labels[v] for v in variables), values, errors)

    def explain(self, variables: Variables, evidence: Evidence, limit: int, *, assume_possible: bool) -> QueryPlan:
        targets = evidence.targets_of(variables)
        plan = self._plan(targets, evidence, ANSWER, limit)
        peak = plan.peak_bytes
        if targets is not variables:
            peak += 8 * self._refuse_large_result(variables, limit, peak)
        check = None
        if not (plan.uses_all_evidence or assume_possible):
            check = self._checking_plan(evidence, limit, variables)
        peak = max(peak, check.peak_bytes if check else 0)
        return self._explained(plan, variables, targets, evidence, peak)

    def proba_plan(self, targets: Variables, observed: Variables, limit: int, *, is_checked: bool) -> Plan:
        """The plan for one target given these variables, whatever their states, or for the marginals of several."""
        ending = ANSWER if len(targets) == 1 else MARGINALS
        question = Question(targets, observed, coherent=self.coherent, ending=ending, max_bytes=limit)
        return self.planner.plan(question, is_checked=is_checked)

    def evidence_plan(self, evidence: Evidence, limit: int, context: Variables) -> Plan:
        """The plan for the probability of evidence on these variables, in the network of a question about others."""
        return self._plan((), evidence, ANSWER, limit, context=() if self.coherent else context)

    def zeros_above(self, variables: Iterable[int]) -> Indices:
        """Of these variables and of those above them the ones whose own table has an entry that is zero."""
        if self.store.has_zeros is False:
            return np.empty(0, np.int32)
        return self.store.with_zeros(self.store.index.dag.graph.ancestors(np.array([*variables], np.int32)))

    def may_be_impossible(self, observed: Variables, states: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Flags of the rows of evidence for which a table above it has a zero among the cells that the row leaves open."""
        if not self.coherent:
            return np.ones(len(states), bool)
        found = np.zeros(len(states), bool)
        column = {variable: k for k, variable in enumerate(observed)}
        for table in self.zeros_above(column).tolist():
            members = [*self.store.index.parents_of(table).tolist(), table]
            open_axes = tuple(axis for axis, member in enumerate(members) if member not in column)
            lowest = self.store.table(table).min(axis=open_axes) if open_axes else self.store.table(table)
            known = tuple(states[:, column[member]] for member in members if member in column)
            found |= lowest[known] == 0
        return found

    def requisite_of(self, targets: Variables, observed: Variables) -> list[int]:
        """Positions within `observed` of what matters for the targets."""
        requisite = set(self._requisite(targets, Evidence(observed)))
        return [k for k, variable in enumerate(observed) if variable in requisite]

    def raise_impossible(self, evidence: Evidence, limit: int, where: str = "", context: Variables = ()) -> NoReturn:
        """Name a small part of the evidence that is impossible already, in the network of a question about others."""
        kept = (*context, *evidence.observed, *evidence.soft)

        def is_possible(variables: tuple[int, ...]) -> bool:
            return self.log_evidence(evidence.only(set(variables)), limit, kept) > -np.inf

        conflict = smallest_conflict((*evidence.observed, *evidence.soft), is_possible)
        said = evidence.said(self.labels)
        raise ImpossibleEvidenceError({self.names[variable]: said[variable] for variable in conflict}, where)

    def _plan(
        self,
        targets: Variables,
        evidence: Evidence,
        ending: Ending,
        limit: int,
        *,
        map_variables: Variables = (),
        context: Variables = (),
        network: NetworkPart = PRUNED,
        is_checked: bool = True,
    ) -> Plan:
        question = Question(
            targets, evidence.observed, evidence.soft, map_variables=map_variables, context=context, network=network,
            coherent=self.coherent, shows_impossible=True, ending=ending, max_bytes=limit,
        )  # fmt: skip
        return self.planner.plan(question, is_checked=is_checked)

    def _marginal_plans(self, targets: Variables, evidence: Evidence, limit: int) -> list[Plan]:
        """One plan that propagates to all variables, or one for each variable, whichever costs less."""
        together: Plan | None = None
        if self.coherent and len(targets) > 1:
            plan = self._plan(targets, evidence, MARGINALS, limit, is_checked=False)
            together = plan if plan.peak_bytes <= limit else None
            if together and together.total <= PLANNING_ONE * len(targets):
                return [together]
        singles: list[Plan] = []
        total = 0.0
        for target in targets:
            single = self._plan((target,), evidence, MARGINALS, limit, is_checked=together is None)
            singles.append(single)
            total += single.total + PLANNING_ONE // 2
            if together and (single.peak_bytes > limit or total > together.total):
                return [together]
        return singles

    def _refuse_large_result(self, variables: Variables, limit: int, more: int = 0, copies: int = 1) -> int:
        """The number of entries in the result, if copies of it and this many more bytes fit."""
        size = math.prod(len(self.labels[v]) for v in variables)
        if 8 * copies * size + more > limit:
            way_out = "Ask for fewer variables at once, or for marginals."
            raise TooLargeError(f"the joint table of {len(variables)} variables", 8 * copies * size + more, limit, way_out)
        return size

    def _run(self, plan: Plan, evidence: Evidence) -> tuple[Plan, RunReport, Floats]:
        """The plan that was executed, what it reports and its result, for one row of evidence."""
        report, values = plan.run(evidence.states, evidence.native)
        if report.status is NEEDS_TABLES:
            return self._run(self.planner.sound(plan), evidence)
        return plan, report, values

    def _traced(
        self, plan: Plan, evidence: Evidence, limit: int, rows: int = 1, seed: int | None = None, *, context: Variables
    ) -> Indices:
        """The states of the axes of a sound plan: the most probable ones, or rows at random."""
        states = plan.trace(evidence.states, evidence.native, rows, seed)
        if states is None:
            self.raise_impossible(evidence, limit, context=context)
        return states

    def _check_possible(self, evidence: Evidence, limit: int, context: Variables) -> None:
        plan = self._checking_plan(evidence, limit, context)
        if plan and self._run(plan, evidence)[1].status is IMPOSSIBLE:
            self.raise_impossible(evidence, limit, context=context)

    def _checking_plan(self, evidence: Evidence, limit: int, context: Variables) -> Plan | None:
        """The plan that finds out whether the evidence is possible; None where it is in any case."""
        if not evidence or (self.coherent and not self._may_hold_zeros(evidence)):
            return None
        try:
            return self.evidence_plan(evidence, limit, context)
        except TooLargeError as error:
            if not self.may_be_impossible(evidence.observed, np.array([evidence.states], np.int32).reshape(1, -1)).any():
                return None
            what = "to check that the evidence is possible, also what does not matter for the answer,"
            way_out = "Leave that out with assume_possible=True, give less evidence, or raise max_bytes."
            raise TooLargeError(what, error.estimate, error.limit, way_out, error.cluster) from None

    def _may_hold_zeros(self, evidence: Evidence) -> bool:
        """Whether a zero may make the evidence impossible; in a model from a file only the tables above it are looked at."""
        known = self.store.has_zeros
        return len(self.zeros_above((*evidence.observed, *evidence.soft))) > 0 if known is None else known

    def _check_all_possible(self, plans: list[Plan], evidence: Evidence, limit: int, *, asks_observed: bool) -> None:
        """Once for all plans; where clusters disagree, for each that has not looked at all evidence itself."""
        unsure = [plan for plan in plans if not plan.uses_all_evidence]
        if self.coherent:
            unsure = unsure[:1] if len(unsure) == len(plans) else []
        if not plans or (asks_observed and not self.coherent):
            self._check_possible(evidence, limit, ())
        for plan in unsure:
            self._check_possible(evidence, limit, tuple(output.variable for output in plan.outputs))

    def _with_observed(self, values: Floats, variables: Variables, evidence: Evidence) -> Floats:
        """Axes for the variables that are observed, with all probability on their states."""
        state_of = dict(zip(evidence.observed, evidence.states, strict=True))
        whole = np.zeros([len(self.labels[v]) for v in variables])
        whole[tuple(state_of.get(v, slice(None)) for v in variables)] = values
        return whole

    def _explained(
        self, plan: Plan, variables: Variables, targets: Variables, evidence: Evidence, peak_bytes: int
    ) -> QueryPlan:
        names, index = self.names, self.store.index
        network = WHOLE if plan.network == "whole" else PRUNED
        small = self.planner.small_network(targets, evidence.observed, evidence.soft, network=network)
        requisite = self._requisite(targets, evidence)
        looked_at = requisite if self.coherent else [*evidence.observed, *evidence.soft]
        kept = index.kept_clusters([*targets, *looked_at]).tolist()
        inside = small.nodes[small.is_requisite | (small.roles > 0)] if plan.nodes is None else plan.nodes
        used = set(inside.tolist())
        return QueryPlan(
            tree=index.tree,
            variables=_named(names, variables),
            evidence=_named(names, evidence.observed),
            likelihoods=_named(names, evidence.soft),
            requisite=_named(names, requisite),
            kept=tuple(kept),
            variables_kept=_named(names, sorted(used)),
            barren=_named(names, sorted(set(small.nodes.tolist()) - used)),
            network=plan.network,
            method="propagation" if plan.question.ending is MARGINALS else "elimination",
            order=_named(names, plan.named(plan.program.order).tolist()),
            derived=len(plan.program.derived) if self.coherent else 0,
            peak_bytes=peak_bytes,
            multiplications=plan.multiplications,
            candidates=plan.candidates or (Candidate(plan.network, "elimination", plan.multiplications, plan.peak_bytes),),
        )

    def _requisite(self, targets: Variables, evidence: Evidence) -> list[int]:
        """The evidence that matters for the targets."""
        given = [*evidence.observed, *evidence.soft]
        if not targets:
            return given
        small = self.planner.small_network(targets, evidence.observed, evidence.soft)
        reached = set(small.nodes[small.is_reached].tolist())
        return [variable for variable in given if variable in reached]


class _Axes(dict[int, tuple[Name, tuple[Label, ...], int]]):
    """By variable its name, its labels and how many there are; noted when the variable is first asked for."""

    def __init__(self, names: Sequence[Name], labels: Sequence[tuple[Label, ...]]) -> None:
        self.names, self.labels = names, labels

    def __missing__(self, variable: int) -> tuple[Name, tuple[Label, ...], int]:
        labels = self.labels[variable]
        axis = self[variable] = self.names[variable], labels, len(labels)
        return axis

    def __reduce__(self) -> tuple[Any, ...]:
        return _Axes, (self.names, self.labels)


def _refuse_many_axes(variables: Variables) -> None:
    if len(variables) > MOST_AXES:
        raise ValueError(
            f"an array has at most {MOST_AXES} axes, and {len(variables)} variables are asked for; ask for fewer at once"
        )


def _one_hot(size: int, state: int) -> Floats:
    values = np.zeros(size)
    values[state] = 1.0
    return values


def _named(names: Sequence[Name], variables: Iterable[int]) -> tuple[Name, ...]:
    return tuple(names[variable] for variable in variables)
