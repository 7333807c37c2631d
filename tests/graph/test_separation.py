"""d-separation and Markov boundaries against the definition on every small DAG, and against networkx on larger ones."""

from __future__ import annotations

import itertools
import random

import networkx as nx
import pytest
from graph.brute_force import mask, members, subsets_of
from graph.families import UP_TO_5, WITH_6, drawn, on_every_small_dag
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import dags

import dconvex as dc

WET = [("cloudy", "rain"), ("cloudy", "sprinkler"), ("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery")]


def check_all_pairs(known):
    for x, y in itertools.combinations(range(known.size), 2):
        for z in subsets_of(known.full & ~(1 << x | 1 << y)):
            assert dc.d_separated(known.dag, x, y, members(z)) != known.connected[z, x, y], (known.dag.edges, x, y, members(z))


@on_every_small_dag
def test_every_pair_given_every_set(family):
    for known in family():
        check_all_pairs(known)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(16))
def test_every_pair_given_every_set_on_random_dags(seed):
    for known in drawn(seed, 100)():
        check_all_pairs(known)


@pytest.mark.parametrize("seed", range(4))
def test_sets_that_may_overlap(seed):
    rng = random.Random(seed)
    for known in drawn(seed, 75)():
        for _ in range(60):
            xs, ys, z = (members(rng.getrandbits(known.size) & rng.getrandbits(known.size)) for _ in range(3))
            expected = known.are_separated(xs, ys, mask(z))
            assert dc.d_separated(known.dag, xs, ys, z) == expected, (known.dag.edges, xs, ys, z)
            assert dc.d_separated(known.dag, ys, xs, z) == expected


@pytest.mark.parametrize("family", UP_TO_5 + WITH_6[::8])
def test_markov_boundary_is_the_smallest_shield(family):
    for known in family():
        for nodes in range(1 << known.size):
            found = dc.markov_boundary(known.dag, members(nodes))
            assert mask(found) == known.markov_boundary(nodes), (known.dag.edges, members(nodes))


@settings(max_examples=200)
@given(dags(max_nodes=25, max_parents=3), st.data())
def test_networkx_says_the_same(dag, data):
    role = {node: data.draw(st.sampled_from("xxyyz.")) for node in dag.nodes}
    xs, ys, z = ({node for node in dag.nodes if role[node] == name} for name in "xyz")
    assert dc.d_separated(dag, xs, ys, z) == nx.is_d_separator(dag.to_networkx(), xs, ys, z)


def test_collider_opens_when_it_or_a_descendant_is_given():
    assert dc.d_separated(WET, "rain", "sprinkler", "cloudy")
    assert not dc.d_separated(WET, "rain", "sprinkler", ["cloudy", "wet"])
    assert not dc.d_separated(WET, "rain", "sprinkler", ["cloudy", "slippery"])


def test_nothing_is_separated_from_anything():
    assert dc.d_separated(WET, [], "rain")
    assert dc.d_separated(WET, "rain", [])
    assert dc.d_separated([], [], [])


def test_a_node_is_separated_from_itself_only_if_given():
    assert not dc.d_separated(WET, "rain", "rain")
    assert dc.d_separated(WET, "rain", "rain", "rain")
    assert dc.d_separated(WET, "rain", ["wet", "rain"], ["rain"])


def test_islands_are_separated():
    dag = dc.Dag([("a", "b")], nodes=["a", "b", "c"])
    assert dc.d_separated(dag, ["a", "b"], "c")
    assert dc.markov_boundary(dag, "c") == frozenset()


@pytest.mark.parametrize(
    "as_given", [lambda dag: dag, lambda dag: list(dag.edges), lambda dag: dag.to_networkx(), dc.random_network]
)
def test_any_kind_of_graph_is_taken(as_given):
    graph = as_given(dc.Dag(WET))
    assert dc.d_separated(graph, "cloudy", "wet", ["rain", "sprinkler"])
    assert dc.markov_boundary(graph, "rain") == {"cloudy", "sprinkler", "wet"}


def test_markov_boundary_of_several_leaves_them_out():
    assert dc.markov_boundary(WET, ["rain", "wet"]) == {"cloudy", "sprinkler", "slippery"}
    assert dc.markov_boundary(WET, [node for edge in WET for node in edge]) == frozenset()
    assert dc.markov_boundary(WET, []) == frozenset()


@pytest.mark.parametrize("wrong", [("rian", "wet", ()), ("wet", "rian", ()), ("rain", "wet", "rian")])
def test_unknown_variable_is_named(wrong):
    with pytest.raises(dc.UnknownVariableError, match=r"'rian'; did you mean 'rain'\?"):
        dc.d_separated(WET, *wrong)
    with pytest.raises(dc.UnknownVariableError, match="'rian'"):
        dc.markov_boundary(WET, "rian")


def test_long_chain():
    last = 100_000
    dag = dc.Dag([(i, i + 1) for i in range(last)])
    assert not dc.d_separated(dag, 0, last)
    assert dc.d_separated(dag, 0, last, last // 2)
    assert dc.markov_boundary(dag, range(1, last)) == {0, last}


def test_chain_of_diamonds_has_too_many_paths_to_enumerate():
    dag = dc.Dag(edge for i in range(0, 3000, 3) for edge in [(i, i + 1), (i, i + 2), (i + 1, i + 3), (i + 2, i + 3)])
    assert not dc.d_separated(dag, 0, 3000)
    assert dc.d_separated(dag, 0, 3000, [1501, 1502])
    assert not dc.d_separated(dag, 0, 3000, 1501)
