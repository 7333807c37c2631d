"""Expected statistics of rows under the parameters of a model, or of a network: single E-steps."""

from __future__ import annotations

import numpy as np

from dconvex._core import Graph, Ragged
from dconvex.arrays import Floats, Indices
from dconvex.graph.dag import Dag
from dconvex.inference.discrete import DiscreteEngine
from dconvex.inference.gaussian import GaussianEngine
from dconvex.inference.model import LocalModel
from dconvex.inference.origin import NetworkOrigin
from dconvex.learned import RowOptions
from dconvex.learning.columns.encoded_columns import EncodedColumns
from dconvex.learning.em_fitting import Problem, em_problem
from dconvex.learning.estimation.expectation import GappedRows
from dconvex.learning.estimation.maximization import check_possible
from dconvex.learning.estimation.moment_expectation import GappedNumbers
from dconvex.learning.estimation.regression_em import RegressionProblem, own_regressions
from dconvex.learning.estimation.regression_estimates import RegressionEstimates
from dconvex.learning.estimation.table_em import own_tables
from dconvex.learning.learning_options import LearningOptions
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.coverage import Coverage
from dconvex.learning.statistics.gatherer import FamilyStatistics
from dconvex.learning.statistics.measured_rows import MeasuredSource
from dconvex.learning.statistics.moments import Moments, scatter_offsets
from dconvex.learning.tree_statistics import Scope, Statistics
from dconvex.network.network import BayesianNetwork
from dconvex.threads import Workers, threads


def expected_statistics(model: object, data: object, how: RowOptions) -> Statistics:
    """Expected statistics of rows under the parameters of a model: counted where a row shows a family, else in expectation.

    Raises:
        DataError: A column cannot be used, or rows are impossible under the model.
        TooLargeError: The rows, or the missing cells of one of them, take more bytes than the limit.
    """
    assert isinstance(model, LocalModel)
    index = model._index
    families = Families.of(index, own_only=model.coherent)
    options = LearningOptions(model.kind, None, how.unknown, how.n_jobs, how.max_bytes, how.progress)
    options = options.with_states(index.dag, model.states or None).with_weights(index.dag, how.weights)
    problem = em_problem(index, families, data, None, options, may_lack=True)
    with threads(how.n_jobs) as workers:
        part = _expected_under(problem, model, workers)
    is_partial = not isinstance(model._origin, NetworkOrigin) and bool(getattr(model._origin, "is_partial", False))
    return Statistics(Scope(index, families, is_partial=is_partial), part)


def _expected_under(problem: Problem, model: LocalModel, workers: Workers) -> FamilyStatistics:
    """One E-step under the numbers of a model: of its network, or of each cluster where they do not agree."""
    engine, dag = model._engine, model.dag
    if isinstance(problem, RegressionProblem):
        assert isinstance(engine, GaussianEngine)
        numbers = own_regressions(model.network(), dag) if model.coherent else _stored_regressions(engine)

        def regressions_of(variables: Indices, tables: Indices) -> RegressionEstimates:
            return problem.regressions_of(*numbers, variables, tables)

        return problem.expected_under(regressions_of, workers, coherent=model.coherent)
    assert isinstance(engine, DiscreteEngine)
    values = own_tables(model.network(), dag) if model.coherent else _stored_tables(engine)
    return problem.expected_under(lambda _, tables: problem.tables_of(values, tables), workers, coherent=model.coherent)


def _stored_tables(engine: DiscreteEngine) -> Floats:
    """All tables of a model that was learned locally."""
    engine.store.read_all()
    return engine.store.tables.values


def _stored_regressions(engine: GaussianEngine) -> tuple[Floats, Floats, Floats]:
    """All regressions of a model that was learned locally."""
    store = engine.store
    store.read_all()
    return store.intercept, store.coefficients, store.variance


