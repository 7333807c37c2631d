"""Statistics of discrete families: how often each configuration of a family was seen."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex._core import CountTables, count_cells
from dconvex.errors import DataError
from dconvex.learning.cells import Cells
from dconvex.learning.coverage import Coverage
from dconvex.learning.encoding import Encoder, Unknown, check_number_of_states
from dconvex.learning.families import Families
from dconvex.learning.states import States
from dconvex.learning.tallies import Seen, Tallies, table_sizes
from dconvex.learning.threads import TASKS, Workers, even_parts
from dconvex.names import Label, Name

Longs: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Criterion: TypeAlias = Literal["bic", "aic", "bdeu"]

NARROW = 127
"""Up to so many states fit into a code of one byte."""


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Additive statistics of discrete families."""

    kind: ClassVar[Literal["discrete"]] = "discrete"

    states: tuple[States, ...]
    tallies: Tallies
    coverage: Coverage

    @property
    def families(self) -> Families:
        return self.tallies.families

    def added(self, other: Counts, limit: int) -> Counts:
        for name, mine, theirs in zip(self.families.names, self.states, other.states, strict=True):
            if not mine.goes_with(theirs):
                raise DataError(f"column {name!r} holds {mine.labels[0]!r} in one part and {theirs.labels[0]!r} in another")
        states = tuple(mine | theirs for mine, theirs in zip(self.states, other.states, strict=True))
        check_number_of_states(self.families.names, states)
        sizes = np.array([len(own) for own in states], np.int64)
        one, two = (
            part.tallies
            if part.states == states
            else part.tallies.moved(sizes, [own.places_in(new) for own, new in zip(part.states, states, strict=True)], limit)
            for part in (self, other)
        )
        return Counts(states, one + two, self.coverage + other.coverage)

    def first(self, count: int) -> Counts:
        """Those of the first families only."""
        return Counts(self.states, self.tallies.first(count), self.coverage.first(count))

    def score(self, criterion: Criterion, equivalent_sample_size: float) -> float:
        """The score of the network as a whole, from its own families."""
        return sum(self._score_of(number, criterion, equivalent_sample_size) for number in range(len(self.states)))

    def _score_of(self, number: int, criterion: Criterion, equivalent_sample_size: float) -> float:
        if not equivalent_sample_size > 0:
            raise ValueError(f"the equivalent sample size must be positive, not {equivalent_sample_size}")
        seen = self.tallies.cells_seen(number)
        cells, totals = seen.counts, _row_totals(seen)
        states = len(self.states[self.families.of_number(number)[-1]])
        rows = math.prod(len(self.states[member]) for member in self.families.of_number(number)[:-1])
        if criterion == "bdeu":
            by_row, by_cell = equivalent_sample_size / rows, equivalent_sample_size / (rows * states)
            return float(
                (math.lgamma(by_row) - _log_gamma(totals + by_row)).sum()
                + (_log_gamma(cells + by_cell) - math.lgamma(by_cell)).sum()
            )
        likelihood = float((cells * np.log(cells)).sum() - (totals * np.log(totals)).sum())
        price = 1.0 if criterion == "aic" else 0.5 * math.log(max(int(self.coverage.used[number]), 1))
        return likelihood - price * rows * (states - 1)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Counts)
            and self.states == other.states
            and self.families == other.families
            and self.tallies == other.tallies
            and np.array_equal(self.coverage.used, other.coverage.used)
            and np.array_equal(self.coverage.offered, other.coverage.offered)
        )

    __hash__ = None  # type: ignore[assignment]


