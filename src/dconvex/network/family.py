"""The two kinds of family: a table P(v | parents), and a linear Gaussian regression of v on its parents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from dconvex.arrays import Floats
from dconvex.names import Name


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """P(variable | parents), a frozen value.

    Args:
        variable: The variable.
        parents: Its parents, in the order of the axes.
        values: The probabilities, with an axis for each parent and the variable's own axis last. An array that can be
            written to is copied.

    >>> Table("wet", ("rain",), [[0.9, 0.1], [0.05, 0.95]]).values[1]
    array([0.05, 0.95])

    """

    variable: Name
    parents: tuple[Name, ...]
    values: Floats

    def __post_init__(self) -> None:
        values = np.asarray(self.values, np.float64)
        if values.flags.writeable:  # the caller's own
            values = values.copy()
            values.setflags(write=False)
        object.__setattr__(self, "values", values)

    def __reduce__(self) -> tuple[object, ...]:
        return Table, (self.variable, self.parents, self.values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        same_scope = self.variable == other.variable and self.parents == other.parents
        return same_scope and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash((self.variable, self.parents, hashable(self.values)))


@dataclass(frozen=True, slots=True)
class Regression:
    """variable = intercept + Σ coefficients[p] · p + noise, a frozen value.

    Args:
        variable: The variable.
        parents: Its parents.
        intercept: The mean where all parents are zero.
        coefficients: A coefficient for each parent.
        variance: The variance of the noise.

    >>> Regression("y", ("x",), 1.0, {"x": 2.5}, 0.5).coefficients["x"]
    2.5

    """

    variable: Name
    parents: tuple[Name, ...]
    intercept: float
    coefficients: Mapping[Name, float]
    variance: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "coefficients", MappingProxyType(dict(self.coefficients)))

    def __reduce__(self) -> tuple[object, ...]:
        return Regression, (self.variable, self.parents, self.intercept, dict(self.coefficients), self.variance)

    def __hash__(self) -> int:
        return hash((self.variable, self.parents, self.intercept, self.variance))


def hashable(numbers: Floats) -> bytes:
    """Equal bytes for equal numbers: adding zero turns -0.0 into 0.0."""
    return (numbers + 0.0).tobytes()
