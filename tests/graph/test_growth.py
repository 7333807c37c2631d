"""Long shapes: the trees are those of the plain algorithms, and the work grows with the shape, not with its square."""

from __future__ import annotations

import itertools
import random
import time

import networkx as nx
import pytest

import dconvex as dc


def factorial_chains(length):
    chains = [((chain, t), (chain, t + 1)) for chain in range(2) for t in range(length - 1)]
    seen = [((chain, t), (2, t)) for chain in range(2) for t in range(length)]
    return numbered(chains + seen)


def strip(width, length):
    along = [((t, place), (t + 1, place)) for t in range(length - 1) for place in range(width)]
    across = [((t, place), (t, place + 1)) for t in range(length) for place in range(width - 1)]
    return numbered(along + across)


def numbered(edges):
    number = {node: index for index, node in enumerate(sorted({end for edge in edges for end in edge}))}
    return dc.Dag([(number[a], number[b]) for a, b in edges])


def turned(dag, seed):
    """The same skeleton with its nodes in another order, and arcs along that order."""
    rng = random.Random(seed)
    order = dict(zip(dag.nodes, rng.sample(range(len(dag)), len(dag)), strict=True))
    number = dict(zip(dag.nodes, rng.sample(range(len(dag)), len(dag)), strict=True))
    return dc.Dag([(number[a], number[b]) if order[a] < order[b] else (number[b], number[a]) for a, b in dag.edges])


SHAPES = [
    factorial_chains(60),
    strip(3, 40),
    strip(4, 30),
    *(turned(strip(width, 90 // width), seed) for seed, width in enumerate([2, 3, 4, 5] * 3)),
    *(turned(factorial_chains(40), seed) for seed in range(6)),
    *(dc.random_dag(120, edges, max_parents=4, seed=seed) for seed, edges in enumerate([130, 150, 180] * 4)),
]
everywhere = pytest.mark.parametrize("dag", SHAPES, ids=range(len(SHAPES)))


@everywhere
def test_separators_are_kept_if_and_only_if_they_are_convex(dag):
    """The core looks at projections, `is_d_convex` at walks."""
    cliques, merged = (dc.decompose(dag, separators=mode, refine=False) for mode in ("all", "minimal"))
    kept = set(merged.separators)
    for separator in set(cliques.separators):
        assert (separator in kept) == dc.is_d_convex(dag, separator), separator


def cliques_by_lb_triang(dag):
    """Blocks by LB-Triang in order of least degree, ties by number, each walk over all of the graph."""
    moral = nx.moral_graph(dag.to_networkx())
    for nodes in list(nx.biconnected_components(moral)):
        graph, left = moral.subgraph(nodes).copy(), set(nodes)
        while left:
            x = min(left, key=lambda node: (graph.degree(node), node))
            left.remove(x)
            hood = set(graph[x])
            if all(graph.has_edge(a, b) for a, b in itertools.combinations(hood, 2)):
                graph.remove_node(x)
                continue
            for component in list(nx.connected_components(graph.subgraph(set(graph) - hood - {x}))):
                boundary = hood & set().union(*(graph[node] for node in component))
                graph.add_edges_from(itertools.combinations(boundary, 2))
                moral.add_edges_from(itertools.combinations(boundary, 2))
    return set(map(frozenset, nx.find_cliques(moral)))


@everywhere
def test_cliques_are_those_of_lb_triang(dag):
    assert set(dc.decompose(dag, separators="all").clusters) == cliques_by_lb_triang(dag)


@pytest.mark.parametrize("make", [factorial_chains, lambda length: strip(4, length)], ids=["chains", "strip"])
def test_long_shapes_take_a_few_seconds_at_most(make):
    """With walks over all that came before this took minutes."""
    dag = make(20_000)
    begun = time.process_time()
    tree = dc.decompose(dag, refine=False)
    assert time.process_time() - begun < 5
    assert sum(tree.sizes) >= len(dag)
