"""What is executed to answer a question about regressions: the small network that answers it, without its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, final

import numpy as np

from dconvex.arrays import Floats
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.inference.evidence import Evidence, Variables
from dconvex.inference.gaussian_pieces import Piece
from dconvex.inference.linear_network import LinearNetwork, Shape
from dconvex.inference.query_plan import Candidate

COPIES = 6
"""This many numbers are held at once for each pair of a variable of a piece and one that is a target or observed."""
EACH_NODE = 1200
"""Bytes for a variable of the small network and its regression."""


def traced_at_once(members: int) -> int:
    """How many variables of a piece with this many members are traced back together where each counts for itself."""
    return max(1, min(512, (1 << 22) // max(members, 1)))


@final
@dataclass(frozen=True, slots=True, eq=False)
class GaussianPlan:
    """Targets, observed variables, and the small network that answers. `explain` describes it, and nothing else."""

    index: ClusterIndex
    targets: Variables
    observed: Variables
    shape: Shape
    needed: Variables
    """The observed variables that matter."""
    looked_at: Sequence[int]
    """All variables of the clusters kept."""
    is_whole: bool = False
    coherent: bool = field(default=True, kw_only=True)
    parts: list[list[int]] = field(init=False)
    is_target: list[bool] = field(init=False)

    def __post_init__(self) -> None:
        wanted = set(self.targets)
        object.__setattr__(self, "parts", self.shape.pieces())
        object.__setattr__(self, "is_target", [node in wanted for node in self.shape.nodes])

    @property
    def uses_all_evidence(self) -> bool:
        """Whether the regression of each observed variable is used, so that no conflict can go unnoticed."""
        flags = zip(self.shape.is_observed, self.shape.is_needed, strict=True)
        return sum(is_observed and is_needed for is_observed, is_needed in flags) == len(self.observed)

    def targets_in(self, piece: Piece) -> list[int]:
        """The targets in a piece, by index in the small network."""
        return [variable for variable in piece.members if self.is_target[variable]]

    def values(self, evidence: Evidence) -> Floats:
        """The observed numbers by index in the small network, as a column."""
        return self.spread(evidence.observed, np.array(evidence.numbers).reshape(-1, 1))

    def spread(self, observed: Variables, cells: Floats) -> Floats:
        """Rows of cells by index in the small network; zero where nothing is observed."""
        row = {node: number for number, node in enumerate(observed)}
        values = np.zeros((len(self.shape.nodes), cells.shape[1]))
        known = [variable for variable, is_observed in enumerate(self.shape.is_observed) if is_observed]
        values[known] = cells[[row[self.shape.nodes[variable]] for variable in known]]
        return values

    def expected(self, network: LinearNetwork, pieces: list[Piece], evidence: Evidence) -> Floats:
        """The posterior means of all variables of the small network."""
        values, noises = self.values(evidence), np.zeros((len(self.shape.nodes), 1))
        for piece in pieces:
            noises[piece.members] = piece.standard_noises(values)
        means: Floats = network.values(noises, values)[:, 0]
        return means

    def peak_bytes(self, *, is_joint: bool = True) -> int:
        """The most that is held at once, the result included; not joint: each target counts for itself."""
        wanted = len(self.targets) if is_joint else 0
        most = 0
        for part in self.parts:
            targets, observed = self._columns(part)
            together = targets if is_joint else min(targets, traced_at_once(len(part)))
            most = max(most, len(part) * (together + observed))
        return 8 * (COPIES * most + 2 * wanted * wanted) + EACH_NODE * (len(self.looked_at) + 16)

    # --- what was kept and dropped, and why

    @property
    def network(self) -> Literal["pruned", "whole"]:
        return "whole" if self.is_whole else "pruned"

    @property
    def method(self) -> Literal["elimination"]:
        return "elimination"

    @property
    def multiplications(self) -> int:
        """Steps back along the arrows, and products of what they lead to."""
        total = 0
        for part in self.parts:
            targets, observed = self._columns(part)
            arrows = sum(len(self.shape.parents[variable]) for variable in part)
            products = 2 * observed * observed + 4 * targets * observed + targets * targets
            total += 2 * arrows * (targets + observed) + len(part) * products
        return total

    @property
    def derived(self) -> int:
        """How many regressions come from other clusters."""
        own = len(self.index.dag)
        flags = zip(self.shape.tables, self.shape.is_needed, strict=True)
        return sum(table >= own for table, is_needed in flags if is_needed) if self.coherent else 0

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return ()

    def requisite(self) -> Variables:
        """The evidence that matters for the targets."""
        return self.needed

    def kept_clusters(self) -> list[int]:
        """The clusters that answer: those of the targets and of the evidence that is looked at."""
        looked_at = self.needed if self.coherent else self.observed
        return [*map(int, self.index.kept_clusters([*self.targets, *looked_at]))]

    def kept_variables(self) -> list[int]:
        """The variables of the small network, without barren ones."""
        return sorted({*self.shape.nodes, *self.needed})

    def barren_variables(self) -> list[int]:
        """Variables of the kept clusters that do not matter."""
        return sorted(set(self.looked_at) - {*self.shape.nodes, *self.needed})

    def order(self) -> list[int]:
        """The variables in the order in which they are integrated out."""
        flags = zip(self.shape.nodes, self.shape.is_observed, self.is_target, strict=True)
        return [node for node, is_observed, is_target in flags if not (is_observed or is_target)][::-1]

    def _columns(self, part: list[int]) -> tuple[int, int]:
        """How many variables of a piece are targets and observed."""
        return sum(self.is_target[variable] for variable in part), sum(self.shape.is_observed[variable] for variable in part)
