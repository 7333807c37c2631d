"""What every question about a Gaussian model works with: regressions, and plans on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import final

import numpy as np

from dconvex._core import NetworkPart, Question, small_network
from dconvex.amounts import amount
from dconvex.arrays import Floats
from dconvex.errors import TooLargeError
from dconvex.inference.decision_plan import Cost
from dconvex.inference.evidence import Evidence, Variables
from dconvex.inference.gaussian_pieces import Piece
from dconvex.inference.gaussian_plan import GaussianPlan
from dconvex.inference.gaussian_store import RegressionStore
from dconvex.inference.linear_network import Shape
from dconvex.inference.titles import KnownValue
from dconvex.names import Name
from dconvex.network.linear_regressions import refuse_overflow

MANY = 1000
"""Above this many variables a question is answered in the whole network, if coherent: they keep most clusters."""


@final
class RegressionModel:
    """Regressions, and plans on them; in a coherent model all clusters agree, so that any plan is right."""

    def __init__(self, store: RegressionStore, *, coherent: bool) -> None:
        self.store, self.index, self.coherent = store, store.index, coherent
        self.names = self.index.dag.names

    def plan(self, targets: Variables, observed: Variables, context: Variables = ()) -> GaussianPlan:
        """The small network of a question: only the evidence that matters, without barren variables.

        Where clusters disagree it lies within the clusters that are kept for the context, too.
        """
        wanted = len(targets) + len(observed)
        if not wanted:
            return GaussianPlan(self.index, targets, observed, Shape([], [], [], [], []), (), (), coherent=self.coherent)
        is_whole = self.coherent and wanted > MANY
        network = NetworkPart.WHOLE if is_whole else NetworkPart.PRUNED
        kept = () if self.coherent else context
        question = Question(targets, observed, context=kept, network=network, coherent=self.coherent)
        small = small_network(self.index.core, question)
        reached = set(small.nodes[small.is_reached].tolist())
        needed = tuple(variable for variable in observed if variable in reached)
        shape = self.store.part(small, set(needed))
        looked_at = small.nodes.tolist()
        return GaussianPlan(self.index, targets, observed, shape, needed, looked_at, is_whole, coherent=self.coherent)

    def whole_plan(self, observed: Variables) -> GaussianPlan:
        """The plan on the whole network, for what concerns all variables."""
        shape = self.store.whole(set(observed))
        return GaussianPlan(self.index, (), observed, shape, observed, shape.nodes, True, coherent=self.coherent)

    def pieces(self, plan: GaussianPlan, limit: int, *, is_joint: bool = True) -> list[Piece]:
        """The pieces of a plan, unless they would take too much memory; not joint: each target counts for itself."""
        self.cost(plan, limit, is_joint=is_joint)
        network = self.store.network(plan.shape)
        return [Piece(network, part) for part in plan.parts]

    def cost(self, plan: GaussianPlan, limit: int, *, is_joint: bool = True) -> Cost:
        """What a plan takes, unless that is too much memory; not joint: each target counts for itself."""
        what = f"the question about {amount(len(plan.targets), 'variable')} given {len(plan.observed):,}"
        peak = plan.peak_bytes(is_joint=is_joint)
        refuse_above(limit, peak, what, "Ask for fewer variables at once, or for marginals, or raise max_bytes.")
        return Cost(plan.multiplications, peak)

    def informed_pieces(self, plan: GaussianPlan, limit: int) -> list[Piece]:
        """The pieces that hold evidence."""
        return [piece for piece in self.pieces(plan, limit) if piece.observed]

    def known(self, evidence: Evidence) -> dict[Name, KnownValue]:
        """The evidence by name, as an answer remembers it."""
        return {self.names[v]: number for v, number in evidence.number_of().items()}

    def refuse_overflow(self, variables: Sequence[int], *numbers: Floats) -> None:
        """Refuse answers that overflowed; each array has a row for each of the variables."""
        if not all(np.isfinite(array).all() for array in numbers):
            rows = (array.reshape(len(variables), -1) for array in numbers)
            is_fine = np.all([np.isfinite(array).all(axis=1) for array in rows], axis=0)
            refuse_overflow(self.names[variables[int(np.argmin(is_fine))]], np.inf)

    def named(self, variables: Iterable[int]) -> tuple[Name, ...]:
        """The names of variables."""
        return tuple([self.names[variable] for variable in variables])


def refuse_above(limit: int, estimate: int, what: str, way_out: str) -> None:
    """Refuse what would take more bytes than the limit."""
    if estimate > limit:
        raise TooLargeError(what, estimate, limit, way_out)
