"""Priors of tables and of regressions: what holds before any data is seen."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dconvex.arrays import Floats
from dconvex.graph.dag import Dag
from dconvex.names import Name


@dataclass(frozen=True, slots=True)
class BDeu:
    """An equivalent sample size, spread evenly over the cells of each table.

    All clusters see the same prior sample, so that a variable has the same prior in each of them.

    Args:
        equivalent_sample_size: The number of rows that the prior weighs as much as; or a number for each variable, by name.

    Raises:
        ValueError: It is not positive.
    """

    equivalent_sample_size: float | Mapping[Name, float] = 10.0

    def __post_init__(self) -> None:
        size = self.equivalent_sample_size
        if isinstance(size, Mapping):
            for name, own in size.items():
                _check_positive(f"the equivalent sample size of {name!r}", own)
            object.__setattr__(self, "equivalent_sample_size", dict(size))
        else:
            _check_positive("the equivalent sample size", size)

    @property
    def common_size(self) -> float:
        """The equivalent sample size of all variables.

        Raises:
            ValueError: Variables have one each.
        """
        if isinstance(self.equivalent_sample_size, Mapping):
            raise ValueError("this needs one equivalent sample size for all variables, as in BDeu(10)")
        return self.equivalent_sample_size

    def pseudo_count(self, cells: float) -> float:
        """The pseudo-count of each cell of a table.

        Args:
            cells: The number of cells of the table.

        Returns:
            The number that is added to the count of each cell.

        Raises:
            ValueError: Variables have an equivalent sample size each.
        """
        return self.common_size / cells

    @property
    def is_common(self) -> bool:
        """Whether `pseudo_count` says all: no variable has numbers of its own."""
        return not isinstance(self.equivalent_sample_size, Mapping)

    def with_graph(self, dag: Dag) -> BDeu:
        """The same, for the variables of a graph.

        Args:
            dag: The graph.

        Returns:
            The prior.

        Raises:
            UnknownVariableError: The graph does not have a variable.
            ValueError: A variable has no equivalent sample size.
        """
        if isinstance(self.equivalent_sample_size, Mapping):
            _check_names(self.equivalent_sample_size, dag, "equivalent sample size")
        return self

    def cells(self, members: Sequence[Name], shape: Sequence[int]) -> Floats:
        """The pseudo-counts of the cells of a table, one after the other.

        Args:
            members: The parents of a variable, and then itself.
            shape: The number of states of each of them.

        Returns:
            One number for each cell.

        """
        size = self.equivalent_sample_size
        own = size[members[-1]] if isinstance(size, Mapping) else size
        return np.full(math.prod(shape), own / math.prod(shape))


@dataclass(frozen=True, slots=True)
class Dirichlet:
    """The same pseudo-count in every cell: 1 is Laplace's rule (K2). Or a pseudo-count for each cell.

    Unlike with `BDeu`, tables of one variable in different clusters have prior samples of different sizes.

    Args:
        pseudo: The pseudo-count; or by variable an array with axes `(*dag.parents(v), v)`, zero or more, whose states are in
            the order of the model's. The table of a cluster that does not hold all parents gets the sums over the others.
        axes: The parents of each variable in the order of its array; None: as in the graph that is learned.

    Raises:
        ValueError: A number is not positive, or one of an array negative.

    >>> import dconvex as dc
    >>> prior = dc.Dirichlet({"rain": [8, 2], "wet": [[9, 1], [1, 9]]})
    >>> rows = {"rain": ["no", "yes"], "wet": ["no", "yes"]}
    >>> import pandas as pd
    >>> dc.fit([("rain", "wet")], pd.DataFrame(rows), prior=prior).query("rain")
    P(rain)
      no   0.75
      yes  0.25
    """

    pseudo: float | Mapping[Name, ArrayLike] = 1.0
    axes: Mapping[Name, tuple[Name, ...]] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.pseudo, Mapping):
            object.__setattr__(self, "pseudo", {name: _checked_cells(name, own) for name, own in self.pseudo.items()})
        else:
            _check_positive("the pseudo-count", self.pseudo)

    def pseudo_count(self, cells: float) -> float:
        """The pseudo-count of each cell of a table.

        Args:
            cells: The number of cells of the table.

        Returns:
            The number that is added to the count of each cell.

        Raises:
            ValueError: Each cell has its own.
        """
        if isinstance(self.pseudo, Mapping):
            raise ValueError("this needs one pseudo-count for all cells, as in Dirichlet(1)")
        return self.pseudo

    @property
    def is_common(self) -> bool:
        """Whether `pseudo_count` says all: no variable has numbers of its own."""
        return not isinstance(self.pseudo, Mapping)

    def with_graph(self, dag: Dag) -> Dirichlet:
        """The same, with the axes of arrays as a graph has them.

        Args:
            dag: The graph.

        Returns:
            The prior.

        Raises:
            UnknownVariableError: The graph does not have a variable.
            ValueError: A variable has no array, or one with a wrong number of axes.
        """
        if not isinstance(self.pseudo, Mapping) or self.axes is not None:
            return self
        _check_names(self.pseudo, dag, "array of pseudo-counts")
        for name, own in self.pseudo.items():
            if np.ndim(own) != len(dag.parents(name)) + 1:
                raise ValueError(
                    f"the pseudo-counts of {name!r} have {np.ndim(own)} axes; they need one for each of "
                    f"{(*dag.parents(name), name)!r}"
                )
        return Dirichlet(self.pseudo, {name: dag.parents(name) for name in dag.nodes})

    def cells(self, members: Sequence[Name], shape: Sequence[int]) -> Floats:
        """The pseudo-counts of the cells of a table, one after the other.

        Args:
            members: Parents of a variable, and then itself.
            shape: The number of states of each of them.

        Returns:
            One number for each cell.

        Raises:
            ValueError: An array does not have these numbers of states.
        """
        if not isinstance(self.pseudo, Mapping):
            return np.full(math.prod(shape), self.pseudo)
        assert self.axes is not None
        variable = members[-1]
        axes = [*self.axes[variable], variable]
        array = np.asarray(self.pseudo[variable], np.float64)
        others = tuple(k for k, name in enumerate(axes) if name not in members)
        kept = [name for name in axes if name in members]
        found = array.sum(axis=others).transpose([kept.index(name) for name in members])
        if found.shape != tuple(shape):
            needed = ", ".join(f"{name!r}: {size}" for name, size in zip(members, shape, strict=True))
            raise ValueError(f"the pseudo-counts of {variable!r} do not have the numbers of states of the data ({needed})")
        cells: Floats = found.reshape(-1)
        return cells


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


def _check_names(given: Mapping[Name, object], dag: Dag, what: str) -> None:
    for name in given:
        dag.index_of(name)
    absent = [name for name in dag.nodes if name not in given]
    if absent:
        raise ValueError(f"the prior has no {what} for {absent[0]!r}; give one for each variable")


def _checked_cells(name: Name, given: ArrayLike) -> ArrayLike:
    """An array as nested lists, which compare and travel well."""
    try:
        array = np.array(given, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"the pseudo-counts of {name!r} are not an array of numbers") from None
    if not (np.isfinite(array).all() and (array >= 0).all() and array.ndim):
        raise ValueError(f"the pseudo-counts of {name!r} must be an array of numbers, zero or more")
    cells: ArrayLike = array.tolist()
    return cells


def _check_positive(what: str, number: float) -> None:
    if not (number > 0 and math.isfinite(number)):
        raise ValueError(f"{what} must be positive, not {number}")
