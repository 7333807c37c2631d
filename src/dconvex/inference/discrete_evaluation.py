"""How good the predictions of a discrete variable are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, final

import numpy as np

from dconvex.amounts import amount
from dconvex.inference.calibration import Calibration
from dconvex.inference.classification import (
    ScoredRows,
    accuracy,
    auc,
    brier_score,
    calibration_bins,
    confusion_counts,
    log_loss,
    state_auc,
)
from dconvex.inference.confusion import Confusion
from dconvex.inference.row_likelihood import LeftOut, RowLikelihood
from dconvex.names import Label, Name
from dconvex.shown import Shown

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 20
"""The most states that are printed."""


class StateScore(NamedTuple):
    """How well one state is predicted."""

    state: Label
    weight: float
    """The rows in which it happened, or the sum of their weights."""
    predicted: float
    """The rows in which it was the most probable state."""
    precision: float
    """The share of the latter in which it happened; NaN where there are none."""
    recall: float
    """The share of the rows in which it happened in which it was predicted; NaN where there are none."""
    f1: float
    """The harmonic mean of precision and recall."""
    auc: float
    """The area under the curve of this state against the rest; NaN where all rows are of one sort."""


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation(Shown):
    """How good the predictions of a discrete target are: `model.evaluate` makes one.

    It iterates over its `StateScore`s, one for each state. Its picture is the calibration curve next to the confusion matrix;
    `calibration` and `confusion` have pictures of their own.
    """

    target: Name
    states: tuple[Label, ...]
    rows: int
    """The rows that count: all but those left out."""
    weight: float
    """The sum of their weights; the number of rows where rows have none."""
    accuracy: float
    """The share of rows whose most probable state happened."""
    log_loss: float
    """The mean of -log P(what happened | the other columns); infinite where that had probability zero."""
    brier_score: float
    """The mean squared distance between probabilities and what happened, summed over the states; of two states half of it."""
    auc: float
    """The area under the ROC curve, exact with ties; of more than two states the mean of each against the rest."""
    likelihood: RowLikelihood | None
    """That of whole rows; None where the data lacks a column, or the model a part of the network."""
    frequent: float
    """The accuracy of predicting the most frequent state of these rows always."""
    frequency_loss: float
    """The log loss of predicting the frequencies in these rows always."""
    impossible_states: int
    """Rows in which something happened that had probability zero."""
    left_out: LeftOut
    """Rows without a target, and impossible ones."""
    calibration: Calibration
    confusion: Confusion
    by_state: tuple[StateScore, ...]

    @property
    def log_likelihood(self) -> float | None:
        """The mean log P(row) of all variables, over rows without a missing cell; None as for `likelihood`."""
        return None if self.likelihood is None else self.likelihood.mean

    @property
    def scores(self) -> dict[str, float]:
        """The numbers of all rows together, by name; the log-likelihood is NaN where it is not known."""
        known = math.nan if self.log_likelihood is None else self.log_likelihood
        own = {"accuracy": self.accuracy, "log_loss": self.log_loss, "brier_score": self.brier_score, "auc": self.auc}
        return {**own, "log_likelihood": known}

    def __iter__(self) -> Iterator[StateScore]:
        return iter(self.by_state)

    def to_frame(self) -> pd.DataFrame:
        """The scores of the states as a pandas DataFrame; `scores` has those of all rows together.

        Returns:
            A frame with a row for each state.

        """
        import pandas as pd

        return pd.DataFrame(self.by_state, columns=pd.Index(StateScore._fields))

    def __repr__(self) -> str:
        likelihood = [] if self.likelihood is None else self.likelihood.lines()
        return "\n".join(
            [
                f"Evaluation of {self.target} on {amount(self.rows, 'row')}",
                f"  accuracy        {self.accuracy:.4f} (always the most frequent state: {self.frequent:.4f})",
                f"  log loss        {self.log_loss:.4f} (always the frequencies: {self.frequency_loss:.4f})",
                f"  Brier score     {self.brier_score:.4f}",
                f"  AUC             {self.auc:.4f}",
                *likelihood,
                *self.notes(),
                *self._state_lines(),
            ]
        )

    def notes(self) -> list[str]:
        """What to know about the rows."""
        zero = f"  in {amount(self.impossible_states, 'row')} something happened that had probability zero"
        return [*self.left_out.lines(), *([f"{zero}; fit with a prior"] if self.impossible_states else [])]

    def _state_lines(self) -> list[str]:
        shown = self.by_state[:SHOWN]
        width = max(len("state"), *(len(str(score.state)) for score in shown))
        what = "rows" if self.weight == self.rows else "weight"
        lines = [f"  {'state':<{width}}  {what:>6}  predicted  precision  recall      F1     AUC"]
        lines += [
            f"  {score.state!s:<{width}}  {score.weight:>6,.6g}  {score.predicted:>9,.6g}  {score.precision:>9.4f}"
            f"  {score.recall:>6.4f}  {score.f1:>6.4f}  {score.auc:>6.4f}"
            for score in shown
        ]
        return lines + ([f"  … and {len(self.by_state) - SHOWN:,} more states"] if len(self.by_state) > SHOWN else [])


def evaluation_of(
    target: Name,
    states: tuple[Label, ...],
    rows: ScoredRows,
    left_out: LeftOut,
    likelihood: RowLikelihood | None,
    bins: int,
) -> Evaluation:
    """The evaluation of these rows."""
    confusion = Confusion(target, states, confusion_counts(rows))
    areas = np.array([state_auc(rows, code) for code in range(len(states))])
    counts = confusion.values.sum(axis=1)
    shares = counts[counts > 0] / counts.sum()
    return Evaluation(
        target,
        states,
        len(rows),
        rows.weight,
        accuracy(rows),
        log_loss(rows),
        brier_score(rows),
        auc(areas),
        likelihood,
        float(shares.max()),
        float(-(shares @ np.log(shares))),
        int(np.count_nonzero(rows.given_to_own[rows.weights > 0] == 0)),
        left_out,
        Calibration(target, {state: calibration_bins(rows, code, bins) for code, state in enumerate(states)}),
        confusion,
        tuple(_state_score(confusion, code, area) for code, area in enumerate(areas.tolist())),
    )


def _state_score(confusion: Confusion, code: int, area: float) -> StateScore:
    hits, weight = float(confusion.values[code, code]), float(confusion.values[code].sum())
    predicted = float(confusion.values[:, code].sum())
    both = weight + predicted
    return StateScore(
        confusion.states[code],
        weight,
        predicted,
        hits / predicted if predicted else math.nan,
        hits / weight if weight else math.nan,
        2 * hits / both if both else math.nan,
        area,
    )
