"""Pictures in files: the suffix says which kind, and what is there stays whole when something goes wrong."""

from __future__ import annotations

import re
import sys

import pytest
from display.elements import groups, root_of

import dconvex as dc

STARTS = {"svg": b"<?xml", "html": b"<!DOCTYPE html>", "png": b"\x89PNG", "pdf": b"%PDF"}


def subjects():
    model = dc.localize(dc.load_network("asia"))
    normal = dc.localize(dc.random_gaussian_network([("x", "y")], seed=1))
    return [
        model.dag, model.network(), model.tree, model, model.explain("lung", {"smoke": "yes"}), model.query("lung"),
        model.query(["lung", "smoke"]), normal.query("x"), normal.query(["x", "y"]),
    ]  # fmt: skip


@pytest.mark.parametrize("suffix", STARTS)
def test_every_kind_of_file(suffix, tmp_path):
    for number, subject in enumerate(subjects()):
        path = tmp_path / f"{number}.{suffix.upper() if number % 2 else suffix}"
        subject.save_picture(path)
        assert path.read_bytes().startswith(STARTS[suffix])
        assert len(path.read_bytes()) > 500
    assert len(list(tmp_path.iterdir())) == len(subjects())


def test_a_file_is_the_same_each_time(tmp_path):
    dag = dc.load_network("alarm").dag
    for suffix in ("svg", "html", "png"):
        one, other = tmp_path / f"one.{suffix}", tmp_path / f"other.{suffix}"
        dag.save_picture(one)
        dag.save_picture(str(other))
        assert one.read_bytes() == other.read_bytes()


def test_a_network_coloured_by_clusters(tmp_path):
    network = dc.load_network("asia")
    tree = dc.decompose(network)
    network.save_picture(tmp_path / "plain.svg")
    network.save_picture(tmp_path / "coloured.svg", tree)
    network.dag.save_picture(tmp_path / "dag.svg", clusters=tree)
    plain, coloured, dag = (root_of((tmp_path / f"{name}.svg").read_text()) for name in ("plain", "coloured", "dag"))
    assert len(groups(plain, "node")) == len(groups(coloured, "node")) == 8
    fills = [[shape.get("fill") for shape in root.iter()] for root in (plain, coloured, dag)]
    assert fills[0] != fills[1] == fills[2]


def test_a_page_needs_nothing_else(tmp_path):
    dc.load_network("asia").save_picture(tmp_path / "asia.html")
    page = (tmp_path / "asia.html").read_text()
    assert "src=" not in page
    assert "@import" not in page
    assert page.replace("http://www.w3.org/2000/svg", "").count("http") == 0
    assert page.count("<script>") == page.count("</script>") == 1


@pytest.mark.parametrize("name", ["x.gif", "x", "x.svg.gz", "x.txt"])
def test_an_unknown_suffix(name, tmp_path):
    for subject in subjects():
        with pytest.raises(dc.FormatError, match=r"unknown suffix '.*'; pictures are .svg, .html, .png, .pdf"):
            subject.save_picture(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_the_old_name_still_writes_pictures_and_warns(tmp_path):
    for subject in subjects():
        with pytest.warns(DeprecationWarning, match=r"save for pictures is deprecated .*; use \w+\.save_picture"):
            subject.save(tmp_path / "x.svg")
        subject.save_picture(tmp_path / "y.svg")
        assert (tmp_path / "x.svg").read_bytes() == (tmp_path / "y.svg").read_bytes()


def test_a_model_is_saved_unless_the_suffix_is_that_of_a_picture(tmp_path):
    model = dc.localize(dc.load_network("asia"))
    model.save(tmp_path / "model.dcx")
    model.save(tmp_path / "model")
    model.save_picture(tmp_path / "model.svg")
    assert dc.open_model(tmp_path / "model").query("lung")["yes"] == dc.open_model(tmp_path / "model.dcx").query("lung")["yes"]
    root = root_of((tmp_path / "model.svg").read_text())
    assert len(groups(root, "node")) == 8
    assert len(groups(root, "cluster")) == 4
    with pytest.raises(ValueError, match=r"other.svg' would be a picture, which holds no statistics"):
        model.save(tmp_path / "other.svg", statistics=True)


def test_without_matplotlib_pictures_are_still_written_as_svg_and_html(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for subject in subjects():
        subject.save_picture(tmp_path / "x.svg")
        subject.save_picture(tmp_path / "x.html")
        before = sorted(tmp_path.iterdir())
        with pytest.raises(ImportError, match=r"pip install 'dconvex\[plot\]'"):
            subject.save_picture(tmp_path / "x.png")
        assert sorted(tmp_path.iterdir()) == before


def test_a_picture_that_fails_leaves_the_old_one(tmp_path):
    dag = dc.load_network("asia").dag
    dag.save_picture(tmp_path / "x.svg")
    before = (tmp_path / "x.svg").read_bytes()
    with pytest.raises(dc.UnknownVariableError):
        dag.save_picture(tmp_path / "x.svg", dc.ClusterTree([{"smok"}]))
    assert (tmp_path / "x.svg").read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


def test_pages_with_many_nodes_have_a_search_box(tmp_path):
    for name, has_box in (("pathfinder", True), ("alarm", False)):
        network = dc.load_network(name)
        network.save_picture(tmp_path / "page.html")
        assert ('type="search"' in (tmp_path / "page.html").read_text()) == has_box
        assert ('type="search"' in network._repr_html_()) == has_box


def test_a_small_answer_fills_its_page(tmp_path):
    answer = dc.localize(dc.load_network("asia")).query("lung")
    answer.save_picture(tmp_path / "page.html")
    box = re.search(r'viewBox="([^"]+)"', (tmp_path / "page.html").read_text())
    assert float(box[1].split()[2]) < 450
