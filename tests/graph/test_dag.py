"""The DAG as a value: built from anything that stands for one, checked once, frozen, compared with networkx."""

from __future__ import annotations

import copy
import pickle
import random
import re

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dags, digraphs

import dconvex as dc
from dconvex import CycleError, Dag, NetworkError, UnknownVariableError
from dconvex.graph.dag import as_dag

DIAMOND = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]


def shuffled(values):
    return random.Random(0).sample(list(values), len(values))


# --- the value


@given(dags(), st.randoms(use_true_random=False))
def test_order_of_edges_and_nodes_does_not_show(dag, rng):
    edges, nodes = list(dag.edges), list(dag.nodes)
    one = Dag(edges, nodes)
    rng.shuffle(edges)
    rng.shuffle(nodes)
    other = Dag(edges, nodes)
    assert one == other
    assert hash(one) == hash(other)
    assert one.nodes == other.nodes
    assert one.topological_order() == other.topological_order()


def test_nodes_edges_and_parents_stand_in_canonical_order():
    dag = Dag([("b", 10), (9, 10), ("a", 10), ("b", "a")])
    assert dag.nodes == (9, 10, "a", "b")
    assert dag.edges == ((9, 10), ("a", 10), ("b", 10), ("b", "a"))
    assert dag.parents(10) == (9, "a", "b")
    assert dag.children("b") == (10, "a")


def test_names_are_kept_as_given():
    dag = Dag([(np.int64(1), "1"), ("1", np.str_("é"))])
    assert dag.nodes == (1, "1", "é")
    assert list(map(type, dag.nodes)) == [int, str, str]


def test_from_parents_keeps_the_order_and_the_order_is_part_of_the_value():
    one = Dag.from_parents({"a": (), "b": (), "c": ("b", "a")})
    other = Dag.from_parents({"c": ("a", "b"), "b": (), "a": ()})
    assert one.parents("c") == ("b", "a")
    assert other.parents("c") == ("a", "b")
    assert one.edges == other.edges
    assert one != other
    assert other == Dag([("a", "c"), ("b", "c")])
    assert hash(other) == hash(Dag([("a", "c"), ("b", "c")]))


@given(dags())
def test_from_parents_rebuilds_any_dag(dag):
    assert Dag.from_parents({node: dag.parents(node) for node in shuffled(dag.nodes)}) == dag


def test_from_parents_takes_a_single_name_for_itself():
    assert Dag.from_parents({"rain": (), "wet": "rain"}).parents("wet") == ("rain",)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Dag([("a", "b")]), Dag([("b", "a")])),
        (Dag([("a", "b")]), Dag([("a", "b")], nodes="c")),
        (Dag([(1, 2)]), Dag([("1", "2")])),
        (Dag([("a", "b"), ("a", "c")]), Dag([("a", "b"), ("b", "c")])),
        (Dag([("a", "b")], nodes="c"), Dag([("a", "c")], nodes="b")),
        (Dag(nodes="a"), Dag()),
    ],
)
def test_different_graphs_are_unequal(one, other):
    assert one != other
    assert one != one.edges


def test_length_membership_and_iteration():
    dag = Dag(DIAMOND, nodes=7)
    assert len(dag) == 5
    assert list(dag) == [7, "a", "b", "c", "d"]
    assert "a" in dag
    assert "x" not in dag
    assert ["a"] not in dag
    assert ("a", ["b"]) not in dag


def test_printed_in_a_line():
    assert repr(Dag(DIAMOND, nodes=7)) == "Dag(5 nodes, 4 edges)"


def test_the_empty_graph():
    dag = Dag()
    assert (len(dag), dag.nodes, dag.edges, dag.topological_order()) == (0, (), (), ())
    assert dag == Dag([]) == Dag.from_parents({})
    assert dag.ancestors([]) == frozenset()


@pytest.mark.parametrize("again", [lambda dag: pickle.loads(pickle.dumps(dag)), copy.copy, copy.deepcopy])
@given(dag=dags())
def test_pickles_and_copies(again, dag):
    restored = again(dag)
    assert restored == dag
    assert hash(restored) == hash(dag)
    assert restored.topological_order() == dag.topological_order()
    assert not restored.graph.parents.offsets.flags.writeable


