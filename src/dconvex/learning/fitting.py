"""Learning a model: each cluster from its own columns, all of them from one pass over the data."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias, final

import numpy as np

from dconvex.amounts import amount
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.errors import DataError
from dconvex.graph.dag import Dag, DagLike, as_dag
from dconvex.graph.tree import ClusterTree
from dconvex.inference.discrete import DiscreteAnswers
from dconvex.inference.gaussian import GaussianAnswers
from dconvex.inference.gaussian_store import RegressionStore
from dconvex.inference.model import LocalModel
from dconvex.inference.report import Report
from dconvex.inference.tables import TableStore
from dconvex.learning.counted import counted
from dconvex.learning.counts import Counts
from dconvex.learning.encoding import Unknown
from dconvex.learning.moments import Moments
from dconvex.learning.priors import BDeu, Dirichlet, NormalInverseGamma, Prior
from dconvex.learning.regressions import least_squares, posterior_means
from dconvex.learning.statistics import Kind, Options, Scope, StatesLike, Statistics, checked_states
from dconvex.learning.tables import estimated_tables
from dconvex.names import Label, Name
from dconvex.network.linear_regressions import Regressions
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import Tables

Learned: TypeAlias = tuple[DiscreteAnswers | GaussianAnswers, Report]


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

    `data` is a data frame (pandas, polars, pyarrow, …), a path to CSV or Parquet files, a Dask DataFrame, a list or iterator
    of tables (a family is counted in every table that has all its columns), or `Statistics`.

    `prior` is None (maximum likelihood), `BDeu`, `Dirichlet` or `NormalInverseGamma`. With `coherent` every answer is the
    marginal of the global estimate; without, clusters are learned on their own, as in the paper. `for_query` learns only the
    clusters that a question about these variables keeps. `states` declares labels, in order; a value that is not among them
    raises, or counts as missing with `unknown="missing"`. `n_jobs` is the number of threads (None: all cores) and makes no
    difference to the result.

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
    options = Options(kind, checked_states(graph, states), unknown, n_jobs, max_bytes, progress)
    if isinstance(data, Statistics):
        statistics = _fitting(data, graph, tree, for_query, kind, states)
    else:
        statistics = counted(Scope.of(graph, tree, coherent=coherent, for_query=for_query), data, options)
    return learned(statistics, prior, options, is_coherent=coherent)


def learned(statistics: Statistics, prior: Prior | None, options: Options, *, is_coherent: bool) -> LocalModel:
    """The model that these statistics give."""
    scope, part = statistics.scope, statistics.part
    if is_coherent and scope.is_partial:
        raise ValueError("coherent=True needs the whole network, and these statistics are those of a part")
    count = len(scope.index.dag) if is_coherent else scope.index.table_count
    if len(part.families) < count:
        raise ValueError("these statistics were made with coherent=True, without the families that clusters share")
    needed = part.first(count)
    needed.coverage.check(needed.families)
    if statistics.rows == 0 and prior is None:
        raise DataError("there are no rows to learn from")
    if isinstance(needed, Counts):
        answers, report = _discrete(scope, needed, prior, options.limit, is_coherent=is_coherent)
    else:
        answers, report = _gaussian(scope, needed, prior, is_coherent=is_coherent)
    origin = DataOrigin(statistics, answers, prior, options, report)
    return LocalModel(scope.index, answers, origin, options.given_limit)


@final
@dataclass(frozen=True, slots=True, eq=False)
class DataOrigin:
    """Data: the statistics of it that are kept, and how the model was learned from them."""

    kept: Statistics
    answers: DiscreteAnswers | GaussianAnswers
    prior: Prior | None
    options: Options
    found: Report

    @property
    def is_partial(self) -> bool:
        """Whether the model was learned for a question, without the rest of the network."""
        return self.kept.scope.is_partial

    def network(self) -> BayesianNetwork:
        return network_of(self.kept.scope.index, self.answers, is_partial=self.is_partial)

    def updated(self, data: Any) -> LocalModel:
        return updated_model(self.kept, data, self.prior, self.options, coherent=self.answers.coherent)

    def report(self) -> Report:
        return self.found

    def statistics(self) -> Statistics:
        """The statistics that the model was learned from."""
        return self.kept


def updated_model(before: Statistics, data: Any, prior: Prior | None, options: Options, *, coherent: bool) -> LocalModel:
    """The model that these statistics and more data, or more statistics, give."""
    same = options.of_kind(before.kind)
    more = data if isinstance(data, Statistics) else counted(before.scope, data, same)
    return learned(before + more, prior, same, is_coherent=coherent)


def network_of(index: ClusterIndex, answers: DiscreteAnswers | GaussianAnswers, *, is_partial: bool) -> BayesianNetwork:
    """The network of the variables' own families, which must have been read."""
    if is_partial:
        raise ValueError("the model was learned for_query= some variables, so there is no network of all of them")
    dag, own = index.dag, len(index.dag)
    if isinstance(answers, DiscreteAnswers):
        offsets = answers.store.offsets[: own + 1].copy()
        return BayesianNetwork(dag, Tables(tuple(answers.labels), offsets, answers.store.tables.values[: offsets[-1]]))
    store, edges = answers.store, len(dag.graph.parents.values)
    numbers = (store.intercept[:own].copy(), store.coefficients[:edges].copy(), store.variance[:own].copy())
    return BayesianNetwork(dag, Regressions.checked(dag, *numbers))


