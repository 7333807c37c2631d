"""Edges in samples of the rows: counts against graphs that are learned one by one, laws, the threshold and the average."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from display.elements import groups, root_of

import dconvex as dc
from dconvex.progress import SampleBar
from dconvex.structure.edge_strengths import EdgeStrength, EdgeStrengths
from dconvex.structure.resampling import Resampling


@pytest.fixture(scope="module")
def asia():
    return dc.load_network("asia").sample(500, seed=1)


def strengths_of(*rows, nodes="abcd", samples=10):
    return EdgeStrengths(tuple(nodes), tuple(EdgeStrength(*row) for row in rows), samples, "ges")


def test_edges_are_counted(asia):
    found = dc.edge_strengths(asia, 12, seed=5)
    rows = Resampling.of(asia, None, None, None, None)
    graphs = [dc.learn_structure(rows.sample(5, number), method="ges").cpdag for number in range(12)]
    assert found.nodes == tuple(sorted(asia))
    assert found.samples == 12
    seen = set()
    for edge in found:
        there = sum((edge.parent, edge.child) in graph.directed for graph in graphs)
        back = sum((edge.child, edge.parent) in graph.directed for graph in graphs)
        both = sum(tuple(sorted((edge.parent, edge.child))) in graph.undirected for graph in graphs)
        count = there + back + both
        assert edge.strength == count / 12
        assert edge.direction == pytest.approx((there + both / 2) / count)
        assert edge.directed == there / count
        assert edge.direction >= 0.5
        seen.add(frozenset((edge.parent, edge.child)))
    assert seen == {frozenset(edge) for graph in graphs for edge in (*graph.directed, *graph.undirected)}
    assert [edge.strength for edge in found] == sorted((edge.strength for edge in found), reverse=True)


def test_only_the_seed_makes_a_difference(asia):
    found = dc.edge_strengths(asia, 6, n_jobs=1)
    shuffled = asia.sample(frac=1, random_state=3)[list(asia)[::-1]]
    assert dc.edge_strengths(shuffled, 6, n_jobs=2) == found
    assert dc.edge_strengths([shuffled[:100], shuffled[100:]], 6) == found
    assert dc.edge_strengths(iter([asia]), 6) == found
    assert dc.edge_strengths(asia, 6, seed=1) != found


def test_a_sample_has_the_rows_of_the_data(asia):
    rows = Resampling.of(asia, None, None, None, None)
    sample = rows.sample(1, 2)
    assert len(sample) == len(asia)
    assert list(sample) == sorted(asia)
    known = set(map(tuple, asia[sorted(asia)].astype(str).to_numpy()))
    assert set(map(tuple, sample.astype(str).to_numpy())) <= known
    assert len(set(map(tuple, rows.sample(1, 3).to_numpy()))) > 1


def test_weights_are_drawn_as_often():
    data = pd.DataFrame({"a": ["x", "y", "z"], "n": [1_000, 3_000, 0]})
    rows = Resampling.of(data, None, None, "n", None)
    sample = rows.sample(0, 0)
    assert sample["n"].sum() == 4_000
    assert set(sample["a"]) == {"x", "y"}
    assert sample.loc[sample["a"] == "y", "n"].sum() == pytest.approx(3_000, abs=200)
    found = dc.edge_strengths(dc.load_network("asia").sample(300, seed=1).assign(n=2), 3, weights="n")
    assert "n" not in found.nodes


def test_numbers_are_drawn_too():
    random = np.random.default_rng(1)
    a = random.normal(size=300)
    frame = pd.DataFrame({"a": a, "b": a + random.normal(size=300), "c": random.normal(size=300)})
    found = dc.edge_strengths([frame[:100], frame[100:]], 10)
    assert (found.edges[0].parent, found.edges[0].child, found.edges[0].strength) == ("a", "b", 1.0)
    assert dc.edge_strengths(frame.sample(frac=1, random_state=1), 10) == found
    weighted = dc.edge_strengths(frame.assign(n=1.0), 4, weights="n")
    assert weighted.edges[0].strength == 1.0


def test_options_are_passed_on(asia):
    found = dc.edge_strengths(asia, 4, method="greedy", score="bdeu", required=[("asia", "dysp")], max_parents=1)
    edge = next(edge for edge in found if {edge.parent, edge.child} == {"asia", "dysp"})
    assert edge.strength == 1.0
    assert found.method == "greedy"
    for samples in (0, True):
        with pytest.raises(ValueError, match="samples="):
            dc.edge_strengths(asia, samples)
    with pytest.raises(ValueError, match="cannot honour required"):
        dc.edge_strengths(asia, 2, required=[("asia", "dysp")])
    with pytest.raises(dc.DataError):
        dc.edge_strengths(asia[:0], 2)


def distance_to_ideal(strengths, level):
    """The area between the distribution of the strengths and one that is flat at `level`, by its definition."""
    points = np.linspace(0, 1, 4_001)[:-1]
    distribution = np.searchsorted(np.sort(strengths), points, side="right") / len(strengths)
    return np.abs(distribution - level).mean()


def test_the_threshold_splits_strengths_best():
    for seed in range(8):
        random = np.random.default_rng(seed)
        pairs = list(itertools.combinations("abcde", 2))
        drawn = np.round(random.beta(0.3, 0.3, len(pairs)), 2)
        found = strengths_of(*((*pair, s, 0.5, 0.0) for pair, s in zip(pairs, drawn, strict=True) if s), nodes="abcde")
        own = np.mean(drawn <= found.threshold)
        best = min(distance_to_ideal(drawn, level) for level in np.linspace(0, 1, 101))
        assert distance_to_ideal(drawn, own) == pytest.approx(best, abs=2e-3)
    assert strengths_of().threshold == 0.0
    assert strengths_of(nodes="").threshold == 0.0


def test_the_average():
    found = strengths_of(
        ("a", "b", 1.0, 1.0, 1.0), ("b", "c", 0.9, 0.9, 0.9), ("c", "a", 0.8, 0.8, 0.8), ("c", "d", 0.7, 0.5, 0.0),
        ("b", "d", 0.1, 0.5, 0.0),
    )  # fmt: skip
    assert set(dc.averaged_structure(found, 0.5).edges) == {("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")}
    assert dc.averaged_structure(found, 0.85).edges == (("a", "b"), ("b", "c"))
    assert dc.averaged_structure(found, 0.85).nodes == ("a", "b", "c", "d")
    chain = strengths_of(("b", "a", 1.0, 0.6, 0.2), ("c", "b", 1.0, 0.6, 0.2))
    assert dc.cpdag(dc.averaged_structure(chain, 0.5)).directed == ()  # no collider out of nothing
    for threshold in (-0.1, 1.1):
        with pytest.raises(ValueError, match="threshold"):
            dc.averaged_structure(found, threshold)


def test_an_average_is_closer_to_the_truth():
    network = dc.load_network("alarm")
    data = network.sample(1_000, seed=1)
    average = dc.averaged_structure(dc.edge_strengths(data, 10))
    greedy = dc.learn_structure(data, method="greedy")
    assert dc.compare_structures(average, network).distance < dc.compare_structures(greedy, network).distance


def test_words_and_pictures(asia, tmp_path):
    found = strengths_of(
        ("b", "a", 1.0, 1.0, 1.0), ("b", "c", 0.9, 0.5, 0.1), ("c", "d", 0.6, 0.8, 0.7), ("a", "d", 0.5, 0.5, 0.0)
    )
    assert found.threshold == 0.5
    assert str(found).splitlines() == [
        "4 edges in 10 samples of the rows (ges); 3 above the threshold of 0.50",
        "  edge   strength  direction",
        "  b → a      1.00       1.00",
        "  b → c      0.90       0.50",
        "  c → d      0.60       0.80",
        "  ––––––––––––––––––––––––––",
        "  a → d      0.50       0.50",
    ]
    assert repr(strengths_of()).startswith("0 edges in 10 samples")
    assert found.to_frame()["strength"].tolist() == [1.0, 0.9, 0.6, 0.5]
    found.save_picture(tmp_path / "edges.svg")
    titles = [g.find("{*}title").text for g in groups(root_of((tmp_path / "edges.svg").read_text()), "edge")]
    assert sorted(titles) == [
        "a – d: strength 0.50, direction 0.50",
        "b – c: strength 0.90, direction 0.50",
        "b → a: strength 1.00, direction 1.00",
        "c → d: strength 0.60, direction 0.80",
    ]
    many = range(2_500)
    large = strengths_of(*((n, n + 1, 0.9, 0.5, 0.0) for n in many[:-1]), nodes=many)
    assert "… 2,469 more" in str(large)
    assert "above the threshold" in large._repr_html_()


def test_the_bar_counts_samples(capsys, monkeypatch):
    monkeypatch.setattr("dconvex.progress.PATIENCE", 0.0)
    with SampleBar("samples", 20, is_shown=True) as bar:
        bar.show(10)
        bar.show(20)
        assert bar._bar.tasks[0].completed == 20
    capsys.readouterr()
    with SampleBar("samples", 20, is_shown=False) as bar:
        bar.show(10)
    assert capsys.readouterr().err == ""
