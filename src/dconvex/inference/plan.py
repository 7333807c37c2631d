"""What a question will do, before any number is touched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dconvex.amounts import amount, readable_bytes
from dconvex.graph.tree import ClusterTree
from dconvex.names import Name
from dconvex.shown import Shown


@dataclass(frozen=True, slots=True, repr=False)
class Candidate:
    """One way to answer, with its price."""

    network: Literal["pruned", "hull", "whole"]
    method: Literal["elimination", "propagation"]
    multiplications: int
    peak_bytes: int


@dataclass(frozen=True, slots=True, repr=False)
class QueryPlan(Shown):
    """How a question will be answered: print it, or look at its picture, where the clusters that answer are lit.

    `peak_bytes` is the most that is held at once, the result and the tables to derive included; `multiplications` are those
    of this question, without the tables that are derived once and kept.
    """

    tree: ClusterTree
    variables: tuple[Name, ...]
    evidence: tuple[Name, ...]
    """Variables observed in one state."""
    likelihoods: tuple[Name, ...]
    """Variables with soft or set-valued evidence."""
    requisite: tuple[Name, ...]
    """The evidence that matters for the answer."""
    kept: tuple[int, ...]
    """Places of the clusters that answer."""
    variables_kept: tuple[Name, ...]
    """The variables of the small network, without barren ones."""
    barren: tuple[Name, ...]
    """Variables of the kept clusters that do not matter."""
    network: Literal["pruned", "hull", "whole"]
    """`pruned`: the kept clusters; `hull`: the smallest d-convex set; `whole`: the ancestors in the whole network."""
    method: Literal["elimination", "propagation"]
    order: tuple[Name, ...]
    """The variables in the order in which they are summed out."""
    derived: int
    """How many tables come from other clusters."""
    peak_bytes: int
    multiplications: int
    candidates: tuple[Candidate, ...] = ()
    """What was compared."""

    @property
    def dropped(self) -> tuple[int, ...]:
        """Places of the clusters that play no part."""
        kept = set(self.kept)
        return tuple(place for place in range(len(self.tree)) if place not in kept)

    @property
    def question(self) -> str:
        """`P(lung | smoke, xray)`."""
        given = [*self.evidence, *(f"{name} (likelihood)" for name in self.likelihoods)]
        return f"P({_listed(self.variables)}{' | ' if given else ''}{_listed(given)})"

    def __str__(self) -> str:
        ignored = [name for name in (*self.evidence, *self.likelihoods) if name not in set(self.requisite)]
        lines = [
            f"{self.question} by {self.method} on the {self.network} network",
            f"  clusters       {len(self.kept):,} of {len(self.tree):,} kept{_numbered(self.kept)}",
            f"  variables      {len(self.variables_kept):,} kept, {amount(len(self.barren), 'barren one')} dropped",
            f"  evidence       {_listed(self.requisite) or 'none'} matter{'s' if len(self.requisite) < 2 else ''}"
            + (f"; {_listed(ignored)} do{'es' if len(ignored) < 2 else ''} not" if ignored else ""),
            f"  order          {_listed(self.order) or 'nothing to sum out'}",
            f"  derived        {amount(self.derived, 'table')} from other clusters",
            f"  arithmetic     {amount(self.multiplications, 'multiplication')}",
            f"  peak memory    {readable_bytes(self.peak_bytes)}",
        ]
        lines += [
            f"  instead of     {other.method} on the {other.network} network: {amount(other.multiplications, 'multiplication')}"
            for other in self.candidates
            if (other.network, other.method) != (self.network, self.method)
        ]
        return "\n".join(lines)

    __repr__ = __str__


def _listed(names: Sequence[Name], most: int = 12) -> str:
    shown = ", ".join(map(str, names[:most]))
    return f"{shown}, … ({len(names)} in all)" if len(names) > most else shown


def _numbered(places: tuple[int, ...], most: int = 16) -> str:
    return f": {', '.join(map(str, places[:most]))}{', …' if len(places) > most else ''}" if places else ""
