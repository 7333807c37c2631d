"""The statistics of whatever holds rows, here or where the rows lie."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dconvex.graph.dag import DagLike, as_dag
from dconvex.graph.tree import ClusterTree
from dconvex.learning.distributed import counted_where_it_lies, is_distributed
from dconvex.learning.encoding import Unknown
from dconvex.learning.reading import read_statistics
from dconvex.learning.statistics import Kind, Options, Scope, StatesLike, Statistics, checked_states
from dconvex.names import Name


def statistics(
    dag: DagLike,
    data: Any,
    *,
    tree: ClusterTree | None = None,
    kind: Kind | None = None,
    states: StatesLike | None = None,
    coherent: bool = False,
    for_query: Name | Iterable[Name] | None = None,
    unknown: Unknown = "raise",
    n_jobs: int | None = None,
    max_bytes: float | None = None,
    progress: bool = False,
) -> Statistics:
    """What there is to know of the data for learning: counts or moments of each family. They add up with `+`.

    The options are those of `fit`. With `coherent` only the families of the network itself are counted, without those that
    clusters share.

    >>> import dconvex as dc
    >>> network = dc.load_network("asia")
    >>> one, two = (dc.statistics(network, network.sample(500, seed=seed)) for seed in (1, 2))
    >>> one + two
    Statistics(discrete, 8 variables, 12 families, 1,000 rows)
    """
    graph = as_dag(dag)
    options = Options(kind, checked_states(graph, states), unknown, n_jobs, max_bytes, progress)
    return counted(Scope.of(graph, tree, coherent=coherent, for_query=for_query), data, options)


def counted(scope: Scope, data: Any, options: Options) -> Statistics:
    """The statistics of all tables in `data`."""
    return counted_where_it_lies(scope, data, options) if is_distributed(data) else read_statistics(scope, data, options)
