"""Belief propagation on a junction tree of the moral graph, the classical exact method (Koller and Friedman 2009, chapter 10).

Two passes of messages turn the products of the network's tables into beliefs, the marginals of the cliques. The joint of
variables that no clique holds together is their algorithm 10.4: take the smallest subtree that holds them, of its top clique
the belief, of every other P(clique | separator), and eliminate what was not asked for, clique by clique towards the top.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import dconvex as dc

Floats: TypeAlias = NDArray[np.float64]
Name: TypeAlias = str | int

MEMORY = 8 << 30
"""A product that takes more bytes, with its operands, is refused."""


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """A table with an axis for each variable of its scope."""

    scope: tuple[Name, ...]
    values: Floats

    def over(self, scope: Sequence[Name]) -> Floats:
        """The values with these axes, of length one where the factor does not have the variable."""
        axis = {name: place for place, name in enumerate(self.scope)}
        moved = self.values.transpose([axis[name] for name in scope if name in axis])
        return moved.reshape([self.values.shape[axis[name]] if name in axis else 1 for name in scope])

    def onto(self, names: Set[Name]) -> Factor:
        """The sum over all variables but these."""
        summed = tuple(axis for axis, name in enumerate(self.scope) if name not in names)
        return Factor(tuple(name for name in self.scope if name in names), np.asarray(self.values.sum(axis=summed)))

    def __mul__(self, other: Factor) -> Factor:
        scope = _union(self, other)
        _refuse_large(scope, self, other)
        return Factor(scope, np.asarray(self.over(scope) * other.over(scope)))

    def divided(self, other: Factor, impossible: float = 0.0) -> Factor:
        """The quotient; where the divisor is zero, and in all that follows the dividend too, it is `impossible`."""
        below = other.over(self.scope)
        quotient = np.full(np.broadcast_shapes(self.values.shape, below.shape), impossible)
        return Factor(self.scope, np.divide(self.values, below, out=quotient, where=below > 0))


class JunctionTree:
    """The calibrated tree of a network."""

    def __init__(self, network: dc.BayesianNetwork, tree: dc.ClusterTree | None = None) -> None:
        self.tree = junction_tree(network.dag) if tree is None else tree
        self.above = rooted(self.tree)
        self.beliefs = _potentials(network, self.tree)
        separators: dict[int, Factor] = {}
        for place, up in reversed(self.above.items()):
            if up is not None:
                separators[place] = self.beliefs[place].onto(self.tree.clusters[up])
                self.beliefs[up] *= separators[place]
        for place, up in self.above.items():
            if up is not None:
                marginal = self.beliefs[up].onto(self.tree.clusters[place])
                self.beliefs[place] *= marginal.divided(separators[place])
                separators[place] = marginal
        self.conditionals = {place: self.beliefs[place].divided(separator) for place, separator in separators.items()}

    def query(self, variables: Sequence[Name]) -> Floats:
        """The joint of these variables, an axis for each in this order."""
        kept = subtree(self.tree, variables)
        factors = {place: [(self.conditionals if self.above[place] in kept else self.beliefs)[place]] for place in kept}
        return collected(self.tree, self.above, factors, variables)


def junction_tree(dag: dc.Dag) -> dc.ClusterTree:
    """The cliques of a minimal triangulation of the moral graph."""
    return dc.decompose(dag, separators="all")


def neighbours(tree: dc.ClusterTree) -> list[list[int]]:
    around: list[list[int]] = [[] for _ in tree.clusters]
    for one, other in tree.edges:
        around[one].append(other)
        around[other].append(one)
    return around


def rooted(tree: dc.ClusterTree) -> dict[int, int | None]:
    """For each cluster the one above it, from the top downwards."""
    around = neighbours(tree)
    above: dict[int, int | None] = {0: None}
    found = [0]
    for place in found:
        below = [other for other in around[place] if other not in above]
        above.update(dict.fromkeys(below, place))
        found.extend(below)
    return above


def homes(dag: dc.Dag, tree: dc.ClusterTree) -> dict[Name, int]:
    """For each variable the first cluster that holds it with its parents."""
    families = {name: {name, *dag.parents(name)} for name in dag.nodes}
    return {
        name: next(place for place, cluster in enumerate(tree.clusters) if family <= cluster)
        for name, family in families.items()
    }


def own_table(network: dc.BayesianNetwork, name: Name) -> Factor:
    """The network's table of a variable."""
    table = network.family(name)
    assert isinstance(table, dc.Table)
    return Factor((*table.parents, name), table.values)


