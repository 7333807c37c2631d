"""Questions to Gaussian models, held against exact arithmetic on small networks and dense conditioning on larger ones."""

from __future__ import annotations

import math
import pickle
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inference.exact_normal import ExactNormal
from inference.models import CONVEX_MODES
from strategies import gaussian_networks

import dconvex as dc
from dconvex import _core
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.inference import posterior_variances
from dconvex.inference.gaussian import GaussianEngine
from dconvex.inference.prediction import PredictionRequest, predicted_moments
from dconvex.inference.request import Request
from dconvex.network.frame_columns import Columns

whole_numbers = st.integers(-3, 3).map(float)
small_networks = gaussian_networks(numbers=whole_numbers, variances=st.sampled_from([0.0, 0.0, 0.5, 1.0, 3.0]))
noisy_networks = gaussian_networks(numbers=whole_numbers, variances=st.sampled_from([0.25, 1.0, 3.0]))

REPOSITORY = ["ecoli70", "magic-niab", "magic-irri", "arth150"]
LINE = dc.BayesianNetwork.gaussian(
    [("x", "y"), ("y", "z")], {"x": (1, {}, 2), "y": (-1, {"x": 0.5}, 0.25), "z": (0, {"y": -2}, 1)}
)
SUM = dc.BayesianNetwork.gaussian(
    [("a", "s"), ("b", "s"), ("s", "t")],
    {"a": (0, {}, 1), "b": (2, {}, 4), "s": (0, {"a": 1, "b": 1}, 0), "t": (1, {"s": 3}, 0), "u": (5, {}, 1)},
)
"""s = a + b and t = 3 s + 1 without noise; u stands alone."""


@dataclass
class Question:
    network: dc.BayesianNetwork
    variables: tuple[Any, ...] = ()
    evidence: dict[Any, float] = field(default_factory=dict)


@st.composite
def questions(draw: st.DrawFn, networks=small_networks, *, possible: bool = True, apart: bool = False) -> Question:
    """A question with whole numbers as evidence, which the network can take on exactly if `possible`."""
    network = draw(networks)
    nodes = list(network.dag.nodes)
    values: dict[Any, float] = {}
    for node in network.dag.topological_order():
        own = network.family(node)
        noise = draw(st.integers(-4, 4)) if own.variance else 0
        if not possible and draw(st.integers(0, 5)) == 0:
            noise += 1
        values[node] = own.intercept + sum(own.coefficients[p] * values[p] for p in own.parents) + noise
    subset = st.lists(st.sampled_from(nodes), unique=True) if nodes else st.just([])
    evidence = {node: values[node] for node in draw(subset)}
    asked = [node for node in draw(subset) if not (apart and node in evidence)]
    return Question(network, tuple(asked), evidence)


def near(found: dc.GaussianDistribution, oracle: ExactNormal, evidence: dict) -> None:
    """The same moments, up to rounding at the scale of the values and of the variances without evidence."""
    mean, covariance = oracle.moments(found.variables)
    size = 1 + np.abs(mean).max(initial=0) + max(map(abs, evidence.values()), default=0)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-9, atol=1e-9 * size)
    scale = np.sqrt([oracle.prior[v] for v in found.variables])
    assert (np.abs(found.covariance - covariance) <= 1e-10 * np.outer(scale, scale)).all()


def dense(network: dc.BayesianNetwork) -> tuple[np.ndarray, np.ndarray]:
    nodes = network.dag.nodes
    families = [network.family(node) for node in nodes]
    effects = np.array([[own.coefficients.get(parent, 0.0) for parent in nodes] for own in families])
    mixing = np.linalg.inv(np.eye(len(nodes)) - effects)
    return mixing @ [own.intercept for own in families], mixing @ np.diag([own.variance for own in families]) @ mixing.T


def conditioned(network, asked, evidence, moments=None):
    """Mean and covariance by one dense solve."""
    mean, covariance = moments or dense(network)
    q, e = ([network.dag.nodes.index(name) for name in part] for part in (asked, evidence))
    gain = np.linalg.solve(covariance[np.ix_(e, e)], covariance[np.ix_(e, q)]).T
    left = covariance[np.ix_(q, q)] - gain @ covariance[np.ix_(e, q)]
    return mean[q] + gain @ (np.array(list(evidence.values())) - mean[e]), left


