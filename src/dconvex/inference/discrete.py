"""Questions about discrete variables."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from dconvex.errors import ImpossibleEvidenceError, TooLargeError
from dconvex.inference.conflict import smallest_conflict
from dconvex.inference.distribution import Distribution
from dconvex.inference.evidence import NOTHING, Evidence, Soft, read_evidence
from dconvex.inference.plan import Candidate, QueryPlan
from dconvex.inference.planner import PLANNING_ONE, Ending, HullStore, Key, Plan, Planner
from dconvex.inference.tables import EACH, JOINT, NO_ARENA, NO_LIKELIHOODS, NO_ROW, RAW, SMALL_ARENA, Store
from dconvex.inference.weighting import weighted_samples
from dconvex.kernels import load
from dconvex.names import Label, Name
from dconvex.network.discrete import Tables

if TYPE_CHECKING:
    import pandas as pd

    from dconvex.inference.families import FamilyIndex
    from dconvex.network.network import BayesianNetwork

Floats: TypeAlias = NDArray[np.float64]
Longs: TypeAlias = NDArray[np.int64]

MOST_AXES = 64
"""NumPy's limit; it holds for answers only, not for the tables on the way."""
FINE, IMPOSSIBLE, NEEDS_TABLES = 0, 1, 3
LOGARITHMS = 2


