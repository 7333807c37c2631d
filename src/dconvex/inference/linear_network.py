"""Linear Gaussian networks by index: their shape, and their numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from dconvex.arrays import Floats


@final
@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A network without its numbers. Variables by index, parents first; those that are not needed are constants only."""

    nodes: list[int]
    """The node of the whole network that each variable is."""
    tables: list[int]
    """The number of its regression, -1 for a standard normal variable."""
    parents: list[list[int]]
    is_observed: list[bool]
    is_needed: list[bool]

    def pieces(self) -> list[list[int]]:
        """The needed variables, joined by the arrows out of variables that are not observed."""
        leader = list(range(len(self.nodes)))
        for variable, parents in enumerate(self.parents):
            for parent in parents:
                if not self.is_observed[parent]:
                    one, other = _leader(leader, variable), _leader(leader, parent)
                    leader[max(one, other)] = min(one, other)
        members: dict[int, list[int]] = {}
        for variable, is_needed in enumerate(self.is_needed):
            if is_needed:
                members.setdefault(_leader(leader, variable), []).append(variable)
        return list(members.values())


@final
@dataclass(frozen=True, slots=True, eq=False)
class LinearNetwork:
    """A network with its numbers; `coefficients` lie along the parents."""

    shape: Shape
    coefficients: list[list[float]]
    intercept: Floats
    variance: Floats

    def forward(self, start: Floats) -> Floats:
        """All variables, for each row: what `start` says plus what comes from the parents; observed ones stay as they are."""
        found = start.copy()
        row = list(found)
        for variable, is_observed in enumerate(self.shape.is_observed):
            if not is_observed:
                own = row[variable]
                for parent, coefficient in zip(self.shape.parents[variable], self.coefficients[variable], strict=True):
                    own += coefficient * row[parent]
        return found

    def values(self, noises: Floats, observed: Floats) -> Floats:
        """All variables, for each row: the observed ones as given, the others from these standard noises."""
        with np.errstate(over="ignore", invalid="ignore"):  # who makes an answer of it looks at it
            start = self.intercept[:, None] + np.sqrt(self.variance)[:, None] * noises
            return self.forward(np.where(np.array(self.shape.is_observed)[:, None], observed, start))


def _leader(leader: list[int], variable: int) -> int:
    while leader[variable] != variable:
        leader[variable] = leader[leader[variable]]
        variable = leader[variable]
    return variable
