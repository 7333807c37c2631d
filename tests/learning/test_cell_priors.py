"""Priors with a number for each cell, or for each variable."""

import numpy as np
import pandas as pd
import pytest

import dconvex as dc

ASIA = dc.load_network("asia")
ROWS = ASIA.sample(400, seed=1)
GAPS = ROWS.astype(object).where(np.random.default_rng(1).random(ROWS.shape) > 0.2, None)


def shape_of(name):
    return [len(ASIA.states[own]) for own in (*ASIA.dag.parents(name), name)]


def drawn(seed):
    rng = np.random.default_rng(seed)
    return {name: rng.gamma(1.0, size=shape_of(name)) for name in ASIA.dag.nodes}


@pytest.mark.parametrize("missing", ["available", "em"])
@pytest.mark.parametrize("coherent", [True, False])
def test_a_number_for_each_cell_may_be_the_same_number(missing, coherent):
    how = {"states": ASIA.states, "missing": missing, "coherent": coherent}
    same = dc.Dirichlet({name: np.full(shape_of(name), 0.5) for name in ASIA.dag.nodes})
    one, other = (dc.fit(ASIA, GAPS, prior=prior, **how) for prior in (same, dc.Dirichlet(0.5)))
    if coherent or missing == "available":  # the tables of clusters that lack parents have sums of pseudo-counts
        for name in ASIA.dag.nodes:
            np.testing.assert_allclose(one.network().family(name).values, other.network().family(name).values, atol=1e-12)
    assert one.report().em is None or one.report().em.converged


def test_pseudo_counts_are_added_cell_by_cell():
    prior = drawn(1)
    model = dc.fit(ASIA, ROWS, states=ASIA.states, prior=dc.Dirichlet(prior), coherent=True)
    counts = dc.fit(ASIA, ROWS, states=ASIA.states, coherent=True)._origin.statistics().part.tallies
    for number, name in enumerate(ASIA.dag.nodes):
        right = counts.table(number) + prior[name]
        np.testing.assert_allclose(model.network().family(name).values, right / right.sum(axis=-1, keepdims=True), rtol=1e-12)


def test_a_cluster_without_all_parents_gets_sums():
    dag = dc.Dag([("a", "c"), ("b", "c")])
    prior = dc.Dirichlet({"a": [1, 1], "b": [1, 1], "c": np.arange(8.0).reshape(2, 2, 2)}).with_graph(dag)
    assert prior.cells(["b", "c"], [2, 2]).tolist() == [4, 6, 8, 10]
    assert prior.cells(["b", "a", "c"], [2, 2, 2]).tolist() == [0, 1, 4, 5, 2, 3, 6, 7]
    assert prior.cells(["c"], [2]).tolist() == [12, 16]


def test_zeros_stay_zeros():
    prior = dc.Dirichlet({"a": [1, 0], "b": [[0, 1], [0, 0]]})
    rows = pd.DataFrame({"a": ["x", "x"], "b": ["y", "y"]})
    model = dc.fit([("a", "b")], rows, prior=prior, states={"a": ["x", "z"], "b": ["w", "y"]})
    assert model.network().family("a").values.tolist() == [1, 0]
    assert model.network().family("b").values.tolist() == [[0, 1], [0.5, 0.5]]


def test_an_equivalent_sample_size_for_each_variable():
    sizes = {name: 1.0 + k for k, name in enumerate(ASIA.dag.nodes)}
    model = dc.fit(ASIA, GAPS, states=ASIA.states, prior=dc.BDeu(sizes), missing="em", coherent=True)
    for name in ASIA.dag.nodes:
        only = dc.fit(ASIA, ROWS, states=ASIA.states, prior=dc.BDeu(sizes[name])).network().family(name)
        both = dc.fit(ASIA, ROWS, states=ASIA.states, prior=dc.BDeu(sizes)).network().family(name)
        assert np.array_equal(only.values, both.values)
    assert all(
        after >= before - 1e-9
        for before, after in zip(model.report().em.objective, model.report().em.objective[1:], strict=False)
    )


@pytest.mark.parametrize("prior", [dc.Dirichlet(drawn(2)), dc.BDeu(dict.fromkeys(ASIA.dag.nodes, 3.0)), dc.Dirichlet(2.0)])
def test_they_survive_a_file(prior, tmp_path):
    model = dc.fit(ASIA, ROWS, states=ASIA.states, prior=prior)
    model.save(tmp_path / "model.dconvex", statistics=True)
    more = ASIA.sample(50, seed=2)
    assert dc.open_model(tmp_path / "model.dconvex").updated(more).network() == model.updated(more).network()
    assert type(prior)(getattr(prior, "pseudo", None) or prior.equivalent_sample_size) == prior


def test_priors_that_do_not_fit_are_refused():
    for wrong, message in (
        ({"asia": [1, 1]}, "no array of pseudo-counts for"),
        ({**drawn(1), "asai": [1, 1]}, "did you mean 'asia'"),
        ({**drawn(1), "lung": [1, 1]}, "have 1 axes; they need one for each of \\('smoke', 'lung'\\)"),
        ({**drawn(1), "asia": [1, 1, 1]}, "do not have the numbers of states of the data"),
        ({**drawn(1), "asia": [1, -1]}, "zero or more"),
        ({**drawn(1), "asia": "many"}, "not an array of numbers"),
    ):
        with pytest.raises((ValueError, dc.UnknownVariableError), match=message):
            dc.fit(ASIA, ROWS, states=ASIA.states, prior=dc.Dirichlet(wrong))
    with pytest.raises(ValueError, match="no equivalent sample size for"):
        dc.fit(ASIA, ROWS, prior=dc.BDeu({"asia": 1}))
    with pytest.raises(ValueError, match="sample size of 'asia' must be positive"):
        dc.BDeu({"asia": 0})
    with pytest.raises(ValueError, match="one equivalent sample size"):
        dc.BDeu({"asia": 1}).pseudo_count(2)
    with pytest.raises(ValueError, match="one pseudo-count"):
        dc.Dirichlet({"asia": [1]}).pseudo_count(2)
