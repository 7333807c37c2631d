"""Pictures of what comes after the answer: gains, tornados, influences and effects."""

from __future__ import annotations

import pytest
from display.elements import root_of, texts

import dconvex as dc
from dconvex.display.drawing import PAGE_WIDTH
from dconvex.display.informative_picture import informative_picture
from dconvex.display.sensitivity_picture import sensitivity_picture
from dconvex.display.typeface import text_width


@pytest.fixture(scope="module")
def asia():
    return dc.localize(dc.load_network("asia"))


@pytest.fixture(scope="module")
def genes():
    return dc.localize(dc.load_network("ecoli70"))


def shown(value):
    return texts(root_of(value._repr_html_()))


def test_gains_are_bars(asia):
    words = shown(asia.most_informative("lung", {"smoke": "yes"}, ["xray", "dysp"]))
    assert words == ["What says most about P(lung | smoke = yes), in bits", "xray", "0.3064", "dysp", "0.0253"]
    words = shown(asia.most_informative("lung", {"smoke": "yes"}, ["xray", "dysp"], {"xray": 2}))
    assert words[0].endswith("(bars: bits per cost)")
    assert "0.3064, cost 2" in words


def test_infinite_and_many_gains(genes):
    twin = dc.BayesianNetwork.gaussian([("x", "y")], {"x": (0, {}, 1), "y": (0, {"x": 1}, 0)})
    assert "∞" in shown(dc.localize(twin).most_informative("x"))
    assert "19 more variables" in shown(genes.most_informative("lacA", {"aceB": 1.5}))
    assert shown(genes.most_informative("lacA", candidates=[])) == ["What says most about p(lacA), in bits"]


def test_a_tornado_names_parameters_and_what_is_admissible(asia):
    words = shown(asia.sensitivity("lung", "yes", {"smoke": "yes", "xray": "yes"}))
    assert words[0] == "Sensitivity of P(lung = yes | smoke = yes, xray = yes) = 0.646"
    assert "lung = yes stays most probable" in words[1]
    assert words[2:6] == [
        "P(xray = yes | either = no) = 0.05",
        "0.000 to 0.100",
        "P(tub = yes | asia = no) = 0.01",
        "0.000 to 0.063",
    ]
    assert words[-3:] == ["the parameter is 0.1 lower", "it is 0.1 higher", "it is anything from 0 to 1"]


def test_tornados_of_many_parameters_and_of_none():
    alarm = dc.localize(dc.load_network("alarm"))
    assert any("more parameter" in word for word in shown(alarm.sensitivity("HR", "LOW", {"BP": "LOW"})))
    only = dc.BayesianNetwork.discrete([], {"a": [1.0]}, {"a": ["x"]})
    assert shown(dc.localize(only).sensitivity("a", "x"))[1:] == ["no parameter matters"]


def test_influences_go_to_both_sides(asia, genes):
    words = shown(asia.influences("lung", {"smoke": "no", "xray": "yes"}, state="yes"))
    assert words[0] == "Influences on P(lung | smoke = no, xray = yes)"
    assert "the log-odds of yes" in words[1]
    assert {"smoke = no", "xray = yes"} < set(words)
    assert "the mean in standard deviations" in shown(genes.influences("lacA", {"aceB": 1.5}))[1]
    assert shown(asia.influences("lung")) == ["No findings say anything about P(lung)"]
    long = dc.localize(dc.load_network("alarm"))
    row = long.network().sample(1, seed=1).iloc[0].to_dict()
    del row["HR"]
    assert "11 more findings" in shown(long.influences("HR", row))


def test_effects_are_pairs_of_bars(asia):
    words = shown(asia.effect("bronc", "lung"))
    assert words[:4] == ["Effect of bronc on lung", "bronc", "lung", "is"]
    assert words[4:12] == ["yes", "yes", "set", "0.0550", "yes", "yes", "seen", "0.0700"]


def test_an_effect_that_cannot_be_seen():
    network = dc.BayesianNetwork.discrete(
        [("a", "b"), ("b", "c")],
        {"a": [0.5, 0.5], "b": [[1.0, 0.0], [0.0, 1.0]], "c": [[0.2, 0.8], [0.6, 0.4]]},
        dict.fromkeys("abc", (0, 1)),
    )
    assert "–" in shown(dc.localize(network).effect("b", "c", {"a": 0}))


def test_gaussian_effects_are_lines(genes):
    words = shown(genes.effect("lacZ", "lacA"))
    assert words[0] == "Effect of lacZ on lacA"
    assert words[-2:] == ["set: slope 0", "seen: slope 0.9315"]


def test_a_constant_outcome_and_a_certain_treatment():
    network = dc.BayesianNetwork.gaussian([("u", "x")], {"u": (0, {}, 1), "x": (0, {"u": 2}, 0), "y": (5, {}, 0)})
    words = shown(dc.localize(network).effect("x", "y", {"u": 1.0}))
    assert words[-2:] == ["set: slope 0", "seen: slope nan"]


@pytest.mark.parametrize("kind", ["svg", "png", "html"])
def test_files(asia, tmp_path, kind):
    for number, value in enumerate(
        [
            asia.most_informative("lung"),
            asia.sensitivity("lung", "yes"),
            asia.influences("lung", {"smoke": "yes"}),
            asia.effect("smoke", "lung"),
        ]
    ):
        value.save_picture(tmp_path / f"{number}.{kind}")
        assert (tmp_path / f"{number}.{kind}").stat().st_size > 1000


def test_pictures_fit_on_a_page(genes):
    hepar2 = dc.localize(dc.load_network("hepar2"))
    assert (
        sensitivity_picture(hepar2.sensitivity("PBC", "present", {"itching": "present"}), text_width).size.width <= PAGE_WIDTH
    )
    assert informative_picture(genes.most_informative("lacA"), text_width).size.width <= PAGE_WIDTH