class Counting:
    """Counts tables part by part; `finished` gives the statistics."""

    def __init__(
        self,
        families: Families,
        states: Mapping[Name, tuple[Label, ...]] | None,
        unknown: Unknown,
        limit: int,
        workers: Workers,
    ) -> None:
        self.families, self.limit, self.workers = families, limit, workers
        self.encoders = [Encoder(name, states.get(name) if states else None, unknown) for name in families.names]
        self.tallies = Tallies.empty(families, self._sizes(), limit)
        self.used = np.zeros(len(families), np.int64)
        self._codes: NDArray[np.int8] | NDArray[np.int32] = np.empty((0, 0), np.int8)

    def add(self, first: int, last: int, cells: Sequence[Cells | None], covered: NDArray[np.bool_]) -> None:
        """Count these rows of a table, which has cells for some variables and covers some families."""
        rows = last - first
        codes = self._encoded(first, last, cells)
        sizes = self._sizes()
        if not np.array_equal(sizes, self.tallies.sizes):
            self.tallies = self.tallies.moved(sizes, [np.arange(size) for size in self.tallies.sizes], self.limit)
        may_miss = np.zeros(len(cells), bool)
        for variable, own in enumerate(cells):
            may_miss[variable] = own is not None and codes[variable, :rows].min(initial=0) < 0
        tallies, families = self.tallies, self.families
        is_dense = covered.copy()
        is_dense[list(tallies.seen)] = False
        tables = CountTables(families.lists, sizes, may_miss, np.where(is_dense, tallies.at[:-1], -1))

        def count(bounds: tuple[int, int]) -> None:
            count_cells(tables, codes, rows, tallies.counts, self.used, *bounds)

        self.workers.map(count, even_parts(np.where(is_dense, np.diff(families.offsets) + 2.0, 0.0), TASKS))
        seen = {number: own + self._seen(number, codes[:, :rows]) for number, own in tallies.seen.items() if covered[number]}
        if seen:
            self.tallies = Tallies(families, tallies.sizes, tallies.at, tallies.counts, {**tallies.seen, **seen})

    def finished(self, coverage: Coverage) -> Counts:
        states = tuple(encoder.states() for encoder in self.encoders)
        now = [States(tuple(encoder.labels)) for encoder in self.encoders]
        sizes = np.array([len(own) for own in states], np.int64)
        moves = any(own.labels != new.labels for own, new in zip(now, states, strict=True))
        places = [own.places_in(new) for own, new in zip(now, states, strict=True)]
        tallies = self.tallies.moved(sizes, places, self.limit) if moves else self.tallies
        return Counts(states, tallies, coverage)

    def _sizes(self) -> Longs:
        return np.array([len(encoder.labels) for encoder in self.encoders], np.int64)

    def _encoded(self, first: int, last: int, cells: Sequence[Cells | None]) -> NDArray[np.int8] | NDArray[np.int32]:
        """The codes of the rows, a line for each variable; wider ones if there turn out to be many states."""
        rows = last - first
        if len(self._codes) < len(cells) or self._codes.shape[1] < rows:
            self._codes = np.empty((len(cells), rows), self._codes.dtype)

        def encode(variable: int) -> None:
            column = cells[variable]
            if column is not None:
                column.codes(first, last, self.encoders[variable], self._codes[variable, :rows])

        present = [variable for variable, own in enumerate(cells) if own is not None]
        self.workers.for_each(encode, present)
        if self._codes.dtype == np.int8 and self._sizes().max(initial=0) > NARROW:
            self._codes = np.empty(self._codes.shape, np.int32)
            self.workers.for_each(encode, present)
        return self._codes

    def _seen(self, number: int, codes: NDArray[Any]) -> Seen:
        """The cells of a family that these rows show."""
        members = self.families.of_number(number)
        own = codes[members].astype(np.int64)
        own = own[:, (own >= 0).all(axis=0)]
        self.used[number] += own.shape[1]
        shape = [len(self.encoders[member].labels) for member in members]
        if table_sizes(self.families, self.tallies.sizes)[number] >= 2.0**62:
            return Seen.of(own.T, np.ones(own.shape[1], np.int64))
        keys, counts = np.unique(np.ravel_multi_index(tuple(own), shape), return_counts=True)
        return Seen(np.stack(np.unravel_index(keys, shape), axis=1).astype(np.int64), counts.astype(np.int64))


def _row_totals(seen: Seen) -> Longs:
    """How often each configuration of the parents was seen."""
    if not len(seen.counts):
        return seen.counts
    parents = seen.cells[:, :-1]
    is_new = np.ones(len(parents), bool)
    is_new[1:] = (parents[1:] != parents[:-1]).any(axis=1)
    return np.add.reduceat(seen.counts, np.flatnonzero(is_new))


def _log_gamma(numbers: NDArray[Any]) -> Floats:
    """Counts repeat, so each different one is computed once."""
    distinct, place = np.unique(numbers, return_inverse=True)
    return np.array([math.lgamma(number) for number in distinct.tolist()])[place]
