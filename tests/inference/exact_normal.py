"""The oracle for Gaussian networks: mean and covariance of all variables as fractions, so that a zero variance is a zero."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

import dconvex as dc


class ExactNormal:
    """All that can be asked of a small Gaussian network given evidence; nothing is rounded before the end."""

    def __init__(self, network: dc.BayesianNetwork, evidence: Mapping[Any, float] | None = None) -> None:
        self.order = network.dag.topological_order()
        self.mean: dict[Any, Fraction] = {}
        self.covariance: dict[tuple[Any, Any], Fraction] = {}
        self.log_evidence = 0.0
        for node in self.order:
            self._add(network.family(node))
        self.prior = {node: float(self.covariance[node, node]) for node in self.order}
        for node in self.order:
            if evidence and node in evidence:
                self._observe(node, Fraction(evidence[node]))

    @property
    def is_possible(self) -> bool:
        return self.log_evidence > -math.inf

    def _add(self, own: Any) -> None:
        weights = {parent: Fraction(number) for parent, number in own.coefficients.items()}
        node, before = own.variable, list(self.mean)
        self.mean[node] = Fraction(own.intercept) + sum(w * self.mean[p] for p, w in weights.items())
        for other in before:
            shared = sum((w * self.covariance[p, other] for p, w in weights.items()), Fraction(0))
            self.covariance[node, other] = self.covariance[other, node] = shared
        explained = sum((w * self.covariance[p, node] for p, w in weights.items()), Fraction(0))
        self.covariance[node, node] = Fraction(own.variance) + explained

    def _observe(self, node: Any, value: Fraction) -> None:
        """Condition on one variable; one that is determined already counts nothing, or is impossible."""
        variance, difference = self.covariance[node, node], value - self.mean[node]
        if variance == 0:
            if difference != 0:
                self.log_evidence = -math.inf
            return
        self.log_evidence -= 0.5 * (math.log(2 * math.pi) + math.log(variance) + float(difference**2 / variance))
        gain = {other: self.covariance[other, node] / variance for other in self.order}
        own = {other: self.covariance[other, node] for other in self.order}
        for one in self.order:
            self.mean[one] += gain[one] * difference
            for other in self.order:
                self.covariance[one, other] -= gain[one] * own[other]

    def moments(self, variables: Iterable[Any]) -> tuple[np.ndarray, np.ndarray]:
        """Mean and covariance in the order asked."""
        asked = list(variables)
        covariance = [[float(self.covariance[one, other]) for other in asked] for one in asked]
        return np.array([float(self.mean[v]) for v in asked]), np.array(covariance).reshape(len(asked), len(asked))

    def log_density_at_mean(self, variables: Iterable[Any]) -> float:
        """Of these variables given the evidence; one that those before it determine counts nothing."""
        asked = set(variables)
        self.log_evidence = 0.0
        for node in self.order:
            if node in asked:
                self._observe(node, self.mean[node])
        return self.log_evidence
