"""P(targets | evidence), the joint distribution of some variables; and its plan."""

from __future__ import annotations

import math

import numpy as np

from dconvex.inference.decision_plan import Cost
from dconvex.inference.distribution import Distribution, GaussianDistribution
from dconvex.inference.plan import Plan
from dconvex.inference.possibility import (
    check_numbers_possible,
    check_possible,
    checking_plan,
    may_be_off_support,
    raise_impossible,
)
from dconvex.inference.query_plan import QueryPlan
from dconvex.inference.regression_model import RegressionModel
from dconvex.inference.request import Request
from dconvex.inference.slicing import SlicedPlan, fitting_plan, run
from dconvex.inference.table_model import MOST_AXES, TableModel, refuse_many_axes


def discrete_query(model: TableModel, request: Request) -> Distribution:
    """Find the plan, run it, and give the result its names."""
    variables, targets, evidence, limit, assume_possible, slicing = request
    planner = model.planner
    plan = fitting_plan(planner, planner.question(targets, evidence, limit), slicing)
    is_partly_known = targets is not variables
    if is_partly_known:
        model.refuse_large_result(variables, limit, plan.peak_bytes)
    uses_all_evidence, log_sum, values = run(planner, plan, evidence, slicing)
    if log_sum == -math.inf:
        raise_impossible(model, evidence, limit, variables, slicing=slicing)
    if not (uses_all_evidence or assume_possible):
        check_possible(model, evidence, limit, variables)
    if len(variables) > MOST_AXES:
        refuse_many_axes(variables)
    if is_partly_known:
        values = model.with_observed(values, variables, targets, evidence)
    axes = model.axes
    names, labels, shape = zip(*[axes[v] for v in variables], strict=True) if variables else ((), (), ())
    return Distribution(names, labels, values.reshape(shape), evidence=model.known(evidence))


def discrete_query_plan(model: TableModel, request: Request) -> QueryPlan:
    """The plan that `discrete_query` runs, and the memory that it takes with all that is checked."""
    plan, cost = _costed(model, request)
    if isinstance(plan, SlicedPlan):
        return QueryPlan(model.store.index, request, plan.plan, cost.peak_bytes, plan.sliced, plan.count)
    return QueryPlan(model.store.index, request, plan, cost.peak_bytes)


def discrete_query_cost(model: TableModel, request: Request) -> Cost:
    """What `discrete_query` takes, with all that is checked."""
    return _costed(model, request)[1]


def _costed(model: TableModel, request: Request) -> tuple[Plan | SlicedPlan, Cost]:
    variables, targets, evidence, limit, assume_possible, slicing = request
    plan = fitting_plan(model.planner, model.planner.question(targets, evidence, limit), slicing)
    total, peak = plan.multiplications, plan.peak_bytes
    if targets is not variables:
        peak += 8 * model.refuse_large_result(variables, limit, peak)
    if not (plan.uses_all_evidence or assume_possible) and (check := checking_plan(model, evidence, limit, variables)):
        total, peak = total + check.multiplications, max(peak, check.peak_bytes)
    return plan, Cost(total, peak)


def gaussian_query(model: RegressionModel, request: Request) -> GaussianDistribution:
    """Find the plan, cut it into pieces, and put the posteriors of the targets in each together."""
    variables, evidence = request.variables, request.evidence
    plan = model.plan(request.targets, evidence.observed)
    pieces = model.pieces(plan, request.limit)
    check_numbers_possible(model, request, plan, pieces)
    axis = {variable: k for k, variable in enumerate(variables)}
    mean, covariance = np.zeros(len(variables)), np.zeros((len(variables), len(variables)))
    for variable, number in evidence.number_of().items():
        if variable in axis:
            mean[axis[variable]] = number
    values = plan.values(evidence)
    for piece in pieces:
        targets = plan.targets_in(piece)
        where = [axis[plan.shape.nodes[target]] for target in targets]
        posterior = piece.posterior(targets)
        mean[where] = posterior.mean(values)[:, 0]
        covariance[np.ix_(where, where)] = posterior.covariance
    model.refuse_overflow(variables, mean, covariance)
    return GaussianDistribution(model.named(variables), mean, covariance, model.known(evidence))


def gaussian_query_plan(model: RegressionModel, request: Request) -> QueryPlan:
    """The plan that `gaussian_query` executes."""
    plan = model.plan(request.targets, request.evidence.observed)
    return QueryPlan(model.index, request, plan, plan.peak_bytes())


def gaussian_query_cost(model: RegressionModel, request: Request) -> Cost:
    """What `gaussian_query` takes, with all that is checked."""
    observed, limit = request.evidence.observed, request.limit
    plan = model.plan(request.targets, observed)
    found = model.cost(plan, limit)
    if plan.uses_all_evidence or request.assume_possible or not may_be_off_support(model, observed):
        return found
    check = model.cost(model.plan((), observed, plan.targets), limit)
    return Cost(found.multiplications + check.multiplications, max(found.peak_bytes, check.peak_bytes))
