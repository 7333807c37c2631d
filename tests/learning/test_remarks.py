"""What a report says about a messy table, and that nothing is changed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dconvex as dc

ROWS = 300


def messy() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "id": range(ROWS),
            "city": rng.choice(["East", "East ", "West"], ROWS),
            "churn": rng.choice(["Yes", "yes", "no"], ROWS),
            "constant": "x",
            "zip": rng.choice(["1", "2", "3.5"], ROWS),
            "note": rng.choice(["", "?", "ok"], ROWS),
            "visits": rng.choice([1, 2], ROWS),
        }
    )
    frame.loc[[7, 8], "city"] = "Nord"
    return frame


EDGES = [("city", "churn"), ("constant", "churn"), ("zip", "churn"), ("note", "churn"), ("id", "visits")]
SAID = {
    "churn": "'Yes' and 'yes' differ in case or blanks only",
    "city": "rare: 'Nord' in 2 rows; 'East' and 'East ' differ in case or blanks only",
    "constant": "one value only, 'x'",
    "id": "300 values in 300 rows, as an identifier has",
    "note": "'', '?' may mean a missing cell",
    "zip": "numbers stored as text",
}


@pytest.mark.parametrize("coherent", [False, True])
def test_what_looks_wrong_is_reported(tmp_path, coherent):
    frame = messy()
    model = dc.fit(EDGES, frame, coherent=coherent)
    assert model.report().suspicious == SAID
    assert "6 columns to look at (nothing was changed):" in str(model.report())
    assert model.states["city"] == ("East", "East ", "Nord", "West")
    model.save(tmp_path / "model.dcx")
    assert dc.open_model(tmp_path / "model.dcx").report() == model.report()
    assert dc.fit(EDGES, dc.statistics(EDGES, frame, coherent=coherent), coherent=coherent).report() == model.report()


def test_a_clean_table_has_no_remarks():
    network = dc.load_network("survey")
    assert dc.fit(network, network.sample(2000, seed=1)).report().suspicious == {}
    few = dc.fit([("a", "b")], pd.DataFrame({"a": ["x", "y"], "b": ["u", "v"]}))
    assert few.report().suspicious == {}
    assert str(few.report()).endswith("every configuration was seen, and no cell is missing")


def test_rare_states_are_counted_in_large_tables_too():
    rng = np.random.default_rng(1)
    parents = {f"p{k}": rng.integers(0, 20, 400) for k in range(5)}
    frame = pd.DataFrame({**parents, "v": np.where(np.arange(400) < 3, "few", "many")})
    report = dc.fit([(name, "v") for name in parents], frame, max_bytes=1e9).report()
    assert report.suspicious["v"] == "rare: 'few' in 3 rows"
    many = pd.DataFrame({"a": np.arange(2000) % 12, "b": np.concatenate([[9, 8, 7, 6, 5], np.zeros(1995, int)])})
    assert "rare: 5 in 1 row, 6 in 1 row, 7 in 1 row, … (5 in all)" in dc.fit([("a", "b")], many).report().suspicious["b"]


def test_hidden_variables_and_weights_have_no_rare_states():
    frame = messy().assign(weight=0.5)
    assert "rare" not in dc.fit([("city", "churn")], frame, weights="weight").report().suspicious.get("city", "")
    hidden = dc.fit([("h", "churn")], frame[["churn"]], missing="em", hidden={"h": ["a", "b"]}, coherent=True)
    assert set(hidden.report().suspicious) == {"churn"}


def test_at_most_a_hundred_columns_are_reported():
    frame = pd.DataFrame({f"x{k}": ["a", "A"] for k in range(120)})
    report = dc.fit(dc.Dag([], frame.columns), frame).report()
    assert len(report.suspicious) == 100
    assert "… and 92 more" in str(report)
