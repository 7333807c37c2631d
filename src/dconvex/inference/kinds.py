"""The engine for the kind of a network; nothing else in inference knows of kinds."""

from __future__ import annotations

from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.graph.tree import ClusterTree
from dconvex.inference.discrete import DiscreteEngine
from dconvex.inference.engine import Engine
from dconvex.inference.gaussian import GaussianEngine
from dconvex.network.linear_regressions import Regressions
from dconvex.network.network import BayesianNetwork, Parameters
from dconvex.network.probability_tables import Tables

EACH_VARIABLE = 600
"""Bytes of a variable in an engine, besides its numbers."""


def engine_of(index: ClusterIndex, parameters: Parameters) -> Engine:
    """The engine for these parameters."""
    if isinstance(parameters, Tables):
        return DiscreteEngine.of(index, parameters)
    assert isinstance(parameters, Regressions)
    return GaussianEngine.of(index, parameters)


def whole_engine(network: BayesianNetwork) -> Engine:
    """An engine for one question: all variables are in one cluster, and nothing is derived."""
    dag = network.dag
    return engine_of(ClusterIndex.of(dag, ClusterTree([dag.nodes])), network.parameters)


def bytes_of_whole_engine(network: BayesianNetwork) -> int:
    """What `whole_engine` takes."""
    return network.parameters.nbytes + EACH_VARIABLE * len(network)
