"""All tables of a discrete network in one flat array: sampling, likelihood, intervention."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from dconvex.amounts import amount
from dconvex.arrays import Codes, Floats, Offsets
from dconvex.bins import state_of
from dconvex.errors import NetworkError, UnknownStateError
from dconvex.graph.dag import Dag
from dconvex.names import Label, Name
from dconvex.network.completion import Completing, complete_states
from dconvex.network.family import Table, hashable
from dconvex.network.frame_columns import Columns
from dconvex.network.random_streams import can_skip, skip, skipped
from dconvex.threads import in_blocks, thread_count, threads

if TYPE_CHECKING:
    import pandas as pd

ROW_SUM_TOLERANCE = 1e-5
"""A row whose sum is this near to one is divided by it; any other sum is an error."""
ALREADY_NORMALIZED = 1e-12
"""A row whose sum is this near to one is left as it is, so that writing and reading changes nothing."""
ROWS_AT_ONCE = 1 << 14
"""Sampling works on blocks of rows that stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class RowRule:
    """Which rows are taken for distributions that somebody rounded."""

    tolerance: float = ROW_SUM_TOLERANCE
    """A row whose sum is this near to one is divided by it."""
    least: float = 0.0
    """Negative entries down to this one count as zero."""
    remark: str = f"rows within {ROW_SUM_TOLERANCE} of 1 are normalised"
    """What an error says of the rule."""


