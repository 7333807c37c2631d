"""Interventions: the edges into a variable are cut in the whole network, whichever cluster is asked afterwards."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inference.brute_force import BruteForce
from inference.models import SPRINKLER, chain, close
from inference.questions import questions, small_networks

import dconvex as dc


def intervened(network, settings, evidence, variables):
    """P(variables | do(settings), evidence) by the truncated factorisation, written out with plain arrays."""
    families = {v: network.family(v) for v in network.dag.nodes}
    fixed = {v: np.eye(len(network.states[v]))[network.states[v].index(label)] for v, label in settings.items()}
    parents = {v: () if v in settings else families[v].parents for v in families}
    tables = {v: fixed.get(v, families[v].values) for v in families}
    cut = dc.BayesianNetwork.discrete(dc.Dag.from_parents(parents), tables, network.states)
    return BruteForce(cut, evidence).query(variables)


@given(small_networks.filter(len), st.data())
def test_do_is_that_of_brute_force(network, data):
    chosen = data.draw(st.lists(st.sampled_from(network.dag.nodes), unique=True, max_size=3))
    settings = {variable: data.draw(st.sampled_from(network.states[variable])) for variable in chosen}
    local = dc.localize(network)
    question = data.draw(questions(st.just(network), kinds=()))
    close(local.do(settings).query(question.variables).values, intervened(network, settings, {}, question.variables))


def test_a_target_in_a_cluster_without_the_intervened_variable():
    """u → x → y and u → z → w ← y: seeing x tells of u and so of w by another way than doing x."""
    edges = [("u", "x"), ("x", "y"), ("u", "z"), ("y", "w"), ("z", "w"), ("w", "v"), ("v", "t")]
    network = dc.random_network(edges, 2, seed=4)
    local = dc.localize(network)
    assert all(not {"x", "t"} <= cluster for cluster in local.tree.clusters)
    for label in (0, 1):
        done, seen = local.do({"x": label}).query("t"), local.query("t", {"x": label})
        close(done.values, intervened(network, {"x": label}, {}, ["t"]))
        close(seen.values, BruteForce(network, {"x": label}).query(["t"]))
        assert np.abs(done.values - seen.values).max() > 1e-5


def test_doing_says_nothing_of_the_causes():
    local = dc.localize(SPRINKLER)
    close(local.do({"rain": "much"}).query("cloudy").values, local.query("cloudy").values)
    close(local.do({"rain": "much"}).query("cloudy", {"rain": "much"}).values, local.query("cloudy").values)


def test_doing_with_evidence():
    found = dc.localize(SPRINKLER).do({"sprinkler": 1}).query("cloudy", {"wet": "dry"})
    close(found.values, intervened(SPRINKLER, {"sprinkler": 1}, {"wet": "dry"}, ["cloudy"]))


def test_what_was_done_cannot_be_otherwise():
    with pytest.raises(dc.ImpossibleEvidenceError) as caught:
        dc.localize(SPRINKLER).do({"rain": "much"}).query("wet", {"rain": "none"})
    assert caught.value.conflict == {"rain": "none"}


def test_do_leaves_the_model_as_it_was():
    local = dc.localize(SPRINKLER)
    before = local.query(["rain", "wet"]).values.tolist()
    after = local.do({"rain": "much"})
    assert local.query(["rain", "wet"]).values.tolist() == before
    assert local.network() == SPRINKLER
    assert after.network() == SPRINKLER.do({"rain": "much"})


def test_doing_in_the_middle_of_a_chain_cuts_it():
    network = chain(300)
    local = dc.localize(network).do({150: 1})
    close(local.query([0, 300]).values, np.multiply.outer(local.query(0).values, local.query(300).values))
    close(local.query(300).values, dc.localize(network).query(300, {150: 1}).values)


def test_do_with_what_is_not_there():
    with pytest.raises(dc.UnknownStateError, match="unknown state 'mch' of 'rain'; did you mean 'much'"):
        dc.localize(SPRINKLER).do({"rain": "mch"})
    with pytest.raises(dc.UnknownVariableError, match="unknown variable 'rian'; did you mean 'rain'"):
        dc.localize(SPRINKLER).do({"rian": "much"})
