"""The sums of a grid, node by node along the frontier: slow to write down for anything else, but an oracle for wide grids."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import dconvex as dc


def last_corner(network: dc.BayesianNetwork, side: int, evidence: Mapping[str, int]) -> np.ndarray:
    """P(last corner, evidence) of the grid that `models.grid` makes; the states are 0, 1, …"""
    weights = np.ones(())  # an axis for the last node that was seen in each column
    for row in range(side):
        for column in range(side):
            node = f"{row},{column}"
            table = network.family(node)
            values = table.values.copy()
            if node in evidence:
                values[..., np.arange(values.shape[-1]) != evidence[node]] = 0.0
            axes = [int(parent.split(",")[1]) for parent in table.parents]
            labels = list(range(weights.ndim))
            kept = [*labels[:column], side, *labels[column + 1 :]]
            weights = np.einsum(weights, labels, values, [*axes, side], kept)
    return weights.reshape(-1, weights.shape[-1]).sum(axis=0)
