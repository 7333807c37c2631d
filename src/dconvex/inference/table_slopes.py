"""The derivatives of an answer with respect to the numbers of the tables that it depends on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from dconvex._core import NetworkPart, Question
from dconvex.arrays import Codes, Floats
from dconvex.errors import TooLargeError
from dconvex.inference.decision_plan import Cost, PlannedStep, PlannedSteps
from dconvex.inference.differentiation import Elimination, Run, Scope
from dconvex.inference.evidence import Evidence
from dconvex.inference.plan import largest_table
from dconvex.inference.query import discrete_query, discrete_query_cost
from dconvex.inference.request import Request
from dconvex.inference.sensitivity import NO_SLOPE, Slopes
from dconvex.inference.table_model import TableModel
from dconvex.network.probability_tables import Tables

EACH_ROW = 100
"""Bytes of a parameter in the answer."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class _FamilyLeft:
    """A table of the network that the answer depends on, and what the evidence leaves of it."""

    variable: int
    values: Floats
    """Axes: parents, then the variable."""
    cell: tuple[int | slice, ...]
    """Observed axes fixed."""
    scope: Scope
    """The axes that are left; variables with one state have none, unless they are the target."""

    def spread(self, gradients: Sequence[Floats]) -> Floats:
        """Derivatives of what is left by state of the target as those of all values: zero for the others."""
        slopes = np.zeros((len(gradients), *self.values.shape))
        for state, own in enumerate(gradients):
            part = slopes[state][self.cell]
            slopes[state][self.cell] = own.reshape(part.shape)
        return slopes


class _Parameters(NamedTuple):
    """The parameters of a table that matter: its variable, their rows and states, values, and slopes by state of the target."""

    variables: Codes
    rows: Codes
    states: Codes
    values: Floats
    slopes: Floats


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Derivation:
    """What is multiplied for the derivatives, before it is."""

    families: Sequence[_FamilyLeft]
    likelihoods: Sequence[Floats]
    elimination: Elimination
    outputs: int
    """The number of states of the target."""

    @classmethod
    def of(cls, model: TableModel, request: Request, tables: Tables) -> _Derivation:
        """The plan for this question, unless it takes too much memory."""
        (target,), evidence = request.targets, request.evidence
        sizes = dict(enumerate(map(len, model.labels)))
        requisite, order = _requisite(model, request)
        families = [_family_left(model, tables, variable, target, evidence) for variable in requisite]
        inside = {variable for own in families for variable in own.scope}
        likelihoods = {v: own for v, own in zip(evidence.soft, evidence.likelihoods, strict=True) if v in inside}
        leaves = [*(own.scope for own in families), *((variable,) for variable in likelihoods)]
        elimination = Elimination.of(leaves, [variable for variable in order if variable in inside], sizes, target)
        found = cls(families, [*likelihoods.values()], elimination, sizes[target])
        found._refuse_large(model, request.limit)
        return found

    @property
    def peak_bytes(self) -> int:
        """The most that is held at once, the answer included."""
        estimate = self.elimination.peak_bytes(self.outputs) + (8 * 6 * self.outputs + EACH_ROW) * self._entries
        return math.ceil(min(estimate, 2.0**62))

    @property
    def steps(self) -> list[PlannedStep]:
        """Forwards once, and back for each state of the target; all tables are kept meanwhile."""
        forwards, back = self.elimination.multiplications, self.elimination.multiplications_back
        peak = self.peak_bytes
        return [
            PlannedStep.of("the network polynomial", [Cost(int(forwards), peak)]),
            PlannedStep.of("its derivatives for each state of the target", [Cost(int(back), peak)] * self.outputs),
        ]

    def run(self) -> tuple[Run, list[list[Floats]]]:
        """The pass forwards, and by state of the target the derivatives with respect to each table."""
        sizes = self.elimination.sizes
        left = [own.values[own.cell].reshape([sizes[v] for v in own.scope]) for own in self.families]
        run = self.elimination.run([*left, *self.likelihoods])
        return run, [run.gradients(state) for state in range(self.outputs)]

    @property
    def _entries(self) -> int:
        return sum(own.values.size for own in self.families)

    def _refuse_large(self, model: TableModel, limit: int) -> None:
        estimate = self.peak_bytes
        if estimate > limit:
            table, cluster = largest_table(model.store.index, self.elimination.largest_scope)
            what = f"the derivatives with respect to {self._entries:,} parameters, through {table},"
            raise TooLargeError(what, estimate, limit, "Give more evidence, or raise max_bytes.", cluster)