def subtree(tree: dc.ClusterTree, variables: Sequence[Name]) -> set[int]:
    """The places of the fewest clusters that hold these variables and hang together."""
    kept = set(tree.pruned_to(variables).clusters)
    return {place for place, cluster in enumerate(tree.clusters) if cluster in kept}


def collected(
    tree: dc.ClusterTree, above: Mapping[int, int | None], factors: Mapping[int, Sequence[Factor]], variables: Sequence[Name]
) -> Floats:
    """The joint of these variables from the factors of each cluster of a subtree, by messages towards its top.

    A message is a table over the separator and over the variables asked for below it.
    """
    inbox = {place: list(own) for place, own in factors.items()}
    asked = frozenset(variables)
    for place in reversed(list(above)):
        up = above[place]
        if place in inbox and up in inbox and up is not None:
            inbox[up].append(contracted(inbox.pop(place), asked | (tree.clusters[place] & tree.clusters[up])))
    (at_top,) = inbox.values()
    return np.ascontiguousarray(contracted(at_top, asked).over(variables))


def contracted(factors: Sequence[Factor], keep: Set[Name]) -> Factor:
    """The product of the factors, summed over all variables but `keep`, the one that leaves the smallest scope first."""
    left = list(factors)
    while doomed := {name for factor in left for name in factor.scope} - keep:
        buckets = {name: [factor for factor in left if name in factor.scope] for name in sorted(doomed, key=str)}
        name = min(buckets, key=lambda name: len(_union(*buckets[name])))
        left = [factor for factor in left if name not in factor.scope]
        left.append(_summed_out(name, *_paired(buckets[name], down_to=2)))
    return _paired([Factor((), np.ones(())), *left], down_to=1)[0]


def _paired(factors: Sequence[Factor], down_to: int) -> list[Factor]:
    """At most this many factors with the same product: the two smallest are multiplied again and again."""
    left = sorted(factors, key=_size)
    while len(left) > down_to:
        left = sorted([left[0] * left[1], *left[2:]], key=_size)
    return left


def _size(factor: Factor) -> int:
    return factor.values.size


def _summed_out(name: Name, *factors: Factor) -> Factor:
    """The product of the factors summed over a variable, without a table of the product."""
    whole = _union(*factors)
    scope = tuple(member for member in whole if member != name)
    _refuse_large(scope, *factors)
    operands: list[Any] = []
    for factor in factors:
        operands += [factor.values, [whole.index(member) for member in factor.scope]]
    return Factor(scope, np.asarray(np.einsum(*operands, [whole.index(member) for member in scope])))


def _union(*factors: Factor) -> tuple[Name, ...]:
    return tuple(dict.fromkeys(name for factor in factors for name in factor.scope))


def _refuse_large(scope: Iterable[Name], *factors: Factor) -> None:
    length = {name: size for factor in factors for name, size in zip(factor.scope, factor.values.shape, strict=True)}
    entries = math.prod(length[name] for name in scope) + sum(map(_size, factors))
    if 8 * entries > MEMORY:
        raise MemoryError(f"a product of tables takes {8 * entries / 2**30:.3g} GiB")


def _potentials(network: dc.BayesianNetwork, tree: dc.ClusterTree) -> list[Factor]:
    """For each clique the product of the tables that are at home there, over all of the clique."""
    length = {name: len(labels) for name, labels in network.states.items()}
    scopes = [tuple(sorted(cluster, key=str)) for cluster in tree.clusters]
    found = [Factor(scope, np.ones([length[name] for name in scope])) for scope in scopes]
    for name, place in homes(network.dag, tree).items():
        found[place] *= own_table(network, name)
    return found
