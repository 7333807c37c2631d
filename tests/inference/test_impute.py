"""Tables with their gaps filled in, and the probability of what rows with gaps show."""

import itertools
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learning.samples import samples

import dconvex as dc

CHAIN = dc.BayesianNetwork.gaussian(
    [("x", "y"), ("y", "z")], {"x": (1, {}, 1), "y": (0, {"x": 2}, 0.5), "z": (1, {"y": -1}, 2)}
)


def plain(rows):
    return rows.astype(object).where(rows.notna(), None)


def shown(row):
    return {name: value for name, value in row.items() if value is not None and value == value}


@given(samples(missing=True, max_rows=8, max_nodes=6), st.booleans())
@settings(deadline=None, max_examples=40)
def test_what_rows_show_has_its_own_probability(sample, localized):
    model = dc.localize(sample.network)
    found = (model if localized else sample.network).log_likelihood(plain(sample.rows))
    for row, value in zip(plain(sample.rows).to_dict("records"), found.tolist(), strict=True):
        assert value == pytest.approx(model.log_evidence(shown(row)), rel=1e-10, abs=1e-10)


@given(samples(missing=True, max_rows=6, max_nodes=5), st.integers(0, 5), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=40)
def test_the_most_probable_states_are_filled_in_together(sample, lacking, seed):
    network = dc.random_network(sample.dag, {v: len(own) for v, own in sample.states.items()}, seed=seed)
    network = dc.BayesianNetwork.discrete(sample.dag, {v: network.family(v).values for v in sample.dag.nodes}, sample.states)
    model = dc.localize(network)
    rows = plain(sample.rows).drop(columns=list(sample.dag.nodes)[len(sample.dag) - lacking // 2 : -1])
    found = plain(model.impute(rows))
    for row, filled in zip(rows.to_dict("records"), found.to_dict("records"), strict=True):
        gaps = [name for name in rows.columns if row[name] is None]
        assert {name: filled[name] for name in rows.columns if name not in gaps} == {
            name: row[name] for name in rows.columns if name not in gaps
        }
        if gaps:
            _, best = model.most_probable(gaps, shown(row))
            own = model.log_evidence(filled) - model.log_evidence(shown(row))
            assert own == pytest.approx(best, rel=1e-9, abs=1e-9)


def test_numbers_are_filled_in_with_their_means():
    network = dc.random_gaussian_network(dc.random_dag(7, 9, max_parents=3, seed=3), seed=3)
    model = dc.localize(network)
    rows = network.sample(30, seed=1)
    rows = rows.mask(np.random.default_rng(1).random(rows.shape) < 0.4)
    found, means = model.impute(rows), model.impute(rows, "mean")
    pd.testing.assert_frame_equal(found, means)
    densities = model.log_likelihood(rows)
    for k, row in enumerate(rows.to_dict("records")):
        evidence = shown(row)
        assert densities[k] == pytest.approx(model.log_evidence(evidence), rel=1e-9, abs=1e-9)
        gaps = [name for name in rows.columns if name not in evidence]
        if gaps:
            np.testing.assert_allclose(
                found.loc[k, gaps].to_numpy(float), model.query(gaps, evidence).mean, rtol=1e-8, atol=1e-8
            )


def test_states_are_drawn_from_their_joint_distribution():
    network = dc.load_network("asia")
    model = dc.localize(network)
    evidence = {"dysp": "yes", "smoke": "yes", "asia": "no"}
    rows = pd.DataFrame([evidence] * 20_000).assign(bronc=None, lung=None, either=None).astype(object)
    found = model.impute(rows, "sample", seed=1)
    right = model.query(["bronc", "lung", "either"], evidence)
    for cell, states in zip(np.ndindex(2, 2, 2), itertools.product(["yes", "no"], repeat=3), strict=True):
        share = float((found[["bronc", "lung", "either"]] == list(states)).all(axis=1).mean())
        assert share == pytest.approx(right.values[cell], abs=0.015)


def test_numbers_are_drawn_from_their_joint_distribution():
    model = dc.localize(CHAIN)
    rows = pd.DataFrame({"x": np.nan, "y": np.nan, "z": np.full(40_000, 2.5)})
    found = model.impute(rows, "sample", seed=1)
    right = model.query(["x", "y"], {"z": 2.5})
    np.testing.assert_allclose(found[["x", "y"]].mean().to_numpy(), right.mean, atol=0.03)
    np.testing.assert_allclose(np.cov(found[["x", "y"]].to_numpy().T), right.covariance, atol=0.03)


@pytest.mark.parametrize("method", ["most_probable", "sample"])
def test_threads_make_no_difference(method):
    network = dc.load_network("alarm")
    model = dc.localize(network)
    rows = plain(network.sample(9_000, seed=1))
    rows = rows.where(np.random.default_rng(1).random(rows.shape) > 0.1, None)
    one = model.impute(rows, method, n_jobs=1, seed=5)
    pd.testing.assert_frame_equal(one, model.impute(rows, method, n_jobs=3, seed=5))
    assert np.array_equal(model.log_likelihood(rows, n_jobs=1), model.log_likelihood(rows, n_jobs=3))
    assert np.array_equal(model.log_likelihood(rows), network.log_likelihood(rows))
    whole = rows.notna().all(axis=1).to_numpy()
    np.testing.assert_array_equal(model.log_likelihood(rows)[whole], network.log_likelihood(rows[whole]))


STATES = dc.BayesianNetwork.discrete(
    [("a", "b"), ("b", "c")],
    {"a": [0.9, 0.1], "b": [[0.8, 0.2], [0.1, 0.9]], "c": [[0.7, 0.3], [0.2, 0.8]]},
    {"a": ["x", "y"], "b": [1, 2], "c": [True, False]},
)
FILLED = [("x", 1, True), ("y", 2, False), ("x", 1, True)]
GAPPED = {"a": ["x", "y", None], "b": [1, None, 1], "c": [None, False, True], "other": [1.5, None, 2.5]}


def as_pandas(frame):
    if isinstance(frame, pd.DataFrame):
        return frame
    return pd.DataFrame(frame.to_pydict() if isinstance(frame, pa.Table) else frame.to_dict(as_series=False))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(GAPPED),
        pd.DataFrame(GAPPED).astype({"a": "category", "b": "Int64", "c": "boolean"}),
        pd.DataFrame(GAPPED).astype({"a": "string", "b": "float64", "c": object}),
        pd.DataFrame(GAPPED).astype({"a": pd.CategoricalDtype(["y", "x", "z"])}),
        pd.DataFrame(GAPPED, index=["p", "p", "q"]),
        pl.DataFrame(GAPPED),
        pl.DataFrame(GAPPED).with_columns(pl.col("a").cast(pl.Enum(["y", "x"]))),
        pl.DataFrame(GAPPED).with_columns(pl.col("a").cast(pl.Categorical)),
        pa.table(GAPPED),
        pa.table(GAPPED).set_column(0, "a", pa.array(["x", "y", None]).dictionary_encode()),
    ],
)
def test_the_frame_is_the_callers(frame):
    found = dc.localize(STATES).impute(frame)
    assert type(found) is type(frame)
    before, after = as_pandas(frame), as_pandas(found)
    assert [tuple(row) for row in after[["a", "b", "c"]].astype(object).to_numpy().tolist()] == FILLED
    pd.testing.assert_series_equal(after["other"], before["other"])
    if isinstance(frame, pd.DataFrame):
        assert found.index.equals(frame.index)
        assert found["a"].dtype == frame["a"].dtype
        assert frame.isna().any().any()  # it is a copy
    if isinstance(frame, pl.DataFrame):
        assert found.schema == frame.schema
    if isinstance(frame, pa.Table):
        assert found.column_names == frame.column_names


