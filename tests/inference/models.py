"""Networks and comparisons that several tests share."""

from __future__ import annotations

import numpy as np

import dconvex as dc

SPRINKLER = dc.BayesianNetwork.discrete(
    [("cloudy", "rain"), ("cloudy", "sprinkler"), ("rain", "wet"), ("sprinkler", "wet")],
    {
        "cloudy": [0.3, 0.7],
        "rain": {False: [0.8, 0.15, 0.05], True: [0.3, 0.3, 0.4]},
        "sprinkler": {False: [0.5, 0.5], True: [1.0, 0.0]},
        "wet": np.array([[[1.0, 0.0], [0.1, 0.9]], [[0.2, 0.8], [0.05, 0.95]], [[0.0, 1.0], [0.01, 0.99]]]),
    },
    {"cloudy": [False, True], "rain": ["none", "some", "much"], "sprinkler": [2, 1], "wet": ["dry", "wet"]},
)

CONVEX_MODES = ["minimal", "any", "complete"]


def close(found: np.ndarray, expected: np.ndarray) -> None:
    """The same numbers, up to the rounding of a few hundred operations."""
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-13)


def chain(length: int, states: int = 2, seed: int = 0) -> dc.BayesianNetwork:
    """0 → 1 → … → length."""
    return dc.random_network([(node, node + 1) for node in range(length)], states, seed=seed)


def diamonds(count: int, states: int = 2, seed: int = 0) -> dc.BayesianNetwork:
    """Diamonds in a row, each the start of the next: n0 → l0, r0 → n1 → l1, r1 → n2 …"""
    edges = []
    for k in range(count):
        top, left, right, bottom = f"n{k}", f"l{k}", f"r{k}", f"n{k + 1}"
        edges += [(top, left), (top, right), (left, bottom), (right, bottom)]
    return dc.random_network(edges, states, seed=seed)


def grid(rows: int, columns: int, states: int = 2, seed: int = 0) -> dc.BayesianNetwork:
    """Arrows to the right and downwards; its moral graph has a treewidth of about the shorter side."""
    right = [((r, c), (r, c + 1)) for r in range(rows) for c in range(columns - 1)]
    down = [((r, c), (r + 1, c)) for r in range(rows - 1) for c in range(columns)]
    named = [(f"{a[0]},{a[1]}", f"{b[0]},{b[1]}") for a, b in right + down]
    return dc.random_network(named, states, seed=seed)


def in_one_cluster(network: dc.BayesianNetwork, **options: int) -> dc.LocalModel:
    """Without a search for separators, which a large grid does not have."""
    return dc.localize(network, tree=dc.ClusterTree([network.dag.nodes]), **options)


def naive_bayes(rows: np.ndarray, prior: tuple[float, ...] = (0.5, 0.5)) -> dc.BayesianNetwork:
    """A class and one leaf 0 or 1 per row; the row holds P(leaf = 1 | class) for each class."""
    tables = {f"x{k}": np.stack([1 - np.array(row), row], axis=1) for k, row in enumerate(rows)}
    states = {name: range(2) for name in tables} | {"class": range(len(prior))}
    return dc.BayesianNetwork.discrete([("class", name) for name in tables], tables | {"class": prior}, states)


def in_pieces(pieces: int, seed: int = 0) -> dc.BayesianNetwork:
    """Several networks side by side, none joined with another: a0 → b0 ← c0, a1 → b1 ← c1, …"""
    edges = [edge for k in range(pieces) for edge in ((f"a{k}", f"b{k}"), (f"c{k}", f"b{k}"))]
    return dc.random_network(edges, 3, seed=seed)
