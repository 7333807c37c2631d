"""Pictures of evaluations: dots where the numbers are, cells with the counts."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd
import pytest
from display.elements import groups, root_of, texts, titles

import dconvex as dc
from dconvex.display.colours import LINES
from dconvex.display.evaluation_picture import SIDE, STATES


@pytest.fixture(scope="module")
def evaluation():
    network = dc.load_network("asia")
    return dc.localize(network).evaluate(network.sample(400, seed=1), "bronc")


def test_of_two_states_the_rarer_one_has_a_curve(evaluation):
    root = root_of(evaluation.calibration._repr_html_())
    rare = min(evaluation, key=lambda score: score.weight).state
    assert len(groups(root, "dot")) == len(evaluation.calibration.by_state[rare])
    assert all(title.startswith(f"{rare}: ") for title in titles(root, "dot"))
    assert f"Calibration of bronc = {rare}" in texts(root)


def test_dots_are_where_the_numbers_are(evaluation):
    root = root_of(evaluation.calibration._repr_html_())
    rare = min(evaluation, key=lambda score: score.weight).state
    boxes = [group[-1] for group in groups(root, "dot")]
    across = [float(box.get("x")) + float(box.get("width")) / 2 for box in boxes]
    bins = evaluation.calibration.by_state[rare]
    steps = [after - before for before, after in pairwise(across)]
    expected = [SIDE * (after.predicted - before.predicted) for before, after in pairwise(bins)]
    assert steps == pytest.approx(expected, abs=0.21)


def test_cells_of_the_matrix_have_the_counts(evaluation):
    shown = texts(root_of(evaluation.confusion._repr_html_()))
    assert shown[0] == "Confusion of bronc"
    assert [int(text) for text in shown if text.isdigit()] == evaluation.confusion.values.ravel().tolist()


def test_both_pictures_together(evaluation):
    shown = texts(root_of(evaluation._repr_html_()))
    assert "bronc, 400 rows" in shown
    assert any(text.startswith("Calibration of") for text in shown)
    assert "Confusion of bronc" in shown


def test_many_states():
    network = dc.random_network([("a", "b")], 40, seed=1)
    found = dc.localize(network).evaluate(network.sample(500, seed=2), "b")
    shown = texts(root_of(found._repr_html_()))
    assert f"the {len(LINES)} most frequent of 40 states" in shown
    assert f"the {STATES} most frequent of 40 states" in shown


def test_three_states_have_a_legend():
    network = dc.load_network("alarm")
    found = dc.localize(network).evaluate(network.sample(100, seed=1), "HR")
    assert {"LOW", "NORMAL", "HIGH"} <= set(texts(root_of(found.calibration._repr_html_())))


def test_a_state_that_never_gets_a_probability_has_no_row_total():
    network = dc.BayesianNetwork.discrete([], {"a": [0.5, 0.5, 0.0]}, {"a": ["x", "y", "z"]})
    found = dc.localize(network).evaluate(pd.DataFrame({"a": ["x", "y"]}), "a")
    assert "actual z, predicted x: 0" in titles(root_of(found.confusion._repr_html_()), "cell")


def test_coverage(tmp_path):
    network = dc.load_network("ecoli70")
    found = dc.localize(network).evaluate(network.sample(100, seed=1), "lacA")
    root = root_of(found._repr_html_())
    assert titles(root, "dot") == [f"{row.level:.0%}: {row.observed:.1%}" for row in found]
    found.save_picture(tmp_path / "coverage.svg")
    assert "lacA, 100 rows" in texts(root_of((tmp_path / "coverage.svg").read_text(encoding="utf-8")))
