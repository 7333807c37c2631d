"""Random graphs and networks: exactly what was asked for, the same for the same seed, and drawn as promised."""

from __future__ import annotations

import math
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dags

import dconvex as dc
from dconvex import random_dag, random_gaussian_network, random_network
from dconvex.network.random_networks import _drawn


@given(st.integers(0, 12), st.integers(0, 12), st.randoms(use_true_random=False))
def test_exactly_that_many_edges_and_no_more_parents(n, limit, random):
    most = sum(min(index, limit) for index in range(n))
    edges = random.randint(0, most)
    dag = random_dag(n, edges, max_parents=limit, seed=random.randint(0, 99))
    assert dag.nodes == tuple(range(n))
    assert len(dag.edges) == edges
    assert all(len(dag.parents(node)) <= limit for node in dag.nodes)
    assert all(list(dag.parents(node)) == sorted(dag.parents(node)) for node in dag.nodes)
    random_dag(n, most, max_parents=limit, seed=0)
    with pytest.raises(ValueError, match=f"at most {limit} parents each has {most + 1} edges; the most is {most}"):
        random_dag(n, most + 1, max_parents=limit)


@pytest.mark.parametrize("n", [0, 1, 2, 40])
def test_complete_dags(n):
    most = n * (n - 1) // 2
    dag = random_dag(n, most, seed=0)
    assert sorted(len(dag.parents(node)) for node in dag.nodes) == list(range(n))
    with pytest.raises(ValueError, match=f"no DAG with {n} nodes has {most + 1} edges; the most is {most}"):
        random_dag(n, most + 1)


@pytest.mark.parametrize(("n", "edges", "max_parents"), [(-1, 0, None), (3, -1, None), (3, 0, -1), (3, 4, None), (4, 4, 1)])
def test_impossible_graphs(n, edges, max_parents):
    with pytest.raises(ValueError, match=f"no DAG with {n} nodes"):
        random_dag(n, edges, max_parents)


def test_the_seed_decides():
    assert random_dag(30, 60, 4, seed=1) == random_dag(30, 60, 4, seed=1)
    assert random_dag(30, 60, 4, seed=1) == random_dag(30, 60, 4, seed=np.random.default_rng(1))
    assert random_dag(30, 60, 4, seed=1) != random_dag(30, 60, 4, seed=2)
    assert random_dag(30, 60, 4) != random_dag(30, 60, 4)


def test_every_set_of_edges_is_equally_likely():
    draws = 4000
    found = Counter(
        frozenset(map(frozenset, random_dag(4, 3, seed=seed).edges))  # directions aside: 3 of 6 pairs
        for seed in range(draws)
    )
    assert len(found) == 20
    assert all(abs(count - draws / 20) < 5 * math.sqrt(draws / 20) for count in found.values())


def shape(edges):
    """Which of the graphs with two edges and one parent at most this is."""
    (a, b), (c, d) = edges
    return "fork" if a == c else "chain" if b == c or a == d else "apart"


def shapes_drawn_one_by_one(n):
    """Exact chances of the shapes when two edges, of one parent each, are drawn one after the other."""
    pairs = [(parent, child) for child in range(n) for parent in range(child)]
    chances = Counter()
    for first in pairs:
        allowed = [pair for pair in pairs if pair[1] != first[1]]
        for second in allowed:
            chances[shape([first, second])] += 1 / len(pairs) / len(allowed)
    return chances


def test_a_limit_is_kept_as_if_edges_were_drawn_one_by_one():
    draws = 3000
    exact = shapes_drawn_one_by_one(4)
    found = Counter(shape(random_dag(4, 2, max_parents=1, seed=seed).edges) for seed in range(draws))
    for kind, chance in exact.items():
        assert abs(found[kind] / draws - chance) < 5 * math.sqrt(chance * (1 - chance) / draws)


