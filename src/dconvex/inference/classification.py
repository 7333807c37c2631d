"""How well probabilities of states fit what happened: formulas over arrays, each row with its weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from dconvex.arrays import Codes, Flags, Floats


@final
@dataclass(frozen=True, slots=True, eq=False)
class ScoredRows:
    """What happened in each row, the probabilities that were given to the states, and what the row weighs."""

    codes: Codes
    """The index of the state that happened."""
    probabilities: Floats
    """A row for each row of the data, along the states."""
    weights: Floats

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def weight(self) -> float:
        """The sum of the weights."""
        return float(self.weights.sum())

    @property
    def predicted(self) -> Codes:
        """The first of the most probable states."""
        best: Codes = np.argmax(self.probabilities, axis=1)
        return best

    @property
    def given_to_own(self) -> Floats:
        """The probability of what happened."""
        own: Floats = self.probabilities[np.arange(len(self.codes)), self.codes]
        return own

    def mean(self, values: Floats | Flags) -> float:
        """The weighted mean over the rows; infinite values count only where the weight is positive."""
        has_weight = self.weights > 0
        return float(values[has_weight] @ self.weights[has_weight]) / self.weight


def accuracy(rows: ScoredRows) -> float:
    """The share of rows whose most probable state happened."""
    return rows.mean(rows.predicted == rows.codes)


def log_loss(rows: ScoredRows) -> float:
    """The mean of -log P(what happened); infinite where that had probability zero."""
    with np.errstate(divide="ignore"):
        return rows.mean(-np.log(rows.given_to_own))


def brier_score(rows: ScoredRows) -> float:
    """The mean squared distance between the probabilities and what happened; of two states half of it, as is usual."""
    squares = (rows.probabilities**2).sum(axis=1) - 2 * rows.given_to_own + 1
    return rows.mean(squares) / (2 if rows.probabilities.shape[1] == 2 else 1)


def state_auc(rows: ScoredRows, state: int) -> float:
    """P(a row in which the state happened has a higher probability of it than one in which it did not), ties count half.

    NaN where all rows are of one sort.
    """
    order = np.argsort(rows.probabilities[:, state], kind="stable")
    scores, happened = rows.probabilities[order, state], rows.codes[order] == state
    is_new = np.ones(len(order), bool)
    is_new[1:] = scores[1:] != scores[:-1]
    ties = np.flatnonzero(is_new)
    weights = rows.weights[order]
    hits, misses = (np.add.reduceat(np.where(flags, weights, 0.0), ties) for flags in (happened, ~happened))
    pairs = float(hits.sum() * misses.sum())
    below = np.cumsum(misses) - misses
    return float(hits @ (below + misses / 2)) / pairs if pairs else float("nan")


def auc(by_state: Floats) -> float:
    """Of two states the area under the curve of either, of more the mean over those that have one (one against the rest)."""
    if len(by_state) == 2:
        return float(by_state[1])
    known = by_state[~np.isnan(by_state)]
    return float(known.mean()) if len(known) else float("nan")


def confusion_counts(rows: ScoredRows) -> Floats:
    """The weight of the rows by what happened (down) and what was predicted (across)."""
    count = rows.probabilities.shape[1]
    cells = np.bincount(rows.codes * count + rows.predicted, rows.weights, count * count)
    return np.asarray(cells, np.float64).reshape(count, count)


@final
@dataclass(frozen=True, slots=True, eq=False)
class CalibrationBin:
    """Rows that gave a state about the same probability: between `low` and `high`, on average `predicted`."""

    low: float
    high: float
    weight: float
    predicted: float
    """The mean of the probabilities."""
    observed: float
    """The share of the rows in which the state happened."""


def calibration_bins(rows: ScoredRows, state: int, bins: int) -> tuple[CalibrationBin, ...]:
    """Bins of equal width over the probabilities, without the empty ones; a probability on an edge is in the lower bin."""
    edges = np.linspace(0.0, 1.0, bins + 1)
    scores = rows.probabilities[:, state]
    number = np.searchsorted(edges[1:-1], scores)
    weight = np.bincount(number, rows.weights, bins)
    predicted = np.bincount(number, rows.weights * scores, bins)
    observed = np.bincount(number, rows.weights * (rows.codes == state), bins)
    full = np.flatnonzero(weight > 0)
    columns = (edges[full], edges[full + 1], weight[full], predicted[full] / weight[full], observed[full] / weight[full])
    return tuple(CalibrationBin(*line) for line in zip(*(column.tolist() for column in columns), strict=True))
