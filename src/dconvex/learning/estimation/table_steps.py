"""The steps of EM for tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dconvex.arrays import Flags, Floats
from dconvex.learning.estimation.expectation import weighted_logarithm
from dconvex.learning.estimation.maximization import Expected, GappedSource, Steps
from dconvex.learning.estimation.table_estimates import TableShape
from dconvex.threads import Workers

SPREAD = 0.5
"""The standard deviation of the logarithms of the cells of starts that are drawn."""


class CountedRows(GappedSource[Floats, Floats], Protocol):
    """Rows of codes."""

    @property
    def complete_counts(self) -> Floats:
        """The counts of the rows that show a family entirely."""


@dataclass(frozen=True, slots=True, eq=False)
class TableSteps(Steps[Floats, Floats]):
    """EM of the tables of one graph. The objective is ℓ(θ) + Σ α log θ, with α the pseudo-counts and the counts held."""

    rows: CountedRows
    shape: TableShape
    pseudo: Floats | None
    held: Floats | None
    """Counts that stay as they are, of rows that are not there."""

    def default_start(self) -> Floats:
        """The estimate from available cells, with one row more in each row of each table, spread evenly: no cell is zero."""
        values = self.rows.complete_counts.copy()
        if self.held is not None:
            values += self.held
        self.shape.estimate(values, np.repeat(1.0 / self.shape.length, self.shape.length))
        return values

    def drawn_start(self, start: Floats, rng: np.random.Generator, is_drawn: Flags | None = None) -> Floats:
        """Tables around others, in the cells that are drawn (None: in all)."""
        drawn = start * np.exp(SPREAD * rng.normal(size=len(start)))
        values = drawn if is_drawn is None else np.where(is_drawn, drawn, start)
        self.shape.estimate(values, None)
        return values

    def expected(self, parameters: Floats, workers: Workers) -> Expected[Floats]:
        found = self.rows.expected(parameters, workers)
        if self.held is None:
            return found
        return Expected(found.statistics + self.held, found.log_likelihood, found.impossible)

    def estimated(self, statistics: Floats) -> Floats:
        values = statistics.copy()
        self.shape.estimate(values, self.pseudo)
        return values

    def addend(self, parameters: Floats) -> float:
        return sum(weighted_logarithm(own, parameters) for own in (self.pseudo, self.held) if own is not None)
