"""A network made into a local model: which trees it takes, what it keeps, and shapes that break naive engines."""

from __future__ import annotations

import re

import numpy as np
import pytest
from graph.examples import CROSSING, FIGURE_1, NOT_MINIMAL, SATELLITE, TWO_TREES
from hypothesis import given
from inference.brute_force import BruteForce
from inference.models import CONVEX_MODES, SPRINKLER, chain, close
from network.enumeration import frame
from strategies import discrete_networks

import dconvex as dc
from dconvex import BayesianNetwork

LOOP = dc.random_network([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e")], 2, seed=0)


# --- trees


def test_the_tree_is_that_of_decompose_unless_given():
    assert dc.localize(SPRINKLER).tree == dc.decompose(SPRINKLER)
    tree = dc.decompose(SPRINKLER, separators="any")
    assert dc.localize(SPRINKLER, tree=tree).tree == tree


def test_separators_that_are_not_convex_are_refused_with_their_path():
    """In the loop a ← b, a → c, b → d ← c the separator {b, c} is joined by the path over a."""
    tree = dc.ClusterTree([["a", "b", "c"], ["b", "c", "d"], ["d", "e"]], [(0, 1), (1, 2)])
    assert dc.inducing_path(LOOP, ["b", "c"])
    with pytest.raises(ValueError, match="d-convex") as caught:
        dc.localize(LOOP, tree=tree)
    for name in ("'b'", "'c'", "a"):
        assert name in str(caught.value)


def test_the_tree_of_all_separators_is_refused_where_it_is_not_convex():
    with pytest.raises(ValueError, match="d-convex"):
        dc.localize(LOOP, tree=dc.decompose(LOOP, separators="all"))


@given(discrete_networks(min_nodes=1, max_nodes=7, max_states=2))
def test_every_tree_is_either_refused_or_right(network):
    tree = dc.decompose(network, separators="all")
    is_convex = all(dc.is_d_convex(network, separator) for separator in tree.separators)
    if not is_convex:
        with pytest.raises(ValueError, match="d-convex"):
            dc.localize(network, tree=tree)
    else:
        local = dc.localize(network, tree=tree)
        ends = network.dag.nodes[0], network.dag.nodes[-1]
        if len(network) > 1:
            close(local.query(ends).values, BruteForce(network).query(ends))


@pytest.mark.parametrize(
    "tree",
    [
        dc.ClusterTree([["a", "b", "c", "d"]]),  # e is missing
        dc.ClusterTree([["a", "b", "c", "d"], ["d", "e"], ["x"]], [(0, 1), (1, 2)]),  # x is a stranger
        dc.ClusterTree([["a", "b", "c", "d"], ["d", "e"]]),  # two trees
        dc.ClusterTree([["a", "b", "c"], ["c", "d"], ["d", "e"]], [(0, 1), (1, 2)]),  # no cluster holds b, c and d
    ],
)
def test_trees_of_another_network_are_refused(tree):
    with pytest.raises(ValueError):  # noqa: PT011, which property is missing differs
        dc.localize(LOOP, tree=tree)


@pytest.mark.parametrize(
    "edges",
    [FIGURE_1, CROSSING, SATELLITE, TWO_TREES, NOT_MINIMAL],
    ids=["figure 1", "crossing", "satellite", "two trees", "not minimal"],
)
@pytest.mark.parametrize("mode", CONVEX_MODES)
@pytest.mark.parametrize("refine", [True, False])
def test_every_pair_on_the_known_examples(edges, mode, refine):
    network = dc.random_network(edges, 2, seed=6)
    local = dc.localize(network, tree=dc.decompose(network, separators=mode, refine=refine))
    oracle = BruteForce(network)
    for one in network.dag.nodes:
        for other in network.dag.nodes:
            if one != other:
                close(local.query([one, other]).values, oracle.query([one, other]))


# --- the model


@given(discrete_networks())
def test_the_network_comes_back(network):
    local = dc.localize(network)
    assert local.network() == network
    assert local.dag == network.dag
    assert dc.check_tree(network, local.tree) == ()


def test_what_is_no_network_is_refused():
    with pytest.raises(TypeError, match="list"):
        dc.localize([("a", "b")])


def test_printed_in_a_line():
    assert re.match(r"LocalModel\(.*4 variables", repr(dc.localize(SPRINKLER)))


# --- shapes


def test_twenty_thousand_edges_in_a_row_do_not_recurse():
    length = 20_000
    network = chain(length, states=2, seed=1)
    local = dc.localize(network)
    from_both_ends = np.diag(network.family(0).values)
    for node in range(1, length + 1):
        from_both_ends = from_both_ends @ network.family(node).values
    close(local.query([0, length]).values, from_both_ends)
    close(local.query(length, {0: 1}).values, from_both_ends[1] / from_both_ends[1].sum())
    assert len(local.marginals({length: 0})) == length + 1
    assert np.isfinite(local.log_evidence(dict.fromkeys(range(0, length, 2), 1)))
    assignment, log_probability = local.most_probable(evidence={7: 1})
    row = frame([{**assignment, 7: 1}], network.dag.nodes)
    assert log_probability == pytest.approx(network.log_likelihood(row)[0] - local.log_evidence({7: 1}), rel=1e-9)
    assert local.sample(2, {length: 1}, seed=0).shape == (2, length + 1)


def test_a_short_question_on_a_long_chain():
    network = chain(20_000, seed=2)
    local = dc.localize(network)
    start = network.family(0).values
    for node in range(1, 10_000):
        start = start @ network.family(node).values
    close(local.query([9_999, 10_000]).values, start[:, np.newaxis] * network.family(10_000).values)


def test_a_star_of_ten_thousand():
    network = dc.random_network([("hub", leaf) for leaf in range(10_000)], 2, seed=0)
    local = dc.localize(network)
    exact = np.einsum("h,ha,hb->ab", *(network.family(name).values for name in ("hub", 3, 9_000)))
    close(local.query([3, 9_000]).values, exact)
    logs = np.log(network.family("hub").values) + sum(
        np.log(network.family(leaf).values[:, 1]) for leaf in range(0, 10_000, 10)
    )
    evidence = dict.fromkeys(range(0, 10_000, 10), 1)
    np.testing.assert_allclose(
        local.query("hub", evidence).values, np.exp(logs - np.logaddexp.reduce(logs)), rtol=1e-8, atol=1e-300
    )


def with_sure_variables(network: BayesianNetwork, count: int, seed: int) -> BayesianNetwork:
    """`network` woven together with variables of one state, each with 25 parents: scopes of far more than 64 variables.

    A variable of one state tells nothing, so every answer on the others is that of `network` alone.
    """
    rng = np.random.default_rng(seed)
    sure = [f"s{k}" for k in range(count)]
    order = [*sure[: count // 2], *network.dag.topological_order(), *sure[count // 2 :]]
    states = network.states | {name: ["so"] for name in sure}
    parents, tables = {}, {}
    for place, name in enumerate(order):
        own = list(network.dag.parents(name)) if name in network.dag else []
        earlier = [other for other in order[:place] if other in sure]
        parents[name] = own + rng.permutation(earlier)[: min(25, len(earlier))].tolist()
        if name in sure and place:
            parents[name] += [other for other in order[:place] if other in network.dag and rng.random() < 0.5]
        shape = [len(states[member]) for member in (*parents[name], name)]
        tables[name] = network.family(name).values.reshape(shape) if name in network.dag else np.ones(shape)
    return BayesianNetwork.discrete(dc.Dag.from_parents(parents), tables, states)


@pytest.mark.parametrize("tree", ["decomposed", "one cluster"])
def test_more_than_64_variables_in_a_scope(tree):
    network = dc.random_network(dc.random_dag(6, 8, max_parents=2, seed=0), 2, seed=0)
    woven = with_sure_variables(network, 150, seed=1)
    local = dc.localize(woven, tree=None if tree == "decomposed" else dc.ClusterTree([woven.dag.nodes]))
    names = network.dag.nodes
    oracle = BruteForce(network, {names[0]: 1})
    close(local.query(names[1:4], {names[0]: 1}).values, oracle.query(names[1:4]))
    close(local.query([names[2], "s3", "s149"], {names[0]: 1}).values, oracle.query(names[2:3]).reshape(2, 1, 1))
    assert local.log_evidence({names[0]: 1, "s7": "so"}) == pytest.approx(oracle.log_evidence, rel=1e-9)
    found = local.marginals({names[0]: 1})
    assert all(found[f"s{k}"].values.tolist() == [1.0] for k in range(150))
    close(found[names[5]].values, oracle.query([names[5]]))
    assignment, log_probability = local.most_probable(evidence={names[0]: 1})
    assert len(assignment) == 155
    assert log_probability == pytest.approx(np.log(oracle.most_probable(names[1:])), rel=1e-9)
    assert local.sample(5, {names[0]: 1}, seed=0).shape == (5, 156)


def test_a_variable_with_hundreds_of_neighbours_and_nothing_to_say():
    """Eliminating the hub first would join all 300 leaves."""
    network = dc.random_network([("hub", leaf) for leaf in range(300)], {"hub": 2} | dict.fromkeys(range(300), 1), seed=0)
    local = dc.localize(network)
    close(local.query("hub", soft={leaf: [0.5] for leaf in range(300)}).values, network.family("hub").values)
    close(local.query(list(range(40))).values, np.ones([1] * 40))