def discrete_slopes_plan(model: TableModel, request: Request, tables: Tables) -> PlannedSteps:
    """What `discrete_slopes` runs."""
    first = PlannedStep.of("the target", [discrete_query_cost(model, request)])
    return PlannedSteps([first, *_Derivation.of(model, request, tables).steps])


def discrete_slopes(model: TableModel, request: Request, tables: Tables) -> Slopes:
    """For each parameter that matters how the joint probability of each state and the evidence moves with it.

    `tables` are those of the network, all of whose clusters agree in the model.
    """
    prior = discrete_query(model, request)
    derivation = _Derivation.of(model, request, tables)
    run, gradients = derivation.run()
    parts = [
        _parameters(own.variable, own.values, own.spread([each[number] for each in gradients]), run.shares)
        for number, own in enumerate(derivation.families)
    ]
    variables, rows, states, values, slopes = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
    return Slopes(prior.evidence, run.shares, variables, rows, states, values, slopes)


def _requisite(model: TableModel, request: Request) -> tuple[list[int], list[int]]:
    """The variables whose tables matter, and the order in which the others are summed out, in the whole network."""
    evidence = request.evidence
    question = Question(
        request.targets, evidence.observed, evidence.soft, network=NetworkPart.WHOLE, coherent=True, max_bytes=request.limit
    )
    plan = model.planner.plan(question)
    small = plan.small_network()
    return sorted(small.nodes[small.is_requisite].tolist()), plan.order()


def _family_left(model: TableModel, tables: Tables, variable: int, target: int, evidence: Evidence) -> _FamilyLeft:
    members = [*model.store.index.dag.graph.parents[variable].tolist(), variable]
    values = tables.values[tables.offset[variable] : tables.offset[variable + 1]].reshape(model.sizes(tuple(members)))
    state_of = evidence.state_of()
    cell = tuple(state_of.get(member, slice(None)) for member in members)
    scope = tuple(v for v in members if v not in state_of and (len(model.labels[v]) > 1 or v == target))
    return _FamilyLeft(variable, values, cell, scope)


def _parameters(variable: int, values: Floats, gradients: Floats, shares: Floats) -> _Parameters:
    """Each probability of each row, with the rest of the row in proportion; of two states the first stands for both."""
    outputs, size = len(gradients), values.shape[-1]
    table, own = values.reshape(-1, size), gradients.reshape(outputs, -1, size)
    slopes = own - _of_the_rest(table, own)
    moved = slopes - shares[:, None, None] * slopes.sum(axis=0)
    moves = (np.abs(moved) > NO_SLOPE * (np.abs(own) + np.abs(slopes) + 1.0)).any(axis=0)
    if size <= 2:
        moves[:, size - 1 :] = False
    states, rows = np.nonzero(moves.T)
    same = np.full(len(rows), variable)
    return _Parameters(same, rows, states, table[rows, states], slopes[:, rows, states])


def _of_the_rest(table: Floats, slopes: Floats) -> Floats:
    """For each probability the mean slope of the others in its row, by their shares; in equal parts where these are zero.

    What is left beside a large probability is summed, not subtracted from one: digits would be lost.
    """
    size = table.shape[1]
    if size == 1:
        return slopes  # it cannot move
    weighted = slopes * table
    total = weighted.sum(axis=2, keepdims=True)
    large = np.argmax(table, axis=1)
    rows = np.arange(len(table))
    left = 1.0 - table
    left[rows, large] = 1.0
    found: Floats = (total - weighted) / left
    rest = table.copy()
    rest[rows, large] = 0.0
    mass = rest.sum(axis=1)
    known = mass > 0
    others = np.einsum("ork,rk->or", slopes, rest)
    equal = (slopes.sum(axis=2) - slopes[:, rows, large]) / (size - 1)
    found[:, rows, large] = np.where(known, others / np.where(known, mass, 1.0), equal)
    return found
