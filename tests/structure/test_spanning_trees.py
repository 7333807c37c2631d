"""Trees against all forests of a few variables."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pandas
import pytest

import dconvex as dc


def forests(nodes):
    pairs = list(itertools.combinations(nodes, 2))
    for count in range(len(nodes)):
        for edges in itertools.combinations(pairs, count):
            graph = nx.Graph(edges)
            if not edges or nx.is_forest(graph):
                yield edges


def directed(edges, root_order):
    graph = nx.Graph(edges)
    graph.add_nodes_from(root_order)
    found, seen = [], set()
    for root in root_order:
        if root not in seen:
            found += nx.bfs_edges(graph, root)
            seen |= set(nx.node_connected_component(graph, root))
    return found


def frames():
    random = np.random.default_rng(5)
    for seed in range(4):
        network = dc.random_network(dc.random_dag(4, 4, seed=seed), 2 + seed % 2, seed=seed)
        yield (
            network.sample(int(random.integers(30, 300)), seed=seed)
            .rename(columns=lambda name: "dcba"[name])
            .astype("category")
        )
    numbers = random.normal(size=(60, 4)) @ random.normal(size=(4, 4))
    yield pandas.DataFrame(numbers, columns=list("abcd"))


def score(edges, data):
    return dc.statistics(dc.Dag(edges, nodes=list(data)), data).score()


def test_no_forest_is_better():
    for data in frames():
        found = dc.learn_structure(data, method="tree")
        best = max(score(directed(edges, sorted(data)), data) for edges in forests(sorted(data)))
        assert found.score == pytest.approx(best)
        assert found.score == pytest.approx(score(found.edges, data))
        assert all(len(found.dag.parents(name)) <= 1 for name in found.nodes)
        assert ("falls into" in repr(found)) == (len(found.edges) < 3)
        shuffled = data.sample(frac=1, random_state=1)[list(data)[::-1]]
        assert dc.learn_structure(shuffled, method="tree").dag == found.dag


def test_a_tree_grows_from_its_target():
    data = dc.load_network("alarm").sample(2_000, seed=1)
    found = dc.learn_structure(data, method="tree", target="HR")
    assert found.dag.parents("HR") == ()
    other = dc.learn_structure(data, method="tree")
    assert found.score == pytest.approx(other.score)
    assert set(map(frozenset, found.edges)) == set(map(frozenset, other.edges))


def test_no_classifier_is_better():
    for data in list(frames())[:4]:
        found = dc.learn_structure(data, method="tan", target="c")
        features = [name for name in sorted(data) if name != "c"]
        rays = [("c", name) for name in features]
        best = max(score([*rays, *directed(edges, features)], data) for edges in forests(features))
        assert found.score == pytest.approx(best)
        assert set(rays) <= set(found.edges)
        assert max(len(found.dag.parents(name)) for name in found.nodes) <= 2


def test_forbidden_pairs():
    data = dc.load_network("asia").sample(2_000, seed=1)
    free = dc.learn_structure(data, method="tree")
    pairs = [pair for edge in free.edges[:2] for pair in (edge, edge[::-1])]
    bound = dc.learn_structure(data, method="tree", forbidden=pairs)
    assert not set(pairs) & set(bound.edges)
    apart = [("dysp", "asia"), ("asia", "dysp")]
    assert ("dysp", "asia") not in dc.learn_structure(data, method="tan", target="dysp", forbidden=apart).edges


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "tan"}, "needs target="),
        ({"method": "tree", "forbidden": [("asia", "dysp")]}, "forbid both"),
        ({"method": "tan", "target": "dysp", "forbidden": [("asia", "dysp")]}, "forbid both"),
        ({"method": "tree", "required": [("asia", "dysp")]}, "cannot honour required"),
        ({"method": "tan", "target": "dysp", "max_parents": 2}, "cannot honour max_parents"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        dc.learn_structure(dc.load_network("asia").sample(100, seed=1), **options)


def test_one_variable():
    data = dc.load_network("asia").sample(100, seed=1)
    assert dc.learn_structure(data[["asia"]], method="tree").edges == ()
    assert dc.learn_structure(data[["asia"]], method="tan", target="asia").edges == ()
