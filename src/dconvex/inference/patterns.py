"""Rows of a table grouped by which of their cells are there, so that each group is planned once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, final

import numpy as np

from dconvex.arrays import Codes, Flags, Floats, Indices
from dconvex.inference.evidence import Variables

Cells = TypeVar("Cells", Indices, Floats)


@final
@dataclass(frozen=True, slots=True)
class RowGroup(Generic[Cells]):
    """Rows in which the same variables are observed, and their cells, a column for each of these variables."""

    rows: Codes
    observed: Variables
    cells: Cells

    def first_without(self, flags: Flags) -> int | None:
        """Which of the rows is the first that has no flag, None if all have one."""
        return None if flags.all() else int(np.argmin(flags))


def row_groups(present: Sequence[int], cells: Cells, is_there: Flags, first: int = 0) -> list[RowGroup[Cells]]:
    """The rows of a table by the cells that are there; `present` are the variables of its columns, `first` its first row."""
    return [
        RowGroup(rows + first, tuple(present[column] for column in columns), cells[rows][:, columns])
        for rows, columns in row_patterns(is_there)
    ]


def row_patterns(is_there: Flags) -> list[tuple[Codes, list[int]]]:
    """Groups of rows with the same cells: (the rows, the columns that they have)."""
    if not len(is_there):
        return []
    if is_there.all():
        return [(np.arange(len(is_there)), list(range(is_there.shape[1])))]
    _, first, number = np.unique(np.packbits(is_there, axis=1), axis=0, return_index=True, return_inverse=True)
    group = number.reshape(-1)
    order = np.argsort(group, kind="stable")
    bounds = np.searchsorted(group[order], np.arange(len(first) + 1))
    return [(order[bounds[k] : bounds[k + 1]], np.flatnonzero(is_there[first[k]]).tolist()) for k in range(len(first))]
