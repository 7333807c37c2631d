"""`dconvex evaluate`: the numbers of `model.evaluate`, for people and for programs."""

from __future__ import annotations

import json

import pytest

import dconvex as dc


@pytest.fixture(scope="module")
def rows():
    frame = dc.load_network("alarm").sample(200, seed=1).astype(object)
    frame.loc[4, "HR"] = None
    return frame.assign(w=2.0, id=range(200))


@pytest.fixture
def path(tmp_path, rows):
    rows.to_csv(tmp_path / "rows.csv", index=False)
    return tmp_path / "rows.csv"


def test_for_people(dconvex, rows, path):
    ended = dconvex("evaluate", "alarm", path, "--target", "HR", "--weights", "w")
    expected = dc.localize(dc.load_network("alarm")).evaluate(rows, "HR", weights="w")
    assert ended.code == 0, ended.stderr
    assert ended.stdout.rstrip("\n") == str(expected)
    assert "ignored: id" in ended.stderr


def test_for_programs(dconvex, rows, path, tmp_path):
    ended = dconvex("evaluate", "alarm", path, "--target", "HR", "--json", "--bins", 5, "--plot", tmp_path / "a.svg")
    found = json.loads(ended.stdout)
    expected = dc.localize(dc.load_network("alarm")).evaluate(rows, "HR", bins=5)
    assert {name: found[name] for name in expected.scores} == expected.scores
    assert found["left_out"] == {"missing": 1, "impossible": 0}
    assert found["confusion"] == expected.confusion.values.tolist()
    assert len(found["calibration"]) == len(list(expected.calibration))
    assert [line["state"] for line in found["by_state"]] == ["LOW", "NORMAL", "HIGH"]
    assert (tmp_path / "a.svg").exists()


def test_numbers_without_an_end_are_null(dconvex, path):
    few = dconvex("evaluate", "alarm", path, "--target", "HR", "--json")
    assert None not in json.loads(few.stdout)["by_state"][0].values()
    path.write_text("smoke,tub,either,lung\nyes,no,no,yes\n")
    found = json.loads(dconvex("evaluate", "asia", path, "--target", "lung", "--json").stdout)
    assert (found["log_loss"], found["log_likelihood"], found["auc"]) == (None, None, None)


def test_numbers(dconvex, tmp_path):
    network = dc.load_network("ecoli70")
    rows = network.sample(30, seed=1)
    rows.to_csv(tmp_path / "g.csv", index=False)
    found = json.loads(dconvex("evaluate", "ecoli70", tmp_path / "g.csv", "--target", "lacA", "--json").stdout)
    expected = dc.localize(network).evaluate(rows, "lacA")
    assert found["kind"] == "gaussian"
    assert found["rmse"] == pytest.approx(expected.rmse)
    assert [line["level"] for line in found["coverage"]] == [row.level for row in expected]


def test_misspelled(dconvex, path):
    assert "did you mean 'HR'?" in dconvex("evaluate", "alarm", path, "--target", "HRR").stderr
    assert "unknown column 'ww'" in dconvex("evaluate", "alarm", path, "--target", "HR", "--weights", "ww").stderr
