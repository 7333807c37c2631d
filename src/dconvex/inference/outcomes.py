"""What was predicted for the rows of a table, next to what happened: all that an evaluation needs.

Outcomes of parts of the data add up, so that the folds of a cross-validation can be judged together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias, final

import numpy as np

from dconvex.arrays import Flags, Floats
from dconvex.errors import DataError
from dconvex.inference.classification import ScoredRows
from dconvex.inference.discrete_evaluation import Evaluation, evaluation_of
from dconvex.inference.gaussian_evaluation import GaussianEvaluation, ScoredNumbers, gaussian_evaluation_of
from dconvex.inference.prediction import (
    MISSING,
    PredictionRequest,
    predicted_moments,
    predicted_probabilities,
)
from dconvex.inference.regression_model import RegressionModel
from dconvex.inference.row_likelihood import LeftOut, RowLikelihood
from dconvex.inference.table_model import TableModel
from dconvex.names import Label, Name
from dconvex.network.frame_columns import Columns


class OutcomeRequest(NamedTuple):
    """Which target is judged, and how its rows are weighted."""

    prediction: PredictionRequest
    """With a single target."""
    weights: Name | None


@final
@dataclass(frozen=True, slots=True, eq=False)
class DiscreteOutcomes:
    """The rows of a discrete target."""

    target: Name
    states: tuple[Label, ...]
    rows: ScoredRows
    left_out: LeftOut
    likelihood: RowLikelihood | None = None

    @property
    def weight(self) -> float:
        """The sum of the weights of the rows that count."""
        return self.rows.weight

    def __add__(self, other: DiscreteOutcomes) -> DiscreteOutcomes:
        mine, theirs = self.rows, other.rows
        rows = ScoredRows(
            np.concatenate([mine.codes, theirs.codes]),
            np.concatenate([mine.probabilities, theirs.probabilities]),
            np.concatenate([mine.weights, theirs.weights]),
        )
        both = _both(self.likelihood, other.likelihood)
        return DiscreteOutcomes(self.target, self.states, rows, self.left_out + other.left_out, both)

    def with_likelihood(self, likelihood: RowLikelihood | None) -> DiscreteOutcomes:
        """The same with the log-likelihood of whole rows."""
        return replace(self, likelihood=likelihood)

    def evaluation(self, bins: int) -> Evaluation:
        """How good the predictions are."""
        _check_some(self.target, self.weight, self.left_out)
        return evaluation_of(self.target, self.states, self.rows, self.left_out, self.likelihood, bins)


@final
@dataclass(frozen=True, slots=True, eq=False)
class GaussianOutcomes:
    """The rows of a continuous target."""

    target: Name
    rows: ScoredNumbers
    left_out: LeftOut
    likelihood: RowLikelihood | None = None

    @property
    def weight(self) -> float:
        """The sum of the weights of the rows that count."""
        return float(self.rows.weights.sum())

    def __add__(self, other: GaussianOutcomes) -> GaussianOutcomes:
        mine, theirs = self.rows, other.rows
        rows = ScoredNumbers(
            np.concatenate([mine.actual, theirs.actual]),
            np.concatenate([mine.means, theirs.means]),
            np.concatenate([mine.deviations, theirs.deviations]),
            np.concatenate([mine.weights, theirs.weights]),
        )
        both = _both(self.likelihood, other.likelihood)
        return GaussianOutcomes(self.target, rows, self.left_out + other.left_out, both)

    def with_likelihood(self, likelihood: RowLikelihood | None) -> GaussianOutcomes:
        """The same with the log-likelihood of whole rows."""
        return replace(self, likelihood=likelihood)

    def evaluation(self, bins: int) -> GaussianEvaluation:
        """How good the predictions are; there are no calibration bins."""
        _check_some(self.target, self.weight, self.left_out)
        return gaussian_evaluation_of(self.target, self.rows, self.left_out, self.likelihood)


Outcomes: TypeAlias = DiscreteOutcomes | GaussianOutcomes


def discrete_outcomes(model: TableModel, columns: Columns, request: OutcomeRequest) -> DiscreteOutcomes:
    """What was predicted for the rows that have a target, and what happened."""
    (target,) = request.prediction.targets
    name, labels = model.names[target], model.labels[target]
    codes = columns.codes_or_missing(name, labels, unknown=request.prediction.unknown)
    weights = row_weights(columns, request.weights)
    found = predicted_probabilities(model, columns, request.prediction)[name]
    counts, left_out = _counted(codes == MISSING, np.isnan(found[:, 0]))
    return DiscreteOutcomes(name, tuple(labels), ScoredRows(codes[counts], found[counts], weights[counts]), left_out)


def gaussian_outcomes(model: RegressionModel, columns: Columns, request: OutcomeRequest) -> GaussianOutcomes:
    """What was predicted for the rows that have a target, and what happened."""
    (target,) = request.prediction.targets
    name = model.names[target]
    actual = columns.numbers_or_missing(name)
    weights = row_weights(columns, request.weights)
    means, deviations = predicted_moments(model, columns, request.prediction)
    counts, left_out = _counted(np.isnan(actual), np.isnan(means[:, 0]))
    rows = ScoredNumbers(actual[counts], means[counts, 0], deviations[counts, 0], weights[counts])
    return GaussianOutcomes(name, rows, left_out)


def row_weights(columns: Columns, name: Name | None) -> Floats:
    """What each row weighs; 1 where rows have no weights.

    Raises:
        DataError: There is no such column, or a weight is missing or negative.
    """
    if name is None:
        return np.ones(len(columns))
    weights = columns.numbers(name)
    if (weights < 0).any():
        row = int(np.argmax(weights < 0))
        raise DataError(f"column {name!r} holds the weight {weights[row]:g} in row {row}; weights are numbers, zero or more")
    return weights


def _counted(is_missing: Flags, is_impossible: Flags) -> tuple[Flags, LeftOut]:
    """The rows that count, and the numbers of those that do not."""
    left_out = LeftOut(int(np.count_nonzero(is_missing)), int(np.count_nonzero(is_impossible & ~is_missing)))
    return ~(is_missing | is_impossible), left_out


def _both(mine: RowLikelihood | None, theirs: RowLikelihood | None) -> RowLikelihood | None:
    return None if mine is None or theirs is None else mine + theirs


def _check_some(target: Name, weight: float, left_out: LeftOut) -> None:
    if not weight > 0:
        reasons = "".join(f";{line}" for line in left_out.lines())
        raise DataError(f"there is nothing to evaluate {target!r} on: no row has a weight and a value of it{reasons}")
