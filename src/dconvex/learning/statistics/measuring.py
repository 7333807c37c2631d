"""Adding up the moments of continuous families in batches of rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dconvex._core import MomentSums, add_moments
from dconvex.arrays import Flags, Floats
from dconvex.learning.columns.data_tables import Batch
from dconvex.learning.columns.encoded_columns import NumberReader, NumberRows
from dconvex.learning.learning_options import LearningOptions
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.coverage import Coverage
from dconvex.learning.statistics.gatherer import Gatherer
from dconvex.learning.statistics.moments import Moments, entry_indices, exact_sum, scatter_offsets
from dconvex.threads import TASKS, Workers, even_parts


class Measuring(Gatherer):
    """Adds up moments; those of a batch are added to those of the batches before it, in their order."""

    def __init__(self, families: Families, options: LearningOptions, workers: Workers) -> None:
        self.families, self.used = families, np.zeros(len(families), np.int64)
        self._reader = NumberReader(families.names, options, workers)
        self._workers, self._needs_complete = workers, options.missing == "complete"
        self._total: Moments | None = None

    def add(self, batch: Batch, covered: Flags) -> None:
        found = self._reader.read(batch)
        self.add_numbers(found.complete(batch.has_column) if self._needs_complete else found, covered)

    def add_numbers(self, found: NumberRows, covered: Flags) -> None:
        """Add rows that have been read."""
        moments = self._counted(found, covered) if found.weights is None else self._weighted(found, found.weights, covered)
        self._total = moments if self._total is None else self._total.added(moments)
        self.used += moments.coverage.used

    def finished(self, coverage: Coverage) -> Moments:
        assert self._total is not None
        return replace(self._total, coverage=replace(coverage, used=self.used))

    def _counted(self, found: NumberRows, covered: Flags) -> Moments:
        """The moments of these rows."""
        sums = MomentSums(self.families.lists)
        parts = even_parts(np.diff(self.families.offsets) ** 2.0, TASKS)
        runs = [run for part in parts for run in _covered_runs(covered, *part)]
        self._workers.map(lambda bounds: add_moments(sums, found.values, found.rows, found.has_missing, *bounds), runs)
        return self._moments(sums)

    def _weighted(self, found: NumberRows, weights: Floats, covered: Flags) -> Moments:
        """The moments of these rows, each with its weight."""
        families, at = self.families, scatter_offsets(self.families)
        used, total = np.zeros(len(families), np.int64), np.zeros(len(families))
        mean, scatter = np.zeros(len(families.members)), np.zeros(int(at[-1]))

        def add(number: int) -> None:
            own = found.values[families.members_of(number), : found.rows]
            is_whole = ~np.isnan(own).any(axis=0)
            own, weight = own[:, is_whole], weights[is_whole]
            used[number], total[number] = len(weight), weight.sum()
            if total[number] > 0:
                middle = own[:, int(np.argmax(weight > 0))]
                middle = middle + (own - middle[:, None]) @ weight / total[number]
                apart = own - middle[:, None]
                mean[families.offsets[number] : families.offsets[number + 1]] = middle
                scatter[at[number] : at[number + 1]] = ((apart * weight) @ apart.T).reshape(-1)

        self._workers.for_each(add, np.flatnonzero(covered).tolist())
        coverage = replace(Coverage.none(families), used=used)
        return Moments(families, mean, np.zeros(len(mean)), scatter, coverage, total)

    def _moments(self, found: MomentSums) -> Moments:
        """From sums of deviations to deviations from the mean."""
        sums, products, used = found.sums, found.products, found.used.copy()
        widths, rows = np.diff(self.families.offsets), np.maximum(used, 1).astype(np.float64)
        mean, rest = exact_sum(found.shift, sums / np.repeat(rows, widths))
        row, column, mirrored = entry_indices(self.families)
        whole = np.where(row >= column, products, products[mirrored])  # the core fills one half
        scatter = whole - sums[row] * sums[column] / np.repeat(rows, widths**2)
        return Moments(self.families, mean, rest, scatter, replace(Coverage.none(self.families), used=used))


def _covered_runs(covered: Flags, first: int, last: int) -> list[tuple[int, int]]:
    """Bounds of the runs of families that are covered, within a part."""
    if covered[first:last].all():
        return [(first, last)]
    edges = np.flatnonzero(np.diff(np.concatenate([[False], covered[first:last], [False]]).astype(np.int8)))
    return [(first + int(a), first + int(b)) for a, b in edges.reshape(-1, 2)]
