"""EM from whatever holds rows: they are encoded once, and then gone over as often as it takes."""

from __future__ import annotations

from typing import TypeAlias

from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.learning.columns.encoded_columns import encoded_tables
from dconvex.learning.columns.matching import is_distributed, matched_tables, peeked
from dconvex.learning.estimation.coded_rows import HeldRows
from dconvex.learning.estimation.em import ExpectedStatistics
from dconvex.learning.estimation.priors import Prior
from dconvex.learning.estimation.regression_em import HeldNumbers, RegressionProblem
from dconvex.learning.estimation.table_em import TableProblem
from dconvex.learning.learning_options import LearningOptions
from dconvex.learning.partitioned_rows import PartitionedCodes, PartitionedNumbers, read_by_partition
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.counts import Counts
from dconvex.learning.statistics.gatherer import FamilyStatistics
from dconvex.learning.statistics.measured_rows import measured_rows
from dconvex.learning.statistics.moments import Moments
from dconvex.progress import Iterations
from dconvex.threads import threads

Problem: TypeAlias = TableProblem | RegressionProblem


def em_maximum(
    index: ClusterIndex,
    families: Families,
    data: object,
    prior: Prior | None,
    options: LearningOptions,
    *,
    coherent: bool,
    held: FamilyStatistics | None = None,
) -> ExpectedStatistics:
    """Expected statistics of these families in all tables of `data`, at the maximum that EM comes to.

    Raises:
        DataError: There are no rows, a column cannot be used or has no values, or rows are impossible under a given start.
        TooLargeError: The rows, or the missing cells of one of them, take more bytes than the limit.
        ValueError: Options do not go together.
    """
    if options.em is not None and options.em.start is not None and not coherent:
        raise ValueError("EM(start=…) needs coherent=True: clusters on their own start from their own columns")
    problem = em_problem(index, families, data, prior, options, held)
    with threads(options.n_jobs) as workers, Iterations("EM", "log-likelihood", is_shown=options.progress) as bar:
        if coherent:
            return problem.global_maximum(workers, bar.show)
        return problem.local_maximum(workers, bar.show)


def em_problem(
    index: ClusterIndex,
    families: Families,
    data: object,
    prior: Prior | None,
    options: LearningOptions,
    held: FamilyStatistics | None = None,
    *,
    may_lack: bool = False,
) -> Problem:
    """What EM goes over, from all tables of `data`, which `may_lack` rows or columns.

    Raises:
        DataError: There are no rows, or a column cannot be used or has no values.
        TooLargeError: The rows take more bytes than the limit.
        ValueError: Options do not go together.
    """
    assert held is None or isinstance(held, Counts | Moments)
    if is_distributed(data):
        source: PartitionedCodes | PartitionedNumbers | HeldRows | HeldNumbers = read_by_partition(families, data, options)
    else:
        kind, tables = peeked(matched_tables(data, families.names, options), options)
        if kind == "gaussian":
            source = HeldNumbers(measured_rows(families, tables, options))
        else:
            source = HeldRows.of(encoded_tables(families.names, tables, options))
    if isinstance(source, PartitionedNumbers | HeldNumbers):
        assert not isinstance(held, Counts)
        return RegressionProblem.of(index, families, source, prior, options, held, may_lack=may_lack)
    assert not isinstance(held, Moments)
    return TableProblem.of(index, families, source, prior, options, held, may_lack=may_lack)
