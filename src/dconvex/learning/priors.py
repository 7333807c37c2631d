"""What is believed before any data is seen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class BDeu:
    """An equivalent sample size, spread evenly over the cells of each table.

    All clusters see the same prior sample, so that a variable has the same prior in each of them.
    """

    equivalent_sample_size: float = 10.0

    def __post_init__(self) -> None:
        _check_positive("the equivalent sample size", self.equivalent_sample_size)

    def pseudo_count(self, cells: float) -> float:
        """What is added to each cell of a table with so many."""
        return self.equivalent_sample_size / cells


@dataclass(frozen=True, slots=True)
class Dirichlet:
    """The same pseudo-count in every cell: 1 is Laplace's rule (K2).

    Unlike `BDeu`, tables of one variable in different clusters then stand for prior samples of different sizes.
    """

    pseudo: float = 1.0

    def __post_init__(self) -> None:
        _check_positive("the pseudo-count", self.pseudo)

    def pseudo_count(self, cells: float) -> float:
        """What is added to each cell of a table with so many."""
        return self.pseudo


@dataclass(frozen=True, slots=True)
class NormalInverseGamma:
    """A prior for regressions: variance ~ InverseGamma(shape, scale), coefficients ~ Normal(0, variance / precision).

    The intercept is free, so that shifting a column changes nothing else. Estimates are posterior means.
    """

    precision: float = 1.0
    shape: float = 2.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        _check_positive("the precision", self.precision)
        _check_positive("the scale", self.scale)
        _check_positive("the shape less one (the variance needs a mean)", self.shape - 1)


TablePrior: TypeAlias = BDeu | Dirichlet
Prior: TypeAlias = TablePrior | NormalInverseGamma


KINDS: dict[str, type[BDeu | Dirichlet | NormalInverseGamma]] = {
    kind.__name__: kind for kind in (BDeu, Dirichlet, NormalInverseGamma)
}


def _check_positive(what: str, number: float) -> None:
    if not (number > 0 and math.isfinite(number)):
        raise ValueError(f"{what} must be positive, not {number}")
