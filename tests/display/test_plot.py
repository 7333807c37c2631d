"""The methods `plot` with a backend that needs no screen: what is drawn, and that drawing it warns of nothing."""

from __future__ import annotations

import sys

import matplotlib as mpl
import pytest

mpl.use("Agg")

from matplotlib import pyplot
from matplotlib.patches import FancyBboxPatch, PathPatch, Rectangle

import dconvex as dc
from dconvex.display.canvas import MARGIN
from dconvex.display.colours import EMPTY, WARNING


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    pyplot.close("all")


def words(ax):
    return " ".join(text.get_text() for text in ax.texts)


def count(ax, kind):
    return sum(type(patch) is kind for patch in ax.patches)


def render(ax):
    """All of it drawn, so that every warning is raised."""
    ax.figure.canvas.draw()
    return ax


@pytest.mark.parametrize("name", ["asia", "alarm", "hepar2", "ecoli70"])
def test_a_tree(name):
    tree = dc.decompose(dc.load_network(name))
    ax = render(tree.plot())
    assert count(ax, FancyBboxPatch) == len(tree)
    assert count(ax, Rectangle) == len(tree.edges)
    assert count(ax, PathPatch) == 2 * len(tree.edges)  # to the separator, and on from it
    assert {word.strip(",") for word in words(ax).split()} == {str(name) for name in tree.variables}


def test_text_fits_into_its_box():
    ax = render(dc.decompose(dc.load_network("alarm")).plot())
    boxes = [patch.get_window_extent() for patch in ax.patches if type(patch) in (FancyBboxPatch, Rectangle)]
    for text in ax.texts:
        extent = text.get_window_extent()
        holders = [
            box
            for box in boxes
            if box.x0 <= extent.x0 and extent.x1 <= box.x1 and box.y0 - 1 <= extent.y0 and extent.y1 <= box.y1 + 1
        ]
        assert holders, text


def test_the_figure_has_the_size_that_the_layout_needs():
    ax = dc.decompose(dc.load_network("asia")).plot()
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert tuple(ax.figure.get_size_inches() * 72) == pytest.approx((right - left, bottom - top))
    assert left == -MARGIN
    assert {round(text.get_fontsize(), 6) for text in ax.texts} == {8.0, 6.5}


def test_into_given_axes_the_text_is_made_to_fit():
    figure, axes = pyplot.subplots(1, 2, figsize=(4, 3))
    tree = dc.decompose(dc.load_network("alarm"))
    assert tree.plot(axes[0]) is axes[0]
    assert dc.load_network("alarm").dag.plot(tree, axes[1]) is axes[1]
    assert pyplot.get_fignums() == [figure.number]
    assert max(text.get_fontsize() for text in axes[0].texts) < 4
    figure.canvas.draw()


def test_undecided_clusters_are_marked():
    tree = dc.ClusterTree([{"a", "b"}, {"b", "c"}, {"c", "d"}], [(0, 1), (1, 2)], undecided=[1])
    ax = render(tree.plot())
    marked = [patch.get_linestyle() for patch in ax.patches if mpl.colors.to_hex(patch.get_edgecolor()) == WARNING]
    assert marked == ["--"]
    assert words(ax).count("undecided") == 1


def test_long_separators_are_counted_and_empty_ones_shown():
    shared = [f"s{index}" for index in range(9)]
    tree = dc.ClusterTree([["a", *shared], ["b", *shared], ["z"]], [(0, 1), (1, 2)])
    assert "9 variables" in words(tree.plot())
    assert "∅" in words(tree.plot())


def test_a_network():
    dag = dc.load_network("alarm").dag
    ax = render(dag.plot())
    assert sorted(text.get_text() for text in ax.texts) == sorted(dag.nodes)
    assert count(ax, PathPatch) == 2 * len(dag.edges)  # a line and its head
    assert count(ax, FancyBboxPatch) == len(dag)


def test_a_network_coloured_by_cluster():
    dag = dc.load_network("asia").dag
    tree = dc.decompose(dag)
    ax = render(dag.plot(clusters=tree))
    holders = [sum(node in cluster for cluster in tree.clusters) for node in dag.nodes]
    stripes = count(ax, Rectangle) + count(ax, PathPatch) - 2 * len(dag.edges)
    assert stripes == sum(number for number in holders if number > 1)


def test_a_cluster_has_one_colour_in_both_pictures():
    dag = dc.load_network("asia").dag
    tree = dc.decompose(dag)
    in_network = next(patch for patch in dag.plot(tree).patches if box_holds(patch, "smoke"))
    in_tree = next(patch for patch in tree.plot().patches if box_holds(patch, "smoke"))
    assert in_network.get_facecolor() == in_tree.get_facecolor()


def box_holds(patch, word):
    if type(patch) is not FancyBboxPatch:
        return False
    box, ax = patch.get_bbox(), patch.axes
    return any(word in text.get_text() and box.fully_contains(*text.get_position()) for text in ax.texts)


def test_nodes_outside_a_pruned_tree_have_no_colour():
    dag = dc.load_network("asia").dag
    ax = dag.plot(dc.decompose(dag).pruned_to("asia"))
    grounds = [mpl.colors.to_hex(patch.get_facecolor()) for patch in ax.patches if patch.get_facecolor()[3]]
    assert grounds.count(EMPTY) == 6


def test_a_cluster_of_another_network():
    with pytest.raises(dc.UnknownVariableError, match="unknown member of a cluster 'smok'; did you mean 'smoke'"):
        dc.load_network("asia").dag.plot(dc.ClusterTree([{"smok"}]))


@pytest.mark.parametrize("nodes", [[], ["a"], ["a", "b"], [1, "1"]])
def test_hardly_anything_to_draw(nodes):
    dag = dc.Dag([], nodes)
    tree = dc.decompose(dag)
    render(tree.plot())
    assert len(render(dag.plot(tree)).texts) == len(nodes)


def test_odd_names_are_drawn_as_they_are():
    names = ["$x$", "a\nb", "", "\\alpha", "50% & more", "<b>"]
    ax = render(dc.Dag([], names).plot())
    assert sorted(text.get_text() for text in ax.texts) == sorted(["$x$", "a\\nb", "''", "\\alpha", "50% & more", "<b>"])
    assert not any(text.get_parse_math() for text in ax.texts)


def test_what_is_too_large_to_draw_is_summarised():
    chain = dc.Dag([(node, node + 1) for node in range(2_500)])
    assert "Network of 2,501 nodes and 2,500 edges" in words(render(chain.plot()))
    assert "Tree of 2,500 clusters" in words(render(dc.decompose(chain).plot()))


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    dag = dc.Dag([("a", "b")])
    for plot in (dag.plot, dc.decompose(dag).plot):
        with pytest.raises(ImportError, match=r"pip install 'dconvex\[plot\]'"):
            plot()
