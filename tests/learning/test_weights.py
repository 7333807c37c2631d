"""Row weights: a row of weight k counts as k rows, whatever is learned and wherever the rows come from."""

import numpy as np
import pandas as pd
import pytest

import dconvex as dc

KINDS = ["discrete", "gaussian"]
CASES = [(kind, way) for kind in KINDS for way in ("available", "complete", "em") if (kind, way) != ("gaussian", "em")]


def network_of(kind):
    return dc.load_network("asia") if kind == "discrete" else dc.random_gaussian_network(dc.load_network("asia").dag, seed=1)


def weighted_rows(kind, count=300, share=0.1):
    """Rows with gaps and whole weights, some of them zero, and the same rows repeated."""
    network, rng = network_of(kind), np.random.default_rng(3)
    rows = network.sample(count, seed=2)
    rows = rows.astype(object) if kind == "discrete" else rows
    rows = rows.where(rng.random(rows.shape) >= share, None if kind == "discrete" else np.nan)
    weights = rng.integers(0, 4, count)
    return network, rows.assign(w=weights), rows.loc[rows.index.repeat(weights)].reset_index(drop=True)


def close(one, other, tolerance=1e-9):
    ours, theirs = one.network(), other.network()
    for name in ours.dag.nodes:
        mine, his = ours.family(name), theirs.family(name)
        if ours.kind == "discrete":
            np.testing.assert_allclose(mine.values, his.values, atol=tolerance)
        else:
            numbers = [[own.intercept, *own.coefficients.values(), own.variance] for own in (mine, his)]
            np.testing.assert_allclose(*numbers, atol=tolerance)


def options(network):
    return {"states": network.states} if network.kind == "discrete" else {}


@pytest.mark.parametrize(("kind", "way"), CASES)
@pytest.mark.parametrize("coherent", [True, False])
def test_a_weight_is_a_number_of_rows(kind, way, coherent):
    network, rows, repeated = weighted_rows(kind)
    how = {"coherent": coherent, "missing": way, **options(network)}
    model = dc.fit(network, rows, weights="w", **how)
    close(model, dc.fit(network, repeated, **how))
    prior = dc.BDeu(3) if kind == "discrete" else dc.NormalInverseGamma()
    close(dc.fit(network, rows, weights="w", prior=prior, **how), dc.fit(network, repeated, prior=prior, **how))


@pytest.mark.parametrize("kind", KINDS)
def test_statistics_add_are_scored_and_saved(kind, tmp_path):
    network, rows, repeated = weighted_rows(kind)
    own = options(network)
    whole = dc.statistics(network, rows, weights="w", **own)
    parts = sum(dc.statistics(network, part, weights="w", **own) for part in (rows[:100], rows[100:250], rows[250:]))
    for statistics in (whole, parts):
        assert statistics.score("bic") == pytest.approx(dc.statistics(network, repeated, **own).score("bic"), rel=1e-10)
    whole.save(tmp_path / "w.stats")
    assert dc.Statistics.load(tmp_path / "w.stats") == whole
    close(dc.fit(network, parts), dc.fit(network, repeated, **own))
    close(dc.fit(network, whole + dc.statistics(network, repeated, **own)), dc.fit(network, [repeated, repeated], **own))


@pytest.mark.parametrize(("kind", "way"), [case for case in CASES if "complete" not in case])
def test_files_iterators_and_partitions(kind, way, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    network, rows, _ = weighted_rows(kind)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    how = {"weights": "w", "missing": way, "coherent": True, "kind": kind, **options(network)}
    model = dc.fit(network, rows, **how)
    close(model, dc.fit(network, tmp_path / "rows.csv", **how))
    close(model, dc.fit(network, iter([rows[:120], rows[120:]]), **how))
    close(model, dc.fit(network, dd.from_pandas(rows, npartitions=3), **how))
    close(model, dc.fit(network, rows, n_jobs=1, **how), 0)


@pytest.mark.parametrize(("kind", "way"), [case for case in CASES if "complete" not in case])
def test_an_update_reads_weights_again_and_so_does_a_file(kind, way, tmp_path):
    network, rows, _ = weighted_rows(kind)
    model = dc.fit(network, rows, weights="w", missing=way, coherent=True, **options(network))
    model.save(tmp_path / "model.dcx", statistics=True)
    opened = dc.open_model(tmp_path / "model.dcx")
    close(opened.updated(rows[:50]), model.updated(rows[:50]), 1e-12)
    if way == "available":
        close(model.updated(rows), model)
    with pytest.raises(dc.DataError, match="'w'"):
        opened.updated(rows.drop(columns="w"))


def test_large_tables_hold_the_weights_of_their_cells():
    names = [f"p{k}" for k in range(6)]
    rng = np.random.default_rng(1)
    rows = pd.DataFrame({name: rng.integers(0, 20, 40) for name in [*names, "c"]}).assign(w=rng.integers(0, 3, 40))
    dag = dc.Dag([(name, "c") for name in names])
    states = {name: range(20) for name in dag.nodes}
    repeated = rows.loc[rows.index.repeat(rows["w"])]
    ours, theirs = (dc.statistics(dag, own, states=states, **how) for own, how in ((rows, {"weights": "w"}), (repeated, {})))
    assert ours.score("aic") == pytest.approx(theirs.score("aic"), rel=1e-12)


def test_bad_weights_are_named():
    rows = pd.DataFrame({"a": ["x", "y", "x"], "b": ["x", "x", "y"], "w": [1.0, -2.0, 1.0]})
    dag = dc.Dag([("a", "b")])
    with pytest.raises(dc.DataError, match=r"'w' holds the weight -2 in row 1"):
        dc.fit(dag, rows, weights="w")
    with pytest.raises(dc.DataError, match=r"'w' has no weight in row 2"):
        dc.fit(dag, rows.assign(w=[1, 1, None]), weights="w")
    with pytest.raises(dc.DataError, match="did you mean 'w'"):
        dc.fit(dag, rows, weights="W")
    with pytest.raises(dc.DataError, match="not a number"):
        dc.fit(dag, rows.assign(w=["a", "b", "c"]), weights="w")
    with pytest.raises(ValueError, match="variable of the graph"):
        dc.fit(dag, rows, weights="a")
    with pytest.raises(TypeError, match="name of a column"):
        dc.fit(dag, rows, weights=[1, 2, 3])
    with pytest.raises(ValueError, match=r"pass it to dc\.statistics"):
        dc.fit(dag, dc.statistics(dag, rows), weights="w")
    for way in ("available", "em"):
        with pytest.raises(dc.DataError, match="weigh nothing"):
            dc.fit(dag, rows.assign(w=0), weights="w", missing=way)
