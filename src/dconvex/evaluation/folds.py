"""Rows dealt to folds: balanced within each state of a target, and a function of what the rows hold, not of their order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dconvex.arrays import AnyIntegers, Floats, Integers


def canonical_order(keys: Sequence[AnyIntegers | Floats], rows: int) -> Integers:
    """The rows sorted by the first key, then by the second and so on; missing numbers come last.

    >>> canonical_order([np.array([1, 0, 1]), np.array([0.5, np.nan, 0.2])], 3)
    array([1, 2, 0])
    """
    order: Integers = np.lexsort(tuple(keys)[::-1]) if keys else np.arange(rows)
    return order


def dealt(strata: Integers, folds: int, seed: int) -> Integers:
    """For each row its fold. Within each stratum, and in all, the sizes of two folds differ by at most one.

    Rows are shuffled within their stratum and dealt in turns, where the stratum before has stopped.
    """
    rng = np.random.default_rng(seed)
    fold_of = np.empty(len(strata), np.int64)
    begin = 0
    for stratum in np.unique(strata).tolist():
        rows = rng.permutation(np.flatnonzero(strata == stratum))
        fold_of[rows] = (begin + np.arange(len(rows))) % folds
        begin += len(rows)
    return fold_of
