"""EM of discrete networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dconvex.arrays import Floats, Indices, Integers
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.graph.dag import Dag
from dconvex.learning.columns.states import States
from dconvex.learning.estimation.coded_rows import EncodedSource
from dconvex.learning.estimation.em import EmProblem, Part, check_start_kind
from dconvex.learning.estimation.expectation import check_tables
from dconvex.learning.estimation.maximization import Steps
from dconvex.learning.estimation.priors import NormalInverseGamma, Prior, TablePrior
from dconvex.learning.estimation.table_estimates import TableShape
from dconvex.learning.estimation.table_steps import TableSteps
from dconvex.learning.learning_options import EM, LearningOptions
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.counts import Counts, Tallies
from dconvex.learning.statistics.coverage import Coverage
from dconvex.names import Name
from dconvex.network.family import Table
from dconvex.network.network import BayesianNetwork

ALIKE = 1e-4
"""States of a hidden variable are alike if no probability of a child differs by more."""


@dataclass(frozen=True, slots=True, eq=False)
class TableProblem(EmProblem[Floats, Floats]):
    """EM of the tables of a tree's families."""

    index: ClusterIndex
    families: Families
    rows: EncodedSource
    states: tuple[States, ...]
    """Those of the rows and of the counts that are held together."""
    held: Counts | None
    prior: TablePrior | None
    hidden: frozenset[Name]
    em: EM
    limit: int

    @classmethod
    def of(
        cls,
        index: ClusterIndex,
        families: Families,
        rows: EncodedSource,
        prior: Prior | None,
        options: LearningOptions,
        held: Counts | None = None,
        *,
        may_lack: bool = False,
    ) -> TableProblem:
        """The problem, checked; `may_lack` rows or columns.

        Raises:
            DataError: There are no rows, or a column is empty.
            ValueError: The prior is not one of tables.
            TooLargeError: Counts take more bytes than the limit.
        """
        if isinstance(prior, NormalInverseGamma):
            raise ValueError("NormalInverseGamma is a prior for Gaussian networks; use BDeu or Dirichlet for tables")
        hidden, states, both = frozenset(options.hidden), rows.states, None
        if held is None and not may_lack:
            rows.summary.check(families.names, hidden)
        if held is not None:
            sizes = np.array([len(own) for own in states], np.int64)
            none = Counts(states, Tallies.empty(held.families, sizes, options.limit), Coverage.none(held.families))
            both = held.added(none, options.limit)
            states = both.states
        return cls(index, families, rows, states, both, prior, hidden, options.em or EM(), options.limit)

    @property
    def sizes(self) -> Integers:
        """The number of states of each variable."""
        return np.array([len(own) for own in self.states], np.int64)

    @property
    def filled(self) -> float:
        return self.rows.summary.filled

    def steps(self, variables: Indices, tables: Indices) -> TableSteps:
        families, graph = self.graph_of(variables, tables)
        shape = TableShape.of(families, self.sizes[variables])
        check_tables(float(shape.cells.sum()), self.limit)
        states = [self.states[variable] for variable in variables.tolist()]
        rows = self.rows.prepared(families.names, graph, variables, states, self.limit)
        pseudo = None if self.prior is None else shape.pseudo_counts(self.prior, families, self.sizes[variables])
        held = None if self.held is None else self.tables_of(self.held.tallies.dense(), tables)
        return TableSteps(rows, shape, pseudo, held)

    def tables_of(self, values: Floats, tables: Indices) -> Floats:
        """Of the cells of all tables those of some, one after the other."""
        at = self._table_offsets()
        return np.concatenate([np.empty(0), *(values[at[table] : at[table + 1]] for table in tables.tolist())])

    def start(self, steps: Steps[Floats, Floats], number: int) -> Floats:
        start = steps.default_start() if self.em.start is None else self._given_start(self.em.start)
        rng = np.random.default_rng([self.em.seed, number])
        assert isinstance(steps, TableSteps)
        if number:
            return steps.drawn_start(start, rng)
        if self.em.start is not None or not self.hidden:
            return start
        is_hidden = np.array([name in self.hidden for name in self.families.names], bool)
        touches_hidden = np.repeat(self.families.first(len(is_hidden)).any_member(is_hidden), steps.shape.cells)
        return steps.drawn_start(start, rng, touches_hidden)

    def joined(self, parts: Sequence[Part[Floats, Floats]]) -> Counts:
        at = self._table_offsets()
        counts, weights = np.zeros(int(at[-1])), np.zeros(len(self.families))
        for part in parts:
            assert isinstance(part.steps, TableSteps)
            begin = np.concatenate([[0], np.cumsum(part.steps.shape.cells)])
            for k in np.flatnonzero(part.is_wanted).tolist():
                table = int(part.tables[k])
                counts[at[table] : at[table + 1]] = part.statistics[begin[k] : begin[k + 1]]
                weights[table] = part.steps.rows.family_weights[k]
        coverage = self.rows.summary.coverage(self.families, weights)
        if self.held is not None:
            coverage = self.held.coverage + coverage
        return Counts(self.states, Tallies.expected(self.families, self.sizes, counts), coverage)

    def alike(self, parameters: Floats) -> tuple[Name, ...]:
        return tuple(name for name in self.families.names if name in self.hidden and self._is_alike(name, parameters))

    def _is_alike(self, name: Name, values: Floats) -> bool:
        variable, at = self.index.dag.index_of(name), self._table_offsets()
        states = int(self.sizes[variable])
        apart = np.zeros((states, states))
        for child in self.index.dag.graph.children[variable].tolist():
            members = self.families.members_of(child)
            table = values[at[child] : at[child + 1]].reshape(self.sizes[members])
            by_state = np.moveaxis(table, members.index(variable), 0).reshape(states, -1)
            apart = np.maximum(apart, np.abs(by_state[:, None] - by_state[None]).max(axis=2))
        return bool((apart + np.eye(states)).min() < ALIKE)

    def _table_offsets(self) -> Integers:
        return np.concatenate([[0], np.cumsum(self.families.table_sizes(self.sizes))]).astype(np.int64)

    def _given_start(self, start: BayesianNetwork) -> Floats:
        """The tables of a network that the caller gave.

        Raises:
            ValueError: It is of another kind, or has other states.
        """
        check_start_kind(start, "discrete")
        for name, own in zip(self.families.names, self.states, strict=True):
            if start.states[name] != own.labels:
                raise ValueError(f"start= has the states {start.states[name]} for {name!r}, and the data {own.labels}")
        return own_tables(start, self.index.dag)


def own_tables(network: BayesianNetwork, dag: Dag) -> Floats:
    """The probabilities of all variables, the axes of their parents in the order of the graph."""
    tables = []
    for name in dag.nodes:
        table = network.family(name)
        assert isinstance(table, Table)
        axes = [table.parents.index(parent) for parent in dag.parents(name)]
        tables.append(np.transpose(table.values, [*axes, len(axes)]).reshape(-1))
    return np.concatenate([np.empty(0), *tables])
