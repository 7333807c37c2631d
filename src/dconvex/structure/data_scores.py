"""The score of families that rows of data give."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dconvex._core import DiscreteScore, FamilyScore, GaussianScore
from dconvex.arrays import Integers
from dconvex.errors import DataError
from dconvex.learning.estimation.priors import BDeu, BGe
from dconvex.structure.structure_options import ScoreChoice
from dconvex.structure.table_rows import CodedRows, MeasuredRows


def score_maker(rows: CodedRows | MeasuredRows, choice: ScoreChoice) -> Callable[[str], FamilyScore]:
    """A function that makes a score of these rows, by the name of the score."""
    if isinstance(rows, MeasuredRows):
        return lambda criterion: _gaussian_score(rows, criterion, choice)
    weights = None if rows.weights is None else _whole_weights(rows)

    def made(criterion: str) -> FamilyScore:
        size = choice.prior.common_size if isinstance(choice.prior, BDeu) else 1.0
        return DiscreteScore(rows.codes, rows.sizes, weights, criterion, size)

    return made


def _gaussian_score(rows: MeasuredRows, criterion: str, choice: ScoreChoice) -> FamilyScore:
    prior = (1.0, 0.0, 0.0)
    if criterion == "bge":
        prior = (choice.prior if isinstance(choice.prior, BGe) else BGe()).numbers(len(rows.variables))
    return GaussianScore(np.zeros(len(rows.means)), rows.covariance, rows.weight, criterion, *prior)


def _whole_weights(rows: CodedRows) -> Integers:
    assert rows.weights is not None
    whole = rows.weights.astype(np.int64)
    if not (whole == rows.weights).all():
        raise DataError("weights= holds fractions; whole numbers are needed here")
    return whole
