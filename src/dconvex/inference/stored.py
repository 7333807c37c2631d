"""Tables and regressions that are in a file and are read when a question needs them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex._core import Tables
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.inference.gaussian_store import RegressionStore
from dconvex.storage.cluster_numbers import ClusterNumbers

Floats: TypeAlias = NDArray[np.float64]
Longs: TypeAlias = NDArray[np.int64]


class StoredTables:
    """The source of tables that are in a file."""

    is_complete = False

    def __init__(self, stored: ClusterNumbers) -> None:
        self.stored = stored

    @property
    def bytes_read(self) -> int:
        return self.stored.bytes_read

    def read(self, tables: Tables, wanted: NDArray[np.int32]) -> None:
        """Read the wanted tables with their clusters; all at once where all that are left are wanted."""
        stored = self.stored
        if np.count_nonzero(~stored.is_read[wanted]) == np.count_nonzero(~stored.is_read):
            stored.read_all(tables.room)
            tables.publish(wanted)
            return
        for table in wanted.tolist():
            # another thread may have read a table and not said so when the process forked
            new = [table] if stored.is_read[table] else stored.read(table, tables.room)
            tables.publish(np.array(new, np.int32))


class StoredRegressions(RegressionStore):
    """Regressions that are read, or derived from those that are read: each is its intercept, variance and coefficients."""

    def __init__(self, index: ClusterIndex, stored: ClusterNumbers) -> None:
        super().__init__(index, np.empty(0), np.empty(0), np.empty(0))
        self.stored = stored
        self._numbers = np.empty(int(stored.offsets[-1]))

    @property
    def bytes_read(self) -> int:
        return self.stored.bytes_read

    @property
    def is_degenerate(self) -> bool | None:
        """Not known until all is read: what a file might say of it could hide that evidence is impossible."""
        return None

    def read_all(self) -> None:
        with self._lock:
            known, begins = len(self.stored), self.stored.offsets[:-1]
            self.stored.read_all(self._numbers)
            self.intercept[:known], self.variance[:known] = self._numbers[begins], self._numbers[begins + 1]
            slopes = self._numbers[_are_slopes(self.stored.offsets)]
            self.coefficients[: len(slopes)] = slopes
            self.is_known[:known] = True

    def _derived(self, table: int) -> list[int]:
        if table >= len(self.stored):
            return super()._derived(table)
        offsets = self.stored.offsets
        for t in self.stored.read(table, self._numbers):
            intercept, variance, *coefficients = self._numbers[offsets[t] : offsets[t + 1]].tolist()
            self._keep(t, intercept, coefficients, variance)
        return []


def known_regressions(store: RegressionStore, known: int) -> Floats:
    """The first regressions as numbers, one after the other."""
    offsets: Longs = store.index.core.table_parents.offsets[: known + 1] + 2 * np.arange(known + 1)
    numbers = np.empty(int(offsets[-1]))
    numbers[offsets[:-1]], numbers[offsets[:-1] + 1] = store.intercept[:known], store.variance[:known]
    numbers[_are_slopes(offsets)] = store.coefficients[: store.index.core.table_parents.offsets[known]]
    return numbers


def _are_slopes(offsets: Longs) -> NDArray[np.bool_]:
    """Flags of the numbers that are coefficients: all but the first two of each regression."""
    flags = np.ones(int(offsets[-1]), bool)
    flags[offsets[:-1]] = flags[offsets[:-1] + 1] = False
    return flags
