"""Random DAGs, and random networks over a given DAG; the same seed gives the same network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np

from dconvex._core import Ragged
from dconvex.arrays import Floats, Integers
from dconvex.errors import NetworkError
from dconvex.graph.dag import Dag, DagLike, as_dag
from dconvex.names import Label, Name, checked_labels
from dconvex.network.linear_regressions import Regressions
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import Tables

Seed: TypeAlias = int | np.random.Generator | None

PAIRS_AT_ONCE = 1 << 22
"""The most pairs drawn in one round of `random_dag`, which bounds its memory."""


def random_dag(n: int, edges: int, max_parents: int | None = None, seed: Seed = None) -> Dag:
    """A random DAG over the nodes 0 … n-1.

    The nodes are put in a random order and edges are drawn along it: each (child, parent) pair that the limit still
    allows has the same probability, draw by draw.

    Args:
        n: The number of nodes.
        edges: The number of edges.
        max_parents: The most parents of a node; None: no limit.
        seed: A seed or a numpy generator; the same seed gives the same graph. None: another graph with each call.

    Returns:
        The graph.

    Raises:
        ValueError: No DAG has these numbers of nodes, edges and parents.

    >>> random_dag(10, edges=12, max_parents=2, seed=0)
    Dag(10 nodes, 12 edges)

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
    return Dag.from_arrays(tuple(range(n)), Ragged.from_pairs(children[by_parent], parents[by_parent], n))


def random_network(dag: DagLike, states: int | Mapping[Name, int | Iterable[Label]] = 2, seed: Seed = None) -> BayesianNetwork:
    """A discrete network whose rows are drawn uniformly from all distributions.

    Args:
        dag: The graph: a `Dag`, a networkx `DiGraph`, an iterable of edges, or a network.
        states: The number of states of every variable, or a dict with the number or the labels for each variable. The
            labels of n states are 0 … n-1.
        seed: A seed or a numpy generator; the same seed gives the same network. None: another network with each call.

    Returns:
        The network.

    Raises:
        NetworkError: `states` has nothing for a variable, or not valid labels.

    >>> random_network([("a", "b")], {"a": 2, "b": ["low", "high"]}, seed=0).states
    {'a': (0, 1), 'b': ('low', 'high')}

    """
    graph = as_dag(dag)
    rng = np.random.default_rng(seed)
    labels = tuple(_labels(node, states) for node in graph.nodes)
    sizes = [len(own) for own in labels]

    def table(index: int) -> Floats:
        rows = int(np.prod([sizes[parent] for parent in graph.graph.parents[index].tolist()], dtype=np.int64))
        weights = rng.standard_exponential((rows, sizes[index]))
        weights /= weights.sum(axis=1, keepdims=True)
        return weights

    return BayesianNetwork(graph, Tables.from_arrays(graph, labels, map(table, range(len(graph)))))


def random_gaussian_network(dag: DagLike, seed: Seed = None) -> BayesianNetwork:
    """A linear Gaussian network: standard normal intercepts, coefficients of size ½ to 1, variances ½ to 1½.

    Args:
        dag: The graph: a `Dag`, a networkx `DiGraph`, an iterable of edges, or a network.
        seed: A seed or a numpy generator; the same seed gives the same network. None: another network with each call.

    Returns:
        The network.

    Raises:
        CycleError: The edges contain a cycle.

    >>> random_gaussian_network([("a", "b")], seed=0)
    BayesianNetwork(gaussian, 2 variables, 1 edge, 1 coefficient)

    """
    graph = as_dag(dag)
    rng = np.random.default_rng(seed)
    arcs = len(graph.graph.parents.values)
    coefficients = rng.uniform(0.5, 1.0, arcs) * rng.choice([-1.0, 1.0], arcs)
    intercept = rng.standard_normal(len(graph))
    variance = rng.uniform(0.5, 1.5, len(graph))
    return BayesianNetwork(graph, Regressions.checked(graph, intercept, coefficients, variance))


def _most_edges(n: int, limit: int) -> int:
    full = min(limit, n - 1)
    return full * (full - 1) // 2 + (n - full) * full


def _drawn(rng: np.random.Generator, pairs: Integers, n: int, limit: int, missing: int) -> Integers:
    """Up to `missing` new pairs as if drawn one by one: child · n + parent, both by their index in the order.

    Many pairs are drawn at once, from the children below their limit. Then those that drawing one by one would refuse are
    removed: pairs drawn before, and pairs beyond a child's limit.
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
    allowed: Integers = drawn[taken[children] + _times_before(children) < limit]
    return allowed[:missing]


def _times_before(values: Integers) -> Integers:
    """For each entry the number of equal entries before it."""
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
