"""`dconvex learn`: the graph and the model of the library, and what is refused."""

from __future__ import annotations

import io
import json
import sys

import pytest
import typer
from typer.testing import CliRunner

import dconvex as dc
from dconvex.cli.app import app
from dconvex.cli.learn import read_score
from dconvex.cli.options import Method
from dconvex.structure.method_table import METHODS

ROWS = dc.load_network("asia").sample(2_000, seed=1)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ROWS.to_csv("rows.csv", index=False)
    return tmp_path


def run(*words, **options):
    result = CliRunner().invoke(app, list(words), **options)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_from_a_table_to_a_model(folder):
    result = run("learn", "rows.csv", "-o", "model.dcx", "--prior", "bdeu:1")
    found = dc.learn_structure(ROWS)
    assert result.exit_code == 0
    assert "Structure(search, bic" in result.stdout
    assert "2,000 rows" in result.stdout
    model = dc.open_model("model.dcx")
    assert model.dag == found.dag
    assert model.network() == dc.fit(found, "rows.csv", prior=dc.BDeu(1)).network()
    assert run("query", "model.dcx", "dysp", "--given", "smoke=yes").exit_code == 0


@pytest.mark.parametrize("name", ["graph.bif", "graph.txt", "graph.csv", "graph.dot"])
def test_a_graph_alone(folder, name):
    result = run("learn", "rows.csv", "--structure-only", "-o", name, "--method", "ges", "--score", "bdeu:2")
    found = dc.learn_structure(ROWS, method="ges", score=dc.BDeu(2))
    assert f"wrote {name}" in result.stdout
    assert set(dc.read_structure(name).edges) == set(found.edges)
    if name == "graph.txt":
        assert run("fit", name, "rows.csv", "-o", "model.dcx").exit_code == 0


def test_cells_that_are_missing_in_other_words(folder):
    ROWS.mask(ROWS.index.to_series() % 50 == 0).to_csv("gaps.csv", index=False, na_rep="?")
    words = ("learn", "gaps.csv", "-o", "model.dcx", "--null", "?", "--missing", "complete", "--edge-penalty", "1e9", "--json")
    found = json.loads(run(*words).stdout)
    assert found["notes"][0].startswith("40 of 2,000 rows")
    assert found["edges"] == []
    assert "?" not in dc.open_model("model.dcx").states["lung"]


def test_rules(folder):
    words = (
        "--required",
        "asia:dysp",
        "--forbidden",
        "smoke->lung",
        "--forbidden",
        "lung:smoke",
        "--tier",
        "tub",
        "--tier",
        "xray, bronc",
    )
    result = run("learn", "rows.csv", "--structure-only", "-o", "graph.txt", *words, "--max-parents", "2", "--json")
    record = json.loads(result.stdout)
    assert ["asia", "dysp"] in record["edges"]
    edges = set(map(tuple, record["edges"]))
    assert not edges & {("smoke", "lung"), ("lung", "smoke"), ("xray", "tub"), ("bronc", "tub")}
    assert record["rows"] == 2_000
    assert record["graph"] == "graph.txt"
    classifier = run("learn", "rows.csv", "-o", "model.dcx", "--method", "tan", "--target", "dysp", "--json")
    assert json.loads(classifier.stdout)["method"] == "tan"
    assert all(["dysp", name] in json.loads(classifier.stdout)["edges"] for name in ROWS if name != "dysp")


def test_rows_from_the_standard_input(folder, monkeypatch):
    text = io.TextIOWrapper(io.BytesIO((folder / "rows.csv").read_bytes()))
    monkeypatch.setattr(sys, "stdin", text)
    assert run("learn", "-", "-o", "model.dcx", "--method", "tree", input=(folder / "rows.csv").read_bytes()).exit_code == 0
    assert dc.open_model("model.dcx").dag == dc.learn_structure(ROWS, method="tree").dag


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-o", "model.dcx", "--score", "mdl"), "no score"),
        (("-o", "model.dcx", "--score", "bdeu:x"), "--score"),
        (("-o", "model.dcx", "--required", "asia"), "is no edge"),
        (("-o", "model.dcx", "--required", ":asia"), "is no edge"),
        (("-o", "model.dcx", "--jobs", "0"), "must not be 0"),
        (("-o", "model.dcx", "--method", "magic"), "magic"),
        (("-o", "model.dcx", "--method", "tan"), "needs target="),
    ],
)
def test_what_is_misspelled(folder, words, message):
    result = run("learn", "rows.csv", *words)
    assert result.exit_code == 2
    assert message in result.output


def test_what_is_refused(folder):
    for words in (("-o", "model.bif"), ("-o", "graph.dcx", "--structure-only")):
        with pytest.raises(dc.FormatError):
            run("learn", "rows.csv", *words)
    with pytest.raises(dc.UnknownVariableError, match="did you mean 'asia'"):
        run("learn", "rows.csv", "-o", "model.dcx", "--required", "asa:dysp")


def test_the_options_are_those_of_the_library():
    assert set(Method) == set(METHODS)
    assert read_score("BDEU:3") == dc.BDeu(3)
    assert [read_score(name) for name in ("bic", "aic", "bdeu", "bge")] == ["bic", "aic", "bdeu", "bge"]
    with pytest.raises(typer.BadParameter):
        read_score("bic:3")