def expected_family_counts(
    network: BayesianNetwork, dag: Dag, columns: EncodedColumns, families: Families, limit: int, workers: Workers
) -> Floats:
    """Expected counts of any families, one table after the other, given the cells of each row under a network.

    The families need not be those of the network: for each of them the network gets a child of all its members that has one
    state, which every row shows.

    Args:
        network: A discrete network of the graph `dag`, with the states of the columns.
        dag: The graph, with the variables in the order of the columns.
        columns: The rows.
        families: The families, over the same variables.
        limit: The most bytes.
        workers: The threads.

    Returns:
        The counts; those of a family sum to the weight of all rows.

    Raises:
        DataError: Rows are impossible under the network.
        TooLargeError: The missing cells of some row take more memory than the limit.
    """
    count = len(dag)
    graph = Graph(_with_children(dag, families))
    sizes = np.concatenate([[len(own) for own in columns.states], np.ones(len(families))]).astype(np.int64)
    own, cells = own_tables(network, dag), int(families.table_sizes(sizes[:count]).sum())
    codes = np.concatenate([columns.codes, np.zeros((len(families), columns.codes.shape[1]), columns.codes.dtype)])
    names = (*families.names, *range(len(families)))
    rows = GappedRows.of(names, graph, sizes, codes, columns.weights, limit)
    found = rows.expected(np.concatenate([own, np.ones(cells)]), workers)
    check_possible(found, "the network; one that is learned with a prior has no zeros")
    return found.statistics[len(own) :]


def expected_family_moments(
    network: BayesianNetwork, dag: Dag, measured: MeasuredSource, families: Families, limit: int, workers: Workers
) -> Moments:
    """Expected moments of any families given the numbers of each row under a linear Gaussian network.

    Args:
        network: A network of the graph `dag`.
        dag: The graph, with the variables in the order of the rows.
        measured: The moments of the families in the rows that show them entirely, and the rows with gaps.
        families: The families, over the same variables.
        limit: The most bytes.
        workers: The threads.

    Returns:
        The moments of all rows.

    Raises:
        DataError: Rows are impossible under the network.
        TooLargeError: The missing cells of some row take more memory than the limit.
    """
    lists = _with_children(dag, families)
    graph, count, more = Graph(lists), len(dag), len(families)
    intercept, coefficients, variance = own_regressions(network, dag)
    zeros = np.zeros((more, measured.values.shape[1]))
    members = Ragged.from_lists([[*lists[number].tolist(), number] for number in range(count + more)])
    both = Families((*families.names, *range(more)), members)
    rows = GappedNumbers.of(both, graph, np.concatenate([measured.values, zeros]), measured.weights, limit)
    numbers = RegressionEstimates(
        np.concatenate([intercept, np.zeros(more)]),
        np.concatenate([coefficients, np.zeros(len(families.members))]),
        np.concatenate([variance, np.ones(more)]),
        np.zeros(count + more, bool),
    )
    found = rows.expected(numbers, workers)
    check_possible(found, "the network; one that is learned with a prior has no zeros")
    return measured.moments.added(_without_children(found.statistics, families, count))


def _with_children(dag: Dag, families: Families) -> Ragged:
    """The parents of all variables, and of a child of all members of each family."""
    own = dag.graph.parents
    offsets = np.concatenate([own.offsets, own.offsets[-1] + families.offsets[1:]])
    return Ragged(offsets, np.concatenate([own.values, families.members]))


def _without_children(moments: Moments, families: Families, count: int) -> Moments:
    """Of families that end with a child the moments of the other members, from the family `count` on."""
    before, at = moments.families.offsets, scatter_offsets(moments.families)
    mean, scatter = [np.empty(0)], [np.empty(0)]
    for number in range(count, len(moments.families)):
        width = int(before[number + 1] - before[number])
        mean.append(moments.mean[before[number] : before[number + 1] - 1])
        scatter.append(moments.scatter[at[number] : at[number + 1]].reshape(width, width)[:-1, :-1].reshape(-1))
    means = np.concatenate(mean)
    none = Coverage.none(families)
    return Moments(families, means, np.zeros(len(means)), np.concatenate(scatter), none, moments.weight[count:])