def test_columns_that_cannot_hold_what_is_filled_in():
    rows = pd.DataFrame({"a": [np.nan, np.nan], "b": [np.nan, 2.0], "c": [True, False]})
    found = dc.localize(STATES).impute(rows)
    assert found["a"].tolist() == ["x", "x"]
    assert found["b"].tolist() == [1, 2]
    empty = dc.localize(STATES).impute(pl.DataFrame({"a": [None, None], "b": [1, 2]}))
    assert empty["a"].to_list() == ["x", "x"]
    categories = pd.DataFrame({"a": pd.Categorical([None, "y"], ["y"]), "b": [1, 2]})
    assert dc.localize(STATES).impute(categories)["a"].tolist() == ["x", "y"]
    whole = pd.DataFrame({"x": pd.array([1, None], "Int64"), "y": [2.5, 1.5]})
    assert dc.localize(CHAIN).impute(whole)["x"].iloc[1] == pytest.approx(dc.localize(CHAIN).query("x", {"y": 1.5}).mean[0])
    arrow = dc.localize(CHAIN).impute(pl.DataFrame({"x": [1, None], "y": [2.5, 1.5]}))
    assert arrow["x"].to_list() == pytest.approx([1, whole_mean(1.5)])
    nothing = pd.DataFrame({"a": ["x"], "more": [None]})
    pd.testing.assert_frame_equal(dc.localize(STATES).impute(nothing), nothing)
    assert len(dc.localize(STATES).impute(pd.DataFrame(GAPPED)[:0])) == 0


