"""Pictures of classes of DAGs: lines without heads where the DAGs do not agree."""

from __future__ import annotations

from display.elements import groups, root_of

import dconvex as dc


def picture(value, tmp_path):
    value.save_picture(tmp_path / "graph.svg")
    return (tmp_path / "graph.svg").read_text()


def titles(text, kind):
    return [group.find("{*}title").text for group in groups(root_of(text), kind)]


def test_every_edge_is_drawn(tmp_path):
    found = dc.cpdag(dc.load_network("alarm"))
    text = picture(found, tmp_path)
    assert set(titles(text, "undirected")) == {f"{one} – {other}" for one, other in found.undirected}
    assert len(titles(text, "edge")) == 46
    assert len(titles(text, "node")) == 37
    assert "HR → CO" in titles(text, "edge")


def test_an_edge_that_was_given_up_keeps_its_direction(tmp_path):
    text = picture(dc.Cpdag([(1, 2), (2, 3), (3, 1)]), tmp_path)
    assert set(titles(text, "edge")) == {"1 → 2", "2 → 3", "3 → 1"}


def test_a_large_one_is_a_summary(tmp_path):
    found = dc.cpdag(dc.random_dag(3_000, 4_000, seed=1))
    text = picture(found, tmp_path)
    assert titles(text, "edge") == []
    assert f"{len(found.directed):,}" in text
    assert found._repr_html_()
