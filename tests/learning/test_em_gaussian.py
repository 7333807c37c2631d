"""EM of linear Gaussian networks, against the joint normal distribution of all variables."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from learning.dense_normal import estimated, expected
from strategies import dags

import dconvex as dc

PRIORS = [None, dc.NormalInverseGamma(), dc.NormalInverseGamma(precision=3, shape=1.2, scale=0.5)]


@st.composite
def gapped(draw, *, min_rows=15, max_rows=40, max_nodes=6):
    """A network, rows of it with gaps, and weights."""
    dag = draw(dags(min_nodes=1, max_nodes=max_nodes))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    network = dc.random_gaussian_network(dag, seed=seed)
    rows = network.sample(draw(st.integers(min_rows, max_rows)), seed=seed) + draw(st.sampled_from([0.0, 1e3]))
    rows = rows.mask(rng.random(rows.shape) < draw(st.sampled_from([0.1, 0.4])))
    assume((rows.notna().sum() > 3).all())
    return network, rows, rng.choice([1.0, 2.0, 0.5], size=len(rows))


def starting(network, rows):
    """A network far from zero variances that is near enough to the rows."""
    return dc.fit(network, rows.fillna(rows.mean()), prior=dc.NormalInverseGamma(), coherent=True).network()


@given(gapped(), st.sampled_from(PRIORS))
@settings(deadline=None, max_examples=25)
def test_iterations_are_those_of_the_joint_normal(problem, prior):
    network, rows, weights = problem
    start = starting(network, rows)
    how = dc.EM(tolerance=0, max_iterations=3, start=start)
    table = rows.assign(weight=weights)
    model = dc.fit(network, table, coherent=True, missing=how, prior=prior, weights="weight")
    ours, right = model.report().em, start
    assume(all(found[0] > 0 for found in expected(right, rows, weights)[1].values()))
    for log_likelihood in ours.log_likelihood:
        right = estimated(right, expected(right, rows, weights)[1], prior)
        assert log_likelihood == pytest.approx(expected(right, rows, weights)[0], rel=1e-6, abs=1e-6)
    for name in network.dag.nodes:
        mine, theirs = model.network().family(name), right.family(name)
        assert mine.variance == pytest.approx(theirs.variance, rel=1e-5)
        for parent, slope in theirs.coefficients.items():
            assert mine.coefficients[parent] == pytest.approx(slope, rel=1e-5, abs=1e-6)


@given(gapped(min_rows=4), st.sampled_from(PRIORS), st.booleans())
@settings(deadline=None, max_examples=40)
def test_the_objective_never_falls(problem, prior, coherent):
    network, rows, _ = problem
    how = dc.EM(tolerance=0, max_iterations=12)
    report = dc.fit(network, rows, prior=prior, coherent=coherent, missing=how).report().em
    allowed = 1e-9 if min(report.log_likelihood) < 0 else 1e-6  # beyond: a determined variable, whose density is huge
    for before, after in itertools.pairwise(report.objective):
        assert after >= before - allowed * max(1, abs(before))
    if prior is None:
        assert report.objective == report.log_likelihood


@given(gapped(), st.sampled_from(PRIORS), st.booleans())
@settings(deadline=None, max_examples=15)
def test_without_gaps_it_is_fit_bit_for_bit(problem, prior, coherent):
    network, rows, _ = problem
    whole = rows.fillna(rows.mean())
    plain = dc.fit(network, whole, prior=prior, coherent=coherent)
    em = dc.fit(network, whole, prior=prior, coherent=coherent, missing="em")
    assert em.network() == plain.network()
    assert em.report().em.converged
    assert em._origin.statistics() == plain._origin.statistics()


def test_it_is_the_dense_em_at_convergence():
    network = dc.random_gaussian_network(dc.random_dag(6, 8, max_parents=3, seed=2), seed=2)
    rows = network.sample(200, seed=2)
    rows = rows.mask(np.random.default_rng(1).random(rows.shape) < 0.3)
    model = dc.fit(network, rows, coherent=True, missing=dc.EM(tolerance=0, max_iterations=300))
    ours = model.network()
    again = estimated(ours, expected(ours, rows, np.ones(len(rows)))[1])
    for name in network.dag.nodes:
        assert again.family(name).variance == pytest.approx(ours.family(name).variance, rel=1e-7)
        assert again.family(name).intercept == pytest.approx(ours.family(name).intercept, rel=1e-7, abs=1e-7)
    assert model.report().em.log_likelihood[-1] == pytest.approx(expected(ours, rows, np.ones(len(rows)))[0], rel=1e-9)


@pytest.mark.parametrize("coherent", [True, False])
def test_threads_batches_and_files_make_no_difference(coherent, tmp_path):
    network = dc.random_gaussian_network(dc.random_dag(12, 16, max_parents=3, seed=3), seed=3)
    rows = network.sample(600, seed=3)
    rows = rows.mask(np.random.default_rng(1).random(rows.shape) < 0.2)
    how = {"coherent": coherent, "missing": dc.EM(tolerance=0, max_iterations=6)}
    one = dc.fit(network, rows, n_jobs=1, **how)
    assert dc.fit(network, rows, n_jobs=3, **how).network() == one.network()
    rows.to_csv(tmp_path / "rows.csv", index=False)
    for data in (iter([rows[:100], rows[100:350], rows[350:]]), tmp_path / "rows.csv", [rows[300:], rows[:300]]):
        other = dc.fit(network, data, **how)
        np.testing.assert_allclose(other.report().em.objective, one.report().em.objective, rtol=1e-10)
        assert_close(other.network(), one.network(), 1e-9)


def assert_close(one, other, tolerance):
    for mine, theirs in zip(vars_of(one), vars_of(other), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance)


def vars_of(network):
    own = network.parameters
    return own.intercept, own.coefficients, own.variance


def test_a_table_without_a_column_has_it_missing():
    network = dc.random_gaussian_network(dc.Dag([("a", "b"), ("b", "c")]), seed=1)
    rows = network.sample(400, seed=1)
    apart = [rows[:200].drop(columns="a"), rows[200:].drop(columns="c")]
    blank = rows.copy()
    blank.loc[:199, "a"] = np.nan
    blank.loc[200:, "c"] = np.nan
    split, together = (dc.fit(network, data, coherent=True, missing="em") for data in (apart, blank))
    assert_close(split.network(), together.network(), 1e-9)
    assert split.report().em.filled == 400


def test_cells_missing_at_random_leave_no_bias():
    truth = dc.BayesianNetwork.gaussian([("x", "y")], {"x": (0, {}, 1), "y": (1, {"x": 2}, 0.5)})
    rows = truth.sample(20_000, seed=1)
    rows.loc[rows["x"] > 0.3, "y"] = np.nan
    reverse = dc.Dag([("y", "x")])
    em = dc.fit(reverse, rows, coherent=True, missing=dc.EM(tolerance=1e-12, max_iterations=2000)).query("y")
    available = dc.fit(reverse, rows, coherent=True).query("y")
    assert em.mean[0] == pytest.approx(1, abs=0.05)
    assert available.mean[0] < 0.2


def test_local_em_is_em_of_each_cluster():
    network = dc.random_gaussian_network(dc.Dag([("a", "b"), ("b", "c"), ("b", "d")]), seed=5)
    rows = network.sample(300, seed=4)
    rows = rows.mask(np.random.default_rng(1).random(rows.shape) < 0.3)
    how = dc.EM(tolerance=1e-13, max_iterations=500)
    local = dc.fit(network, rows, missing=how)
    for cluster in local.tree.clusters:
        own = network.dag.induced(cluster)
        alone = dc.fit(own, rows[list(own.nodes)], coherent=True, missing=how).network()
        child = own.edges[0][1]
        mine, theirs = local.network().family(child), alone.family(child)
        assert mine.variance == pytest.approx(theirs.variance, rel=1e-9)
    assert local.report().em.clusters == 3


def test_it_is_saved_opened_and_updated(tmp_path):
    network = dc.random_gaussian_network(dc.random_dag(6, 7, seed=1), seed=1)
    rows = network.sample(300, seed=1)
    gaps = rows.mask(np.random.default_rng(1).random(rows.shape) < 0.2)
    for prior in PRIORS[:2]:
        model = dc.fit(network, gaps, coherent=True, missing="em", prior=prior)
        model.save(tmp_path / "model.dconvex", statistics=True)
        opened = dc.open_model(tmp_path / "model.dconvex")
        assert opened.report() == model.report()
        assert opened.network() == model.network()
        assert opened.updated(gaps[:50]).network() == model.updated(gaps[:50]).network()
        assert model.updated(gaps[:50]).report().rows == 350
        assert dc.fit(network, model._origin.statistics(), coherent=True, prior=prior).network() == model.network()


def test_an_update_holds_what_was_there():
    network = dc.random_gaussian_network(dc.random_dag(5, 6, seed=1), seed=1)
    complete, more = network.sample(500, seed=1), network.sample(500, seed=2)
    more = more.mask(np.random.default_rng(1).random(more.shape) < 0.2)
    for prior in PRIORS[:2]:
        how = {"coherent": True, "missing": dc.EM(tolerance=1e-12, max_iterations=500), "prior": prior}
        updated, everything = dc.fit(network, complete, **how).updated(more), dc.fit(network, [complete, more], **how)
        assert_close(updated.network(), everything.network(), 1e-5)  # old rows have no gaps: nothing is lost
        assert updated.updated(complete).network() != updated.network()


def test_edges():
    dag = dc.Dag([("a", "b"), ("b", "c")])
    one = pd.DataFrame({"a": [1.5], "b": [np.nan], "c": [2.5]})
    with pytest.raises(dc.DataError, match="column 'b' has no values"):
        dc.fit(dag, one, coherent=True, missing="em")
    with pytest.raises(dc.DataError, match="no table has a column 'b'"):
        dc.fit(dag, one.drop(columns="b"), coherent=True, missing="em")
    with pytest.raises(dc.DataError, match="no rows"):
        dc.fit(dag, one[:0], coherent=True, missing="em", kind="gaussian")
    with pytest.raises(dc.DataError, match="weigh nothing"):
        dc.fit(dag, one.assign(b=1.0, w=0.0), coherent=True, missing="em", weights="w", kind="gaussian")
    with pytest.warns(UserWarning, match="does not determine"):
        single = dc.fit(dag, one.assign(b=3.5), coherent=True, missing="em")
    assert single.query("b").mean[0] == 3.5
    constant = pd.DataFrame(
        {"a": [1.5, 2.5, np.nan, 0.5, 1.0], "b": [2.0, 2.0, 2.0, np.nan, 2.0], "c": [np.nan, 1.5, 3.0, 2.0, 0.0]}
    )
    for coherent in (True, False):
        with pytest.warns(UserWarning, match="does not determine"):
            model = dc.fit(dag, constant, coherent=coherent, missing="em", kind="gaussian")
        assert model.query("b").mean[0] == 2
        assert "b" in model.report().constant
        assert model.report().em.converged
    prior = dc.fit(dag, constant, coherent=True, missing="em", prior=dc.NormalInverseGamma(), kind="gaussian")
    assert prior.report().em.converged


def test_a_determined_variable_is_filled_in():
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    rows = pd.DataFrame({"x": x, "y": 2 * x + 1, "z": x + rng.normal(size=200)})
    gaps = rows.mask(rng.random(rows.shape) < 0.2)
    model = dc.fit([("x", "y"), ("x", "z")], gaps, coherent=True, missing="em")
    assert model.network().family("y").coefficients["x"] == pytest.approx(2, abs=1e-6)
    assert model.network().family("y").variance < 1e-9
    assert all(after >= before - 1e-3 for before, after in itertools.pairwise(model.report().em.objective))


def test_starts():
    network = dc.random_gaussian_network(dc.random_dag(5, 6, seed=1), seed=1)
    rows = network.sample(100, seed=1)
    gaps = rows.mask(np.random.default_rng(1).random(rows.shape) < 0.3)
    report = dc.fit(network, gaps, coherent=True, missing=dc.EM(restarts=3, tolerance=1e-10)).report().em
    assert len(report.restarts) == 3
    assert max(report.restarts) == report.objective[-1]
    determined = dc.BayesianNetwork.gaussian(
        network.dag, {v: (0.0, dict.fromkeys(network.dag.parents(v), 1.0), 0.0) for v in network.dag.nodes}
    )
    for prior in PRIORS[:2]:
        found = dc.fit(network, gaps, coherent=True, missing=dc.EM(start=determined), prior=prior).report().em
        assert np.isfinite(found.objective).all()
    with pytest.raises(ValueError, match="same graph"):
        dc.fit(network, gaps, coherent=True, missing=dc.EM(start=dc.load_network("asia")))
    with pytest.raises(ValueError, match="prior for tables"):
        dc.fit(network, gaps, coherent=True, missing="em", prior=dc.BDeu())
    with pytest.raises(ValueError, match="hidden= is for discrete"):
        dc.fit(network, gaps, coherent=True, missing="em", hidden={network.dag.nodes[0]: ["x", "y"]}, kind="gaussian")


def test_what_is_too_large_is_refused():
    network = dc.random_gaussian_network(dc.Dag([(k, k + 1) for k in range(200)]), seed=1)
    rows = network.sample(50, seed=1)
    rows.iloc[7, :-1] = np.nan
    with pytest.raises(dc.TooLargeError, match="missing in one row"):
        dc.fit(network, rows, coherent=True, missing="em", max_bytes=200_000)
    with pytest.raises(dc.TooLargeError, match="expected moments"):
        dc.fit(network, rows, coherent=True, missing="em", max_bytes=10_000)
    with pytest.raises(dc.TooLargeError, match="rows with missing cells"):
        dc.fit(network, rows.mask(rows > 0), coherent=True, missing="em", max_bytes=1_000)
