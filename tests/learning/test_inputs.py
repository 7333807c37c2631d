"""Any table, as it is: every kind of frame, file and column gives the same counts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
from learning.oracles import counted, counts_in

import dconvex as dc

DAG = dc.Dag([("n", "t"), ("n", "f"), ("t", "f")])
COUNT = 120
RNG = np.random.default_rng(0)
N, T, F = RNG.integers(-1, 3, COUNT), RNG.choice(["no", "yes", "é"], COUNT), RNG.random(COUNT) < 0.4
GAPS = np.zeros((COUNT, 3), bool)
GAPS[[3, 7, 50], [0, 1, 2]] = GAPS[COUNT - 1] = True


def columns(*, gaps=False):
    """The cells as plain lists, None where one is missing."""
    cells = {"n": N.tolist(), "t": T.tolist(), "f": F.tolist()}
    if not gaps:
        return cells
    return {v: [None if gap else x for x, gap in zip(c, GAPS[:, k], strict=True)] for k, (v, c) in enumerate(cells.items())}


def objects(*, gaps=False):
    return pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns(gaps=gaps).items()})


def check(data, *, gaps=False, **options):
    """The statistics of `data` are those of the plain rows, with plain labels."""
    statistics = dc.statistics(DAG, data, **options)
    assert counts_in(statistics) == counted(DAG, statistics.tree, objects(gaps=gaps))
    assert statistics.states == {"n": (-1, 0, 1, 2), "t": ("no", "yes", "é"), "f": (False, True)}
    assert [type(label) for label in statistics.states["f"]] == [bool, bool]
    assert {type(label) for label in statistics.states["n"]} == {int}
    assert statistics.rows == COUNT
    return statistics


def arrow(*, gaps=False):
    return pa.table(columns(gaps=gaps))


# --- pandas


PANDAS = {
    "inferred": lambda: pd.DataFrame(columns()),
    "objects": objects,
    "small integers": lambda: pd.DataFrame(columns()).astype({"n": "int8"}),
    "nullable": lambda: pd.DataFrame(columns()).astype({"n": "Int64", "t": "string", "f": "boolean"}),
    "categories": lambda: pd.DataFrame(columns()).astype("category"),
    "whole floats": lambda: pd.DataFrame(columns()).astype({"n": float}),
    "arrow types": lambda: pd.DataFrame(columns()).convert_dtypes(dtype_backend="pyarrow"),
    "numpy scalars": lambda: pd.DataFrame(
        {"n": pd.Series(list(N), dtype=object), "t": T, "f": pd.Series(list(F), dtype=object)}
    ),
}


@pytest.mark.parametrize("kind", PANDAS)
def test_pandas(kind):
    check(PANDAS[kind]())


PANDAS_WITH_GAPS = {
    "objects": lambda: objects(gaps=True),
    "NaN objects": lambda: objects(gaps=True).fillna(np.nan),
    "nullable": lambda: objects(gaps=True).astype({"n": "Int64", "t": "string", "f": "boolean"}),
    "small nullable": lambda: objects(gaps=True).astype({"n": "Int8", "t": "str", "f": "boolean"}),
    "floats of integers": lambda: objects(gaps=True).astype({"n": float, "t": "str", "f": "boolean"}),
    "single floats": lambda: objects(gaps=True).astype({"n": "float32"}),
    "categories": lambda: objects(gaps=True).astype({"n": "Int64"}).astype("category"),
    "arrow types": lambda: objects(gaps=True).convert_dtypes(dtype_backend="pyarrow"),
    "NA objects": lambda: objects(gaps=True).fillna(pd.NA),
}


@pytest.mark.parametrize("kind", PANDAS_WITH_GAPS)
def test_pandas_with_missing_cells(kind):
    check(PANDAS_WITH_GAPS[kind](), gaps=True)


def test_rows_that_are_not_contiguous():
    doubled = pd.DataFrame({name: [x for cell in cells for x in (cell, cell)] for name, cells in columns().items()})
    check(doubled[::2])
    check(objects().iloc[::-1][::-1])
    check(pd.DataFrame(objects().to_numpy(), columns=["n", "t", "f"]))


def test_categories_that_no_row_has_are_states_in_their_order():
    grade = pd.Categorical(["low", "high"], categories=["low", "mid", "high"], ordered=True)
    statistics = dc.statistics(dc.Dag([], ["grade"]), pd.DataFrame({"grade": grade}))
    assert statistics.states == {"grade": ("low", "mid", "high")}
    assert dc.fit(dc.Dag([], ["grade"]), statistics).query("grade").values.tolist() == [0.5, 0.0, 0.5]


# --- polars and arrow


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize(
    "types", [{}, {"n": pl.Int8, "t": pl.Categorical}, {"n": pl.Float64, "t": pl.Enum(["no", "yes", "é"])}]
)
def test_polars(gaps, types):
    frame = pl.DataFrame(columns(gaps=gaps)).cast(types)
    check(frame, gaps=gaps)
    check(frame.lazy(), gaps=gaps)
    check(frame.rechunk(), gaps=gaps)
    check(pl.concat([frame[:50], frame[50:]], rechunk=False), gaps=gaps)


def test_an_enum_of_polars_declares_its_order():
    frame = pl.DataFrame({"grade": ["high", None]}, schema={"grade": pl.Enum(["low", "mid", "high"])})
    assert dc.statistics(dc.Dag([], ["grade"]), frame).states == {"grade": ("low", "mid", "high")}


@pytest.mark.parametrize("gaps", [False, True])
def test_pyarrow(gaps):
    table = arrow(gaps=gaps)
    check(table, gaps=gaps)
    check(table.set_column(1, "t", table["t"].dictionary_encode()), gaps=gaps)
    check(table.set_column(1, "t", table["t"].cast(pa.large_string())), gaps=gaps)
    check(table.set_column(0, "n", table["n"].cast(pa.float32())), gaps=gaps)
    chunked = pa.concat_tables([table.slice(0, 7), table.slice(7, 60), table.slice(67)])
    check(chunked, gaps=gaps)
    encoded = [part.set_column(1, "t", part["t"].dictionary_encode()) for part in (table.slice(0, 9), table.slice(9))]
    check(pa.concat_tables(encoded), gaps=gaps)
    check(table.to_reader(max_chunksize=11), gaps=gaps)


def test_unsigned_integers():
    for kind in ("uint8", "uint32", "uint64"):
        frame = pd.DataFrame({"v": np.array([0, 3, 3], kind)})
        for data in (frame, pl.DataFrame(frame), pa.table(frame)):
            assert counts_in(dc.statistics(dc.Dag([], ["v"]), data)) == {("v", ()): {(0,): 1, (3,): 2}}


# --- files


def test_csv(tmp_path):
    pd.DataFrame(columns()).to_csv(tmp_path / "rows.csv", index=False)
    check(tmp_path / "rows.csv")
    check(str(tmp_path / "rows.csv"))
    pd.DataFrame(columns()).to_csv(tmp_path / "rows.tsv", index=False, sep="\t")
    check(tmp_path / "rows.tsv")
    pd.DataFrame(columns()).to_csv(tmp_path / "rows.csv.gz", index=False)
    check(tmp_path / "rows.csv.gz")


def test_an_empty_cell_of_a_csv_file_is_missing(tmp_path):
    objects(gaps=True).to_csv(tmp_path / "rows.csv", index=False)
    check(tmp_path / "rows.csv", gaps=True)


def test_na_and_null_are_missing_in_a_csv_file_unless_an_option_says_otherwise(tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("v,w,x\nNA,0,1.5\nNone,1,NA\nnull,,null\nnan,1,2.5\n", encoding="utf8")
    edges = [("v", "w")]
    assert dc.statistics(edges, rows).states == {"v": ("None", "nan"), "w": (0, 1)}
    assert dc.fit(edges, rows, null_values=[""]).states == {"v": ("NA", "None", "nan", "null"), "w": (0, 1)}
    assert dc.statistics(edges, rows, null_values=["", "nan"]).states["v"] == ("NA", "None", "null")
    declared = {"v": ["NA", "None", "nan", "null"]}  # a state that is declared is not missing
    assert dc.fit(edges, rows, states=declared).query("v").values.tolist() == [0.25] * 4
    assert dc.discretize(rows, bins=2).edges == {"x": (2,)}
    with pytest.raises(dc.DataError, match="column 'x' is text"):
        dc.discretize(rows, "x", null_values=[""])
    with pytest.raises(TypeError, match=r"null_values= is a list of texts, not 'NA'"):
        dc.fit(edges, rows, null_values="NA")


@pytest.mark.parametrize("gaps", [False, True])
def test_parquet_file_folder_and_pattern(tmp_path, gaps):
    table = arrow(gaps=gaps)
    pa.parquet.write_table(table, tmp_path / "all.parquet", row_group_size=17)
    check(tmp_path / "all.parquet", gaps=gaps)
    folder = tmp_path / "parts"
    (folder / "deeper").mkdir(parents=True)
    for name, part in {
        "1.parquet": table.slice(0, 50),
        "2.parquet": table.slice(50, 30),
        "deeper/3.parquet": table.slice(80),
    }.items():
        pa.parquet.write_table(part, folder / name)
    (folder / "_SUCCESS").touch()
    (folder / ".hidden").touch()
    check(folder, gaps=gaps)
    check(str(folder / "**" / "*.parquet"), gaps=gaps)
    check([folder / "1.parquet", str(folder / "2.parquet"), table.slice(80)], gaps=gaps)


def test_categories_in_parquet(tmp_path):
    pd.DataFrame(columns()).astype({"t": "category"}).to_parquet(tmp_path / "rows.parquet")
    check(tmp_path / "rows.parquet")


def test_csv_folder(tmp_path):
    for k in range(3):
        pd.DataFrame(columns())[40 * k : 40 * (k + 1)].to_csv(tmp_path / f"{k}.csv", index=False)
    check(tmp_path)


def test_duckdb_relation():
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        check(connection.from_arrow(arrow()))
        check(connection.from_arrow(arrow(gaps=True)), gaps=True)
        assert dc.statistics(DAG, connection.from_arrow(arrow()).filter("n = 0")).rows == (N == 0).sum()


# --- several tables


def test_lists_and_iterators_of_different_tables(tmp_path):
    whole = pd.DataFrame(columns())
    whole[90:].to_parquet(tmp_path / "last.parquet")
    tables = [whole[:30], pl.DataFrame(whole[30:60]), pa.Table.from_pandas(whole[60:90]), tmp_path / "last.parquet"]
    check(tables)
    check(iter(tables))
    check(table for table in tables)


def test_tables_are_pooled_per_family():
    both, left, right = objects()[:40], objects()[40:80][["n", "t"]], objects()[80:][["f", "n"]]
    dag = dc.Dag([("n", "t"), ("n", "f")])
    statistics = dc.statistics(dag, [left, both, right])
    assert counts_in(statistics) == counted(dag, statistics.tree, both, left, right)
    assert statistics.rows == COUNT
    apart = [dc.statistics(dag, table) for table in (left, both, right)]
    assert counts_in(sum(apart)) == counts_in(statistics)
    assert dc.fit(dag, statistics).network() == dc.fit(dag, [left, both, right]).network()
    assert not dc.fit(dag, statistics).report().missing


def test_integer_names_find_text_columns():
    frame = pd.DataFrame({1: [0, 1, 1], 2: [1, 1, 0]})
    expected = dc.statistics([(1, 2)], frame)
    assert dc.statistics([(1, 2)], pl.DataFrame(frame.rename(columns=str))) == expected


def test_the_data_is_not_changed():
    frame, before = objects(gaps=True), objects(gaps=True)
    check(frame, gaps=True)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_an_empty_file_is_named(tmp_path, suffix):
    (tmp_path / f"nothing.{suffix}").touch()
    for where in (tmp_path, tmp_path / f"nothing.{suffix}"):
        with pytest.raises(dc.DataError, match=rf"nothing.{suffix} is empty; a header with names and rows are needed"):
            dc.fit([("a", "b")], where)
