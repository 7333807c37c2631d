"""Random DAGs and random networks over a given DAG, for tests and experiments; the same seed gives the same network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.errors import NetworkError
from dconvex.graph.adjacency import Adjacency
from dconvex.graph.dag import Dag, DagLike, as_dag
from dconvex.names import Label, Name, checked_labels
from dconvex.network.discrete import Tables
from dconvex.network.gaussian import Regressions
from dconvex.network.network import BayesianNetwork

Seed: TypeAlias = int | np.random.Generator | None
Pairs: TypeAlias = NDArray[np.int64]

PAIRS_AT_ONCE = 1 << 22
"""Bounds the memory of one round of `random_dag`."""


def random_dag(n: int, edges: int, max_parents: int | None = None, seed: Seed = None) -> Dag:
    """A random DAG over the nodes 0 … n-1 with exactly `edges` edges and at most `max_parents` parents of a node.

    The nodes are put in a random order and edges are drawn along it: each (child, parent) pair that the limit still
    allows is equally likely, draw by draw.
    """
    limit = max(n - 1, 0) if max_parents is None else max_parents
    most = _most_edges(n, limit)
    if n < 0 or edges < 0 or limit < 0 or edges > most:
        limited = "" if max_parents is None else f" and at most {max_parents} parents each"
        raise ValueError(f"no DAG with {n} nodes{limited} has {edges} edges; the most is {max(most, 0)}")
    rng = np.random.default_rng(seed)
    order = rng.permutation(n).astype(np.int32)
    pairs = np.empty(0, np.int64)
    while len(pairs) < edges:
        pairs = np.concatenate([pairs, _drawn(rng, pairs, n, limit, edges - len(pairs))])
    children, parents = order[pairs // max(n, 1)], order[pairs % max(n, 1)]
    by_parent = np.argsort(parents, kind="stable")
    return Dag.from_arrays(tuple(range(n)), Adjacency.from_pairs(children[by_parent], parents[by_parent], n))


def random_network(dag: DagLike, states: int | Mapping[Name, int | Iterable[Label]] = 2, seed: Seed = None) -> BayesianNetwork:
    """A discrete network over `dag` whose rows are drawn uniformly from all distributions.

    `states` is a number of states for every variable, or a dict of numbers or labels; numbered states are 0, 1, ….
    """
    graph = as_dag(dag)
    rng = np.random.default_rng(seed)
    labels = tuple(_labels(node, states) for node in graph.nodes)
    sizes = [len(own) for own in labels]

    def table(place: int) -> NDArray[np.float64]:
        rows = int(np.prod([sizes[parent] for parent in graph.parent_lists.of(place).tolist()], dtype=np.int64))
        weights = rng.standard_exponential((rows, sizes[place]))
        weights /= weights.sum(axis=1, keepdims=True)
        return weights

    return BayesianNetwork(graph, Tables.from_arrays(graph, labels, map(table, range(len(graph)))))


def random_gaussian_network(dag: DagLike, seed: Seed = None) -> BayesianNetwork:
    """A linear Gaussian network: standard normal intercepts, coefficients of size ½ to 1, variances ½ to 1½."""
    graph = as_dag(dag)
    rng = np.random.default_rng(seed)
    arcs = len(graph.parent_lists.neighbours)
    coefficients = rng.uniform(0.5, 1.0, arcs) * rng.choice([-1.0, 1.0], arcs)
    intercept = rng.standard_normal(len(graph))
    variance = rng.uniform(0.5, 1.5, len(graph))
    return BayesianNetwork(graph, Regressions.checked(graph, intercept, coefficients, variance))


def _most_edges(n: int, limit: int) -> int:
    full = min(limit, n - 1)
    return full * (full - 1) // 2 + (n - full) * full


def _drawn(rng: np.random.Generator, pairs: Pairs, n: int, limit: int, missing: int) -> Pairs:
    """Up to `missing` new pairs, child · n + parent by place in the order, as if drawn one by one.

    Many are drawn at once from all pairs of the children that have room; those that a drawing one by one would refuse
    are taken out: the ones drawn before, and those beyond a child's limit.
    """
    taken = np.bincount(pairs // n, minlength=n)
    possible = np.where(taken < limit, np.arange(n), 0)
    share_new = np.where(taken < limit, np.arange(n) - taken, 0).sum() / possible.sum()
    size = min(int(missing / share_new) + 1, PAIRS_AT_ONCE)
    children = rng.choice(n, size=size, p=possible / possible.sum())
    drawn = children * n + rng.integers(0, children)
    drawn = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
    drawn = drawn[~np.isin(drawn, pairs, assume_unique=True)]
    children = drawn // n
    allowed: Pairs = drawn[taken[children] + _times_before(children) < limit]
    return allowed[:missing]


def _times_before(values: Pairs) -> Pairs:
    """For each entry, how often its value occurs before it."""
    by_value = np.argsort(values, kind="stable")
    ordered = values[by_value]
    times = np.empty_like(values)
    times[by_value] = np.arange(len(values)) - np.searchsorted(ordered, ordered)
    return times


def _labels(node: Name, states: int | Mapping[Name, int | Iterable[Label]]) -> tuple[Label, ...]:
    own = states.get(node) if isinstance(states, Mapping) else states
    if own is None:
        raise NetworkError(f"no states are given for {node!r}", variable=node)
    return checked_labels(node, range(own) if isinstance(own, int | np.integer) else own)
