"""Moments of families in files, and back: what is read is checked before it is used."""

from __future__ import annotations

import numpy as np

from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.coverage import Coverage
from dconvex.learning.statistics.moments import Moments, entry_indices, scatter_offsets
from dconvex.storage.container import Container
from dconvex.storage.sections import Arrays

ROUNDING = 1e-6
"""What a product of deviations may exceed its bound by, relative to it."""


def moments_arrays(moments: Moments) -> Arrays:
    """Means and squares of deviations."""
    weighted: Arrays = {} if moments.total is None else {"weighted.totals": moments.total}
    return {"moments.mean": moments.mean, "moments.rest": moments.rest, "moments.scatter": moments.scatter} | weighted


def read_moments(file: Container, families: Families, coverage: Coverage) -> Moments:
    """What `moments_arrays` gave.

    Raises:
        FormatError: It is not means and sums of squares and products.
    """
    entries = int(scatter_offsets(families)[-1])
    members = len(families.members)
    mean, rest = (file.array(f"moments.{part}", members) for part in ("mean", "rest"))
    scatter = file.array("moments.scatter", entries)
    if not all(np.isfinite(part).all() for part in (mean, rest, scatter)):
        raise file.damaged("a moment is not finite")
    if (np.abs(rest) > ROUNDING * np.abs(mean)).any():
        raise file.damaged("a mean does not fit together")
    row, column, mirrored = entry_indices(families)
    square = scatter[row == column]  # of each member, in order
    if (square < 0).any():
        raise file.damaged("a sum of squares is negative")
    size = np.sqrt(square)
    bound = (1 + ROUNDING) * size[row] * size[column]
    if (np.abs(scatter) > bound).any() or (np.abs(scatter - scatter[mirrored]) > ROUNDING * bound).any():
        raise file.damaged("its sums of products do not fit together")
    total = file.array("weighted.totals", len(families)) if "weighted" in file else None
    if total is not None and not (np.isfinite(total).all() and (total >= 0).all()):
        raise file.damaged("a weight is negative or not finite")
    return Moments(families, mean, rest, scatter, coverage, total)
