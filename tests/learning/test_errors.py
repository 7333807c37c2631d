"""What data cannot be learned from, and what the errors say."""

from __future__ import annotations

import re
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dconvex as dc

EDGES = [("smoking", "cancer"), ("smoking", "cough")]
ROWS = {"smoking": [0, 1, 1], "cancer": [0, 0, 1], "cough": [1, 0, 1]}
ONE = dc.Dag([], ["v"])

libraries = pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])


def refused(message, data, dag=ONE, error=dc.DataError, **options):
    with pytest.raises(error, match=re.escape(message)) as caught:
        dc.fit(dag, data, **options)
    return str(caught.value)


# --- columns and tables


@libraries
def test_a_missing_column_is_named_with_a_near_match(library):
    rows = {"Smoking" if name == "smoking" else name: cells for name, cells in ROWS.items()}
    assert "did you mean 'Smoking'" in refused("no table has a column 'smoking'", library(rows), EDGES)


def test_all_missing_columns_are_counted():
    refused("no table has a column 'cancer' (and 1 more", pd.DataFrame({"smoking": [0]}), EDGES)


def test_a_family_that_no_table_covers_is_named():
    tables = [pd.DataFrame(ROWS)[["smoking", "cancer"]], pd.DataFrame(ROWS)[["cough"]]]
    text = refused("cough | smoking", tables, EDGES)
    assert "'smoking', 'cough'" in text
    refused("cough | smoking", sum(dc.statistics(EDGES, table) for table in tables), EDGES)


def test_two_columns_of_one_name():
    refused("'v'", pd.DataFrame([[0, 1]], columns=["v", "v"]))


def test_two_columns_of_one_name_in_arrow():
    refused("v", pa.Table.from_arrays([pa.array([0]), pa.array([1])], names=["v", "v"]))


@pytest.mark.parametrize(
    "data", [np.zeros((3, 1)), {"v": [0, 1]}, 7, None, b"v", object()], ids=lambda data: type(data).__name__
)
def test_what_is_no_table(data):
    refused(f"cannot learn from {type(data).__name__}", data)


def test_a_list_of_what_is_no_table():
    refused("cannot learn from int", [1, 2])
    refused("cannot learn from ndarray", [np.zeros((3, 1))])


@libraries
def test_there_must_be_rows(library):
    refused("no rows", library({"v": pd.Series([], dtype="int64")}))


def test_there_must_be_tables():
    refused("no rows", [])
    refused("no rows", iter(()))


# --- files


def test_a_path_that_is_not_there(tmp_path):
    refused("there is no file, folder or pattern", tmp_path / "no.csv")
    refused("there is no file, folder or pattern", str(tmp_path / "*.parquet"))


def test_a_folder_of_other_things(tmp_path):
    refused("expected CSV or Parquet files", tmp_path)
    (tmp_path / "rows.docx").write_bytes(b"")
    refused("rows.docx", tmp_path)
    (tmp_path / "rows.docx").unlink()
    (tmp_path / "rows.csv").write_text("v\n0\n", encoding="utf8")
    pd.DataFrame({"v": [0]}).to_parquet(tmp_path / "rows.parquet")
    refused("expected CSV or Parquet files, and there are both", tmp_path)


