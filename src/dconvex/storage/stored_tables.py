"""Tables and regressions that are in a file and are read when a question needs them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

import numpy as np

from dconvex._core import Tables
from dconvex.arrays import Flags, Floats, Indices, Offsets
from dconvex.inference.gaussian_store import Numbered, RegressionStore
from dconvex.storage.cluster_numbers import ClusterNumbers


@final
class StoredTables:
    """The source of tables that are in a file."""

    is_complete: Final = False

    def __init__(self, stored: ClusterNumbers) -> None:
        self.stored = stored

    @property
    def bytes_read(self) -> int:
        return self.stored.bytes_read

    def read(self, tables: Tables, wanted: Indices) -> None:
        """Read the wanted tables with their clusters; all at once where all that are left are wanted."""
        stored = self.stored
        if np.count_nonzero(~stored.is_read[wanted]) == np.count_nonzero(~stored.is_read):
            stored.read_all(tables.buffer)
            tables.publish(wanted)
            return
        for table in wanted.tolist():
            # another thread may have read a table and not published it when the process forked
            new = [table] if stored.is_read[table] else stored.read(table, tables.buffer)
            tables.publish(np.array(new, np.int32))


@final
class StoredRegressions:
    """The source of regressions that are in a file: each is its intercept, its variance and its coefficients."""

    def __init__(self, stored: ClusterNumbers) -> None:
        self.stored = stored
        self._numbers = np.empty(int(stored.offsets[-1]))

    @property
    def bytes_read(self) -> int:
        return self.stored.bytes_read

    def __len__(self) -> int:
        return len(self.stored)

    def read(self, table: int) -> Iterator[Numbered]:
        """Read a cluster that has this regression; those that are new."""
        offsets = self.stored.offsets
        # another thread may have read a regression and not kept it when the process forked
        for new in [table] if self.stored.is_read[table] else self.stored.read(table, self._numbers):
            intercept, variance, *coefficients = self._numbers[offsets[new] : offsets[new + 1]].tolist()
            yield new, intercept, coefficients, variance

    def read_all(self) -> tuple[Floats, Floats, Floats]:
        """Intercepts, coefficients and variances of all of them."""
        self.stored.read_all(self._numbers)
        begins = self.stored.offsets[:-1]
        return self._numbers[begins], self._numbers[_are_slopes(self.stored.offsets)], self._numbers[begins + 1]


def packed_regressions(store: RegressionStore, count: int) -> Floats:
    """The first regressions as numbers, one after the other."""
    offsets: Offsets = store.index.core.table_parents.offsets[: count + 1] + 2 * np.arange(count + 1)
    numbers = np.empty(int(offsets[-1]))
    numbers[offsets[:-1]], numbers[offsets[:-1] + 1] = store.intercept[:count], store.variance[:count]
    numbers[_are_slopes(offsets)] = store.coefficients[: store.index.core.table_parents.offsets[count]]
    return numbers


def _are_slopes(offsets: Offsets) -> Flags:
    """Flags of the numbers that are coefficients: all but the first two of each regression."""
    flags = np.ones(int(offsets[-1]), bool)
    flags[offsets[:-1]] = flags[offsets[:-1] + 1] = False
    return flags
