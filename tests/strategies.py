"""Random graphs and networks for hypothesis: every kind of name and label, parents in any order, zeros, islands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import dconvex as dc

NAMES: Mapping[str, SearchStrategy[Any]] = {
    "str": st.text("abcxyz_019", min_size=1, max_size=4),
    "int": st.integers(-3, 12) | st.integers(-(2**40), 2**40),
    "unicode": st.text(max_size=4),  # the empty name, blanks, quotes and control characters too
    "mixed": st.integers(-3, 3) | st.sampled_from(["-1", "0", "1", "a", "b", "é", "变量"]),
}
LABELS: Mapping[str, SearchStrategy[Any]] = {
    "str": st.text("abcxyz_019", min_size=1, max_size=3),
    "int": st.integers(-3, 9) | st.integers(-(2**40), 2**40),
    "bool": st.booleans(),
    "unicode": st.text(max_size=3),
    "interval": st.builds(
        lambda left, width, closed: dc.Interval(left, left + width, closed),
        st.integers(-3, 9) | st.floats(-1e6, 1e6).map(float),
        st.integers(0, 3) | st.floats(0, 1e300),
        st.sampled_from(["left", "right", "both", "neither"]),
    ),
    "mixed": st.booleans() | st.integers(-1, 3) | st.sampled_from(["True", "0", "1", "no", "<3", "é"]),
}


def names() -> SearchStrategy[SearchStrategy[Any]]:
    """A kind of name; all the names of one graph are drawn from it."""
    return st.sampled_from(list(NAMES.values()))


@st.composite
def dags(draw: st.DrawFn, *, min_nodes: int = 0, max_nodes: int = 8, max_parents: int = 3) -> dc.Dag:
    """DAGs whose parents stand in any order."""
    nodes = draw(st.lists(draw(names()), min_size=min_nodes, max_size=max_nodes, unique=True))
    return dc.Dag.from_parents(
        {
            node: draw(st.lists(st.sampled_from(nodes[:index]), max_size=max_parents, unique=True)) if index else ()
            for index, node in enumerate(nodes)
        }
    )


@st.composite
def digraphs(draw: st.DrawFn, *, max_nodes: int = 7) -> tuple[list[Any], list[tuple[Any, Any]]]:
    """Nodes and edges without loops or duplicates, in any order, with cycles or without."""
    nodes = draw(st.lists(draw(names()), min_size=1, max_size=max_nodes, unique=True))
    edge = st.tuples(st.sampled_from(nodes), st.sampled_from(nodes)).filter(lambda pair: pair[0] != pair[1])
    edges = draw(st.lists(edge, max_size=2 * max_nodes, unique=True)) if len(nodes) > 1 else []
    return nodes, edges


@st.composite
def state_labels(draw: st.DrawFn, *, min_states: int = 2, max_states: int = 5) -> tuple[Any, ...]:
    """The labels of one variable; `unique` compares with ==, so 1 and True never meet."""
    of_one_kind = [
        st.lists(label, min_size=min_states, max_size=min(max_states, 2 if kind == "bool" else 99), unique=True)
        for kind, label in LABELS.items()
        if kind != "bool" or min_states <= 2
    ]
    return tuple(draw(st.one_of(of_one_kind)))


@st.composite
def discrete_networks(
    draw: st.DrawFn,
    *,
    min_nodes: int = 0,
    max_nodes: int = 8,
    max_parents: int = 3,
    min_states: int = 2,
    max_states: int = 5,
) -> dc.BayesianNetwork:
    """Discrete networks with many impossible states; the numbers come from a drawn seed, which is faster."""
    dag = draw(dags(min_nodes=min_nodes, max_nodes=max_nodes, max_parents=max_parents))
    states = {node: draw(state_labels(min_states=min_states, max_states=max_states)) for node in dag.nodes}
    zeros = draw(st.sampled_from([0.0, 0.3, 0.8]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shapes = {node: [len(states[member]) for member in (*dag.parents(node), node)] for node in dag.nodes}
    return dc.BayesianNetwork.discrete(dag, {node: rows(rng, shape, zeros) for node, shape in shapes.items()}, states)


def rows(rng: np.random.Generator, shape: list[int], zeros: float) -> np.ndarray:
    """Distributions along the last axis, in which about the share `zeros` of the entries is zero."""
    weights = rng.standard_exponential(shape) * (rng.random(shape) >= zeros)
    sure = rng.integers(shape[-1], size=[*shape[:-1], 1])
    is_empty = weights.sum(axis=-1, keepdims=True) == 0
    weights = np.where(is_empty & (np.arange(shape[-1]) == sure), 1.0, weights)
    return weights / weights.sum(axis=-1, keepdims=True)


@st.composite
def gaussian_networks(
    draw: st.DrawFn,
    *,
    min_nodes: int = 0,
    max_nodes: int = 8,
    numbers: SearchStrategy[float] = st.floats(-10, 10),  # noqa: B008, a strategy is a value
    variances: SearchStrategy[float] = st.just(0.0) | st.floats(0, 10),  # noqa: B008
) -> dc.BayesianNetwork:
    """Linear Gaussian networks, some of whose variables have no noise."""
    dag = draw(dags(min_nodes=min_nodes, max_nodes=max_nodes))
    regressions = {
        node: (draw(numbers), {parent: draw(numbers) for parent in dag.parents(node)}, draw(variances)) for node in dag.nodes
    }
    return dc.BayesianNetwork.gaussian(dag, regressions)


@st.composite
def tame_gaussian_networks(
    draw: st.DrawFn, *, min_nodes: int = 1, max_nodes: int = 6, noisy: bool = False
) -> dc.BayesianNetwork:
    """Gaussian networks with numbers around 1, some variances zero unless `noisy`: the oracle's rounded answers are good."""
    dag = draw(dags(min_nodes=min_nodes, max_nodes=max_nodes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return dc.BayesianNetwork.gaussian(
        dag,
        {
            node: (
                float(rng.normal()),
                {parent: float(rng.normal()) for parent in dag.parents(node)},
                float(rng.uniform(0.5, 2.0)) if noisy or rng.random() < 0.8 else 0.0,
            )
            for node in dag.nodes
        },
    )
