"""How an answer moves with the numbers of a network: one-way sensitivity functions.

A parameter is one probability of one row of a table; when it moves, the rest of the row moves in proportion, so that the row
still sums to one. P(state, evidence) and P(evidence) are then linear in the parameter, and the answer is a quotient of both
(Chan and Darwiche, "When do numbers really matter?", 2002). Their slopes come from the derivatives of the network polynomial,
for all parameters at once: see `differentiation`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, NamedTuple, final, overload

import numpy as np

from dconvex.arrays import Codes, Floats
from dconvex.graph.dag import Dag
from dconvex.inference.answer_rows import AnswerRows, printed
from dconvex.inference.titles import KnownValue, finding, title_of
from dconvex.names import Label, Name
from dconvex.network.network import BayesianNetwork

if TYPE_CHECKING:
    import pandas as pd


@final
@dataclass(frozen=True, slots=True)
class SensitivityFunction:
    """The probability as a function of one parameter; the other probabilities of its row move in proportion."""

    variable: Name
    state: Label
    parents: Mapping[Name, Label]
    """The row of the table: a state of each parent."""
    value: float
    """The parameter now."""
    probability: float
    """What is asked for, now."""
    slope: float
    """By how much P(state, evidence) moves with the parameter, as a share of P(evidence)."""
    evidence_slope: float
    """By how much P(evidence) moves with it, as a share of itself."""
    admissible: tuple[float, float]
    """The values of the parameter between which the decision stays the same."""

    @property
    def title(self) -> str:
        """The parameter, as `P(xray = yes | either = no)`."""
        return title_of([finding(self.variable, self.state)], self.parents)

    @property
    def derivative(self) -> float:
        """Of the probability with respect to the parameter, now."""
        return self.slope - self.probability * self.evidence_slope

    @property
    def coefficients(self) -> tuple[float, float, float, float]:
        """`(a, b, c, d)`: the probability is (a · x + b) / (c · x + d) where the parameter is x."""
        below = 1.0 - self.value * self.evidence_slope
        return self.slope, self.probability - self.value * self.slope, self.evidence_slope, below

    def at(self, value: float) -> float:
        """The probability if the parameter had this value; NaN where the evidence is impossible then.

        Args:
            value: A probability.

        Returns:
            The probability asked for.

        Raises:
            ValueError: The value is not between 0 and 1.

        """
        if not 0 <= value <= 1:
            raise ValueError(f"a parameter is a probability; {value!r} is not between 0 and 1")
        by = value - self.value
        below = 1.0 + by * self.evidence_slope
        above = self.probability + by * self.slope
        return min(max(above / below, 0.0), 1.0) if below > IMPOSSIBLE else float("nan")


IMPOSSIBLE = 1e-12
"""Evidence that becomes less probable by this factor counts as impossible: what is left is a rounding error."""
NO_SLOPE = 1e-13
"""A smaller slope is a rounding error: the parameter does not matter."""


class Slopes(NamedTuple):
    """What an engine finds out about the parameters that matter."""

    known: Mapping[Name, KnownValue]
    shares: Floats
    """The probabilities of the target's states."""
    variables: Codes
    rows: Codes
    """Of the table of the variable."""
    states: Codes
    values: Floats
    slopes: Floats
    """By state of the target and parameter: how much P(state, evidence) / P(evidence) moves."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(AnswerRows[SensitivityFunction]):
    """The parameters that matter for a probability, the one that moves it most first (by the derivative).

    Each row is a function of one parameter: `variable`, `state`, `parents` and `value` say which and what it is now,
    `derivative` how fast it moves the probability, `at(x)` where to, `coefficients` are those of the quotient, and `admissible`
    are the values that keep the decision.
    """

    target: Name
    state: Label
    evidence: Mapping[Name, KnownValue]
    probability: float
    decision: str
    """What the admissible values keep as it is."""

    @property
    def title(self) -> str:
        """The probability, as `P(lung = yes | smoke = yes)`."""
        return title_of([finding(self.target, self.state)], self.evidence)

    def to_frame(self) -> pd.DataFrame:
        """The parameters as a pandas DataFrame.

        Returns:
            A frame with a row for each parameter: variable, state, parents (a dict), value, derivative, the probability where
            the parameter is 0 and where it is 1, and the ends of the values that keep the decision.

        """
        import pandas as pd

        columns = ["variable", "state", "parents", "value", "derivative", "at_0", "at_1", "admissible_from", "admissible_to"]
        rows = [
            (row.variable, row.state, dict(row.parents), row.value, row.derivative, row.at(0), row.at(1), *row.admissible)
            for row in self.rows
        ]
        return pd.DataFrame(rows, columns=columns)

    def _text(self, most: int) -> str:
        heads = ["parameter", "value", "derivative", "at 0", "at 1", "admissible"]
        lines = [
            [
                row.title,
                f"{row.value:.4g}",
                f"{row.derivative:+.4f}",
                _plain(row.at(0)),
                _plain(row.at(1)),
                _span(row.admissible),
            ]
            for row in self.rows[:most]
        ]
        title = f"sensitivity of {self.title} = {self.probability:.6g}; admissible: {self.decision}"
        return printed(title, heads, lines, len(self.rows) - len(lines))


def _plain(probability: float) -> str:
    return "–" if probability != probability else f"{probability:.4f}"


def _span(ends: tuple[float, float]) -> str:
    return "any" if ends == (0.0, 1.0) else f"{ends[0]:.4f} to {ends[1]:.4f}"


def check_threshold(threshold: object) -> None:
    """Raise unless it is None or a probability that is neither 0 nor 1."""
    if threshold is not None and not (isinstance(threshold, Real) and 0 < float(threshold) < 1):
        raise ValueError(f"the threshold is {threshold!r}; it must be between 0 and 1")


def admissible(found: Slopes, state: int, threshold: float | None) -> Floats:
    """For each parameter the least and the largest value that keep the decision.

    The decision is the most probable state of the target, or on which side of the threshold the probability of `state` is.
    Each rival gives a line `now + by * slope` that must not change its sign; `by` is how far the parameter moves.
    """
    if threshold is None:
        best = int(np.argmax(found.shares))
        now = found.shares[best] - found.shares
        slopes = found.slopes[best] - found.slopes
    else:
        side = 1.0 if found.shares[state] >= threshold else -1.0
        now = np.array([side * (found.shares[state] - threshold)])
        slopes = side * (found.slopes[[state]] - threshold * found.slopes.sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = -now[:, None] / slopes
    down = np.where(slopes > NO_SLOPE, steps, -np.inf).max(axis=0)
    up = np.where(slopes < -NO_SLOPE, steps, np.inf).min(axis=0)
    ends: Floats = np.stack([found.values + down, found.values + up], axis=1)
    return ends.clip(0.0, 1.0)


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SensitivityFunctions(Sequence[SensitivityFunction]):
    """The rows of a sensitivity: arrays, of which a row is made when it is read. There may be very many."""

    dag: Dag
    labels: tuple[tuple[Label, ...], ...]
    families: Codes
    """Of each parameter: its variable, the row of its table, its state, and what is known of the function."""
    table_rows: Codes
    states: Codes
    numbers: Floats
    """Columns: value, slope, slope of the evidence, and the two ends of what is admissible."""
    probability: float

    def __len__(self) -> int:
        return len(self.families)

    @overload
    def __getitem__(self, number: int) -> SensitivityFunction: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[SensitivityFunction]: ...
    def __getitem__(self, number: int | slice) -> SensitivityFunction | Sequence[SensitivityFunction]:
        if isinstance(number, slice):
            return [self[k] for k in range(*number.indices(len(self)))]
        dag, labels = self.dag, self.labels
        variable = int(self.families[number])
        parents = dag.graph.parents[variable].tolist()
        cell = np.unravel_index(int(self.table_rows[number]), [len(labels[p]) for p in parents]) if parents else ()
        row = {dag.names[p]: labels[p][int(code)] for p, code in zip(parents, cell, strict=True)}
        value, slope, below, low, high = self.numbers[number].tolist()
        label = labels[variable][int(self.states[number])]
        return SensitivityFunction(dag.names[variable], label, row, value, self.probability, slope, below, (low, high))


def sensitivity_of(found: Slopes, target: int, state: int, network: BayesianNetwork, threshold: float | None) -> Sensitivity:
    """The parameters by name, the one with the largest derivative first; equal ones in canonical order."""
    name = network.dag.names[target]
    labels = network.states[name]
    probability = float(found.shares[state])
    slopes, below = found.slopes[state], found.slopes.sum(axis=0)
    order = np.argsort(-np.abs(slopes - probability * below), kind="stable")
    numbers = np.column_stack([found.values, slopes, below, admissible(found, state, threshold)])[order]
    own = found.variables[order], found.rows[order], found.states[order]
    rows = SensitivityFunctions(network.dag, tuple(network.states.values()), *own, numbers, probability)
    best = finding(name, labels[int(np.argmax(found.shares))])
    side = "at least" if probability >= (threshold or 0.0) else "below"
    decision = f"{best} stays most probable" if threshold is None else f"it stays {side} {threshold:g}"
    return Sensitivity(rows, name, labels[state], found.known, probability, decision)
