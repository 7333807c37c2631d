"""Going through tables, and through each of them part by part, to statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dconvex.errors import DataError
from dconvex.learning.cells import Cells
from dconvex.learning.counts import Counting
from dconvex.learning.coverage import Coverage
from dconvex.learning.moments import Measuring
from dconvex.learning.progress import Bar
from dconvex.learning.sources import Source, sources_of
from dconvex.learning.statistics import Kind, Options, Scope, Statistics
from dconvex.learning.threads import Workers, thread_count, threads
from dconvex.names import Name
from dconvex.network.frame_columns import column_of

CODES_AT_ONCE = 1 << 26
"""So many bytes of codes or numbers are held at a time."""


def read_statistics(scope: Scope, data: Any, options: Options) -> Statistics:
    """The statistics of all tables in `data`, counted here."""
    with threads(options.n_jobs) as workers:
        return _Reading(scope, options, workers).read(data)


class _Reading:
    """Goes through tables, and through each of them part by part."""

    def __init__(self, scope: Scope, options: Options, workers: Workers) -> None:
        self.scope, self.options, self.workers = scope, options, workers
        count, names = len(scope.families), scope.index.dag.nodes
        self.rows = 0
        self.tables, self.offered = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.has_column = np.zeros(len(names), bool)
        self.strangers: set[Name] = set()
        self.worker: Counting | Measuring | None = None
        self.is_sure = False
        """Whether the cells of the first tables told their kind."""
        self.bar = Bar("learning", is_shown=options.progress)

    def read(self, data: Any) -> Statistics:
        with self.bar:
            for source in sources_of(data, self.options.texts):
                self._read_table(source)
        if self.worker is None:
            raise DataError("there are no rows to learn from")
        coverage = Coverage(self.rows, self.tables, self.offered, self.worker.used, self.has_column, frozenset(self.strangers))
        return Statistics(self.scope, self.worker.finished(coverage))

    def _read_table(self, source: Source) -> None:
        names = self.scope.index.dag.nodes
        column_of = columns_of(names, source.columns)
        has = np.array([name in column_of for name in names], bool)
        covered: NDArray[np.bool_] = self.scope.families.reduced(np.logical_and, has)
        self.has_column |= has
        self.strangers.update(list(set(source.columns) - set(column_of.values()))[:1000])
        width = 1 if self.options.kind == "discrete" else 8
        at_once = max(4096, min(1 << 18, CODES_AT_ONCE // (width * max(1, len(names)))))
        uses_threads = thread_count(self.options.n_jobs) > 1
        if self.options.progress:
            self.bar.expect(source.rows)
        rows = 0
        for first, last, columns in source.parts(list(column_of.values()), at_once, uses_threads=uses_threads):
            cells = [columns[column_of[name]] if name in column_of else None for name in names]
            if first == rows == 0:
                self._begin(cells)
            assert self.worker is not None
            self.worker.add(first, last, cells, covered)
            rows += last - first
            self.bar.advance(last - first)
        self.rows += rows
        self.tables += covered
        self.offered += rows * covered

    def _begin(self, cells: Sequence[Cells | None]) -> None:
        """Look at a new table: it must be of the kind of those before it."""
        kind = self.options.kind or kind_of(self.scope.index.dag.nodes, cells)
        if self.worker is None:
            if kind == "gaussian":
                self.worker = Measuring(self.scope.families, self.workers)
            else:
                options = self.options
                self.worker = Counting(self.scope.families, options.states, options.unknown, options.limit, self.workers)
            self.is_sure = kind is not None
        elif kind is not None and (kind == "gaussian") != isinstance(self.worker, Measuring):
            if self.is_sure:
                raise DataError('one table holds fractions and another does not; pass kind="gaussian" or kind="discrete"')
            if self.worker.used.any():
                raise DataError("the kind of the first tables cannot be seen from their cells; pass kind=")
            self.worker = None
            self._begin(cells)


def kind_of(names: Sequence[Name], cells: Sequence[Cells | None]) -> Kind | None:
    """Gaussian if every column has fractions, discrete if none has; None where there is nothing to go by."""
    told = [(name, own.has_fractions()) for name, own in zip(names, cells, strict=True) if own is not None]
    fractions = [name for name, has_fractions in told if has_fractions]
    whole = [name for name, has_fractions in told if has_fractions is False]
    if fractions and whole:
        raise DataError(
            f"column {fractions[0]!r} (and {len(fractions) - 1} more) holds fractions, {whole[0]!r} (and {len(whole) - 1} "
            'more) does not; mixed networks are not supported: pass kind="gaussian" or kind="discrete" if all columns are of '
            "one kind"
        )
    return "gaussian" if fractions else "discrete" if whole else None


def columns_of(names: Sequence[Name], columns: Sequence[Name]) -> dict[Name, Name]:
    """The column of each variable that has one; no column belongs to two."""
    present, variables = set(columns), set(names)
    found = {name: column_of(name, present, variables) for name in names}
    return {name: own for name, own in found.items() if own is not None}
