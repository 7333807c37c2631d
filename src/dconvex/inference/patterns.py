"""Rows of a table grouped by which of their cells are there, so that each group is planned once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def row_patterns(is_there: NDArray[np.bool_]) -> list[tuple[NDArray[np.intp], list[int]]]:
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
