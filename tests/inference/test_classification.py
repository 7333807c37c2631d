"""Scores of probabilities against scikit-learn's, on rows with ties, weights and states that never happen."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import calibration as sk_calibration
from sklearn import metrics

from dconvex.inference.classification import (
    ScoredRows,
    accuracy,
    auc,
    brier_score,
    calibration_bins,
    confusion_counts,
    log_loss,
    state_auc,
)


@st.composite
def scored(draw, most=4):
    """Probabilities in eighths, so that ties are frequent; each state happens, weights are positive."""
    count = draw(st.integers(2, most))
    rows = draw(st.integers(count, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = rng.permutation(np.concatenate([np.arange(count), rng.integers(0, count, rows - count)]))
    probabilities = rng.multinomial(8, np.full(count, 1 / count), rows) / 8
    weights = rng.integers(1, 4, rows) * draw(st.sampled_from([1.0, 0.3]))
    return ScoredRows(codes, probabilities, weights)


@given(scored())
def test_scores_are_those_of_scikit_learn(rows):
    codes, chances, weights = rows.codes, rows.probabilities, rows.weights
    labels = list(range(chances.shape[1]))
    assert accuracy(rows) == pytest.approx(metrics.accuracy_score(codes, rows.predicted, sample_weight=weights))
    confusion = metrics.confusion_matrix(codes, rows.predicted, labels=labels, sample_weight=weights)
    np.testing.assert_allclose(confusion_counts(rows), confusion)
    inner = ScoredRows(codes, (chances + 0.1) / (chances + 0.1).sum(axis=1, keepdims=True), weights)
    expected = metrics.log_loss(codes, inner.probabilities, labels=labels, sample_weight=weights)
    assert log_loss(inner) == pytest.approx(expected)
    areas = [metrics.roc_auc_score(codes == state, chances[:, state], sample_weight=weights) for state in labels]
    own = np.array([state_auc(rows, state) for state in labels])
    np.testing.assert_allclose(own, areas, rtol=1e-12)
    assert auc(own) == pytest.approx(areas[1] if len(areas) == 2 else np.mean(areas))


@given(scored())
def test_the_brier_score_is_the_mean_squared_distance(rows):
    happened = np.eye(rows.probabilities.shape[1])[rows.codes]
    distance = np.average(((rows.probabilities - happened) ** 2).sum(axis=1), weights=rows.weights)
    assert brier_score(rows) == pytest.approx(distance / (2 if happened.shape[1] == 2 else 1), abs=1e-15)
    if happened.shape[1] == 2:
        expected = metrics.brier_score_loss(rows.codes, rows.probabilities[:, 1], sample_weight=rows.weights)
        assert brier_score(rows) == pytest.approx(expected, abs=1e-15)


@given(scored(2), st.integers(1, 7))
def test_calibration_is_that_of_scikit_learn(rows, bins):
    equal = ScoredRows(rows.codes, rows.probabilities, np.ones(len(rows)))
    found = calibration_bins(equal, 1, bins)
    observed, predicted = sk_calibration.calibration_curve(rows.codes, rows.probabilities[:, 1], n_bins=bins)
    np.testing.assert_allclose([one.observed for one in found], observed)
    np.testing.assert_allclose([one.predicted for one in found], predicted)
    assert sum(one.weight for one in found) == len(rows)
    assert all(one.low <= one.predicted <= one.high for one in found)


@given(scored())
def test_a_row_of_weight_two_is_two_rows(rows):
    times = np.round(rows.weights / rows.weights.min()).astype(int)
    weighted = ScoredRows(rows.codes, rows.probabilities, times.astype(float))
    again = ScoredRows(rows.codes.repeat(times), rows.probabilities.repeat(times, axis=0), np.ones(times.sum()))
    for score in (accuracy, brier_score, lambda own: state_auc(own, 0)):
        assert score(weighted) == pytest.approx(score(again), rel=1e-12)


def test_the_area_counts_pairs_of_rows_and_half_of_the_ties():
    rows = ScoredRows(np.array([1, 1, 0, 0]), np.array([[0.2, 0.8], [0.5, 0.5], [0.5, 0.5], [0.9, 0.1]]), np.ones(4))
    assert state_auc(rows, 1) == (1 + 1 + 0.5 + 1) / 4
    assert state_auc(rows, 0) == state_auc(rows, 1)


def test_what_never_or_always_happens_has_no_area():
    rows = ScoredRows(np.zeros(3, int), np.full((3, 3), 1 / 3), np.ones(3))
    areas = np.array([state_auc(rows, state) for state in range(3)])
    assert np.isnan(areas).all()
    assert math.isnan(auc(areas))
    assert auc(np.array([0.5, np.nan, 0.7])) == pytest.approx(0.6)


def test_rows_of_weight_zero_do_not_count():
    rows = ScoredRows(np.array([0, 1]), np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([2.0, 0.0]))
    assert (log_loss(rows), accuracy(rows), brier_score(rows)) == (0.0, 1.0, 0.0)
    assert log_loss(ScoredRows(rows.codes, rows.probabilities, np.ones(2))) == math.inf
