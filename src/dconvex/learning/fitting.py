"""Learning a model: each cluster from its own columns, all of them from one pass over the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from dconvex.graph.dag import Dag, DagLike, as_dag
from dconvex.graph.tree import ClusterTree
from dconvex.inference.discrete import DiscreteAnswers
from dconvex.inference.families import FamilyIndex
from dconvex.inference.model import LocalModel
from dconvex.learning.estimation.estimated import estimated
from dconvex.learning.estimation.priors import BDeu, Dirichlet, NormalInverseGamma, Prior, prior_record
from dconvex.learning.learning_options import Kind, LearningOptions, StatesLike, Unknown
from dconvex.learning.report import Report
from dconvex.learning.tree_statistics import Scope, Statistics, statistics_of
from dconvex.names import Name
from dconvex.network.linear_regressions import Regressions
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import Tables


def fit(
    dag: DagLike,
    data: Any,
    *,
    tree: ClusterTree | None = None,
    kind: Kind | None = None,
    states: StatesLike | None = None,
    prior: Prior | None = None,
    coherent: bool = False,
    for_query: Name | Iterable[Name] | None = None,
    unknown: Unknown = "raise",
    n_jobs: int | None = None,
    max_bytes: float | None = None,
    progress: bool = False,
) -> LocalModel:
    """Learn a model of these variables from data: each cluster of the tree from its own columns.

    Args:
        dag: The graph.
        data: A data frame (pandas, polars, pyarrow, …), a path to CSV or Parquet files, a Dask DataFrame, a list or iterator of
            tables (a family is counted in every table that has all its columns), or `Statistics`.
        tree: The tree whose clusters are learned; None: that of `decompose`.
        kind: "discrete" or "gaussian"; None: as the columns show.
        states: Labels of variables, in order; None: those that the data shows.
        prior: None (maximum likelihood), `BDeu`, `Dirichlet` or `NormalInverseGamma`.
        coherent: Make every answer the marginal of the global estimate. Without, clusters are learned on their own, as in the
            paper.
        for_query: Learn only the clusters that a question about these variables keeps.
        unknown: Whether a value that is not among `states` raises, or counts as missing.
        n_jobs: The number of threads (None: all cores); it makes no difference to the result.
        max_bytes: The most memory for counts and tables (None: half of what the machine has).
        progress: Show a bar if it takes more than a second.

    Returns:
        The model; `model.report()` says what was unobserved, missing or singular.

    Raises:
        DataError: There are no rows, a column cannot be used as it is, or no table has all the columns of a family.
        UnknownVariableError: `states` or `for_query` has a variable that the graph does not have.
        TooLargeError: Counts or tables take more memory than `max_bytes`.
        ValueError: Options are unknown, or do not go together.

    >>> import dconvex as dc
    >>> network = dc.load_network("asia")
    >>> model = dc.fit(network, network.sample(10_000, seed=1), prior=dc.BDeu(10))
    >>> model.query("lung", {"smoke": "yes"})
    Distribution of lung
      yes  0.100236
      no   0.899764
    """
    graph = as_dag(dag)
    _check_prior(prior)
    options = LearningOptions(kind, None, unknown, n_jobs, max_bytes, progress).with_states(graph, states)
    if isinstance(data, Statistics):
        _check_fits(data, graph, tree, for_query, options)
        statistics = data
    else:
        statistics = statistics_of(Scope.of(graph, tree, coherent=coherent, for_query=for_query), data, options)
    return learned(statistics, prior, options, coherent=coherent)


def learned(statistics: Statistics, prior: Prior | None, options: LearningOptions, *, coherent: bool) -> LocalModel:
    """The model that these statistics give."""
    scope, part = statistics.scope, statistics.part
    if coherent and scope.is_partial:
        raise ValueError("coherent=True needs the whole network, and these statistics are of a part of it; learn without")
    count = len(scope.index.dag) if coherent else scope.index.table_count
    if len(part.families) < count:
        raise ValueError("these statistics were made with coherent=True, without the families of clusters; learn with it too")
    found = estimated(scope.index, part.first(count), prior, options.limit, coherent=coherent)
    origin = FromData(scope.index, found.answers, statistics, prior, options, found.report, is_partial=scope.is_partial)
    return LocalModel(scope.index, found.answers, origin, options.max_bytes)


class SomeStatistics(Protocol):
    """Statistics, or what has them in a file."""

    def all(self) -> Statistics: ...


@dataclass(frozen=True, slots=True, eq=False)
class FromData:
    """How a model was learned: the statistics (read when they are needed), the prior, the options, the report."""

    index: FamilyIndex
    answers: Any
    statistics: SomeStatistics
    prior: Prior | None
    options: LearningOptions
    found: Report | None
    """None for a model of a given network that was opened from a file."""
    is_partial: bool

    def network(self) -> BayesianNetwork:
        if self.is_partial:
            raise ValueError("the model was learned for_query= some variables, so there is no network of all of them")
        self.answers.store.read_all()
        return network_of(self.index, self.answers)

    def updated(self, data: Any) -> LocalModel:
        if self.found is None:
            raise ValueError("this model comes from a given network, not from data; learn one with dc.fit")
        before = self.statistics.all()
        options = replace(self.options, kind=before.kind)
        more = data if isinstance(data, Statistics) else statistics_of(before.scope, data, options)
        return learned(before + more, self.prior, options, coherent=self.answers.coherent)

    def report(self) -> Report:
        if self.found is None:
            raise ValueError("this model comes from a given network: there is nothing to report about data")
        return self.found

    def stored(self, *, statistics: bool) -> tuple[Mapping[str, Any], dict[str, Any]]:
        if self.found is None:
            if statistics:
                raise ValueError("this model comes from a given network: there are no statistics to save")
            return {}, {"origin": "given"}
        states = self.options.states
        about = {
            "prior": prior_record(self.prior),
            "declared": None if states is None else list(states),
            "unknown": self.options.unknown,
            "partial": self.is_partial,
            "report": self.found.record(),
        }
        arrays, facts = self.statistics.all().stored() if statistics else ({}, {})
        return arrays, {"origin": "data", "learned": about, **facts}


def network_of(index: FamilyIndex, answers: Any) -> BayesianNetwork:
    """The network of the variables' own families."""
    dag, store = index.dag, answers.store
    own = len(dag)
    if isinstance(answers, DiscreteAnswers):
        offsets = store.offsets[: own + 1].copy()
        return BayesianNetwork(dag, Tables(tuple(answers.labels), offsets, store.tables.values[: offsets[-1]]))
    edges = len(dag.graph.parents.values)
    numbers = (store.intercept[:own].copy(), store.coefficients[:edges].copy(), store.variance[:own].copy())
    return BayesianNetwork(dag, Regressions.checked(dag, *numbers))


