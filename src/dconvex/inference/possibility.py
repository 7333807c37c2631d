"""Whether evidence is possible, also where it does not matter for an answer, and if not, which part of it is to blame."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import numpy as np

from dconvex._core import Status
from dconvex.arrays import Flags, Indices
from dconvex.errors import ImpossibleEvidenceError, TooLargeError
from dconvex.inference.evidence import Evidence, Variables
from dconvex.inference.gaussian_pieces import Piece
from dconvex.inference.gaussian_plan import GaussianPlan
from dconvex.inference.log_evidence import discrete_log_evidence
from dconvex.inference.plan import Plan
from dconvex.inference.regression_model import RegressionModel
from dconvex.inference.request import NO_SLICES, Request, Slicing
from dconvex.inference.table_model import TableModel


def smallest_conflict(items: Variables, is_possible: Callable[[Variables], bool]) -> Variables:
    """A part of `items` that is impossible and of which no item can be left out; all of them where they seem possible.

    Halves are tried before single items, so a conflict of k among n takes about k log n questions.
    """
    needed: Variables = ()
    left = items
    if is_possible(left):
        return left
    while is_possible(needed):
        low, high = 0, len(left)  # the shortest beginning of what is left that makes it impossible
        while low < high:
            middle = (low + high) // 2
            if is_possible((*needed, *left[:middle])):
                low = middle + 1
            else:
                high = middle
        needed, left = (*needed, left[low - 1]), left[: low - 1]
    return needed


# --- tables


def raise_impossible(
    model: TableModel,
    evidence: Evidence,
    limit: int,
    context: Variables,
    where: str = "",
    slicing: Slicing = NO_SLICES,
) -> NoReturn:
    """Name a small part of the evidence that is impossible already, in the network of a question about the context."""
    kept = (*context, *evidence.variables)

    def is_possible(variables: Variables) -> bool:
        return discrete_log_evidence(model, evidence.only(variables), limit, kept, slicing) > -np.inf

    said = evidence.said(model.labels)
    conflict = smallest_conflict(evidence.variables, is_possible)
    raise ImpossibleEvidenceError({model.names[variable]: said[variable] for variable in conflict}, where)


def check_possible(model: TableModel, evidence: Evidence, limit: int, context: Variables) -> None:
    """Raise unless the evidence is possible in the network of a question about the context."""
    plan = checking_plan(model, evidence, limit, context)
    if plan and model.planner.run(plan, evidence)[1].status is Status.IMPOSSIBLE:
        raise_impossible(model, evidence, limit, context)


def checking_plan(model: TableModel, evidence: Evidence, limit: int, context: Variables) -> Plan | None:
    """The plan that finds out whether the evidence is possible; None where it is in any case."""
    if not evidence or (model.coherent and not _may_hold_zeros(model, evidence)):
        return None
    try:
        return model.planner.plan(model.planner.evidence_question(evidence, limit, context))
    except TooLargeError as error:
        if not may_be_impossible(model, evidence.observed, np.array([evidence.states], np.int32).reshape(1, -1)).any():
            return None
        what = "to check that the evidence is possible, also what does not matter for the answer,"
        way_out = "Leave that out with assume_possible=True, give less evidence, or raise max_bytes."
        raise TooLargeError(what, error.estimate, error.limit, way_out, error.cluster) from None


def may_be_impossible(model: TableModel, observed: Variables, states: Indices) -> Flags:
    """Flags of the rows of evidence for which a table above it has a zero among the cells that the row leaves open."""
    if not model.coherent:
        return np.ones(len(states), bool)
    found = np.zeros(len(states), bool)
    column = {variable: k for k, variable in enumerate(observed)}
    for table in _zeros_above(model, observed).tolist():
        members = [*model.store.index.parents_of(table).tolist(), table]
        open_axes = tuple(axis for axis, member in enumerate(members) if member not in column)
        values = model.store.table(table)
        lowest = values.min(axis=open_axes) if open_axes else values
        known = tuple(states[:, column[member]] for member in members if member in column)
        found |= lowest[known] == 0
    return found


def _may_hold_zeros(model: TableModel, evidence: Evidence) -> bool:
    """Whether a zero may make the evidence impossible; in a model from a file only the tables above it are looked at."""
    known = model.store.has_zeros
    return len(_zeros_above(model, evidence.variables)) > 0 if known is None else known


def _zeros_above(model: TableModel, variables: Variables) -> Indices:
    """Of these variables and of those above them the ones whose own table has an entry that is zero."""
    if model.store.has_zeros is False:
        return np.empty(0, np.int32)
    return model.store.with_zeros(model.store.index.dag.graph.ancestors(np.array(variables, np.int32)))


# --- regressions


def check_numbers_possible(model: RegressionModel, request: Request, plan: GaussianPlan, pieces: list[Piece]) -> None:
    """Raise unless the evidence is possible: what the plan looks at, and unless `assume_possible` the rest, too."""
    evidence, limit = request.evidence, request.limit
    values = plan.values(evidence)
    is_impossible = any(piece.are_impossible(values)[0] for piece in pieces)
    if not (is_impossible or plan.uses_all_evidence or request.assume_possible):
        is_impossible = may_be_off_support(model, evidence.observed) and not are_numbers_possible(
            model, evidence, limit, plan.targets
        )
    if is_impossible:
        context = tuple(range(len(model.names))) if plan.is_whole else plan.targets
        raise_impossible_numbers(model, evidence, limit, context)


def are_numbers_possible(model: RegressionModel, evidence: Evidence, limit: int, context: Variables) -> bool:
    """Whether the evidence is possible in the network of a question about the context."""
    plan = model.plan((), evidence.observed, context)
    values = plan.values(evidence)
    return not any(piece.are_impossible(values)[0] for piece in model.pieces(plan, limit))


def raise_impossible_numbers(
    model: RegressionModel, evidence: Evidence, limit: int, context: Variables, where: str = ""
) -> NoReturn:
    """Name a small part of the evidence that is impossible already, in the network of a question about the context."""
    kept = (*context, *evidence.observed)

    def is_possible(variables: Variables) -> bool:
        return are_numbers_possible(model, evidence.only(variables), limit, kept)

    said = evidence.number_of()
    conflict = smallest_conflict(evidence.observed, is_possible)
    raise ImpossibleEvidenceError({model.names[variable]: said[variable] for variable in conflict}, where)


def may_be_off_support(model: RegressionModel, observed: Variables) -> bool:
    """Whether numbers of these variables may be impossible: where some variable has no noise.

    In a model from a file only the variables above them are looked at, or none where clusters disagree.
    """
    known = model.store.is_degenerate
    if known is not None or not model.coherent:
        return known is not False
    return model.store.are_degenerate(model.index.dag.graph.ancestors(np.array(observed, np.int32)).tolist())
