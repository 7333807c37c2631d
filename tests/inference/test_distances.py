"""Distances of networks, against sums over all states, dense linear algebra and sampling."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dags

import dconvex as dc

seeds = st.integers(0, 2**32 - 1)


def joint(network):
    """The probability of every state, one at a time."""
    values = np.ones([len(labels) for labels in network.states.values()])
    place = {name: axis for axis, name in enumerate(network.dag.nodes)}
    for name in network.dag.nodes:
        table = network.family(name)
        axes = [place[member] for member in (*table.parents, name)]
        shape = [1] * values.ndim
        moved = table.values.transpose(np.argsort(axes))
        for axis in axes:
            shape[axis] = values.shape[axis]
        values = values * moved.reshape(shape)
    return values


@st.composite
def pairs(draw, same_graph=None):
    one = draw(dags(max_nodes=5))
    is_same = draw(st.booleans()) if same_graph is None else same_graph
    other = one if is_same else dc.random_dag(len(one), min(len(one) * (len(one) - 1) // 2, 4), seed=draw(seeds))
    if not is_same:
        other = dc.Dag([(one.nodes[a], one.nodes[b]) for a, b in other.edges], one.nodes)
    states = dict(zip(one.nodes, draw(st.lists(st.integers(1, 3), min_size=len(one), max_size=len(one))), strict=True))
    return tuple(dc.random_network(dag, states=states, seed=draw(seeds)) for dag in (one, other))


@given(pairs())
def test_discrete_distances_are_those_of_the_joints(networks):
    one, other = map(joint, networks)
    assert one.sum() == pytest.approx(1)
    overlap = np.sqrt(one * other).sum()
    assert dc.kl_divergence(*networks) == pytest.approx((one * np.log(one / other)).sum(), abs=1e-12)
    assert dc.bhattacharyya_distance(*networks) == pytest.approx(-math.log(overlap), abs=1e-12)
    assert dc.hellinger_distance(*networks) == pytest.approx(math.sqrt(max(1 - overlap, 0)), abs=1e-7)


def coins(*chances):
    return [dc.BayesianNetwork.discrete([], {"x": [p, 1 - p]}, {"x": ["a", "b"]}) for p in chances]


def test_networks_that_exclude_each_other():
    heads, tails = coins(1.0, 0.0)
    assert dc.kl_divergence(heads, tails) == math.inf
    assert dc.bhattacharyya_distance(heads, tails) == math.inf
    assert dc.hellinger_distance(heads, tails) == 1
    fair, biased = coins(0.5, 1.0)
    assert dc.kl_divergence(fair, biased) == math.inf
    assert dc.kl_divergence(biased, fair) == pytest.approx(math.log(2))


@pytest.mark.parametrize("name", ["asia", "alarm", "ecoli70", "arth150"])
def test_a_network_is_at_distance_zero_from_itself(name):
    network = dc.load_network(name)
    for distance in (dc.kl_divergence, dc.bhattacharyya_distance):
        assert distance(network, network) == pytest.approx(0, abs=1e-10)
        assert math.copysign(1, distance(network, network)) == 1
    assert dc.hellinger_distance(network, network) == pytest.approx(0, abs=1e-5)
    assert math.copysign(1, dc.hellinger_distance(network, network)) == 1


def gaussian_pair(nodes, seed):
    rng = np.random.default_rng(seed)
    dag = dc.random_dag(nodes, min(nodes * (nodes - 1) // 2, 2 * nodes), seed=rng)
    other = dc.random_dag(nodes, min(nodes * (nodes - 1) // 2, nodes), seed=rng)
    return dc.random_gaussian_network(dag, seed=rng), dc.random_gaussian_network(other, seed=rng)


def moments(network):
    answer = dc.localize(network).query(network.dag.nodes)
    return answer.mean, answer.covariance


@given(st.integers(1, 6), seeds)
def test_gaussian_distances_are_those_of_the_joints(nodes, seed):
    networks = gaussian_pair(nodes, seed)
    (m, s), (n, t) = map(moments, networks)
    inverse = np.linalg.inv(t)
    log_volumes = [np.linalg.slogdet(own)[1] for own in (s, t, (s + t) / 2)]
    kl = 0.5 * (np.trace(inverse @ s) + (n - m) @ inverse @ (n - m) - nodes + log_volumes[1] - log_volumes[0])
    gap = (m - n) @ np.linalg.inv((s + t) / 2) @ (m - n) / 8
    distance = gap + 0.5 * log_volumes[2] - 0.25 * (log_volumes[0] + log_volumes[1])
    assert dc.kl_divergence(*networks) == pytest.approx(kl, rel=1e-7, abs=1e-9)
    assert dc.bhattacharyya_distance(*networks) == pytest.approx(distance, rel=1e-7, abs=1e-9)
    assert dc.hellinger_distance(*networks) == pytest.approx(math.sqrt(-math.expm1(-distance)), rel=1e-6, abs=1e-6)


def root(matrix):
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T


@given(st.integers(1, 6), seeds)
def test_the_wasserstein_distance(nodes, seed):
    networks = gaussian_pair(nodes, seed)
    (m, s), (n, t) = map(moments, networks)
    half = root(s)
    squared = (m - n) @ (m - n) + np.trace(s + t - 2 * root(half @ t @ half))
    assert dc.wasserstein2_distance(*networks) == pytest.approx(math.sqrt(max(squared, 0)), rel=1e-5, abs=1e-5)
    assert dc.wasserstein2_distance(networks[0], networks[0]) == pytest.approx(0, abs=1e-7)


def test_the_wasserstein_distance_of_nearly_equal_and_of_singular_networks():
    def line(mean, noise):
        return dc.BayesianNetwork.gaussian([("x", "y")], {"x": (mean, {}, 1), "y": (0, {"x": 1.0}, noise)})

    assert dc.wasserstein2_distance(line(0, 0), line(0, 0)) == 0
    assert dc.wasserstein2_distance(line(0, 0.0), line(3e-9, 0.0)) == pytest.approx(math.sqrt(2) * 3e-9, rel=1e-6)
    assert dc.kl_divergence(line(0, 0), line(0, 0)) == 0
    assert dc.kl_divergence(line(0, 1), line(0, 0)) == math.inf
    assert dc.bhattacharyya_distance(line(0, 1), line(0, 0)) == math.inf


@pytest.mark.parametrize("distance", [dc.kl_divergence, dc.bhattacharyya_distance, dc.hellinger_distance])
@pytest.mark.parametrize("name", ["asia", "ecoli70"])
def test_what_is_too_large_is_estimated_with_its_error(distance, name):
    truth = dc.load_network(name)
    learned = dc.fit(truth, truth.sample(2_000, seed=1), prior=dc.BDeu(1) if name == "asia" else None).network()
    exact = distance(truth, learned)
    assert exact.standard_error == 0
    estimate = distance(truth, learned, method="sampling", samples=50_000, seed=1)
    assert abs(estimate - exact) < 5 * estimate.standard_error
    assert "±" in repr(estimate)
    again = pickle.loads(pickle.dumps(estimate))
    assert (again, again.standard_error) == (estimate, estimate.standard_error)
    with pytest.raises(dc.TooLargeError):
        distance(truth, learned, method="exact", max_bytes=10)
    assert distance(truth, learned, max_bytes=10, seed=1).standard_error > 0


def test_the_kl_divergence_of_an_estimate_shrinks_with_the_rows():
    truth = dc.random_network(dc.load_network("alarm").dag, seed=1)
    rows = truth.sample(20_000, seed=2)
    far, near = (dc.kl_divergence(dc.fit(truth, rows[:n], prior=dc.BDeu(1)).network(), truth) for n in (500, 20_000))
    assert 0 < near < far / 10


def test_what_cannot_be_compared_is_told():
    asia, ecoli, (coin, _) = dc.load_network("asia"), dc.load_network("ecoli70"), coins(0.5, 0.5)
    with pytest.raises(dc.NetworkError, match="cannot be compared"):
        dc.kl_divergence(asia, ecoli)
    with pytest.raises(dc.NetworkError, match="only one of them"):
        dc.kl_divergence(asia, coin)
    with pytest.raises(dc.NetworkError, match="states"):
        dc.kl_divergence(coin, dc.BayesianNetwork.discrete([], {"x": [1]}, {"x": ["a"]}))
    with pytest.raises(ValueError, match="Gaussian"):
        dc.wasserstein2_distance(asia, asia)
    with pytest.raises(ValueError, match="method"):
        dc.kl_divergence(coin, coin, method="guess", max_bytes=1)


# --- variables that others determine


def regressions(edges, **families):
    return dc.BayesianNetwork.gaussian(dc.Dag(edges), families)


LINE = regressions([("x", "y")], x=(0, {}, 1.0), y=(0, {"x": 1.0}, 0.0))
"""y = x, x standard normal."""


def test_the_same_flat_from_another_side():
    turned = regressions([("y", "x")], y=(0, {}, 1.0), x=(0, {"y": 1.0}, 0.0))
    for distance in (dc.kl_divergence, dc.hellinger_distance, dc.bhattacharyya_distance, dc.wasserstein2_distance):
        assert distance(LINE, turned) == pytest.approx(0.0, abs=1e-7)
        assert distance(turned, LINE) == pytest.approx(0.0, abs=1e-7)


def test_another_distribution_on_the_same_flat():
    """As far apart as N(0, 1) and N(0, 2), whatever y is."""
    wider = regressions([("x", "y")], x=(0, {}, 2.0), y=(0, {"x": 1.0}, 0.0))
    kl, overlap = 0.5 * (0.5 - 1 + math.log(2)), math.sqrt(2 * math.sqrt(2) / 3)
    assert dc.kl_divergence(LINE, wider) == pytest.approx(kl)
    assert dc.kl_divergence(wider, LINE) == pytest.approx(0.5 * (2 - 1 - math.log(2)))
    assert dc.hellinger_distance(LINE, wider) == pytest.approx(math.sqrt(1 - overlap))
    assert dc.bhattacharyya_distance(LINE, wider) == pytest.approx(-math.log(overlap))


@pytest.mark.parametrize(
    "other",
    [
        regressions([("x", "y")], x=(0, {}, 1.0), y=(0, {"x": 1.0}, 0.5)),  # the whole plane
        regressions([("x", "y")], x=(0, {}, 1.0), y=(0, {"x": 2.0}, 0.0)),  # another line
        regressions([("x", "y")], x=(0, {}, 1.0), y=(1, {"x": 1.0}, 0.0)),  # beside it
        regressions([("x", "y")], x=(0, {}, 0.0), y=(0, {"x": 1.0}, 0.0)),  # a point on it
    ],
    ids=["plane", "turned", "moved", "point"],
)
def test_flats_that_differ_exclude_each_other(other):
    for p, q in ((LINE, other), (other, LINE)):
        assert dc.kl_divergence(p, q) == math.inf
        assert dc.bhattacharyya_distance(p, q) == math.inf
        assert dc.hellinger_distance(p, q) == 1.0


@given(st.integers(0, 10_000))
def test_determined_variables_add_no_distance(seed):
    """Sums of other variables, in both networks: as far apart as the networks without them."""
    p, q = gaussian_pair(4, seed)
    rng = np.random.default_rng(seed)
    slopes = {node: float(rng.normal()) for node in p.dag.nodes}

    def with_sum(network):
        families = {node: network.family(node) for node in network.dag.nodes}
        told = {node: (own.intercept, dict(own.coefficients), own.variance) for node, own in families.items()}
        edges = [*network.dag.edges, *((node, "sum") for node in network.dag.nodes)]
        return dc.BayesianNetwork.gaussian(dc.Dag(edges), told | {"sum": (2.0, slopes, 0.0)})

    for distance in (dc.kl_divergence, dc.bhattacharyya_distance, dc.hellinger_distance):
        assert distance(with_sum(p), with_sum(q)) == pytest.approx(distance(p, q), rel=1e-6, abs=1e-7)


# --- estimates of what hardly overlaps


def test_estimates_of_what_does_not_overlap():
    heads, tails = coins(1.0, 0.0)
    assert dc.hellinger_distance(heads, tails, method="sampling") == 1.0
    assert dc.bhattacharyya_distance(heads, tails, max_bytes=1) == math.inf


def test_estimates_of_what_is_far_apart():
    one, other = (
        dc.BayesianNetwork.discrete([], {k: [1 - p, p] for k in range(3_000)}, {k: [0, 1] for k in range(3_000)})
        for p in (0.001, 0.999)
    )
    found = dc.bhattacharyya_distance(one, other, method="sampling", samples=100, seed=1)
    assert 3_000 < found < math.inf
    assert dc.hellinger_distance(one, other, method="sampling", samples=100, seed=1) == 1.0


@pytest.mark.parametrize("distance", [dc.kl_divergence, dc.hellinger_distance, dc.bhattacharyya_distance])
def test_an_unknown_method_is_refused(distance):
    fair, biased = coins(0.5, 0.25)
    with pytest.raises(ValueError, match="unknown method 'guessing'"):
        distance(fair, biased, method="guessing")
