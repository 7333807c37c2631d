from __future__ import annotations

import pytest

import dconvex as dc
from dconvex.display.colours import NEUTRAL, PALETTE, cluster_colours, node_colours


@pytest.mark.parametrize("name", ["asia", "alarm", "insurance", "win95pts"])
def test_clusters_that_touch_differ(name):
    tree = dc.decompose(dc.load_network(name))
    colours = cluster_colours(tree)
    assert all(0 <= colour < len(PALETTE) for colour in colours)
    assert all(
        colours[one] != colours[other] for (one, other), shared in zip(tree.edges, tree.separators, strict=True) if shared
    )


def test_all_colours_are_used():
    assert len(set(cluster_colours(dc.decompose(dc.load_network("alarm"))))) == len(PALETTE)


def test_more_touching_clusters_than_colours():
    star = dc.ClusterTree([{"hub", index} for index in range(20)], [(0, index) for index in range(1, 20)])
    colours = cluster_colours(star)
    assert max(colours.count(colour) for colour in colours) == 3


def test_nodes_show_the_clusters_that_hold_them():
    tree = dc.ClusterTree([{"a", "b"}, {"b", "c"}], [(0, 1)])
    one, other = (PALETTE[colour] for colour in cluster_colours(tree))
    assert one != other
    assert node_colours(["a", "b", "c", "d"], tree) == [(one,), (one, other), (other,), ()]


def test_a_node_in_many_clusters_is_neutral():
    star = dc.ClusterTree([{"hub", index} for index in range(7)], [(0, index) for index in range(1, 7)])
    assert node_colours(["hub", *range(7)], star)[0] == (NEUTRAL,)
