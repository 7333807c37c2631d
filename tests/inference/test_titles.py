"""An answer remembers what it was asked given, and says so."""

from __future__ import annotations

import pickle

import pytest

import dconvex as dc


@pytest.fixture(scope="module")
def asia():
    return dc.localize(dc.load_network("asia"))


@pytest.fixture(scope="module")
def genes():
    return dc.localize(dc.load_network("ecoli70"))


def head(answer):
    return repr(answer).splitlines()[0]


def test_evidence_is_in_the_title(asia):
    assert head(asia.query("lung")) == "P(lung)"
    assert head(asia.query("lung", {"smoke": "yes"})) == "P(lung | smoke = yes)"
    assert head(asia.query(["lung", "bronc"], {"smoke": "yes", "xray": "no"})) == "P(lung, bronc | smoke = yes, xray = no)"
    assert head(asia.query("smoke", {"smoke": "yes"})) == "P(smoke | smoke = yes)"
    assert head(asia.query([], {"smoke": "yes"})) == "P(nothing | smoke = yes): 1 probabilities"


def test_uncertain_evidence_is_in_the_title(asia):
    assert head(asia.query("lung", {"xray": {"yes", "no"}})) == "P(lung | xray in {yes, no})"
    assert (
        head(asia.query("lung", {"smoke": "yes"}, soft={"xray": [0.8, 0.2]})) == "P(lung | smoke = yes, xray ~ yes:1, no:0.25)"
    )


@pytest.mark.parametrize("soft", [None, {"xray": [0.8, 0.2]}])
def test_every_way_to_ask_remembers_the_evidence(asia, soft):
    evidence = {"smoke": "yes", "asia": "no"}
    expected = evidence | ({"xray": {"yes": 1.0, "no": 0.25}} if soft else {})
    answers = [
        asia.query("lung", evidence, soft=soft),
        asia.query("lung", evidence, soft=soft, method="sampling", samples=50, seed=1),
        asia.marginals(evidence, soft=soft)["lung"],
        asia.marginals(evidence, soft=soft, variables=["lung", "bronc"])["bronc"],
    ]
    assert [answer.evidence for answer in answers] == [expected] * 4
    again = pickle.loads(pickle.dumps(answers[0]))
    assert (again.evidence, again.title) == (expected, answers[0].title)


def test_the_evidence_of_an_answer_is_its_own(asia):
    evidence = {"smoke": "yes"}
    one, each = asia.query("lung", evidence), asia.marginals(evidence)["lung"]
    evidence["smoke"] = "no"
    one.evidence["smoke"] = "no"
    assert one.title == each.title == "P(lung | smoke = yes)"


def test_a_gaussian_answer_remembers_its_evidence(genes):
    answers = [genes.query("lacA", {"aceB": 1.5}), genes.marginals({"aceB": 1.5})["lacA"]]
    assert [answer.evidence for answer in answers] == [{"aceB": 1.5}] * 2
    assert [head(answer) for answer in answers] == ["p(lacA | aceB = 1.5)"] * 2
    assert head(genes.query("lacA")) == "p(lacA)"


def test_long_evidence_is_cut():
    model = dc.localize(dc.load_network("alarm"))
    row = model.network().sample(1, seed=1).iloc[0].to_dict()
    del row["HR"]
    title = model.query("HR", row).title
    assert title.endswith(", … 36 in all)")
    assert len(title) < 100


def test_many_targets_are_cut():
    chain = [(f"v{number:02}", f"v{number + 1:02}") for number in range(15)]
    network = dc.random_network(chain, states=2, seed=1)
    title = dc.localize(network).query([f"v{number:02}" for number in range(14)]).title
    assert title == f"P({', '.join(f'v{number:02}' for number in range(12))}, … 14 in all)"
