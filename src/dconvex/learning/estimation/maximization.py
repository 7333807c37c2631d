"""EM: expected counts and estimates from them, in turns, until the objective rises no more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from dconvex.arrays import Flags, Floats
from dconvex.errors import DataError
from dconvex.learning.estimation.expectation import Expected, GappedRows, weighted_logarithm
from dconvex.learning.estimation.table_estimates import TableShape
from dconvex.learning.learning_options import EM
from dconvex.threads import Workers

Watch: TypeAlias = Callable[[int, float], None]
"""Called after each iteration with its number and the log-likelihood."""

SPREAD = 0.5
"""The standard deviation of the logarithms of the cells of starts that are drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Maximum:
    """Tables, the expected counts that they are the estimate from, and how they were reached."""

    values: Floats
    counts: Floats
    objective: tuple[float, ...]
    log_likelihood: tuple[float, ...]
    converged: bool


@dataclass(frozen=True, slots=True, eq=False)
class Maximization:
    """EM of the tables of one graph. The objective is ℓ(θ) + Σ α log θ, with α the pseudo-counts and the counts held."""

    rows: GappedRows
    shape: TableShape
    pseudo: Floats | None
    held: Floats | None
    """Counts that stay as they are, of rows that are not there."""

    def default_start(self) -> Floats:
        """The estimate from available cells, with one row more in each row of each table, spread evenly: no cell is zero."""
        values = self.rows.core.complete_counts.copy()
        if self.held is not None:
            values += self.held
        self.shape.estimate(values, np.repeat(1.0 / self.shape.length, self.shape.length))
        return values

    def drawn_start(self, start: Floats, is_drawn: Flags, rng: np.random.Generator) -> Floats:
        """A start around another one, in the cells that are drawn."""
        values = np.where(is_drawn, start * np.exp(SPREAD * rng.normal(size=len(start))), start)
        self.shape.estimate(values, None)
        return values

    def maximum(self, start: Floats, em: EM, workers: Workers, watch: Watch) -> Maximum:
        """The local maximum that EM comes to from a start.

        Raises:
            DataError: Rows are impossible under the start.
        """
        found = self.rows.expected(start, workers)
        _check_possible(found)
        before = self._objective(found, start)
        objective: list[float] = []
        log_likelihood: list[float] = []
        values, counts, converged = start, found.counts, False
        while not converged and len(objective) < em.max_iterations:
            counts = found.counts if self.held is None else found.counts + self.held
            values = counts.copy()
            self.shape.estimate(values, self.pseudo)
            found = self.rows.expected(values, workers)
            objective.append(self._objective(found, values))
            log_likelihood.append(found.log_likelihood)
            watch(len(objective), found.log_likelihood)
            converged = not self.rows.has_gaps or objective[-1] - before <= em.tolerance * abs(objective[-1])
            before = objective[-1]
        return Maximum(values, counts, tuple(objective), tuple(log_likelihood), converged)

    def _objective(self, found: Expected, values: Floats) -> float:
        total = found.log_likelihood
        for weights in (self.pseudo, self.held):
            total += 0.0 if weights is None else weighted_logarithm(weights, values)
        return total


def _check_possible(found: Expected) -> None:
    if found.impossible > 0:
        raise DataError(
            f"rows of weight {found.impossible:g} have probability zero under start=; give a network without zeros there, for "
            "example one learned with a prior"
        )
