"""The tables of a discrete model: those that are given, and those derived from them when they are first needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex._core import Derivation, TableLayout, Tables
from dconvex.caching import cached_property
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.locks import Lock

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int32]
Offsets: TypeAlias = NDArray[np.int64]


class NumberSource(Protocol):
    """Where the numbers of given tables come from when they are first needed."""

    @property
    def is_complete(self) -> bool:
        """Whether all given tables are there from the start."""

    @property
    def bytes_read(self) -> int:
        """How much has been read from a file."""

    def read(self, tables: Tables, wanted: Indices) -> None:
        """Put the numbers of the wanted tables in, and of any others that come with them, or mark them as underflowed."""


class InMemory:
    """The source of tables whose numbers are there from the start."""

    is_complete = True
    bytes_read = 0

    def read(self, tables: Tables, wanted: Indices) -> None:
        raise AssertionError(f"the tables {wanted.tolist()} were never put in")


class CopiedTables:
    """The source of tables that are copies of those of another store: table t is its table `numbers[t]`."""

    is_complete = False
    bytes_read = 0

    def __init__(self, larger: TableStore, numbers: Indices) -> None:
        self.larger, self.numbers = larger, numbers

    def read(self, tables: Tables, wanted: Indices) -> None:
        self.larger.derive(self.numbers[wanted])
        lost = np.isin(self.numbers[wanted], self.larger.tables.underflowed)
        tables.mark_underflowed(wanted[lost])
        there = wanted[~lost]
        parts = [self.larger.flat(number) for number in self.numbers[there].tolist()]
        tables.put(there, np.concatenate([np.empty(0), *parts]))


class TableStore:
    """The tables of an index by number, and where their numbers come from.

    What is derived is the same whoever asks first; a table counts as there when it is complete.
    """

    def __init__(self, index: ClusterIndex, tables: Tables, source: NumberSource) -> None:
        self.index, self.tables, self.source = index, tables, source
        self.layout = tables.layout
        self._lock = Lock()

    @classmethod
    def of(cls, index: ClusterIndex, states: Sequence[int] | NDArray[Any], values: Floats) -> TableStore:
        """Tables in memory. `values` are those of the network, or all, one after the other."""
        layout = TableLayout(index.core, np.array(states, np.int32))
        given = int(np.searchsorted(layout.offsets, len(values)))
        tables = Tables(layout, given)
        tables.put(np.arange(given, dtype=np.int32), np.ascontiguousarray(values))
        return cls(index, tables, InMemory())

    @property
    def states(self) -> Indices:
        """For each variable the number of its states."""
        return self.layout.states

    @property
    def offsets(self) -> Offsets:
        """Where each table begins among all numbers."""
        return self.layout.offsets

    @property
    def bytes_read(self) -> int:
        """How much has been read from a file."""
        return self.source.bytes_read

    def derive(self, wanted: Indices) -> None:
        """Have these tables there, and those they come from, unless they are underflowed."""
        with self._lock:
            derivation = Derivation(self.tables, wanted)
            if len(missing := derivation.missing):
                self.source.read(self.tables, missing)
            derivation.run()

    def read_all(self) -> None:
        """Have all given tables there."""
        if not self.source.is_complete:
            self.derive(np.arange(self.tables.given, dtype=np.int32))

    @cached_property
    def has_zeros(self) -> bool | None:
        """Whether a table of the network has an entry that is zero; None where not all of them have been read.

        What a file might say of it could hide that evidence is impossible.
        """
        own = np.arange(len(self.index.dag), dtype=np.int32)
        return bool(self.tables.have_zeros(own).any()) if self.source.is_complete else None

    def with_zeros(self, variables: Indices) -> Indices:
        """Of these variables those whose own table has an entry that is zero."""
        if not self.source.is_complete:
            self.derive(variables)
        return variables[self.tables.have_zeros(variables)]

    def flat(self, number: int) -> Floats:
        """The numbers of one table, which must be there."""
        return self.tables.values[self.offsets[number] : self.offsets[number + 1]]

    def table(self, number: int) -> Floats:
        """One table as an array with an axis for each of its variables; it must be there."""
        members = (*self.index.parents_of(number).tolist(), int(self.index.core.table_variable[number]))
        return self.flat(number).reshape([int(self.states[variable]) for variable in members])
