"""How good the predictions of a continuous variable are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple, final

import numpy as np

from dconvex.amounts import amount
from dconvex.arrays import Floats
from dconvex.inference.row_likelihood import LeftOut, RowLikelihood
from dconvex.names import Name
from dconvex.network.linear_regressions import ON_SUPPORT
from dconvex.shown import Shown

if TYPE_CHECKING:
    import pandas as pd

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)


@final
@dataclass(frozen=True, slots=True, eq=False)
class ScoredNumbers:
    """What happened in each row, the normal distribution that was predicted, and what the row weighs."""

    actual: Floats
    means: Floats
    deviations: Floats
    weights: Floats

    def mean(self, values: Floats) -> float:
        """The weighted mean over the rows."""
        has_weight = self.weights > 0
        return float(values[has_weight] @ self.weights[has_weight]) / float(self.weights.sum())

    def log_densities(self) -> Floats:
        """The log-density of what happened; of variance zero 0 at the mean and -inf elsewhere."""
        error, variance = self.actual - self.means, self.deviations**2
        found = np.where(np.abs(error) <= ON_SUPPORT * (np.abs(self.actual) + np.abs(self.means)), 0.0, -np.inf)
        own = variance > 0
        with np.errstate(over="ignore"):  # too far out for a float: -inf
            found[own] = -0.5 * (np.log(2 * np.pi * variance[own]) + error[own] ** 2 / variance[own])
        return found


class CoverageRow(NamedTuple):
    """The middle part of each predicted distribution, and how often it held what happened."""

    level: float
    """The share of the distribution."""
    observed: float
    """The share of the rows."""
    width: float
    """The mean width of the interval."""


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GaussianEvaluation(Shown):
    """How good the predictions of a continuous target are: `model.evaluate` makes one.

    It iterates over its `CoverageRow`s: intervals of some probability, and how often they held what happened.
    """

    target: Name
    rows: int
    """The rows that count: all but those left out."""
    weight: float
    """The sum of their weights; the number of rows where rows have none."""
    rmse: float
    """The root of the mean squared error of the predicted means."""
    mae: float
    """The mean absolute error of the predicted means."""
    log_density: float
    """The mean log-density of what happened given the other columns."""
    likelihood: RowLikelihood | None
    """That of whole rows; None where the data lacks a column, or the model a part of the network."""
    spread: float
    """The standard deviation of the target in these rows: the RMSE of predicting their mean always."""
    left_out: LeftOut
    """Rows without a target, and impossible ones."""
    coverage: tuple[CoverageRow, ...]

    @property
    def log_likelihood(self) -> float | None:
        """The mean log-density of a row of all variables, over rows without a missing cell; None as for `likelihood`."""
        return None if self.likelihood is None else self.likelihood.mean

    @property
    def scores(self) -> dict[str, float]:
        """The numbers of all rows together, by name; the log-likelihood is NaN where it is not known."""
        known = math.nan if self.log_likelihood is None else self.log_likelihood
        return {"rmse": self.rmse, "mae": self.mae, "log_density": self.log_density, "log_likelihood": known}

    def __iter__(self) -> Iterator[CoverageRow]:
        return iter(self.coverage)

    def to_frame(self) -> pd.DataFrame:
        """The coverage of intervals as a pandas DataFrame; `scores` has the other numbers.

        Returns:
            A frame with a row for each level.

        """
        import pandas as pd

        return pd.DataFrame(self.coverage, columns=pd.Index(CoverageRow._fields))

    def __repr__(self) -> str:
        likelihood = [] if self.likelihood is None else self.likelihood.lines()
        return "\n".join(
            [
                f"Evaluation of {self.target} on {amount(self.rows, 'row')}",
                f"  RMSE            {self.rmse:.5g} (always the mean: {self.spread:.5g})",
                f"  MAE             {self.mae:.5g}",
                f"  log-density     {self.log_density:.5g}",
                *likelihood,
                *self.left_out.lines(),
                "  interval  holds   mean width",
                *(f"  {row.level:>8.0%}  {row.observed:>6.1%}  {row.width:.5g}" for row in self.coverage),
            ]
        )

    def notes(self) -> list[str]:
        """What to know about the rows."""
        return self.left_out.lines()


def gaussian_evaluation_of(
    target: Name, rows: ScoredNumbers, left_out: LeftOut, likelihood: RowLikelihood | None
) -> GaussianEvaluation:
    """The evaluation of these rows."""
    error = rows.actual - rows.means
    return GaussianEvaluation(
        target,
        len(error),
        float(rows.weights.sum()),
        math.sqrt(rows.mean(error**2)),
        rows.mean(np.abs(error)),
        rows.mean(rows.log_densities()),
        likelihood,
        math.sqrt(rows.mean((rows.actual - rows.mean(rows.actual)) ** 2)),
        left_out,
        tuple(_coverage(rows, level) for level in LEVELS),
    )


def _coverage(rows: ScoredNumbers, level: float) -> CoverageRow:
    reach = NormalDist().inv_cdf(0.5 + level / 2) * rows.deviations
    slack = ON_SUPPORT * (np.abs(rows.actual) + np.abs(rows.means))  # for distributions of variance zero
    is_held = np.abs(rows.actual - rows.means) <= np.where(reach > 0, reach, slack)
    return CoverageRow(level, rows.mean(is_held.astype(np.float64)), rows.mean(2 * reach))
