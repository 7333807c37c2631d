"""Bayesian tables, and scores against pgmpy's."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from learning.exact_moments import least_norm
from learning.oracles import counts_in, estimated
from learning.samples import cuts, samples

import dconvex as dc

SIZES = st.sampled_from([0.1, 1.0, 10.0])


def fitted(sample, prior, **options):
    return dc.fit(sample.dag, sample.rows, states=sample.states, prior=prior, n_jobs=1, **options)


# --- priors


@given(samples(missing=True), SIZES)
def test_bdeu_spreads_its_sample_over_the_cells(sample, size):
    found, expected = (
        fitted(sample, dc.BDeu(size)).network(),
        estimated(sample.dag, sample.rows, sample.states, lambda n: size / n),
    )
    for v in sample.dag.nodes:
        np.testing.assert_allclose(found.family(v).values, expected.family(v).values, rtol=1e-12)


@given(samples(missing=True), SIZES)
def test_dirichlet_adds_the_same_to_every_cell(sample, pseudo):
    found = fitted(sample, dc.Dirichlet(pseudo)).network()
    expected = estimated(sample.dag, sample.rows, sample.states, lambda n: pseudo)
    for v in sample.dag.nodes:
        np.testing.assert_allclose(found.family(v).values, expected.family(v).values, rtol=1e-12)


def test_laplace_by_hand():
    rows = pd.DataFrame({"a": [0, 0, 0, 1], "b": ["x", "x", "y", "z"]})
    network = dc.fit([("a", "b")], rows, prior=dc.Dirichlet()).network()
    np.testing.assert_allclose(network.family("a").values, [4 / 6, 2 / 6])
    np.testing.assert_allclose(network.family("b").values, [[3 / 6, 2 / 6, 1 / 6], [1 / 4, 1 / 4, 2 / 4]])
    network = dc.fit([("a", "b")], rows, prior=dc.BDeu(6)).network()
    np.testing.assert_allclose(network.family("a").values, [6 / 10, 4 / 10])
    np.testing.assert_allclose(network.family("b").values, [[3 / 6, 2 / 6, 1 / 6], [1 / 4, 1 / 4, 2 / 4]])


@given(samples(max_states=2), SIZES)
def test_clusters_of_a_chain_agree_under_bdeu(sample, size):
    """In c → b → a both clusters know b, and BDeu gives it the same distribution in each."""
    chain = dc.Dag([("c", "b"), ("b", "a")])
    rng = np.random.default_rng(len(sample.rows))
    rows = pd.DataFrame(rng.integers(0, 2, (len(sample.rows), 3)), columns=list("abc"))
    model = dc.fit(chain, rows, states=dict.fromkeys("abc", (0, 1)), prior=dc.BDeu(size))
    one, other = (model.query(pair).values.sum(axis=0) for pair in (["c", "b"], ["a", "b"]))
    np.testing.assert_allclose(one, other, rtol=1e-12)


def test_priors_are_reported_as_unobserved_too():
    model = dc.fit([("a", "b")], pd.DataFrame({"a": [0], "b": [1]}), states={"a": (0, 1), "b": (0, 1)}, prior=dc.BDeu(1))
    assert model.report().unobserved == {"b | a": (1, 2)}
    np.testing.assert_allclose(model.network().family("b").values[1], 0.5)


@pytest.mark.parametrize("make", [dc.BDeu, dc.Dirichlet])
@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf])
def test_priors_that_are_none(make, bad):
    with pytest.raises(ValueError, match="must be positive"):
        make(bad)


def test_priors_keep_through_updates():
    rows = pd.DataFrame({"a": [0, 0, 1], "b": [0, 1, 1]})
    model = dc.fit([("a", "b")], rows[:1], prior=dc.BDeu(3)).updated(rows[1:])
    assert model.network() == dc.fit([("a", "b")], rows, prior=dc.BDeu(3)).network()


# --- scores


def peers(sample, size=10):
    from pgmpy.structure_score import AIC, BIC, BDeu

    names = {v: f"v{k}" for k, v in enumerate(sample.dag.nodes)}
    states = {names[v]: [str(code) for code in range(len(labels))] for v, labels in sample.states.items()}
    codes = {names[v]: pd.Categorical(sample.rows[v], categories=sample.states[v]).codes.astype(str) for v in names}
    data = pd.DataFrame({v: pd.Categorical(own, categories=states[v]) for v, own in codes.items()})
    makers = {"bic": BIC(data, states), "aic": AIC(data, states), "bdeu": BDeu(data, size, states)}
    return {
        criterion: sum(peer.local_score(names[v], tuple(names[p] for p in sample.dag.parents(v))) for v in names)
        for criterion, peer in makers.items()
    }


@pytest.mark.parametrize("name", ["asia", "alarm", "sachs"])
@pytest.mark.parametrize("size", [1, 10])
def test_scores_are_those_of_pgmpy(name, size):
    pytest.importorskip("pgmpy")
    from learning.samples import Sample

    network = dc.load_network(name)
    sample = Sample(network, network.sample(3000, seed=4))
    statistics = dc.statistics(network, sample.rows, states=network.states)
    for criterion, expected in peers(sample, size).items():
        assert statistics.score(criterion, size) == pytest.approx(expected, rel=1e-9)


@given(samples(max_rows=60), st.data())
def test_scores_by_hand(sample, data):
    statistics = dc.statistics(sample.dag, sample.rows, states=sample.states)
    rows = len(sample.rows)
    likelihood, parameters, bdeu = 0.0, 0, 0.0
    for v in sample.dag.nodes:
        parents = sample.dag.parents(v)
        cells = counts_in(statistics)[v, parents]
        q, r = math.prod(len(sample.states[p]) for p in parents), len(sample.states[v])
        totals = Counter()
        for row, count in cells.items():
            totals[row[:-1]] += count
        likelihood += sum(count * math.log(count / totals[row[:-1]]) for row, count in cells.items())
        parameters += q * (r - 1)
        bdeu += sum(math.lgamma(3 / q) - math.lgamma(3 / q + total) for total in totals.values())
        bdeu += sum(math.lgamma(3 / q / r + count) - math.lgamma(3 / q / r) for count in cells.values())
    assert statistics.score("aic") == pytest.approx(likelihood - parameters, rel=1e-9, abs=1e-9)
    assert statistics.score() == pytest.approx(likelihood - parameters * math.log(rows) / 2, rel=1e-9, abs=1e-9)
    assert statistics.score("bdeu", 3) == pytest.approx(bdeu, rel=1e-9, abs=1e-9)
    parts = [sample.rows[part] for part in data.draw(cuts(rows, 2))]
    total = sum(dc.statistics(sample.dag, part, states=sample.states) for part in parts)
    assert total.score("bdeu", 3) == statistics.score("bdeu", 3)


def test_scores_of_regressions():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(80, 3)) @ rng.normal(size=(3, 3)), columns=list("xyz"))
    dag = dc.Dag([("x", "z"), ("y", "z")])
    likelihood = sum(-40 * (math.log(2 * math.pi * least_norm(rows, v, dag.parents(v))[2]) + 1) for v in "xyz")
    assert dc.statistics(dag, rows).score("aic") == pytest.approx(likelihood - 8, rel=1e-9)
    assert dc.statistics(dag, rows).score("bic") == pytest.approx(likelihood - 8 * math.log(80) / 2, rel=1e-9)
    log_likelihood = dc.fit(dag, rows).log_likelihood(rows).sum()
    assert log_likelihood == pytest.approx(likelihood, rel=1e-9)
    with pytest.raises(ValueError, match="BDeu"):
        dc.statistics(dag, rows).score("bdeu")


def test_scores_that_are_none():
    statistics = dc.statistics([("a", "b")], pd.DataFrame({"a": [0], "b": [1]}))
    with pytest.raises(ValueError, match="unknown score 'mdl'"):
        statistics.score("mdl")


def test_a_sure_child_has_no_likelihood():
    rows = pd.DataFrame({"x": [0.5, 1.5, 2.25], "y": [1.0, 3.0, 4.5]})
    with pytest.raises(dc.DataError, match="'y'"):
        dc.statistics([("x", "y")], rows, kind="gaussian").score("bic")


# --- tables with very many cells


def wide(count, states, seed):
    """y with four parents, of which this part sees these states."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.choice(states, size=(count, 5)), columns=["p", "q", "r", "s", "y"])


