"""The baselines are exact: they give what brute force gives, and what the library gives on networks too large for it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inference.brute_force import joint
from strategies import discrete_networks

import dconvex as dc
from experiments.baselines import junction_tree as jt
from experiments.baselines.junction_tree import Factor, JunctionTree, contracted
from experiments.baselines.wu import LosslessDecomposition, Plan

NETWORKS = discrete_networks(min_nodes=1, max_nodes=7, max_states=3)


def marginal(network, variables):
    nodes = network.dag.nodes
    whole = Factor(nodes, joint(network))
    return whole.onto(set(variables)).over(variables)


def all_answers(network, variables):
    wu = LosslessDecomposition(network)
    return {
        "junction tree": JunctionTree(network).query(variables),
        "wu": wu.query(variables),
        "wu, pruned": wu.query(variables, prune=True),
    }


@given(NETWORKS, st.data())
def test_answers_are_those_of_brute_force(network, data):
    variables = data.draw(st.lists(st.sampled_from(network.dag.nodes), min_size=1, unique=True))
    for answer in all_answers(network, variables).values():
        np.testing.assert_allclose(answer, marginal(network, variables), rtol=0, atol=1e-12)


@given(NETWORKS)
def test_beliefs_are_marginals(network):
    calibrated = JunctionTree(network)
    for cluster, belief in zip(calibrated.tree.clusters, calibrated.beliefs, strict=True):
        assert set(belief.scope) == cluster
        np.testing.assert_allclose(belief.values, marginal(network, belief.scope), rtol=0, atol=1e-12)


@given(NETWORKS)
def test_each_clique_of_wu_is_a_network_with_the_right_marginal(network):
    wu = LosslessDecomposition(network)
    for clique, cluster in enumerate(wu.plan.tree.clusters):
        tables = wu.subnetwork(clique)
        for name, table in tables.items():
            sums = table.onto(set(table.scope) - {name}).values
            np.testing.assert_allclose(sums, 1.0, atol=1e-12)
        product = contracted(list(tables.values()), cluster)
        np.testing.assert_allclose(product.values, marginal(network, product.scope), rtol=0, atol=1e-12)


@given(NETWORKS)
def test_wu_keeps_independences(network):
    """All the pushed tables of a separator are one factorisation of it, along the DAG, each with no parent too many."""
    dag, plan = network.dag, Plan(network.dag)
    order = dag.topological_order()
    for variable, parents, near, far in plan.pushes:
        separator = plan.tree.clusters[near] & plan.tree.clusters[far]
        earlier = {name for name in separator if order.index(name) < order.index(variable)}
        assert variable in separator
        assert parents <= earlier
        assert dc.d_separated(dag, variable, earlier - parents, parents)
        assert not any(dc.d_separated(dag, variable, parent, parents - {parent}) for parent in parents)


@given(NETWORKS)
def test_wu_gives_each_clique_one_table_for_each_variable(network):
    plan = Plan(network.dag)
    placed = [(holders[0], name) for name, holders in plan.holders.items()]
    placed += [(push.far, push.variable) for push in plan.pushes]
    assert sorted(placed, key=str) == sorted(((c, name) for c, own in enumerate(plan.tree.clusters) for name in own), key=str)


def test_zeros_that_break_division():
    """The example of two records: dividing cluster tables by separator tables loses a quarter of the mass."""
    dag = dc.Dag([("c", "b"), ("a", "b"), ("a", "d"), ("b", "d")])
    tables = {
        "a": [0.5, 0.5],
        "c": [0.0, 1.0],
        "b": [[[0.5, 0.5], [1.0, 0.0]], [[0.5, 0.5], [0.0, 1.0]]],
        "d": [[[1.0, 0.0], [0.5, 0.5]], [[0.5, 0.5], [0.0, 1.0]]],
    }
    network = dc.BayesianNetwork.discrete(dag, tables, dict.fromkeys("abcd", (0, 1)))
    for answer in all_answers(network, list("abcd")).values():
        np.testing.assert_allclose(answer, joint(network), rtol=0, atol=1e-15)


def test_islands():
    network = dc.random_network(dc.Dag([("a", "b"), ("x", "y")], nodes=["a", "b", "x", "y", "z"]), states=3, seed=1)
    variables = ["z", "y", "a"]
    for answer in all_answers(network, variables).values():
        np.testing.assert_allclose(answer, marginal(network, variables), rtol=0, atol=1e-15)


def binary_pathfinder():
    return dc.random_network(dc.load_network("pathfinder").dag, states=2, seed=1)


@pytest.mark.parametrize("network", [dc.load_network("asia"), dc.load_network("alarm"), binary_pathfinder()], ids=len)
def test_answers_are_those_of_the_library(network):
    rng = np.random.default_rng(1)
    model, wu, calibrated = dc.localize(network), LosslessDecomposition(network), JunctionTree(network)
    for size in (1, 2, 2, 5, 5, 8):
        variables = [network.dag.nodes[place] for place in rng.choice(len(network), size, replace=False)]
        expected = model.query(variables).values
        for answer in (wu.query(variables), wu.query(variables, prune=True), calibrated.query(variables)):
            np.testing.assert_allclose(answer, expected, rtol=0, atol=1e-12)


def test_too_large_a_product_is_refused(monkeypatch):
    calibrated, wu = JunctionTree(binary_pathfinder()), LosslessDecomposition(binary_pathfinder())
    monkeypatch.setattr(jt, "MEMORY", 1 << 12)
    variables = calibrated.tree.clusters[0] | calibrated.tree.clusters[-1] | set(wu.plan.holders)
    for query in (calibrated.query, wu.query):
        with pytest.raises(MemoryError, match="GiB"):
            query(sorted(variables))
