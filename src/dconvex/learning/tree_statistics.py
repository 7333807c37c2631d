"""Statistics of the families of a tree over a graph, which can be added, saved, scored and learned from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NoReturn, cast, get_args

from dconvex.amounts import amount
from dconvex.clusters.checked_index import checked_index
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.graph.dag import Dag, DagLike
from dconvex.graph.decomposition import decompose
from dconvex.graph.tree import ClusterTree
from dconvex.learning.columns.matching import is_distributed
from dconvex.learning.discretizer import Discretizer
from dconvex.learning.estimation.priors import BDeu, BGe
from dconvex.learning.estimation.scores import Criterion, score
from dconvex.learning.learning_options import EM, NULL_VALUES, Kind, LearningOptions, StatesLike, Unknown, checked_missing
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.counts import Counts
from dconvex.learning.statistics.distributed import gathered_by_partition
from dconvex.learning.statistics.gatherer import FamilyStatistics, added
from dconvex.learning.statistics.gathering import gathered
from dconvex.learning.structure_argument import structure_to_learn
from dconvex.names import Label, Name, as_names
from dconvex.saved import storage


def statistics(
    dag: DagLike,
    data: Any = None,
    *,
    tree: ClusterTree | None = None,
    kind: Kind | None = None,
    states: StatesLike | None = None,
    coherent: bool = False,
    for_query: Name | Iterable[Name] | None = None,
    missing: Literal["available", "complete"] = "available",
    weights: Name | None = None,
    discretizer: Discretizer | None = None,
    null_values: Sequence[str] = NULL_VALUES,
    unknown: Unknown = "raise",
    n_jobs: int | None = None,
    max_bytes: float | None = None,
    progress: bool = False,
) -> Statistics:
    """All that learning needs to know of the data: counts or moments of each family. They add up with `+`.

    Args:
        dag: The graph.
        data: As for `fit`, but for `Statistics`.
        tree: The tree whose clusters are learned; None: that of `decompose`.
        kind: "discrete" or "gaussian"; None: as the columns show.
        states: Labels of variables, in order; None: those that the data shows.
        coherent: Count the families of the network only, without those of clusters that do not hold all parents.
        for_query: Count only what a question about these variables needs.
        missing: `"available"`: each family uses the rows that have all its cells; `"complete"`: all use the rows without any
            missing cell.
        weights: The column of the rows' weights, which every table has: a row of weight 2 counts as two rows.
        discretizer: What makes intervals of columns of numbers, as for `fit`.
        null_values: How a missing cell is spelled in CSV files, unless a declared state is spelled so.
        unknown: Whether a value that is not among `states` raises, or counts as missing.
        n_jobs: The number of threads (None: all cores); it makes no difference to the result.
        max_bytes: The most memory for counts (None: half of what the machine has).
        progress: Show a bar if it takes more than a second.

    Returns:
        The statistics of all tables together.

    Raises:
        DataError: There are no rows, or a column cannot be used as it is.
        UnknownVariableError: `states` or `for_query` has a variable that the graph does not have.
        TooLargeError: The counts take more memory than `max_bytes`.
        TypeError: `dag` is a table or a path: the arguments are in the wrong order, or one is missing.
        ValueError: Options are unknown, or do not go together; or the graph has no variables.

    >>> import dconvex as dc
    >>> network = dc.load_network("asia")
    >>> one, two = (dc.statistics(network, network.sample(500, seed=seed)) for seed in (1, 2))
    >>> one + two
    Statistics(discrete, 8 variables, 12 families, 1,000 rows)
    """
    graph = structure_to_learn(dag, data)
    way = checked_missing(missing)
    if isinstance(way, EM):
        raise ValueError(
            'missing="em" needs parameters, which statistics do not have; pass it to dc.fit, or take those under the '
            "parameters of a model: model.expected_statistics(data)"
        )
    options = LearningOptions(kind, None, unknown, n_jobs, max_bytes, progress, way).with_states(graph, states)
    options = replace(options, null_values=null_values).with_intervals(graph, discretizer).with_weights(graph, weights)
    return statistics_of(Scope.of(graph, tree, coherent=coherent, for_query=for_query), data, options)


def statistics_of(scope: Scope, data: Any, options: LearningOptions) -> Statistics:
    """The statistics of all tables in `data`; those of Dask are gathered where they are."""
    gather = gathered_by_partition if is_distributed(data) else gathered
    return Statistics(scope, gather(scope.families, data, options))


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """Which families of which tree are counted."""

    index: ClusterIndex
    families: Families
    is_partial: bool
    """Whether it is a part of the network, kept for a question."""

    @classmethod
    def of(
        cls, dag: Dag, tree: ClusterTree | None, *, coherent: bool = False, for_query: Name | Iterable[Name] | None = None
    ) -> Scope:
        """The families of a tree (None: that of `decompose`), of the network only, or of the clusters that a question keeps."""
        chosen = decompose(dag) if tree is None else checked_index(dag, tree).tree
        if for_query is not None:
            if coherent:
                raise ValueError("coherent=True needs the whole network, and for_query= keeps a part of it; pass one of them")
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


class Statistics:
    """Counts (discrete) or moments (Gaussian) of the families of a tree; `dc.statistics` makes them, `dc.fit` learns from them.

    `one + other` are the statistics of all rows together. They can be saved and sent, so that rows need not be.
    """

    scope: Scope
    part: FamilyStatistics

    def __init__(self, scope: Scope, part: FamilyStatistics) -> None:
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

    def score(self, criterion: Criterion | BDeu | BGe = "bic", equivalent_sample_size: float = 10.0) -> float:
        """How well the network fits the data, from the families of the network itself; higher is better.

        Args:
            criterion: "bic" or "aic" (log-likelihood less a penalty), "bdeu" or `BDeu(10)` (tables only), "bge" or `BGe(…)`
                (Gaussian networks only).
            equivalent_sample_size: That of "bdeu".

        Returns:
            The score, a logarithm.

        Raises:
            ValueError: There is no such score for data of this kind.
            DataError: No table covers some family, or a variable is determined by its parents.

        >>> import dconvex as dc
        >>> network = dc.load_network("asia")
        >>> round(dc.statistics(network, network.sample(1000, seed=1)).score("bic"), 3)
        -2318.579
        """
        if isinstance(criterion, BDeu):
            return score(self.part, "bdeu", criterion.common_size)
        if isinstance(criterion, BGe):
            return score(self.part, "bge", equivalent_sample_size, criterion)
        if criterion not in get_args(Criterion):
            raise ValueError(f"unknown score {criterion!r}; use 'bic', 'aic', 'bdeu' or 'bge'")
        return score(self.part, criterion, equivalent_sample_size)

    def save(self, path: str | Path) -> None:
        """Write the statistics to one file, which `Statistics.load` reads. It is replaced as a whole.

        Args:
            path: The file.

        Raises:
            OSError: The file cannot be written.
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
        return Statistics(self.scope, added(self.part, other.part))

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
