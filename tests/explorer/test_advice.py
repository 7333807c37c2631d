"""What to observe next, what each finding did, what setting a variable does: the library's own answers, by index."""

from __future__ import annotations

import json

import pytest
from explorer.questions import exploring, request

import dconvex as dc
from dconvex.explorer.advice import LISTED
from dconvex.explorer.request_data import RequestError


@pytest.fixture(scope="module")
def asia():
    return exploring("asia")


@pytest.fixture(scope="module")
def ecoli():
    return exploring("ecoli70")


def test_what_to_observe_next(asia):
    model = asia.model
    found = asia.next(request(model, ("lung",), {"smoke": "yes"}))
    expected = model.most_informative("lung", {"smoke": "yes"})
    assert found["uncertainty"] == expected.uncertainty
    assert [[model.dag.nodes[index], gain, left] for index, gain, left in found["rows"]] == [
        [row.variable, row.gain, row.remaining] for row in expected
    ]
    assert found["count"] == len(found["rows"]) == 6


def test_what_is_set_or_seen_in_part_is_treated_as_it_is(asia):
    model = asia.model
    smoke = model.dag.index_of("smoke")
    found = asia.next({**request(model, ("lung",)), "do": [[smoke, 0]]})
    assert smoke not in [index for index, _, _ in found["rows"]]
    several = asia.next(request(model, ("lung",), {"smoke": {"yes", "no"}}))
    assert smoke in [index for index, _, _ in several["rows"]]


def test_long_lists_are_cut(ecoli):
    found = ecoli.next(request(ecoli.model, ("lacA",), {"aceB": 1.5}))
    assert len(found["rows"]) == LISTED
    assert found["count"] == len(ecoli.model) - 2


def test_what_each_finding_did(asia):
    model, evidence, soft = asia.model, {"smoke": "no", "xray": "yes"}, {"dysp": {"yes": 0.9, "no": 0.3}}
    found = asia.influences(request(model, ("lung",), evidence, soft))
    expected = model.influences("lung", evidence, soft=soft)
    assert model.states["lung"][found["state"]] == expected.state
    assert [(model.dag.nodes[row["index"]], row["without"], row["alone"], row["shift"]) for row in found["rows"]] == [
        (row.variable, expected.number(row.without), expected.number(row.alone), row.shift) for row in expected
    ]
    assert (found["now"], found["before"]) == (expected.number(expected.answer), expected.number(expected.before))


def test_what_makes_certain_can_be_sent(asia):
    found = asia.influences(request(asia.model, ("either",), {"tub": "yes", "lung": "no"}))
    assert json.dumps(found, allow_nan=False)


def test_influences_on_a_number(ecoli):
    found = ecoli.influences(request(ecoli.model, ("lacA",), {"eutG": 1.5, "aceB": 0.5}))
    assert found["state"] is None
    assert len(found["rows"]) == 2


def test_what_setting_a_variable_does(asia):
    model = asia.model
    found = asia.effect(request(model, ("bronc", "dysp"), {"smoke": "yes"}))
    expected = model.effect("bronc", "dysp", {"smoke": "yes"})
    state = found["state"]
    assert [(model.states["bronc"][value], doing, seeing) for value, doing, seeing in found["rows"]] == [
        (row.value, row.doing.values[state], row.seeing.values[state]) for row in expected
    ]
    named = {frozenset(model.dag.nodes[index] for index in own) for own in found["adjust"]}
    assert named == set(dc.adjustment_sets(model.dag, "bronc", "dysp"))
    assert asia.effect(request(model, ("lung", "smoke")))["adjust"] == []
    assert asia.effect(request(model, ("smoke", "dysp")))["adjust"] == [[]]
    assert asia.effect(request(model, ("smoke", "dysp"), {"xray": "yes"}))["after"] == [model.dag.index_of("xray")]
    impossible = asia.effect(request(model, ("tub", "lung"), {"either": "no"}))
    assert impossible["rows"][0][1:] == [None, None]


def test_the_effect_on_a_number(ecoli):
    model = ecoli.model
    found = ecoli.effect(request(model, ("eutG", "lacA")))
    assert found["slope"] == model.effect("eutG", "lacA").slope
    assert all(isinstance(number, float) for row in found["rows"] for number in row)


@pytest.mark.parametrize("targets", [(), ("lung", "dysp", "bronc")])
def test_the_number_of_targets_is_checked(asia, targets):
    for ask in (asia.next, asia.influences, asia.effect):
        with pytest.raises(RequestError, match="this is about"):
            ask(request(asia.model, targets))


def test_which_numbers_it_hangs_on(asia, ecoli):
    model, evidence = asia.model, {"smoke": "yes", "xray": "yes"}
    ask = request(model, ("lung",), evidence)
    found, other = asia.sensitivity(ask), asia.sensitivity({**ask, "state": 1})
    expected = model.sensitivity("lung", "yes", evidence)
    assert [(row["title"], row["derivative"], tuple(row["admissible"])) for row in found["rows"]] == [
        (row.title, row.derivative, row.admissible) for row in expected
    ]
    assert [row["ends"] for row in found["rows"]] == [[row.at(0), row.at(1)] for row in expected]
    moved = [[row.at(max(row.value - 0.1, 0)), row.at(min(row.value + 0.1, 1))] for row in expected]
    assert [row["moved"] for row in found["rows"]] == moved
    assert (found["state"], found["now"], found["count"]) == (0, expected.probability, len(expected))
    assert (other["state"], other["now"]) == (1, model.sensitivity("lung", "no", evidence).probability)
    assert json.dumps(found, allow_nan=False)
    with pytest.raises(RequestError, match="there is no state of 'lung' number 2"):
        asia.sensitivity({**ask, "state": 2})
    with pytest.raises(dc.DconvexError, match="a Gaussian network has no states"):
        ecoli.sensitivity(request(ecoli.model, ("lacA",)))