def _discrete(scope: Scope, counts: Counts, prior: Prior | None, limit: int, *, is_coherent: bool) -> Learned:
    if isinstance(prior, NormalInverseGamma):
        raise ValueError("NormalInverseGamma is a prior for Gaussian networks; use BDeu or Dirichlet for tables")
    found = estimated_tables(counts, prior, limit)
    store = TableStore.of(scope.index, counts.tallies.sizes, found.values)
    labels: tuple[tuple[Label, ...], ...] = tuple(own.labels for own in counts.states)
    answers = DiscreteAnswers(store, labels, coherent=is_coherent)
    unobserved = {
        counts.families.title(number): (int(found.unobserved[number]), int(found.rows[number]))
        for number in np.argsort(-found.unobserved, kind="stable").tolist()
        if found.unobserved[number]
    }
    report = Report("discrete", counts.coverage.rows, len(counts.families), unobserved, _left_out(counts), _partial(counts))
    return answers, report


def _gaussian(scope: Scope, moments: Moments, prior: Prior | None, *, is_coherent: bool) -> Learned:
    if prior is not None and not isinstance(prior, NormalInverseGamma):
        raise ValueError(f"{type(prior).__name__} is a prior for tables; use NormalInverseGamma for a Gaussian network")
    empty = np.flatnonzero(moments.coverage.used == 0)
    if len(empty) and prior is None:
        raise DataError(
            f"no row has all the cells of the family {moments.families.title(int(empty[0]))}; fill some, or use a prior"
        )
    found = least_squares(moments) if prior is None else posterior_means(moments, prior)
    store = RegressionStore(scope.index, found.intercept, found.coefficients, found.variance)
    answers = GaussianAnswers(store, coherent=is_coherent)
    own, names = len(scope.index.dag), scope.index.dag.nodes
    singular = tuple(moments.families.title(number) for number in np.flatnonzero(found.is_singular).tolist())
    constant = tuple(names[number] for number in np.flatnonzero(found.variance[:own] == 0).tolist())
    if singular:
        regressions = amount(len(singular), "regression")
        warnings.warn(
            f"the data does not determine {regressions}, the first is {singular[0]}: parents are collinear or "
            "constant, or there are too few rows; the smallest coefficients that fit are taken (see model.report())",
            stacklevel=4,
        )
    return answers, Report(
        "gaussian", moments.coverage.rows, len(moments.families), {}, _left_out(moments), _partial(moments), singular, constant
    )


def _left_out(part: Counts | Moments) -> dict[str, int]:
    left = part.coverage.left_out
    return {
        part.families.title(number): int(left[number]) for number in np.argsort(-left, kind="stable").tolist() if left[number]
    }


def _partial(part: Counts | Moments) -> dict[str, int]:
    """Families that not all rows were offered to."""
    coverage = part.coverage
    fewest_first = np.argsort(coverage.offered, kind="stable").tolist()
    return {part.families.title(n): int(coverage.offered[n]) for n in fewest_first if coverage.offered[n] < coverage.rows}


def _fitting(
    statistics: Statistics, dag: Dag, tree: ClusterTree | None, for_query: Any, kind: Kind | None, states: Any
) -> Statistics:
    """Statistics that were made for this graph, this tree and this kind of data."""
    if for_query is not None:
        raise ValueError("for_query= belongs where the statistics are made")
    own = statistics.dag
    if own != dag and not (statistics.scope.is_partial and set(own.nodes) <= set(dag.nodes) and own == dag.induced(own.nodes)):
        raise ValueError("the statistics were made for another graph")
    if tree is not None and tree != statistics.tree:
        raise ValueError("the statistics were made for another tree")
    if kind not in (None, statistics.kind):
        raise ValueError(f"the statistics are {statistics.kind}, and kind={kind!r}")
    if states is not None:
        raise ValueError("states= belongs where the statistics are made")
    return statistics


def _check_prior(prior: Any) -> None:
    if prior is not None and not isinstance(prior, BDeu | Dirichlet | NormalInverseGamma):
        raise TypeError(f"prior={prior!r}; there are None, dc.BDeu(10), dc.Dirichlet(1) and dc.NormalInverseGamma()")
