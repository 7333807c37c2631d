"""Random DAGs and random networks over a given DAG, for tests and experiments; the same seed gives the same network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np

from dconvex.graph.adjacency import Adjacency
from dconvex.graph.dag import Dag, DagLike, as_dag
from dconvex.names import Label, Name, checked_labels
from dconvex.network.discrete import Tables
from dconvex.network.gaussian import Regressions
from dconvex.network.network import BayesianNetwork

Seed: TypeAlias = int | np.random.Generator | None


def random_dag(n: int, edges: int, max_parents: int | None = None, seed: Seed = None) -> Dag:
    """A random DAG over the nodes 0 … n-1 with exactly `edges` edges and at most `max_parents` parents of a node.

    The nodes are put in a random order and edges are drawn along it: each (child, parent) pair that the limit still allows
    is equally likely, draw by draw.
    """
    limit = n - 1 if max_parents is None else max_parents
    most = _most_edges(n, limit)
    if n < 0 or edges < 0 or limit < 0 or edges > most:
        limited = "" if max_parents is None else f" and at most {max_parents} parents each"
        raise ValueError(f"no DAG with {n} nodes{limited} has {edges} edges; the most is {max(most, 0)}")
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    chosen: list[set[int]] = [set() for _ in range(n)]
    missing = edges
    while missing:
        missing = _drawn(rng, chosen, limit, missing)
    parents: list[list[int]] = [[] for _ in range(n)]
    for place, above in enumerate(chosen):
        parents[order[place]] = sorted(order[list(above)].tolist())
    return Dag.from_arrays(tuple(range(n)), Adjacency.from_lists(parents))


def random_network(dag: DagLike, states: int | Mapping[Name, int | Iterable[Label]] = 2, seed: Seed = None) -> BayesianNetwork:
    """A discrete network over `dag` whose rows are drawn uniformly from all distributions.

    `states` is a number of states for every variable, or a dict of numbers or labels; numbered states are 0, 1, ….
    """
    graph = as_dag(dag)
    rng = np.random.default_rng(seed)
    labels = tuple(_labels(node, states) for node in graph.nodes)
    sizes = [len(own) for own in labels]

    def table(place: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        rows = int(np.prod([sizes[parent] for parent in graph.parent_lists.of(place).tolist()], dtype=np.int64))
        weights = rng.standard_exponential((rows, sizes[place]))
        return weights / weights.sum(axis=1, keepdims=True)

    return BayesianNetwork(graph, Tables.from_arrays(graph, labels, map(table, range(len(graph)))))


def random_gaussian_network(dag: DagLike, seed: Seed = None) -> BayesianNetwork:
    """A linear Gaussian network over `dag`: standard normal intercepts, coefficients of size ½ to 1, variances ½ to 1½."""
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


def _drawn(rng: np.random.Generator, chosen: list[set[int]], limit: int, missing: int) -> int:
    """Draw `missing` (child, parent) pairs at once, keep the new ones that the limit allows; how many are still missing."""
    capacity = np.array([min(place, limit) - len(above) for place, above in enumerate(chosen)], np.float64)
    free = np.arange(len(chosen), dtype=np.float64) - [len(above) for above in chosen]
    weight = np.where(capacity > 0, free, 0.0)
    children = rng.choice(len(chosen), size=missing, p=weight / weight.sum())
    parents = (rng.random(missing) * children).astype(np.int64)
    for child, parent in zip(children.tolist(), parents.tolist(), strict=True):
        above = chosen[child]
        if parent not in above and len(above) < limit:
            above.add(parent)
            missing -= 1
    return missing


def _labels(node: Name, states: int | Mapping[Name, int | Iterable[Label]]) -> tuple[Label, ...]:
    own = states[node] if isinstance(states, Mapping) else states
    return checked_labels(node, range(own) if isinstance(own, int) else own)