class DiscreteAnswers:
    """Answers about the tables of a model; `is_one_distribution` says that all clusters agree, so that any plan is right."""

    kind: ClassVar[Literal["discrete"]] = "discrete"

    def __init__(self, store: Store, labels: Sequence[tuple[Label, ...]], *, is_one_distribution: bool) -> None:
        self.store, self.labels = store, labels
        self.names = store.index.dag.names
        self._axes = _Axes(self.names, labels)
        self.planner = Planner(store, is_one_distribution=is_one_distribution)

    @classmethod
    def of(cls, index: FamilyIndex, tables: Tables) -> DiscreteAnswers:
        return cls(Store.of(index, tables), tables.labels, is_one_distribution=True)

    def read_evidence(self, evidence: Mapping[Name, Any] | None, soft: Soft | None) -> Evidence:
        if not evidence and not soft:
            return NOTHING
        return read_evidence(self.store.index.dag, self.labels, evidence, soft)

    def query(self, asked: Key, evidence: Evidence, limit: int, *, assume_possible: bool) -> Distribution:
        hidden = asked
        if evidence.observed and not set(asked).isdisjoint(evidence.observed):
            hidden = tuple(place for place in asked if place not in evidence.observed)
        plan = self.planner.plan(hidden, evidence.observed, evidence.likely, Ending.ANSWER, limit)
        if hidden is not asked:
            self._refuse_large_result(asked, limit, plan.peak_bytes)
        plan, status, _, values = self._run(plan, evidence, JOINT)
        if status == IMPOSSIBLE:
            self.raise_impossible(evidence, limit, beside=asked)
        if not (plan.uses_all_evidence or assume_possible):
            self._check_possible(evidence, limit, asked)
        _refuse_many_axes(asked)
        if hidden is not asked:
            values = self._with_observed(values.reshape([len(self.labels[place]) for place in hidden]), asked, evidence)
        axes = self._axes
        names, labels, shape = zip(*[axes[place] for place in asked], strict=True) if asked else ((), (), ())
        return Distribution(names, labels, values.reshape(shape))

    def marginals(self, asked: Key, evidence: Evidence, limit: int, *, assume_possible: bool) -> dict[Name, Distribution]:
        seen = dict(zip(evidence.observed, evidence.codes, strict=True))
        hidden = tuple(place for place in asked if place not in seen)
        found: dict[int, Floats] = {place: _one_hot(len(self.labels[place]), seen[place]) for place in asked if place in seen}
        plans = self._marginal_plans(hidden, evidence, limit)
        for planned in plans:
            plan, status, _, values = self._run(planned, evidence, EACH)
            if status == IMPOSSIBLE:
                self.raise_impossible(evidence, limit, beside=tuple(variable for variable, _, _ in plan.outs))
            for variable, start, size in plan.outs:
                found[variable] = values[start : start + size]
        if evidence and not assume_possible:
            self._check_all_possible(plans, evidence, limit, asks_observed=len(hidden) < len(asked))
        names, labels = self.names, self.labels
        return {names[place]: Distribution((names[place],), (labels[place],), found[place]) for place in asked}

    def log_evidence(self, evidence: Evidence, limit: int, beside: Key = ()) -> float:
        """The logarithm of the probability of the evidence, -inf where it is impossible.

        Where clusters disagree, it is that in the network of a question about the variables `beside`.
        """
        if not evidence:
            return evidence.log_scale
        plan = self.evidence_plan(evidence.observed, limit, beside, evidence.likely)
        _, status, log_sum, _ = self._run(plan, evidence, JOINT)
        return log_sum + evidence.log_scale if status == FINE else -np.inf

    def most_probable(
        self, asked: Key | None, evidence: Evidence, limit: int, *, assume_possible: bool
    ) -> tuple[dict[Name, Label], float]:
        seen = dict(zip(evidence.observed, evidence.codes, strict=True))
        wanted = tuple(range(len(self.names))) if asked is None else asked
        hidden = tuple(place for place in wanted if place not in seen)
        plan = self.planner.sound(self.planner.plan(hidden, evidence.observed, evidence.likely, Ending.TRACE, limit, hidden))
        states = self._traced(plan, evidence, limit, beside=hidden)[0]
        found = {place: int(state) for place, state in zip(plan.axes.tolist(), states.tolist(), strict=True)} | seen
        given, met = evidence, self._requisite(hidden, evidence.observed, evidence.likely)
        if self.is_one_distribution and len(met) < len(evidence.observed) + len(evidence.likely):
            given = evidence.only(set(met))
        both = given.with_states(hidden, tuple(found[place] for place in hidden))
        log_both, log_given = (self.log_evidence(part, limit, hidden) for part in (both, given))
        if log_given == -np.inf:
            self.raise_impossible(given, limit, beside=hidden)
        if given is not evidence and not assume_possible:
            self._check_possible(evidence, limit, hidden)
        answered = wanted if asked is not None else hidden
        assignment = {self.names[place]: self.labels[place][found[place]] for place in answered}
        return assignment, log_both - log_given

    def sample(
        self, rows: int, evidence: Evidence, rng: np.random.Generator, limit: int, *, network: BayesianNetwork
    ) -> pd.DataFrame:
        """Ancestors of the evidence by going back through its elimination, all others given their parents."""
        tables = cast("Tables", network.parameters)
        known = self._sampled_ancestors(rows, evidence, rng, limit) if evidence else {}
        return tables.frame(network.dag, tables.sampled_codes(network.dag, rows, rng, known), rows)

    def _sampled_ancestors(
        self, rows: int, evidence: Evidence, rng: np.random.Generator, limit: int
    ) -> dict[int, NDArray[np.int32]]:
        plan = self.planner.sound(self.planner.plan((), evidence.observed, evidence.likely, Ending.TRACE, limit, is_whole=True))
        everything = tuple(range(len(self.names)))
        states = self._traced(plan, evidence, limit, rows, int(rng.integers(2**63)), beside=everything)
        found = dict(zip(plan.axes.tolist(), states.T, strict=True))
        for place, code in zip(evidence.observed, evidence.codes, strict=True):
            found[place] = np.full(rows, code, np.int32)
        return found

    def estimate(self, asked: Key, evidence: Evidence, limit: int, samples: int, rng: np.random.Generator) -> Distribution:
        """An estimate from weighted samples, with standard errors."""
        hidden = tuple(place for place in asked if place not in evidence.observed)
        self._refuse_large_result(asked, limit, copies=3)
        _refuse_many_axes(asked)
        with contextlib.suppress(TooLargeError):  # too large to know: the samples will tell
            self._check_possible(evidence, limit, asked)
        values, errors = weighted_samples(self.planner, hidden, evidence, samples, rng)
        shape = [len(self.labels[place]) for place in hidden]
        values, errors = values.reshape(shape), errors.reshape(shape)
        if len(hidden) < len(asked):
            values, errors = (self._with_observed(part, asked, evidence) for part in (values, errors))
        names = tuple(self.names[place] for place in asked)
        return Distribution(names, tuple(self.labels[place] for place in asked), values, errors)

    def explain(self, asked: Key, evidence: Evidence, limit: int, *, assume_possible: bool) -> QueryPlan:
        hidden = tuple(place for place in asked if place not in evidence.observed)
        plan = self.planner.plan(hidden, evidence.observed, evidence.likely, Ending.ANSWER, limit)
        peak = plan.peak_bytes
        if len(hidden) < len(asked):
            peak += 8 * self._refuse_large_result(asked, limit, peak)
        check = None
        if not (plan.uses_all_evidence or assume_possible):
            check = self._checking_plan(evidence, limit, asked)
        peak = max(peak, check.peak_bytes if check else 0)
        return self._explained(plan, asked, hidden, evidence, peak)

    def proba_plan(self, targets: Key, observed: Key, limit: int, *, is_checked: bool) -> Plan:
        """The plan for one target given these variables, whatever their states, or for the marginals of several."""
        ending = Ending.ANSWER if len(targets) == 1 else Ending.MARGINALS
        return self.planner.plan(targets, observed, (), ending, limit, is_checked=is_checked, shows_impossible=False)

    def evidence_plan(self, observed: Key, limit: int, beside: Key, likely: Key = ()) -> Plan:
        """The plan for the probability of evidence on these variables, in the network of a question about others."""
        kept = () if self.is_one_distribution else beside
        return self.planner.plan((), observed, likely, Ending.ANSWER, limit, beside=kept)

    @property
    def is_one_distribution(self) -> bool:
        return self.planner.is_one_distribution

    def zeros_above(self, variables: Iterable[int]) -> Longs:
        """Of these variables and of those above them the ones whose own table has an entry that is zero."""
        if self.store.has_zeros is False:
            return np.empty(0, np.int64)
        return self.store.with_zeros(self.store.index.dag.parent_lists.reachable(variables).astype(np.int64))

    def may_be_impossible(self, observed: Key, codes: Longs) -> NDArray[np.bool_]:
        """Flags of the rows of evidence for which a table above it has a zero among the cells that the row leaves open."""
        if not self.is_one_distribution:
            return np.ones(len(codes), bool)
        found = np.zeros(len(codes), bool)
        column = {place: k for k, place in enumerate(observed)}
        for table in self.zeros_above(column).tolist():
            members = [*self.store.index.parents_of(table).tolist(), table]
            open_axes = tuple(axis for axis, member in enumerate(members) if member not in column)
            lowest = self.store.table(table).min(axis=open_axes) if open_axes else self.store.table(table)
            seen = tuple(codes[:, column[member]] for member in members if member in column)
            found |= lowest[seen] == 0
        return found

    def requisite_of(self, targets: Key, observed: Key) -> list[int]:
        """Places within `observed` of what matters for the targets."""
        met = set(self._requisite(targets, observed, ()))
        return [k for k, place in enumerate(observed) if place in met]

    def rows(self, plan: Plan, codes: Longs) -> tuple[Floats, Floats]:
        """Answers for many rows of evidence, by a plan that is sound: (results by row, statuses)."""
        out, ended = np.empty((len(codes), plan.size)), np.empty((len(codes), 3))
        finish = JOINT if plan.ending == Ending.ANSWER else EACH
        plan.store.run(plan.program, codes, NO_LIKELIHOODS, finish, np.empty(plan.arena), out.reshape(-1), ended)
        return out, ended[:, 0]

    def raise_impossible(self, evidence: Evidence, limit: int, where: str = "", beside: Key = ()) -> NoReturn:
        """Name a small part of the evidence that is impossible already, in the network of a question about others."""
        kept = (*beside, *evidence.observed, *evidence.likely)

        def is_possible(places: tuple[int, ...]) -> bool:
            return self.log_evidence(evidence.only(set(places)), limit, kept) > -np.inf

        conflict = smallest_conflict((*evidence.observed, *evidence.likely), is_possible)
        said = evidence.said(self.labels)
        raise ImpossibleEvidenceError({self.names[place]: said[place] for place in conflict}, where)

    def _marginal_plans(self, hidden: Key, evidence: Evidence, limit: int) -> list[Plan]:
        """One plan that propagates to all variables, or one for each variable, whichever costs less."""
        given = (evidence.observed, evidence.likely)
        together: Plan | None = None
        if self.planner.is_one_distribution and len(hidden) > 1:
            plan = self.planner.plan(hidden, *given, Ending.MARGINALS, limit, is_checked=False)
            together = plan if plan.peak_bytes <= limit else None
            if together and together.total <= PLANNING_ONE * len(hidden):
                return [together]
        singles: list[Plan] = []
        total = 0.0
        for place in hidden:
            single = self.planner.plan((place,), *given, Ending.MARGINALS, limit, is_checked=together is None)
            singles.append(single)
            total += single.total + PLANNING_ONE // 2
            if together and (single.peak_bytes > limit or total > together.total):
                return [together]
        return singles

    def _refuse_large_result(self, asked: Key, limit: int, beside: int = 0, copies: int = 1) -> int:
        """The number of entries in the result, if it fits, copies of it and so many bytes beside."""
        size = math.prod(len(self.labels[place]) for place in asked)
        if 8 * copies * size + beside > limit:
            way_out = "Ask for fewer variables at once, or for marginals."
            raise TooLargeError(f"the joint table of {len(asked)} variables", 8 * copies * size + beside, limit, way_out)
        return size

    def _run(self, plan: Plan, evidence: Evidence, finish: int) -> tuple[Plan, int, float, Floats]:
        """The plan that was executed, status, logarithm of the sum, and result, for one row of evidence."""
        out = np.empty(plan.size)
        arena = NO_ARENA if plan.arena <= SMALL_ARENA else np.empty(plan.arena)
        codes = np.array((evidence.codes,), np.int64) if evidence.codes else NO_ROW
        status, _, log_sum = plan.store.run(plan.program, codes, evidence.flat, finish, arena, out)
        if status == NEEDS_TABLES:
            return self._run(self.planner.sound(plan), evidence, finish)
        return plan, status, log_sum, out

    def _traced(
        self, plan: Plan, evidence: Evidence, limit: int, rows: int = 1, seed: int | None = None, *, beside: Key
    ) -> NDArray[np.int32]:
        """The states of the axes of a sound plan: the most probable ones, or so many rows at random."""
        codes = np.array((evidence.codes,), np.int64) if evidence.codes else NO_ROW
        arena, is_random = np.empty(plan.arena), seed is not None
        status, arithmetic, _ = plan.store.run(
            plan.program, codes, evidence.flat, RAW, arena, np.empty(plan.size), logs=not is_random
        )
        if status == IMPOSSIBLE:
            self.raise_impossible(evidence, limit, beside=beside)
        states = np.zeros((rows, len(plan.axes)), np.int32)
        load("tracing").trace(plan.program, arena, arithmetic == LOGARITHMS, is_random, np.uint64(seed or 0), states)
        return states

    def _check_possible(self, evidence: Evidence, limit: int, asked: Key) -> None:
        plan = self._checking_plan(evidence, limit, asked)
        if plan and self._run(plan, evidence, JOINT)[1] == IMPOSSIBLE:
            self.raise_impossible(evidence, limit, beside=asked)

    def _checking_plan(self, evidence: Evidence, limit: int, asked: Key) -> Plan | None:
        """The plan that finds out whether the evidence is possible; None where it is in any case."""
        if not evidence or (self.is_one_distribution and not self._may_hold_zeros(evidence)):
            return None
        try:
            return self.evidence_plan(evidence.observed, limit, asked, evidence.likely)
        except TooLargeError as error:
            if not self.may_be_impossible(evidence.observed, np.array([evidence.codes], np.int64).reshape(1, -1)).any():
                return None
            what = "to check that the evidence is possible, also what does not matter for the answer,"
            way_out = "Leave that out with assume_possible=True, give less evidence, or raise max_bytes."
            raise TooLargeError(what, error.estimate, error.limit, way_out, error.cluster) from None

    def _may_hold_zeros(self, evidence: Evidence) -> bool:
        """Whether a zero may make the evidence impossible; in a model from a file only the tables above it are looked at."""
        known = self.store.has_zeros
        return len(self.zeros_above((*evidence.observed, *evidence.likely))) > 0 if known is None else known

    def _check_all_possible(self, plans: list[Plan], evidence: Evidence, limit: int, *, asks_observed: bool) -> None:
        """Once for all plans; where clusters disagree, for each that has not seen all evidence itself."""
        unsure = [plan for plan in plans if not plan.uses_all_evidence]
        if self.is_one_distribution:
            unsure = unsure[:1] if len(unsure) == len(plans) else []
        if not plans or (asks_observed and not self.is_one_distribution):
            self._check_possible(evidence, limit, ())
        for plan in unsure:
            self._check_possible(evidence, limit, tuple(variable for variable, _, _ in plan.outs))

    def _with_observed(self, values: Floats, asked: Key, evidence: Evidence) -> Floats:
        """Axes for the variables that are observed, with all probability on what was seen."""
        seen = dict(zip(evidence.observed, evidence.codes, strict=True))
        whole = np.zeros([len(self.labels[place]) for place in asked])
        whole[tuple(seen.get(place, slice(None)) for place in asked)] = values
        return whole

    def _explained(self, plan: Plan, asked: Key, hidden: Key, evidence: Evidence, peak_bytes: int) -> QueryPlan:
        names, index = self.names, self.store.index
        question = hidden, evidence.observed, evidence.likely
        small = self.planner.small_network(*question, is_whole=plan.network == "whole")
        nodes = plan.store.nodes if isinstance(plan.store, HullStore) else np.arange(len(names), dtype=np.int32)
        met = self._requisite(*question)
        looked_at = met if self.is_one_distribution else [*evidence.observed, *evidence.likely]
        kept = index.kept_clusters([*hidden, *looked_at]).tolist()
        used = set((nodes if plan.network == "hull" else small.nodes[(small.needed | small.roles) > 0]).tolist())
        order = nodes[plan.order]
        return QueryPlan(
            tree=index.tree,
            variables=_named(names, asked),
            evidence=_named(names, evidence.observed),
            likelihoods=_named(names, evidence.likely),
            requisite=_named(names, met),
            kept=tuple(kept),
            variables_kept=_named(names, sorted(used)),
            barren=_named(names, sorted(set(small.nodes.tolist()) - used)),
            network=plan.network,
            method="propagation" if plan.ending == Ending.MARGINALS else "elimination",
            order=_named(names, order.tolist()),
            derived=len(plan.derived) if self.is_one_distribution else 0,
            peak_bytes=peak_bytes,
            multiplications=plan.multiplications,
            candidates=plan.candidates or (Candidate(plan.network, "elimination", plan.multiplications, plan.peak_bytes),),
        )

    def _requisite(self, asked: Key, observed: Key, likely: Key) -> list[int]:
        """The evidence that matters for what is asked."""
        if not asked:
            return [*observed, *likely]
        small = self.planner.small_network(asked, observed, likely)
        reached = set(small.nodes[small.met > 0].tolist())
        return [place for place in (*observed, *likely) if place in reached]


class _Axes(dict[int, tuple[Name, tuple[Label, ...], int]]):
    """By variable its name, its labels and how many there are; noted when the variable is first asked for."""

    def __init__(self, names: Sequence[Name], labels: Sequence[tuple[Label, ...]]) -> None:
        self.names, self.labels = names, labels

    def __missing__(self, place: int) -> tuple[Name, tuple[Label, ...], int]:
        labels = self.labels[place]
        axis = self[place] = self.names[place], labels, len(labels)
        return axis

    def __reduce__(self) -> tuple[Any, ...]:
        return _Axes, (self.names, self.labels)


def _refuse_many_axes(asked: Key) -> None:
    if len(asked) > MOST_AXES:
        raise ValueError(
            f"an array has at most {MOST_AXES} axes, and {len(asked)} variables are asked for; ask for fewer at once"
        )


def _one_hot(size: int, code: int) -> Floats:
    values = np.zeros(size)
    values[code] = 1.0
    return values


def _named(names: Sequence[Name], places: Any) -> tuple[Name, ...]:
    return tuple(names[int(place)] for place in places)
