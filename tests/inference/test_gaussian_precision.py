"""Gaussian networks whose noises differ by many orders of magnitude, against arithmetic with 200 digits."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

import dconvex as dc
from dconvex.inference import gaussian_pieces

mp.dps = 200
TINY = 1e-150
"""What 200 digits leave of nothing."""


class Oracle:
    """Means and covariances of all variables, conditioned on one observation after the other."""

    def __init__(self, network: dc.BayesianNetwork, evidence: dict) -> None:
        self.order = list(network.dag.topological_order())
        self.mean, self.covariance, self.log_evidence = {}, {}, mpf(0)
        for node in self.order:
            own = network.family(node)
            weights = {parent: mpf(number) for parent, number in own.coefficients.items()}
            self.mean[node] = mpf(own.intercept) + sum(w * self.mean[p] for p, w in weights.items())
            for other in [*self.mean][:-1]:
                shared = sum((w * self.covariance[p, other] for p, w in weights.items()), mpf(0))
                self.covariance[node, other] = self.covariance[other, node] = shared
            explained = sum((w * self.covariance[p, node] for p, w in weights.items()), mpf(0))
            self.covariance[node, node] = mpf(own.variance) + explained
        self.prior = {node: self.covariance[node, node] for node in self.order}
        for node in self.order:
            if node in evidence:
                self._observe(node, mpf(evidence[node]))

    def _observe(self, node, value) -> None:
        variance, difference = self.covariance[node, node], value - self.mean[node]
        if abs(variance) <= mpf(10) ** -150 * self.prior[node]:
            if difference**2 > mpf(10) ** -150 * self.prior[node]:
                self.log_evidence = -mp.inf
            return
        self.log_evidence -= (mp.log(2 * mp.pi * variance) + difference**2 / variance) / 2
        gain = {other: self.covariance[other, node] / variance for other in self.order}
        own = {other: self.covariance[other, node] for other in self.order}
        for one in self.order:
            self.mean[one] += gain[one] * difference
            for other in self.order:
                self.covariance[one, other] -= gain[one] * own[other]


@st.composite
def graded_networks(draw):
    """Networks with noises from 1e-12 to 1e12, or none, coefficients that cancel exactly, and evidence from a sample."""
    nodes = draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    edges = [(p, c) for c in range(nodes) for p in range(c) if rng.random() < 0.6]
    numbers = {}
    for node in range(nodes):
        parents = [p for p, c in edges if c == node]
        variance = 0.0 if rng.random() < 0.15 and parents else 10.0 ** int(rng.integers(-12, 13))
        numbers[node] = (float(rng.integers(-3, 4)), {p: float(rng.choice([1, -1, 2, 0.5])) for p in parents}, variance)
    network = dc.BayesianNetwork.gaussian(dc.Dag(edges, range(nodes)), numbers)
    row = network.sample(1, seed=int(rng.integers(10**6))).iloc[0]
    seen = [node for node in range(nodes) if rng.random() < 0.5]
    return network, {node: float(row[node]) for node in seen if numbers[node][2] > 0}


def check(network: dc.BayesianNetwork, evidence: dict) -> None:
    oracle = Oracle(network, evidence)
    if oracle.log_evidence == -mp.inf:  # rounding of the sample, of what others determine
        return
    model = dc.localize(network)
    targets = [node for node in network.dag.nodes if node not in evidence]
    assert model.log_evidence(evidence) == pytest.approx(float(oracle.log_evidence), rel=1e-9, abs=1e-9)
    if not targets:
        return
    answer, marginals = model.query(targets, evidence), model.marginals(evidence)
    deviation = {node: float(mp.sqrt(abs(oracle.covariance[node, node]))) for node in targets}
    for k, one in enumerate(targets):
        mean, scale = float(oracle.mean[one]), 1e-9 * deviation[one] + 1e-12 * max(1.0, abs(float(oracle.mean[one])))
        assert answer.mean[k] == pytest.approx(mean, rel=1e-9, abs=scale)
        assert marginals[one].covariance[0, 0] == pytest.approx(deviation[one] ** 2, rel=1e-9, abs=TINY)
        for j, other in enumerate(targets):
            expected = float(oracle.covariance[one, other])
            scale = 1e-9 * deviation[one] * deviation[other] + TINY
            assert answer.covariance[k, j] == pytest.approx(expected, rel=1e-9, abs=scale)


@settings(max_examples=40)
@given(graded_networks())
def test_answers_keep_their_digits(parts):
    check(*parts)


@pytest.mark.slow
@settings(max_examples=2000)
@given(graded_networks())
def test_answers_keep_their_digits_in_many_networks(parts):
    check(*parts)


def sensors(prior: float, noise: float) -> dc.BayesianNetwork:
    numbers = {"x": (0, {}, prior), **{sensor: (0, {"x": 1}, noise) for sensor in ("one", "two", "three")}}
    return dc.BayesianNetwork.gaussian([("x", sensor) for sensor in ("one", "two", "three")], numbers)


@pytest.mark.parametrize(("prior", "noise"), [(1e20, 1e-10), (1e-20, 1e-50), (1e60, 1e-60), (1.0, 1e-30)])
def test_two_sensors_that_are_far_more_precise_than_the_prior(prior, noise):
    network = sensors(prior, noise)
    evidence = {"one": 1.0, "two": 1.0 + 2.0**-40}
    check(network, evidence)
    model = dc.localize(network)
    assert model.query("x", evidence).mean[0] == pytest.approx(1.0 + 2.0**-41, rel=1e-15)
    assert model.most_probable("x", evidence)[0]["x"] == pytest.approx(1.0 + 2.0**-41, rel=1e-15)
    drawn = model.sample(200, evidence, seed=1)["x"]
    assert drawn.std() == pytest.approx(np.sqrt(noise / 2), rel=0.3, abs=1e-15)


def test_sensors_without_noise_still_contradict_each_other():
    model = dc.localize(sensors(1e20, 0.0))
    assert model.log_evidence({"one": 1.0, "two": 1.0 + 2.0**-20}) == -np.inf
    with pytest.raises(dc.ImpossibleEvidenceError):
        model.query("x", {"one": 1.0, "two": 1.0 + 2.0**-20})
    assert model.query("x", {"one": 1.0, "two": 1.0}).covariance[0, 0] == 0.0


def test_determined_and_precise_observations_together():
    numbers = {
        "x": (0, {}, 1e20), "copy": (1, {"x": 2}, 0), "one": (0, {"x": 1}, 1e-10), "two": (0, {"x": 1}, 1e-10),
        "sum": (0, {"one": 1, "two": 1}, 0), "rest": (0, {"x": 1}, 1e-10),
    }  # fmt: skip
    edges = [("x", "copy"), ("x", "one"), ("x", "two"), ("one", "sum"), ("two", "sum"), ("x", "rest")]
    network = dc.BayesianNetwork.gaussian(edges, numbers)
    check(network, {"one": 1.0, "two": 1.0 + 2.0**-40, "sum": 2.0 + 2.0**-40})
    check(network, {"one": 1.0, "copy": 3.0})
    model = dc.localize(network)
    with pytest.raises(dc.ImpossibleEvidenceError):
        model.query("x", {"one": 1.0, "two": 1.0 + 2.0**-40, "sum": 2.5})
    rows = dc.localize(network).predict(pd.DataFrame({"one": [1.0, 3.0], "two": [1.0 + 2.0**-40, 3.0]}), ["x", "sum"])
    assert rows["x"].tolist() == pytest.approx([1.0 + 2.0**-41, 3.0], rel=1e-15)
    assert rows["sum"].tolist() == pytest.approx([2.0 + 2.0**-40, 6.0], rel=1e-15)


def test_beyond_a_second_of_decimals_float64_answers(monkeypatch):
    monkeypatch.setattr(gaussian_pieces, "MOST_STEPS", 0)
    model = dc.localize(sensors(1.0, 1e-16))
    assert model.query("x", {"one": 1.0}).mean[0] == pytest.approx(1.0)


CHAIN = [("x", "y"), ("y", "z")]


@pytest.mark.filterwarnings("error")
def test_numbers_near_the_end_of_floats_are_right_or_refused():
    steep = dc.localize(
        dc.BayesianNetwork.gaussian(CHAIN, {"x": (0, {}, 1), "y": (1, {"x": 1e200}, 1), "z": (0, {"y": 1e-200}, 1)})
    )
    assert steep.query("x", {"y": 3e200}).mean[0] == pytest.approx(3.0)
    for question in (lambda: steep.query("y"), steep.marginals, lambda: steep.query(["x", "y"])):
        with pytest.raises(dc.NetworkError, match="numbers of 'y' are beyond what a float holds"):
            question()
    far = dc.BayesianNetwork.gaussian([("x", "y")], {"x": (1e308, {}, 1e308), "y": (1e307, {"x": 0.5}, 1e307)})
    model = dc.localize(far)
    check(far, {"y": 1e308})
    assert model.most_probable(evidence={"y": 1e308})[0]["x"] == pytest.approx(1.5714285714285714e308)
    frame = pd.DataFrame({"x": [1e308], "y": [-1e308]})
    assert far.log_likelihood(frame)[0] == -np.inf
    beyond = dc.BayesianNetwork.gaussian([("x", "y")], {"x": (1e308, {}, 1), "y": (1e308, {"x": 10}, 1)})
    with pytest.raises(dc.NetworkError, match="numbers of 'y' are beyond"):
        beyond.sample(3, seed=1)
    with pytest.raises(dc.NetworkError, match="numbers of 'y' are beyond"):
        dc.localize(beyond).most_probable()
    with pytest.raises(dc.NetworkError, match="numbers of 'y' are beyond"):
        dc.localize(beyond).predict(frame[["x"]], "y")


def test_the_gain_of_one_more_sensor_keeps_its_digits():
    model = dc.localize(sensors(1e20, 1e-10))
    [row] = [row for row in model.most_informative("x", {"one": 1.0}) if row.variable == "two"]
    assert row.gain == pytest.approx(0.5, rel=1e-9)  # half of the variance is left
