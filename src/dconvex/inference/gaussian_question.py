"""A question about continuous variables, planned: the small network that answers it, without its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.inference.gaussian_evidence import NumberEvidence
from dconvex.inference.gaussian_pieces import LinearNetwork, Piece, Shape

Floats: TypeAlias = NDArray[np.float64]
Key: TypeAlias = tuple[int, ...]

COPIES = 6
"""So many numbers are held at once for each pair of a variable of a piece and one that is asked for or observed."""
EACH_NODE = 1200
"""Bytes for a variable of the small network and its regression."""


def traced_at_once(members: int) -> int:
    """How many variables of a piece with so many members are traced back together where each counts for itself."""
    return max(1, min(512, (1 << 22) // max(members, 1)))


@dataclass(frozen=True, slots=True, eq=False)
class GaussianQuestion:
    """What is asked and given, and the small network that answers; `looked_at` are all nodes of the clusters kept."""

    asked: Key
    observed: Key
    shape: Shape
    requisite: Key
    looked_at: Sequence[int]
    is_whole: bool = False
    parts: list[list[int]] = field(init=False)
    is_asked: list[bool] = field(init=False)

    def __post_init__(self) -> None:
        wanted = set(self.asked)
        object.__setattr__(self, "parts", self.shape.pieces())
        object.__setattr__(self, "is_asked", [node in wanted for node in self.shape.nodes])

    @property
    def uses_all_evidence(self) -> bool:
        """Whether the regression of each observed variable is used, so that no conflict can go unnoticed."""
        flags = zip(self.shape.is_observed, self.shape.is_needed, strict=True)
        return sum(is_observed and is_needed for is_observed, is_needed in flags) == len(self.observed)

    def asked_in(self, piece: Piece) -> list[int]:
        return [variable for variable in piece.members if self.is_asked[variable]]

    def values(self, evidence: NumberEvidence) -> Floats:
        """The observed values by place in the small network, as a column."""
        return self.spread(evidence.observed, np.array(evidence.values).reshape(-1, 1))

    def spread(self, observed: Key, cells: Floats) -> Floats:
        """Rows of cells by place in the small network; zero where nothing is observed."""
        row = {node: number for number, node in enumerate(observed)}
        values = np.zeros((len(self.shape.nodes), cells.shape[1]))
        seen = [variable for variable, is_observed in enumerate(self.shape.is_observed) if is_observed]
        values[seen] = cells[[row[self.shape.nodes[variable]] for variable in seen]]
        return values

    def expected(self, network: LinearNetwork, pieces: list[Piece], evidence: NumberEvidence) -> Floats:
        """The posterior means of all variables of the small network."""
        values, noises = self.values(evidence), np.zeros((len(self.shape.nodes), 1))
        for piece in pieces:
            noises[piece.members] = piece.standard_noises(values)
        means: Floats = network.values(noises, values)[:, 0]
        return means

    def peak_bytes(self, *, each_for_itself: bool = False) -> int:
        """The most that is held at once, the result included."""
        wanted = 0 if each_for_itself else len(self.asked)
        most = 0
        for part in self.parts:
            asked, observed = self._columns(part)
            together = min(asked, traced_at_once(len(part))) if each_for_itself else asked
            most = max(most, len(part) * (together + observed))
        return 8 * (COPIES * most + 2 * wanted * wanted) + EACH_NODE * (len(self.looked_at) + 16)

    def multiplications(self) -> int:
        """Steps back along the arrows, and products of what they lead to."""
        total = 0
        for part in self.parts:
            asked, observed = self._columns(part)
            arrows = sum(len(self.shape.parents[variable]) for variable in part)
            products = 2 * observed * observed + 4 * asked * observed + asked * asked
            total += 2 * arrows * (asked + observed) + len(part) * products
        return total

    def _columns(self, part: list[int]) -> tuple[int, int]:
        """How many variables of a piece are asked for and observed."""
        return sum(self.is_asked[variable] for variable in part), sum(self.shape.is_observed[variable] for variable in part)
