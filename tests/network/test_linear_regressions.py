"""What a linear Gaussian network does, held against its multivariate normal distribution."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm
from strategies import gaussian_networks

import dconvex as dc
from dconvex import BayesianNetwork

CHAIN = BayesianNetwork.gaussian(
    [("x", "y"), ("y", "z"), ("x", "z")],
    {"x": (1, {}, 2), "y": (-1, {"x": 0.5}, 0.25), "z": (0, {"x": 1, "y": -2}, 1)},
)
EXACT = BayesianNetwork.gaussian([("x", "y")], {"x": (0, {}, 1), "y": (0.1, {"x": 3}, 0)})


def moments(network):
    """Mean and covariance: v = intercept + B v + noise, so v = (I - B)⁻¹ (intercept + noise)."""
    nodes = network.dag.nodes
    families = [network.family(node) for node in nodes]
    effects = np.array([[own.coefficients.get(parent, 0.0) for parent in nodes] for own in families])
    mixing = np.linalg.inv(np.eye(len(nodes)) - effects)
    mean = mixing @ [own.intercept for own in families]
    return mean, mixing @ np.diag([own.variance for own in families]) @ mixing.T


# --- sampling


@pytest.mark.parametrize(
    "network", [CHAIN, *(dc.random_gaussian_network(dc.random_dag(6, 9, seed=s), seed=s) for s in range(3))]
)
def test_sample_moments_are_near_the_exact_ones(network):
    rows = 200_000
    sample = network.sample(rows, seed=1)
    mean, covariance = moments(network)
    variance = np.diag(covariance)
    assert (np.abs(sample.mean() - mean) <= 5 * np.sqrt(variance / rows)).all()
    spread = np.sqrt((np.outer(variance, variance) + covariance**2) / rows)
    assert (np.abs(np.cov(sample.to_numpy().T) - covariance) <= 5 * spread).all()


def test_columns_are_floats_in_canonical_order():
    network = BayesianNetwork.gaussian([("b", 10), (9, 10)], {9: (0, {}, 1), 10: (0, {9: 1, "b": 1}, 1), "b": (0, {}, 1)})
    sample = network.sample(4, seed=0)
    assert list(sample.columns) == [9, 10, "b"]
    assert sample.to_numpy().dtype == float
    assert np.isfinite(network.log_likelihood(sample)).all()


def test_the_seed_decides():
    pd.testing.assert_frame_equal(CHAIN.sample(10, seed=1), CHAIN.sample(10, seed=1))
    assert not CHAIN.sample(10, seed=1).equals(CHAIN.sample(10, seed=2))


def test_no_rows():
    assert CHAIN.sample(0).shape == (0, 3)
    assert CHAIN.log_likelihood(CHAIN.sample(0)).shape == (0,)
    assert BayesianNetwork.gaussian([], {}).sample(3).shape == (3, 0)
    with pytest.raises(ValueError, match="cannot draw -1 rows"):
        CHAIN.sample(-1)


def test_a_variable_without_noise_follows_its_parents():
    sample = EXACT.sample(100, seed=0)
    np.testing.assert_allclose(sample["y"], 0.1 + 3 * sample["x"], rtol=1e-12)


# --- log-likelihood


@given(gaussian_networks(min_nodes=1, max_nodes=5, numbers=st.floats(-2, 2), variances=st.floats(0.25, 4)))
def test_log_likelihood_is_that_of_the_normal_distribution(network):
    sample = network.sample(5, seed=0)
    mean, covariance = moments(network)
    exact = multivariate_normal(mean, covariance, allow_singular=True).logpdf(sample.to_numpy())
    np.testing.assert_allclose(network.log_likelihood(sample), np.atleast_1d(exact), rtol=1e-6, atol=1e-6)


def test_log_likelihood_off_the_sample_too():
    rows = pd.DataFrame({"z": [0.0, 5.0], "x": [1.0, -20.0], "y": [0.0, 3.5]})
    mean, covariance = moments(CHAIN)
    exact = multivariate_normal(mean, covariance).logpdf(rows[["x", "y", "z"]].to_numpy())
    np.testing.assert_allclose(CHAIN.log_likelihood(rows), exact, rtol=1e-12)


@given(gaussian_networks())
def test_what_is_sampled_is_possible(network):
    assert np.isfinite(network.log_likelihood(network.sample(5, seed=0))).all()


def test_a_variable_without_noise_adds_nothing_on_its_line_and_is_impossible_off_it():
    x = np.array([0.0, 1.0, 1e6, 1.0, 0.0])
    y = 0.1 + 3 * x + np.array([0, 0, 0, 1e-6, 0.5])
    found = EXACT.log_likelihood(pd.DataFrame({"x": x, "y": y}))
    np.testing.assert_allclose(found[:3], norm.logpdf(x[:3]))
    assert np.isneginf(found[3:]).all()


def test_decimals_on_the_line_are_possible():
    assert 0.1 + 3 * 0.7 != 2.2
    found = EXACT.log_likelihood(pd.DataFrame({"x": [0.7], "y": [2.2]}))
    np.testing.assert_allclose(found, norm.logpdf(0.7))


def test_a_constant_zero_is_possible_only_at_zero():
    network = BayesianNetwork.gaussian([], {"x": (0, {}, 0)})
    assert network.log_likelihood(pd.DataFrame({"x": [0.0, -0.0, 1e-300]})).tolist() == [0, 0, -math.inf]


@pytest.mark.parametrize(("variance", "value"), [(1.0, 1e200), (1e-320, 1.0)])
def test_too_far_out_for_a_float_is_minus_infinity_without_a_warning(variance, value):
    network = BayesianNetwork.gaussian([], {"x": (0, {}, variance)})
    assert network.log_likelihood(pd.DataFrame({"x": [value]})).tolist() == [-math.inf]


# --- interventions


@pytest.mark.parametrize("settings", [{"y": 2.5}, {"x": 0, "y": -1}, {"z": 7}, {}])
def test_do_cuts_the_edges_and_fixes_the_value(settings):
    after = CHAIN.do(settings)
    assert set(after.dag.edges) == {edge for edge in CHAIN.dag.edges if edge[1] not in settings}
    for node in CHAIN.dag.nodes:
        fixed = dc.Regression(node, (), float(settings.get(node, 0)), {}, 0.0)
        assert after.family(node) == (fixed if node in settings else CHAIN.family(node))


def test_do_moves_the_mean_of_what_lies_below_and_of_nothing_else():
    mean, covariance = moments(CHAIN.do({"y": 2.5}))
    assert mean.tolist() == [1, 2.5, 1 - 2 * 2.5]
    assert covariance.tolist() == [[2, 0, 2], [0, 0, 0], [2, 0, 3]]
    sample = CHAIN.do({"y": 2.5}).sample(100, seed=0)
    assert (sample["y"] == 2.5).all()


@given(gaussian_networks(min_nodes=1), st.data())
def test_do_leaves_the_other_families_alone(network, data):
    variable = data.draw(st.sampled_from(network.dag.nodes))
    after = network.do({variable: 1.5})
    assert all(after.family(v) == network.family(v) for v in network.dag.nodes if v != variable)
    assert after.do({variable: 1.5}) == after


@pytest.mark.parametrize("value", ["high", None, [1, 2], math.nan, math.inf])
def test_do_with_what_is_no_number(value):
    with pytest.raises(dc.NetworkError, match="'y'"):
        CHAIN.do({"y": value})


def test_do_with_an_unknown_variable():
    with pytest.raises(dc.UnknownVariableError, match="unknown variable 'yy'; did you mean 'y'"):
        CHAIN.do({"yy": 0})
