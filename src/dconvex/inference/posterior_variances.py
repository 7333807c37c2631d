"""Variances of many variables at once, without a covariance matrix of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import final

import numpy as np

from dconvex.arrays import Floats
from dconvex.errors import TooLargeError
from dconvex.inference.basis import NO_NOISE, Basis
from dconvex.inference.gaussian_pieces import Piece
from dconvex.inference.gaussian_plan import traced_at_once
from dconvex.inference.gaussian_store import RegressionStore

FEW_STEPS = 1 << 24
"""Up to this many (variable, arrow) pairs of a piece each variable is traced back to its noises."""
CANCELLED = 1e-6
"""Where less than this share of a variance is left, the difference of two numbers has lost too many digits."""


def posterior_variances(store: RegressionStore, piece: Piece, targets: Sequence[int], limit: int) -> Floats:
    """The variances of these variables of a piece, given its evidence.

    In a large piece what the evidence explains is subtracted from the variances without evidence, which come from the
    clusters; the few variables of which hardly anything is left are traced back.
    """
    arrows = sum(len(piece.network.shape.parents[member]) for member in piece.members)
    if len(targets) * arrows <= FEW_STEPS:
        return _traced_back(piece, targets)
    nodes = [piece.network.shape.nodes[variable] for variable in targets]
    before = prior_variances(store, nodes)
    given = sorted({piece.network.shape.nodes[variable] for variable in (*piece.observed, *piece.constants)})
    if not given:
        return before
    left = before - _explained(store, given, limit)[nodes]
    doubtful = np.flatnonzero(left <= CANCELLED * before)
    left[doubtful] = _traced_back(piece, [targets[k] for k in doubtful.tolist()])
    return left


def _traced_back(piece: Piece, targets: Sequence[int]) -> Floats:
    step = traced_at_once(len(piece.members))
    parts = [piece.posterior(targets[first : first + step]).variance for first in range(0, len(targets), step)]
    return np.concatenate([np.empty(0), *parts])


def _explained(store: RegressionStore, given: list[int], limit: int) -> Floats:
    """For each node of the whole network how much of its variance observing the given ones explains."""
    estimate = 6 * 8 * len(store.index.dag) * len(given)
    if estimate > limit:
        what = f"the covariances of {len(store.index.dag):,} variables with {len(given):,} observed ones"
        raise TooLargeError(what, estimate, limit, "Ask for the marginals of fewer variables, or raise max_bytes.")
    network = store.network(store.whole(set()))
    index_of = {node: number for number, node in enumerate(network.shape.nodes)}
    known = Piece(network, range(len(index_of))).combinations([index_of[node] for node in given])
    basis = Basis.of(known.noise, known.noise_size)
    shared = network.forward(np.sqrt(network.variance)[:, None] * basis.vectors)
    explained = np.empty(len(index_of))
    explained[network.shape.nodes] = np.einsum("ij,ij->i", shared, shared)
    return explained


def prior_variances(store: RegressionStore, nodes: Sequence[int]) -> Floats:
    """The variances of these nodes without evidence, each from the smallest cluster that holds it."""
    nodes_of: dict[int, list[int]] = {}
    for k, cluster in enumerate(store.index.core.smallest[np.array(nodes, np.int64)].tolist()):
        nodes_of.setdefault(cluster, []).append(k)
    found = np.empty(len(nodes))
    groups: dict[int, list[_Local]] = {}
    for cluster, own in nodes_of.items():
        local = _Local(store, cluster, [(nodes[k], k) for k in own])
        groups.setdefault(len(local.tables), []).append(local)
    store.derive({table for group in groups.values() for local in group for table in local.tables})
    for size, group in groups.items():
        for part in _portions(group, max(1, (1 << 22) // size**2)):
            _fill_variances(store, size, part, found)
    return found


@final
class _Local:
    """The ancestors, in one cluster, of targets: their regressions, parents first."""

    def __init__(self, store: RegressionStore, cluster: int, targets: list[tuple[int, int]]) -> None:
        index, core = store.index, store.index.core
        first, last = core.clusters.offsets[cluster], core.clusters.offsets[cluster + 1]
        held = dict(zip(core.clusters[cluster].tolist(), core.member_table[first:last].tolist(), strict=True))
        parents: dict[int, list[int]] = {}
        waiting = [node for node, _ in targets]
        while waiting:
            node = waiting.pop()
            if node not in parents:
                parents[node] = index.parents_of(held[node]).tolist()
                waiting.extend(parents[node])
        order = sorted(parents, key=core.graph.rank.__getitem__)
        index_of = {node: number for number, node in enumerate(order)}
        self.tables = [held[node] for node in order]
        self.arrows = [(child, index_of[parent]) for child, node in enumerate(order) for parent in parents[node]]
        self.targets = [(index_of[node], where) for node, where in targets]


def _portions(group: list[_Local], size: int) -> Iterator[list[_Local]]:
    for first in range(0, len(group), size):
        yield group[first : first + size]


def _fill_variances(store: RegressionStore, size: int, group: list[_Local], found: Floats) -> None:
    """Variances in clusters with the same number of variables, all of them at once."""
    start = store.index.core.table_parents.offsets
    tables = np.array([local.tables for local in group], np.int64)
    arrows = np.array([(k, *arrow) for k, local in enumerate(group) for arrow in local.arrows], np.int64).reshape(-1, 3)
    entries = [np.arange(start[t], start[t + 1]) for t in tables.reshape(-1).tolist()]
    coefficients = store.coefficients[np.concatenate(entries)]
    effects = np.zeros((len(group), size, size))
    effects[tuple(arrows.T)] = coefficients
    with np.errstate(over="ignore", invalid="ignore"):  # who makes an answer of it looks at it
        mixed, sizes = _mixed(effects), _mixed(np.abs(effects))
        mixed[np.abs(mixed) <= NO_NOISE * sizes] = 0.0  # what cancels
        noises = mixed * np.sqrt(store.variance[tables])[:, None, :]
        values = np.einsum("kij,kij->ki", noises, noises)
    for k, local in enumerate(group):
        for number, where in local.targets:
            found[where] = values[k, number]


def _mixed(effects: Floats) -> Floats:
    """How much of each variable's own part comes through to each other one, parents first, in many clusters."""
    mixing = np.zeros_like(effects)
    for k in range(effects.shape[1]):
        mixing[:, k, :k] = (effects[:, k, None, :k] @ mixing[:, :k, :k])[:, 0]
        mixing[:, k, k] = 1.0
    return mixing
