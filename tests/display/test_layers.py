from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from strategies import dags

import dconvex as dc
from dconvex.display.layers import crossings, depths, layered


def numbered(dag: dc.Dag) -> tuple[int, list[tuple[int, int]]]:
    index = {name: number for number, name in enumerate(dag.nodes)}
    return len(dag), [(index[tail], index[head]) for tail, head in dag.edges]


@given(dags(max_nodes=12))
def test_edges_lead_downwards_through_every_row(dag):
    count, edges = numbered(dag)
    layers = layered(count, edges)
    row_of = {item: number for number, row in enumerate(layers.rows) for item in row}
    assert sorted(item for item in row_of if item < count) == list(range(count))
    assert [(chain[0], chain[-1]) for chain in layers.chains] == edges
    for chain in layers.chains:
        rows = [row_of[item] for item in chain]
        assert rows == list(range(rows[0], rows[-1] + 1))
        assert all(item >= count for item in chain[1:-1])


def test_depths_follow_the_longest_path():
    assert depths(5, [(0, 1), (1, 2), (0, 2), (2, 3)])[:4] == [0, 1, 2, 3]


def test_a_source_stands_just_above_its_children():
    assert depths(4, [(0, 1), (1, 2), (3, 2)]) == [0, 1, 2, 1]


def test_no_row_is_too_wide():
    depth = depths(101, [(0, leaf) for leaf in range(1, 101)])
    assert max(depth.count(row) for row in set(depth)) <= 16
    chain_first = depths(102, [*((0, leaf) for leaf in range(1, 101)), (50, 101)])
    assert chain_first[50] == 1  # what has something below it keeps its row


@given(dags(max_nodes=10))
def test_crossings_are_counted(dag):
    layers = layered(*numbered(dag))
    position = {item: number for row in layers.rows for number, item in enumerate(row)}
    row_of = {item: number for number, row in enumerate(layers.rows) for item in row}
    links = [link for chain in layers.chains for link in itertools.pairwise(chain)]
    crossed = sum(
        row_of[a] == row_of[c] and (position[a] - position[c]) * (position[b] - position[d]) < 0
        for (a, b), (c, d) in itertools.combinations(links, 2)
    )
    assert crossings(layers.rows, layers.chains) == crossed


def test_what_can_be_drawn_without_crossings_is():
    tree = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6), (6, 7), (0, 8)]
    ladder = [(0, 4), (1, 5), (2, 6), (3, 7)]
    for count, edges in ((9, tree), (8, ladder)):
        layers = layered(count, edges)
        assert crossings(layers.rows, layers.chains) == 0
    crossed = layered(4, [(0, 2), (0, 3), (1, 2), (1, 3)])
    assert crossings(crossed.rows, crossed.chains) == 1


@pytest.mark.parametrize(("name", "most"), [("asia", 0), ("alarm", 12), ("insurance", 40)])
def test_few_crossings_on_known_networks(name, most):
    layers = layered(*numbered(dc.load_network(name).dag))
    assert crossings(layers.rows, layers.chains) <= most


@given(dags(max_nodes=10))
def test_deterministic(dag):
    count, edges = numbered(dag)
    assert layered(count, edges) == layered(count, edges)
    shuffled = random.Random(0).sample(edges, len(edges))
    assert depths(count, shuffled) == depths(count, edges)
