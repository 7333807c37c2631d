"""Predictions for whole tables: rows with the same cells present share a plan, rows with the same evidence an answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.inference.evidence import Evidence
from dconvex.inference.patterns import row_patterns
from dconvex.inference.planner import PLANNING_ONE
from dconvex.names import Label, Name
from dconvex.network.frame_columns import Columns

if TYPE_CHECKING:
    from dconvex.inference.discrete import DiscreteAnswers
    from dconvex.inference.model import LocalModel
    from dconvex.inference.planner import Plan, Variables

Flags: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = NDArray[np.intp]
Indices: TypeAlias = NDArray[np.int32]
Impossible: TypeAlias = Literal["raise", "nan"]
Unknown: TypeAlias = Literal["raise", "missing"]
MISSING = -1
TELLING_APART = 50
"""To find out whether a row equals another takes about as long as this many multiplications."""


def predicted_probabilities(
    model: LocalModel, data: Any, targets: Variables, impossible: Impossible, unknown: Unknown, limit: int
) -> dict[Name, Floats]:
    """By target the probabilities of its states, a row for each row of the data; NaN in impossible rows."""
    _check_policies(impossible, unknown)
    if model.kind != "discrete":
        raise ValueError("a Gaussian model has no probabilities of states; use `predict`, or `query` for one row")
    columns = Columns(data, model.dag.nodes)
    answers: DiscreteAnswers = model._answers
    found = {target: np.full((len(columns), len(answers.labels[target])), np.nan) for target in targets}
    wrong: list[tuple[int, Evidence, Variables]] = []
    for group in _groups(columns, answers, targets, unknown):
        is_possible = np.ones(len(group.rows), bool)
        is_checked = False
        for way in _cheapest_ways(answers, targets, group, limit):
            way = way.sound(answers)
            values, is_fine = way.plan.run_rows(np.ascontiguousarray(group.states[way.first]))
            own = is_fine[way.number]
            is_sure = way.plan.uses_all_evidence
            is_checked |= is_sure
            if not (is_sure or answers.coherent):
                own &= _possible(answers, group, limit, way.targets)
            wrong += group.first_without(own, way.targets)
            if answers.coherent:
                is_possible &= own
            for target, start, size in way.spans:
                found[target][group.rows] = values[way.number, start : start + size]
                found[target][group.rows[~own]] = np.nan
        if answers.coherent and not is_checked:
            own = _possible(answers, group, limit, ())
            wrong += group.first_without(own, ())
            is_possible &= own
        for values in found.values():
            values[group.rows[~is_possible]] = np.nan
    if wrong and impossible == "raise":
        row, evidence, context = min(wrong, key=lambda one: one[0])
        answers.raise_impossible(evidence, limit, where=f" in row {row}", context=context)
    return {model.dag.names[target]: values for target, values in found.items()}


def predicted(model: LocalModel, data: Any, targets: Variables, impossible: Impossible, unknown: Unknown, limit: int) -> Any:
    """A frame of the caller's kind with a column for each target."""
    _check_policies(impossible, unknown)
    columns = Columns(data, model.dag.nodes)
    names = model.dag.names
    if model.kind == "gaussian":
        means, _ = model._answers.predict_columns(columns, targets, impossible=impossible, max_bytes=limit)
        return columns.frame_like({names[target]: means[:, k] for k, target in enumerate(targets)})
    found = predicted_probabilities(model, data, targets, impossible, unknown, limit)
    labels = model._answers.labels
    return columns.frame_like({names[target]: _best_labels(found[names[target]], labels[target]) for target in targets})


def _best_labels(probabilities: Floats, labels: tuple[Label, ...]) -> list[Label | None]:
    """The first of the most probable states in each row, None in impossible rows."""
    best = np.argmax(np.where(np.isnan(probabilities), -1.0, probabilities), axis=1)
    is_known = probabilities[:, 0] == probabilities[:, 0]
    return [labels[code] if known else None for code, known in zip(best.tolist(), is_known.tolist(), strict=True)]


def _check_policies(impossible: str, unknown: str) -> None:
    if impossible not in ("raise", "nan"):
        raise ValueError(f"impossible={impossible!r}; there are 'raise' and 'nan'")
    if unknown not in ("raise", "missing"):
        raise ValueError(f"unknown={unknown!r}; there are 'raise' and 'missing'")


@dataclass(frozen=True, slots=True)
class _Group:
    """Rows in which the same variables are observed, with their states."""

    rows: Rows
    observed: Variables
    states: Indices

    def first_without(self, flags: Flags, targets: Variables) -> list[tuple[int, Evidence, Variables]]:
        """The first row that has no flag, with its evidence and the targets, if there is one."""
        if flags.all():
            return []
        first = int(np.argmin(flags))
        return [(int(self.rows[first]), Evidence(self.observed, tuple(self.states[first].tolist())), targets)]


