"""What a question does, before any number is touched: the plan that `explain` shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, final

from dconvex.amounts import amount, readable_bytes
from dconvex.caching import cached_property
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.graph.tree import ClusterTree
from dconvex.inference.request import Request
from dconvex.names import Name
from dconvex.shown import Shown


@final
@dataclass(frozen=True, slots=True, repr=False)
class Candidate:
    """One way to answer, with its cost."""

    network: Literal["pruned", "hull", "whole"]
    method: Literal["elimination", "propagation"]
    multiplications: int
    peak_bytes: int


class Executable(Protocol):
    """A plan of either engine: what is executed, and what it says about itself; variables and clusters are indices."""

    @property
    def network(self) -> Literal["pruned", "hull", "whole"]: ...
    @property
    def method(self) -> Literal["elimination", "propagation"]: ...
    @property
    def multiplications(self) -> int: ...
    @property
    def derived(self) -> int: ...
    @property
    def candidates(self) -> tuple[Candidate, ...]: ...
    def requisite(self) -> Sequence[int]: ...
    def kept_clusters(self) -> Sequence[int]: ...
    def kept_variables(self) -> Sequence[int]: ...
    def barren_variables(self) -> Sequence[int]: ...
    def order(self) -> Sequence[int]: ...


@final
@dataclass(frozen=True, eq=False, repr=False)
class QueryPlan(Shown):
    """How a question is answered: print it, or look at its picture, where the clusters that answer are lit.

    It describes the plan that `query` executes. What it says is computed when it is first looked at.
    """

    index: ClusterIndex
    request: Request
    executed: Executable
    peak_bytes: int
    """The most bytes held at once, the result, the tables to derive and the check of the evidence included; in slices, by one
    thread."""
    sliced_variables: tuple[int, ...] = ()
    slices: int = 1
    """How often the plan is run, once for each joint state of `sliced`; the answers are added up."""

    @cached_property
    def tree(self) -> ClusterTree:
        """The tree of clusters."""
        return self.index.tree

    @cached_property
    def variables(self) -> tuple[Name, ...]:
        """The variables asked for, in order."""
        return self._named(self.request.variables)

    @cached_property
    def evidence(self) -> tuple[Name, ...]:
        """Variables observed in one state, or as a number."""
        return self._named(self.request.evidence.observed)

    @cached_property
    def likelihoods(self) -> tuple[Name, ...]:
        """Variables with soft or set-valued evidence."""
        return self._named(self.request.evidence.soft)

    @cached_property
    def requisite(self) -> tuple[Name, ...]:
        """The evidence that matters for the answer."""
        return self._named(self.executed.requisite())

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """Indices of the clusters that answer."""
        return tuple(self.executed.kept_clusters())

    @cached_property
    def dropped(self) -> tuple[int, ...]:
        """Indices of the clusters that play no part."""
        kept = set(self.kept)
        return tuple(cluster for cluster in range(len(self.tree)) if cluster not in kept)

    @cached_property
    def variables_kept(self) -> tuple[Name, ...]:
        """The variables of the small network, without barren ones."""
        return self._named(self.executed.kept_variables())

    @cached_property
    def barren(self) -> tuple[Name, ...]:
        """Variables of the kept clusters that do not matter."""
        return self._named(self.executed.barren_variables())

    @cached_property
    def network(self) -> Literal["pruned", "hull", "whole"]:
        """`pruned`: the kept clusters; `hull`: the smallest d-convex set; `whole`: the ancestors in the whole network."""
        return self.executed.network

    @cached_property
    def method(self) -> Literal["elimination", "propagation"]:
        """How the variables that are not asked for are summed out."""
        return self.executed.method

    @cached_property
    def order(self) -> tuple[Name, ...]:
        """The variables in the order in which they are summed out."""
        return self._named(self.executed.order())

    @cached_property
    def sliced(self) -> tuple[Name, ...]:
        """The variables that are fixed in a slice, where the question does not fit otherwise."""
        return self._named(self.sliced_variables)

    @cached_property
    def derived(self) -> int:
        """How many tables come from other clusters."""
        return self.executed.derived

    @cached_property
    def multiplications(self) -> int:
        """Those of this question in all slices, without the tables that are derived once and kept."""
        return self.slices * self.executed.multiplications

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """The ways to answer that were compared."""
        return self.executed.candidates

    def _named(self, variables: Sequence[int]) -> tuple[Name, ...]:
        names = self.index.dag.names
        return tuple([names[variable] for variable in variables])

    @property
    def question(self) -> str:
        """`P(lung | smoke, xray)`."""
        given = [*self.evidence, *(f"{name} (likelihood)" for name in self.likelihoods)]
        return f"P({_listed(self.variables)}{' | ' if given else ''}{_listed(given)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, QueryPlan) and self.__getstate__() == other.__getstate__()

    def __hash__(self) -> int:
        return hash((self.variables, self.evidence, self.likelihoods, self.kept, self.order))

    def __getstate__(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in _FACTS}  # a program belongs to its process

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
        if self.slices > 1:
            lines.insert(5, f"  slices         {self.slices:,}, one for each joint state of {_listed(self.sliced)}")
        lines += [
            f"  instead of     {other.method} on the {other.network} network: {amount(other.multiplications, 'multiplication')}"
            for other in self.candidates
            if (other.network, other.method) != (self.network, self.method)
        ]
        return "\n".join(lines)

    __repr__ = __str__


_FACTS = (
    *("tree", "variables", "evidence", "likelihoods", "requisite", "kept", "variables_kept", "barren"),
    *("network", "method", "order", "derived", "peak_bytes", "multiplications", "candidates"),
    *("sliced", "slices"),
)
"""What a plan says; a pickled one says the same."""


def _listed(names: Sequence[Name], most: int = 12) -> str:
    shown = ", ".join(map(str, names[:most]))
    return f"{shown}, … ({len(names)} in all)" if len(names) > most else shown


def _numbered(clusters: tuple[int, ...], most: int = 16) -> str:
    return f": {', '.join(map(str, clusters[:most]))}{', …' if len(clusters) > most else ''}" if clusters else ""
