"""What to observe next: the expected gain against the whole joint distribution, and its laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from inference.exact_normal import ExactNormal
from inference.models import SPRINKLER, naive_bayes
from inference.questions import Question, questions
from strategies import tame_gaussian_networks

import dconvex as dc


def entropy(shares):
    inside = shares[shares > 0]
    return float(-(inside * np.log2(inside)).sum())


def free(question: Question):
    return [node for node in question.network.dag.nodes if node not in question.hard]


@settings(max_examples=25)
@given(questions(max_variables=0), st.data())
def test_gains_are_those_of_the_joint_distribution(question, data):
    """The expected entropy is summed by hand over the states of each candidate."""
    nodes = free(question)
    assume(nodes)
    target = data.draw(st.sampled_from(nodes))
    oracle = question.oracle()
    found = dc.localize(question.network).most_informative(target, **question.given)
    before = entropy(oracle.query([target]))
    assert found.uncertainty == pytest.approx(before, abs=1e-9)
    assert {row.variable for row in found} == set(nodes) - {target}
    for row in found:
        joint = oracle.query([row.variable, target])
        expected = sum(own.sum() * entropy(own / own.sum()) for own in joint if own.sum() > 0)
        assert row.gain == pytest.approx(before - expected, abs=1e-8)
        assert row.remaining == pytest.approx(expected, abs=1e-8)
    gains = [row.gain for row in found]
    assert gains == sorted(gains, reverse=True)


@settings(max_examples=25)
@given(questions(max_variables=0), st.data())
def test_two_variables_say_the_same_about_each_other(question, data):
    nodes = free(question)
    assume(len(nodes) > 1)
    one, other = data.draw(st.permutations(nodes))[:2]
    model = dc.localize(question.network)
    there, back = (model.most_informative(a, candidates=b, **question.given)[0].gain for a, b in ((one, other), (other, one)))
    assert there == pytest.approx(back, abs=1e-9)


def test_where_clusters_disagree_the_gain_is_that_of_their_joint_answer():
    network = dc.load_network("asia")
    model = dc.fit(network, network.sample(300, seed=3))
    found = model.most_informative("lung", {"smoke": "yes"})
    for row in found:
        joint = model.query(["lung", row.variable], {"smoke": "yes"}).values
        rows, columns = joint.sum(axis=1), joint.sum(axis=0)
        assert row.gain == pytest.approx(entropy(rows) + entropy(columns) - entropy(joint), abs=1e-12)


def test_costs_decide_the_order():
    model = dc.localize(dc.load_network("asia"))
    plain = model.most_informative("lung", {"smoke": "yes"}, ["xray", "dysp"])
    dear = model.most_informative("lung", {"smoke": "yes"}, ["xray", "dysp"], costs={"xray": 100})
    assert [row.variable for row in plain] == ["xray", "dysp"]
    assert [row.variable for row in dear] == ["dysp", "xray"]
    assert dear[1].gain == plain[0].gain
    assert dear[1].gain_per_cost == plain[0].gain / 100
    assert dear.to_frame()["cost"].tolist() == [1.0, 100.0]


def test_one_that_is_separated_gains_exactly_nothing():
    model = dc.localize(naive_bayes(np.full((6, 2), [0.2, 0.7])))
    names = model.dag.nodes
    (root,) = (name for name in names if not model.dag.parents(name))
    leaf, *others = (name for name in names if name != root)
    found = model.most_informative(leaf, {root: model.states[root][0]})
    assert [(row.variable, row.gain) for row in found] == [(name, 0.0) for name in others]


def test_a_certain_target_gains_nothing():
    model = dc.localize(SPRINKLER)
    found = model.most_informative("sprinkler", {"cloudy": True})
    assert found.uncertainty == 0
    assert {row.gain for row in found} == {0.0}


def test_tiny_probabilities_do_not_underflow():
    network = dc.BayesianNetwork.discrete(
        [("a", "b")], {"a": [1 - 1e-200, 1e-200], "b": [[1.0 - 1e-200, 1e-200], [0.5, 0.5]]}, {"a": [0, 1], "b": [0, 1]}
    )
    (row,) = dc.localize(network).most_informative("a")
    assert row.gain == 0.0


def variance(network, target, evidence):
    return float(ExactNormal(network, evidence).moments([target])[1][0, 0])


@settings(max_examples=25)
@given(tame_gaussian_networks(max_nodes=6), st.data())
def test_gaussian_gains_are_those_of_exact_covariances(network, data):
    nodes = network.dag.nodes
    assume(len(nodes) > 1)
    target, *others = data.draw(st.permutations(nodes))
    known = others[: data.draw(st.integers(0, min(2, len(others) - 1)))]
    evidence = {name: float(value) for name, value in network.sample(1, seed=1).iloc[0].items() if name in known}
    model = dc.localize(network)
    found = model.most_informative(target, evidence)
    before = variance(network, target, evidence)
    for row in found:
        expected = ExactNormal(network, evidence).moments([row.variable])[0][0]
        after = variance(network, target, evidence | {row.variable: expected})
        if before == 0:
            assert row.gain == 0
        elif after == 0:
            assert row.gain > 15
        else:
            assert row.gain == pytest.approx(math.log2(before / after) / 2, rel=1e-6, abs=1e-8)
            assert row.remaining == pytest.approx(math.sqrt(after), rel=1e-6)


def test_a_twin_determines_its_target():
    network = dc.BayesianNetwork.gaussian(
        [("x", "y"), ("x", "z")], {"x": (0, {}, 2), "y": (1, {"x": 3}, 0), "z": (0, {"x": 1}, 2)}
    )
    model = dc.localize(network)
    found = model.most_informative("x")
    assert [(row.variable, row.gain) for row in found] == [("y", math.inf), ("z", pytest.approx(0.5))]
    assert found[0].remaining == 0
    assert "inf" in repr(found)
    again = model.most_informative("x", {"y": 4.0})
    assert again.uncertainty == 0
    assert [row.gain for row in again] == [0.0]


def test_where_gaussian_clusters_disagree():
    network = dc.random_gaussian_network([("a", "b"), ("b", "c"), ("a", "d"), ("d", "c")], seed=1)
    model = dc.fit(network, network.sample(200, seed=1))
    assert not model.coherent
    for row in model.most_informative("a", {"b": 0.3}):
        covariance = model.query(["a", row.variable], {"b": 0.3}).covariance
        share = 1 - covariance[0, 1] ** 2 / (covariance[0, 0] * covariance[1, 1])
        assert row.gain == pytest.approx(-math.log2(share) / 2, rel=1e-9, abs=1e-12)


def test_it_prints_well():
    model = dc.localize(dc.load_network("alarm"))
    text = repr(model.most_informative("HYPOVOLEMIA", {"BP": "LOW"}))
    assert text.startswith("most informative about P(HYPOVOLEMIA | BP = LOW), ")
    assert text.endswith("… and 15 more")
    assert "cost" not in text
    assert "bits per cost" in repr(model.most_informative("HYPOVOLEMIA", costs={"CVP": 2}))
    assert len(model.most_informative("HYPOVOLEMIA", candidates=[])) == 0
    gaussian = dc.localize(dc.load_network("ecoli70")).most_informative("lacA", {"aceB": 1.5}, ["lacZ", "lacY"])
    assert repr(gaussian).startswith("most informative about p(lacA | aceB = 1.5), standard deviation 1.73375")
    assert list(gaussian.to_frame().columns) == ["variable", "gain", "remaining", "cost", "gain_per_cost"]


def test_wrong_questions_are_refused():
    model = dc.localize(dc.load_network("asia"))
    ask = model.most_informative
    with pytest.raises(ValueError, match="'lung' is observed"):
        ask("lung", {"lung": "yes"})
    with pytest.raises(ValueError, match="one target is asked about at a time, not 2"):
        ask(["lung", "bronc"])
    with pytest.raises(ValueError, match="'lung' is the target itself"):
        ask("lung", candidates=["lung"])
    with pytest.raises(ValueError, match="'smoke' is observed already"):
        ask("lung", {"smoke": "yes"}, "smoke")
    with pytest.raises(ValueError, match="'xray' is asked for twice"):
        ask("lung", candidates=["xray", "xray"])
    with pytest.raises(dc.UnknownVariableError, match="did you mean 'xray'"):
        ask("lung", costs={"xrays": 2})
    with pytest.raises(ValueError, match="the cost of 'xray' is 0; it must be a number above 0"):
        ask("lung", costs={"xray": 0})
    with pytest.raises(TypeError, match="costs must be a mapping"):
        ask("lung", costs=[2])
    for cost in ("much", None, -1, float("nan")):
        with pytest.raises(ValueError, match="the cost of 'xray' is"):
            ask("lung", costs={"xray": cost})
    with pytest.raises(dc.ImpossibleEvidenceError):
        ask("lung", {"either": "no", "tub": "yes"})
    with pytest.raises(dc.TooLargeError):
        ask("lung", max_bytes=8)
    with pytest.raises(dc.TooLargeError):
        dc.localize(dc.load_network("ecoli70")).most_informative("lacA", max_bytes=100)
