"""Structural EM: missing cells are filled in expectation under the graph so far, then a graph is learned, and so on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from dconvex._core import Ragged
from dconvex.amounts import amount
from dconvex.arrays import Flags, Floats
from dconvex.graph.dag import Dag
from dconvex.learning.estimation.priors import BDeu
from dconvex.learning.fitting import fit
from dconvex.learning.learning_options import EM, LearningOptions, StatesLike
from dconvex.structure.coded_tables import CodedRows
from dconvex.structure.expected_rows import DistinctRows, ExpectedRows
from dconvex.structure.measured_tables import MeasuredRows
from dconvex.structure.problem import FoundStructure

MOST_ROUNDS = 10
STEPS = 20
"""Of EM of the numbers, under one graph."""

FilledRows: TypeAlias = ExpectedRows | MeasuredRows


def learned_with_gaps(
    rows: CodedRows | MeasuredRows, options: LearningOptions, start: Ragged, learn: Callable[[FilledRows], FoundStructure]
) -> tuple[FilledRows, FoundStructure, str]:
    """Rounds of filling in and learning, until the graph stays; the filled rows, what was learned from them, and a note.

    Raises:
        TooLargeError: The filled rows take more memory than the limit.
    """
    parents, rounds, is_same = start, 0, False
    fill = _numbers_filler(rows) if isinstance(rows, MeasuredRows) else _states_filler(rows, options)
    filled = fill(parents)
    found: FoundStructure | None = None
    while found is None or (not is_same and rounds < MOST_ROUNDS):
        filled = filled if found is None else fill(parents)
        rounds += 1
        found = learn(filled)
        is_same = found.parents == parents
        parents = found.parents
    ended = "the graph stayed the same" if is_same else "not converged"
    what = "the score is that of rows whose missing cells are filled in expectation"
    return filled, found, f"structural EM took {amount(rounds, 'round')} ({ended}); {what}"


def _states_filler(rows: CodedRows, options: LearningOptions) -> Callable[[Ragged], ExpectedRows]:
    """Expected counts under the network of a graph that fits best."""
    import pandas as pd

    assert isinstance(options.missing, EM)
    distinct, numbers = DistinctRows.of(rows), range(len(rows.variables))
    columns = {number: pd.Series(distinct.codes[number]) for number in numbers}
    frame = pd.DataFrame({number: own.where(own >= 0).astype("Int64") for number, own in columns.items()})
    frame = frame.assign(weight=distinct.weights)
    declared: StatesLike = {number: range(max(len(own), 1)) for number, own in enumerate(rows.states)}

    def filled(parents: Ragged) -> ExpectedRows:
        dag = Dag.from_arrays(tuple(numbers), parents)
        model = fit(
            dag, frame, states=declared, prior=BDeu(1), missing=options.missing, coherent=True, weights="weight",
            n_jobs=options.n_jobs, max_bytes=options.max_bytes,
        )  # fmt: skip
        return ExpectedRows.of(rows, distinct, dag, model.network(), options.limit, options.threads)

    return filled


def _numbers_filler(rows: MeasuredRows) -> Callable[[Ragged], MeasuredRows]:
    return lambda parents: _filled_numbers(rows, parents)


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
