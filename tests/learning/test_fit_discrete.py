"""Tables from data: the network of all clusters, what was never seen, updates, and models for a question."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from learning.exact_moments import least_norm
from learning.oracles import estimated
from learning.samples import cuts, samples

import dconvex as dc

THEORY = dc.Dag([("c", "b"), ("a", "b"), ("a", "d"), ("b", "d")])
FIVE = pd.DataFrame([(0, 0, 0), (0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 1, 1)], columns=["a", "b", "c"]).assign(d=[0, 1, 0, 1, 1])


def fitted(sample, rows=None, **options):
    return dc.fit(sample.dag, sample.rows if rows is None else rows, states=sample.states, n_jobs=1, **options)


def same_marginals(one, other):
    """Bit for bit."""
    found, expected = one.marginals(), other.marginals()
    assert found.keys() == expected.keys()
    assert all(np.array_equal(found[v].values, expected[v].values) for v in expected)


def same_network(found, expected):
    assert found.dag == expected.dag
    assert found.states == expected.states
    for v in expected.dag.nodes:
        np.testing.assert_allclose(found.family(v).values, expected.family(v).values, rtol=0, atol=1e-12)


# --- the network of all clusters


@given(samples(missing=True), st.booleans(), st.sampled_from(["minimal", "any", "complete"]))
def test_the_network_is_the_global_estimate(sample, coherent, mode):
    model = fitted(sample, coherent=coherent, tree=dc.decompose(sample.dag, separators=mode))
    same_network(model.network(), estimated(sample.dag, sample.rows, sample.states))


@pytest.mark.parametrize("name", dc.network_names())
def test_every_built_in_network(name):
    network = dc.load_network(name)
    rows = network.sample(200, seed=1)
    tree = dc.decompose(network, refine=False)
    if network.kind == "discrete":
        found = dc.fit(network, rows, states=network.states, tree=tree).network()
        for v in network.dag.nodes:
            np.testing.assert_allclose(found.family(v).values, frequencies(network, rows, v), rtol=0, atol=1e-12)
    else:
        found = dc.fit(network, rows, tree=tree).network()
        for v in network.dag.nodes:
            intercept, slopes, variance = least_norm(rows, v, network.dag.parents(v))
            family = found.family(v)
            np.testing.assert_allclose([family.coefficients[p] for p in family.parents], slopes, rtol=0, atol=1e-10)
            np.testing.assert_allclose([family.intercept, family.variance], [intercept, variance], rtol=1e-9, atol=1e-9)


def frequencies(network, rows, variable):
    """Straight from the codes of the columns."""
    members = (*network.dag.parents(variable), variable)
    shape = [len(network.states[member]) for member in members]
    codes = [pd.Categorical(rows[member], categories=network.states[member]).codes.astype(int) for member in members]
    counts = np.bincount(np.ravel_multi_index(codes, shape), minlength=int(np.prod(shape))).reshape(shape)
    totals = counts.sum(axis=-1, keepdims=True)
    return np.where(totals > 0, counts / np.maximum(totals, 1), 1 / shape[-1])


# --- the numbers of the theory


def test_local_and_coherent_answers_differ_in_small_samples():
    local, coherent = (dc.fit(THEORY, FIVE, coherent=flag) for flag in (False, True))
    assert set(local.tree.clusters) == {frozenset("abc"), frozenset("abd")}
    np.testing.assert_allclose(coherent.query(["b", "d"], {"a": 1}).values.sum(axis=1), [3 / 5, 2 / 5], rtol=1e-12)
    np.testing.assert_allclose(local.query(["b", "d"], {"a": 1}).values.sum(axis=1), [1 / 2, 1 / 2], rtol=1e-12)
    np.testing.assert_allclose(local.query(["b", "c"], {"a": 1}).values.sum(axis=1), [3 / 5, 2 / 5], rtol=1e-12)
    np.testing.assert_allclose(dc.localize(local.network()).query("b", {"a": 1}).values, [3 / 5, 2 / 5], rtol=1e-12)
    assert local.network() == coherent.network()
    assert (local.coherent, coherent.coherent) == (False, True)


def test_zeros_do_not_lose_mass():
    """Two records, over which cluster tables divided by separator tables would sum to 3/4."""
    rows = pd.DataFrame([(0, 0, 0, 0), (1, 0, 1, 1)], columns=list("abcd"))
    for coherent in (False, True):
        model = dc.fit(THEORY, rows, states=dict.fromkeys("abcd", (0, 1)), coherent=coherent)
        assert model.query(list("abcd")).values.sum() == pytest.approx(1, rel=1e-12)


# --- what was never seen


def shown(name):
    return repr(name) if isinstance(name, str) and name.lstrip("-").isdigit() else str(name)


@given(samples(missing=True))
def test_what_was_never_seen_is_uniform_and_counted(sample):
    model = fitted(sample)
    for v in sample.dag.nodes:
        parents = sample.dag.parents(v)
        complete = sample.rows[[*parents, v]].dropna()
        seen = len(set(zip(*(complete[p] for p in parents), strict=True))) if parents else min(len(complete), 1)
        of = int(np.prod([len(sample.states[p]) for p in parents]))
        title = f"{shown(v)} | {', '.join(map(shown, parents))}" if parents else shown(v)
        assert model.report().unobserved.get(title, (0, of)) == (of - seen, of)
        values = model.network().family(v).values.reshape(of, -1)
        assert (values == 1 / values.shape[1]).all(axis=1).sum() >= of - seen
        assert model.report().missing.get(title, 0) == len(sample.rows) - len(complete)


def test_the_report_in_words():
    rows = pd.DataFrame({"smoke": ["no", "yes", None], "sex": ["f", "f", "m"], "cough": [True, False, True]})
    text = str(dc.fit([("smoke", "cough"), ("sex", "cough")], rows).report())
    assert "learned from 3 rows, 3 families" in text
    assert "2 configurations of parents in 1 family were never seen" in text
    assert re.search(r"cough \| s\w+, s\w+ +2 of 4", text)
    assert re.search(r"smoke +1 row\b", text)
    assert "missing" in text


def test_a_report_with_nothing_to_say():
    text = str(dc.fit([("a", "b")], pd.DataFrame({"a": [0, 1], "b": [0, 1]})).report())
    assert "every configuration was seen, and no cell is missing" in text


def test_given_networks_have_no_report():
    model = dc.localize(dc.load_network("asia"))
    with pytest.raises(ValueError, match="nothing to report"):
        model.report()
    with pytest.raises(ValueError, match="not from data"):
        model.updated(pd.DataFrame())


# --- statistics and updates


@given(samples(min_rows=2, missing=True), st.booleans(), st.data())
def test_updating_is_fitting_on_everything(sample, coherent, data):
    first, second = data.draw(cuts(len(sample.rows), 2).filter(lambda parts: parts[0].stop > 0))
    model, whole = fitted(sample, sample.rows[first], coherent=coherent), fitted(sample, coherent=coherent)
    before = model.network()
    updated = model.updated(sample.rows[second])
    assert updated.network() == whole.network()
    assert updated.report() == whole.report()
    assert (updated.tree, updated.coherent) == (whole.tree, whole.coherent)
    everything = list(sample.dag.nodes)[:5]
    assert np.array_equal(updated.query(everything).values, whole.query(everything).values)
    assert model.network() == before


def test_updates_may_bring_new_states():
    one, two = FIVE, FIVE.replace({"a": {1: 7}})
    updated = dc.fit(THEORY, one, prior=dc.BDeu(2)).updated(two)
    whole = dc.fit(THEORY, pd.concat([one, two]), prior=dc.BDeu(2))
    assert updated.states["a"] == (0, 1, 7)
    assert updated.network() == whole.network()
    assert np.array_equal(updated.query(["b", "d"]).values, whole.query(["b", "d"]).values)


def test_declared_states_hold_for_updates():
    model = dc.fit(THEORY, FIVE, states=dict.fromkeys("abcd", (0, 1)))
    with pytest.raises(dc.DataError, match="unknown state 7"):
        model.updated(FIVE.replace({"a": {1: 7}}))


@given(samples(missing=True), st.booleans())
def test_fitting_statistics_is_fitting_the_data(sample, coherent):
    statistics = dc.statistics(sample.dag, sample.rows, states=sample.states)
    model, direct = dc.fit(sample.dag, statistics, coherent=coherent), fitted(sample, coherent=coherent)
    assert model.network() == direct.network()
    same_marginals(model, direct)
    assert model.updated(statistics).report().rows == 2 * len(sample.rows)


def test_statistics_of_another_graph_are_refused():
    statistics = dc.statistics(THEORY, FIVE)
    with pytest.raises(ValueError, match="another graph"):
        dc.fit([("a", "b")], statistics)
    with pytest.raises(ValueError, match="another tree"):
        dc.fit(THEORY, statistics, tree=dc.ClusterTree([list("abcd")]))
    with pytest.raises(ValueError, match="coherent=True"):
        dc.fit(THEORY, dc.statistics(THEORY, FIVE, coherent=True))


@given(samples(max_rows=60, missing=True), st.booleans())
def test_two_threads_learn_as_one_does(sample, coherent):
    one, two = (
        fitted(sample, coherent=coherent),
        dc.fit(sample.dag, sample.rows, states=sample.states, coherent=coherent, n_jobs=2),
    )
    assert one.network() == two.network()
    same_marginals(one, two)


# --- for a question


def test_a_model_for_a_question_reads_its_own_columns_only():
    network = dc.load_network("alarm")
    rows = network.sample(500, seed=0)
    whole = dc.fit(network, rows, states=network.states)
    wanted = ["HISTORY", "CVP"]
    part = dc.fit(network, rows[sorted(whole.tree.pruned_to(wanted).variables)], states=network.states, for_query=wanted)
    assert len(part) < len(whole)
    for question in ((wanted, {}), ("HISTORY", {"CVP": "LOW"})):
        np.testing.assert_allclose(part.query(*question).values, whole.query(*question).values, rtol=1e-12)
    with pytest.raises(ValueError, match="for_query"):
        part.network()
    with pytest.raises(dc.UnknownVariableError):
        part.query("SHUNT")
    with pytest.raises(dc.UnknownVariableError):
        part.query(wanted, {"SHUNT": "NORMAL"})


@given(samples(min_nodes=2, missing=True), st.data())
def test_the_kept_clusters_alone_are_learned(sample, data):
    wanted = data.draw(st.lists(st.sampled_from(sample.dag.nodes), min_size=1, max_size=3, unique=True))
    part, whole = fitted(sample, for_query=wanted), fitted(sample)
    assert set(part.tree.clusters) == set(whole.tree.pruned_to(wanted).clusters)
    np.testing.assert_allclose(part.query(wanted).values, whole.query(wanted).values, rtol=1e-12)
    more = part.updated(sample.rows)
    np.testing.assert_allclose(more.query(wanted).values, whole.updated(sample.rows).query(wanted).values, rtol=1e-12)


def test_for_query_has_limits():
    with pytest.raises(dc.UnknownVariableError, match="'x'"):
        dc.fit(THEORY, FIVE, for_query=["x"])
    with pytest.raises(ValueError, match="coherent"):
        dc.fit(THEORY, FIVE, for_query=["a"], coherent=True)
    assert dc.fit(THEORY, FIVE, for_query="c").query("c").values.tolist() == [0.6, 0.4]
