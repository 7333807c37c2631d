"""The two kinds of family: a table P(v | parents), and a linear Gaussian regression of v on its parents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dconvex.names import Name


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """P(variable | parents): `values` has one axis per parent, in their order, and the variable's own axis last."""

    variable: Name
    parents: tuple[Name, ...]
    values: NDArray[np.float64]

    def __post_init__(self) -> None:
        values = np.asarray(self.values, np.float64)
        if values.flags.writeable:  # the caller's own
            values = values.copy()
            values.setflags(write=False)
        object.__setattr__(self, "values", values)

    def __reduce__(self) -> tuple[Any, ...]:
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
    """variable = intercept + Σ coefficients[p] · p + noise with the given variance."""

    variable: Name
    parents: tuple[Name, ...]
    intercept: float
    coefficients: Mapping[Name, float]
    variance: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "coefficients", MappingProxyType(dict(self.coefficients)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Regression, (self.variable, self.parents, self.intercept, dict(self.coefficients), self.variance)

    def __hash__(self) -> int:
        return hash((self.variable, self.parents, self.intercept, self.variance))


def hashable(numbers: NDArray[np.float64]) -> bytes:
    """Equal bytes for equal numbers: adding zero turns -0.0 into 0.0."""
    return (numbers + 0.0).tobytes()
