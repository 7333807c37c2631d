"""What each finding did, against the whole joint distribution."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from inference.brute_force import BruteForce
from inference.exact_normal import ExactNormal
from inference.models import SPRINKLER
from inference.questions import questions
from strategies import tame_gaussian_networks

import dconvex as dc


def log_odds(shares, state):
    return math.log(shares[state] / (1 - shares[state]))


@settings(max_examples=25)
@given(questions(min_variables=1, max_variables=1, apart=True, kinds=("hard", "hard", "set", "soft")))
def test_findings_are_left_out_and_looked_at_alone(question):
    assume(question.variables and (question.evidence or question.soft))
    network, (target,) = question.network, question.variables
    found = dc.localize(network).influences(target, **question.given)
    full = question.oracle()
    shares = full.query([target])
    assert np.allclose(found.answer.values, shares, atol=1e-9)
    assert {row.variable for row in found} == {*question.evidence, *question.soft}
    alone = 0.0
    for row in found:
        own = [{name: value for name, value in part.items() if name == row.variable} for part in question.given.values()]
        rest = [{name: value for name, value in part.items() if name != row.variable} for part in question.given.values()]
        without, single = BruteForce(network, *rest), BruteForce(network, *own)
        assert np.allclose(row.without.values, without.query([target]), atol=1e-9)
        assert np.allclose(row.alone.values, single.query([target]), atol=1e-9)
        expected = single.log_evidence + without.log_evidence - full.log_evidence
        assert row.conflict == pytest.approx(expected / math.log(2), abs=1e-7)
        alone += single.log_evidence
        inside = shares > 0
        divergence = (shares[inside] * np.log2(shares[inside] / without.query([target])[inside])).sum()
        assert row.divergence == pytest.approx(divergence, abs=1e-7)
        state = int(np.argmax(found.answer.values))
        if 1e-6 < shares[state] < 1 - 1e-6 and 1e-6 < without.query([target])[state] < 1 - 1e-6:
            change = log_odds(shares, state) - log_odds(without.query([target]), state)
            assert row.shift == pytest.approx(change, abs=1e-4)
    assert found.conflict == pytest.approx((alone - full.log_evidence) / math.log(2), abs=1e-7)
    assert [row.divergence for row in found] == sorted((row.divergence for row in found), reverse=True)


@settings(max_examples=30)
@given(tame_gaussian_networks(max_nodes=5))
def test_gaussian_findings(network):
    assume(len(network.dag) > 2)
    target, *known = network.dag.nodes
    evidence = {name: float(value) for name, value in network.sample(1, seed=1).iloc[0].items() if name in known}
    assume(all(float(ExactNormal(network).moments([name])[1][0, 0]) > 0 for name in network.dag.nodes))
    found = dc.localize(network).influences(target, evidence)
    for row in found:
        rest = {name: value for name, value in evidence.items() if name != row.variable}
        (before,), wide = ExactNormal(network, rest).moments([target])
        (mean,), narrow = ExactNormal(network, evidence).moments([target])
        if wide[0, 0] > 0:
            assert row.shift == pytest.approx((mean - before) / math.sqrt(wide[0, 0]), rel=1e-6, abs=1e-6)
        if wide[0, 0] > 0 and narrow[0, 0] > 0:
            share = narrow[0, 0] / wide[0, 0]
            nats = (share + row.shift**2 - 1 - math.log(share)) / 2
            assert row.divergence == pytest.approx(nats / math.log(2), rel=1e-5, abs=1e-6)


def test_findings_that_disagree_are_named():
    model = dc.localize(dc.load_network("asia"))
    found = model.influences("lung", {"smoke": "no", "xray": "yes"}, state="yes")
    assert found.conflict > 0
    assert found.disagreeing == ("smoke", "xray")
    assert found.agreement.endswith("smoke, xray disagree with the others")
    calm = model.influences("lung", {"smoke": "yes", "xray": "yes"})
    assert calm.conflict < 0
    assert calm.disagreeing == ()
    assert repr(calm).endswith("none disagrees with the others")


def test_the_state_can_be_chosen():
    model = dc.localize(dc.load_network("asia"))
    evidence = {"smoke": "no", "dysp": "no"}
    yes, no, default = (model.influences("lung", evidence, state=state) for state in ("yes", "no", None))
    assert default.state == "no"
    assert [row.shift for row in yes] == [pytest.approx(-row.shift) for row in no]
    frame = yes.to_frame()
    assert list(frame.columns) == ["variable", "value", "without", "alone", "shift", "divergence", "conflict"]
    assert frame["without"].tolist() == [row.without["yes"] for row in yes]


def test_a_finding_that_settles_it():
    model = dc.localize(SPRINKLER)
    found = model.influences("sprinkler", {"cloudy": True, "rain": "none"}, state=2)
    (row,) = [row for row in found if row.variable == "cloudy"]
    assert row.shift == math.inf
    (other,) = [row for row in found if row.variable == "rain"]
    assert (other.shift, other.divergence) == (0.0, 0.0)
    assert model.influences("sprinkler", {"cloudy": True}, state=1)[0].shift == -math.inf


def test_certain_numbers():
    network = dc.BayesianNetwork.gaussian(
        [("x", "y"), ("x", "z")], {"x": (0, {}, 1), "y": (0, {"x": 1}, 0), "z": (0, {"x": 1}, 1)}
    )
    found = dc.localize(network).influences("x", {"y": 2.0, "z": 1.0})
    assert {row.variable: (row.divergence, row.shift) for row in found} == {
        "y": (math.inf, pytest.approx(1.5 / math.sqrt(0.5))),
        "z": (0.0, 0.0),
    }
    assert "mean 2, from 0" in repr(found)
    assert repr(found[0]).startswith("Influence(y = 2, shift=")


def test_where_clusters_disagree_each_answer_is_that_of_query():
    network = dc.load_network("asia")
    model = dc.fit(network, network.sample(500, seed=1), prior=dc.BDeu(5))
    evidence = {"smoke": "no", "xray": "yes", "dysp": "no"}
    for row in model.influences("lung", evidence):
        rest = {name: value for name, value in evidence.items() if name != row.variable}
        assert np.array_equal(row.without.values, model.query("lung", rest).values)


def test_no_findings():
    found = dc.localize(dc.load_network("asia")).influences("lung")
    assert (len(found), found.conflict) == (0, 0.0)
    assert repr(found).startswith("influences on P(lung): lung = no 0.945, from 0.945")


def test_wrong_questions_are_refused():
    model = dc.localize(dc.load_network("asia"))
    with pytest.raises(ValueError, match="'lung' is observed"):
        model.influences("lung", {"lung": "yes"})
    with pytest.raises(dc.UnknownStateError, match="did you mean 'yes'"):
        model.influences("lung", {"smoke": "yes"}, state="yess")
    with pytest.raises(dc.ImpossibleEvidenceError):
        model.influences("lung", {"either": "no", "tub": "yes"})
    with pytest.raises(dc.TooLargeError):
        model.influences("lung", {"smoke": "yes"}, max_bytes=8)
    with pytest.raises(ValueError, match="'lacA' has no states"):
        dc.localize(dc.load_network("ecoli70")).influences("lacA", {"aceB": 1.0}, state="high")
