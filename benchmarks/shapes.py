"""DAGs of any size to grow on: seeded, and made by whole-array steps, so that a million nodes take a few seconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isqrt
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

import dconvex as dc
from dconvex._core import Ragged


@dataclass(frozen=True)
class Shape:
    """A family of DAGs: `make(nodes, seed)` gives one with about this many nodes."""

    make: Callable[[int, int], dc.Dag]
    what: str
    is_tree_like: bool
    """Whether its clusters stay small as it grows; then near linear growth is asked for."""


def polytree(nodes: int, seed: int, share: float = 0.2) -> dc.Dag:
    """A random polytree, and for a `share` of the nodes one more edge, to the second or third node above it in the tree.

    Each node has one to three others below it. A random rank orients all edges, so a node may have several parents. The
    extra edges close short cycles, by which families grow together to blocks of up to about a thousand nodes.
    """
    rng = np.random.default_rng(seed)
    above = np.append(0, np.repeat(np.arange(nodes), rng.integers(1, 4, nodes)))[:nodes]
    lower = np.flatnonzero(rng.random(nodes) < share)
    upper = above[above[lower]]
    upper = np.where(rng.random(len(lower)) < 0.5, upper, above[upper])
    ends = np.stack([np.append(np.arange(1, nodes), lower), np.append(above[1:], upper)])
    ends = ends[:, ends[0] != ends[1]]
    rank = rng.permutation(nodes)
    is_downward = rank[ends[0]] > rank[ends[1]]
    tails, heads = np.where(is_downward, ends[1], ends[0]), np.where(is_downward, ends[0], ends[1])
    heads, tails = np.divmod(np.unique(heads * nodes + tails), nodes)
    return _dag(tails, heads, nodes)


def shuffled(nodes: int, seed: int) -> dc.Dag:
    """The same polytree with its nodes numbered at random: neighbours lie far apart in memory."""
    dag = polytree(nodes, seed)
    number = np.random.default_rng(seed).permutation(nodes)
    return _dag(number[dag.graph.children.owners()], number[dag.graph.children.values], nodes)


def diamonds(nodes: int, seed: int = 0) -> dc.Dag:
    """A chain of diamonds a → b, a → c, b → d, c → d, each beginning where the one before ends."""
    top = np.arange(0, nodes - 3, 3)
    return _dag(np.concatenate([top, top, top + 1, top + 2]), np.concatenate([top + 1, top + 2, top + 3, top + 3]), top[-1] + 4)


def chains(nodes: int, seed: int = 0) -> dc.Dag:
    """A factorial hidden Markov model: two chains a and b, and for each step one observation of both.

    All of it is one block. Its separators {a, b} are d-convex, though not adjacent, and all that comes before is an ancestor.
    """
    step = np.arange(0, nodes - 2, 3)
    later, earlier = step[1:], step[:-1]
    tails = np.concatenate([earlier, earlier + 1, step, step + 1])
    heads = np.concatenate([later, later + 1, step + 2, step + 2])
    return _dag(tails, heads, 3 * len(step))


def strip(nodes: int, seed: int = 0, width: int = 4) -> dc.Dag:
    """A grid that is `width` wide and as long as it must be: the treewidth does not grow, but nothing splits it."""
    return _grid(nodes // width, width)


def grid(nodes: int, seed: int = 0) -> dc.Dag:
    """A square grid: its treewidth is its side."""
    return _grid(isqrt(nodes), isqrt(nodes))


def sparse(nodes: int, seed: int) -> dc.Dag:
    """As many edges as nodes, anywhere, at most three parents each: one part of it is large and well connected."""
    return dc.random_dag(nodes, nodes, max_parents=3, seed=seed)


SHAPES: Mapping[str, Shape] = MappingProxyType(
    {
        "polytree": Shape(polytree, "polytree, 20 % extra local edges", is_tree_like=True),
        "shuffled": Shape(shuffled, "the same, numbered at random", is_tree_like=True),
        "diamonds": Shape(diamonds, "chain of diamonds", is_tree_like=True),
        "chains": Shape(chains, "factorial hidden Markov model", is_tree_like=True),
        "strip": Shape(strip, "grid, 4 wide", is_tree_like=False),
        "grid": Shape(grid, "square grid", is_tree_like=False),
        "sparse": Shape(sparse, "random, sparse", is_tree_like=False),
    }
)


def _grid(rows: int, columns: int) -> dc.Dag:
    """Edges lead down and to the right."""
    place = np.arange(rows * columns).reshape(rows, columns)
    tails = np.concatenate([place[:-1].ravel(), place[:, :-1].ravel()])
    heads = np.concatenate([place[1:].ravel(), place[:, 1:].ravel()])
    return _dag(tails, heads, rows * columns)


def _dag(tails: NDArray[np.int64], heads: NDArray[np.int64], nodes: int) -> dc.Dag:
    by_tail = np.argsort(tails, kind="stable")
    parents = Ragged.from_pairs(heads[by_tail].astype(np.int32), tails[by_tail].astype(np.int32), nodes)
    return dc.Dag.from_arrays(tuple(range(nodes)), parents)
