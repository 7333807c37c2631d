"""Pictures as they are written: well-formed, complete, alike each time, and without anything that clashes in one page."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from functools import cache

import pytest
from display.elements import SVG, groups, root_of, texts, titles, words
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

import dconvex as dc
from dconvex.display.canvas import paint
from dconvex.display.drawing import Drawing, Group, Look, Path, Text
from dconvex.display.geometry import Point, Size
from dconvex.display.labels import label
from dconvex.display.showing import artist_of
from dconvex.display.svg import svg_element
from dconvex.display.typeface import text_width

ODD = ["<b>", "a & b", '"quoted"', "a\nb", "\x00", "", "50 %", "ä→日本", "]]>", "it's"]


KINDS = "dag network tree model plan bars map rows estimate density ellipses intervals normal_plan".split()


@cache
def pictured():
    """One of each kind, by name."""
    asia, gaussian = dc.load_network("asia"), dc.random_gaussian_network(dc.random_dag(6, 7, seed=1), seed=2)
    model, normal = dc.localize(asia), dc.localize(gaussian)
    nodes = list(gaussian.dag.nodes)
    return {
        "dag": asia.dag,
        "network": asia,
        "tree": model.tree,
        "model": model,
        "plan": model.explain("lung", {"smoke": "yes", "xray": "yes"}),
        "bars": model.query("lung"),
        "map": model.query(["lung", "smoke"]),
        "rows": model.query(["lung", "smoke", "bronc"]),
        "estimate": model.query("lung", method="sampling", seed=1),
        "density": normal.query(nodes[0]),
        "ellipses": normal.query(nodes[:2]),
        "intervals": normal.query(nodes),
        "normal_plan": normal.explain(nodes[0], {nodes[1]: 1.0}),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_shows_itself(kind):
    subject = pictured()[kind]
    root = root_of(subject._repr_html_())
    assert texts(root)
    assert root.get("aria-label")
    bundle = subject._repr_mimebundle_()
    assert bundle["text/html"] == subject._repr_html_()
    assert len(list(root_of(bundle["image/svg+xml"]).iter())) == len(list(root.iter())) + 1  # its style


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_in_it_can_clash_with_the_rest_of_a_page(kind):
    for element in root_of(pictured()[kind]._repr_html_()).iter():
        assert element.tag != f"{SVG}style"
        assert "id" not in element.attrib
        assert all(name.startswith("dcx-") for name in element.get("class", "").split())


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_bytes_each_time(kind):
    assert pictured()[kind]._repr_html_() == pictured.__wrapped__()[kind]._repr_html_()


@pytest.mark.parametrize("kind", KINDS)
def test_colours_suit_light_and_dark_pages(kind):
    """Dark and light text is on grounds only; on the bare page are only colours visible on light and dark."""
    root = root_of(pictured()[kind]._repr_html_())
    for group in root.iter(f"{SVG}g"):
        is_grounded = any(
            shape.get("fill", "none") not in ("none", "#808080", "currentColor") for shape in group if shape.tag != f"{SVG}text"
        )
        for text in group.findall(f"{SVG}text"):
            assert is_grounded or text.get("fill") in ("currentColor", "#808080"), text.text
    assert all(text.get("fill") in ("currentColor", "#808080") for text in root.findall(f"{SVG}text"))


@pytest.mark.parametrize("name", ["asia", "alarm", "hepar2", "ecoli70"])
def test_every_node_edge_and_cluster_stands_once_in_it(name):
    dag = dc.load_network(name).dag
    tree = dc.decompose(dag)
    network, clusters = root_of(dag._repr_html_()), root_of(tree._repr_html_())
    assert sorted(titles(network, "node")) == sorted(map(str, dag.nodes))
    assert sorted(titles(network, "edge")) == sorted(f"{tail} → {head}" for tail, head in dag.edges)
    assert sorted(texts(network)) == sorted(map(str, dag.nodes))
    boxes = [sorted(words(group)) for group in groups(clusters, "cluster")]
    assert boxes == [sorted(map(str, cluster)) for cluster in tree.clusters]
    assert len(groups(clusters, "separator")) == len(tree.edges)


def test_the_states_of_a_variable_are_in_its_title():
    assert "lung: yes, no" in titles(root_of(dc.load_network("asia")._repr_html_()), "node")


def test_clusters_have_the_colours_that_they_have_in_the_network():
    dag = dc.load_network("alarm").dag
    tree = dc.decompose(dag)
    fills = [next(group.iter(f"{SVG}rect")).get("fill") for group in groups(root_of(tree._repr_html_()), "cluster")]
    network = root_of(dc.localize(dc.load_network("alarm"))._repr_html_())
    for group in groups(network, "node"):
        name = group.findtext(f"{SVG}title")
        holders = [fill for fill, cluster in zip(fills, tree.clusters, strict=True) if name in cluster]
        drawn = [shape.get("fill") for shape in group if shape.tag in (f"{SVG}rect", f"{SVG}path")]
        if len(holders) <= 6:
            assert Counter(drawn) - Counter(["none"]) == Counter(holders)


def test_odd_names_are_escaped():
    dag = dc.Dag(itertools.pairwise(ODD))
    network, tree = dag._repr_html_(), dc.decompose(dag)._repr_html_()
    assert "<b>" not in network + tree
    shown = {"<b>", "a & b", '"quoted"', "a\\nb", "\\x00", "''", "50 %", "ä→日本", "]]>", "it's"}
    assert set(titles(root_of(network), "node")) == set(texts(root_of(network))) == shown
    assert len(groups(root_of(tree), "cluster")) == len(dc.decompose(dag))


def test_odd_states_are_escaped():
    tables, states = {"<&>": [0.5, 0.5], "b": [[1, 0], [0, 1]]}, {"<&>": ["<", "&"], "b": ["\n", '"']}
    model = dc.localize(dc.BayesianNetwork.discrete([("<&>", "b")], tables, states))
    for answer in (model.query("b"), model.query(["<&>", "b"]), model.explain("b", {"<&>": "<"}), model):
        assert "<&>" not in answer._repr_html_()
        root_of(answer._repr_html_())


def test_long_names_are_cut_and_in_full_in_the_title():
    name = "x" * 500
    root = root_of(dc.Dag([(name, "y")])._repr_html_())
    assert name in titles(root, "node")
    assert name not in texts(root)
    assert float(root.get("viewBox").split()[2]) < 400


@given(st.text(), st.floats(-1e6, 1e6), st.floats(0.1, 1e3))
def test_any_text_and_number_is_well_formed(text, at, size):
    shapes = [Group([Text(label(text), at, at, size)], (), label(text))]
    shapes.append(Path((Point(at, 0.0), Point(0.0, at), Point(1.0, 1.0), Point(at, at)), Look(), is_curved=True))
    (shown,) = texts(root_of(svg_element(Drawing(shapes, Size(size, size)))))
    assert shown.strip() == label(text).strip()


def test_straight_parts_of_curves_are_written_as_lines():
    straight, bent = Point(0, 9), (Point(3, 9), Point(3, 12), Point(6, 12))
    path = Path((Point(0, 0), Point(0, 3), Point(0, 6), straight, *bent), Look(line="#000000"), is_curved=True)
    assert 'd="M0 0V9C3 9 3 12 6 12"' in svg_element(Drawing([path], Size(9, 12)))


@pytest.mark.parametrize("kind", KINDS)
def test_matplotlib_draws_the_same_words(kind):
    drawing = artist_of(pictured()[kind])(text_width, 500)
    drawn = [text.get_text() for text in paint(drawing, new_figure=Figure).texts]
    assert drawn == texts(root_of(svg_element(drawing)))


def test_several_pictures_make_one_page():
    page = "".join(f"<div>{each._repr_html_()}</div>" for each in pictured().values())
    assert not re.search(r'\bid="', page)
    assert page.count("<svg") == page.count("</svg>") == len(pictured())
