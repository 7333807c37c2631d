"""Tables and regressions that are in a file and are read when a question needs them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.inference.families import FamilyIndex
from dconvex.inference.gaussian_store import RegressionStore
from dconvex.inference.tables import Store
from dconvex.storage.cluster_numbers import ClusterNumbers

Floats: TypeAlias = NDArray[np.float64]
Longs: TypeAlias = NDArray[np.int64]

NO_PROGRAM = np.empty(0, np.int64)


class StoredTables(Store):
    """Tables that are read, or derived from those that are read."""

    def __init__(self, index: FamilyIndex, states: Longs, stored: ClusterNumbers) -> None:
        super().__init__(index, states)
        self.prices[: len(stored)] = 0.0
        self.stored = stored
        self._have_zeros = np.zeros(len(stored), bool)

    @property
    def bytes_read(self) -> int:
        return self.stored.bytes_read

    @property
    def has_zeros(self) -> bool | None:
        """Not known until all is read: what a file might say of it could hide that evidence is impossible."""
        return None

    def with_zeros(self, variables: Longs) -> Longs:
        self.derive(variables)
        return variables[self._have_zeros[variables]]

    def read_all(self) -> None:
        with self._lock:
            self.stored.read_all(self.values)
            known = self.values[: self.table_at[len(self.stored)]]
            self.fill(known)
            if len(known):
                self._have_zeros[:] = np.minimum.reduceat(known, self.stored.offsets[:-1]) == 0

    def _deriving(self, table: int) -> tuple[Longs, list[int]]:
        return (NO_PROGRAM, []) if table < len(self.stored) else super()._deriving(table)

    def _make(self, table: int, program: Longs, sources: list[int]) -> None:
        if table >= len(self.stored):
            super()._make(table, program, sources)
            return
        for t in self.stored.read(table, self.values):
            own = self.values[self.table_at[t] : self.table_at[t + 1]]
            self._have_zeros[t] = own.min() == 0
            self.floor[t] = np.log2(own[own > 0].min())  # last: it says that the table is there


class StoredRegressions(RegressionStore):
    """Regressions that are read, or derived from those that are read: each is its intercept, variance and coefficients."""

    def __init__(self, index: FamilyIndex, stored: ClusterNumbers) -> None:
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
    offsets: Longs = store.index.families.parent_start[: known + 1] + 2 * np.arange(known + 1)
    numbers = np.empty(int(offsets[-1]))
    numbers[offsets[:-1]], numbers[offsets[:-1] + 1] = store.intercept[:known], store.variance[:known]
    numbers[_are_slopes(offsets)] = store.coefficients[: store.index.families.parent_start[known]]
    return numbers


def _are_slopes(offsets: Longs) -> NDArray[np.bool_]:
    """Flags of the numbers that are coefficients: all but the first two of each regression."""
    flags = np.ones(int(offsets[-1]), bool)
    flags[offsets[:-1]] = flags[offsets[:-1] + 1] = False
    return flags