def coarse(network: dc.BayesianNetwork) -> dc.LocalModel:
    """A model over clusters that are found quickly."""
    return dc.localize(network, tree=dc.decompose(network.dag, refine=False))


def chain(length: int, coefficient: float = 0.9) -> dc.BayesianNetwork:
    """0 → 1 → … → length."""
    regressions = {k: (1.0, {k - 1: coefficient} if k else {}, 0.5) for k in range(length + 1)}
    return dc.BayesianNetwork.gaussian([(k, k + 1) for k in range(length)], regressions)


# --- against exact arithmetic


@given(questions())
def test_query(question):
    oracle = ExactNormal(question.network, question.evidence)
    found = dc.localize(question.network).query(question.variables, question.evidence)
    assert found.variables == question.variables
    near(found, oracle, question.evidence)


@given(questions(networks=noisy_networks))
def test_query_with_noise_everywhere(question):
    found = dc.localize(question.network).query(question.variables, question.evidence)
    near(found, ExactNormal(question.network, question.evidence), question.evidence)


@given(questions(apart=True))
def test_what_the_evidence_determines_has_no_variance_at_all(question):
    oracle = ExactNormal(question.network, question.evidence)
    found = dc.localize(question.network).query(question.variables, question.evidence)
    for place, variable in enumerate(question.variables):
        assert (found.covariance[place, place] == 0) == (oracle.covariance[variable, variable] == 0)


@given(questions())
def test_marginals(question):
    oracle = ExactNormal(question.network, question.evidence)
    found = dc.localize(question.network).marginals(question.evidence)
    assert list(found) == list(question.network.dag.nodes)
    for variable, own in found.items():
        assert own.variables == (variable,)
        near(own, oracle, question.evidence)


