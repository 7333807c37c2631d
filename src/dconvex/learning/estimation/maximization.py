"""EM: expected statistics and estimates from them, in turns, until the objective rises no more."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

import numpy as np

from dconvex.arrays import Floats
from dconvex.errors import DataError
from dconvex.learning.learning_options import EM
from dconvex.threads import Workers

Numbers = TypeVar("Numbers")
"""The parameters of a graph's families."""
Sums = TypeVar("Sums")
"""Statistics of a graph's families."""
Given = TypeVar("Given", contravariant=True)
"""Parameters that are only read."""

Watch: TypeAlias = Callable[[int, float], None]
"""Called after each iteration with its number and the log-likelihood."""


@dataclass(frozen=True, slots=True, eq=False)
class Expected(Generic[Sums]):
    """What an E-step gives: expected statistics of all families, and the log-likelihood of the cells that are there."""

    statistics: Sums
    log_likelihood: float
    impossible: float
    """The weight of rows, or independent parts of them, that are impossible; they count nowhere."""


class GappedSource(Protocol[Given, Sums]):
    """Rows with gaps that are ready for E-steps, wherever they are."""

    @property
    def family_weights(self) -> Floats:
        """For each family the weight of the rows in which it counts, entirely or in expectation."""

    @property
    def missing_cells(self) -> float:
        """The weight of all cells that are missing."""

    @property
    def has_gaps(self) -> bool:
        """Whether anything is left to be expected."""

    def expected(self, parameters: Given, workers: Workers, /) -> Expected[Sums]:
        """The expected statistics under these parameters."""


class Steps(ABC, Generic[Numbers, Sums]):
    """The two steps of EM over one graph, for some rows."""

    rows: GappedSource[Numbers, Sums]

    @property
    def has_gaps(self) -> bool:
        """Whether anything is left to be expected."""
        return self.rows.has_gaps

    @property
    def missing_cells(self) -> float:
        """The weight of all cells that are missing."""
        return self.rows.missing_cells

    @abstractmethod
    def expected(self, parameters: Numbers, workers: Workers) -> Expected[Sums]:
        """The E-step."""

    @abstractmethod
    def estimated(self, statistics: Sums) -> Numbers:
        """The M-step."""

    @abstractmethod
    def addend(self, parameters: Numbers) -> float:
        """What the objective has besides the log-likelihood: the prior's part, and that of statistics that are held."""

    @abstractmethod
    def default_start(self) -> Numbers:
        """Parameters from available cells."""

    @abstractmethod
    def drawn_start(self, start: Numbers, rng: np.random.Generator) -> Numbers:
        """Parameters around others."""


@dataclass(frozen=True, slots=True, eq=False)
class Maximum(Generic[Numbers, Sums]):
    """Parameters, the expected statistics that they are the estimate from, and how they were reached."""

    parameters: Numbers
    statistics: Sums
    objective: tuple[float, ...]
    log_likelihood: tuple[float, ...]
    converged: bool


def maximum(steps: Steps[Numbers, Sums], start: Numbers, em: EM, workers: Workers, watch: Watch) -> Maximum[Numbers, Sums]:
    """The local maximum that EM comes to from a start.

    Raises:
        DataError: Rows are impossible under the start.
    """
    found = steps.expected(start, workers)
    check_possible(found, "start=; give a network without zeros there, for example one learned with a prior")
    before = found.log_likelihood + steps.addend(start)
    objective: list[float] = []
    log_likelihood: list[float] = []
    parameters, statistics, converged = start, found.statistics, False
    while not converged and len(objective) < em.max_iterations:
        statistics = found.statistics
        parameters = steps.estimated(statistics)
        found = steps.expected(parameters, workers)
        objective.append(found.log_likelihood + steps.addend(parameters))
        log_likelihood.append(found.log_likelihood)
        watch(len(objective), found.log_likelihood)
        converged = not steps.has_gaps or objective[-1] - before <= em.tolerance * abs(objective[-1])
        before = objective[-1]
    return Maximum(parameters, statistics, tuple(objective), tuple(log_likelihood), converged)


def check_possible(found: Expected[Sums], under: str) -> None:
    """Refuse rows that are impossible.

    Raises:
        DataError: There are some.
    """
    if found.impossible > 0:
        raise DataError(f"rows of weight {found.impossible:g} have probability zero under {under}")
