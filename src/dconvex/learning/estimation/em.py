"""EM of discrete networks: of the whole network (global), or of each cluster from its own columns (local)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dconvex._core import Graph, Ragged
from dconvex.arrays import Floats, Indices, Integers
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.errors import DataError
from dconvex.graph.dag import Dag
from dconvex.inference.report import EmReport
from dconvex.learning.columns.encoded_columns import NARROW, EncodedColumns
from dconvex.learning.estimation.expectation import GappedRows, check_tables
from dconvex.learning.estimation.maximization import Maximization, Maximum, Watch
from dconvex.learning.estimation.priors import NormalInverseGamma, Prior, TablePrior
from dconvex.learning.estimation.table_estimates import TableShape
from dconvex.learning.learning_options import EM, LearningOptions
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.counts import Counts, Tallies
from dconvex.learning.statistics.coverage import Coverage
from dconvex.names import Name
from dconvex.network.family import Table
from dconvex.network.network import BayesianNetwork
from dconvex.threads import Workers

ALIKE = 1e-4
"""States of a hidden variable are alike if no probability of a child differs by more."""


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedStatistics:
    """Expected counts of families at the maximum, and how it was reached."""

    counts: Counts
    report: EmReport


@dataclass(frozen=True, slots=True, eq=False)
class EmProblem:
    """What EM is about: families of a tree, rows, a prior, and counts of earlier rows that are held."""

    index: ClusterIndex
    families: Families
    columns: EncodedColumns
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
        columns: EncodedColumns,
        prior: Prior | None,
        options: LearningOptions,
        held: Counts | None = None,
    ) -> EmProblem:
        """The problem, checked; its states are those of the rows and of the counts that are held together.

        Raises:
            DataError: There are no rows, or a column is empty.
            ValueError: The prior is not one of tables.
            TooLargeError: Counts take more bytes than the limit.
        """
        assert options.em is not None
        if isinstance(prior, NormalInverseGamma):
            raise ValueError("NormalInverseGamma is a prior for Gaussian networks; use BDeu or Dirichlet for tables")
        hidden = frozenset(options.hidden)
        if held is None:
            _check_columns(columns, hidden)
        else:
            columns, held = _with_states_of(columns, held, options.limit)
        return cls(index, families, columns, held, prior, hidden, options.em, options.limit)

    @property
    def sizes(self) -> Integers:
        """The number of states of each variable."""
        return np.array([len(own) for own in self.columns.states], np.int64)

    def global_maximum(self, workers: Workers, watch: Watch) -> ExpectedStatistics:
        """EM of the whole network, from all starts; the best objective wins."""
        every = np.arange(len(self.families.names), dtype=np.int32)
        problem = self._maximization(every, every)
        start = problem.default_start() if self.em.start is None else self._given_start(self.em.start)
        is_hidden = np.array([name in self.hidden for name in self.families.names], bool)
        touches_hidden = np.repeat(self.families.any_member(is_hidden), problem.shape.cells)
        found: list[Maximum] = []
        for number in range(self.em.restarts):
            is_drawn = np.ones(len(start), bool) if number else touches_hidden & (self.em.start is None)
            rng = np.random.default_rng([self.em.seed, number])
            own = problem.drawn_start(start, is_drawn, rng) if is_drawn.any() else start
            found.append(problem.maximum(own, self.em, workers, watch))
        ends = tuple(own.objective[-1] for own in found)
        best = int(np.argmax(ends))
        won = found[best]
        report = EmReport(
            won.objective, won.log_likelihood, won.converged, problem.rows.core.missing_cells, ends, best,
            alike=self._alike(won.values, problem.shape),
        )  # fmt: skip
        return ExpectedStatistics(self._counts(won.counts, problem.rows.core.family_weights), report)

    def local_maximum(self, workers: Workers, watch: Watch) -> ExpectedStatistics:
        """EM of each cluster from its own columns; each table from the lowest-numbered cluster that has it."""
        clusters, first = self.index.core.clusters, _first_holders(self.index)
        chosen = np.unique(first).tolist()
        serial = Workers(0)

        def learn(number: int) -> tuple[Indices, TableShape, Maximum, GappedRows]:
            begin, end = clusters.offsets[number : number + 2].tolist()
            tables = self.index.core.member_table[begin:end]
            problem = self._maximization(clusters[number], tables)
            how = (workers, watch) if len(chosen) == 1 else (serial, _unwatched)
            return tables, problem.shape, problem.maximum(problem.default_start(), self.em, *how), problem.rows

        learned = workers.map(learn, chosen) if len(chosen) > 1 else [learn(number) for number in chosen]
        at = np.concatenate([[0], np.cumsum(TableShape.of(self.families, self.sizes).cells)])
        counts, weights = np.zeros(int(at[-1])), np.zeros(len(self.families))
        for number, (tables, shape, found, rows) in zip(chosen, learned, strict=True):
            begin = np.concatenate([[0], np.cumsum(shape.cells)])
            for k, table in enumerate(tables.tolist()):
                if first[table] == number:
                    counts[at[table] : at[table + 1]] = found.counts[begin[k] : begin[k + 1]]
                    weights[table] = rows.core.family_weights[k]
        filled = float(((self.columns.codes < 0) * self.columns.weights).sum())
        return ExpectedStatistics(self._counts(counts, weights), _together([found for _, _, found, _ in learned], filled))

    def _maximization(self, variables: Indices, tables: Indices) -> Maximization:
        """EM of the graph of some variables, each with the family of one table."""
        local = np.full(len(self.families.names), -1, np.int32)
        local[variables] = np.arange(len(variables))
        lists = [local[self.families.members_of(table)] for table in tables.tolist()]
        families = Families(tuple(self.families.names[v] for v in variables.tolist()), Ragged.from_lists(lists))
        sizes = self.sizes[variables]
        shape = TableShape.of(families, sizes)
        check_tables(float(shape.cells.sum()), self.limit)
        graph = Graph(Ragged.from_lists([own[:-1] for own in lists]))
        rows = GappedRows.of(families.names, graph, sizes, self.columns.codes[variables], self.columns.weights, self.limit)
        pseudo = None if self.prior is None else shape.pseudo_counts(self.prior)
        return Maximization(rows, shape, pseudo, self._held_in(tables))

    def _held_in(self, tables: Indices) -> Floats | None:
        """The counts that are held, of some tables one after the other."""
        if self.held is None:
            return None
        counts = self.held.tallies.dense()
        at = np.concatenate([[0], np.cumsum(TableShape.of(self.families, self.sizes).cells)])
        return np.concatenate([counts[at[table] : at[table + 1]] for table in tables.tolist()])

    def _given_start(self, start: BayesianNetwork) -> Floats:
        """The tables of a network that the caller gave.

        Raises:
            ValueError: It is of another graph, or has other states.
        """
        dag = self.index.dag
        is_same = set(start.dag.nodes) == set(dag.nodes) and all(
            set(start.dag.parents(name)) == set(dag.parents(name)) for name in dag.nodes
        )
        if not is_same or start.kind != "discrete":
            raise ValueError("EM starts from a discrete network of the same graph; give dc.EM(start=…) one")
        for name, own in zip(self.families.names, self.columns.states, strict=True):
            if start.states[name] != own.labels:
                raise ValueError(f"start= has the states {start.states[name]} for {name!r}, and the data {own.labels}")
        return np.concatenate([_table_of(start, dag, name) for name in dag.nodes])

    def _counts(self, counts: Floats, weights: Floats) -> Counts:
        """Expected counts as statistics. Every row is there for every family: what a table lacks is missing in it."""
        columns, families = self.columns, self.families
        every, rows = np.ones(len(families), np.int64), columns.rows
        used = np.minimum(np.rint(weights * (rows / columns.weights.sum())).astype(np.int64), rows)
        has_column = np.ones(len(families.names), bool)
        coverage = Coverage(rows, every, rows * every, used, has_column, columns.other_columns)
        if self.held is not None:
            coverage = self.held.coverage + coverage
        return Counts(columns.states, Tallies.expected(families, self.sizes, counts), coverage)

    def _alike(self, values: Floats, shape: TableShape) -> tuple[Name, ...]:
        """Hidden variables with two states under which no child differs."""
        at = np.concatenate([[0], np.cumsum(shape.cells)])
        return tuple(name for name in self.families.names if name in self.hidden and self._is_alike(name, values, at))

    def _is_alike(self, name: Name, values: Floats, at: Integers) -> bool:
        variable = self.index.dag.index_of(name)
        states = int(self.sizes[variable])
        apart = np.zeros((states, states))
        for child in self.index.dag.graph.children[variable].tolist():
            members = self.families.members_of(child)
            table = values[at[child] : at[child + 1]].reshape(self.sizes[members])
            by_state = np.moveaxis(table, members.index(variable), 0).reshape(states, -1)
            apart = np.maximum(apart, np.abs(by_state[:, None] - by_state[None]).max(axis=2))
        return bool((apart + np.eye(states)).min() < ALIKE)


def _table_of(start: BayesianNetwork, dag: Dag, name: Name) -> Floats:
    """The probabilities of a variable, the axes of its parents in the order of the graph."""
    table = start.family(name)
    assert isinstance(table, Table)
    axes = [table.parents.index(parent) for parent in dag.parents(name)]
    return np.transpose(table.values, [*axes, len(axes)]).reshape(-1)


def _unwatched(iteration: int, log_likelihood: float) -> None:
    """For clusters that run at the same time."""


def _first_holders(index: ClusterIndex) -> Indices:
    """For each table the lowest-numbered cluster that has it."""
    first = np.full(index.table_count, -1, np.int32)
    owners = index.core.clusters.owners()
    first[index.core.member_table[::-1]] = owners[::-1]
    return first


def _together(found: Sequence[Maximum], filled: float) -> EmReport:
    """The sums over clusters by iteration; one that has ended stays where it is."""
    most = max((len(own.objective) for own in found), default=0)

    def summed(traces: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
        return tuple(float(sum(own[min(k, len(own) - 1)] for own in traces)) for k in range(most))

    objective, log_likelihood = summed([own.objective for own in found]), summed([own.log_likelihood for own in found])
    return EmReport(objective, log_likelihood, all(own.converged for own in found), filled, objective[-1:], clusters=len(found))


def _check_columns(columns: EncodedColumns, hidden: frozenset[Name]) -> None:
    """Refuse variables that no row shows, unless they are hidden."""
    if not columns.rows:
        raise DataError("there are no rows to learn from; pass a table with rows")
    if not columns.weights.sum() > 0:
        raise DataError("all rows weigh nothing: the column of weights= holds zeros only")
    is_shown = np.any(columns.codes >= 0, axis=1)
    for name, shows, has_column in zip(columns.variables, is_shown.tolist(), columns.has_column.tolist(), strict=True):
        if name in hidden and has_column:
            raise DataError(f"{name!r} is hidden=, and a table has its column; leave out one of the two")
        if name not in hidden and not has_column:
            raise DataError(
                f"no table has a column {name!r}; if it is never observed, pass hidden={{{name!r}: labels}} with coherent=True"
            )
        if name not in hidden and not shows:
            raise DataError(
                f"column {name!r} has no values: all its cells are missing; if it is never observed, leave the column out and "
                f"pass hidden={{{name!r}: labels}} with coherent=True"
            )


def _with_states_of(columns: EncodedColumns, held: Counts, limit: int) -> tuple[EncodedColumns, Counts]:
    """Both with the states of both."""
    sizes = np.array([len(own) for own in columns.states], np.int64)
    empty = Counts(columns.states, Tallies.empty(held.families, sizes, limit), Coverage.none(held.families))
    both = held.added(empty, limit)
    tables = [np.append(own.codes_in(new), -1) for own, new in zip(columns.states, both.states, strict=True)]
    width = columns.codes.dtype if int(both.tallies.sizes.max(initial=0)) <= NARROW else np.dtype(np.int32)
    codes = np.empty(columns.codes.shape, width)
    for variable, table in enumerate(tables):
        codes[variable] = table[columns.codes[variable]]
    return replace(columns, states=both.states, codes=codes), both
