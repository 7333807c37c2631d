"""All regressions of a linear Gaussian network in flat arrays: sampling, likelihood, intervention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, cast

import numpy as np

from dconvex.amounts import amount
from dconvex.arrays import Floats
from dconvex.errors import NetworkError
from dconvex.graph.dag import Dag
from dconvex.names import Label, Name
from dconvex.network.compensated import difference
from dconvex.network.completion import Completing, complete_numbers
from dconvex.network.family import Regression, hashable
from dconvex.network.frame_columns import Columns
from dconvex.threads import in_blocks

if TYPE_CHECKING:
    import pandas as pd

ON_SUPPORT = 1e-9
"""A variable without noise may differ from its regression by this much, relative to the size of the terms."""

ROWS_AT_ONCE = 1 << 16
"""Sampling works on blocks of rows, so that Ctrl-C is heard; the draws are those of all rows at once."""


def refuse_overflow(name: Name, numbers: Floats | float) -> None:
    """Refuse numbers of a variable that overflowed."""
    if not np.isfinite(numbers).all():
        raise NetworkError(f"numbers of {name!r} are beyond what a float holds, about 1.8e308; give the variable another unit")


@dataclass(frozen=True, slots=True, eq=False)
class Regressions:
    """Intercept and variance per node; `coefficients` is aligned with `dag.graph.parents.values`."""

    kind: ClassVar[Literal["gaussian"]] = "gaussian"

    intercept: Floats
    coefficients: Floats
    variance: Floats

    def __post_init__(self) -> None:
        for array in (self.intercept, self.coefficients, self.variance):
            array.setflags(write=False)

    def __reduce__(self) -> tuple[object, ...]:
        return Regressions, (self.intercept, self.coefficients, self.variance)

    @classmethod
    def checked(cls, dag: Dag, intercept: Floats, coefficients: Floats, variance: Floats) -> Regressions:
        """The regressions, or an error if a number is not finite or a variance negative."""
        for what, values in (("intercept", intercept), ("variance", variance)):
            if len(bad := np.flatnonzero(~np.isfinite(values))):
                raise NetworkError(f"the {what} of {dag.nodes[bad[0]]!r} is {values[bad[0]]}; it must be finite")
        if len(bad := np.flatnonzero(variance < 0)):
            raise NetworkError(f"the variance of {dag.nodes[bad[0]]!r} is {variance[bad[0]]}; it must be zero or more")
        if len(bad := np.flatnonzero(~np.isfinite(coefficients))):
            parent, child = dag.graph.parents.values[bad[0]], dag.graph.parents.owners()[bad[0]]
            names = f"{dag.nodes[parent]!r} in the regression of {dag.nodes[child]!r}"
            raise NetworkError(f"the coefficient of {names} is {coefficients[bad[0]]}; it must be finite")
        return cls(intercept, coefficients, variance)

    @property
    def nbytes(self) -> int:
        """The bytes of the numbers."""
        return self.intercept.nbytes + self.coefficients.nbytes + self.variance.nbytes

    def states(self, dag: Dag) -> dict[Name, tuple[Label, ...]]:
        return {}

    def family(self, dag: Dag, node: Name) -> Regression:
        index = dag.index_of(node)
        parents = dag.parents(node)
        coefficients = dict(zip(parents, self._coefficients_of(dag, index).tolist(), strict=True))
        intercept, variance = float(self.intercept[index]), float(self.variance[index])
        return Regression(dag.nodes[index], parents, intercept, coefficients, variance)

    def sample(self, dag: Dag, rows: int, rng: np.random.Generator) -> pd.DataFrame:
        import pandas as pd

        values = np.empty((len(dag), rows))
        for index in dag.graph.order.tolist():
            for first in range(0, rows, ROWS_AT_ONCE):
                block = values[:, first : first + ROWS_AT_ONCE]
                noise = rng.standard_normal(block.shape[1]) * np.sqrt(self.variance[index])
                with np.errstate(over="ignore", invalid="ignore"):
                    block[index] = self._mean(dag, index, block) + noise
            refuse_overflow(dag.nodes[index], values[index])
        return pd.DataFrame(values.T, columns=pd.Index(dag.nodes), copy=False)

    def log_likelihood(self, dag: Dag, data: Columns, limit: int, n_jobs: int | None = 1) -> Floats:
        values = np.array([data.numbers_or_missing(name) for name in dag.nodes]).reshape(len(dag), len(data))
        total = np.zeros(len(data))
        in_blocks(len(data), ROWS_AT_ONCE, n_jobs, lambda block: self._add_densities(dag, values[:, block], total[block]))
        gapped = np.flatnonzero(np.isnan(values).any(axis=0))
        if len(gapped):
            numbers = (self.intercept, self.coefficients, self.variance)
            none = np.zeros(len(dag), bool)
            total[gapped] += complete_numbers(dag, numbers, values[:, gapped], none, Completing(limit, n_jobs))
        return total

    def _add_densities(self, dag: Dag, values: Floats, total: Floats) -> None:
        """Add the logarithm of the density of what is there in each row, parents included."""
        for index in range(len(dag)):
            parents, weights = dag.graph.parents[index], self._coefficients_of(dag, index)[None, :]
            [residual] = difference(values[[index]], self.intercept[[index]], weights, values[parents])
            is_gapped = np.isnan(values[index]) | np.isnan(values[parents]).any(axis=0)
            if (np.isnan(residual) & ~is_gapped).any():
                refuse_overflow(dag.nodes[index], np.inf)
            if (variance := self.variance[index]) > 0:
                with np.errstate(over="ignore"):  # too far out for a float: -inf
                    density = 0.5 * (np.log(2 * np.pi * variance) + residual**2 / variance)
                total -= np.where(is_gapped, 0.0, density)
            else:
                scale = np.abs(values[index]) + self._magnitude(dag, index, values)
                total[np.abs(residual) > ON_SUPPORT * scale] = -np.inf

    def intervened(self, dag: Dag, after: Dag, settings: Mapping[Name, Label | float]) -> Regressions:
        intercept, variance = self.intercept.copy(), self.variance.copy()
        for node, value in settings.items():
            index = dag.index_of(node)
            try:
                intercept[index], variance[index] = float(cast("float", value)), 0.0
            except (TypeError, ValueError):
                raise NetworkError(f"{node!r} can be set to a number only, not to {value!r}") from None
        kept = ~np.isin(dag.graph.parents.owners(), [dag.index_of(node) for node in settings])
        return Regressions.checked(after, intercept, self.coefficients[kept], variance)

    def _mean(self, dag: Dag, index: int, values: Floats) -> Floats:
        weights = self._coefficients_of(dag, index)
        mean: Floats = self.intercept[index] + weights @ values[dag.graph.parents[index]]
        return mean

    def _magnitude(self, dag: Dag, index: int, values: Floats) -> Floats:
        """The sum of the absolute values of the terms that `_mean` adds up: the scale of its rounding error."""
        weights = np.abs(self._coefficients_of(dag, index))
        size: Floats = np.abs(self.intercept[index]) + weights @ np.abs(values[dag.graph.parents[index]])
        return size

    def _coefficients_of(self, dag: Dag, index: int) -> Floats:
        return self.coefficients[dag.graph.parents.offsets[index] : dag.graph.parents.offsets[index + 1]]

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