def test_frozen():
    dag = Dag(DIAMOND)
    with pytest.raises(AttributeError, match="a Dag is frozen"):
        dag.graph = dag.graph
    with pytest.raises(AttributeError, match="a Dag is frozen"):
        dag.colour = "red"
    with pytest.raises(AttributeError, match="a Dag is frozen"):
        del dag.graph
    for array in (dag.graph.order, dag.graph.parents.values, dag.graph.children.offsets):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


# --- what stands for a DAG


@given(dags())
def test_networkx_out_and_in(dag):
    graph = dag.to_networkx()
    assert type(graph) is nx.DiGraph
    assert set(graph.nodes) == set(dag.nodes)
    assert set(graph.edges) == set(dag.edges)
    assert Dag(graph) == as_dag(graph) == Dag(dag.edges, dag.nodes)


def test_to_networkx_is_a_new_graph_each_time():
    dag = Dag(DIAMOND)
    dag.to_networkx().clear()
    assert dag.to_networkx().number_of_edges() == 4


def test_undirected_networkx_graph_is_refused():
    with pytest.raises(NetworkError, match=r"undirected; a DAG needs a networkx\.DiGraph"):
        Dag(nx.Graph(DIAMOND))


def test_networkx_graph_with_other_names_is_refused():
    with pytest.raises(NetworkError, match=re.escape("not (0, 1) (tuple)")):
        Dag(nx.DiGraph([((0, 1), (1, 1))]))


@given(dags(min_nodes=1))
def test_a_dag_or_a_network_stands_for_its_dag(dag):
    network = dc.random_network(dag)
    assert as_dag(dag) is dag
    assert as_dag(network) is dag
    assert Dag(dag) == dag
    assert Dag(network) == dag


def test_nodes_can_be_added_to_a_graph_and_the_parents_keep_their_order():
    dag = Dag.from_parents({"a": (), "b": (), "c": ("b", "a")})
    more = Dag(dag, nodes=["z", "a"])
    assert more.nodes == ("a", "b", "c", "z")
    assert more.parents("c") == ("b", "a")
    assert dag.with_nodes("a") is dag


@pytest.mark.parametrize("edges", [iter(DIAMOND), [list(edge) for edge in DIAMOND], dict.fromkeys(DIAMOND), np.array(DIAMOND)])
def test_edges_in_any_iterable(edges):
    assert Dag(edges) == Dag(DIAMOND)


@pytest.mark.parametrize("graph", ["ab", b"ab", None, 3])
def test_what_stands_for_no_graph(graph):
    with pytest.raises(TypeError, match=r"expected a Dag, a network, a networkx\.DiGraph or edges"):
        Dag(graph)


@given(digraphs())
def test_plain_edges_take_the_same_way_as_others(graph):
    """Plain tuples are checked in bulk, anything else edge by edge: the graph, or the error, is the same."""

    def outcome(edges):
        try:
            return Dag(edges)
        except NetworkError as error:
            return type(error), str(error)

    _, edges = graph
    looped = [*edges, *(edge[:1] * 2 for edge in edges[:1]), *edges[:1]]
    for plain in (edges, edges + edges[:1], looped):
        assert outcome(plain) == outcome([list(edge) for edge in plain])


# --- what is refused


@pytest.mark.parametrize("edge", ["ab", b"ab", ("a", "b", "c"), ("a",), (), 5, None, {"a", "b"}])
def test_bad_edges(edge):
    with pytest.raises(NetworkError, match=re.escape(f"an edge is a (parent, child) pair, not {edge!r}")):
        Dag([("x", "y"), edge])


@pytest.mark.parametrize("name", [None, 1.0, 1.5, True, np.True_, b"a", ("a", "b")])
def test_bad_names(name):
    problem = re.escape(f"a variable name must be a str or an int, not {name!r}")
    for build in (
        lambda: Dag([("x", "y"), ("a", name)]),
        lambda: Dag([(name, "a")]),
        lambda: Dag([("x", "y")], nodes=[name]),
        lambda: Dag.from_parents({name: ()}),
    ):
        with pytest.raises(NetworkError, match=problem):
            build()


def test_duplicate_edges():
    with pytest.raises(NetworkError, match="the edge 'b' → 'd' is given twice"):
        Dag([*DIAMOND, ("b", "d")])
    with pytest.raises(NetworkError, match="the edge 'a' → 'b' is given twice"):
        Dag.from_parents({"a": (), "b": ("a", "a")})


