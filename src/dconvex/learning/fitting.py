"""Learning a model: each cluster from its own columns, all of them from one pass over the data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.graph.dag import Dag, DagLike
from dconvex.graph.tree import ClusterTree
from dconvex.inference.discrete import DiscreteEngine
from dconvex.inference.model import LocalModel
from dconvex.inference.report import EmReport, Report
from dconvex.learning.discretizer import Discretizer
from dconvex.learning.em_fitting import em_maximum
from dconvex.learning.estimation.em import check_start
from dconvex.learning.estimation.estimated import LearnedEngine, estimated
from dconvex.learning.estimation.priors import BDeu, Dirichlet, NormalInverseGamma, Prior
from dconvex.learning.learning_options import (
    EM,
    NULL_VALUES,
    Kind,
    LearningOptions,
    Missing,
    StatesLike,
    Unknown,
    checked_missing,
)
from dconvex.learning.structure_argument import structure_to_learn
from dconvex.learning.tree_statistics import Scope, Statistics, statistics_of
from dconvex.names import Name
from dconvex.network.linear_regressions import Regressions
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import Tables


def fit(
    dag: DagLike,
    data: Any = None,
    *,
    tree: ClusterTree | None = None,
    kind: Kind | None = None,
    states: StatesLike | None = None,
    prior: Prior | None = None,
    coherent: bool = False,
    for_query: Name | Iterable[Name] | None = None,
    missing: Missing | EM = "available",
    hidden: StatesLike | None = None,
    weights: Name | None = None,
    discretizer: Discretizer | None = None,
    null_values: Sequence[str] = NULL_VALUES,
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
        missing: What becomes of rows with missing cells. `"available"`: each family uses the rows that have all its cells,
            which is biased unless cells are missing completely at random; `"complete"`: all use the rows without any missing
            cell, which is no less biased. `"em"` or `EM(…)`: expectation maximisation, which
            needs them to be missing at random; of the whole network with `coherent=True`, else of each cluster from its own
            columns. A column that a table lacks is missing in it.
        hidden: Labels of variables that no table has (needs EM and `coherent=True`).
        weights: The column of the rows' weights, which every table has: a row of weight 2 counts as two rows.
        discretizer: What makes intervals of columns of numbers (see `discretize`); the model keeps the intervals, and takes
            numbers in evidence and in tables.
        null_values: How a missing cell is spelled in CSV files, unless a declared state is spelled so.
        unknown: Whether a value that is not among `states` raises, or counts as missing.
        n_jobs: The number of threads (None: all cores); it makes no difference to the result.
        max_bytes: The most memory for counts and tables, and with EM for rows (None: half of what the machine has).
        progress: Show a bar if it takes more than a second.

    Returns:
        The model; `model.report()` says what was unobserved, missing or singular.

    Raises:
        DataError: There are no rows, a column cannot be used as it is, or no table has all the columns of a family.
        UnknownVariableError: `states` or `for_query` has a variable that the graph does not have.
        TooLargeError: Counts or tables take more memory than `max_bytes`.
        TypeError: `dag` is a table or a path: the arguments are in the wrong order, or one is missing.
        ValueError: Options are unknown, or do not go together; or the graph has no variables.

    >>> import dconvex as dc
    >>> network = dc.load_network("asia")
    >>> model = dc.fit(network, network.sample(10_000, seed=1), prior=dc.BDeu(10))
    >>> model.query("lung", {"smoke": "yes"})
    P(lung | smoke = yes)
      yes  0.100236
      no   0.899764
    """
    graph = structure_to_learn(dag, data)
    _check_prior(prior)
    prior = prior.with_graph(graph) if isinstance(prior, BDeu | Dirichlet) else prior
    options = LearningOptions(kind, None, unknown, n_jobs, max_bytes, progress, checked_missing(missing))
    if options.em is not None and options.em.start is not None:
        check_start(options.em.start, graph)
        states = options.em.start.states if states is None else states
    options = options.with_states(graph, states).with_hidden(graph, hidden)
    options = replace(options, null_values=null_values).with_intervals(graph, discretizer).with_weights(graph, weights)
    if isinstance(data, Statistics):
        _check_fits(data, graph, tree, for_query, options)
        return learned(data, prior, options, coherent=coherent)
    scope = Scope.of(graph, tree, coherent=coherent, for_query=for_query)
    if options.em is not None:
        return learned_by_em(scope, data, prior, options, coherent=coherent)
    return learned(statistics_of(scope, data, options), prior, options, coherent=coherent)


