import networkx as nx
import numpy as np
import pytest

import dconvex as dc
from benchmarks import shapes
from benchmarks.shapes import SHAPES

ALL = pytest.mark.parametrize("name", SHAPES)
SIZES = (50, 100, 1_000, 3_333)
CONNECTED = sorted(set(SHAPES) - {"sparse"})


@ALL
@pytest.mark.parametrize("nodes", SIZES)
def test_is_acyclic_and_of_about_the_size_asked_for(name, nodes):
    dag = SHAPES[name].make(nodes, 1)
    assert isinstance(dag, dc.Dag)  # which refuses cycles
    assert dag.nodes == tuple(range(len(dag)))
    side = int(nodes**0.5)
    assert nodes - max(3, 2 * side * (name == "grid")) <= len(dag) <= nodes
    tails, heads = np.array(dag.edges).T
    index = np.empty(len(dag), int)
    index[dag.graph.order] = np.arange(len(dag))
    assert (index[tails] < index[heads]).all()


@pytest.mark.parametrize("name", CONNECTED)
@pytest.mark.parametrize("nodes", SIZES)
def test_is_connected(name, nodes):
    assert nx.is_weakly_connected(SHAPES[name].make(nodes, 2).to_networkx())


@ALL
def test_the_seed_decides(name):
    make = SHAPES[name].make
    assert make(500, 3) == make(500, 3)
    is_random = name in {"polytree", "shuffled", "sparse"}
    assert (make(500, 3) != make(500, 4)) == is_random


@ALL
def test_edges_grow_with_the_nodes(name):
    few, many = (len(SHAPES[name].make(nodes, 1).edges) / nodes for nodes in (2_000, 8_000))
    assert 0.9 < many / few < 1.1
    assert 1 <= few < 2


def test_a_polytree_without_extra_edges_is_one():
    dag = shapes.polytree(2_000, 1, share=0)
    assert len(dag.edges) == 1_999
    assert nx.is_tree(dag.to_networkx().to_undirected())
    assert np.diff(dag.graph.parents.offsets).max() > 1


def test_extra_edges_of_a_polytree_are_local():
    tree, dag = (shapes.polytree(2_000, 1, share=share).to_networkx().to_undirected() for share in (0, 0.2))
    extra = [edge for edge in dag.edges if not tree.has_edge(*edge)]
    assert set(tree.edges) <= set(dag.edges)
    assert 300 < len(extra) < 500
    assert {nx.shortest_path_length(tree, *edge) for edge in extra} == {2, 3}


def test_shuffled_has_the_same_structure():
    dag, other = shapes.polytree(300, 5), shapes.shuffled(300, 5)
    assert dag != other
    assert nx.faster_could_be_isomorphic(dag.to_networkx(), other.to_networkx())


def test_diamonds():
    assert shapes.diamonds(7).edges == ((0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (3, 5), (4, 6), (5, 6))


def test_chains():
    assert shapes.chains(6).edges == ((0, 2), (0, 3), (1, 2), (1, 4), (3, 5), (4, 5))


def test_grids():
    assert shapes.grid(4).edges == ((0, 1), (0, 2), (1, 3), (2, 3))
    assert shapes.strip(6, width=3).edges == ((0, 1), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (4, 5))


def test_sparse_has_few_parents():
    dag = shapes.sparse(1_000, 1)
    assert len(dag.edges) == 1_000
    assert np.diff(dag.graph.parents.offsets).max() <= 3


@pytest.mark.parametrize("name", [name for name, shape in SHAPES.items() if shape.is_tree_like])
def test_clusters_of_tree_like_shapes_stay_small(name):
    for nodes in (500, 2_000):
        tree = dc.decompose(SHAPES[name].make(nodes, 1))
        assert tree.certified
        assert tree.sizes.max() <= 40