def whole_mean(y):
    return float(dc.localize(CHAIN).query("x", {"y": y}).mean[0])


def test_partitions_of_dask():
    dd = pytest.importorskip("dask.dataframe")
    network = dc.load_network("asia")
    model = dc.localize(network)
    rows = plain(network.sample(300, seed=1))
    rows = rows.where(np.random.default_rng(1).random(rows.shape) > 0.2, None)
    found = model.impute(dd.from_pandas(rows, npartitions=3)).compute()
    assert found.astype(object).equals(model.impute(rows))
    drawn = model.impute(dd.from_pandas(rows, npartitions=3), "sample", seed=1)
    pd.testing.assert_frame_equal(drawn.compute(), drawn.compute())
    assert drawn.compute().notna().all().all()


def test_impossible_rows_unknown_labels_and_wrong_options():
    zero = dc.BayesianNetwork.discrete(
        [("a", "b"), ("a", "c")],
        {"a": [0.5, 0.5], "b": [[1.0, 0.0], [1.0, 0.0]], "c": [0.5, 0.5] * np.ones((2, 1))},
        {name: ["x", "y"] for name in "abc"},
    )
    model = dc.localize(zero)
    rows = pd.DataFrame({"a": ["x", None], "b": ["x", "y"], "c": ["y", None]}, dtype=object)
    with pytest.raises(dc.ImpossibleEvidenceError, match="in row 1: b = 'y' has probability zero"):
        model.impute(rows)
    pd.testing.assert_frame_equal(model.impute(rows, impossible="nan"), rows)
    assert model.log_likelihood(rows).tolist() == [math.log(0.25), -math.inf]
    regressions = {"x": (0, {}, 1), "y": (0, {"x": 1}, 0), "z": (0, {"x": 1}, 0)}
    exact = dc.localize(dc.BayesianNetwork.gaussian([("x", "y"), ("x", "z")], regressions))
    numbers = pd.DataFrame({"x": [np.nan, np.nan], "y": [1.5, 1.5], "z": [1.5, 2.5]})
    with pytest.raises(dc.ImpossibleEvidenceError, match="in row 1"):
        exact.impute(numbers)
    assert exact.impute(numbers, impossible="nan")["x"].tolist()[0] == 1.5
    assert exact.log_likelihood(numbers)[1] == -math.inf
    with pytest.raises(dc.UnknownStateError, match="unknown state 'z'"):
        model.impute(rows.replace("y", "z"))
    assert model.impute(rows.replace("y", "z"), unknown="missing")["b"].tolist() == ["x", "x"]
    for wrong in ({"method": "mode"}, {"method": "mean"}, {"impossible": "drop"}, {"unknown": "guess"}, {"n_jobs": 0}):
        with pytest.raises(ValueError, match=r"unknown method|no mean|impossible=|unknown=|n_jobs"):
            model.impute(rows, **wrong)
    with pytest.raises(dc.DataError, match="no column belongs to a variable; the model has 'a', 'b', 'c'"):
        model.impute(rows.rename(columns=str.upper))
    with pytest.raises(dc.DataError, match="data frame"):
        model.impute([1, 2])
    part = dc.fit(STATES, STATES.sample(100, seed=1).astype(object), for_query="a")
    if len(part.dag) < 3:
        with pytest.raises(ValueError, match="for_query"):
            part.impute(pd.DataFrame({"a": [None]}))


def test_what_is_too_large_is_refused_by_its_pattern():
    names = [f"v{k}" for k in range(14)]
    pairs = [edge for a, b in itertools.combinations(names, 2) for edge in ((a, f"{a}{b}"), (b, f"{a}{b}"))]
    network = dc.random_network(dc.Dag(pairs), seed=1)
    rows = network.sample(20, seed=1).astype(object)
    rows.loc[7, names] = None
    model = dc.localize(network)
    for ask in (model.impute, model.log_likelihood):
        with pytest.raises(dc.TooLargeError, match=r"'v0', 'v1', .* and 8 more, which are missing in one row"):
            ask(rows, max_bytes=100_000)
    chain = dc.random_gaussian_network(dc.Dag([(k, k + 1) for k in range(100)]), seed=1)
    numbers = chain.sample(3, seed=1)
    numbers.iloc[1, :-1] = np.nan
    with pytest.raises(dc.TooLargeError, match="missing in one row"):
        dc.localize(chain).impute(numbers, max_bytes=10_000)
