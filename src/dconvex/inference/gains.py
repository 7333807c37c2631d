"""How much each variable is expected to say about another one.

The expected gain of an observation is the mutual information of the two variables given what is known. It comes from their
joint distribution, and all candidates share the work: one propagation for each state of the target gives the distribution of
every candidate in that state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from dconvex.arrays import Floats
from dconvex.inference.decision_plan import PlannedStep, PlannedSteps, limited_besides
from dconvex.inference.evidence import Variables
from dconvex.inference.gaussian_plan import traced_at_once
from dconvex.inference.marginals import discrete_marginals, discrete_marginals_cost
from dconvex.inference.query import discrete_query, discrete_query_cost, gaussian_query, gaussian_query_cost
from dconvex.inference.regression_model import RegressionModel
from dconvex.inference.request import Request
from dconvex.inference.table_model import TableModel
from dconvex.inference.titles import KnownValue
from dconvex.names import Name

ROUNDING = 1e-14
"""Bits; a smaller gain is a rounding error."""


EACH_ANSWER = 512
"""Bytes of the distribution of a candidate in one state of the target, besides its numbers."""


class Gains(NamedTuple):
    """What an engine finds out: the uncertainty of the target, and the gain of observing each candidate, in bits."""

    known: Mapping[Name, KnownValue]
    uncertainty: float
    """The entropy in bits; in a Gaussian model the standard deviation."""
    gains: Floats


# --- tables


def discrete_gains_plan(model: TableModel, request: Request, candidates: Variables) -> PlannedSteps:
    """What `discrete_gains` runs."""
    first = PlannedStep.of("the target", [discrete_query_cost(model, request)])
    if not model.coherent:
        pairs = [discrete_query_cost(model, _about_both(request, candidate)) for candidate in candidates]
        return PlannedSteps([first, PlannedStep.of("the target and each candidate", pairs)])
    states = _possible_states(model, request)
    if len(states) < 2 or not candidates:
        return PlannedSteps([first])
    held = _held(model, request, candidates)
    cost = discrete_marginals_cost(model, _in_state(limited_besides(request, held, "what is kept"), candidates, states[0]))
    return PlannedSteps([first, PlannedStep.of("all candidates in each state of the target", [cost] * len(states))], held)


def discrete_gains(model: TableModel, request: Request, candidates: Variables) -> Gains:
    """For each state of the target that is possible, the distributions of all candidates in one propagation.

    Where clusters disagree each candidate has a small network of its own, and a joint distribution in it.
    """
    prior = discrete_query(model, request)
    share = prior.values
    if model.coherent:
        gains = _propagated(model, request, candidates, share)
    else:
        gains = [_information(discrete_query(model, _about_both(request, candidate)).values) for candidate in candidates]
    return Gains(prior.evidence, _entropy(share), np.array(gains))


def _propagated(model: TableModel, request: Request, candidates: Variables, share: Floats) -> list[float]:
    possible = np.flatnonzero(share > 0).tolist()
    if len(possible) < 2 or not candidates:
        return [0.0] * len(candidates)
    limited = limited_besides(request, _held(model, request, candidates), "what is kept")
    each = [discrete_marginals(model, _in_state(limited, candidates, state), 1) for state in possible]
    own = share[possible][:, None]
    return [_information(own * np.array([found[model.names[v]].values for found in each])) for v in candidates]


def _held(model: TableModel, request: Request, candidates: Variables) -> int:
    """The bytes of the distributions of all candidates in all states of the target."""
    states = len(_possible_states(model, request))
    return states * (8 * sum(model.sizes(candidates)) + EACH_ANSWER * len(candidates))


def _possible_states(model: TableModel, request: Request) -> list[int]:
    """The states of the target that its likelihood allows."""
    (target,), evidence = request.targets, request.evidence
    if target in evidence.soft:
        return [*map(int, np.flatnonzero(evidence.likelihoods[evidence.soft.index(target)]))]
    return [*range(len(model.labels[target]))]


def _in_state(request: Request, candidates: Variables, state: int) -> Request:
    """The question about the candidates where the target is in this state."""
    known = request.evidence.with_states(request.targets, (state,))
    return Request(candidates, candidates, known, request.limit, assume_possible=True)


def _about_both(request: Request, candidate: int) -> Request:
    both = (*request.targets, candidate)
    return request._replace(variables=both, targets=both)


def _information(joint: Floats) -> float:
    """The mutual information of the two axes, in bits."""
    rows, columns = joint.sum(axis=1, keepdims=True), joint.sum(axis=0, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):  # products of small numbers would underflow
        ratio = np.log2(joint) - np.log2(rows) - np.log2(columns)
    inside = joint > 0
    bits = float((joint[inside] * ratio[inside]).sum())
    return bits if bits > ROUNDING else 0.0


def _entropy(share: Floats) -> float:
    inside = share[share > 0]
    return max(0.0, -float((inside * np.log2(inside)).sum()))


# --- regressions


def gaussian_gains_plan(model: RegressionModel, request: Request, candidates: Variables) -> PlannedSteps:
    """What `gaussian_gains` runs."""
    first = PlannedStep.of("the target", [gaussian_query_cost(model, request)])
    if not candidates:
        return PlannedSteps([first])
    traced = [candidates] if model.coherent else [(candidate,) for candidate in candidates]
    plans = [model.plan((*request.targets, *own), request.evidence.observed) for own in traced]
    costs = [model.cost(plan, request.limit, is_joint=False) for plan in plans]
    what = "all candidates" if model.coherent else "the target and each candidate"
    return PlannedSteps([first, PlannedStep.of(what, costs)])


def gaussian_gains(model: RegressionModel, request: Request, candidates: Variables) -> Gains:
    """Half the logarithm of the share of the variance that is left, from the noises that target and candidate have in common.

    It does not depend on the numbers observed. A candidate that determines the target gains an infinite number of bits.
    """
    prior = gaussian_query(model, request)
    deviation = float(prior.standard_deviations[0])
    if model.coherent:
        gains = _traced(model, request, candidates)
    else:
        gains = np.array([_traced(model, request, (candidate,))[0] for candidate in candidates])
    return Gains(prior.evidence, deviation, gains)


def _traced(model: RegressionModel, request: Request, candidates: Variables) -> Floats:
    gains = np.zeros(len(candidates))
    if not candidates:
        return gains
    (target,) = request.targets
    plan = model.plan((target, *candidates), request.evidence.observed)
    number = {candidate: k for k, candidate in enumerate(candidates)}
    for piece in model.pieces(plan, request.limit, is_joint=False):
        inside = {plan.shape.nodes[variable]: variable for variable in plan.targets_in(piece)}
        if target not in inside:  # independent of the target, given what is known
            continue
        own = inside.pop(target)
        others, step = list(inside), max(1, traced_at_once(len(piece.members)) - 1)
        for first in range(0, len(others), step):
            chunk = others[first : first + step]
            posterior = piece.posterior([own, *(inside[node] for node in chunk)])
            gains[[number[node] for node in chunk]] = _gains(posterior.shares_left())
    return gains


def _gains(shares_left: Floats) -> Floats:
    """The gain of each observation that leaves this share of the target's deviation."""
    with np.errstate(divide="ignore"):
        bits = -np.log2(np.minimum(shares_left, 1.0))
    gains: Floats = np.where(bits > ROUNDING, bits, 0.0)
    return gains
