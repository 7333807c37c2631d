"""Counting discrete families in batches of rows."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np

from dconvex._core import CountTables, count_cells
from dconvex.arrays import Flags, Floats, Integers
from dconvex.learning.columns.data_tables import Batch
from dconvex.learning.columns.encoded_columns import CodeReader, EncodedRows
from dconvex.learning.learning_options import LearningOptions
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.counts import Counts, Seen, Tallies
from dconvex.learning.statistics.coverage import Coverage
from dconvex.learning.statistics.gatherer import Gatherer
from dconvex.threads import TASKS, Workers, even_parts


class Counting(Gatherer):
    """Counts the cells of families; states get codes in the order in which they come, and their own order at the end."""

    def __init__(self, families: Families, options: LearningOptions, workers: Workers) -> None:
        self.families, self.used = families, np.zeros(len(families), np.int64)
        self._reader = CodeReader(families.names, options, workers)
        self._limit, self._workers, self._needs_complete = options.limit, workers, options.missing == "complete"
        self._tallies = Tallies.empty(families, self._reader.sizes(), options.limit, is_weighted=options.weights is not None)

    def add(self, batch: Batch, covered: Flags) -> None:
        encoded = self._reader.read(batch)
        if self._needs_complete:
            encoded = encoded.complete(batch.has_column)
        sizes = self._reader.sizes()
        if not np.array_equal(sizes, self._tallies.sizes):
            same = [np.arange(size) for size in self._tallies.sizes]
            self._tallies = self._tallies.recoded(sizes, same, self._limit)
        is_dense = covered.copy()
        is_dense[list(self._tallies.seen)] = False
        self._count_dense(encoded, is_dense)
        self._count_seen(encoded, covered)

    def finished(self, coverage: Coverage) -> Counts:
        states = self._reader.states()
        sizes = np.array([len(own) for own in states], np.int64)
        is_in_order = all(own.labels == list(new.labels) for own, new in zip(self._reader.encoders, states, strict=True))
        tallies = self._tallies if is_in_order else self._tallies.recoded(sizes, self._reader.codes_in(states), self._limit)
        return Counts(states, tallies, replace(coverage, used=self.used))

    def _count_dense(self, encoded: EncodedRows, is_dense: Flags) -> None:
        """Count in tables that have an entry for each cell."""
        tallies, lists = self._tallies, self.families.lists
        if encoded.weights is not None:
            self._add_weights(encoded, encoded.weights, is_dense)
            return
        counts = cast("Integers", tallies.counts)  # whole numbers: only EM and weights give fractions
        tables = CountTables(lists, tallies.sizes, encoded.has_missing, np.where(is_dense, tallies.at[:-1], -1))

        def count(bounds: tuple[int, int]) -> None:
            count_cells(tables, encoded.values, encoded.rows, counts, self.used, *bounds)

        self._workers.map(count, even_parts(np.where(is_dense, np.diff(self.families.offsets) + 2.0, 0.0), TASKS))

    def _add_weights(self, encoded: EncodedRows, weights: Floats, is_dense: Flags) -> None:
        """Add up the weights of rows in tables that have an entry for each cell."""

        def add(number: int) -> None:
            cell, is_whole = np.zeros(encoded.rows, np.int64), np.ones(encoded.rows, bool)
            for member in self.families.members_of(number):
                own = encoded.values[member, : encoded.rows]
                is_whole &= own >= 0
                cell = cell * int(self._tallies.sizes[member]) + own
            table = self._tallies.table(number).reshape(-1)
            table += np.bincount(cell[is_whole], weights[is_whole], minlength=len(table))
            self.used[number] += int(is_whole.sum())

        self._workers.for_each(add, np.flatnonzero(is_dense).tolist())

    def _count_seen(self, encoded: EncodedRows, covered: Flags) -> None:
        """Count in the tables that are too large for that."""
        before = self._tallies
        seen = {number: own + self._seen(number, encoded) for number, own in before.seen.items() if covered[number]}
        if seen:
            self._tallies = Tallies(before.families, before.sizes, before.at, before.counts, {**before.seen, **seen})

    def _seen(self, number: int, encoded: EncodedRows) -> Seen:
        """The cells of a family that these rows show."""
        members = self.families.members_of(number)
        own = encoded.values[members, : encoded.rows].astype(np.int64)
        is_whole = (own >= 0).all(axis=0)
        own = own[:, is_whole]
        self.used[number] += own.shape[1]
        if encoded.weights is not None:
            weights = encoded.weights[is_whole]
            return Seen.of(own.T[weights > 0], weights[weights > 0])
        sizes = self._tallies.sizes
        if self.families.table_sizes(sizes)[number] >= 2.0**62:
            return Seen.of(own.T, np.ones(own.shape[1], np.int64))
        shape = sizes[members].tolist()
        keys, counts = np.unique(np.ravel_multi_index(tuple(own), shape), return_counts=True)
        return Seen(np.stack(np.unravel_index(keys, shape), axis=1).astype(np.int64), counts.astype(np.int64))
