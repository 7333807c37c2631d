"""What to observe next: how much each variable is expected to say about another one.

The expected gain of an observation is the mutual information of the two variables given what is known. It comes from their
joint distribution, and all candidates share the work: one propagation for each state of the target gives the distribution of
every candidate in that state.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, NamedTuple, final

import numpy as np

from dconvex.arrays import Floats
from dconvex.errors import UnknownVariableError
from dconvex.inference.answer_rows import AnswerRows, printed
from dconvex.inference.evidence import Variables
from dconvex.inference.gaussian_plan import traced_at_once
from dconvex.inference.marginals import discrete_marginals
from dconvex.inference.query import discrete_query, gaussian_query
from dconvex.inference.regression_model import RegressionModel
from dconvex.inference.request import Request
from dconvex.inference.table_model import TableModel
from dconvex.inference.titles import KnownValue, title_of
from dconvex.names import Name, check_mapping, in_one_line

if TYPE_CHECKING:
    import pandas as pd

ROUNDING = 1e-14
"""Bits; a smaller gain is a rounding error."""


class Gains(NamedTuple):
    """What an engine finds out: the uncertainty of the target, and the gain of observing each candidate, in bits."""

    known: Mapping[Name, KnownValue]
    uncertainty: float
    """The entropy in bits; in a Gaussian model the standard deviation."""
    gains: Floats


@final
@dataclass(frozen=True, slots=True)
class Informative:
    """A candidate, and what observing it is expected to say about the target."""

    variable: Name
    gain: float
    """The mutual information with the target, in bits."""
    remaining: float
    """The uncertainty that is left on average: the entropy in bits, in a Gaussian model the standard deviation."""
    cost: float = 1.0

    @property
    def gain_per_cost(self) -> float:
        """The gain divided by the cost."""
        return self.gain / self.cost


@final
@dataclass(frozen=True, eq=False, repr=False)
class MostInformative(AnswerRows[Informative]):
    """What to observe next, the most informative variable first: by gain, where costs are given by gain per cost.

    Each row has `variable`, `gain` (bits), `remaining` (the uncertainty that is left on average), `cost` and `gain_per_cost`.
    """

    target: Name
    evidence: Mapping[Name, KnownValue]
    uncertainty: float
    """Of the target now: its entropy in bits, in a Gaussian model its standard deviation."""
    has_costs: bool = False
    is_gaussian: bool = False

    @property
    def title(self) -> str:
        """The distribution that becomes more certain, as `P(lung | smoke = yes)`."""
        return title_of([self.target], self.evidence, "p" if self.is_gaussian else "P")

    def to_frame(self) -> pd.DataFrame:
        """The candidates as a pandas DataFrame.

        Returns:
            A frame with a row for each candidate: variable, gain, remaining, cost and gain per cost.

        """
        import pandas as pd

        columns = ["variable", "gain", "remaining", "cost", "gain_per_cost"]
        rows = [(row.variable, row.gain, row.remaining, row.cost, row.gain_per_cost) for row in self.rows]
        return pd.DataFrame(rows, columns=columns)

    def _text(self, most: int) -> str:
        unit = "standard deviation" if self.is_gaussian else "bits unknown"
        now = f"{unit} {self.uncertainty:.6g}" if self.is_gaussian else f"{self.uncertainty:.6g} {unit}"
        left = "deviation left" if self.is_gaussian else "bits left"
        heads = ["variable", "bits gained", left, *(["cost", "bits per cost"] if self.has_costs else [])]
        lines = [
            [in_one_line(row.variable), f"{row.gain:.4f}", f"{row.remaining:.4f}"]
            + ([f"{row.cost:g}", f"{row.gain_per_cost:.4f}"] if self.has_costs else [])
            for row in self.rows[:most]
        ]
        return printed(f"most informative about {self.title}, {now}", heads, lines, len(self.rows) - len(lines))


def most_informative(
    target: Name, candidates: Sequence[Name], found: Gains, costs: Mapping[Name, float] | None, *, is_gaussian: bool
) -> MostInformative:
    """The candidates in order, equal ones as they come."""
    rows = [
        Informative(name, gain, _remaining(found.uncertainty, gain, is_gaussian=is_gaussian), (costs or {}).get(name, 1.0))
        for name, gain in zip(candidates, found.gains.tolist(), strict=True)
    ]
    ranked = tuple(sorted(rows, key=lambda row: -row.gain_per_cost))
    return MostInformative(ranked, target, found.known, found.uncertainty, costs is not None, is_gaussian)


def check_costs(names: Sequence[Name], costs: Mapping[Name, object]) -> dict[Name, float]:
    """The costs as numbers, each of a variable that there is."""
    check_mapping("costs", costs)
    known, checked = set(names), {}
    for name, cost in costs.items():
        if name not in known:
            raise UnknownVariableError(name, names)
        if not isinstance(cost, Real) or not 0 < float(cost) < math.inf:
            raise ValueError(f"the cost of {name!r} is {cost!r}; it must be a number above 0")
        checked[name] = float(cost)
    return checked


def _remaining(uncertainty: float, gain: float, *, is_gaussian: bool) -> float:
    return uncertainty * 2.0**-gain if is_gaussian else max(uncertainty - gain, 0.0)


# --- tables


def discrete_gains(model: TableModel, request: Request, candidates: Variables) -> Gains:
    """For each state of the target that is possible, the distributions of all candidates in one propagation.

    Where clusters disagree each candidate has a small network of its own, and a joint distribution in it.
    """
    prior = discrete_query(model, request)
    share = prior.values
    if model.coherent:
        gains = _propagated(model, request, candidates, share)
    else:
        gains = [_information(_joint(model, request, candidate)) for candidate in candidates]
    return Gains(prior.evidence, _entropy(share), np.array(gains))


def _propagated(model: TableModel, request: Request, candidates: Variables, share: Floats) -> list[float]:
    possible = np.flatnonzero(share > 0).tolist()
    if len(possible) < 2 or not candidates:
        return [0.0] * len(candidates)
    each = []
    for state in possible:
        known = request.evidence.with_states(request.targets, (state,))
        each.append(discrete_marginals(model, Request(candidates, candidates, known, request.limit, assume_possible=True), 1))
    own = share[possible][:, None]
    return [_information(own * np.array([found[model.names[v]].values for found in each])) for v in candidates]


def _joint(model: TableModel, request: Request, candidate: int) -> Floats:
    both = (*request.targets, candidate)
    return discrete_query(model, request._replace(variables=both, targets=both)).values


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
