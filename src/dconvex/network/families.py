"""The two kinds of family: a table P(v | parents), and a linear Gaussian regression of v on its parents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dconvex.names import Name


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """P(variable | parents): `values` has one axis per parent, in their order, and the variable's own axis last."""

    variable: Name
    parents: tuple[Name, ...]
    values: NDArray[np.float64]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        same_scope = self.variable == other.variable and self.parents == other.parents
        return same_scope and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash((self.variable, self.parents, self.values.tobytes()))


@dataclass(frozen=True, slots=True)
class Regression:
    """variable = intercept + Σ coefficients[p] · p + noise with the given variance."""

    variable: Name
    parents: tuple[Name, ...]
    intercept: float
    coefficients: Mapping[Name, float]
    variance: float

    def __hash__(self) -> int:
        return hash((self.variable, self.parents, self.intercept, self.variance))
