"""The rows of tables in files: those that are slightly off are corrected, with a warning that names the largest correction."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable

from dconvex.arrays import Floats
from dconvex.graph.dag import Dag
from dconvex.names import Label
from dconvex.network.probability_tables import RowRule, Tables

FILE_ROWS = RowRule(
    5e-3, -1e-6, "rows within 0.005 of 1 are normalised; dc.read(path, normalize=True) divides any row by its sum"
)
"""Programs round probabilities when they write them."""
ANY_ROWS = RowRule(math.inf, -1e-6, "such a row cannot be divided by its sum")
"""Counts, or probabilities up to a factor."""


def tables_in(path: str, dag: Dag, labels: tuple[tuple[Label, ...], ...], arrays: Iterable[Floats], rule: RowRule) -> Tables:
    """The tables of a file, corrected by this rule."""
    tables, correction = Tables.corrected(dag, labels, arrays, rule)
    if correction is not None:
        how = "rows were divided by their sums, and negative entries taken for zeros"
        warnings.warn(f"{path}: {how}; the largest correction: {correction.problem}", stacklevel=2)
    return tables
