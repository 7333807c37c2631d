"""EM of the whole network (global), or of each cluster from its own columns (local), whatever kind its families are of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Literal

import numpy as np

from dconvex._core import Graph, Ragged
from dconvex.arrays import Flags, Indices
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.graph.dag import Dag
from dconvex.inference.report import EmReport
from dconvex.learning.estimation.maximization import Maximum, Numbers, Steps, Sums, Watch, check_possible, maximum
from dconvex.learning.learning_options import EM
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.gatherer import FamilyStatistics
from dconvex.names import Name
from dconvex.network.network import BayesianNetwork
from dconvex.threads import Workers

WHOLE = -1
"""The whole network, where clusters go by number."""


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedStatistics:
    """Expected statistics of families at the maximum, and how it was reached."""

    statistics: FamilyStatistics
    report: EmReport


@dataclass(frozen=True, slots=True, eq=False)
class Part(Generic[Numbers, Sums]):
    """A graph that EM runs on: the whole network, or a cluster. Of its tables some are wanted."""

    variables: Indices
    tables: Indices
    is_wanted: Flags
    steps: Steps[Numbers, Sums]
    found: tuple[Sums, ...] = ()
    """The expected statistics of its tables, when they are known."""

    def with_statistics(self, found: Sums) -> Part[Numbers, Sums]:
        """The same with the expected statistics of its tables."""
        return replace(self, found=(found,))

    @property
    def statistics(self) -> Sums:
        """The expected statistics of its tables."""
        return self.found[0]


class EmProblem(ABC, Generic[Numbers, Sums]):
    """What EM is about: families of a tree, rows, a prior, and statistics of earlier rows that are held."""

    index: ClusterIndex
    families: Families
    em: EM

    @property
    @abstractmethod
    def filled(self) -> float:
        """The weight of the cells that are missing."""

    @abstractmethod
    def steps(self, variables: Indices, tables: Indices) -> Steps[Numbers, Sums]:
        """The steps over the graph of some variables, each with the family of one table."""

    @abstractmethod
    def start(self, steps: Steps[Numbers, Sums], number: int) -> Numbers:
        """The start of this number, of the whole network."""

    @abstractmethod
    def joined(self, parts: Sequence[Part[Numbers, Sums]]) -> FamilyStatistics:
        """The statistics of all tables, those that are wanted of each part."""

    @abstractmethod
    def alike(self, parameters: Numbers) -> tuple[Name, ...]:
        """Hidden variables with states that could not be distinguished."""

    def global_maximum(self, workers: Workers, watch: Watch) -> ExpectedStatistics:
        """EM of the whole network, from all starts; the best objective wins."""
        part = self._part(WHOLE)
        steps = part.steps
        found = [maximum(steps, self.start(steps, k), self.em, workers, watch) for k in range(self.em.restarts)]
        ends = tuple(own.objective[-1] for own in found)
        best = int(np.argmax(ends))
        won = found[best]
        report = EmReport(
            won.objective, won.log_likelihood, won.converged, steps.missing_cells, ends, best, alike=self.alike(won.parameters)
        )
        return ExpectedStatistics(self.joined([part.with_statistics(won.statistics)]), report)

    def local_maximum(self, workers: Workers, watch: Watch) -> ExpectedStatistics:
        """EM of each cluster from its own columns."""
        chosen = self._chosen_clusters()
        serial = Workers(0)

        def learn(number: int) -> tuple[Part[Numbers, Sums], Maximum[Numbers, Sums]]:
            part = self._part(number)
            how = (workers, watch) if len(chosen) == 1 else (serial, _unwatched)
            found = maximum(part.steps, part.steps.default_start(), self.em, *how)
            return part.with_statistics(found.statistics), found

        learned = workers.map(learn, chosen) if len(chosen) > 1 else [learn(number) for number in chosen]
        report = _together([own for _, own in learned], self.filled)
        return ExpectedStatistics(self.joined([part for part, _ in learned]), report)

    def expected_under(
        self, parameters_of: Callable[[Indices, Indices], Numbers], workers: Workers, *, coherent: bool
    ) -> FamilyStatistics:
        """One E-step, under the parameters that are given for lists of variables and their tables.

        Raises:
            DataError: Rows are impossible.
        """
        parts = []
        for number in [WHOLE] if coherent else self._chosen_clusters():
            part = self._part(number)
            found = part.steps.expected(parameters_of(part.variables, part.tables), workers)
            check_possible(found, "the model; one that is learned with a prior has no zeros")
            parts.append(part.with_statistics(found.statistics))
        return self.joined(parts)

    def _part(self, number: int) -> Part[Numbers, Sums]:
        """The whole network, or the graph of a cluster; a table is wanted of the lowest-numbered cluster that has it."""
        if number == WHOLE:
            every = np.arange(len(self.families.names), dtype=np.int32)
            return Part(every, every, np.ones(len(every), bool), self.steps(every, every))
        clusters = self.index.core.clusters
        begin, end = clusters.offsets[number : number + 2].tolist()
        variables, tables = clusters[number], self.index.core.member_table[begin:end]
        return Part(variables, tables, _first_holders(self.index)[tables] == number, self.steps(variables, tables))

    def _chosen_clusters(self) -> list[int]:
        """Those of which some table is wanted."""
        chosen: list[int] = np.unique(_first_holders(self.index)).tolist()
        return chosen

    def graph_of(self, variables: Indices, tables: Indices) -> tuple[Families, Graph]:
        """The families of some tables, over their own variables."""
        local = np.full(len(self.families.names), -1, np.int32)
        local[variables] = np.arange(len(variables))
        lists = [local[self.families.members_of(table)] for table in tables.tolist()]
        families = Families(tuple(self.families.names[v] for v in variables.tolist()), Ragged.from_lists(lists))
        return families, Graph(Ragged.from_lists([own[:-1] for own in lists]))


def check_start(start: BayesianNetwork, dag: Dag) -> None:
    """Refuse a start of another graph.

    Raises:
        ValueError: It is.
    """
    is_same = set(start.dag.nodes) == set(dag.nodes) and all(
        set(start.dag.parents(name)) == set(dag.parents(name)) for name in dag.nodes
    )
    if not is_same:
        raise ValueError("EM starts from a network of the same graph; give dc.EM(start=…) one")


def check_start_kind(start: BayesianNetwork, kind: Literal["discrete", "gaussian"]) -> None:
    """Refuse a start of another kind than the data.

    Raises:
        ValueError: It is.
    """
    if start.kind != kind:
        raise ValueError(f"the data is {kind}, and start= is a {start.kind} network; give dc.EM(start=…) one of the same kind")


def _unwatched(iteration: int, log_likelihood: float) -> None:
    """For clusters that run at the same time."""


def _first_holders(index: ClusterIndex) -> Indices:
    """For each table the lowest-numbered cluster that has it."""
    first = np.full(index.table_count, -1, np.int32)
    owners = index.core.clusters.owners()
    first[index.core.member_table[::-1]] = owners[::-1]
    return first


def _together(found: Sequence[Maximum[Numbers, Sums]], filled: float) -> EmReport:
    """The sums over clusters by iteration; one that has ended stays where it is."""
    most = max((len(own.objective) for own in found), default=0)

    def summed(traces: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
        return tuple(float(sum(own[min(k, len(own) - 1)] for own in traces)) for k in range(most))

    objective, log_likelihood = summed([own.objective for own in found]), summed([own.log_likelihood for own in found])
    return EmReport(objective, log_likelihood, all(own.converged for own in found), filled, objective[-1:], clusters=len(found))
