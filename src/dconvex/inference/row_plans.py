"""Which plans answer for the rows of a group: one for all targets, or one for each, whichever costs less for these rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from dconvex._core import Question
from dconvex.arrays import Indices
from dconvex.inference.evidence import Variables
from dconvex.inference.patterns import RowGroup
from dconvex.inference.plan import Plan
from dconvex.inference.planner import ANSWER, MARGINALS, PLANNING_ONE
from dconvex.inference.table_model import TableModel

TELLING_APART = 50
"""To find out whether a row equals another takes about as long as this many multiplications."""


@final
@dataclass(frozen=True, slots=True)
class RowPlan:
    """A plan that answers for some targets, and the rows of a group that it is executed for."""

    plan: Plan
    targets: Variables
    first: Indices
    """Of rows in which all that matters for these targets is the same, the first."""
    number: Indices
    """For each row of the group which of the first ones it equals."""

    @classmethod
    def of(cls, model: TableModel, plan: Plan, targets: Variables, group: RowGroup[Indices]) -> RowPlan:
        """A plan, executed once for all rows that it cannot tell apart."""
        requisite = set(plan.requisite())
        columns = [k for k, variable in enumerate(group.observed) if variable in requisite]
        counts = [int(model.store.states[group.observed[k]]) for k in columns]
        return cls(plan, targets, *_distinct(group.cells[:, columns], counts))

    def sound(self, model: TableModel) -> RowPlan:
        """With a plan whose tables are there."""
        return replace(self, plan=model.planner.sound(self.plan))

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


def cheapest_row_plans(model: TableModel, targets: Variables, group: RowGroup[Indices], limit: int) -> Iterable[RowPlan]:
    """One propagation to all targets, or an elimination for each of them."""
    planner = model.planner

    def question(own: Variables) -> Question:
        ending = ANSWER if len(own) == 1 else MARGINALS
        return Question(own, group.observed, coherent=model.coherent, ending=ending, max_bytes=limit)

    together: RowPlan | None = None
    if model.coherent and len(targets) > 1:
        found = RowPlan.of(model, planner.found(question(targets)), targets, group)
        together = found if found.peak_bytes <= limit else None
    if together is None:
        return (RowPlan.of(model, planner.plan(question((target,))), (target,), group) for target in targets)
    if together.cost <= PLANNING_ONE * len(targets):
        return [together]
    singles: list[RowPlan] = []
    cost = 0.0
    for target in targets:
        single = RowPlan.of(model, planner.found(question((target,))), (target,), group)
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
