"""Structural EM: missing cells are filled in expectation under the graph so far, then a graph is learned, and so on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from dconvex._core import Ragged
from dconvex.amounts import amount
from dconvex.arrays import Flags, Floats, Indices
from dconvex.errors import TooLargeError
from dconvex.graph.dag import Dag
from dconvex.learning.estimation.priors import BDeu
from dconvex.learning.fitting import fit
from dconvex.learning.learning_options import EM, LearningOptions, StatesLike
from dconvex.structure.coded_tables import CodedRows
from dconvex.structure.measured_tables import MeasuredRows
from dconvex.structure.problem import FoundStructure

if TYPE_CHECKING:
    from pandas import DataFrame

DRAWS = 10
"""Each row of states with a gap counts as this many rows, drawn given its other cells, that weigh one together."""
MOST_ROUNDS = 10
STEPS = 20
"""Of EM of the numbers, under one graph."""

AllRows: TypeAlias = CodedRows | MeasuredRows


def learned_with_gaps(
    rows: AllRows, options: LearningOptions, start: Ragged, learn: Callable[[AllRows], FoundStructure], seed: int
) -> tuple[AllRows, FoundStructure, str]:
    """Rounds of filling in and learning, until the graph stays; the filled rows, what was learned from them, and a note.

    Raises:
        TooLargeError: The filled rows take more memory than the limit.
    """
    assert isinstance(options.missing, EM)
    parents, rounds, is_same = start, 0, False
    filled, found = rows, None
    while found is None or (not is_same and rounds < MOST_ROUNDS):
        rounds += 1
        filled = (
            _filled_numbers(rows, parents) if isinstance(rows, MeasuredRows) else _filled_states(rows, parents, options, seed)
        )
        found = learn(filled)
        is_same = found.parents == parents
        parents = found.parents
    ended = "the graph stayed the same" if is_same else "not converged"
    what = "the score is that of rows whose missing cells are filled in expectation"
    return filled, found, f"structural EM took {amount(rounds, 'round')} ({ended}); {what}"


def _filled_states(rows: CodedRows, parents: Ragged, options: LearningOptions, seed: int) -> CodedRows:
    """Rows with gaps drawn several times under the maximum-likelihood network of a graph, in an order of their own."""
    import pandas as pd

    assert isinstance(options.missing, EM)
    weights = np.ones(rows.codes.shape[1]) if rows.weights is None else rows.weights
    order = np.lexsort((weights, *rows.codes[::-1]))
    codes, weights = rows.codes[:, order], weights[order]
    has_gap = (codes < 0).any(axis=0)
    count = int(has_gap.sum())
    needed = codes.nbytes + count * DRAWS * (8 + codes.itemsize * len(codes))
    if needed > options.limit:
        raise TooLargeError("rows with filled cells", needed, options.limit, 'Raise max_bytes, or pass missing="complete".')
    numbers = range(len(rows.variables))
    frame = pd.DataFrame({number: pd.Series(codes[number]).where(codes[number] >= 0).astype("Int64") for number in numbers})
    declared: StatesLike = {number: range(max(len(own), 1)) for number, own in enumerate(rows.states)}
    dag = Dag.from_arrays(tuple(numbers), parents)
    model = fit(
        dag, frame.assign(weight=weights), states=declared, prior=BDeu(1), missing=options.missing, coherent=True,
        weights="weight", n_jobs=options.n_jobs, max_bytes=options.max_bytes,
    )  # fmt: skip
    gaps: DataFrame = frame.iloc[np.flatnonzero(has_gap)]
    drawn = [_codes_of(model.impute(gaps, method="sample", seed=seed + k), len(codes)) for k in range(DRAWS)]
    own = np.empty((len(codes), codes.shape[1] + (DRAWS - 1) * count), codes.dtype)
    own[:] = np.concatenate([codes[:, ~has_gap], *drawn], axis=1)
    parts = [weights[~has_gap], *[weights[has_gap] / DRAWS] * DRAWS]
    return replace(rows, codes=own, weights=np.concatenate(parts))


def _codes_of(frame: DataFrame, variables: int) -> Indices:
    return np.array([frame[number].to_numpy(np.int32) for number in range(variables)], np.int32)


def _filled_numbers(rows: MeasuredRows, parents: Ragged) -> MeasuredRows:
    """The expected moments of all rows under the maximum-likelihood network of a graph, which EM finds."""
    size = len(rows.variables)
    shown = ~np.isnan(rows.gaps)
    patterns, which = np.unique(shown, axis=1, return_inverse=True)
    groups = [(patterns[:, k], np.flatnonzero(which.ravel() == k)) for k in range(patterns.shape[1])]
    means, covariance = _available_moments(rows)
    for _ in range(STEPS):
        before = covariance
        covariance = _implied(covariance, parents)
        total, sums, products = 0.0, np.zeros(size), np.zeros((size, size))
        for mean, scatter, weight in zip(rows.means, rows.scatter, rows.group_weights.tolist(), strict=True):
            if weight > 0:
                there = ~np.isnan(mean)
                own = _expected_group(mean, scatter.reshape(size, size), weight, there, means, covariance)
                total, sums, products = total + weight, sums + own[0], products + own[1]
        for there, members in groups:
            own = _expected_rows(rows.gaps[:, members], rows.gap_weights[members], there, means, covariance)
            total, sums, products = total + float(rows.gap_weights[members].sum()), sums + own[0], products + own[1]
        shift = sums / total  # of the means
        means, covariance = means + shift, products / total - np.outer(shift, shift)
        if np.abs(covariance - before).max() <= 1e-6 * np.abs(covariance).max():
            break
    flat = (covariance * total).reshape(1, -1)
    return replace(
        rows, means=means[None], scatter=flat, group_weights=np.array([total]), gaps=rows.gaps[:, :0],
        gap_weights=rows.gap_weights[:0],
    )  # fmt: skip


def _available_moments(rows: MeasuredRows) -> tuple[Floats, Floats]:
    """Means of the cells that are there, and a diagonal covariance: where EM starts."""
    size = len(rows.variables)
    there = ~np.isnan(rows.gaps)
    weights = there @ rows.gap_weights
    sums = np.where(there, rows.gaps, 0.0) @ rows.gap_weights
    known = ~np.isnan(rows.means)
    weights = weights + (known * rows.group_weights[:, None]).sum(axis=0)
    sums = sums + np.where(known, rows.means * rows.group_weights[:, None], 0.0).sum(axis=0)
    means = sums / weights
    squares = np.where(there, (rows.gaps - means[:, None]) ** 2, 0.0) @ rows.gap_weights
    for mean, scatter, weight in zip(rows.means, rows.scatter, rows.group_weights.tolist(), strict=True):
        own = np.diag(scatter.reshape(size, size)) + weight * (mean - means) ** 2
        squares = squares + np.where(np.isnan(own), 0.0, own)
    return means, np.diag(np.maximum(squares / weights, 1e-300))


def _implied(covariance: Floats, parents: Ragged) -> Floats:
    """The covariance of the network of a graph that fits best."""
    size = len(covariance)
    coefficients, noise = np.zeros((size, size)), np.zeros(size)
    for child in range(size):
        own = parents[child]
        if len(own):
            coefficients[child, own] = np.linalg.lstsq(covariance[np.ix_(own, own)], covariance[own, child], rcond=None)[0]
        noise[child] = max(covariance[child, child] - float(coefficients[child] @ covariance[:, child]), 0.0)
    spread = np.linalg.inv(np.eye(size) - coefficients)
    found: Floats = (spread * noise) @ spread.T
    return found


def _conditional(there: Flags, covariance: Floats) -> tuple[Floats, Floats]:
    """The regression of all variables on those that are there, and what is left of the covariance."""
    given = np.flatnonzero(there)
    solved = np.linalg.lstsq(covariance[np.ix_(given, given)], covariance[given], rcond=None)[0]
    coefficients = np.asarray(solved.T, np.float64)
    left: Floats = covariance - coefficients @ covariance[given]
    return coefficients, left


def _expected_rows(values: Floats, weights: Floats, there: Flags, means: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """Sums and products of deviations from the means, of rows that show the same variables."""
    given = np.flatnonzero(there)
    coefficients, left = _conditional(there, covariance)
    expected = coefficients @ (values[given] - means[given, None])
    products: Floats = (expected * weights) @ expected.T + float(weights.sum()) * left
    sums: Floats = (expected * weights).sum(axis=1)
    return sums, products


def _expected_group(
    mean: Floats, scatter: Floats, weight: float, there: Flags, means: Floats, covariance: Floats
) -> tuple[Floats, Floats]:
    """The same of rows of which moments are there."""
    given = np.flatnonzero(there)
    coefficients, left = _conditional(there, covariance)
    apart = mean[given] - means[given]
    products = scatter[np.ix_(given, given)] + weight * np.outer(apart, apart)
    return weight * (coefficients @ apart), coefficients @ products @ coefficients.T + weight * left