@given(questions())
def test_marginals_of_large_pieces(question):
    """Where tracing back would take too long, variances come from the clusters, less what the evidence explains."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(posterior_variances, "FEW_STEPS", -1)
        found = dc.localize(question.network).marginals(question.evidence)
    oracle = ExactNormal(question.network, question.evidence)
    for own in found.values():
        near(own, oracle, question.evidence)


@given(questions())
def test_log_evidence(question):
    expected = ExactNormal(question.network, question.evidence).log_evidence
    assert dc.localize(question.network).log_evidence(question.evidence) == pytest.approx(expected, rel=1e-9, abs=1e-7)


@given(questions(possible=False))
def test_log_evidence_of_a_whole_row_is_its_log_likelihood(question):
    row = {node: float(k) for k, node in enumerate(question.network.dag.nodes)} | question.evidence
    expected = question.network.log_likelihood(pd.DataFrame([row], columns=list(question.network.dag.nodes)))
    np.testing.assert_allclose(dc.localize(question.network).log_evidence(row), expected[0] if row else 0.0, rtol=1e-9)


@given(questions())
def test_most_probable_of_some(question):
    found, density = dc.localize(question.network).most_probable(question.variables, question.evidence)
    oracle = ExactNormal(question.network, question.evidence)
    mean, _ = oracle.moments(question.variables)
    assert list(found) == list(question.variables)
    np.testing.assert_allclose(list(found.values()), mean, rtol=1e-8, atol=1e-8 * (1 + np.abs(mean).max(initial=0)))
    assert density == pytest.approx(oracle.log_density_at_mean(question.variables), rel=1e-7, abs=1e-7)


@given(questions())
def test_most_probable_of_all(question):
    found, density = dc.localize(question.network).most_probable(evidence=question.evidence)
    oracle = ExactNormal(question.network, question.evidence)
    hidden = [node for node in question.network.dag.nodes if node not in question.evidence]
    mean, _ = oracle.moments(hidden)
    assert list(found) == hidden
    np.testing.assert_allclose(list(found.values()), mean, rtol=1e-8, atol=1e-8 * (1 + np.abs(mean).max(initial=0)))
    assert density == pytest.approx(oracle.log_density_at_mean(hidden), rel=1e-7, abs=1e-7)


@given(questions(possible=False))
def test_impossible_evidence_is_noticed_and_named(question):
    network, evidence = question.network, question.evidence
    model, oracle = dc.localize(network), ExactNormal(network, evidence)
    if oracle.is_possible:
        near(model.query(question.variables, evidence), oracle, evidence)
        return
    assert model.log_evidence(evidence) == -math.inf
    asks = [
        lambda: model.query(question.variables, evidence),
        lambda: model.marginals(evidence),
        lambda: model.most_probable(evidence=evidence),
        lambda: model.most_probable(question.variables, evidence),
        lambda: model.sample(1, evidence, seed=0),
    ]
    for ask in asks:
        with pytest.raises(dc.ImpossibleEvidenceError) as caught:
            ask()
        conflict = caught.value.conflict
        assert conflict.items() <= evidence.items()
        assert not ExactNormal(network, conflict).is_possible
        for left_out in conflict:
            rest = {name: value for name, value in conflict.items() if name != left_out}
            assert ExactNormal(network, rest).is_possible


@given(questions(), st.sampled_from(CONVEX_MODES))
def test_every_convex_mode_gives_the_same_answer(question, mode):
    tree = dc.decompose(question.network.dag, separators=mode)
    found = dc.localize(question.network, tree=tree).query(question.variables, question.evidence)
    near(found, ExactNormal(question.network, question.evidence), question.evidence)


@given(questions())
def test_a_model_whose_clusters_are_apart_answers_from_all_the_evidence(question):
    index = ClusterIndex.of(question.network.dag, dc.decompose(question.network.dag))
    engine = GaussianEngine(GaussianEngine.of(index, question.network.parameters).store, coherent=False)
    evidence = engine.read_evidence(question.evidence, None)
    variables = tuple(question.network.dag.index_of(name) for name in question.variables)
    request = Request(variables, evidence.targets_of(variables), evidence, 1 << 30)
    oracle = ExactNormal(question.network, question.evidence)
    near(engine.query(request), oracle, question.evidence)
    for own in engine.marginals(request).values():
        near(own, oracle, question.evidence)


# --- numbers of any kind


any_numbers = st.just(0.0) | st.floats(1e-6, 10) | st.floats(-10, -1e-6)


@given(gaussian_networks(numbers=any_numbers), st.integers(0, 2**32 - 1))
def test_what_was_drawn_is_possible(network, seed):
    """Tiny and large coefficients, noise or none: answers are finite, and evidence is kept exactly."""
    rng, model = np.random.default_rng(seed), dc.localize(network)
    row = network.sample(1, seed=rng).iloc[0].to_dict()
    evidence = {node: value for node, value in row.items() if rng.random() < 0.5}
    hidden = [node for node in network.dag.nodes if node not in evidence]
    found = model.query(hidden, evidence)
    assert np.isfinite(found.mean).all()
    assert (np.linalg.eigvalsh(found.covariance) >= -1e-9 * np.abs(found.covariance).max(initial=0)).all()
    assert model.log_evidence(evidence) > -math.inf
    drawn = model.sample(2, evidence, seed=0)
    assert np.isfinite(drawn.to_numpy()).all()
    assert all((drawn[node] == value).all() for node, value in evidence.items())


# --- against dense conditioning


@pytest.mark.parametrize("name", REPOSITORY)
def test_repository_networks(name):
    network = dc.load_network(name)
    model, rng, moments = dc.localize(network), np.random.default_rng(0), dense(network)
    for seed in range(25):
        row = network.sample(1, seed=seed).iloc[0].to_dict()
        names = rng.permutation(np.array(network.dag.nodes, object)).tolist()
        size, asked = int(rng.integers(0, 12)), int(rng.integers(1, 6))
        evidence = {variable: row[variable] for variable in names[:size]}
        found = model.query(names[size : size + asked], evidence)
        mean, covariance = conditioned(network, found.variables, evidence, moments)
        np.testing.assert_allclose(found.mean, mean, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found.covariance, covariance, rtol=1e-9, atol=1e-9 * np.diag(covariance).max())
        hidden = [variable for variable in network.dag.nodes if variable not in evidence]
        mean, covariance = conditioned(network, hidden, evidence, moments)
        marginals = model.marginals(evidence)
        np.testing.assert_allclose([marginals[v].mean[0] for v in hidden], mean, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose([marginals[v].covariance[0, 0] for v in hidden], np.diag(covariance), rtol=1e-8)


@pytest.mark.parametrize("name", REPOSITORY)
def test_log_density_on_repository_networks(name):
    network = dc.load_network(name)
    model, (mean, covariance) = dc.localize(network), dense(network)
    for seed in range(10):
        row = network.sample(1, seed=seed).iloc[0]
        chosen = np.random.default_rng(seed).permutation(len(network.dag))[:9]
        part, off = covariance[np.ix_(chosen, chosen)], row.to_numpy()[chosen] - mean[chosen]
        expected = -0.5 * (9 * math.log(2 * math.pi) + np.linalg.slogdet(part)[1] + off @ np.linalg.solve(part, off))
        assert model.log_evidence(row.iloc[chosen].to_dict()) == pytest.approx(expected, rel=1e-9)


def test_random_networks_with_much_evidence():
    for seed in range(4):
        network = dc.random_gaussian_network(dc.random_dag(150, 320, max_parents=4, seed=seed), seed=seed)
        row = network.sample(1, seed=seed).iloc[0].to_dict()
        evidence = {node: row[node] for node in range(0, 150, 3)}
        hidden = [node for node in network.dag.nodes if node not in evidence]
        found = coarse(network).query(hidden, evidence)
        mean, covariance = conditioned(network, hidden, evidence)
        np.testing.assert_allclose(found.mean, mean, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(found.covariance, covariance, rtol=1e-7, atol=1e-9)


# --- numbers of very different sizes


def test_scales_far_apart():
    network = dc.BayesianNetwork.gaussian(
        [("h", "x"), ("h", "y"), ("h", "z")],
        {"h": (1e6, {}, 1e-4), "x": (0, {"h": 1e9}, 1e6), "y": (-3e-3, {"h": 1e-9}, 1e-30), "z": (0, {"h": 1}, 1e-12)},
    )
    evidence = {"x": 1.0000001e15, "y": -2e-3 + 1e-11}
    found, oracle = dc.localize(network).query(["z", "h"], evidence), ExactNormal(network, evidence)
    mean, covariance = oracle.moments(["z", "h"])
    np.testing.assert_allclose(found.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-6)


def test_hardly_any_noise_is_not_none():
    """The difference of two nearly equal copies is known to all digits: nothing is squared on the way."""
    network = dc.BayesianNetwork.gaussian(
        [("h", "x"), ("h", "y"), ("x", "d"), ("y", "d")],
        {"h": (0, {}, 1), "x": (0, {"h": 1}, 1e-16), "y": (0, {"h": 1}, 1e-16), "d": (0, {"x": 1, "y": -1}, 0)},
    )
    model = dc.localize(network)
    assert model.query("d").covariance[0, 0] == pytest.approx(2e-16, rel=1e-6)
    assert model.query("y", {"x": 0.5}).covariance[0, 0] == pytest.approx(2e-16, rel=1e-6)
    assert model.marginals({"x": 0.5})["y"].covariance[0, 0] == pytest.approx(2e-16, rel=1e-6)
    assert model.log_evidence({"x": 0.5, "y": 0.5}) == pytest.approx(
        -0.5 * (2 * math.log(2 * math.pi) + math.log(2e-16) + 0.25), rel=1e-6
    )


def test_rounding_does_not_make_evidence_impossible():
    """Coefficients that are no binary fractions: what was drawn from the network is on its support."""
    regressions = {0: (0.1, {}, 1.0)} | {
        k: (0.7 * k, {k - 1: 1.1, max(k - 2, 0): -0.3} if k > 1 else {0: 1.3}, 0.0) for k in range(1, 40)
    }
    edges = [(parent, k) for k, (_, weights, _) in regressions.items() for parent in weights]
    network = dc.BayesianNetwork.gaussian(edges, regressions)
    model = dc.localize(network)
    for seed in range(5):
        row = network.sample(1, seed=seed).iloc[0].to_dict()
        evidence = {node: row[node] for node in (3, 17, 20, 38)}
        found = model.query([39, 0], evidence)
        np.testing.assert_allclose(found.mean, [row[39], row[0]], rtol=1e-9)
        assert (found.covariance == 0).all()
        with pytest.raises(dc.ImpossibleEvidenceError):
            model.query(0, evidence | {17: row[17] * (1 + 1e-5)})


def test_very_improbable_evidence():
    network = dc.BayesianNetwork.gaussian([], {k: (0, {}, 1) for k in range(400)})
    model = dc.localize(network)
    assert model.log_evidence(dict.fromkeys(range(400), 10.0)) == pytest.approx(-400 * (50 + 0.5 * math.log(2 * math.pi)))
    assert model.log_evidence({0: 1e300}) == -math.inf
    assert model.query(1, {0: 1e300}).mean[0] == 0


# --- conflicts


@pytest.mark.parametrize("variables", ["a", "t", "u", ["b", "u"]])
def test_a_conflict_is_found_wherever_it_lies(variables):
    evidence = {"u": 5.0, "s": 3.0, "t": 11.0} if variables == "a" else {"s": 3.0, "a": 1.0, "b": 1.0}
    with pytest.raises(dc.ImpossibleEvidenceError) as caught:
        dc.localize(SUM).query(variables, evidence)
    assert caught.value.conflict == ({"s": 3.0, "t": 11.0} if variables == "a" else evidence)


def test_a_conflict_among_the_parents_of_what_is_asked():
    network = dc.BayesianNetwork.gaussian(
        [("x", "y"), ("x", "z"), ("y", "z")], {"x": (0, {}, 1), "y": (0, {"x": 2}, 0), "z": (0, {"x": 1, "y": 1}, 1)}
    )
    with pytest.raises(dc.ImpossibleEvidenceError):
        dc.localize(network).query("z", {"x": 1, "y": 1})
    assert dc.localize(network).query("z", {"x": 1, "y": 1}, assume_possible=True).mean[0] == 2


def test_what_cannot_matter_may_be_left_unchecked():
    found = dc.localize(SUM).query("u", {"s": 3.0, "t": 11.0}, assume_possible=True)
    assert (found.mean[0], found.covariance[0, 0]) == (5, 1)


# --- sampling


def test_samples_have_the_moments_of_the_posterior():
    network, rows = dc.load_network("ecoli70"), 40_000
    row = network.sample(1, seed=3).iloc[0].to_dict()
    evidence = {variable: row[variable] for variable in network.dag.nodes[::5]}
    drawn = dc.localize(network).sample(rows, evidence, seed=0)
    assert list(drawn.columns) == list(network.dag.nodes)
    hidden = [variable for variable in network.dag.nodes if variable not in evidence]
    mean, covariance = conditioned(network, hidden, evidence)
    variance = np.diag(covariance)
    assert (np.abs(drawn[hidden].mean() - mean) <= 5 * np.sqrt(variance / rows)).all()
    spread = np.sqrt((np.outer(variance, variance) + covariance**2) / rows)
    assert (np.abs(np.cov(drawn[hidden].to_numpy().T) - covariance) <= 5.5 * spread).all()
    for variable, value in evidence.items():
        assert (drawn[variable] == value).all()


@given(questions(), st.integers(0, 99))
def test_samples_are_on_the_support(question, seed):
    drawn = dc.localize(question.network).sample(3, question.evidence, seed=seed)
    oracle = ExactNormal(question.network, question.evidence)
    for node in question.network.dag.nodes:
        own = question.network.family(node)
        difference = drawn[node] - own.intercept - sum(own.coefficients[p] * drawn[p] for p in own.parents)
        terms = np.abs(drawn[node]) + sum(np.abs(own.coefficients[p] * drawn[p]) for p in own.parents) + 1
        assert own.variance > 0 or (np.abs(difference) <= 1e-7 * terms).all()
        if oracle.covariance[node, node] == 0:
            np.testing.assert_allclose(drawn[node], float(oracle.mean[node]), rtol=1e-7, atol=1e-7)


def test_the_seed_decides():
    model = dc.localize(LINE)
    pd.testing.assert_frame_equal(model.sample(5, {"y": 1}, seed=1), model.sample(5, {"y": 1}, seed=1))
    assert model.sample(0, {"y": 1}).shape == (0, 3)


def test_an_estimate_is_the_exact_answer():
    model = dc.localize(LINE)
    exact, estimate = (model.query(["x", "z"], {"y": 1}, method=method) for method in ("exact", "sampling"))
    assert (exact.mean == estimate.mean).all()
    assert (exact.covariance == estimate.covariance).all()


# --- prediction


@given(questions(), st.integers(0, 2**32 - 1), st.data())
def test_predictions_are_the_queries_row_by_row(question, seed, data):
    network, rng = question.network, np.random.default_rng(seed)
    if not len(network.dag):
        return
    targets = data.draw(st.lists(st.sampled_from(network.dag.nodes), unique=True, min_size=1, max_size=3))
    table = network.sample(6, seed=rng)
    table = table.mask(rng.random(table.shape) < 0.4)
    model = dc.localize(network)
    found = model.predict(table, targets)
    assert list(found.columns) == targets
    for place, row in enumerate(table.to_dict("records")):
        told = {name: value for name, value in row.items() if name not in targets and not math.isnan(value)}
        expected = model.query(targets, told).mean
        np.testing.assert_allclose(found.iloc[place], expected, rtol=1e-7, atol=1e-7 * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_every_library_and_whole_numbers_with_gaps(library):
    rows = {"x": [1, None, 3], "z": [None, 0.5, 2.5]}
    found = dc.localize(LINE).predict(library(rows), "y")
    assert type(found) is type(library(rows))
    told = [{"x": 1}, {"z": 0.5}, {"x": 3, "z": 2.5}]
    expected = [dc.localize(LINE).query("y", own).mean[0] for own in told]
    np.testing.assert_allclose(np.array(found["y"], float), expected, rtol=1e-12)


def test_rows_off_the_support():
    table = pd.DataFrame({"a": [1.0, 1.0, 0.0], "b": [2.0, 2.0, math.nan], "s": [3.0, 4.0, 1.0]}, index=[7, 8, 9])
    model = dc.localize(SUM)
    for target in ("t", "u"):
        with pytest.raises(dc.ImpossibleEvidenceError, match="row 1") as caught:
            model.predict(table, target)
        assert caught.value.conflict == {"a": 1.0, "b": 2.0, "s": 4.0}
        found = model.predict(table, target, impossible="nan")
        assert found.index.tolist() == [7, 8, 9]
        np.testing.assert_allclose(found[target], [10, math.nan, 4] if target == "t" else [5, math.nan, 5])


def test_cells_that_are_no_numbers():
    model = dc.localize(LINE)
    with pytest.raises(dc.DataError, match="'x'"):
        model.predict(pd.DataFrame({"x": ["a", "b"]}), "y")
    with pytest.raises(dc.DataError, match=r"'x' holds inf in row 1"):
        model.predict(pd.DataFrame({"x": [1.0, math.inf]}), "y")
    assert model.predict(pd.DataFrame({"x": []}, dtype=float), "y").shape == (0, 1)


def test_means_and_deviations_of_columns():
    network = dc.load_network("magic-niab")
    model = dc.localize(network)
    table = network.sample(2000, seed=0)
    targets = tuple(range(0, 44, 9))
    names = [network.dag.nodes[place] for place in targets]
    request = PredictionRequest(targets, impossible="raise", unknown="raise", limit=1 << 30)
    means, deviations = predicted_moments(model._engine.model, Columns(table), request)
    evidence = table.drop(columns=names).iloc[17].to_dict()
    mean, covariance = conditioned(network, names, evidence)
    np.testing.assert_allclose(means[17], mean, rtol=1e-9)
    np.testing.assert_allclose(deviations[17], np.sqrt(np.diag(covariance)), rtol=1e-9)


# --- large networks


def test_a_long_chain():
    network = chain(20_000)
    model = dc.localize(network)
    level, variance = 1 / (1 - 0.9), 0.5 / (1 - 0.81)
    assert model.query(20_000).mean[0] == pytest.approx(level)
    found = model.query([10_000, 10_001])
    np.testing.assert_allclose(found.covariance, variance * np.array([[1, 0.9], [0.9, 1]]), rtol=1e-9)
    ends = model.query(0, {20_000: 3.0})
    assert (ends.mean[0], ends.covariance[0, 0]) == pytest.approx((1, 0.5))
    marginals = model.marginals({19_999: 0.0, 10_000: 4.0})
    assert marginals[20_000].mean[0] == pytest.approx(1)
    assert marginals[20_000].covariance[0, 0] == pytest.approx(0.5)
    assert marginals[9_999].covariance[0, 0] == pytest.approx(variance * (1 - 0.81))
    assert marginals[15_000].mean[0] == pytest.approx(level)
    assert marginals[15_000].covariance[0, 0] == pytest.approx(variance)


@pytest.mark.slow
def test_a_very_long_chain():
    network = chain(300_000)
    model = dc.localize(network)
    assert model.query(300_000).covariance[0, 0] == pytest.approx(0.5 / (1 - 0.81))
    seen = dict.fromkeys(range(0, 300_000, 10), 10.0)
    assert model.marginals(seen)[5].mean[0] == pytest.approx(10)
    assert math.isfinite(model.most_probable(evidence=seen)[1])


def test_networks_in_pieces():
    edges = [edge for k in range(30) for edge in ((f"a{k}", f"b{k}"), (f"c{k}", f"b{k}"))]
    network = dc.random_gaussian_network(edges, seed=0)
    model, evidence = dc.localize(network), {"b3": 1.0, "a7": 0.0}
    found = model.query(["a3", "c3", "b7", "b9"], evidence)
    mean, covariance = conditioned(network, found.variables, evidence)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(found.covariance, covariance, atol=1e-12)
    assert (found.covariance[:2, 2:] == 0).all()


# --- asking


def test_what_is_observed_has_its_value():
    found = dc.localize(LINE).query(["z", "x", "y"], {"x": 3, "y": np.float32(0.5)})
    assert found.mean[1:].tolist() == [3, 0.5]
    assert (found.covariance[1:] == 0).all()
    assert (found.covariance[:, 1:] == 0).all()
    assert found.covariance[0, 0] == pytest.approx(1)


def test_nothing_asked_and_nothing_known():
    model = dc.localize(LINE)
    assert model.query([]).mean.shape == (0,)
    assert model.query([], {"x": 1}).covariance.shape == (0, 0)
    assert model.log_evidence() == 0
    assert dc.localize(dc.BayesianNetwork.gaussian([], {})).marginals() == {}


def test_one_question_one_answer():
    network = dc.load_network("arth150")
    evidence = dict.fromkeys(network.dag.nodes[::9], 0.3)
    model = dc.localize(network)
    first = model.query(network.dag.nodes[4:8], evidence)
    model.marginals(evidence)
    turned = dict(reversed(evidence.items()))
    for again in (model.query(network.dag.nodes[4:8], turned), dc.localize(network).query(network.dag.nodes[4:8], evidence)):
        assert (first.mean == again.mean).all()
        assert (first.covariance == again.covariance).all()


def test_many_threads_get_the_same_answers():
    network = dc.load_network("arth150")
    nodes = network.dag.nodes
    pairs = [(nodes[k], nodes[-1 - k]) for k in range(40)]
    alone = dc.localize(network)
    expected = [alone.query(pair, {nodes[50]: 1.0}) for pair in pairs]
    shared, start = dc.localize(network), threading.Barrier(4)

    def ask(turn: int) -> list[Any]:
        start.wait()
        order = range(40) if turn % 2 else range(39, -1, -1)
        found = {k: shared.query(pairs[k], {nodes[50]: 1.0}) for k in order}
        return [found[k] for k in range(40)]

    with ThreadPoolExecutor(4) as pool:
        for answers in pool.map(ask, range(4)):
            for found, alone_found in zip(answers, expected, strict=True):
                assert (found.mean == alone_found.mean).all()
                assert (found.covariance == alone_found.covariance).all()


def test_a_model_survives_pickling():
    model = dc.localize(SUM)
    again = pickle.loads(pickle.dumps(model))
    assert again.query("a", {"t": 1.0}).mean.tolist() == model.query("a", {"t": 1.0}).mean.tolist()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"soft": {"x": [1, 2]}}, "soft and set-valued evidence is for discrete networks"),
        ({"evidence": {"x": {1.0, 2.0}}}, "soft and set-valued evidence is for discrete networks"),
        ({"evidence": {"x": [1.0]}}, "soft and set-valued evidence is for discrete networks"),
        ({"evidence": {"x": -math.inf}}, "'x' can only be observed as a finite number"),
        ({"evidence": {"x": "1.0"}}, "'x' can only be observed as a finite number, not as '1.0'"),
        ({"evidence": {"x": 10**400}}, "'x' can only be observed as a finite number"),
    ],
)
def test_evidence_that_is_no_number(given, message):
    with pytest.raises(ValueError, match=message):
        dc.localize(LINE).query("y", **given)


def test_unknown_variables():
    with pytest.raises(dc.UnknownVariableError, match="'w'"):
        dc.localize(LINE).query("y", {"w": 1.0})


def test_too_large_questions_are_refused_before_anything_is_allocated():
    network = dc.random_gaussian_network([(k, k + 1) for k in range(3000)], seed=0)
    model = dc.localize(network, max_bytes=2 << 20)
    with pytest.raises(dc.TooLargeError) as caught:
        model.query(list(range(1500)))
    assert caught.value.estimate > caught.value.limit == 2 << 20
    with pytest.raises(dc.TooLargeError):
        model.sample(10_000)
    assert model.query([0, 1]).mean.shape == (2,)


@pytest.mark.parametrize(
    ("variables", "seen"),
    [(range(200), ()), (range(0, 400, 3), range(1, 400, 6)), ((0, 399), ()), ((5, 300), (0, 200)), ((3,), range(4, 400))],
)
def test_a_plan_bounds_the_memory(variables, seen):
    network = dc.random_gaussian_network(dc.random_dag(400, 1200, max_parents=5, seed=1), seed=1)
    model, evidence = coarse(network), dict.fromkeys(seen, 0.5)
    estimate = model.explain(variables, evidence).peak_bytes
    model.query(variables, evidence)  # derives what is kept for good
    _core.reset_peak_bytes()
    before = _core.allocated_bytes()
    tracemalloc.start()
    try:
        model.query(variables, evidence)
        peak = tracemalloc.get_traced_memory()[1] + _core.peak_bytes() - before
    finally:
        tracemalloc.stop()
    assert peak <= estimate


@given(questions(apart=True))
def test_a_plan_speaks_of_its_question(question):
    model = dc.localize(question.network)
    plan = model.explain(question.variables, question.evidence)
    assert plan.variables == question.variables
    assert set(plan.evidence) == set(question.evidence)
    assert {*question.variables, *plan.requisite} <= set(plan.variables_kept)
    assert set(plan.barren).isdisjoint(plan.variables_kept)
    assert sorted([*plan.kept, *plan.dropped]) == list(range(len(model.tree)))
    assert plan.peak_bytes >= 8 * len(question.variables) ** 2
    assert str(plan)
    if question.variables:
        for variable in question.evidence:
            rest = question.evidence.keys() - {variable}
            separated = dc.d_separated(question.network.dag, variable, question.variables, given=rest)
            assert (variable in plan.requisite) == (not separated)


def test_a_question_on_neighbours_keeps_few_clusters():
    plan = dc.localize(chain(500)).explain([250, 251], {400: 1.0, 300: 2.0})
    assert plan.requisite == (300,)
    assert len(plan.kept) < 60
