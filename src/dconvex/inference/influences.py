"""What each finding did to an answer, and whether the findings agree."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from dconvex.arrays import Floats
from dconvex.inference.answer_rows import AnswerRows, printed
from dconvex.inference.decision_plan import PlannedStep, PlannedSteps
from dconvex.inference.distribution import Distribution, GaussianDistribution
from dconvex.inference.engine import Answer, Engine
from dconvex.inference.evidence import Evidence
from dconvex.inference.request import Request
from dconvex.inference.titles import KnownValue, finding
from dconvex.names import Label, Name, in_one_line

if TYPE_CHECKING:
    import pandas as pd

NAMED = 8
"""The most findings that are named."""
AGREES = 0.05
"""Bits; findings that the others make less probable by no more than this (3.4 %) count as agreeing."""


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Influence:
    """A finding, and the answer with it, without it and from it alone."""

    variable: Name
    value: KnownValue
    without: Answer
    """The answer from all other findings."""
    alone: Answer
    """The answer from this finding only."""
    shift: float
    """What it did: the change in the logarithm of the odds of the state; in a Gaussian model that of the mean, in standard
    deviations without it."""
    divergence: float
    """By how much the answer with it differs from that without it (Kullback-Leibler), in bits."""
    conflict: float
    """How badly it goes with the other findings, in bits: above zero, they make it less probable than it is on its own."""

    @property
    def title(self) -> str:
        """The finding, as `smoke = yes`."""
        return finding(self.variable, self.value)

    def __repr__(self) -> str:
        numbers = f"shift={self.shift:+.4g}, divergence={self.divergence:.4g}, conflict={self.conflict:+.4g}"
        return f"Influence({self.title}, {numbers})"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Influences(AnswerRows[Influence]):
    """What each finding did to an answer, the one that changed it most first (by the divergence).

    Each row has `variable`, `value`, the answers `without` it and from it `alone`, `shift` (of the log-odds of the state; in a
    Gaussian model of the mean, in standard deviations), `divergence` and `conflict` in bits.
    """

    answer: Answer
    """Given all findings."""
    before: Answer
    """Given none."""
    state: Label | None
    """The state whose odds are compared; None in a Gaussian model."""
    conflict: float
    """Of all findings (Jensen): the logarithm of the product of their probabilities over their joint one, in bits.

    Above zero they are less probable together than if they had nothing to do with each other.
    """

    @property
    def title(self) -> str:
        """The question, as `P(lung | smoke = yes)`."""
        return self.answer.title

    @property
    def disagreeing(self) -> tuple[Name, ...]:
        """The findings that the others make clearly less probable (by more than 0.05 bits), the worst first."""
        worst = sorted((row for row in self.rows if row.conflict > AGREES), key=lambda row: -row.conflict)
        return tuple(row.variable for row in worst)

    def to_frame(self) -> pd.DataFrame:
        """The findings as a pandas DataFrame.

        Returns:
            A frame with a row for each finding: variable, value, what is looked at (a probability, or a mean) without it and
            from it alone, shift, divergence and conflict.

        """
        import pandas as pd

        columns = ["variable", "value", "without", "alone", "shift", "divergence", "conflict"]
        rows = [
            (row.variable, row.value, self.number(row.without), self.number(row.alone), row.shift, row.divergence, row.conflict)
            for row in self.rows
        ]
        return pd.DataFrame(rows, columns=columns)

    def number(self, answer: Answer) -> float:
        """What is looked at in an answer.

        Args:
            answer: One of those here.

        Returns:
            The probability of the state, or the mean.

        Raises:
            UnknownStateError: The answer is about another variable.

        """
        if isinstance(answer, GaussianDistribution):
            return float(answer.mean[0])
        assert self.state is not None
        return answer[self.state]

    def _text(self, most: int) -> str:
        is_gaussian = isinstance(self.answer, GaussianDistribution)
        what = "mean" if is_gaussian else finding(self.answer.variables[0], self.state)
        title = f"influences on {self.title}: {what} {self.number(self.answer):.6g}, from {self.number(self.before):.6g}"
        heads = ["finding", "without", "alone", "deviations" if is_gaussian else "log-odds", "bits", "conflict"]
        lines = [
            [
                *(row.title, f"{self.number(row.without):.4f}", f"{self.number(row.alone):.4f}"),
                *(f"{row.shift:+.4f}", f"{row.divergence:.4f}", f"{row.conflict:+.4f}"),
            ]
            for row in self.rows[:most]
        ]
        return f"{printed(title, heads, lines, len(self.rows) - len(lines))}\n{self.agreement}"

    @property
    def agreement(self) -> str:
        """In words whether the findings agree."""
        said = f"conflict of the findings: {self.conflict:+.4f} bits"
        odd = self.disagreeing
        if not odd:
            return f"{said}; none disagrees with the others"
        names = ", ".join(map(in_one_line, odd[:NAMED])) + (", …" if len(odd) > NAMED else "")
        return f"{said}; {names} {'disagrees' if len(odd) == 1 else 'disagree'} with the others"


def influences_plan(engine: Engine, request: Request) -> PlannedSteps:
    """What `influences_of` runs."""
    request, parts = _parted(request)

    def asked(what: str, known: Iterable[Evidence]) -> PlannedStep:
        return PlannedStep.of(what, [engine.query_cost(request._replace(evidence=own)) for own in known])

    several = [request.evidence, *(own for pair in parts for own in pair)]
    chances = [engine.log_evidence_cost(request._replace(evidence=own)) for own in several]
    return PlannedSteps([
        asked("the answer", [request.evidence]),
        asked("without evidence", [Evidence()]),
        asked("without each finding", [rest for rest, _ in parts]),
        asked("from each finding alone", [alone for _, alone in parts]),
        PlannedStep.of("how probable the findings are", chances),
    ])  # fmt: skip


def influences_of(engine: Engine, request: Request, state: int | None) -> Influences:
    """The answer again without each finding, and from each alone; the findings' probabilities likewise.

    `state` is the one whose odds are compared; None: the most probable one.
    """
    request, parts = _parted(request)

    def answer(known: Evidence) -> Answer:
        return engine.query(request._replace(evidence=known))

    def bits(known: Evidence) -> float:
        return engine.log_evidence(request._replace(evidence=known)) / math.log(2)

    full, before, together = answer(request.evidence), answer(Evidence()), bits(request.evidence)
    if isinstance(full, Distribution) and state is None:
        state = int(np.argmax(full.values))
    rows, alone_bits = [], 0.0
    for (rest, own), (name, value) in zip(parts, full.evidence.items(), strict=True):
        without, own_bits = answer(rest), bits(own)
        shift, divergence = _change(full, without, state)
        rows.append(Influence(name, value, without, answer(own), shift, divergence, own_bits + bits(rest) - together))
        alone_bits += own_bits
    rows.sort(key=lambda row: -row.divergence)
    label = full.labels[0][state] if isinstance(full, Distribution) and state is not None else None
    return Influences(tuple(rows), full, before, label, alone_bits - together)


def _parted(request: Request) -> tuple[Request, list[tuple[Evidence, Evidence]]]:
    """The question, and for each finding the evidence without it and it alone; likelihoods as they are scaled, all alike."""
    evidence = request.evidence.only(request.evidence.variables)
    parts = [
        (evidence.only(other for other in evidence.variables if other != variable), evidence.only((variable,)))
        for variable in evidence.variables
    ]
    return request._replace(evidence=evidence), parts


def _change(full: Answer, without: Answer, state: int | None) -> tuple[float, float]:
    """What the finding did: the change in log-odds or in deviations, and the divergence in bits."""
    if isinstance(full, GaussianDistribution):
        assert isinstance(without, GaussianDistribution)
        return _normal_change(full, without)
    assert isinstance(without, Distribution)
    p, q = full.values, without.values
    inside = p > 0
    divergence = float((p[inside] * np.log2(p[inside] / q[inside])).sum())
    return _difference(_log_odds(p, state), _log_odds(q, state)), max(divergence, 0.0)


def _log_odds(shares: Floats, state: int | None) -> float:
    assert state is not None
    own, others = float(shares[state]), float(np.delete(shares, state).sum())
    if own == 0 or others == 0:
        return math.inf if own else -math.inf
    return math.log(own) - math.log(others)


def _difference(one: float, other: float) -> float:
    return 0.0 if one == other else one - other


def _normal_change(full: GaussianDistribution, without: GaussianDistribution) -> tuple[float, float]:
    (mean,), (before,) = full.mean.tolist(), without.mean.tolist()
    (deviation,), (wide,) = full.standard_deviations.tolist(), without.standard_deviations.tolist()
    if wide == 0:
        return 0.0, 0.0  # it was certain already
    shift = (mean - before) / wide
    if deviation == 0:
        return shift, math.inf
    share = deviation / wide
    nats = -math.log(share) + (share * share + shift * shift - 1) / 2
    return shift, max(nats, 0.0) / math.log(2)