def test_what_earlier_rounds_drew_does_not_sway_the_next():
    """Four nodes, the last with two parents already: the four pairs that are left come up equally often."""
    draws, rng = 4000, np.random.default_rng(0)
    taken = np.array([3 * 4 + 0, 3 * 4 + 1])
    found = Counter(pair for _ in range(draws) for pair in _drawn(rng, taken, n=4, limit=3, missing=1).tolist())
    assert found.keys() == {1 * 4 + 0, 2 * 4 + 0, 2 * 4 + 1, 3 * 4 + 2}
    expected = found.total() / 4
    assert all(abs(count - expected) < 5 * math.sqrt(expected) for count in found.values())


def test_large_and_sparse_large_and_full():
    assert len(random_dag(100_000, 150_000, max_parents=3, seed=0).edges) == 150_000
    assert len(random_dag(20_000, 19_999 * 2 - 1, max_parents=2, seed=0).edges) == 39_997
    assert len(random_dag(400, 400 * 399 // 2, seed=0).edges) == 79_800


# --- networks


@given(dags(), st.integers(1, 4))
def test_networks_have_the_states_asked_for(dag, size):
    network = random_network(dag, size, seed=0)
    assert network.dag == dag
    assert network.states == dict.fromkeys(dag.nodes, tuple(range(size)))
    for node in dag.nodes:
        values = network.family(node).values
        assert values.shape == (size,) * (len(dag.parents(node)) + 1)
        assert np.allclose(values.sum(axis=-1), 1, rtol=0, atol=1e-12)


def test_states_as_a_dict_of_numbers_and_labels():
    network = random_network([("a", "b")], {"a": np.int64(3), "b": ["no", True]}, seed=0)
    assert network.states == {"a": (0, 1, 2), "b": ("no", True)}
    assert network.family("b").values.shape == (3, 2)


def test_impossible_states():
    with pytest.raises(dc.NetworkError, match="'a' has no states"):
        random_network([("a", "b")], 0)
    with pytest.raises(dc.NetworkError, match="no states are given for 'b'"):
        random_network([("a", "b")], {"a": 2})


def test_graphs_of_every_kind():
    edges = [("a", "b"), ("b", "c")]
    expected = random_network(edges, seed=3)
    for graph in (dc.Dag(edges), nx.DiGraph(edges), expected, edges[::-1]):
        assert random_network(graph, seed=3) == expected
        assert random_gaussian_network(graph, seed=3) == random_gaussian_network(edges, seed=3)


def test_the_seed_decides_on_networks():
    dag = random_dag(10, 15, seed=0)
    for build in (random_network, random_gaussian_network):
        assert build(dag, seed=1) == build(dag, seed=1) == build(dag, seed=np.random.default_rng(1))
        assert build(dag, seed=1) != build(dag, seed=2)
        assert build(dag) != build(dag)


def test_rows_are_uniform_over_all_distributions():
    """The first entry of a uniform row of three has mean 1/3 and variance 1/18; it exceeds one half with chance 1/4."""
    values = random_network(dc.Dag(nodes=range(20_000)), 3, seed=0).parameters.values.reshape(-1, 3)
    assert np.abs(values.mean(axis=0) - 1 / 3).max() < 5 * math.sqrt(1 / 18 / 20_000)
    assert np.abs((values > 0.5).mean(axis=0) - 1 / 4).max() < 5 * math.sqrt(3 / 16 / 20_000)


def test_gaussian_networks_stay_within_the_ranges_promised():
    network = random_gaussian_network(random_dag(2000, 4000, seed=0), seed=0)
    families = [network.family(node) for node in network.dag.nodes]
    coefficients = np.array([value for own in families for value in own.coefficients.values()])
    variances = np.array([own.variance for own in families])
    assert len(coefficients) == 4000
    assert 0.5 <= np.abs(coefficients).min() < 0.51
    assert 0.99 < np.abs(coefficients).max() <= 1
    assert abs((coefficients > 0).mean() - 0.5) < 5 * 0.5 / math.sqrt(4000)
    assert 0.5 <= variances.min() < 0.51
    assert 1.49 < variances.max() <= 1.5
    assert abs(np.mean([own.intercept for own in families])) < 5 / math.sqrt(2000)


def test_the_empty_graph():
    assert len(random_network([])) == len(random_gaussian_network([])) == 0
