"""How probable the evidence is."""

from __future__ import annotations

from dconvex.inference.decision_plan import Cost
from dconvex.inference.evidence import Evidence, Variables
from dconvex.inference.regression_model import RegressionModel
from dconvex.inference.request import NO_SLICES, Slicing
from dconvex.inference.slicing import fitting_plan, run
from dconvex.inference.table_model import TableModel


def discrete_log_evidence(
    model: TableModel, evidence: Evidence, limit: int, context: Variables = (), slicing: Slicing = NO_SLICES
) -> float:
    """The logarithm of the probability of the evidence, -inf where it is impossible.

    Where clusters disagree, it is that in the network of a question about the `context`.
    """
    if not evidence:
        return evidence.log_scale
    planner = model.planner
    plan = fitting_plan(planner, planner.evidence_question(evidence, limit, context), slicing)
    return run(planner, plan, evidence, slicing).log_sum + evidence.log_scale


def discrete_log_evidence_cost(model: TableModel, evidence: Evidence, limit: int) -> Cost:
    """What `discrete_log_evidence` takes."""
    if not evidence:
        return Cost(0, 0)
    plan = model.planner.plan(model.planner.evidence_question(evidence, limit, ()))
    return Cost(plan.multiplications, plan.peak_bytes)


def gaussian_log_evidence(model: RegressionModel, evidence: Evidence, limit: int) -> float:
    """The logarithm of the density of the evidence, -inf off its support.

    A variable that those before it (parents first) determine counts nothing, as in `BayesianNetwork.log_likelihood`.
    """
    plan = model.plan((), evidence.observed)
    values = plan.values(evidence)
    return float(sum(piece.log_density(values)[0] for piece in model.pieces(plan, limit)))


def gaussian_log_evidence_cost(model: RegressionModel, evidence: Evidence, limit: int) -> Cost:
    """What `gaussian_log_evidence` takes."""
    return model.cost(model.plan((), evidence.observed), limit)
