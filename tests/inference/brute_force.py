"""The oracle for small networks: the whole joint as one array, and every question answered by summing or scanning it.

Evidence of any kind becomes one likelihood vector per variable; the joint times these vectors is all there is to know.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

import dconvex as dc

Evidence = Mapping[Any, Any]


def joint(network: dc.BayesianNetwork) -> np.ndarray:
    """P(all variables), axes in the order of `network.dag.nodes`."""
    nodes, states = network.dag.nodes, network.states
    product = np.ones([len(states[node]) for node in nodes])
    for node in nodes:
        table = network.family(node)
        scope = [nodes.index(member) for member in (*table.parents, node)]
        shape = [len(states[member]) if place in scope else 1 for place, member in enumerate(nodes)]
        product = product * table.values.transpose(np.argsort(scope)).reshape(shape)
    return product


def likelihood(labels: tuple[Any, ...], value: Any) -> np.ndarray:
    """A label or a set of labels as zeros and ones."""
    allowed = value if isinstance(value, set | frozenset) else {value}
    return np.array([float(label in allowed) for label in labels])


def likelihoods(network: dc.BayesianNetwork, evidence: Evidence | None, soft: Evidence | None) -> dict[Any, np.ndarray]:
    """For each variable with evidence its likelihood vector, in the order of the states."""
    states = network.states
    vectors = {variable: likelihood(states[variable], value) for variable, value in (evidence or {}).items()}
    for variable, given in (soft or {}).items():
        own = [given[label] for label in states[variable]] if isinstance(given, Mapping) else given
        vectors[variable] = vectors.get(variable, 1.0) * np.asarray(own, float)
    return vectors


class BruteForce:
    """All that can be asked of a small network given evidence."""

    def __init__(self, network: dc.BayesianNetwork, evidence: Evidence | None = None, soft: Evidence | None = None) -> None:
        self.nodes = network.dag.nodes
        self.states = network.states
        self.weights = joint(network)
        for variable, vector in likelihoods(network, evidence, soft).items():
            self.weights = self.weights * self._along(variable, vector)
        self.mass = float(self.weights.sum())

    def _along(self, variable: Any, vector: np.ndarray) -> np.ndarray:
        shape = [1] * len(self.nodes)
        shape[self.nodes.index(variable)] = len(vector)
        return vector.reshape(shape)

    @property
    def log_evidence(self) -> float:
        return math.log(self.mass) if self.mass > 0 else -math.inf

    def query(self, variables: Iterable[Any]) -> np.ndarray:
        """P(variables | evidence), axes in the order asked."""
        asked = [self.nodes.index(variable) for variable in variables]
        others = tuple(place for place in range(len(self.nodes)) if place not in asked)
        summed = self.weights.sum(axis=others)
        return summed.transpose(np.argsort(np.argsort(asked))) / self.mass

    def probability(self, assignment: Evidence) -> float:
        """P(assignment | evidence)."""
        cell = tuple(self.states[variable].index(label) for variable, label in assignment.items())
        return float(self.query(assignment)[cell])

    def most_probable(self, variables: Iterable[Any]) -> float:
        """The largest P(variables | evidence)."""
        return float(self.query(variables).max())
