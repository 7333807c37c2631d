"""How far apart two networks over the same variables are: exactly, from their families, or from samples."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from dconvex._core import Ragged
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.errors import NetworkError, TooLargeError
from dconvex.graph.dag import Dag
from dconvex.graph.tree import ClusterTree
from dconvex.inference.discrete import DiscreteAnswers
from dconvex.inference.evidence import Evidence
from dconvex.inference.gaussian_distances import gaussian_kl, gaussian_log_overlap, gaussian_wasserstein2
from dconvex.inference.memory import limit_of
from dconvex.inference.model import LocalModel, localize
from dconvex.inference.tables import TableStore
from dconvex.names import Name
from dconvex.network.family import Table
from dconvex.network.network import BayesianNetwork

Floats: TypeAlias = NDArray[np.float64]
Method: TypeAlias = Literal["auto", "exact", "sampling"]
Seed: TypeAlias = int | np.random.Generator | None


class Distance(float):
    """A number that knows how it was found; `standard_error` is zero if exactly."""

    standard_error: float

    def __new__(cls, value: float, standard_error: float = 0.0) -> Distance:
        found = super().__new__(cls, value)
        found.standard_error = standard_error
        return found

    def __repr__(self) -> str:
        return f"{float(self)!r}" if not self.standard_error else f"{float(self):.6g} ± {self.standard_error:.2g}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Distance, (float(self), self.standard_error)


def kl_divergence(
    p: BayesianNetwork, q: BayesianNetwork, *, method: Method = "auto", samples: int = 100_000, seed: Seed = None,
    max_bytes: float | None = None,
) -> Distance:  # fmt: skip
    """KL(p‖q), the expected value under p of log p(x) - log q(x); infinite where q rules out what p does not.

    A sum over the families of q, weighted by their marginals under p. Where these are too large for `max_bytes`, it is
    estimated from samples of p, with a standard error; `method="exact"` refuses instead.

    >>> import dconvex as dc
    >>> one = dc.BayesianNetwork.discrete([], {"x": [0.5, 0.5]}, {"x": ["a", "b"]})
    >>> other = dc.BayesianNetwork.discrete([], {"x": [0.25, 0.75]}, {"x": ["a", "b"]})
    >>> round(dc.kl_divergence(one, other), 6)
    0.143841
    """
    _check_comparable(p, q)
    if _checked(method) != "sampling":
        try:
            return Distance(_exact_kl(p, q, max_bytes))
        except TooLargeError:
            if method == "exact":
                raise
    ratio = _log_ratios(p, q, samples, seed)
    return Distance(float(ratio.mean()), _error(ratio))


def bhattacharyya_distance(
    p: BayesianNetwork, q: BayesianNetwork, *, method: Method = "auto", samples: int = 100_000, seed: Seed = None,
    max_bytes: float | None = None,
) -> Distance:  # fmt: skip
    """The negative logarithm of the Bhattacharyya coefficient, the sum (or integral) of sqrt(p(x) q(x))."""
    log_overlap, error = _log_overlap(p, q, method, samples, seed, max_bytes)
    return Distance(max(0.0, -log_overlap), error)


def hellinger_distance(
    p: BayesianNetwork, q: BayesianNetwork, *, method: Method = "auto", samples: int = 100_000, seed: Seed = None,
    max_bytes: float | None = None,
) -> Distance:  # fmt: skip
    """The square root of one minus the Bhattacharyya coefficient: 0 for equal networks, 1 for those that exclude each other."""
    log_overlap, error = _log_overlap(p, q, method, samples, seed, max_bytes)
    distance = math.sqrt(max(0.0, -math.expm1(log_overlap)))
    if not error or not distance or log_overlap == -math.inf:
        return Distance(distance)
    return Distance(distance, math.exp(log_overlap) * error / (2 * distance))


def wasserstein2_distance(p: BayesianNetwork, q: BayesianNetwork) -> Distance:
    """The Wasserstein-2 distance of two Gaussian networks, by a singular value decomposition."""
    _check_comparable(p, q)
    if p.kind != "gaussian":
        raise ValueError("the Wasserstein distance is for Gaussian networks: states have no distance")
    return Distance(gaussian_wasserstein2(p, q))


def _check_comparable(p: BayesianNetwork, q: BayesianNetwork) -> None:
    if p.kind != q.kind:
        raise NetworkError(f"a {p.kind} and a {q.kind} network cannot be compared")
    if p.dag.nodes != q.dag.nodes:
        stray = sorted(set(p.dag.nodes) ^ set(q.dag.nodes), key=str)[0]
        raise NetworkError(f"the networks are over different variables: {stray!r} is in only one of them")
    for name, labels in p.states.items():
        if labels != q.states[name]:
            raise NetworkError(f"{name!r} has the states {labels!r} in one network and {q.states[name]!r} in the other")


def _checked(method: str) -> str:
    if method not in ("auto", "exact", "sampling"):
        raise ValueError(f"unknown method {method!r}; there are 'auto', 'exact' and 'sampling'")
    return method


def _exact_kl(p: BayesianNetwork, q: BayesianNetwork, max_bytes: float | None) -> float:
    if p.kind == "gaussian":
        return gaussian_kl(p, q, max_bytes)
    model = localize(p, max_bytes=max_bytes)
    return max(0.0, sum(_table_gain(model, p, q, node) for node in p.dag.nodes))


def _table_gain(model: LocalModel, p: BayesianNetwork, q: BayesianNetwork, node: Name) -> float:
    """The expected value of log p(v | its parents) - log q(v | its parents)."""
    ours, theirs = cast("Table", p.family(node)), cast("Table", q.family(node))
    joint = cast("Any", model.query([*theirs.parents, node])).values
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.where(joint > 0, joint * np.log(theirs.values), 0.0)
        if ours.parents != theirs.parents:
            joint = cast("Any", model.query([*ours.parents, node])).values
        own = np.where(joint > 0, joint * np.log(ours.values), 0.0)
    return float(own.sum() - expected.sum())


def _log_overlap(
    p: BayesianNetwork, q: BayesianNetwork, method: Method, samples: int, seed: Seed, max_bytes: float | None
) -> tuple[float, float]:
    """The logarithm of the Bhattacharyya coefficient, and its standard error."""
    _check_comparable(p, q)
    limit = limit_of(max_bytes)
    if _checked(method) != "sampling":
        try:
            return (_table_overlap(p, q, limit) if p.kind == "discrete" else gaussian_log_overlap(p, q, limit)), 0.0
        except TooLargeError:
            if method == "exact":
                raise
    log_share = -0.5 * _log_ratios(p, q, samples, seed)
    highest = float(log_share.max())
    if highest == -math.inf:
        return -math.inf, math.inf
    share = np.exp(log_share - highest)
    mean = float(share.mean())
    return highest + math.log(mean), _error(share) / mean


def _table_overlap(p: BayesianNetwork, q: BayesianNetwork, limit: int) -> float:
    """One elimination over the roots of both networks' tables; those of q are those of children with a single state."""
    nodes, own = p.dag.nodes, len(p.dag)
    roots = [np.sqrt(cast("Table", p.family(node)).values) for node in nodes]
    if p.dag == q.dag:
        dag = p.dag
        roots = [root * np.sqrt(cast("Table", q.family(node)).values) for root, node in zip(roots, nodes, strict=True)]
    else:
        lists = [p.dag.graph.parents[place].tolist() for place in range(own)]
        lists += [[*q.dag.graph.parents[place].tolist(), place] for place in range(own)]
        dag = Dag.from_arrays(tuple(range(2 * own)), Ragged.from_lists(lists))
        roots += [np.sqrt(cast("Table", q.family(node)).values) for node in nodes]
    labels = [p.states[node] for node in nodes] + [("",)] * (len(dag) - own)
    tree = ClusterTree([dag.nodes], mode="any")
    values = np.concatenate([np.empty(0), *(root.reshape(-1) for root in roots)])
    store = TableStore.of(ClusterIndex.of(dag, tree), [len(part) for part in labels], values)
    answers = DiscreteAnswers(store, labels, coherent=True)
    # a likelihood of one on every variable, so that none is taken for one whose table sums to one
    every = Evidence(soft=tuple(range(len(dag))), likelihoods=tuple(np.ones(len(part)) for part in labels))
    return answers.log_evidence(every, limit)


def _log_ratios(p: BayesianNetwork, q: BayesianNetwork, samples: int, seed: Seed) -> Floats:
    """Log p(x) - log q(x) for samples of p."""
    if samples < 2:
        raise ValueError(f"an estimate needs at least 2 samples, not {samples}")
    rows = p.sample(samples, seed)
    return p.log_likelihood(rows) - q.log_likelihood(rows)


def _error(numbers: Floats) -> float:
    return float(numbers.std(ddof=1) / math.sqrt(len(numbers))) if np.isfinite(numbers).all() else math.inf
