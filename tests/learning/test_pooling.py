"""Tables that are not alike: other rows, other columns, other files, other kinds; and evidence that says nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import dconvex as dc

EDGE = [("a", "b")]
CLUSTERS = [("c", "b"), ("a", "b"), ("a", "d"), ("b", "d")]
ROWS = pd.DataFrame({"a": [0, 0, 0, 1, 1], "b": [0, 0, 0, 0, 1], "c": [0, 0, 1, 0, 1], "d": [0, 1, 0, 1, 1]})


def far_apart(offset):
    rng = np.random.default_rng(1)
    here = pd.DataFrame({"x": rng.normal(size=1000)})
    x = offset + rng.normal(size=1000)
    return here, pd.DataFrame({"x": x, "y": 2 * (x - offset) + rng.normal(size=1000)})


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6, 1e9])
def test_a_family_is_measured_from_its_own_rows(offset):
    here, there = far_apart(offset)
    alone = dc.fit([("x", "y")], there, kind="gaussian").network().family("y")
    for data in ([here, there], pd.concat([here, there], ignore_index=True)):
        found = dc.fit([("x", "y")], data, kind="gaussian").network().family("y")
        assert found.coefficients["x"] == pytest.approx(alone.coefficients["x"], rel=1e-9)
        assert found.variance == pytest.approx(alone.variance, rel=1e-9)


def test_a_set_of_all_states_counts_as_evidence():
    model = dc.fit(CLUSTERS, ROWS)
    np.testing.assert_allclose(
        model.query("b", {"a": 1, "d": {0, 1}}).values, model.query("b", {"a": 1}, soft={"d": [1, 1]}).values, atol=1e-12
    )


def test_observed_variables_are_checked_among_marginals():
    rows = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1], "c": [0, 1, 0, 1]})
    model = dc.fit([("a", "b"), ("b", "c")], rows)
    for ask in (lambda: model.query("a", {"a": 0, "b": 1}), lambda: model.marginals({"a": 0, "b": 1}, variables=["a"])):
        with pytest.raises(dc.ImpossibleEvidenceError):
            ask()


def test_a_column_belongs_to_one_variable():
    with pytest.raises(dc.DataError, match="no table has a column 7"):
        dc.fit([(7, "x"), ("7", "x")], pa.table({"7": ["p", "q"], "x": ["u", "v"]}))


def test_text_columns_of_integers_are_evidence_too():
    model = dc.fit([(1, 2)], pa.table({"1": ["x", "y", "y"], "2": ["u", "v", "v"]}))
    np.testing.assert_allclose(model.predict_proba(pa.table({"1": ["x", "y"]}), 2)[2], [[1, 0], [0, 1]])


def test_statistics_are_taken_at_their_word():
    part = dc.statistics(CLUSTERS, ROWS, for_query="c")
    with pytest.raises(ValueError, match="another graph"):
        dc.fit([("u", "w")], part)
    assert set(dc.fit(CLUSTERS, part).dag) == set(part.dag)
    whole = dc.statistics(CLUSTERS, ROWS)
    for options in ({"kind": "gaussian"}, {"states": {"a": [0, 1]}}, {"for_query": "a"}):
        with pytest.raises(ValueError, match="statistics"):
            dc.fit(CLUSTERS, whole, **options)


def test_files_with_different_columns_are_different_tables(tmp_path):
    one, two = pd.DataFrame({"a": ["x", "y"]}), pd.DataFrame({"a": ["x", "x", "y"], "b": ["u", "v", "u"]})
    expected = dc.fit(EDGE, [one, two])
    for first, second in (("1", "2"), ("2", "1")):
        folder = tmp_path / first
        folder.mkdir()
        one.to_parquet(folder / f"{first}.parquet")
        two.to_parquet(folder / f"{second}.parquet")
        found = dc.fit(EDGE, str(folder))
        assert found.network() == expected.network()
        assert not found.report().missing
        assert "b | a  3 rows" in str(found.report())


def test_hidden_folders_are_left_out_and_partitions_are_columns(tmp_path):
    rows = pd.DataFrame({"a": ["x", "y", "y"], "b": ["u", "v", "u"]})
    rows.to_parquet(tmp_path / "parts", partition_cols=["a"])
    assert dc.fit(EDGE, str(tmp_path / "parts")).network() == dc.fit(EDGE, rows).network()
    (tmp_path / "rows" / "_temporary").mkdir(parents=True)
    for name in ("rows/1.parquet", "rows/_temporary/2.parquet"):
        rows.to_parquet(tmp_path / name)
    assert dc.fit(EDGE, str(tmp_path / "rows")).report().rows == 3


def test_the_kind_is_that_of_all_tables():
    decimals, whole = pd.DataFrame({"a": [0.5, 1.5], "b": [0.25, 2.0]}), pd.DataFrame({"a": [1, 2], "b": [3, 4]})
    for tables in ([decimals, whole], [whole, decimals]):
        with pytest.raises(dc.DataError, match="kind="):
            dc.statistics(EDGE, tables)
    missing = pd.DataFrame({"a": [np.nan], "b": [np.nan]})
    for tables in ([decimals[:0], decimals], [missing, decimals]):
        assert dc.statistics(EDGE, tables).kind == "gaussian"


def test_a_row_that_is_impossible_for_one_target_may_be_possible_for_another():
    rng = np.random.default_rng(183)
    found = 0
    for _ in range(200):
        dag = dc.random_dag(7, 8, seed=rng)
        rows = pd.DataFrame({v: rng.choice([0.0, 1.0, np.nan], size=8, p=[0.4, 0.4, 0.2]) for v in dag})
        model = dc.fit(dag, rows, states=dict.fromkeys(dag, (0, 1)))
        places = rng.permutation(7).tolist()
        evidence, targets = {v: int(rng.integers(2)) for v in places[:4]}, places[4:]
        answers = model.predict_proba(pd.DataFrame([evidence]), targets, impossible="nan")
        for target in targets:
            try:
                expected = model.query(target, evidence).values
            except dc.ImpossibleEvidenceError:
                expected = np.full(2, np.nan)
            np.testing.assert_allclose(answers[target][0], expected, atol=1e-12)
        found += len({bool(np.isnan(answers[target]).any()) for target in targets}) > 1
    assert found


def test_object_columns_without_cells_and_with_many_objects():
    empty = pd.DataFrame({"a": pd.Series([np.nan] * 1000).astype(object), "b": ["x"] * 1000})
    with pytest.raises(dc.DataError, match="no values"):
        dc.fit(EDGE, empty)
    late = pd.Series([None, *(str(k % 3) for k in range(2000)), 3.5], dtype=object)
    with pytest.raises(dc.DataError, match=r"3\.5 \(float\) in row 2001"):
        dc.fit(EDGE, pd.DataFrame({"a": late, "b": 0}))
    mixed = pd.Series([*range(1000, 1900), 1, True], dtype=object)
    with pytest.raises(dc.DataError, match="mixes int and bool"):
        dc.fit(EDGE, pd.DataFrame({"a": mixed, "b": 0}))


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([2**63 + 1, 1], dtype="uint64"),
        pd.Series([1 + 2j, 0]),
        pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02"])),
        pd.Series([[1], [2]]),
    ],
    ids=["uint64", "complex", "dates", "lists"],
)
def test_columns_of_other_types_are_refused_by_name(column):
    with pytest.raises(dc.DataError, match="'a'"):
        dc.fit(EDGE, pd.DataFrame({"a": column, "b": [0, 1]}))


def test_a_typo_in_states_is_told():
    with pytest.raises(dc.UnknownVariableError, match="aa"):
        dc.fit(EDGE, ROWS, states={"aa": [0, 1]})


def test_many_declared_labels_can_be_saved_and_opened(tmp_path):
    labels = {name: [f"{k:04}" + "x" * 300 for k in range(900)] for name in "ab"}
    model = dc.fit(EDGE, pd.DataFrame({"a": [labels["a"][0]], "b": [labels["b"][1]]}), states=labels)
    model.save(tmp_path / "m.dcx", statistics=True)
    again = dc.open_model(tmp_path / "m.dcx")
    assert again.states == model.states
    with pytest.raises(dc.DataError, match="unknown state"):
        again.updated(pd.DataFrame({"a": ["new"], "b": [labels["b"][1]]}))


@pytest.mark.parametrize("name", ["graph.parents", "graph.offsets", "tree.members", "tree.offsets", "tree.ends"])
def test_an_index_that_points_nowhere_is_refused(tmp_path, name, monkeypatch):
    from dconvex.storage import models

    write = models.write_container

    def wild(path, what, arrays, facts):
        return write(path, what, {**arrays, name: np.full_like(arrays[name], 10**9)}, facts)

    monkeypatch.setattr(models, "write_container", wild)
    dc.localize(dc.load_network("asia")).save(tmp_path / "m.dcx")
    with pytest.raises(dc.FormatError, match="damaged"):
        dc.open_model(tmp_path / "m.dcx")
