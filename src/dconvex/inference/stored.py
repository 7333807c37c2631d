"""Numbers of a model that lie in a file and are read, cluster by cluster, when a question needs them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.errors import FormatError
from dconvex.inference.families import FamilyIndex
from dconvex.inference.gaussian_store import RegressionStore
from dconvex.inference.tables import Store
from dconvex.kernels import load

Floats: TypeAlias = NDArray[np.float64]
Longs: TypeAlias = NDArray[np.int64]

HOLDERS_LOOKED_AT = 64
"""Of a table that many clusters share, so many of them are considered for reading."""
NO_PROGRAM = np.empty(0, np.int64)


class StoredNumbers:
    """The numbers of table t are `numbers[at[t]:at[t + 1]]`; the first `known` tables are in the file."""

    def __init__(
        self, index: FamilyIndex, numbers: Floats, at: Longs, known: int, checksums: NDArray[np.uint64], path: str
    ) -> None:
        self.index, self.numbers, self.at, self.known, self.checksums, self.path = index, numbers, at, known, checksums, path
        self.is_read = np.zeros(known, bool)
        self.bytes_read = 0

    def read(self, table: int, into: Floats) -> list[int]:
        """Read the tables of a cluster that has this one, and check them; those that are new."""
        clusters = self.index.clusters
        cluster = self._cheapest(table)
        own = clusters.table[clusters.start[cluster] : clusters.start[cluster + 1]]
        new = [int(t) for t in np.unique(own[own < self.known]) if not self.is_read[t]]
        for t in new:
            into[self.at[t] : self.at[t + 1]] = self.numbers[self.at[t] : self.at[t + 1]]
            self.bytes_read += 8 * int(self.at[t + 1] - self.at[t])
        found = checksums_of(self.index, into, self.at, self.known, cluster, cluster + 1)
        if found[0] != self.checksums[cluster]:
            raise FormatError(f"the file is damaged: the checksum of cluster {cluster} is wrong", path=self.path)
        self.is_read[new] = True
        return new

    def read_all(self, into: Floats) -> None:
        """Read and check everything, unless that was done before."""
        if self.is_read.all():
            return
        into[: self.at[self.known]] = self.numbers
        found = checksums_of(self.index, into, self.at, self.known, 0, len(self.index.tree))
        if (wrong := np.flatnonzero(found != self.checksums)).size:
            raise FormatError(f"the file is damaged: the checksum of cluster {wrong[0]} is wrong", path=self.path)
        self.bytes_read += 8 * int(np.diff(self.at[: self.known + 1])[~self.is_read].sum())
        self.is_read[:] = True

    def _cheapest(self, table: int) -> int:
        """Of the clusters with this table the one of which the least is left to read."""
        clusters, variable = self.index.clusters, int(self.index.families.variable[table])
        first, last = clusters.holder_start[variable], clusters.holder_start[variable + 1]
        best, least = -1, np.inf
        for cluster in clusters.holders[first:last].tolist():
            own = clusters.table[clusters.start[cluster] : clusters.start[cluster + 1]]
            if table in own:
                unread = own[own < self.known]
                unread = unread[~self.is_read[unread]]
                cost = float((self.at[unread + 1] - self.at[unread]).sum())
                if cost < least:
                    best, least = cluster, cost
            if best >= 0 and cluster >= clusters.holders[min(first + HOLDERS_LOOKED_AT, last - 1)]:
                break
        return best


def checksums_of(index: FamilyIndex, numbers: Floats, at: Longs, known: int, first: int, last: int) -> NDArray[np.uint64]:
    """The checksums of the clusters from `first` to `last`."""
    clusters = index.clusters
    found: NDArray[np.uint64] = load("checksums").cluster_checksums(
        numbers.view(np.uint64), at, clusters.start, clusters.table, known, first, last
    )
    return found


class StoredTables(Store):
    """Tables that are read, or derived from those that are read."""

    def __init__(self, index: FamilyIndex, states: Longs, known: int, zeros: NDArray[np.uint8]) -> None:
        super().__init__(index, states)
        self.zeros = zeros
        self.prices[:known] = 0.0
        self.stored: StoredNumbers

    @property
    def bytes_read(self) -> int:
        return self.stored.bytes_read

    def read_all(self) -> None:
        with self._lock:
            self.stored.read_all(self.values)
            self.fill(self.values[: self.table_at[self.stored.known]])

    def _deriving(self, table: int) -> tuple[Longs, list[int]]:
        return (NO_PROGRAM, []) if table < self.stored.known else super()._deriving(table)

    def _make(self, table: int, program: Longs, sources: list[int]) -> None:
        if table >= self.stored.known:
            super()._make(table, program, sources)
            return
        for t in self.stored.read(table, self.values):
            own = self.values[self.table_at[t] : self.table_at[t + 1]]
            self.floor[t] = np.log2(own[own > 0].min())


class StoredRegressions(RegressionStore):
    """Regressions that are read, or derived from those that are read: each is its intercept, variance and coefficients."""

    def __init__(self, index: FamilyIndex, stored: StoredNumbers) -> None:
        super().__init__(index, np.empty(0), np.empty(0), np.empty(0))
        self.stored = stored
        self._numbers = np.empty(int(stored.at[-1]))

    @property
    def bytes_read(self) -> int:
        return self.stored.bytes_read

    def read_all(self) -> None:
        with self._lock:
            known, at = self.stored.known, self.stored.at
            self.stored.read_all(self._numbers)
            self.intercept[:known], self.variance[:known] = self._numbers[at[:known]], self._numbers[at[:known] + 1]
            slopes = self._numbers[_are_slopes(at)]
            self.coefficients[: len(slopes)] = slopes
            self.is_known[:known] = True

    def _derived(self, table: int) -> list[int]:
        if table >= self.stored.known:
            return super()._derived(table)
        for t in self.stored.read(table, self._numbers):
            intercept, variance, *coefficients = self._numbers[self.stored.at[t] : self.stored.at[t + 1]].tolist()
            self._keep(t, intercept, coefficients, variance)
        return []


def known_regressions(store: RegressionStore, known: int) -> tuple[Floats, Longs]:
    """The first regressions as numbers, and where each begins."""
    at = regression_places(store.index, known)
    numbers = np.empty(int(at[-1]))
    numbers[at[:-1]], numbers[at[:-1] + 1] = store.intercept[:known], store.variance[:known]
    numbers[_are_slopes(at)] = store.coefficients[: store.index.families.parent_start[known]]
    return numbers, at


def _are_slopes(at: Longs) -> NDArray[np.bool_]:
    """Flags of the numbers that are coefficients: all but the first two of each regression."""
    flags = np.ones(int(at[-1]), bool)
    flags[at[:-1]] = flags[at[:-1] + 1] = False
    return flags


def regression_places(index: FamilyIndex, known: int) -> Longs:
    """Where the numbers of each regression begin."""
    at: Longs = index.families.parent_start[: known + 1] + 2 * np.arange(known + 1)
    return at
