"""Wu's lossless decomposition (D. Wu, FLAIRS 2007): a Bayesian network of its own for each clique of a junction tree.

P(V) = Π P(clique) / Π P(separator). Every P(separator) is factorised into conditional tables in a topological order, and each
such table P(a | …) goes to the clique next to the separator that lies away from the table P(a | parents) of the network. Each
clique then has one table for each of its variables, and their product is its marginal: the clique is separated from a's
parents by the separator, so a depends on what comes before it in the clique only through what comes before it in the separator.

What we decided. (1) The table conditions on the least part of the separator that d-separates the variable from the rest of what
comes before it there; the paper's published code conditions on all of it, and loses independences that Wu keeps. (2) Where the
condition is impossible the table is uniform; no such row matters. (3) In a question the tables of a separator cancel against
the same ones that were pushed to a clique, so that nothing is divided: of each variable the table nearest to home is left; the
published code multiplies by 1 / max(P(separator), 1e-12). (4) As there, a question is answered from all cliques, with messages
towards one of them, and pruned to the smallest subtree only if that is asked for, which Wu does not discuss.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import dconvex as dc
from experiments.baselines.junction_tree import (
    Factor,
    Floats,
    JunctionTree,
    Name,
    collected,
    homes,
    junction_tree,
    neighbours,
    own_table,
    rooted,
    subtree,
)


class Push(NamedTuple):
    """P(variable | given), a part of the separator between two cliques, goes from one to the other, farther from home."""

    variable: Name
    given: frozenset[Name]
    near: int
    far: int


class Plan:
    """All that depends on the DAG alone: the tree, and which table goes where."""

    def __init__(self, dag: dc.Dag) -> None:
        self.tree = junction_tree(dag)
        self.above = rooted(self.tree)
        self.holders = {name: [home] for name, home in homes(dag, self.tree).items()}
        """The cliques that hold a variable, its home first, then farther and farther away."""
        self.pushes: list[Push] = []
        around, order = neighbours(self.tree), dag.topological_order()
        for name, holders in self.holders.items():
            before = frozenset(order[: order.index(name)])
            for near in holders:
                for far in around[near]:
                    if name in self.tree.clusters[far] and far not in holders:
                        shared = before & self.tree.clusters[near] & self.tree.clusters[far]
                        self.pushes.append(Push(name, _needed(dag, name, shared), near, far))
                        holders.append(far)


class LosslessDecomposition:
    """The tables of the cliques' own networks."""

    def __init__(self, network: dc.BayesianNetwork, plan: Plan | None = None) -> None:
        self.plan = Plan(network.dag) if plan is None else plan
        beliefs = JunctionTree(network, self.plan.tree).beliefs
        self.tables = {(holders[0], name): own_table(network, name) for name, holders in self.plan.holders.items()}
        for variable, given, near, far in self.plan.pushes:
            joint = beliefs[near].onto(given | {variable})
            states = joint.onto({variable}).values.size
            self.tables[far, variable] = joint.divided(joint.onto(given), impossible=1 / states)

    def subnetwork(self, clique: int) -> dict[Name, Factor]:
        """The table of each variable of a clique."""
        return {name: self.tables[clique, name] for name in self.plan.tree.clusters[clique]}

    def query(self, variables: Sequence[Name], *, prune: bool = False) -> Floats:
        """The joint of these variables, an axis for each in this order."""
        tree = self.plan.tree
        kept = subtree(tree, variables) if prune else set(range(len(tree)))
        factors: dict[int, list[Factor]] = {clique: [] for clique in kept}
        for name in sorted({name for clique in kept for name in tree.clusters[clique]}, key=str):
            nearest = next(clique for clique in self.plan.holders[name] if clique in kept)
            factors[nearest].append(self.tables[nearest, name])
        return collected(tree, self.plan.above, factors, variables)


def _needed(dag: dc.Dag, name: Name, before: frozenset[Name]) -> frozenset[Name]:
    """The least part of `before` that d-separates the variable from the rest of it."""
    return frozenset(other for other in before if not dc.d_separated(dag, name, other, before - {other}))