def test_self_loops():
    with pytest.raises(CycleError, match="a cycle: d → d") as caught:
        Dag([*DIAMOND, ("d", "d")])
    assert caught.value.cycle == ("d",)
    with pytest.raises(CycleError, match="a cycle: a → a"):
        Dag.from_parents({"a": ("a",)})


def test_unknown_endpoints():
    with pytest.raises(UnknownVariableError, match="unknown endpoint of an edge 'smokng'; did you mean 'smoking'"):
        Dag([("smokng", "cancer")], nodes=["smoking", "cancer"])
    with pytest.raises(UnknownVariableError, match=re.escape("unknown parent (of 'cancer') 'smokng'")):
        Dag.from_parents({"smoking": (), "cancer": ("smokng",)})


def test_nodes_may_name_the_isolated_ones_or_all():
    assert Dag([("a", "b")], nodes="c") == Dag([("a", "b")], nodes=["a", "b", "c"])


@pytest.mark.parametrize("question", ["parents", "children", "ancestors", "descendants", "index_of"])
@pytest.mark.parametrize("node", ["smokin", ["smoking"]])
def test_unknown_node_with_a_near_match(question, node):
    dag = Dag([("smoking", "cancer")])
    if question in ("ancestors", "descendants"):
        node = [node]
    with pytest.raises(UnknownVariableError, match="did you mean 'smoking'"):
        getattr(dag, question)(node)


@given(digraphs())
def test_a_cycle_is_found_exactly_when_there_is_one_and_is_true(graph):
    nodes, edges = graph
    oracle = nx.DiGraph(edges)
    oracle.add_nodes_from(nodes)
    if nx.is_directed_acyclic_graph(oracle):
        assert set(Dag(edges, nodes).edges) == set(edges)
        return
    with pytest.raises(CycleError) as caught:
        Dag(edges, nodes)
    cycle = caught.value.cycle
    assert len(set(cycle)) == len(cycle)
    assert set(zip(cycle, [*cycle[1:], cycle[0]], strict=True)) <= set(edges)


# --- walks


@given(dags(min_nodes=1), st.data())
def test_walks_agree_with_networkx(dag, data):
    oracle = dag.to_networkx()
    starts = data.draw(st.sets(st.sampled_from(dag.nodes)))
    above = set().union(*(nx.ancestors(oracle, node) for node in starts)) - starts
    below = set().union(*(nx.descendants(oracle, node) for node in starts)) - starts
    assert dag.ancestors(starts) == above
    assert dag.descendants(starts) == below
    for node in dag.nodes:
        assert set(dag.parents(node)) == set(oracle.predecessors(node))
        assert set(dag.children(node)) == set(oracle.successors(node))
        assert dag.ancestors(node) == nx.ancestors(oracle, node)


@pytest.mark.parametrize("seed", range(3))
def test_walks_agree_with_networkx_on_larger_graphs(seed):
    dag = dc.random_dag(300, 500, seed=seed)
    oracle = dag.to_networkx()
    for node in range(0, 300, 7):
        assert dag.ancestors(node) == nx.ancestors(oracle, node)
        assert dag.descendants(node) == nx.descendants(oracle, node)


@given(dags())
def test_parents_come_before_children(dag):
    order = dag.topological_order()
    assert set(order) == set(dag.nodes)
    assert len(order) == len(dag)
    index = {node: number for number, node in enumerate(order)}
    assert all(index[parent] < index[child] for parent, child in dag.edges)


def test_a_single_name_stands_for_itself():
    dag = Dag([("ab", "cd"), ("a", "b"), (3, "ab")])
    assert dag.ancestors("cd") == dag.ancestors(["cd"]) == {"ab", 3}
    assert dag.descendants(3) == {"ab", "cd"}
    assert dag.descendants(np.int64(3)) == {"ab", "cd"}


def test_a_chain_of_a_million_nodes():
    size = 1_000_000
    dag = Dag(list(zip(range(size - 1), range(1, size), strict=True)))
    assert len(dag) == size
    assert dag.parents(size - 1) == (size - 2,)
    assert (dag.graph.order == np.arange(size)).all()
    assert len(dag.ancestors(size - 1)) == size - 1


def test_a_cycle_of_a_hundred_thousand_nodes():
    size = 100_000
    with pytest.raises(CycleError, match=re.escape(f"({size} nodes)")) as caught:
        Dag([(f"v{node}", f"v{(node + 1) % size}") for node in range(size)])
    assert len(caught.value.cycle) == size
