"""d-convexity, its witness and the hull against the definition on every small DAG, and the paper's example 1."""

from __future__ import annotations

import itertools

import networkx as nx
import pytest
from graph.brute_force import mask, members
from graph.examples import FIGURE_1
from graph.families import on_small_and_random_dags
from hypothesis import given
from hypothesis import strategies as st
from strategies import dags

import dconvex as dc


@on_small_and_random_dags
def test_convexity_witness_and_hull_of_every_set(family):
    for known in family():
        for nodes in range(1 << known.size):
            path = dc.inducing_path(known.dag, members(nodes))
            assert (path is None) == known.is_convex(nodes), (known.dag.edges, members(nodes))
            assert path is None or known.is_inducing(path, nodes), (known.dag.edges, members(nodes), path)
            hull = dc.convex_hull(known.dag, members(nodes))
            assert mask(hull) == known.hulls[nodes], (known.dag.edges, members(nodes))


def test_example_1_of_the_paper():
    assert not dc.is_d_convex(FIGURE_1, list("dglj"))
    assert dc.inducing_path(FIGURE_1, list("dglj")) == ("d", "g", "i", "s", "j")
    assert dc.is_d_convex(FIGURE_1, list("gislj"))
    assert dc.inducing_path(FIGURE_1, list("gislj")) is None


def test_example_1_collapses_where_it_is_convex_and_only_there():
    """What the marginal model says (d-separation in the DAG) and what the induced subgraph says."""
    for nodes, collapses in (("dglj", False), ("gislj", True)):
        inner = dc.Dag([edge for edge in FIGURE_1 if set(edge) <= set(nodes)], nodes=nodes)
        same = [
            dc.d_separated(FIGURE_1, x, y, z) == dc.d_separated(inner, x, y, z)
            for x, y in itertools.combinations(nodes, 2)
            for size in range(len(nodes) - 1)
            for z in itertools.combinations([v for v in nodes if v not in (x, y)], size)
        ]
        assert all(same) == collapses
    assert dc.d_separated(dc.Dag([("d", "g"), ("g", "l"), ("l", "j")]), "d", "j", "l")
    assert not dc.d_separated(FIGURE_1, "d", "j", "l")


@given(dags(max_nodes=12), st.data())
def test_nothing_one_and_everything_are_convex(dag, data):
    assert dc.is_d_convex(dag, [])
    assert dc.is_d_convex(dag, dag.nodes)
    assert dc.convex_hull(dag, []) == frozenset()
    if len(dag):
        node = data.draw(st.sampled_from(dag.nodes))
        assert dc.is_d_convex(dag, node)
        assert dc.convex_hull(dag, node) == {node}


@st.composite
def dags_with_sets(draw, count):
    dag = draw(dags(min_nodes=1, max_nodes=30, max_parents=3))
    return dag, *(frozenset(draw(st.sets(st.sampled_from(dag.nodes)))) for _ in range(count))


@given(dags_with_sets(2))
def test_hull_is_a_closure(case):
    dag, one, other = case
    hull = dc.convex_hull(dag, one)
    assert one <= hull
    assert dc.is_d_convex(dag, hull)
    assert dc.convex_hull(dag, hull) == hull
    assert (hull == one) == dc.is_d_convex(dag, one)
    assert hull <= dc.convex_hull(dag, one | other)
    assert dc.is_d_convex(dag, hull & dc.convex_hull(dag, other))  # convex sets are closed under intersection


@given(dags_with_sets(1))
def test_witness_is_an_inducing_path(case):
    dag, nodes = case
    path = dc.inducing_path(dag, nodes)
    if path is not None:
        edges = set(dag.edges)
        ends = {path[0], path[-1]}
        colliders = {b for a, b, c in zip(path, path[1:], path[2:], strict=False) if (a, b) in edges and (c, b) in edges}
        assert len(set(path)) == len(path) > 2
        assert all((a, b) in edges or (b, a) in edges for a, b in itertools.pairwise(path))
        assert ends <= nodes
        assert not {(path[0], path[-1]), (path[-1], path[0])} & edges
        assert set(path[1:-1]) & nodes <= colliders <= ends | dag.ancestors(ends)


@given(dags_with_sets(1))
def test_ancestral_sets_are_convex(case):
    dag, nodes = case
    assert dc.is_d_convex(dag, nodes | dag.ancestors(nodes))


@pytest.mark.parametrize("as_given", [lambda edges: edges, dc.Dag, nx.DiGraph, lambda edges: dc.random_network(dc.Dag(edges))])
def test_any_kind_of_graph_is_taken(as_given):
    graph = as_given([("a", "b"), ("b", "c")])
    assert not dc.is_d_convex(graph, ["a", "c"])
    assert dc.inducing_path(graph, ["c", "a"]) == ("a", "b", "c")
    assert dc.convex_hull(graph, ["a", "c"]) == {"a", "b", "c"}


@pytest.mark.parametrize("question", [dc.is_d_convex, dc.inducing_path, dc.convex_hull])
def test_unknown_variable_is_named(question):
    with pytest.raises(dc.UnknownVariableError, match=r"'rian'; did you mean 'rain'\?"):
        question([("rain", "wet")], ["wet", "rian"])


def test_repeated_nodes_and_any_order_do_not_matter():
    edges = [("a", "b"), ("b", "c"), ("c", "d")]
    assert dc.inducing_path(edges, ["d", "a", "d"]) == dc.inducing_path(edges, ["a", "d"]) == ("a", "b", "c", "d")


def test_collider_outside_the_ancestors_of_the_ends_joins_nothing():
    edges = [("a", "c"), ("b", "c"), ("c", "d")]
    assert dc.is_d_convex(edges, ["a", "b"])
    assert dc.is_d_convex(edges, ["a", "b", "c"])
    assert dc.inducing_path(edges, ["a", "b", "d"]) in {("a", "c", "d"), ("b", "c", "d")}


def test_long_chain():
    last = 100_000
    dag = dc.Dag([(i, i + 1) for i in range(last)])
    assert dc.inducing_path(dag, [0, last]) == tuple(range(last + 1))
    assert dc.is_d_convex(dag, range(last // 2))
    assert not dc.is_d_convex(dag, [i for i in range(last) if i != last // 2])


def test_hull_on_a_long_chain():
    last = 100_000
    dag = dc.Dag([(i, i + 1) for i in range(last)])
    assert dc.convex_hull(dag, [0, last]) == frozenset(dag.nodes)
    assert dc.convex_hull(dag, [17, last // 2]) == frozenset(range(17, last // 2 + 1))


def test_hull_on_a_chain_of_diamonds():
    dag = dc.Dag(edge for i in range(0, 30_000, 3) for edge in [(i, i + 1), (i, i + 2), (i + 1, i + 3), (i + 2, i + 3)])
    assert dc.convex_hull(dag, [0, 30_000]) == frozenset(dag.nodes)
    assert dc.convex_hull(dag, [30, 60]) == frozenset(range(30, 61))