WIDE = dc.Dag([(parent, "y") for parent in "pqrs"])


def test_parts_become_sparse_when_their_states_add_up():
    one, two = wide(300, np.arange(10), 0), wide(300, np.arange(8, 18), 1)
    whole = pd.concat([one, two])
    total = dc.statistics(WIDE, one) + dc.statistics(WIDE, two)
    assert total == dc.statistics(WIDE, whole) == dc.statistics(WIDE, [one, two]) == dc.statistics(WIDE, whole, n_jobs=2)
    assert counts_in(total)["y", WIDE.parents("y")] == Counter(whole.groupby([*WIDE.parents("y"), "y"]).size().to_dict())
    assert total + dc.statistics(WIDE, one) == dc.statistics(WIDE, [one, two, one])
    assert dc.fit(WIDE, total, max_bytes=1 << 30).network() == dc.fit(WIDE, whole, max_bytes=1 << 30).network()


def test_a_sparse_table_scores_as_its_cells_do():
    rows = wide(300, np.arange(20), 2)
    cells = Counter(map(tuple, rows[[*WIDE.parents("y"), "y"]].itertuples(index=False)))
    assert max(cells.values()) == 1
    roots = (
        sum(count * math.log(count / 300) for parent in "pqrs" for count in rows[parent].value_counts())
        - 4 * 19 * math.log(300) / 2
    )
    parents = Counter(row[:-1] for row in cells)
    own = sum(math.log(1 / parents[row[:-1]]) for row in cells) - 20**4 * 19 * math.log(300) / 2
    assert dc.statistics(WIDE, rows).score("bic") == pytest.approx(roots + own, rel=1e-12)


def test_cells_beyond_64_bits():
    parents = [f"p{k}" for k in range(25)]
    dag = dc.Dag([(parent, "y") for parent in parents])
    rows = pd.DataFrame(np.random.default_rng(0).integers(0, 10, (200, 26)), columns=[*parents, "y"])
    statistics = dc.statistics(dag, rows[:90]) + dc.statistics(dag, rows[90:])
    assert statistics == dc.statistics(dag, rows)
    members = [*dag.parents("y"), "y"]
    assert counts_in(statistics)["y", dag.parents("y")] == Counter(map(tuple, rows[members].to_numpy().tolist()))
    assert math.isfinite(statistics.score("bdeu"))
    with pytest.raises(dc.TooLargeError, match=r"y \| p"):
        dc.fit(dag, statistics)
