"""Bayesian networks split along d-convex separators: learn each part from its own columns, ask questions locally."""

from dconvex.errors import (
    CycleError,
    DataError,
    DconvexError,
    FormatError,
    ImpossibleEvidenceError,
    NetworkError,
    TooLargeError,
    UnknownStateError,
    UnknownVariableError,
)
from dconvex.exchange.pgmpy import from_pgmpy, to_pgmpy
from dconvex.exchange.pyagrum import from_pyagrum, to_pyagrum
from dconvex.formats import read, write
from dconvex.graph.checking import check_tree
from dconvex.graph.convexity import convex_hull, inducing_path, is_d_convex
from dconvex.graph.dag import Dag
from dconvex.graph.decomposition import decompose
from dconvex.graph.separation import d_separated, markov_boundary
from dconvex.graph.tree import ClusterTree
from dconvex.inference.distances import (
    Distance,
    bhattacharyya_distance,
    hellinger_distance,
    kl_divergence,
    wasserstein2_distance,
)
from dconvex.inference.distribution import Distribution, GaussianDistribution
from dconvex.inference.model import LocalModel, localize
from dconvex.inference.plan import QueryPlan
from dconvex.learning.counted import statistics
from dconvex.learning.fitting import fit
from dconvex.learning.opening import open_model
from dconvex.learning.priors import BDeu, Dirichlet, NormalInverseGamma
from dconvex.learning.report import Report
from dconvex.learning.statistics import Statistics
from dconvex.network.families import Regression, Table
from dconvex.network.network import BayesianNetwork
from dconvex.network.random import random_dag, random_gaussian_network, random_network
from dconvex.repository import load_network, network_info, network_names
from dconvex.shown import Display, draw_with

__version__ = "0.1.0"


def _display() -> Display:
    from dconvex.display import showing

    return showing


draw_with(_display)

__all__ = [
    "BDeu",
    "BayesianNetwork",
    "ClusterTree",
    "CycleError",
    "Dag",
    "DataError",
    "DconvexError",
    "Dirichlet",
    "Distance",
    "Distribution",
    "FormatError",
    "GaussianDistribution",
    "ImpossibleEvidenceError",
    "LocalModel",
    "NetworkError",
    "NormalInverseGamma",
    "QueryPlan",
    "Regression",
    "Report",
    "Statistics",
    "Table",
    "TooLargeError",
    "UnknownStateError",
    "UnknownVariableError",
    "bhattacharyya_distance",
    "check_tree",
    "convex_hull",
    "d_separated",
    "decompose",
    "fit",
    "from_pgmpy",
    "from_pyagrum",
    "hellinger_distance",
    "inducing_path",
    "is_d_convex",
    "kl_divergence",
    "load_network",
    "localize",
    "markov_boundary",
    "network_info",
    "network_names",
    "open_model",
    "random_dag",
    "random_gaussian_network",
    "random_network",
    "read",
    "statistics",
    "to_pgmpy",
    "to_pyagrum",
    "wasserstein2_distance",
    "write",
]
