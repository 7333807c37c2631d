"""All regressions of a linear Gaussian network in flat arrays, and what a network asks of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.amounts import amount
from dconvex.errors import NetworkError
from dconvex.graph.dag import Dag
from dconvex.names import Label, Name
from dconvex.network.columns import Columns
from dconvex.network.families import Regression, hashable

if TYPE_CHECKING:
    import pandas as pd

Floats: TypeAlias = NDArray[np.float64]

ON_SUPPORT = 1e-9
"""A variable without noise may differ from its regression by this much, relative to the size of the terms."""

ROWS_AT_ONCE = 1 << 16
"""Sampling works on blocks of rows, so that Ctrl-C is heard; the draws are those of all rows at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Regressions:
    """Intercept and variance per node; `coefficients` lies along `dag.parent_lists.neighbours`."""

    kind: ClassVar[Literal["gaussian"]] = "gaussian"

    intercept: Floats
    coefficients: Floats
    variance: Floats

    def __post_init__(self) -> None:
        for array in (self.intercept, self.coefficients, self.variance):
            array.setflags(write=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return Regressions, (self.intercept, self.coefficients, self.variance)

    @classmethod
    def checked(cls, dag: Dag, intercept: Floats, coefficients: Floats, variance: Floats) -> Regressions:
        """Refuses what is not finite, and negative variances."""
        for what, values in (("intercept", intercept), ("variance", variance)):
            if len(bad := np.flatnonzero(~np.isfinite(values))):
                raise NetworkError(f"the {what} of {dag.nodes[bad[0]]!r} is {values[bad[0]]}")
        if len(bad := np.flatnonzero(variance < 0)):
            raise NetworkError(f"the variance of {dag.nodes[bad[0]]!r} is {variance[bad[0]]}; it must be zero or more")
        if len(bad := np.flatnonzero(~np.isfinite(coefficients))):
            parent, child = dag.parent_lists.neighbours[bad[0]], dag.parent_lists.owners()[bad[0]]
            names = f"{dag.nodes[parent]!r} in the regression of {dag.nodes[child]!r}"
            raise NetworkError(f"the coefficient of {names} is {coefficients[bad[0]]}")
        return cls(intercept, coefficients, variance)

    def states(self, dag: Dag) -> dict[Name, tuple[Label, ...]]:
        return {}

    def family(self, dag: Dag, node: Name) -> Regression:
        place = dag.index_of(node)
        parents = dag.parents(node)
        coefficients = dict(zip(parents, self._coefficients_of(dag, place).tolist(), strict=True))
        intercept, variance = float(self.intercept[place]), float(self.variance[place])
        return Regression(dag.nodes[place], parents, intercept, coefficients, variance)

    def sample(self, dag: Dag, rows: int, rng: np.random.Generator) -> pd.DataFrame:
        import pandas as pd

        values = np.empty((len(dag), rows))
        for place in dag.order.tolist():
            for first in range(0, rows, ROWS_AT_ONCE):
                block = values[:, first : first + ROWS_AT_ONCE]
                noise = rng.standard_normal(block.shape[1]) * np.sqrt(self.variance[place])
                block[place] = self._mean(dag, place, block) + noise
        return pd.DataFrame(values.T, columns=pd.Index(dag.nodes), copy=False)

    def log_likelihood(self, dag: Dag, data: Columns) -> Floats:
        values = np.array([data.numbers(name) for name in dag.nodes]).reshape(len(dag), len(data))
        total = np.zeros(len(data))
        for place in range(len(dag)):
            residual = values[place] - self._mean(dag, place, values)
            if (variance := self.variance[place]) > 0:
                with np.errstate(over="ignore"):  # too far out for a float: -inf
                    total -= 0.5 * (np.log(2 * np.pi * variance) + residual**2 / variance)
            else:
                scale = np.abs(values[place]) + self._magnitude(dag, place, values)
                total[np.abs(residual) > ON_SUPPORT * scale] = -np.inf
        return total

    def intervened(self, dag: Dag, after: Dag, settings: Mapping[Name, Any]) -> Regressions:
        intercept, variance = self.intercept.copy(), self.variance.copy()
        for node, value in settings.items():
            place = dag.index_of(node)
            try:
                intercept[place], variance[place] = float(value), 0.0
            except (TypeError, ValueError):
                raise NetworkError(f"{node!r} can only be set to a number, not to {value!r}") from None
        kept = ~np.isin(dag.parent_lists.owners(), [dag.index_of(node) for node in settings])
        return Regressions.checked(after, intercept, self.coefficients[kept], variance)

    def _mean(self, dag: Dag, place: int, values: Floats) -> Floats:
        weights = self._coefficients_of(dag, place)
        mean: Floats = self.intercept[place] + weights @ values[dag.parent_lists.of(place)]
        return mean

    def _magnitude(self, dag: Dag, place: int, values: Floats) -> Floats:
        """The sum of the absolute values of the terms that `_mean` adds up: the scale of its rounding error."""
        weights = np.abs(self._coefficients_of(dag, place))
        size: Floats = np.abs(self.intercept[place]) + weights @ np.abs(values[dag.parent_lists.of(place)])
        return size

    def _coefficients_of(self, dag: Dag, place: int) -> Floats:
        return self.coefficients[dag.parent_lists.start[place] : dag.parent_lists.start[place + 1]]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Regressions)
            and np.array_equal(self.intercept, other.intercept)
            and np.array_equal(self.coefficients, other.coefficients)
            and np.array_equal(self.variance, other.variance)
        )

    def __hash__(self) -> int:
        return hash((hashable(self.intercept), hashable(self.coefficients), hashable(self.variance)))

    def __str__(self) -> str:
        return amount(len(self.coefficients), "coefficient")