def learned_by_em(
    scope: Scope, data: object, prior: Prior | None, options: LearningOptions, *, coherent: bool, held: Statistics | None = None
) -> LocalModel:
    """The model that EM gives, from rows and from the statistics of earlier ones that are held."""
    if options.hidden and not coherent:
        raise ValueError("hidden= needs coherent=True: each cluster would name the states of a hidden variable for itself")
    part = None if held is None else held.part
    found = em_maximum(scope.index, scope.families, data, prior, options, coherent=coherent, held=part)
    return learned(Statistics(scope, found.statistics), prior, options, coherent=coherent, em=found.report)


def learned(
    statistics: Statistics, prior: Prior | None, options: LearningOptions, *, coherent: bool, em: EmReport | None = None
) -> LocalModel:
    """The model that these statistics give."""
    scope, part = statistics.scope, statistics.part
    if coherent and scope.is_partial:
        raise ValueError("coherent=True needs the whole network, and these statistics are of a part of it; learn without")
    count = len(scope.index.dag) if coherent else scope.index.table_count
    if len(part.families) < count:
        raise ValueError("these statistics were made with coherent=True, without the families of clusters; learn with it too")
    found = estimated(scope.index, part.first(count), prior, options.limit, coherent=coherent)
    report = found.report if em is None else replace(found.report, missing={}, partial={}, em=em)
    origin = DataOrigin(statistics, found.engine, prior, options, report)
    return LocalModel(scope.index, found.engine, origin, options.max_bytes)


@final
@dataclass(frozen=True, slots=True, eq=False)
class DataOrigin:
    """Data: the statistics of it that are kept, and how the model was learned from them."""

    kept: Statistics
    engine: LearnedEngine
    prior: Prior | None
    options: LearningOptions
    found: Report

    @property
    def is_partial(self) -> bool:
        """Whether the model was learned for a question, without the rest of the network."""
        return self.kept.scope.is_partial

    def network(self) -> BayesianNetwork:
        return network_of(self.kept.scope.index, self.engine, is_partial=self.is_partial)

    def updated(self, data: Any) -> LocalModel:
        return updated_model(self.kept, data, self.prior, self.options, coherent=self.engine.coherent)

    def report(self) -> Report:
        return self.found

    def statistics(self) -> Statistics:
        """The statistics that the model was learned from."""
        return self.kept


def updated_model(
    before: Statistics, data: Any, prior: Prior | None, options: LearningOptions, *, coherent: bool
) -> LocalModel:
    """The model that these statistics and more data, or more statistics, give."""
    same = replace(options, kind=before.kind)
    if same.em is not None and not isinstance(data, Statistics):
        again = replace(same, missing=replace(same.em, start=None, restarts=1))
        return learned_by_em(before.scope, data, prior, again, coherent=coherent, held=before)
    more = data if isinstance(data, Statistics) else statistics_of(before.scope, data, same)
    return learned(before + more, prior, same, coherent=coherent)


def network_of(index: ClusterIndex, engine: LearnedEngine, *, is_partial: bool) -> BayesianNetwork:
    """The network of the variables' own families, which must have been read."""
    if is_partial:
        raise ValueError("the model was learned for_query= some variables, so there is no network of all of them")
    dag, own = index.dag, len(index.dag)
    if isinstance(engine, DiscreteEngine):
        offsets = engine.store.offsets[: own + 1].copy()
        return BayesianNetwork(dag, Tables(tuple(engine.labels), offsets, engine.store.tables.values[: offsets[-1]]))
    store, edges = engine.store, len(dag.graph.parents.values)
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
    if options.weights is not None:
        raise ValueError("weights= is about rows, and statistics have none; pass it to dc.statistics")
    if options.missing != "available":
        raise ValueError("missing= is about rows, and statistics have none; pass the rows, or leave missing= out")


def _check_prior(prior: object) -> None:
    if prior is not None and not isinstance(prior, BDeu | Dirichlet | NormalInverseGamma):
        raise TypeError(f"prior={prior!r} is not a prior; use None, dc.BDeu(10), dc.Dirichlet(1) or dc.NormalInverseGamma()")
