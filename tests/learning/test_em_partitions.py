"""EM over the partitions of a Dask DataFrame: rows stay where they are, and the numbers are those of all rows together."""

import pickle

import numpy as np
import pandas as pd
import pytest

import dconvex as dc
from dconvex.learning.learning_options import LearningOptions
from dconvex.learning.partitioned_rows import read_by_partition
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.tree_statistics import Scope

dd = pytest.importorskip("dask.dataframe")


def gapped(network, count, share=0.2):
    rows = network.sample(count, seed=1)
    plain = rows.astype(object) if network.kind == "discrete" else rows
    return plain.mask(np.random.default_rng(1).random(rows.shape) < share)


def numbers_of(model):
    own = model.network().parameters
    return own.values if model.kind == "discrete" else np.concatenate([own.intercept, own.coefficients, own.variance])


NETWORKS = {"discrete": dc.load_network("asia"), "gaussian": dc.random_gaussian_network(dc.random_dag(7, 9, seed=2), seed=2)}


@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize("coherent", [True, False])
def test_the_numbers_are_those_of_all_rows_together(kind, coherent, dask_threads):
    network = NETWORKS[kind]
    rows = gapped(network, 240).assign(w=1.5)
    how = {"coherent": coherent, "missing": dc.EM(tolerance=0, max_iterations=4), "weights": "w"}
    one, two = dc.fit(network, rows, **how), dc.fit(network, dd.from_pandas(rows, npartitions=3), **how)
    np.testing.assert_allclose(numbers_of(two), numbers_of(one), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(two.report().em.objective, one.report().em.objective, rtol=1e-10)
    assert two.report().em.filled == pytest.approx(one.report().em.filled)
    assert two.report().rows == 240


@pytest.mark.parametrize("kind", NETWORKS)
def test_without_gaps_it_is_fit(kind, dask_threads):
    network = NETWORKS[kind]
    rows = dd.from_pandas(network.sample(90, seed=1), npartitions=2)
    plain, em = (dc.fit(network, rows, coherent=True, missing=missing) for missing in ("available", "em"))
    assert np.array_equal(numbers_of(plain), numbers_of(em))
    assert plain._origin.statistics() == em._origin.statistics() or kind == "discrete"


def test_partitions_may_show_other_states_or_nothing(dask_threads):
    network = NETWORKS["discrete"]
    rows = gapped(network, 60).sort_values("smoke").reset_index(drop=True)
    frame = dd.concat([dd.from_pandas(part, npartitions=1) for part in (rows[:30], rows[:0], rows[30:])])
    how = {"coherent": True, "missing": "em"}
    one, two = dc.fit(network, rows, **how), dc.fit(network, frame, **how)
    np.testing.assert_allclose(numbers_of(two), numbers_of(one), rtol=1e-10, atol=1e-10)
    assert two.states == one.states
    found = dc.localize(network).expected_statistics(frame)
    whole = dc.localize(network).expected_statistics(rows)
    np.testing.assert_allclose(found.part.tallies.counts, whole.part.tallies.counts, rtol=1e-10, atol=1e-10)


def test_wrong_partitions_are_refused(dask_threads):
    dag = dc.Dag([("a", "b")])
    rows = pd.DataFrame({"a": ["x", "y"] * 4, "b": [None] * 8}, dtype=object)
    with pytest.raises(dc.DataError, match="'b' has no values"):
        dc.fit(dag, dd.from_pandas(rows, npartitions=2), coherent=True, missing="em")
    mixed = pd.DataFrame({"a": ["x"] * 4 + [1] * 4, "b": ["p", "q"] * 4}, dtype=object)
    with pytest.raises(dc.DataError, match=r"column 'a' holds 'x' in one part and 1 in another"):
        dc.fit(dag, dd.from_pandas(mixed, npartitions=2), coherent=True, missing="em")
    network = NETWORKS["gaussian"]
    with pytest.raises(dc.TooLargeError, match="rows with missing cells"):
        dc.fit(network, dd.from_pandas(gapped(network, 80), npartitions=2), coherent=True, missing="em", max_bytes=500)


@pytest.mark.parametrize("kind", NETWORKS)
def test_rows_that_are_ready_can_be_sent(kind, dask_threads):
    network = NETWORKS[kind]
    scope = Scope.of(network.dag, None, coherent=True)
    families = Families.of(scope.index, own_only=True)
    source = read_by_partition(families, dd.from_pandas(gapped(network, 40), npartitions=2), LearningOptions())
    every = np.arange(len(network.dag), dtype=np.int32)
    if kind == "discrete":
        ready = source.prepared(network.dag.nodes, network.dag.graph, every, source.states, 10**9)
    else:
        ready = source.prepared(families, network.dag.graph, every, np.zeros(len(every)), 10**9)
    part = ready.parts[0].compute()
    assert pickle.loads(pickle.dumps(part)).rows.missing_cells == part.rows.missing_cells


@pytest.fixture
def dask_threads():
    import dask

    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        yield
