"""Priors of tables and of regressions: what holds before any data is seen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class BDeu:
    """An equivalent sample size, spread evenly over the cells of each table.

    All clusters see the same prior sample, so that a variable has the same prior in each of them.

    Args:
        equivalent_sample_size: The number of rows that the prior weighs as much as.

    Raises:
        ValueError: It is not positive.
    """

    equivalent_sample_size: float = 10.0

    def __post_init__(self) -> None:
        _check_positive("the equivalent sample size", self.equivalent_sample_size)

    def pseudo_count(self, cells: float) -> float:
        """The pseudo-count of each cell of a table.

        Args:
            cells: The number of cells of the table.

        Returns:
            The number that is added to the count of each cell.
        """
        return self.equivalent_sample_size / cells


@dataclass(frozen=True, slots=True)
class Dirichlet:
    """The same pseudo-count in every cell: 1 is Laplace's rule (K2).

    Unlike with `BDeu`, tables of one variable in different clusters have prior samples of different sizes.

    Args:
        pseudo: The pseudo-count.

    Raises:
        ValueError: It is not positive.
    """

    pseudo: float = 1.0

    def __post_init__(self) -> None:
        _check_positive("the pseudo-count", self.pseudo)

    def pseudo_count(self, cells: float) -> float:
        """The pseudo-count of each cell of a table.

        Args:
            cells: The number of cells of the table.

        Returns:
            The number that is added to the count of each cell.
        """
        return self.pseudo


@dataclass(frozen=True, slots=True)
class NormalInverseGamma:
    """A prior for regressions: variance ~ InverseGamma(shape, scale), coefficients ~ Normal(0, variance / precision).

    The intercept is free, so that shifting a column changes nothing else. Estimates are posterior means.

    Args:
        precision: That of the coefficients, relative to that of the variable.
        shape: That of the variance's distribution, above one.
        scale: That of the variance's distribution.

    Raises:
        ValueError: A number is out of range.
    """

    precision: float = 1.0
    shape: float = 2.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        _check_positive("the precision", self.precision)
        _check_positive("the scale", self.scale)
        _check_positive("the shape less one (the variance needs a mean)", self.shape - 1)


@dataclass(frozen=True, slots=True)
class BGe:
    """The prior of the BGe score of Gaussian networks: normal-Wishart, around the means of the data.

    Graphs that the data cannot tell apart have equal scores. The prior's unit is that of the columns, so columns of very
    different spread are better scaled first.

    Args:
        mean_weight: The number of rows that the prior of the means weighs as much as.
        degrees: Those of freedom of the Wishart distribution, above the number of variables less one; None: that number
            and 2 more.
        scale: The diagonal of its matrix; None: as Geiger and Heckerman have it, so that the prior expects a variance of 1.

    Raises:
        ValueError: A number is out of range.
    """

    mean_weight: float = 1.0
    degrees: float | None = None
    scale: float | None = None

    def __post_init__(self) -> None:
        _check_positive("the weight of the mean", self.mean_weight)
        if self.degrees is not None:
            _check_positive("the degrees of freedom", self.degrees)
        if self.scale is not None:
            _check_positive("the scale", self.scale)

    def numbers(self, variables: int) -> tuple[float, float, float]:
        """The weight of the mean, the degrees of freedom and the scale.

        Args:
            variables: The number of variables of the network.

        Returns:
            The three numbers.

        Raises:
            ValueError: There are too few degrees of freedom for that many variables.
        """
        degrees = variables + 2.0 if self.degrees is None else self.degrees
        if degrees <= variables - 1:
            raise ValueError(
                f"BGe needs more than {variables - 1} degrees of freedom for {variables} variables, not {degrees:g}"
            )
        scale = self.mean_weight * max(degrees - variables - 1, 0.5) / (self.mean_weight + 1)
        return self.mean_weight, degrees, scale if self.scale is None else self.scale


TablePrior: TypeAlias = BDeu | Dirichlet
Prior: TypeAlias = TablePrior | NormalInverseGamma


KINDS: dict[str, type[BDeu | Dirichlet | NormalInverseGamma]] = {
    kind.__name__: kind for kind in (BDeu, Dirichlet, NormalInverseGamma)
}


def _check_positive(what: str, number: float) -> None:
    if not (number > 0 and math.isfinite(number)):
        raise ValueError(f"{what} must be positive, not {number}")
