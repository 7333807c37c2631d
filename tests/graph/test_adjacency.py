"""Neighbour lists in flat arrays: every way to build them gives the same, and they cannot be changed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dconvex.graph.adjacency import Adjacency

neighbour_lists = st.integers(1, 8).flatmap(
    lambda size: st.lists(st.lists(st.integers(0, size - 1), max_size=4), min_size=size, max_size=size)
)


def as_lists(adjacency):
    return [adjacency.of(node).tolist() for node in range(len(adjacency))]


@given(neighbour_lists)
def test_lists_come_back(lists):
    assert as_lists(Adjacency.from_lists(lists)) == lists


@given(neighbour_lists)
def test_owners_tell_whose_neighbour_it_is(lists):
    adjacency = Adjacency.from_lists(lists)
    pairs = list(zip(adjacency.owners().tolist(), adjacency.neighbours.tolist(), strict=True))
    assert pairs == [(owner, neighbour) for owner, row in enumerate(lists) for neighbour in row]


@given(neighbour_lists, st.randoms(use_true_random=False))
def test_pairs_are_grouped_in_the_order_in_which_they_come(lists, random):
    pairs = [(owner, neighbour) for owner, row in enumerate(lists) for neighbour in row]
    random.shuffle(pairs)
    owners, neighbours = np.array(pairs, np.int32).reshape(-1, 2).T
    expected = [[neighbour for owner, neighbour in pairs if owner == node] for node in range(len(lists))]
    assert as_lists(Adjacency.from_pairs(owners, neighbours, len(lists))) == expected


@given(neighbour_lists)
def test_reversing_swaps_the_ends_and_sorts(lists):
    backward = as_lists(Adjacency.from_lists(lists).reversed())
    assert backward == [[owner for owner, row in enumerate(lists) for n in row if n == node] for node in range(len(lists))]


@given(neighbour_lists, st.data())
def test_reachable_is_the_closure_of_the_sources(lists, data):
    sources = data.draw(st.sets(st.integers(0, len(lists) - 1)))
    reached = set(sources)
    while grown := {neighbour for node in reached for neighbour in lists[node]} - reached:
        reached |= grown
    assert Adjacency.from_lists(lists).reachable(sources).tolist() == sorted(reached)


def test_arrays_are_read_only():
    adjacency = Adjacency.from_lists([[1], []])
    for array in (adjacency.start, adjacency.neighbours):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
