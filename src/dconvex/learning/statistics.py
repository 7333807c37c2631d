"""Additive statistics of the families of a tree: all that learning needs to know of the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, NoReturn, TypeAlias, cast

from dconvex.amounts import amount
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.errors import DataError
from dconvex.graph.dag import Dag
from dconvex.graph.decomposition import decompose
from dconvex.graph.tree import ClusterTree
from dconvex.inference.memory import default_limit, limit_of
from dconvex.inference.model import checked_tree
from dconvex.learning.counts import Counts, Criterion
from dconvex.learning.encoding import Unknown
from dconvex.learning.families import Families
from dconvex.learning.moments import Moments
from dconvex.learning.threads import thread_count
from dconvex.names import Label, Name, as_names, checked_labels
from dconvex.saved import storage

Kind: TypeAlias = Literal["discrete", "gaussian"]
StatesLike: TypeAlias = Mapping[Name, Iterable[Label]]


class Scope:
    """Which families of which tree are counted."""

    def __init__(self, index: ClusterIndex, families: Families, *, is_partial: bool) -> None:
        self.index, self.families, self.is_partial = index, families, is_partial

    @classmethod
    def of(
        cls, dag: Dag, tree: ClusterTree | None, *, coherent: bool = False, for_query: Name | Iterable[Name] | None = None
    ) -> Scope:
        chosen = decompose(dag) if tree is None else checked_tree(dag, tree)
        if for_query is not None:
            if coherent:
                raise ValueError("coherent=True needs the whole network, of which for_query= leaves out all but a part")
            wanted = as_names(for_query)
            for name in wanted:
                dag.index_of(name)
            kept = chosen.pruned_to(wanted)
            chosen = ClusterTree(  # over the variables that are left
                kept.clusters, kept.edges, mode=kept.mode, certified=kept.certified, undecided=kept.undecided
            )
            dag = dag.induced(kept.variables)
        index = ClusterIndex.of(dag, chosen)
        return cls(index, Families.of(index, own_only=coherent), is_partial=for_query is not None)


class Options:
    """How data is read."""

    def __init__(
        self, kind: Kind | None = None, states: Mapping[Name, tuple[Label, ...]] | None = None, unknown: Unknown = "raise",
        n_jobs: int | None = None, max_bytes: float | None = None, progress: bool = False,
    ) -> None:  # fmt: skip
        if kind not in (None, "discrete", "gaussian"):
            raise ValueError(f"kind={kind!r}; there are 'discrete' and 'gaussian'")
        if unknown not in ("raise", "missing"):
            raise ValueError(f"unknown={unknown!r}; there are 'raise' and 'missing'")
        self.kind: Kind | None = "discrete" if kind is None and states else kind
        self.states, self.unknown, self.n_jobs, self.progress = states, unknown, n_jobs, progress
        self.given_limit = max_bytes
        self.limit = limit_of(max_bytes)
        thread_count(n_jobs)

    @property
    def texts(self) -> list[str]:
        """The columns whose declared states are all text."""
        declared = (self.states or {}).items()
        return [str(name) for name, labels in declared if all(isinstance(label, str) for label in labels)]

    def of_kind(self, kind: Kind) -> Options:
        """The same, for data that is known to be of a kind."""
        return Options(kind, self.states, self.unknown, self.n_jobs, self.given_limit, self.progress)


class Statistics:
    """Counts (discrete) or moments (Gaussian) of the families of a tree; `dc.statistics` makes them, `dc.fit` learns from them.

    `one + other` are the statistics of all rows together. They can be saved and sent, so that rows need not be.
    """

    scope: Scope
    part: Counts | Moments

    def __init__(self, scope: Scope, part: Counts | Moments) -> None:
        self.__dict__.update(scope=scope, part=part)

    @property
    def dag(self) -> Dag:
        """The graph that they were made for."""
        return self.scope.index.dag

    @property
    def tree(self) -> ClusterTree:
        """The tree whose families were counted."""
        return self.scope.index.tree

    @property
    def kind(self) -> Kind:
        """Counts of states, or moments of numbers."""
        return self.part.kind

    @property
    def rows(self) -> int:
        """The rows of all tables together."""
        return self.part.coverage.rows

    @property
    def states(self) -> dict[Name, tuple[Label, ...]]:
        """The labels of each variable so far; empty for Gaussian ones."""
        if not isinstance(self.part, Counts):
            return {}
        return {name: own.labels for name, own in zip(self.dag.nodes, self.part.states, strict=True)}

    def score(self, criterion: Criterion = "bic", equivalent_sample_size: float = 10.0) -> float:
        """How well the network fits the data: "bic", "aic" (both as logarithms of a likelihood, higher is better) or "bdeu".

        >>> import dconvex as dc
        >>> network = dc.load_network("asia")
        >>> round(dc.statistics(network, network.sample(1000, seed=1)).score("bic"), 3)
        -2318.579
        """
        if criterion not in ("bic", "aic", "bdeu"):
            raise ValueError(f"unknown score {criterion!r}; there are 'bic', 'aic' and 'bdeu'")
        self.part.coverage.first(len(self.dag)).check(self.part.families.first(len(self.dag)))
        return self.part.score(criterion, equivalent_sample_size)

    def save(self, path: str | Path) -> None:
        """Write the statistics to one file, which `Statistics.load` reads. It is replaced as a whole.

        Args:
            path: The file.
        """
        storage().save_statistics(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Statistics:
        """Read what `save` wrote.

        Args:
            path: The file, of this version or of an earlier one.

        Returns:
            The statistics.

        Raises:
            FormatError: The file is damaged, cut short, foreign, or of a later version.
        """
        return cast("Statistics", storage().load_statistics(Path(path)))

    def __add__(self, other: object) -> Statistics:
        if not isinstance(other, Statistics):
            return NotImplemented
        if self.kind != other.kind:
            raise DataError(f"{self.kind} and {other.kind} statistics cannot be added; pass kind= when they are made")
        if self.part.families != other.part.families:
            raise ValueError("statistics of different families cannot be added: the graphs or the trees differ")
        return Statistics(self.scope, self.part.added(other.part, default_limit()))  # type: ignore[arg-type]

    def __radd__(self, other: object) -> Statistics:
        """So that `sum` works."""
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Statistics) and self.part == other.part

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        families = amount(len(self.part.families), "family", "families")
        return f"Statistics({self.kind}, {amount(len(self.dag), 'variable')}, {families}, {amount(self.rows, 'row')})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"Statistics are frozen; {name!r} cannot be set")


def checked_states(dag: Dag, states: StatesLike | None) -> dict[Name, tuple[Label, ...]] | None:
    """The states that the caller declares, of the variables of this graph."""
    if states is None:
        return None
    for name in states:
        dag.index_of(name)
    return {name: checked_labels(name, labels) for name, labels in states.items()}
