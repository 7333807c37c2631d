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
from dconvex.learning.threads import Spread, thread_count, threads
from dconvex.names import Name

CODES_AT_ONCE = 1 << 26
"""So many bytes of codes or numbers are held at a time."""


def read_statistics(scope: Scope, data: Any, options: Options) -> Statistics:
    """The statistics of all tables in `data`, counted here."""
    with threads(options.n_jobs) as spread:
        return _Reading(scope, options, spread).read(data)


class _Reading:
    """Goes through tables, and through each of them part by part."""

    def __init__(self, scope: Scope, options: Options, spread: Spread) -> None:
        self.scope, self.options, self.spread = scope, options, spread
        count, names = len(scope.families), scope.index.dag.nodes
        self.rows = 0
        self.tables, self.offered = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.has_column = np.zeros(len(names), bool)
        self.strangers: set[Name] = set()
        self.worker: Counting | Measuring | None = None

    def read(self, data: Any) -> Statistics:
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
        rows = 0
        with Bar("learning", source.rows if self.options.progress else None, is_shown=self.options.progress) as bar:
            uses_threads = thread_count(self.options.n_jobs) > 1
            for first, last, columns in source.parts(list(column_of.values()), at_once, uses_threads=uses_threads):
                cells = [columns[column_of[name]] if name in column_of else None for name in names]
                worker = self.worker = self.worker or self._started(cells)
                worker.add(first, last, cells, covered)
                rows += last - first
                bar.advance(last - first)
        self.rows += rows
        self.tables += covered
        self.offered += rows * covered

    def _started(self, cells: Sequence[Cells | None]) -> Counting | Measuring:
        kind = self.options.kind or kind_of(self.scope.index.dag.nodes, cells)
        if kind == "gaussian":
            return Measuring(self.scope.families, self.spread)
        return Counting(self.scope.families, self.options.states, self.options.unknown, self.options.limit, self.spread)


def kind_of(names: Sequence[Name], cells: Sequence[Cells | None]) -> Kind:
    """Gaussian if every column has fractions, discrete if none has."""
    present = [(name, own) for name, own in zip(names, cells, strict=True) if own is not None]
    fractions = [name for name, own in present if own.has_fractions()]
    if not fractions or len(fractions) == len(present):
        return "gaussian" if fractions else "discrete"
    whole = [name for name, _ in present if name not in set(fractions)]
    raise DataError(
        f"column {fractions[0]!r} (and {len(fractions) - 1} more) holds fractions, {whole[0]!r} (and {len(whole) - 1} more) "
        'does not; mixed networks are not supported: pass kind="gaussian" or kind="discrete" if all columns are of one kind'
    )


def columns_of(names: Sequence[Name], columns: Sequence[Name]) -> dict[Name, Name]:
    """The column of each variable that has one; where columns can only be text, `7` is "7"."""
    present = set(columns)
    found: dict[Name, Name] = {name: name for name in names if name in present}
    if len(found) < len(names):
        integers = (name for name in names if isinstance(name, int) and name not in found)
        found.update({name: str(name) for name in integers if str(name) in present})
    return found
