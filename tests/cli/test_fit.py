"""`dconvex fit`, and asking the model that it wrote."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import dconvex as dc
from dconvex.cli.app import app
from dconvex.errors import DconvexError

ASIA = dc.load_network("asia")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ASIA.sample(2_000, seed=1)
    rows.to_csv("rows.csv", index=False)
    rows.to_parquet("rows.parquet")
    dc.write(ASIA, "asia.bif")
    return tmp_path


def run(*words):
    result = CliRunner().invoke(app, list(words))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.mark.parametrize("data", ["rows.csv", "rows.parquet"])
def test_the_model_is_that_of_the_library(folder, data):
    result = run("fit", "asia.bif", data, "-o", "model.dcx", "--prior", "bdeu:10")
    assert result.exit_code == 0
    assert "2,000 rows" in result.stdout
    expected = dc.fit(ASIA, ASIA.sample(2_000, seed=1), prior=dc.BDeu(10))
    assert dc.open_model("model.dcx").network() == expected.network()
    asked = json.loads(run("query", "model.dcx", "lung", "--given", "smoke=yes", "--json").stdout)
    np.testing.assert_allclose(asked["answers"][0]["values"], expected.query("lung", {"smoke": "yes"}).values)


@pytest.mark.parametrize("missing", ["available", "complete", "em"])
def test_missing_cells_are_treated_as_asked(folder, missing):
    rows = ASIA.sample(500, seed=1).astype(object)
    rows = rows.where(np.random.default_rng(0).random(rows.shape) > 0.2, None)
    rows.to_csv("gaps.csv", index=False)
    assert run("fit", "asia.bif", "gaps.csv", "-o", "model.dcx", "--coherent", "--missing", missing).exit_code == 0
    expected = dc.fit(ASIA, rows, coherent=True, states=ASIA.states, missing=missing)
    found = dc.open_model("model.dcx")
    assert found.network() == expected.network()
    assert (found.report().em is not None) == (missing == "em")
    as_json = run("fit", "asia.bif", "gaps.csv", "-o", "model.dcx", "--coherent", "--missing", missing, "--json").stdout
    assert (json.loads(as_json)["em"] is not None) == (missing == "em")


def test_several_files_are_one_table(folder):
    ASIA.sample(500, seed=2).to_csv("more.csv", index=False)
    report = json.loads(run("fit", "asia", "rows.csv", "more.csv", "-o", "model.dcx", "--statistics", "--json").stdout)
    assert report["rows"] == 2_500
    assert dc.open_model("model.dcx").updated("more.csv").report().rows == 3_000


def test_a_gaussian_model_is_learned_and_asked(folder):
    network = dc.load_network("ecoli70")
    network.sample(300, seed=1).to_csv("genes.csv", index=False)
    run("fit", "ecoli70", "genes.csv", "-o", "genes.dcx", "--prior", "nig")
    assert "lacA" in run("query", "genes.dcx", "lacA", "--given", "aceB=1.5").stdout


def test_the_model_explains_and_predicts(folder):
    run("fit", "asia", "rows.csv", "-o", "model.dcx", "--coherent")
    assert "clusters" in run("explain", "model.dcx", "lung", "--given", "smoke=yes").stdout
    assert run("predict", "model.dcx", "rows.csv", "--target", "lung").stdout.startswith("lung\n")


def test_states_may_come_from_the_data(folder):
    rows = ASIA.sample(100, seed=1).astype(object)
    rows.loc[0, "smoke"] = "sometimes"
    rows.to_csv("strange.csv", index=False)
    with pytest.raises(dc.DataError, match="unknown state 'sometimes'"):
        run("fit", "asia", "strange.csv", "-o", "model.dcx")
    run("fit", "asia", "strange.csv", "-o", "model.dcx", "--unknown", "missing")
    assert dc.open_model("model.dcx").states["smoke"] == ASIA.states["smoke"]
    run("fit", "asia", "strange.csv", "-o", "model.dcx", "--own-states")
    assert dc.open_model("model.dcx").states["smoke"] == ("no", "sometimes", "yes")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["asia", "rows.csv", "-o", "model.bif"], r"ends in \.dcx"),
        (["asia", "none.csv", "-o", "model.dcx"], "no file"),
        (["alarm", "rows.csv", "-o", "model.dcx"], "no table has a column"),
        (["asia", "asia.bif", "-o", "model.dcx"], "CSV or Parquet"),
    ],
)
def test_what_is_wrong_is_told(folder, words, problem):
    with pytest.raises(DconvexError, match=problem):
        run("fit", *words)


def test_an_unknown_prior_is_told(folder):
    result = run("fit", "asia", "rows.csv", "-o", "model.dcx", "--prior", "flat")
    assert result.exit_code == 2
    assert "flat" in result.output


def test_rows_may_come_from_another_program(folder):
    run("fit", "asia", "rows.csv", "-o", "file.dcx")
    piped = CliRunner().invoke(app, ["fit", "asia", "-", "-o", "piped.dcx"], input=(folder / "rows.csv").read_bytes())
    assert piped.exit_code == 0, piped.output
    assert dc.open_model("piped.dcx").network() == dc.open_model("file.dcx").network()


def test_a_model_file_is_a_structure_too(folder):
    run("fit", "asia", "rows.csv", "-o", "first.dcx")
    run("fit", "first.dcx", "rows.csv", "-o", "second.dcx")
    assert dc.open_model("second.dcx").network() == dc.open_model("first.dcx").network()
