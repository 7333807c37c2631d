"""What setting does, next to what seeing says: against the mutilated network, and against adjustment by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from inference.brute_force import BruteForce
from inference.models import SPRINKLER
from inference.questions import questions
from strategies import tame_gaussian_networks

import dconvex as dc

CONFOUNDED = dc.BayesianNetwork.gaussian(
    [("u", "x"), ("u", "y"), ("x", "y"), ("y", "z")],
    {"u": (0, {}, 1), "x": (1, {"u": 2}, 1), "y": (0, {"u": 3, "x": 0.5}, 1), "z": (0, {"y": 1}, 1)},
)


@settings(max_examples=25)
@given(questions(min_variables=2, max_variables=2, apart=True, kinds=("hard", "set", "soft")))
def test_it_is_the_answer_of_the_mutilated_network(question):
    assume(len(question.variables) == 2)
    network, (treatment, outcome) = question.network, question.variables
    found = dc.localize(network).effect(treatment, outcome, **question.given)
    assert [row.value for row in found] == list(network.states[treatment])
    assert np.allclose(found.before.values, question.oracle().query([outcome]), atol=1e-9)
    for row in found:
        set_ = BruteForce(network.do({treatment: row.value}), question.evidence, question.soft)
        seen = BruteForce(network, {**question.evidence, treatment: row.value}, question.soft)
        for answer, oracle in ((row.doing, set_), (row.seeing, seen)):
            assert (answer is None) == (oracle.mass == 0)
            if answer is not None:
                assert np.allclose(answer.values, oracle.query([outcome]), atol=1e-9)
    known = {*question.evidence, *question.soft}
    assert set(found.after) == known & network.dag.descendants([treatment])


@settings(max_examples=30)
@given(tame_gaussian_networks(max_nodes=6), st.data())
def test_gaussian_effects(network, data):
    assume(len(network.dag) > 1)
    treatment, outcome = data.draw(st.permutations(network.dag.nodes))[:2]
    model = dc.localize(network)
    found = model.effect(treatment, outcome)
    for row in found:
        expected = model.do({treatment: row.value}).query(outcome)
        scale = 1 + abs(expected.mean[0])
        assert row.doing.mean[0] == pytest.approx(expected.mean[0], rel=1e-7, abs=1e-7 * scale)
        assert row.doing.standard_deviations[0] == pytest.approx(expected.standard_deviations[0], rel=1e-6, abs=1e-6)
    low, middle, high = found
    step = (high.doing.mean[0] - low.doing.mean[0]) / (high.value - low.value)
    assert found.slope == pytest.approx(step, rel=1e-6, abs=1e-6)
    assert middle.value == pytest.approx(model.query(treatment).mean[0])


def test_seeing_is_not_doing():
    found = dc.localize(CONFOUNDED).effect("x", "y")
    assert found.slope == pytest.approx(0.5)
    assert found.seeing_slope == pytest.approx(0.5 + 3 * 2 / 5)
    assert found.rows[0].value == pytest.approx(1 - math.sqrt(5))
    assert found.after == ()
    assert repr(found).splitlines()[-1] == "slope: doing 0.5, seeing 1.7"
    assert found.to_frame()["seeing_mean"].tolist() == [row.seeing.mean[0] for row in found]


def test_adjusting_for_the_confounder_makes_them_equal():
    found = dc.localize(CONFOUNDED).effect("x", "y", {"u": 1.0})
    assert found.slope == pytest.approx(found.seeing_slope) == pytest.approx(0.5)


def test_a_finding_after_the_treatment_is_said():
    found = dc.localize(CONFOUNDED).effect("x", "y", {"z": 1.0})
    assert found.after == ("z",)
    assert repr(found).endswith("after the treatment, so seen once it is set: z")
    assert found.title == "effect of x on y given z = 1"


def test_a_treatment_that_is_certain():
    network = dc.BayesianNetwork.gaussian(
        [("u", "x"), ("x", "y")], {"u": (0, {}, 1), "x": (0, {"u": 2}, 0), "y": (0, {"x": 3}, 1)}
    )
    found = dc.localize(network).effect("x", "y", {"u": 1.0})
    assert [row.value for row in found] == [1.0, 2.0, 3.0]
    assert [row.seeing is None for row in found] == [True, False, True]
    assert found.slope == pytest.approx(3)
    assert math.isnan(found.seeing_slope)
    assert math.isnan(found.to_frame()["seeing_mean"][0])
    assert "–" in repr(found)


def test_a_state_that_is_never_seen_can_be_set():
    found = dc.localize(SPRINKLER).effect("sprinkler", "wet", {"cloudy": True})
    assert [(row.value, row.seeing is None) for row in found] == [(2, False), (1, True)]
    assert "–" in repr(found)
    frame = found.to_frame()
    assert list(frame.columns) == ["setting", "state", "doing", "seeing"]
    assert frame["seeing"].isna().tolist() == [False, False, True, True]
    assert repr(found[0]).startswith("Setting(2, doing=P(wet | ")


def test_it_prints_well():
    text = repr(dc.localize(dc.load_network("asia")).effect("bronc", "lung", {"dysp": "yes"}))
    assert text.splitlines()[0] == "effect of bronc on lung given dysp = yes"
    assert text.splitlines()[1].split("  ")[1:] == ["bronc", "do: P(yes)", "see: P(yes)"]
    assert text.splitlines()[-1] == "after the treatment, so seen once it is set: dysp"


def test_where_clusters_disagree_it_is_about_the_network_of_all():
    network = dc.load_network("asia")
    model = dc.fit(network, network.sample(500, seed=1), prior=dc.BDeu(5))
    expected = dc.localize(model.network()).effect("smoke", "dysp")
    assert model.effect("smoke", "dysp").to_frame().equals(expected.to_frame())
    for row in model.effect("smoke", "dysp"):  # nothing comes before smoke, so that seeing it is as good as setting it
        assert np.allclose(row.doing.values, row.seeing.values, atol=1e-12)


def test_wrong_questions_are_refused():
    model = dc.localize(dc.load_network("asia"))
    with pytest.raises(ValueError, match="'lung' is both treatment and outcome"):
        model.effect("lung", "lung")
    with pytest.raises(ValueError, match="'smoke' is set, so there can be no evidence on it"):
        model.effect("smoke", "lung", {"smoke": "yes"})
    with pytest.raises(ValueError, match="'lung' is observed"):
        model.effect("smoke", "lung", {"lung": "yes"})
    with pytest.raises(dc.UnknownVariableError, match="did you mean 'smoke'"):
        model.effect("smok", "lung")
    with pytest.raises(ValueError, match="one treatment is set at a time, not 2"):
        model.effect(["smoke", "bronc"], "lung")
    with pytest.raises(dc.TooLargeError):
        model.effect("smoke", "lung", max_bytes=8)
