"""The score of families that rows of data give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dconvex._core import DiscreteScore, FamilyScore, GappedGaussianScore, GaussianScore
from dconvex.arrays import Flags, Floats, Indices, Integers
from dconvex.errors import DataError
from dconvex.learning.estimation.priors import BDeu, BGe
from dconvex.names import Name
from dconvex.structure.coded_tables import CodedRows
from dconvex.structure.expected_rows import ExpectedRows
from dconvex.structure.measured_tables import MeasuredRows
from dconvex.structure.shared_counts import CountRounds
from dconvex.structure.structure_options import ScoreChoice

FINEST = 2.0**40
"""Weights are rounded to this part of their sum, so that sums of them do not depend on their order."""
AT_ONCE = 1 << 16
"""Rows whose missing cells are looked at together."""
LISTED = 8


@dataclass(frozen=True, slots=True, eq=False)
class WholeWeights:
    """Weights of rows as multiples of a unit."""

    counts: Integers
    unit: float

    @classmethod
    def of(cls, weights: Floats) -> WholeWeights:
        """Whole weights are what they are; others are rounded, by far less than matters."""
        if (weights == np.floor(weights)).all() and weights.sum() < 2.0**53:
            return cls(weights.astype(np.int64), 1.0)
        unit = 2.0 ** np.floor(np.log2(weights.sum() / FINEST))
        return cls(np.rint(weights / unit).astype(np.int64), float(unit))


def score_maker(
    rows: CodedRows | MeasuredRows | CountRounds | ExpectedRows, choice: ScoreChoice, threads: int
) -> Callable[[str], FamilyScore]:
    """A function that makes a score of these rows, by the name of the score."""
    if isinstance(rows, MeasuredRows):
        return lambda criterion: _gaussian_score(rows, criterion, choice)
    size = choice.prior.common_size if isinstance(choice.prior, BDeu) else 1.0
    if isinstance(rows, CountRounds | ExpectedRows):
        return lambda criterion: rows.score(criterion, size)
    whole = None if rows.weights is None else WholeWeights.of(rows.weights)
    counts, unit = (None, 1.0) if whole is None else (whole.counts, whole.unit)

    def made(criterion: str) -> FamilyScore:
        return DiscreteScore(rows.codes, rows.sizes, counts, criterion, size, unit, threads)

    return made


def _gaussian_score(rows: MeasuredRows, criterion: str, choice: ScoreChoice) -> FamilyScore:
    if rows.has_missing.any():
        return GappedGaussianScore(
            rows.means, rows.scatter, rows.group_weights, np.ascontiguousarray(rows.gaps), rows.gap_weights, criterion
        )
    prior = (1.0, 0.0, 0.0)
    if criterion == "bge":
        prior = (choice.prior if isinstance(choice.prior, BGe) else BGe()).numbers(len(rows.variables))
    return GaussianScore(np.zeros(len(rows.variables)), rows.covariance, rows.weight, criterion, *prior)


def check_values(rows: CodedRows | MeasuredRows) -> None:
    """Refuse rows that weigh nothing, and columns without a value.

    Raises:
        DataError: There are some.
    """
    if not rows.weight > 0:
        if rows.dropped:
            raise DataError('no row is without a missing cell; pass missing="available" or missing="em"')
        raise DataError("all rows weigh nothing: the column of weights= holds zeros only")
    if rows.has_missing.any():
        is_shown = rows.presence().any(axis=1)
        if not is_shown.all():
            name = rows.variables[int(np.argmin(is_shown))]
            raise DataError(f"column {name!r} has no values: all its cells are missing; leave it out")


def pairs_apart(presence: Flags) -> Indices:
    """Pairs of variables that no row shows together, a row each; `presence` is by variable and row."""
    together = np.zeros((len(presence), len(presence)))
    for first in range(0, presence.shape[1], AT_ONCE):
        some = presence[:, first : first + AT_ONCE].astype(np.float32)
        together += some @ some.T
    found = np.argwhere(np.triu(together == 0, 1))
    return found.astype(np.int32)


def note_of_pairs(apart: Indices, names: tuple[Name, ...]) -> tuple[str, ...]:
    """The pairs of variables that no row shows together, in words."""
    if not len(apart):
        return ()
    listed = ", ".join(f"{names[one]!r} and {names[other]!r}" for one, other in apart[:LISTED].tolist())
    more = f" and {len(apart) - LISTED:,} more pairs" if len(apart) > LISTED else ""
    return (f"no row shows these together, so that they get no edge: {listed}{more}",)
