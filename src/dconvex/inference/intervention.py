"""Setting a variable: the questions behind an effect.

Setting cuts the edges into the treatment. In the network that is left, the answer given the treatment is what setting it does,
whatever distribution the treatment has there; in the network itself it is what seeing it says.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

from dconvex.errors import ImpossibleEvidenceError
from dconvex.inference.decision_plan import PlannedStep, PlannedSteps, limited_besides
from dconvex.inference.distribution import GaussianDistribution
from dconvex.inference.effect import Effect, Setting
from dconvex.inference.engine import Answer, Engine
from dconvex.inference.kinds import bytes_of_whole_engine, whole_engine
from dconvex.inference.request import Request
from dconvex.names import Label
from dconvex.network.linear_regressions import Regressions
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import Tables

MORE_COPIES = 2
"""The numbers of the network are held this many times while the edges into the treatment are cut."""
AROUND = 3
"""A number is set to its mean, and to a standard deviation below and above it."""


@final
@dataclass(frozen=True, slots=True)
class Intervention:
    """A treatment, and a request about the outcome, its only target; all clusters of the engine's model agree."""

    engine: Engine
    network: BayesianNetwork
    treatment: int
    request: Request
    """Its limit is what the numbers of the network leave in which the treatment is set."""
    held_bytes: int
    """By those."""

    @classmethod
    def of(cls, engine: Engine, network: BayesianNetwork, treatment: int, request: Request) -> Intervention:
        """The treatment, unless those numbers alone take too much memory."""
        held = bytes_of_whole_engine(network) + MORE_COPIES * network.parameters.nbytes
        limited = limited_besides(request, held, "the network without the edges into the treatment")
        return cls(engine, network, treatment, limited, held)

    def plan(self) -> PlannedSteps:
        """What `effect` runs."""
        engine, apart, request = self.engine, self._cut(), self.request
        steps = [PlannedStep.of("the outcome", [engine.query_cost(request)])]
        if engine.kind == "gaussian":
            both = self._about(self.treatment, *request.targets)
            steps.append(PlannedStep.of("the treatment", [engine.query_cost(self._about(self.treatment))]))
            steps.append(PlannedStep.of("both together", [apart.query_cost(both), engine.query_cost(both)]))
            asks = self._where([0.0] * AROUND)
        else:
            asks = self._in_each_state()
        steps.append(PlannedStep.of("the outcome where the treatment is set", [apart.query_cost(ask) for ask in asks]))
        steps.append(PlannedStep.of("the outcome where it is seen there", [engine.query_cost(ask) for ask in asks]))
        return PlannedSteps(steps, self.held_bytes)

    def effect(self) -> Effect:
        """What each setting does."""
        engine, request, names = self.engine, self.request, self.network.dag.names
        apart, before = self._cut(), engine.query(request)
        below = self.network.dag.descendants([names[self.treatment]])
        after = tuple(names[v] for v in request.evidence.variables if names[v] in below)
        found = Effect((), names[self.treatment], names[request.targets[0]], before.evidence, before, after)
        values: Sequence[Label | float]
        if isinstance(before, GaussianDistribution):
            values = numbers = self._numbers()
            asks = self._where(numbers)
            found = replace(found, slope=self._slope(apart), seeing_slope=self._slope(engine))
        else:
            values, asks = self._labels(), self._in_each_state()
        rows = (Setting(value, _answer(apart, ask), _answer(engine, ask)) for value, ask in zip(values, asks, strict=True))
        return replace(found, rows=tuple(rows))

    def _cut(self) -> Engine:
        """An engine for the network without the edges into the treatment, for these questions alone."""
        return whole_engine(_without_causes(self.network, self.treatment))

    def _about(self, *variables: int) -> Request:
        return self.request._replace(variables=variables, targets=variables)

    def _where(self, numbers: Sequence[float]) -> list[Request]:
        """The outcome where the treatment has each of these numbers."""
        known = (self.request.evidence.with_number(self.treatment, number) for number in numbers)
        return [self.request._replace(evidence=own) for own in known]

    def _in_each_state(self) -> list[Request]:
        """The outcome where the treatment has each of its states."""
        states = range(len(self._labels()))
        known = (self.request.evidence.with_states((self.treatment,), (state,)) for state in states)
        return [self.request._replace(evidence=own) for own in known]

    def _labels(self) -> tuple[Label, ...]:
        return self.network.states[self.network.dag.names[self.treatment]]

    def _numbers(self) -> list[float]:
        """The mean of the treatment given the evidence, and a standard deviation to both sides (1 where it is certain)."""
        where = self.engine.query(self._about(self.treatment))
        assert isinstance(where, GaussianDistribution)
        center, spread = float(where.mean[0]), float(where.standard_deviations[0]) or 1.0
        return [center - spread, center, center + spread]

    def _slope(self, engine: Engine) -> float:
        """How far the mean of the outcome moves with the treatment; NaN where the evidence determines the treatment."""
        joint = engine.query(self._about(self.treatment, *self.request.targets))
        assert isinstance(joint, GaussianDistribution)
        variance, shared = joint.covariance[0].tolist()
        return shared / variance if variance > 0 else math.nan


def _without_causes(network: BayesianNetwork, treatment: int) -> BayesianNetwork:
    """The network without the edges into the treatment, which varies there on its own."""
    name = network.dag.names[treatment]
    own = network.parameters
    if isinstance(own, Tables):
        after = network.do({name: own.labels[treatment][0]})
        assert isinstance(after.parameters, Tables)
        offset, values = after.parameters.offset, after.parameters.values.copy()
        values[offset[treatment] : offset[treatment + 1]] = 1 / len(own.labels[treatment])
        return BayesianNetwork(after.dag, Tables(own.labels, offset, values))
    after = network.do({name: 0.0})
    assert isinstance(after.parameters, Regressions)
    variance = after.parameters.variance.copy()
    variance[treatment] = 1.0
    numbers = Regressions(after.parameters.intercept, after.parameters.coefficients, variance)
    return BayesianNetwork(after.dag, numbers)


def _answer(engine: Engine, request: Request) -> Answer | None:
    """The answer, None where the evidence is impossible."""
    try:
        return engine.query(request)
    except ImpossibleEvidenceError:
        return None
