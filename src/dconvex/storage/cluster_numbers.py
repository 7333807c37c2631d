"""Numbers of a model that are in a file and are read, cluster by cluster, when a question needs them."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from dconvex._core import ClusterIndex, StoredNumbers
from dconvex.arrays import Checksums, Floats, Indices, Integers, Offsets
from dconvex.caching import cached_property
from dconvex.storage.container import Container

NUMBERS, CHECKSUMS = "tables.numbers", "tables.checksums"
HOLDERS_LOOKED_AT = 64
"""Of a table that many clusters share, at most this many are considered for reading."""


@final
class ClusterNumbers:
    """The numbers of the first tables of an index: of table t those from `offsets[t]` up to `offsets[t + 1]`.

    What is read is checked: the checksum of its cluster, and that it is rows of probabilities, or regressions.
    """

    def __init__(self, file: Container, index: ClusterIndex, tables: int, states: Integers | None) -> None:
        """Of tables over variables with these states, or of regressions."""
        self.file, self.index, self.states = file, index, states
        self._begin, count = file.entry(NUMBERS).first, file.entry(NUMBERS).count
        self._layout = self._laid_out(tables, count)
        self.offsets: Offsets = self._layout.offsets
        if self.offsets[-1] != count:
            raise file.damaged("its numbers do not fit its tables")
        self._checksums = file.array(CHECKSUMS, len(index.clusters))
        self.is_read = np.zeros(tables, bool)
        self.bytes_read = 0

    def __len__(self) -> int:
        return len(self.is_read)

    def read(self, table: int, into: Floats) -> list[int]:
        """Read the tables of a cluster that has this one, and check them; those that are new."""
        cluster = self._cheapest(table)
        new = self._unread(cluster)
        self._fill(new, into)
        self._check(new, cluster, cluster + 1, into)
        found: list[int] = new.tolist()
        return found

    def read_all(self, into: Floats) -> None:
        """Read and check everything that was not read before."""
        new = np.flatnonzero(~self.is_read).astype(np.int32)
        if len(new):
            self._fill(new, into)
            self._check(new, 0, len(self.index.clusters), into)

    def _fill(self, tables: Indices, into: Floats) -> None:
        """Read ascending tables; neighbours in the file are read at once."""
        if not len(tables):
            return
        is_first = np.concatenate([[True], tables[1:] != tables[:-1] + 1])
        firsts, lasts = tables[is_first], tables[np.concatenate([is_first[1:], [True]])]
        for first, last in zip(self.offsets[firsts].tolist(), self.offsets[lasts + 1].tolist(), strict=True):
            self.file.file.read_into(self._begin + 8 * first, into[first:last])

    def _check(self, tables: Indices, first: int, last: int, numbers: Floats) -> None:
        """Compare the checksums of the clusters that were read, look at the new numbers, and note that they are read."""
        found = self._layout.checksums(numbers, first, last)
        if (wrong := np.flatnonzero(found != self._checksums[first:last])).size:
            raise self.file.file.damage(f"the checksum of cluster {first + int(wrong[0])} is wrong")
        if (table := self._layout.find_wrong_table(numbers, tables)) >= 0:
            variable = int(self.index.table_variable[table])
            what = "regression" if self.states is None else "table"
            raise self.file.file.damage(f"a {what} of variable {variable} has numbers that cannot be")
        self.bytes_read += 8 * int((self.offsets[tables + 1] - self.offsets[tables]).sum())
        self.is_read[tables] = True

    def _unread(self, cluster: int) -> Indices:
        """The tables of a cluster that are in the file and were not read, ascending."""
        offsets = self.index.clusters.offsets
        own = self.index.member_table[offsets[cluster] : offsets[cluster + 1]]
        own = own[own < len(self)]
        return np.unique(own[~self.is_read[own]])

    def _cheapest(self, table: int) -> int:
        """Of the clusters with this table the one of which the least is left to read."""
        offsets, tables = self.index.clusters.offsets, self.index.member_table
        variable = int(self.index.table_variable[table])
        sure = int(self._homes[table] if table < len(self._homes) else self.index.behind[table])
        best, least = sure, np.inf
        for cluster in (sure, *self.index.holders[variable][:HOLDERS_LOOKED_AT].tolist()):
            if table in tables[offsets[cluster] : offsets[cluster + 1]]:
                unread = self._unread(cluster)
                size = float((self.offsets[unread + 1] - self.offsets[unread]).sum())
                if size < least:
                    best, least = cluster, size
        return best

    @cached_property
    def _homes(self) -> Indices:
        """For each variable the first cluster that holds its whole family."""
        clusters = self.index.clusters
        is_whole = self.index.toward < 0
        homes = np.empty(len(self.index.graph), np.int32)
        homes[clusters.values[is_whole][::-1]] = clusters.owners()[is_whole][::-1]
        return homes

    def _laid_out(self, tables: int, count: int) -> StoredNumbers:
        if self.states is None:
            return StoredNumbers.of_regressions(self.index, tables)
        try:
            return StoredNumbers.of_tables(self.index, tables, self.states, count)
        except ValueError as error:
            raise self.file.damaged(f"{error}") from None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_layout", "_homes", "offsets")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._layout = self._laid_out(len(self.is_read), self.file.entry(NUMBERS).count)
        self.offsets = self._layout.offsets


def checksums_of(index: ClusterIndex, tables: int, states: Integers | None, numbers: Floats) -> Checksums:
    """The checksums of all clusters for a file."""
    if states is None:
        layout = StoredNumbers.of_regressions(index, tables)
    else:
        layout = StoredNumbers.of_tables(index, tables, states, len(numbers))
    return layout.checksums(numbers, 0, len(index.clusters))
