"""The most probable joint state of some variables, or of all."""

from __future__ import annotations

import math

import numpy as np

from dconvex.arrays import Floats
from dconvex.inference.basis import LOG_2_PI
from dconvex.inference.gaussian_pieces import Piece
from dconvex.inference.linear_network import LinearNetwork
from dconvex.inference.log_evidence import discrete_log_evidence
from dconvex.inference.possibility import check_numbers_possible, check_possible, raise_impossible
from dconvex.inference.regression_model import RegressionModel
from dconvex.inference.request import Request
from dconvex.inference.slicing import SlicedPlan, best_of_slices, fitting_plan
from dconvex.inference.table_model import TableModel
from dconvex.names import Label, Name


def discrete_most_probable(model: TableModel, request: Request) -> tuple[dict[Name, Label], float]:
    """The most probable states of the targets, and the logarithm of their probability given the evidence."""
    targets, evidence, limit, slicing = request.targets, request.evidence, request.limit, request.slicing
    planner = model.planner
    made = fitting_plan(planner, planner.most_probable_question(targets, evidence, limit), slicing)
    if isinstance(made, SlicedPlan):
        plan, traced = best_of_slices(planner, made, evidence, slicing)
    else:
        plan = planner.sound(made)
        rows = plan.trace(evidence)
        traced = None if rows is None else dict(zip(plan.program.axes.tolist(), rows[0].tolist(), strict=True))
    if traced is None:
        raise_impossible(model, evidence, limit, targets, slicing=slicing)
    state_of = traced | evidence.state_of()
    given, requisite = evidence, plan.requisite()
    if model.coherent and len(requisite) < len(evidence.variables):
        given = evidence.only(requisite)
    both = given.with_states(targets, tuple(state_of[v] for v in targets))
    log_both, log_given = (discrete_log_evidence(model, part, limit, targets, slicing) for part in (both, given))
    if log_given == -math.inf:
        raise_impossible(model, given, limit, targets, slicing=slicing)
    if given is not evidence and not request.assume_possible:
        check_possible(model, evidence, limit, targets)
    return {model.names[v]: model.labels[v][state_of[v]] for v in request.variables}, log_both - log_given


def gaussian_most_probable(model: RegressionModel, request: Request) -> tuple[dict[Name, float], float]:
    """The posterior mean, and the logarithm of its density; a variable that others determine counts nothing."""
    evidence = request.evidence
    plan = model.plan(request.targets, evidence.observed)
    pieces = model.pieces(plan, request.limit)
    check_numbers_possible(model, request, plan, pieces)
    values, means = plan.values(evidence), evidence.number_of()
    density = 0.0
    for piece in pieces:
        targets = plan.targets_in(piece)
        posterior = piece.posterior(targets)
        nodes = (plan.shape.nodes[target] for target in targets)
        means.update(zip(nodes, posterior.mean(values)[:, 0].tolist(), strict=True))
        density -= posterior.log_volume
    model.refuse_overflow(request.variables, np.array([means[v] for v in request.variables]))
    return {model.names[v]: means[v] for v in request.variables}, density


def gaussian_most_probable_of_all(model: RegressionModel, request: Request) -> tuple[dict[Name, float], float]:
    """The same for all variables that are not observed, in one pass over the whole network, without a joint covariance."""
    evidence = request.evidence
    plan = model.whole_plan(evidence.observed)
    pieces = model.informed_pieces(plan, request.limit)
    check_numbers_possible(model, request, plan, pieces)
    network = model.store.network(plan.shape)
    means = np.empty(len(model.names))
    means[plan.shape.nodes] = plan.expected(network, pieces, evidence)
    model.refuse_overflow(range(len(means)), means)
    density = _density_of_all(network, pieces, plan.values(evidence))
    return {model.names[v]: float(means[v]) for v in request.variables}, density


def _density_of_all(network: LinearNetwork, pieces: list[Piece], values: Floats) -> float:
    """The logarithm of the density of all expected values given the evidence, which the pieces hold."""
    noisy = network.variance > 0
    height = np.zeros(len(noisy))
    height[noisy] = -0.5 * (LOG_2_PI + np.log(network.variance[noisy]))
    density = 0.0
    for piece in pieces:
        if piece.basis.is_full and noisy[piece.observed].all():
            height[piece.members] -= 0.5 * piece.standard_noises(values)[:, 0] ** 2
            density -= float(piece.log_density(values)[0])
        else:  # the evidence may determine what is asked for
            height[piece.members] = 0.0
            density -= piece.posterior([v for v in piece.members if not network.shape.is_observed[v]]).log_volume
    return density + float(height.sum())
