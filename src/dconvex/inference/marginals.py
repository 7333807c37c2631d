"""P(v | evidence) for each of many variables v."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dconvex._core import RunReport, Status
from dconvex.arrays import Floats
from dconvex.errors import TooLargeError
from dconvex.inference.decision_plan import Cost
from dconvex.inference.distribution import Distribution, GaussianDistribution
from dconvex.inference.evidence import Variables
from dconvex.inference.plan import Plan
from dconvex.inference.planner import PLANNING_ONE
from dconvex.inference.possibility import check_numbers_possible, check_possible, raise_impossible
from dconvex.inference.posterior_variances import posterior_variances
from dconvex.inference.query import gaussian_query
from dconvex.inference.regression_model import RegressionModel
from dconvex.inference.request import Request
from dconvex.inference.slicing import SlicedPlan, fitting_plan, sum_of_slices
from dconvex.inference.table_model import TableModel
from dconvex.names import Name
from dconvex.threads import thread_count, threads

WORTH_THREADS = 1 << 22
"""Multiplications of all plans together; less is done before threads have begun."""


def discrete_marginals(model: TableModel, request: Request, n_jobs: int | None) -> dict[Name, Distribution]:
    """Run one plan for all targets, or one for each, on several threads where there are several that take long."""
    evidence, limit = request.evidence, request.limit
    state_of = evidence.state_of()
    found = {v: _one_hot(len(model.labels[v]), state_of[v]) for v in request.variables if v in state_of}
    try:
        plans = _plans(model, request)
    except TooLargeError:
        if not model.coherent or request.slicing.effort <= 0:
            raise
        return _in_slices(model, request)
    for plan, report, values in _runs(model, plans, request, n_jobs):
        if report.status is Status.IMPOSSIBLE:
            raise_impossible(model, evidence, limit, _targets_of(plan))
        for output in plan.outputs:
            found[output.variable] = values[output.offset : output.offset + output.size]
    if evidence and not request.assume_possible:
        _check_possible(model, request, plans)
    names, labels, known = model.names, model.labels, model.known(evidence)
    return {names[v]: Distribution((names[v],), (labels[v],), found[v], evidence=known) for v in request.variables}


def _in_slices(model: TableModel, request: Request) -> dict[Name, Distribution]:
    """One plan that propagates to all targets, in slices."""
    planner, evidence, limit, slicing = model.planner, request.evidence, request.limit, request.slicing
    plan = fitting_plan(planner, planner.marginals_question(request.targets, evidence, limit), slicing)
    assert isinstance(plan, SlicedPlan)
    total = sum_of_slices(planner, plan, evidence, slicing)
    if total.log_sum == -math.inf:
        raise_impossible(model, evidence, limit, request.targets, slicing=slicing)
    if evidence and not (plan.uses_all_evidence or request.assume_possible):
        check_possible(model, evidence, limit, request.targets)
    state_of = evidence.state_of()
    found = {v: _one_hot(len(model.labels[v]), state_of[v]) for v in request.variables if v in state_of}
    found |= {v: weights / weights.sum() for v, weights in zip(plan.sliced, total.weights, strict=True)}
    for output in plan.plan.outputs:
        values = total.values[output.offset : output.offset + output.size]
        found[output.variable] = values / values.sum()
    names, labels, known = model.names, model.labels, model.known(evidence)
    return {names[v]: Distribution((names[v],), (labels[v],), found[v], evidence=known) for v in request.variables}


def discrete_marginals_cost(model: TableModel, request: Request) -> Cost:
    """What `discrete_marginals` takes on one thread, where the evidence is assumed to be possible."""
    plans = _plans(model, request)
    return Cost(sum(plan.multiplications for plan in plans), max((plan.peak_bytes for plan in plans), default=0))


def _runs(
    model: TableModel, plans: Sequence[Plan], request: Request, n_jobs: int | None
) -> list[tuple[Plan, RunReport, Floats]]:
    """What the plans give, in their order; threads together stay within the limit."""
    if len(plans) == 1:
        return [model.planner.run(plans[0], request.evidence, thread_count(n_jobs))]
    fitting = request.limit // max((plan.peak_bytes for plan in plans), default=1)
    jobs = min(thread_count(n_jobs), len(plans), max(fitting, 1))
    if sum(plan.total for plan in plans) < WORTH_THREADS:
        jobs = 1
    with threads(max(jobs, 1)) as workers:
        return workers.map(lambda plan: model.planner.run(plan, request.evidence), plans)


def _plans(model: TableModel, request: Request) -> list[Plan]:
    """One plan that propagates to all targets, or one for each of them, whichever costs less."""
    planner, targets, evidence, limit = model.planner, request.targets, request.evidence, request.limit
    together: Plan | None = None
    if model.coherent and len(targets) > 1:
        plan = planner.found(planner.marginals_question(targets, evidence, limit))
        together = plan if plan.peak_bytes <= limit else None
        if together and together.total <= PLANNING_ONE * len(targets):
            return [together]
    if together is None and targets:  # the one with the most before it is refused first, if any is
        planner.plan(planner.marginals_question((_last(model, targets),), evidence, limit))
    singles: list[Plan] = []
    total = 0.0
    for target in targets:
        question = planner.marginals_question((target,), evidence, limit)
        single = planner.found(question) if together else planner.plan(question)
        singles.append(single)
        total += single.total + PLANNING_ONE // 2
        if together and (single.peak_bytes > limit or total > together.total):
            return [together]
    return singles


def _last(model: TableModel, targets: Variables) -> int:
    """The target that comes last where parents come first."""
    wanted = set(targets)
    return next(int(v) for v in reversed(model.store.index.dag.graph.order) if int(v) in wanted)


def _check_possible(model: TableModel, request: Request, plans: list[Plan]) -> None:
    """Once for all plans; where clusters disagree, for each that has not looked at all evidence itself."""
    evidence, limit = request.evidence, request.limit
    unsure = [plan for plan in plans if not plan.uses_all_evidence]
    if model.coherent:
        unsure = unsure[:1] if len(unsure) == len(plans) else []
    asks_observed = len(request.targets) < len(request.variables)
    if not plans or (asks_observed and not model.coherent):
        check_possible(model, evidence, limit, ())
    for plan in unsure:
        check_possible(model, evidence, limit, _targets_of(plan))


def _targets_of(plan: Plan) -> Variables:
    return tuple(output.variable for output in plan.outputs)


def _one_hot(size: int, state: int) -> Floats:
    values = np.zeros(size)
    values[state] = 1.0
    return values


def gaussian_marginals(model: RegressionModel, request: Request, n_jobs: int | None) -> dict[Name, GaussianDistribution]:
    """All means in one pass over the network, and the variances piece by piece."""
    if not model.coherent:  # each variable has its own small network
        with threads(n_jobs if len(request.variables) > 1 else 1) as workers:
            answers = workers.map(lambda v: _single(model, request, v), request.variables)
        return dict(zip(model.named(request.variables), answers, strict=True))
    evidence, limit = request.evidence, request.limit
    plan = model.plan(request.targets, evidence.observed)
    pieces = model.pieces(plan, limit, is_joint=False)
    check_numbers_possible(model, request, plan, pieces)
    means, variances = evidence.number_of(), dict.fromkeys(evidence.observed, 0.0)
    nodes = plan.shape.nodes
    means.update(zip(nodes, plan.expected(model.store.network(plan.shape), pieces, evidence).tolist(), strict=True))
    for piece in pieces:
        targets = plan.targets_in(piece)
        found = posterior_variances(model.store, piece, targets, limit)
        variances.update(zip((nodes[target] for target in targets), found.tolist(), strict=True))
    asked, known = request.variables, model.known(evidence)
    model.refuse_overflow(asked, np.array([means[v] for v in asked]), np.array([variances[v] for v in asked]))
    return {
        model.names[v]: GaussianDistribution((model.names[v],), np.array([means[v]]), np.array([[variances[v]]]), known)
        for v in request.variables
    }


def _single(model: RegressionModel, request: Request, variable: int) -> GaussianDistribution:
    targets = request.evidence.targets_of((variable,))
    return gaussian_query(model, request._replace(variables=(variable,), targets=targets))