def _groups(columns: Columns, answers: DiscreteAnswers, targets: Variables, unknown: Unknown) -> list[_Group]:
    present = [v for v, name in enumerate(answers.names) if name in columns and v not in set(targets)]
    states = np.empty((len(columns), len(present)), np.int32)
    for k, v in enumerate(present):
        states[:, k] = columns.codes_or_missing(answers.names[v], answers.labels[v], unknown=unknown)
    return [
        _Group(rows, tuple(present[column] for column in own), states[rows][:, own])
        for rows, own in row_patterns(states != MISSING)
    ]


@dataclass(frozen=True, slots=True)
class _Way:
    """A plan that answers for some targets, and the rows of a group that it is executed for."""

    plan: Plan
    targets: Variables
    first: Indices
    """Of rows in which all that matters for these targets is the same, the first."""
    number: Indices
    """For each row of the group which of the first ones it equals."""

    @classmethod
    def of(cls, answers: DiscreteAnswers, targets: Variables, group: _Group, limit: int, *, is_checked: bool) -> _Way:
        plan = answers.proba_plan(targets, group.observed, limit, is_checked=is_checked)
        requisite = answers.requisite_of(targets, group.observed)
        counts = [int(answers.store.states[group.observed[k]]) for k in requisite]
        return cls(plan, targets, *_distinct(group.states[:, requisite], counts))

    def sound(self, answers: DiscreteAnswers) -> _Way:
        """With a plan whose tables are there."""
        return replace(self, plan=answers.planner.sound(self.plan))

    @property
    def spans(self) -> list[tuple[int, int, int]]:
        """Of each target: where its probabilities begin in a row of results, and how many there are."""
        if len(self.targets) == 1:
            return [(self.targets[0], 0, self.plan.size)]
        return [(output.variable, output.offset, output.size) for output in self.plan.outputs]

    @property
    def cost(self) -> float:
        """Multiplications for all rows, a share of those for derived tables, and what it took to tell rows apart."""
        shared = self.plan.total - self.plan.multiplications
        return len(self.first) * self.plan.multiplications + shared + TELLING_APART * len(self.number)

    @property
    def peak_bytes(self) -> int:
        """The most that is held at once, the results of all rows included."""
        return self.plan.peak_bytes + 8 * len(self.first) * self.plan.size


def _cheapest_ways(answers: DiscreteAnswers, targets: Variables, group: _Group, limit: int) -> Iterable[_Way]:
    """One propagation to all targets, or an elimination for each of them, whichever costs less for these rows."""
    together: _Way | None = None
    if answers.coherent and len(targets) > 1:
        way = _Way.of(answers, targets, group, limit, is_checked=False)
        together = way if way.peak_bytes <= limit else None
    if together is None:
        return (_Way.of(answers, (target,), group, limit, is_checked=True) for target in targets)
    if together.cost <= PLANNING_ONE * len(targets):
        return [together]
    singles: list[_Way] = []
    cost = 0.0
    for target in targets:
        single = _Way.of(answers, (target,), group, limit, is_checked=False)
        singles.append(single)
        cost += single.cost + PLANNING_ONE
        if single.plan.peak_bytes > limit or cost > together.cost:
            return [together]
    return singles


def _distinct(states: Indices, counts: list[int]) -> tuple[Indices, Indices]:
    """First rows of the distinct ones, and for each row which of them it equals; small numbers, as many are held at once.

    `counts` are the numbers of states of each column.
    """
    if not counts:
        return np.zeros(min(len(states), 1), np.int32), np.zeros(len(states), np.int32)
    if float(np.prod(np.array(counts, np.float64))) > 2.0**62:
        return np.arange(len(states), dtype=np.int32), np.arange(len(states), dtype=np.int32)
    key = np.zeros(len(states), np.int64)
    for column, count in enumerate(counts):
        key = key * count + states[:, column]
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    return first.astype(np.int32), number.reshape(-1).astype(np.int32)


def _possible(answers: DiscreteAnswers, group: _Group, limit: int, context: Variables) -> Flags:
    """For each row whether its evidence as a whole is possible; elimination only where a table has a zero in reach."""
    is_possible = np.ones(len(group.rows), bool)
    suspects = np.flatnonzero(answers.may_be_impossible(group.observed, group.states))
    if len(suspects):
        plan = answers.planner.sound(answers.evidence_plan(Evidence(group.observed), limit, context))
        _, is_possible[suspects] = plan.run_rows(np.ascontiguousarray(group.states[suspects]))
    return is_possible