def _check_fits(
    statistics: Statistics,
    dag: Dag,
    tree: ClusterTree | None,
    for_query: Name | Iterable[Name] | None,
    options: LearningOptions,
) -> None:
    """Refuse statistics that were made for another graph, tree or kind of data."""
    if for_query is not None:
        raise ValueError("for_query= cannot be given with statistics; pass it to dc.statistics")
    own = statistics.dag
    is_part = statistics.scope.is_partial and set(own.nodes) <= set(dag.nodes)
    if own != dag and not (is_part and own == dag.induced(own.nodes)):
        raise ValueError("the statistics were made for another graph; make them for this one, or fit statistics.dag")
    if tree is not None and tree != statistics.tree:
        raise ValueError("the statistics were made for another tree; pass statistics.tree, or none")
    if options.states is not None:
        raise ValueError("states= cannot be given with statistics; pass it to dc.statistics")
    if options.kind not in (None, statistics.kind):
        raise ValueError(f"the statistics are {statistics.kind}, not {options.kind}; leave kind= out")


def _check_prior(prior: object) -> None:
    if prior is not None and not isinstance(prior, BDeu | Dirichlet | NormalInverseGamma):
        raise TypeError(f"prior={prior!r} is not a prior; use None, dc.BDeu(10), dc.Dirichlet(1) or dc.NormalInverseGamma()")
