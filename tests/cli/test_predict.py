"""`dconvex predict`: tables in, tables out; missing cells, strange cells, and labels that look like missing ones."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import dconvex as dc
from dconvex.cli.app import app
from dconvex.cli.data import read_data


def run(*words: object) -> tuple[str, str]:
    result = CliRunner().invoke(app, ["predict", *map(str, words)], catch_exceptions=False, env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    return result.stdout, result.stderr


def predicted(*words: object) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(run(*words)[0]), dtype=str, keep_default_na=False)


def complaint(*words: object) -> str:
    with pytest.raises((dc.DconvexError, OSError)) as caught:
        CliRunner().invoke(app, ["predict", *map(str, words)], catch_exceptions=False)
    return str(caught.value)


@pytest.fixture(scope="module")
def insurance() -> dc.LocalModel:
    return dc.localize(dc.load_network("insurance"))


@pytest.fixture(scope="module")
def rows(insurance) -> pd.DataFrame:
    """Rows of which every variable misses some cells; `None` is a state of Accident."""
    frame = insurance.sample(60, seed=1).astype(object)
    rng = np.random.default_rng(2)
    return frame.mask(rng.random(frame.shape) < 0.2, None)[["Accident", "ThisCarDam", "MakeModel", "GoodStudent", "Age"]]


@pytest.fixture(scope="module")
def odd() -> dc.BayesianNetwork:
    """A variable named 7 with integer states, and a boolean one."""
    return dc.BayesianNetwork.discrete(
        [(7, "flag")], {7: [0.4, 0.6], "flag": [[0.9, 0.1], [0.2, 0.8]]}, {7: [1, 2], "flag": [True, False]}
    )


@pytest.fixture(params=["csv", "csv.gz", "parquet"])
def path(request, tmp_path, rows) -> Path:
    path = tmp_path / f"rows.{request.param}"
    rows.to_parquet(path) if request.param == "parquet" else rows.to_csv(path, index=False)
    return path


def test_one_column_for_each_target(insurance, rows, path):
    found = predicted("insurance", path, "--target", "Age", "--target", "ThisCarDam")
    expected = insurance.predict(rows, ["Age", "ThisCarDam"])
    assert found.equals(expected.astype(str).astype(found.dtypes))
    assert "None" in set(found["ThisCarDam"])


def test_probabilities(insurance, rows, path):
    found = predicted("insurance", path, "--target", "Age", "--proba")
    assert list(found.columns) == ["Age=Adolescent", "Age=Adult", "Age=Senior"]
    np.testing.assert_array_equal(found.astype(float), insurance.predict_proba(rows, "Age")["Age"])


def test_into_a_file(tmp_path, path):
    for name in ("out.csv", "out.csv.gz"):
        stdout, stderr = run("insurance", path, "--target", "Age", "--out", tmp_path / name)
        assert stdout == ""
        assert "wrote" in stderr
        assert pd.read_csv(tmp_path / name, dtype=str).equals(predicted("insurance", path, "--target", "Age"))
    assert {file.name for file in tmp_path.iterdir()} == {path.name, "out.csv", "out.csv.gz"}


def test_a_gaussian_network(tmp_path):
    model = dc.localize(dc.load_network("ecoli70"))
    frame = model.sample(20, seed=1)
    frame.loc[3, "aceB"] = np.nan
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_parquet(tmp_path / "rows.parquet")
    for name in ("rows.csv", "rows.parquet"):
        found = predicted("ecoli70", tmp_path / name, "--target", "lacA").astype(float)
        np.testing.assert_allclose(found["lacA"], model.predict(frame, "lacA")["lacA"], rtol=1e-12)


def test_labels_that_are_numbers_and_truths(odd, tmp_path):
    network, table = tmp_path / "odd.json", tmp_path / "rows.csv"
    dc.write(odd, network)
    table.write_text("7,flag\n1,True\n2.0,FALSE\n,false\nNA,true\n")
    frame, _ = read_data(table, odd)
    assert frame[7].tolist() == [1, 2, None, None]
    assert frame["flag"].tolist() == [True, False, False, True]
    assert run(network, table, "--target", "7")[0] == "7\n1\n2\n2\n1\n"
    assert run(network, table, "--target", "flag")[0] == "flag\nTrue\nFalse\nFalse\nFalse\n"


def test_impossible_rows(tmp_path):
    table = tmp_path / "rows.csv"
    table.write_text("either,tub,xray\nno,no,yes\nno,yes,yes\n")
    assert "impossible evidence in row 1" in complaint("asia", table, "--target", "lung")
    assert run("asia", table, "--target", "smoke", "--impossible", "nan")[0] == 'smoke\nno\n""\n'


def test_unknown_states(tmp_path):
    table = tmp_path / "rows.csv"
    table.write_text("xray,smoke\nyes,yes\nperhaps,no\n")
    assert "unknown state 'perhaps' of 'xray' in row 1" in complaint("asia", table, "--target", "lung")
    found = predicted("asia", table, "--target", "lung", "--proba", "--unknown", "missing").astype(float)
    model = dc.localize(dc.load_network("asia"))
    assert found["lung=yes"][1] == pytest.approx(model.query("lung", {"smoke": "no"})["yes"])


def test_columns_that_are_not_in_the_network_are_told(tmp_path):
    table = tmp_path / "rows.csv"
    table.write_text("id,xray,smoky\n1,yes,no\n")
    assert "columns that are not in the network are ignored: id, smoky" in run("asia", table, "--target", "lung")[1]
    table.write_text("id,lung\n1,yes\n")
    assert "no column is a variable of the network" in complaint("asia", table, "--target", "lung")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty; it must have a header with names, and rows"),
        ("xray,smoke\nyes,no,yes\n", "the rows have more cells than the header has names"),
        ("xray,smoke\nyes,no\nyes,no,no\n", "Expected 2 fields in line 3, saw 3"),
        ("xray\n\udcff\n", "the text is not UTF-8 (invalid start byte); save it as UTF-8"),
    ],
)
def test_broken_tables(tmp_path, text, said):
    table = tmp_path / "rows.csv"
    table.write_bytes(text.encode(errors="surrogateescape"))
    assert said in complaint("asia", table, "--target", "lung")


def test_broken_numbers(tmp_path):
    table = tmp_path / "rows.csv"
    table.write_text("aceB\n1.5\nhigh\n")
    assert complaint("ecoli70", table, "--target", "lacA") == "column 'aceB' holds 'high' in row 1, which is not a number"


def test_a_broken_parquet_file(tmp_path):
    table = tmp_path / "rows.parquet"
    table.write_text("no parquet")
    assert str(table) in complaint("asia", table, "--target", "lung")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.csv", "--target", "lung"], "error: nowhere.csv: No such file or directory"),
        (
            ["rows.xyz", "--target", "lung"],
            "error: rows.xyz: unknown suffix '.xyz'; data files are .csv, .csv.gz, .parquet, .pq",
        ),
        (["rows.csv", "--target", "lang"], "error: unknown variable 'lang'; did you mean 'lung'?"),
        (
            ["rows.csv", "--target", "lung", "--out", "a.parquet"],
            "error: a.parquet: unknown suffix '.parquet'; what is written is .csv or .csv.gz",
        ),
        (["rows.csv", "--target", "lung", "--out", "no/such/a.csv"], "error: no/such: there is no such folder to write to"),
    ],
)
def test_errors_are_one_line_on_stderr(dconvex, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("xray\nyes\n")
    ended = dconvex("predict", "asia", *words)
    assert (ended.code, ended.stdout, ended.stderr) == (1, "", said + "\n")


@pytest.mark.parametrize(
    "words",
    [
        ["asia", "--target", "lung", "--impossible", "maybe"],
        ["asia", "--target", "lung", "--target", "lung"],
        ["ecoli70", "--target", "lacA", "--proba"],
        ["asia"],
    ],
)
def test_options_that_cannot_be(tmp_path, words):
    table = tmp_path / "rows.csv"
    table.write_text("xray,aceB\nyes,1\n")
    name, *others = words
    assert CliRunner().invoke(app, ["predict", name, str(table), *others]).exit_code == 2


def test_help_has_examples():
    assert "dconvex predict alarm rows.csv --target HR" in re.sub(r"\s+", " ", run("--help")[0])


def test_rows_from_another_program(path, rows):
    text = rows.to_csv(index=False).encode()
    result = CliRunner().invoke(app, ["predict", "insurance", "-", "--target", "Age"], input=text)
    assert result.stdout == run("insurance", path, "--target", "Age")[0]


@pytest.mark.parametrize("proba", [[], ["--proba"]])
def test_as_json_it_is_the_same(path, proba):
    record = json.loads(run("insurance", path, "--target", "Age", "--json", *proba)[0])
    table = predicted("insurance", path, "--target", "Age", *proba)
    assert record["rows"] == len(table)
    assert {column: list(map(str, cells)) for column, cells in record["columns"].items()} == table.to_dict("list")


def test_as_json_labels_keep_their_types_and_impossible_rows_are_null(odd, tmp_path):
    network, table = tmp_path / "odd.json", tmp_path / "rows.csv"
    dc.write(odd.do({"flag": True}), network)
    table.write_text("flag\nTrue\nFalse\n")
    words = [network, table, "--target", "7", "--impossible", "nan", "--json"]
    assert json.loads(run(*words)[0])["columns"] == {"7": [2, None]}
    assert json.loads(run(*words, "--proba")[0])["columns"] == {"7=1": [0.4, None], "7=2": [0.6, None]}
