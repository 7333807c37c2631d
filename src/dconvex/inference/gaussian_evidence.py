"""Evidence about continuous variables: numbers that were seen, one by one or in the columns of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.errors import DataError
from dconvex.graph.dag import Dag
from dconvex.names import Name
from dconvex.network.columns import Columns, _may_be_numbers

Floats: TypeAlias = NDArray[np.float64]
Key: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NumberEvidence:
    """Places of the observed variables, ascending, and their values."""

    observed: Key = ()
    values: tuple[float, ...] = ()

    def pairs(self) -> Iterable[tuple[int, float]]:
        return zip(self.observed, self.values, strict=True)

    def only(self, places: set[int]) -> NumberEvidence:
        """The evidence on these variables."""
        kept = [(place, value) for place, value in self.pairs() if place in places]
        return NumberEvidence(tuple(place for place, _ in kept), tuple(value for _, value in kept))

    def hidden(self, asked: Iterable[int]) -> Key:
        """Those of the variables asked for that are not observed."""
        seen = set(self.observed)
        return tuple([place for place in asked if place not in seen])

    def __bool__(self) -> bool:
        return bool(self.observed)


def read_numbers(dag: Dag, evidence: Mapping[Name, Any] | None, soft: Mapping[Name, Any] | None) -> NumberEvidence:
    """Check names and numbers."""
    for name in soft or ():
        dag.index_of(name)
        raise ValueError(f"there is a likelihood for {name!r}; soft and set-valued evidence is for discrete networks")
    told = sorted((dag.index_of(name), _number(name, value)) for name, value in (evidence or {}).items())
    return NumberEvidence(tuple(place for place, _ in told), tuple(value for _, value in told))


def _number(name: Name, value: Any) -> float:
    if isinstance(value, set | frozenset | list | tuple):
        raise ValueError(f"{name!r} is observed as {value!r}; soft and set-valued evidence is for discrete networks")
    plain = value.item() if isinstance(value, np.generic | np.ndarray) and value.ndim == 0 else value
    try:
        number = float(plain) if isinstance(plain, Real) else np.nan
    except OverflowError:
        number = np.inf
    if not np.isfinite(number):
        raise ValueError(f"{name!r} can only be observed as a finite number, not as {value!r}")
    return number


def numbers_or_missing(data: Columns, variable: Name) -> Floats:
    """A column as floats, NaN where a cell is missing."""
    column = data._column(variable)
    missing = np.asarray(column.is_null().to_numpy(), bool)
    if not (_may_be_numbers(column.dtype) or missing.all()):
        raise DataError(f"column {variable!r} is not numeric (its type is {column.dtype})")
    values = np.full(len(missing), np.nan)
    try:
        values[~missing] = np.asarray(column.filter(~column.is_null()).to_numpy(), np.float64)
    except (TypeError, ValueError):
        raise DataError(f"column {variable!r} holds something that is no number") from None
    if (bad := np.isinf(values)).any():
        row = int(np.argmax(bad))
        raise DataError(f"column {variable!r} holds {values[row]} in row {row}; drop or fill such rows first")
    return values


def row_patterns(cells: Floats) -> list[tuple[NDArray[np.intp], list[int]]]:
    """Columns of `cells` grouped by which cells are there: (places of the columns, rows that they have)."""
    if not cells.shape[1]:
        return []
    is_there = ~np.isnan(cells)
    if is_there.all():
        return [(np.arange(cells.shape[1]), list(range(len(cells))))]
    _, first, group = np.unique(np.packbits(is_there, axis=0), axis=1, return_index=True, return_inverse=True)
    order = np.argsort(group.reshape(-1), kind="stable")
    bounds = np.searchsorted(group.reshape(-1)[order], np.arange(len(first) + 1))
    return [(order[bounds[k] : bounds[k + 1]], np.flatnonzero(is_there[:, first[k]]).tolist()) for k in range(len(first))]
