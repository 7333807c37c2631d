"""The graph is a function of the data and the names."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dconvex as dc


@pytest.fixture(scope="module")
def frame():
    """Fourteen columns with many ties, since some are rarely in another state."""
    data = dc.load_network("alarm").sample(700, seed=3)
    return data[sorted(data.columns)[:14]]


@pytest.fixture(scope="module", params=["greedy", "search"])
def method(request):
    return request.param


@pytest.fixture(scope="module")
def found(frame, method):
    return dc.learn_structure(frame, method=method)


def test_columns_rows_and_threads_make_no_difference(frame, method, found):
    random = np.random.default_rng(1)
    for n_jobs in (1, 2):
        columns = random.permutation(frame.columns).tolist()
        shuffled = frame.iloc[random.permutation(len(frame))][columns]
        assert dc.learn_structure(shuffled, method=method, n_jobs=n_jobs) == found


def test_batches_partitions_and_libraries_make_no_difference(frame, method, found, tmp_path):
    parts = [frame.iloc[500:], frame.iloc[:100], frame.iloc[100:500]]
    assert dc.learn_structure(parts, method=method) == found
    assert dc.learn_structure(iter(parts), method=method) == found
    texts = frame.astype(str)
    assert dc.learn_structure([texts.iloc[:50], texts.iloc[50:]], method=method).edges == found.edges
    frame.to_parquet(tmp_path / "data.parquet", row_group_size=64)
    assert dc.learn_structure(tmp_path / "data.parquet", method=method) == found
    polars = pytest.importorskip("polars")
    assert dc.learn_structure(polars.from_pandas(texts), method=method).edges == found.edges


def test_dask_makes_no_difference(frame, found, method):
    dd = pytest.importorskip("dask.dataframe")
    assert dc.learn_structure(dd.from_pandas(frame, npartitions=3), method=method) == found


def test_equal_rows_may_be_weights(frame, method):
    texts = frame.astype(str)
    weighted = texts.value_counts().rename("n").reset_index()
    assert dc.learn_structure(weighted, weights="n", method=method).edges == dc.learn_structure(texts, method=method).edges
    halves = weighted.assign(n=weighted["n"] * 0.5)
    found = dc.learn_structure(halves, weights="n", method=method)
    scored = dc.statistics(found, halves, weights="n").score()
    assert found.score == pytest.approx(scored, rel=1e-9)


def test_many_equal_rows_are_merged():
    random = np.random.default_rng(1)
    a = random.integers(0, 2, 200_000)
    frame = pd.DataFrame({"a": a, "b": a ^ (random.random(len(a)) < 0.1), "c": random.integers(0, 3, len(a))})
    found = dc.learn_structure(frame)
    assert found.rows == 200_000
    assert found.edges == (("a", "b"),)
    assert found.score == pytest.approx(dc.statistics(found, frame).score())


@pytest.fixture(scope="module")
def numbers():
    network = dc.random_gaussian_network(dc.random_dag(12, 20, seed=1), seed=1)
    return network.sample(400, seed=2)


@pytest.mark.parametrize("score", ["bic", "aic", "bge", dc.BGe(degrees=20, scale=0.5)])
def test_gaussian_structures_do_not_depend_on_order_either(numbers, method, score):
    found = dc.learn_structure(numbers, method=method, score=score)
    random = np.random.default_rng(1)
    shuffled = numbers.iloc[random.permutation(len(numbers))][random.permutation(numbers.columns).tolist()]
    assert dc.learn_structure(shuffled, method=method, score=score).edges == found.edges
    parts = [numbers.iloc[300:], numbers.iloc[:300]]
    assert dc.learn_structure(parts, method=method, score=score).edges == found.edges
    assert found.score == pytest.approx(dc.statistics(found, numbers).score(score), rel=1e-9)


def test_gaussian_partitions_of_dask(numbers):
    dd = pytest.importorskip("dask.dataframe")
    found = dc.learn_structure(dd.from_pandas(numbers, npartitions=3))
    assert found.edges == dc.learn_structure(numbers).edges
