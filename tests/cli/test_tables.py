"""Tables and typed structures on the command line: `fit` from edges, intervals, `do`, `sample`, and what is said of columns."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import dconvex as dc


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.normal(50, 12, 200).round(1), "smoke": np.where(rng.random(200) < 0.4, "yes", "no")})
    frame["lung"] = np.where(rng.random(200) < np.where(frame["smoke"] == "yes", 0.5, 0.1), "yes", "no")
    frame["city"] = np.where(rng.random(200) < 0.5, "=1+1", "Bonn")
    frame.loc[::10, "age"] = np.nan
    frame.to_csv("rows.csv", index=False, na_rep="NA")
    (tmp_path / "edges.txt").write_text("age -> lung\nsmoke -> lung  # known\ncity\n")
    return tmp_path


def learned(dconvex, *options: str) -> dc.LocalModel:
    ended = dconvex("fit", "edges.txt", "rows.csv", "-o", "model.dcx", *options)
    assert ended.code == 0, ended.stderr
    return dc.open_model("model.dcx")


@pytest.mark.parametrize("suffix", ["csv", "dot", "bif"])
def test_a_model_is_fitted_to_a_typed_structure(dconvex, suffix):
    model = learned(dconvex, "--bins", "3")
    dc.write(model.dag, f"edges.{suffix}")
    ended = dconvex("fit", f"edges.{suffix}", "rows.csv", "-o", "again.dcx", "--bins", "3")
    assert ended.code == 0, ended.stderr
    assert dc.open_model("again.dcx").network() == model.network()
    assert model.network() == dc.fit(model.dag, "rows.csv", discretizer=dc.discretize("rows.csv", bins=3)).network()


def test_a_bif_with_tables_declares_states(dconvex):
    dc.write(learned(dconvex, "--bins", "3").network(), "known.bif")
    ended = dconvex("fit", "known.bif", "rows.csv", "-o", "again.dcx", "--discretize", "age")
    assert ended.code == 0, ended.stderr
    assert len(dc.open_model("again.dcx").states["age"]) == 5


def test_numbers_are_evidence(dconvex):
    model = learned(dconvex, "--discretize", "age", "--bins", "2")
    asked = json.loads(dconvex("query", "model.dcx", "lung", "--given", "age=70", "--json").stdout)
    assert asked["answers"][0]["values"] == model.query("lung", {"age": 70}).values.tolist()
    states = json.loads(dconvex("query", "model.dcx", "age", "--json").stdout)["answers"][0]["states"][0]
    assert states == list(map(str, model.states["age"]))
    by_label = dconvex("query", "model.dcx", "lung", "--given", f"age={states[1]}", "--json").stdout
    assert json.loads(by_label) == asked
    predicted = dconvex("predict", "model.dcx", "rows.csv", "--target", "lung").stdout.split()[1:]
    assert predicted == model.predict(pd.read_csv("rows.csv"), "lung")["lung"].tolist()
    wrong = dconvex("query", "model.dcx", "lung", "--given", "age=old")
    assert wrong.code == 1
    assert "unknown state 'old' of 'age'" in wrong.stderr


def test_errors_name_options_and_columns(dconvex):
    mixed = dconvex("fit", "edges.txt", "rows.csv", "-o", "model.dcx")
    assert "'age' holds fractions, 'city', 'lung', 'smoke' do not" in mixed.stderr
    assert "make intervals of fractions with --bins 5" in mixed.stderr
    unknown = dconvex("fit", "edges.txt", "rows.csv", "-o", "model.dcx", "--discretize", "aeg")
    assert "unknown variable 'aeg'; did you mean 'age'" in unknown.stderr
    pd.DataFrame({"a": [1], "b": [2]}).to_csv("other.csv", index=False)
    absent = dconvex("fit", "edges.txt", "other.csv", "-o", "model.dcx")
    assert "no table has a column 'age' (and 3 more that are missing); there are 2: 'a', 'b'" in absent.stderr
    learned(dconvex, "--bins", "2")
    ignored = dconvex("predict", "model.dcx", "other.csv", "--target", "lung")
    assert "the header must have their names. There are columns a, b" in ignored.stderr
    missing = dconvex("fit", "nothing.txt", "rows.csv", "-o", "model.dcx")
    assert missing.stderr.strip() == "error: nothing.txt: No such file or directory"


def test_cells_may_be_missing_in_other_words(dconvex):
    assert learned(dconvex, "--bins", "2").report().missing["age"] == 20
    frame = pd.read_csv("rows.csv", dtype=str, keep_default_na=False).replace({"age": {"NA": "?"}})
    frame.to_csv("rows.csv", index=False)
    assert learned(dconvex, "--bins", "2", "--null", "?").report().missing["age"] == 20


def test_an_intervention(dconvex):
    model = learned(dconvex, "--bins", "2")
    done = dconvex("do", "model.dcx", "smoke", "--set", "lung=yes", "--given", "age=70")
    assert "P(smoke | do(lung = yes), age = " in done.stdout
    assert "from 1 of" in done.stdout
    assert "explain" not in done.stdout
    record = json.loads(dconvex("do", "model.dcx", "smoke", "--set", "lung=yes", "--json").stdout)
    assert record["do"] == [{"variable": "lung", "state": "yes"}]
    assert record["answers"][0]["values"] == model.do({"lung": "yes"}).query("smoke").values.tolist()
    each = dconvex("do", "model.dcx", "--set", "smoke=yes")
    assert "P(each variable | do(smoke = yes))" in each.stdout
    numbers = json.loads(dconvex("do", "ecoli70", "lacA", "--set", "aceB=1.5", "--json").stdout)
    assert numbers["do"] == [{"variable": "aceB", "state": 1.5}]
    by_interval = json.loads(dconvex("do", "model.dcx", "lung", "--set", "age=70", "--json").stdout)
    assert by_interval["do"] == [{"variable": "age", "state": str(model.states["age"][1])}]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["lung"], "an intervention sets something: --set VARIABLE=STATE"),
        (["lung", "--set", "smoke=yes,no"], "smoke is set to one state, not to one of several"),
        (["--set", "smoke=yes", "--plot", "x.svg"], "--plot draws one distribution"),
    ],
)
def test_interventions_that_are_refused(dconvex, words, problem):
    learned(dconvex, "--bins", "2")
    ended = dconvex("do", "model.dcx", *words)
    assert ended.code == 2
    assert problem in ended.stderr


def test_a_sample_is_csv_without_formulas(dconvex):
    model = learned(dconvex, "--bins", "2")
    printed = dconvex("sample", "model.dcx", "-n", "20", "--seed", "1").stdout
    assert dconvex("sample", "model.dcx", "--rows", "20", "--seed", "1", "--out", "drawn.csv").code == 0
    drawn = pd.read_csv("drawn.csv")
    assert printed.splitlines()[1:] == (drawn.to_csv(index=False).splitlines()[1:])
    expected = model.sample(20, seed=1)
    assert drawn["lung"].tolist() == expected["lung"].tolist()
    assert drawn["age"].tolist() == expected["age"].map(str).tolist()
    assert set(drawn["city"]) == {"'=1+1", "Bonn"}
    record = json.loads(dconvex("sample", "model.dcx", "--rows", "3", "--seed", "2", "--json", "--given", "smoke=yes").stdout)
    assert record["columns"]["smoke"] == ["yes"] * 3
    assert set(record["columns"]["age"]) <= set(map(str, model.states["age"]))
    refused = dconvex("sample", "model.dcx", "--json", "--out", "x.csv")
    assert refused.code == 2


def test_predictions_hold_no_formulas_and_numbers_stay_numbers(dconvex):
    pd.DataFrame({"x": ["=a", "-1.5"], "y": [-1, -1]}).to_csv("texts.csv", index=False)
    network = dc.BayesianNetwork.discrete([], {"=x": [0.2, 0.8], "y": [1, 0]}, {"=x": ["-1.5", "-x"], "y": [-1, 2]})
    dc.write(network, "signs.json")
    drawn = dconvex("sample", "signs.json", "--rows", "30", "--seed", "1").stdout.split()
    assert drawn[0] == "'=x,y"
    assert set(drawn[1:]) == {"-1.5,-1", "'-x,-1"}
    predicted = dconvex("predict", "signs.json", "texts.csv", "--target", "=x", "--proba").stdout.split()
    assert predicted[0] == "'=x=-1.5,'=x=-x"


def test_help_has_no_noise(dconvex):
    for command in ("query", "fit", "predict", "do", "sample"):
        shown = dconvex(command, "--help").stdout
        assert "{" not in shown
        assert "<bool>" not in shown
        assert "<list" not in shown
        assert "<str>" not in shown
    assert "<bool>" not in dconvex("--help").stdout
