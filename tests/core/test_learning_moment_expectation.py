"""The E-step for numbers, against the joint normal distribution of all variables."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dconvex._core import ExpectedMoments, Graph, Ragged


@st.composite
def problems(draw, *, zeros=False):
    """Parents, regressions, rows with gaps and weights."""
    size = draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    parents = [rng.permutation(v)[: rng.integers(0, min(v, 3) + 1)].tolist() for v in range(size)]
    slopes = [rng.normal(size=len(own)) for own in parents]
    intercept, variance = rng.normal(size=size), rng.gamma(1.0, size=size) + 0.1
    if zeros:
        variance[rng.random(size) < 0.4] = 0
    rows = draw(st.integers(0, 8))
    values = np.zeros((size, rows))
    for v, own in enumerate(parents):
        noise = rng.normal(size=rows) * np.sqrt(variance[v])
        values[v] = intercept[v] + slopes[v] @ values[own] + noise
    values[rng.random(values.shape) < draw(st.sampled_from([0.1, 0.5, 0.9]))] = np.nan
    return parents, intercept, slopes, variance, values, rng.choice([1.0, 2.0, 0.5, 0.0], size=rows)


def joint(parents, intercept, slopes, variance):
    size = len(parents)
    matrix = np.zeros((size, size))
    for v, own in enumerate(parents):
        matrix[v, own] = slopes[v]
    whole = np.linalg.inv(np.eye(size) - matrix)
    return whole @ intercept, whole @ np.diag(variance) @ whole.T


def ancestral(parents, nodes):
    found, todo = set(), list(nodes)
    while todo:
        node = todo.pop()
        if node not in found:
            found.add(node)
            todo += parents[node]
    return found


def by_conditioning(parents, intercept, slopes, variance, values, weights):
    """Sums and products of the families with a missing member that count."""
    mean, covariance = joint(parents, intercept, slopes, variance)
    members = [[*own, v] for v, own in enumerate(parents)]
    sums, products = [np.zeros(len(own)) for own in members], [np.zeros((len(own), len(own))) for own in members]
    for row, weight in zip(values.T, weights.tolist(), strict=True):
        there = np.flatnonzero(~np.isnan(row))
        gain = covariance[:, there] @ np.linalg.pinv(covariance[np.ix_(there, there)], hermitian=True)
        middle = mean + gain @ (row[there] - mean[there])
        middle[there] = row[there]
        rest = covariance - gain @ covariance[there]
        for v in ancestral(parents, there.tolist()):
            own = members[v]
            if np.isnan(row[own]).any():
                sums[v] += weight * middle[own]
                products[v] += weight * (np.outer(middle[own], middle[own]) + rest[np.ix_(own, own)])
    return sums, products


def prepared(parents, values, weights):
    core = ExpectedMoments(Graph(Ragged.from_lists(parents)))
    half = values.shape[1] // 2
    core.add_rows(np.ascontiguousarray(values[:, :half]), weights[:half])
    core.add_rows(np.ascontiguousarray(values[:, half:]), weights[half:])
    core.finish()
    return core


def expectation(core, parents, intercept, slopes, variance):
    widths = [len(own) + 1 for own in parents]
    sums, products = np.zeros(sum(widths)), np.zeros(sum(width**2 for width in widths))
    density = impossible = 0.0
    for block in range(core.block_count):
        found = core.expect(intercept, np.concatenate([np.empty(0), *slopes]), variance, block, sums, products)
        density, impossible = density + found[0], impossible + found[1]
    at = np.cumsum([0, *(width**2 for width in widths)])
    squares = [products[at[k] : at[k + 1]].reshape(width, width) for k, width in enumerate(widths)]
    return np.split(sums, np.cumsum(widths)[:-1]), squares, density, impossible


def assert_same(found, right):
    for mine, theirs in zip(found[0], right[0], strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-8, atol=1e-8)
    for mine, theirs in zip(found[1], right[1], strict=True):
        np.testing.assert_allclose(np.tril(mine), np.tril(theirs), rtol=1e-8, atol=1e-8)


@given(problems())
@settings(deadline=None)
def test_it_is_the_conditional_expectation(problem):
    parents, intercept, slopes, variance, values, weights = problem
    core = prepared(parents, values, weights)
    found = expectation(core, parents, intercept, slopes, variance)
    assert_same(found, by_conditioning(*problem))
    assert found[3] == 0
    mean, covariance = joint(parents, intercept, slopes, variance)
    right = 0.0
    for row, weight in zip(values.T, weights.tolist(), strict=True):
        there = np.flatnonzero(~np.isnan(row))
        apart, inner = row[there] - mean[there], covariance[np.ix_(there, there)]
        right += weight * -0.5 * (np.linalg.slogdet(2 * np.pi * inner)[1] + apart @ np.linalg.solve(inner, apart))
        for v, own in enumerate(parents):  # families that are shown entirely are counted elsewhere
            if not np.isnan(row[[*own, v]]).any():
                residual = row[v] - intercept[v] - slopes[v] @ row[own]
                right += weight * 0.5 * (np.log(2 * np.pi * variance[v]) + residual**2 / variance[v])
    assert found[2] == pytest.approx(right, rel=1e-8, abs=1e-8)
    is_there = weights != 0
    assert core.missing_cells == pytest.approx((np.isnan(values) * weights)[:, is_there].sum())


@given(problems(zeros=True))
@settings(deadline=None)
def test_variances_may_be_zero(problem):
    parents, intercept, slopes, variance, values, weights = problem
    found = expectation(prepared(parents, values, weights), parents, intercept, slopes, variance)
    assert found[3] == 0
    for mine, theirs in itertools.chain(*(zip(found[k], by_conditioning(*problem)[k], strict=True) for k in (0, 1))):
        np.testing.assert_allclose(np.tril(np.atleast_2d(mine)), np.tril(np.atleast_2d(theirs)), rtol=1e-5, atol=1e-5)


def test_what_others_determine_may_be_impossible():
    parents, slopes = [[], [0], [0]], [np.empty(0), np.array([2.0]), np.array([3.0])]
    values = np.array([[np.nan, np.nan], [2.0, 2.0], [3.0, 4.0]])
    core = prepared(parents, values, np.array([1.0, 2.5]))
    found = expectation(core, parents, np.zeros(3), slopes, np.array([1.0, 0.0, 0.0]))
    assert found[3] == 2.5
    assert found[0][0].tolist() == [1.0]


def test_rows_with_the_same_gaps_share_a_posterior():
    values = np.full((2, 50), np.nan)
    values[1] = np.arange(50.0)
    core = prepared([[], [0]], values, np.ones(50))
    assert core.component_count == 50
    assert core.largest_component.tolist() == [0]
    assert core.largest_workspace >= 1
    assert core.family_weights.tolist() == [50, 50]
    assert 0 < core.cost < 50 * 100


def test_wrong_arrays_are_refused():
    core = ExpectedMoments(Graph(Ragged.from_lists([[], [0]])))
    with pytest.raises(ValueError, match="line of numbers"):
        core.add_rows(np.zeros((3, 1)), None)
    with pytest.raises(ValueError, match="a weight for each row"):
        core.add_rows(np.zeros((2, 3)), np.ones(2))
    core.add_rows(np.array([[np.nan], [1.0]]), None)
    core.finish()
    one, two, three, five = (np.zeros(count) for count in (1, 2, 3, 5))
    with pytest.raises(ValueError, match="block"):
        core.expect(two, one, two, 99, three, five)
    with pytest.raises(ValueError, match="each variable"):
        core.expect(one, one, two, 0, three, five)
    with pytest.raises(ValueError, match="each moment"):
        core.expect(two, one, two, 0, two, five)
