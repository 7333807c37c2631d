"""The engine for the kind of a network; nothing else in inference knows of kinds."""

from __future__ import annotations

from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.inference.discrete import DiscreteEngine
from dconvex.inference.engine import Engine
from dconvex.inference.gaussian import GaussianEngine
from dconvex.network.linear_regressions import Regressions
from dconvex.network.network import Parameters
from dconvex.network.probability_tables import Tables


def engine_of(index: ClusterIndex, parameters: Parameters) -> Engine:
    """The engine for these parameters."""
    if isinstance(parameters, Tables):
        return DiscreteEngine.of(index, parameters)
    assert isinstance(parameters, Regressions)
    return GaussianEngine.of(index, parameters)