@dataclass(frozen=True, slots=True)
class Correction:
    """The row that a `RowRule` changed most."""

    size: float
    """How far its sum was from one, or an entry below zero."""
    problem: str


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """P(v | parents) for every node v of a DAG: `values[offset[v]:offset[v + 1]]`, axes (*parents, v), row-major."""

    kind: ClassVar[Literal["discrete"]] = "discrete"

    labels: tuple[tuple[Label, ...], ...]
    offset: Offsets
    values: Floats

    def __post_init__(self) -> None:
        self.offset.setflags(write=False)
        self.values.setflags(write=False)

    def __reduce__(self) -> tuple[object, ...]:
        return Tables, (self.labels, self.offset, self.values)

    @classmethod
    def from_arrays(cls, dag: Dag, labels: tuple[tuple[Label, ...], ...], arrays: Iterable[Floats]) -> Tables:
        """From an array of the right size for each node; rows are checked and normalised here."""
        return cls.corrected(dag, labels, arrays, RowRule())[0]

    @classmethod
    def corrected(
        cls, dag: Dag, labels: tuple[tuple[Label, ...], ...], arrays: Iterable[Floats], rule: RowRule
    ) -> tuple[Tables, Correction | None]:
        """As `from_arrays` by another rule, and the largest correction that goes beyond the usual one."""
        flat = [array.reshape(-1) for array in arrays]
        offset = np.zeros(len(flat) + 1, np.int64)
        np.cumsum([len(array) for array in flat], out=offset[1:])
        values = np.concatenate(flat) if flat else np.empty(0)
        correction = _normalize(dag, labels, offset, values, rule)
        return cls(labels, offset, values), correction

    @property
    def nbytes(self) -> int:
        """The bytes of the numbers."""
        return self.values.nbytes

    def states(self, dag: Dag) -> dict[Name, tuple[Label, ...]]:
        return dict(zip(dag.nodes, self.labels, strict=True))

    def family(self, dag: Dag, node: Name) -> Table:
        index = dag.index_of(node)
        shape = [len(self.labels[member]) for member in (*dag.graph.parents[index].tolist(), index)]
        return Table(dag.nodes[index], dag.parents(node), self._values_of(index).reshape(shape))

    def sample(self, dag: Dag, rows: int, rng: np.random.Generator) -> pd.DataFrame:
        return self.frame(dag, self.sampled_codes(dag, rows, rng), rows)

    def frame(self, dag: Dag, codes: Sequence[NDArray[Any]], rows: int) -> pd.DataFrame:
        """State codes of all nodes as a data frame of `rows` rows, with categorical columns."""
        import pandas as pd

        @cache
        def dtype(labels: tuple[Label, ...], types: tuple[type, ...]) -> pd.CategoricalDtype:
            return pd.CategoricalDtype(pd.Index(cast("tuple[Any, ...]", labels)))

        dtypes = [dtype(labels, tuple(map(type, labels))) for labels in self.labels]  # 1 and True are different labels
        columns = {
            name: pd.Categorical.from_codes(column, dtype=own, validate=False)
            for name, own, column in zip(dag.nodes, dtypes, codes, strict=True)
        }
        return pd.DataFrame(columns, index=pd.RangeIndex(rows), copy=False)

    def sampled_codes(
        self,
        dag: Dag,
        rows: int,
        rng: np.random.Generator,
        known: Mapping[int, NDArray[Any]] | None = None,
        n_jobs: int | None = 1,
    ) -> list[NDArray[Any]]:
        """State codes of all nodes for this many rows, each drawn given its parents; those of `known` nodes are kept.

        Any number of threads draws the same: each block of rows has its part of the generator's stream.
        """
        given = known or {}
        codes = [np.zeros(rows, np.int8 if len(labels) < 128 else np.int32) for labels in self.labels]
        drawn = [index for index in dag.graph.order.tolist() if index not in given]
        thresholds = {index: self._thresholds(index) for index in drawn}

        def draw(block: slice, generator: np.random.Generator) -> None:
            for index, own in given.items():
                codes[index][block] = own[block]
            for index in drawn:
                row = self._rows(dag, index, codes, block)
                uniform = generator.random(len(row))
                chosen = codes[index][block]
                for threshold in thresholds[index]:
                    chosen += uniform >= threshold[row]

        blocks = [slice(first, min(first + ROWS_AT_ONCE, rows)) for first in range(0, rows, ROWS_AT_ONCE)]
        jobs = min(thread_count(n_jobs), len(blocks))
        if jobs < 2 or not can_skip(rng):
            for block in blocks:
                draw(block, rng)
            return codes
        with threads(jobs) as workers:
            workers.map(lambda block: draw(block, skipped(rng, block.start * len(drawn))), blocks)
        skip(rng, rows * len(drawn))
        return codes

    def _thresholds(self, index: int) -> Floats:
        """For each state but the last, by row of the table: the uniform draw that passes the state over.

        From a row's last possible state on the threshold is one: rounding in the sum never lets an impossible state in.
        """
        table = self._values_of(index).reshape(-1, len(self.labels[index]))
        cumulative = np.cumsum(table, axis=1)
        still_possible = np.cumsum(table[:, ::-1], axis=1)[:, ::-1]
        nothing_beyond = still_possible[:, 1:] <= 0
        return np.ascontiguousarray(np.where(nothing_beyond, 1.0, cumulative[:, :-1]).T)

    def log_likelihood(self, dag: Dag, data: Columns, limit: int, n_jobs: int | None = 1) -> Floats:
        columns = [
            data.codes_or_missing(name, labels, unknown="raise") for name, labels in zip(dag.nodes, self.labels, strict=True)
        ]
        is_whole = np.ones(len(data), bool)
        for own in columns:
            is_whole &= own >= 0
        total = np.zeros(len(data))
        gapped = np.flatnonzero(~is_whole)
        if not len(gapped):
            return self._of_whole_rows(dag, columns, total, n_jobs)
        whole = [own[is_whole] for own in columns]
        total[is_whole] = self._of_whole_rows(dag, whole, np.zeros(len(data) - len(gapped)), n_jobs)
        codes = np.array([own[gapped] for own in columns], np.int32)
        sizes = [len(labels) for labels in self.labels]
        total[gapped] = complete_states(dag, self.values, sizes, codes, "none", Completing(limit, n_jobs))
        return total

    def _of_whole_rows(self, dag: Dag, codes: Sequence[NDArray[Any]], total: Floats, n_jobs: int | None) -> Floats:
        """Add the logarithms of the probabilities of rows without a missing cell."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.values)

        def add(block: slice) -> None:
            own = total[block]
            for index, column in enumerate(codes):
                cell = self._rows(dag, index, codes, block)
                cell *= len(self.labels[index])
                cell += self.offset[index]
                cell += column[block]
                own += logs[cell]

        in_blocks(len(total), ROWS_AT_ONCE, n_jobs, add)
        return total

    def intervened(self, dag: Dag, after: Dag, settings: Mapping[Name, Label | float]) -> Tables:
        def array(node: Name) -> Floats:
            if node not in settings:
                return self._values_of(dag.index_of(node))
            labels = self.labels[dag.index_of(node)]
            state = state_of(settings[node], labels)
            if state is None:
                raise UnknownStateError(node, settings[node], labels)
            fixed = np.zeros(len(labels))
            fixed[state] = 1.0
            return fixed

        return Tables.from_arrays(after, self.labels, map(array, dag.nodes))

    def _values_of(self, index: int) -> Floats:
        return self.values[self.offset[index] : self.offset[index + 1]]

    def _rows(self, dag: Dag, index: int, codes: Sequence[NDArray[Any]], block: slice) -> Codes:
        """For each sample of the block the row of the table that its parents choose."""
        row = np.zeros(block.stop - block.start, np.intp)
        for parent in dag.graph.parents[index].tolist():
            row *= len(self.labels[parent])
            row += codes[parent][block]
        return row

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Tables)
            and self.labels == other.labels
            and all(map(_same_types, self.labels, other.labels))
            and np.array_equal(self.values, other.values)
        )

    def __hash__(self) -> int:
        return hash((self.labels, hashable(self.values)))

    def __str__(self) -> str:
        return amount(len(self.values), "probability", "probabilities")


def _same_types(ours: tuple[Label, ...], theirs: tuple[Label, ...]) -> bool:
    """Whether labels that compare equal are the same: 1 and True are not."""
    return all(type(one) is type(other) for one, other in zip(ours, theirs, strict=True))


def _normalize(
    dag: Dag, labels: Sequence[tuple[Label, ...]], offset: Offsets, values: Floats, rule: RowRule
) -> Correction | None:
    """Divide, in place, every row by its sum where rounding made that differ from one; refuse other sums."""
    if not len(values):
        return None
    cardinality = np.array([len(own) for own in labels], np.int64)
    row_length = np.repeat(cardinality, np.diff(offset) // cardinality)
    row_start = np.cumsum(row_length) - row_length
    with np.errstate(invalid="ignore", over="ignore"):
        sums = np.add.reduceat(values, row_start)
    off = np.abs(sums - 1)
    # 1 - 0.99999 is a little more than 1e-5 in floats; a sum of zero cannot be divided by, whatever the rule
    is_wrong = ~((off <= rule.tolerance + ALREADY_NORMALIZED) & (sums > 0))
    # a negative entry may hide in a row that sums to one; an infinite one or NaN cannot
    least = np.minimum.reduceat(values, row_start)
    is_wrong |= ~((least >= rule.least) & np.isfinite(sums))
    if is_wrong.any():
        first = int(row_start[np.argmax(is_wrong)])
        scope, problem = _row_problem(dag, labels, offset, values, first, rule)
        raise NetworkError(f"{scope} {problem}", variable=dag.nodes[int(np.searchsorted(offset, first, side="right")) - 1])
    correction = None
    size = np.maximum(off, -least)
    worst = int(np.argmax(size))
    if size[worst] > ROW_SUM_TOLERANCE + ALREADY_NORMALIZED or least.min() < 0:
        scope, problem = _row_problem(dag, labels, offset, values, int(row_start[worst]), None)
        correction = Correction(float(size[worst]), f"{scope} {problem}")
    if least.min() < 0:
        np.maximum(values, 0.0, out=values)
        sums = np.add.reduceat(values, row_start)
        off = np.abs(sums - 1)
    values /= np.repeat(np.where(off > ALREADY_NORMALIZED, sums, 1.0), row_length)
    return correction


def _row_problem(
    dag: Dag, labels: Sequence[tuple[Label, ...]], offset: Offsets, values: Floats, first: int, rule: RowRule | None
) -> tuple[str, str]:
    """The row that begins at `first`, with names and states, and what is wrong with it by this rule; None: with its sum."""
    index = int(np.searchsorted(offset, first, side="right")) - 1
    own, parents = labels[index], dag.graph.parents[index].tolist()
    row = values[first : first + len(own)]
    number = (first - int(offset[index])) // len(own)
    chosen = np.unravel_index(number, [len(labels[parent]) for parent in parents]) if parents else ()
    given = [f"{dag.nodes[p]!r}={labels[p][state]!r}" for p, state in zip(parents, chosen, strict=True)]
    scope = f"P({dag.nodes[index]!r}{' | ' if given else ''}{', '.join(given)})"
    is_no_probability = ~np.isfinite(row) | (row < (0.0 if rule is None else rule.least))
    if is_no_probability.any():
        culprit = int(np.argmax(is_no_probability))
        return scope, f"gives {own[culprit]!r} the probability {row[culprit]}; it must be between 0 and 1"
    remark = "" if rule is None else f" ({rule.remark})"
    return scope, f"sums to {sum(row.tolist()):.10g}, not to 1{remark}"