@pytest.mark.parametrize(
    ("name", "content"),
    [("x.parquet", b"no parquet"), ("x.csv", b""), ("x.csv", b"v,w\n0,1\n2\n"), ("x.csv", b"\xff\xfe\n\x80")],
)
def test_a_file_that_is_broken_is_named(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    refused(name, tmp_path / name)


# --- cells


@libraries
def test_too_many_states(library):
    data = library({"v": list(range(1001))})
    refused("column 'v' has more than 1,000 values", data)
    assert len(dc.fit(ONE, data, states={"v": range(1001)}).states["v"]) == 1001


@pytest.mark.parametrize("cells", [["a", 1], [True, 1], [True, "True"]])
def test_mixed_columns(cells):
    refused("column 'v' mixes", pd.DataFrame({"v": pd.Series(cells, dtype=object)}))
    refused("column 'v' mixes", [pd.DataFrame({"v": cells[:1]}), pd.DataFrame({"v": cells[1:]})])


def test_mixed_categories():
    refused("column 'v' mixes", pd.DataFrame({"v": pd.Categorical(["a", 1], categories=["a", 1])}))


@pytest.mark.parametrize("cells", [["a", 1], [True, 1], [True, "True"]])
def test_statistics_of_columns_of_different_types_do_not_add_up(cells):
    one, two = (dc.statistics(ONE, pd.DataFrame({"v": [cell]})) for cell in cells)
    with pytest.raises(dc.DataError, match="'v'"):
        dc.fit(ONE, one + two)


@libraries
def test_a_fraction_among_states_is_named_by_row(library):
    assert "row 2" in refused("column 'v' holds 0.5", library({"v": [0.0, 1.0, 0.5]}), kind="discrete")


def test_a_fraction_among_objects():
    text = refused("column 'v' holds 0.5 (float)", pd.DataFrame({"v": pd.Series([1, 0.5], dtype=object)}))
    assert "row 1" in text


@libraries
@pytest.mark.parametrize("kind", ["discrete", "gaussian"])
@pytest.mark.parametrize("bad", [float("inf"), float("-inf")])
def test_infinity_is_named_by_row(library, kind, bad):
    assert "row 1" in refused(f"column 'v' holds {bad}", library({"v": [1.0, bad, 2.5][: 2 + (kind == "gaussian")]}), kind=kind)


@libraries
def test_columns_of_two_kinds(library):
    data = library(ROWS | {"cancer": [0.5, 0.25, 1.0]})
    text = refused("'cancer'", data, EDGES)
    assert "kind=" in text
    assert "'cough'" in text or "'smoking'" in text


@libraries
@pytest.mark.parametrize("cells", [["a", "b"], pd.to_datetime(["2020-01-01", "2020-01-02"])])
def test_no_numbers(library, cells):
    refused("column 'v'", library({"v": cells}), kind="gaussian")


@libraries
@pytest.mark.parametrize("cells", [[[1], [2]], pd.to_datetime(["2020-01-01", "2020-01-02"])])
def test_no_states(library, cells):
    refused("column 'v'", library({"v": cells}))


@libraries
def test_an_unknown_label(library):
    data = library({"v": ["no", "yes", "yess", "no"]})
    text = refused("unknown state 'yess' of 'v' in row 2; did you mean 'yes'?", data, states={"v": ["no", "yes"]})
    assert 'unknown="missing"' in text
    model = dc.fit(ONE, data, states={"v": ["no", "yes"]}, unknown="missing")
    np.testing.assert_allclose(model.query("v").values, [2 / 3, 1 / 3])
    assert model.report().missing == {"v": 1}


def test_a_column_without_values():
    refused("column 'v' has no values", pd.DataFrame({"v": [None, None]}))
    np.testing.assert_array_equal(dc.fit(ONE, pd.DataFrame({"v": [None]}), states={"v": [0, 1]}).query("v").values, 0.5)


# --- arguments


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "mixed"}, "kind='mixed'"),
        ({"unknown": "drop"}, "unknown='drop'"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
        ({"prior": dc.NormalInverseGamma()}, "NormalInverseGamma"),
        ({"prior": dc.BDeu(1), "kind": "gaussian"}, "BDeu"),
    ],
)
def test_options_that_are_none(options, message):
    refused(message, pd.DataFrame({"v": [0, 1]}), error=ValueError, **options)


def test_a_prior_that_is_none():
    refused("prior=3", pd.DataFrame({"v": [0, 1]}), error=TypeError, prior=3)


def test_a_tree_with_separators_that_are_not_convex():
    loop = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]
    tree = dc.ClusterTree([["a", "b", "c"], ["b", "c", "d"]], [(0, 1)])
    data = pd.DataFrame(np.eye(4, dtype=int), columns=list("abcd"))
    for wrong in (tree, dc.decompose(loop, separators="all")):
        text = refused("not d-convex", data, loop, ValueError, tree=wrong)
        assert "inducing path" in text
        with pytest.raises(ValueError, match="d-convex"):
            dc.statistics(loop, data, tree=wrong)


# --- what is too large


def test_a_huge_table_is_counted_sparsely_and_refused_as_a_table():
    parents = [f"p{k}" for k in range(10)]
    dag = dc.Dag([(p, "y") for p in parents])
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.integers(0, 10, size=(500, 11)), columns=[*parents, "y"])
    tracemalloc.start()
    statistics = dc.statistics(dag, data)
    with pytest.raises(dc.TooLargeError, match=re.escape(f"y | {', '.join(parents)}")):
        dc.fit(dag, statistics)
    with pytest.raises(dc.TooLargeError, match=re.escape("y | p0, p1")):
        dc.fit(dag, data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
    assert np.isfinite(statistics.score("bic"))


def test_the_limit_on_tables():
    data = pd.DataFrame(ROWS)
    with pytest.raises(dc.TooLargeError, match=re.escape("limit is 50 bytes")) as caught:
        dc.fit(EDGES, data, max_bytes=50)
    assert caught.value.limit == 50
    assert "smoking" in str(caught.value)
