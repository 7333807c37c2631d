"""Evidence about continuous variables: numbers that were seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from dconvex.graph.dag import Dag
from dconvex.names import Name, check_mapping

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
    check_mapping("evidence", evidence)
    check_mapping("soft", soft)
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
