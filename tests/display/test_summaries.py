"""What is too large to be drawn is counted."""

from __future__ import annotations

import numpy as np
import pytest
from display.elements import groups, root_of, texts, titles
from hypothesis import given
from hypothesis import strategies as st

import dconvex as dc
from dconvex.display.charts import binned
from dconvex.display.drawable import SHOWN


@pytest.fixture(scope="module")
def forest():
    """Two binary trees of many nodes, and a node alone."""
    return dc.Dag([(node // 2, node) for node in range(4, 4_000)], nodes=range(4_001))


def test_a_large_network(forest):
    shown = forest._repr_html_()
    root = root_of(shown)
    assert len(shown) < 20_000
    assert not groups(root, "node")
    facts = dict(zip(texts(root)[1::2], texts(root)[2::2], strict=False))
    assert facts["nodes"] == "4,001"
    assert facts["edges"] == "3,996"
    assert facts["without parents"] == "5"
    assert facts["isolated"] == "3"
    assert {"1: 3,996", "0: 5"} <= set(titles(root, "row"))


def test_a_large_tree_and_a_large_model(forest):
    tree = dc.decompose(forest)
    shown = tree._repr_html_()
    assert len(shown) < 20_000
    assert f"Tree of {len(tree):,} clusters" in texts(root_of(shown))
    counts = {int(size): int(count) for size, count in zip(*np.unique(tree.sizes, return_counts=True), strict=True)}
    assert {f"{size}: {count:,}" for size, count in counts.items()} <= set(titles(root_of(shown), "row"))
    model = dc.localize(dc.random_network(forest, seed=1))
    assert len(model._repr_html_()) < 40_000


def test_the_limit_of_what_is_drawn():
    chain = dc.Dag([(node, node + 1) for node in range(SHOWN - 1)])
    assert len(groups(root_of(chain._repr_html_()), "node")) == SHOWN
    longer = dc.Dag([(node, node + 1) for node in range(SHOWN)])
    assert not groups(root_of(longer._repr_html_()), "node")


def test_a_thicket_of_edges_is_summarised():
    dense = dc.Dag([(tail, head) for head in range(60) for tail in range(head)])
    assert not groups(root_of(dense._repr_html_()), "node")


def test_large_clusters_are_cut_but_what_is_asked_is_shown():
    names = [f"x{number:03}" for number in range(90)]
    model = dc.localize(dc.random_gaussian_network([*((name, "y") for name in names)], seed=1))
    assert len(model.tree) == 1
    assert "… 31 more" in texts(root_of(model.tree._repr_html_()))[-1]
    shown = texts(root_of(model.explain(["x088"], {"y": 1.0})._repr_html_()))
    assert "x088" in shown
    assert "x087" not in " ".join(shown)


@given(st.lists(st.integers(0, 200), max_size=300))
def test_bins_count_everything_once(sizes):
    bins = binned(np.array(sizes, np.int64))
    assert sum(count for _, count in bins) == len(sizes)
    for name, count in bins:
        low, _, high = name.partition("–")
        assert count == sum(int(low) <= size <= int(high or low) for size in sizes)
