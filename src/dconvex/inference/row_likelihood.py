"""The log-likelihood of rows, and the rows that an evaluation leaves out; both add up over parts of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from dconvex.amounts import amount
from dconvex.arrays import Floats


@final
@dataclass(frozen=True, slots=True)
class LeftOut:
    """Rows that an evaluation does not count."""

    missing: int = 0
    """Those whose target is missing."""
    impossible: int = 0
    """Those whose other cells have probability zero together."""

    def __add__(self, other: LeftOut) -> LeftOut:
        return LeftOut(self.missing + other.missing, self.impossible + other.impossible)

    def lines(self) -> list[str]:
        """The numbers in words, without those that are zero."""
        reasons = {"because the target is missing": self.missing, "because the rest of the row is impossible": self.impossible}
        return [f"  {amount(count, 'row')} left out {why}" for why, count in reasons.items() if count]


@final
@dataclass(frozen=True, slots=True)
class RowLikelihood:
    """The sum of the log-likelihoods of rows, each times its weight."""

    rows: int
    weight: float
    total: float
    """-inf where a row is impossible."""
    impossible: int
    """The rows of probability zero."""

    @classmethod
    def of(cls, values: Floats, weights: Floats) -> RowLikelihood:
        """The sum over rows with these log-likelihoods."""
        has_weight = weights > 0
        own = values[has_weight]
        total = float(own @ weights[has_weight])
        return cls(len(own), float(weights.sum()), total, int(np.count_nonzero(np.isneginf(own))))

    def __add__(self, other: RowLikelihood) -> RowLikelihood:
        total = self.total + other.total
        return RowLikelihood(self.rows + other.rows, self.weight + other.weight, total, self.impossible + other.impossible)

    @property
    def mean(self) -> float:
        """The mean of a row; NaN where there are none."""
        return self.total / self.weight if self.weight else float("nan")

    def lines(self) -> list[str]:
        """The mean in words; nothing where there are no rows."""
        zero = f" ({amount(self.impossible, 'row')} of probability zero; fit with a prior)" if self.impossible else ""
        return [f"  log-likelihood  {self.mean:.6g} a row{zero}"] if self.rows else []
