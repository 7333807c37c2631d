"""Random trees of boxes: nothing overlaps, lines keep clear of what is not theirs, the same input gives the same positions."""

from __future__ import annotations

import random

import pytest
from display.curves import along, enters, overlapping
from hypothesis import given
from hypothesis import strategies as st

import dconvex as dc
from dconvex.display.geometry import Size, around
from dconvex.display.rooted_tree import RootedTree
from dconvex.display.tree_layout import GAP, arrange_tree, good_roots

SIZES = st.builds(Size, st.floats(5, 200), st.floats(5, 80))


@st.composite
def trees(draw, max_nodes=25):
    count = draw(st.integers(1, max_nodes))
    edges = [(draw(st.integers(0, node - 1)), node) for node in range(1, count)]
    clusters = [draw(SIZES) for _ in range(count)]
    separators = [draw(SIZES) for _ in edges]
    return clusters, edges, separators, draw(st.integers(0, count - 1))


@given(trees())
def test_nothing_overlaps(tree):
    layout = arrange_tree(*tree)
    assert not overlapping([*layout.clusters, *layout.separators])
    assert not overlapping(layout.clusters, GAP)
    assert [(box.width, box.height) for box in layout.clusters] == tree[0]
    assert [(box.width, box.height) for box in layout.separators] == tree[2]


@given(trees())
def test_lines_run_from_cluster_through_separator_to_cluster_and_touch_nothing_else(tree):
    clusters, edges, _, root = tree
    layout = arrange_tree(*tree)
    rooted = RootedTree.at(root, len(clusters), edges)
    for node in rooted.order[1:]:
        edge = rooted.edge_above[node]
        points = list(along(layout.routes[edge], flows_down=layout.flows_down, steps=60))
        own = layout.separators[edge]
        above, below = layout.clusters[rooted.parent[node]], layout.clusters[node]
        assert on_rim(points[0], above)
        assert on_rim(points[-1], below)
        assert any(on_rim(point, own) or enters([point], own) for point in points)
        assert not any(enters(points, box) for box in layout.clusters)
        assert not any(enters(points, box) for index, box in enumerate(layout.separators) if index != edge)


def on_rim(point, box):
    tiny = 1e-6
    inside = box.left - tiny <= point.x <= box.right + tiny and box.top - tiny <= point.y <= box.bottom + tiny
    return inside and not enters([point], box)


@given(trees())
def test_everything_lies_in_the_frame(tree):
    layout = arrange_tree(*tree)
    frame = around([*layout.clusters, *layout.separators], layout.routes)
    assert (frame.left, frame.top) == pytest.approx((0, 0), abs=1e-6)
    assert (frame.width, frame.height) == pytest.approx(layout.size)


@given(trees())
def test_deterministic_for_any_order_of_the_edges(tree):
    clusters, edges, separators, root = tree
    layout = arrange_tree(clusters, edges, separators, root)
    assert arrange_tree(clusters, edges, separators, root) == layout
    order = random.Random(0).sample(range(len(edges)), len(edges))
    other = arrange_tree(clusters, [edges[index] for index in order], [separators[index] for index in order], root)
    assert other.clusters == layout.clusters


def test_a_star_grows_to_both_sides():
    layout = arrange_tree([Size(40, 20)] * 31, [(0, leaf) for leaf in range(1, 31)], [Size(20, 10)] * 30, 0)
    lefts = sum(box.x < layout.clusters[0].x for box in layout.clusters[1:])
    assert lefts == 15
    assert not layout.flows_down


def test_no_clusters_and_one():
    assert arrange_tree([], [], [], 0).size == (0, 0)
    assert arrange_tree([Size(30, 20)], [], [], 0).size == (30, 20)


def test_a_long_chain_needs_no_recursion():
    count = 1_500
    layout = arrange_tree([Size(40, 20)] * count, [(n, n + 1) for n in range(count - 1)], [Size(20, 10)] * (count - 1), 0)
    assert layout.flows_down


def test_good_roots():
    path = [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert good_roots(5, path)[0] == 2
    assert good_roots(8, [*path, (3, 5), (3, 6), (3, 7)])[1] == 3
    assert good_roots(0, []) == []


@pytest.mark.parametrize("edges", [[(0, 1), (1, 2), (0, 2)], [(0, 1)], [(0, 1), (0, 1)], [(0, 0), (1, 2)]])
def test_what_is_not_a_tree_is_refused(edges):
    with pytest.raises(dc.NetworkError, match=r"do not form a tree; dconvex\.check_tree says more"):
        RootedTree.at(0, 3, edges)
