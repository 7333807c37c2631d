"""Bayesian networks split along d-convex separators: learn each part from its own columns, ask questions locally.

A public name is imported when it is first used (PEP 562), so that a program loads only what it needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from dconvex.learned import Learner, learn_with
from dconvex.saved import Storage, save_with
from dconvex.shown import Display, draw_with

if TYPE_CHECKING:
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
    from dconvex.evaluation.cross_validation import cross_validate
    from dconvex.evaluation.fold_results import CrossValidation
    from dconvex.exchange.pgmpy import from_pgmpy, to_pgmpy
    from dconvex.exchange.pyagrum import from_pyagrum, to_pyagrum
    from dconvex.formats import read, write
    from dconvex.formats.evidence_files import read_evidence
    from dconvex.formats.structures import read_structure
    from dconvex.graph.adjustment import adjustment_sets
    from dconvex.graph.checking import check_tree
    from dconvex.graph.comparison import StructureComparison, compare_structures
    from dconvex.graph.convexity import convex_hull, inducing_path, is_d_convex
    from dconvex.graph.cpdag import Cpdag, cpdag
    from dconvex.graph.dag import Dag
    from dconvex.graph.decomposition import decompose
    from dconvex.graph.separation import d_separated, markov_boundary
    from dconvex.graph.tree import ClusterTree
    from dconvex.inference.calibration import Calibration
    from dconvex.inference.confusion import Confusion
    from dconvex.inference.decision_plan import DecisionPlan
    from dconvex.inference.discrete_evaluation import Evaluation
    from dconvex.inference.distances import (
        Distance,
        bhattacharyya_distance,
        hellinger_distance,
        kl_divergence,
        wasserstein2_distance,
    )
    from dconvex.inference.distribution import Distribution, GaussianDistribution
    from dconvex.inference.effect import Effect
    from dconvex.inference.gaussian_evaluation import GaussianEvaluation
    from dconvex.inference.influences import Influences
    from dconvex.inference.informative import MostInformative
    from dconvex.inference.markov import MarkovNetwork, read_markov
    from dconvex.inference.model import LocalModel, localize
    from dconvex.inference.query_plan import QueryPlan
    from dconvex.inference.report import Report
    from dconvex.inference.sensitivity import Sensitivity
    from dconvex.intervals import Interval
    from dconvex.learning.discretization import discretize
    from dconvex.learning.discretizer import Discretizer
    from dconvex.learning.estimation.priors import BDeu, BGe, Dirichlet, NormalInverseGamma
    from dconvex.learning.fitting import fit
    from dconvex.learning.learning_options import EM
    from dconvex.learning.tree_statistics import Statistics, statistics
    from dconvex.network.family import Regression, Table
    from dconvex.network.network import BayesianNetwork
    from dconvex.network.random_networks import random_dag, random_gaussian_network, random_network
    from dconvex.repository import load_network, network_info, network_names
    from dconvex.storage import open_model
    from dconvex.structure.edge_strengths import EdgeStrengths, averaged_structure, edge_strengths
    from dconvex.structure.learned_structure import Structure
    from dconvex.structure.shared_counts import SharedCounts
    from dconvex.structure.site_counts import site_counts
    from dconvex.structure.structure_learning import learn_structure

__version__ = "0.1.0"


def _display() -> Display:
    return cast("Display", import_module("dconvex.display.showing"))


def _storage() -> Storage:
    return cast("Storage", import_module("dconvex.storage"))


def _learner() -> Learner:
    return cast("Learner", import_module("dconvex.learning.expecting"))


draw_with(_display)
learn_with(_learner)
save_with(_storage)

__all__ = [
    "EM",
    "BDeu",
    "BGe",
    "BayesianNetwork",
    "Calibration",
    "ClusterTree",
    "Confusion",
    "Cpdag",
    "CrossValidation",
    "CycleError",
    "Dag",
    "DataError",
    "DconvexError",
    "DecisionPlan",
    "Dirichlet",
    "Discretizer",
    "Distance",
    "Distribution",
    "EdgeStrengths",
    "Effect",
    "Evaluation",
    "FormatError",
    "GaussianDistribution",
    "GaussianEvaluation",
    "ImpossibleEvidenceError",
    "Influences",
    "Interval",
    "LocalModel",
    "MarkovNetwork",
    "MostInformative",
    "NetworkError",
    "NormalInverseGamma",
    "QueryPlan",
    "Regression",
    "Report",
    "Sensitivity",
    "SharedCounts",
    "Statistics",
    "Structure",
    "StructureComparison",
    "Table",
    "TooLargeError",
    "UnknownStateError",
    "UnknownVariableError",
    "adjustment_sets",
    "averaged_structure",
    "bhattacharyya_distance",
    "check_tree",
    "compare_structures",
    "convex_hull",
    "cpdag",
    "cross_validate",
    "d_separated",
    "decompose",
    "discretize",
    "edge_strengths",
    "fit",
    "from_pgmpy",
    "from_pyagrum",
    "hellinger_distance",
    "inducing_path",
    "is_d_convex",
    "kl_divergence",
    "learn_structure",
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
    "read_evidence",
    "read_markov",
    "read_structure",
    "site_counts",
    "statistics",
    "to_pgmpy",
    "to_pyagrum",
    "wasserstein2_distance",
    "write",
]

_NAMES = {
    "errors": "CycleError DataError DconvexError FormatError ImpossibleEvidenceError NetworkError TooLargeError"
    " UnknownStateError UnknownVariableError",
    "evaluation.cross_validation": "cross_validate",
    "evaluation.fold_results": "CrossValidation",
    "exchange.pgmpy": "from_pgmpy to_pgmpy",
    "exchange.pyagrum": "from_pyagrum to_pyagrum",
    "formats": "read write",
    "formats.evidence_files": "read_evidence",
    "formats.structures": "read_structure",
    "graph.adjustment": "adjustment_sets",
    "graph.checking": "check_tree",
    "graph.comparison": "StructureComparison compare_structures",
    "graph.convexity": "convex_hull inducing_path is_d_convex",
    "graph.cpdag": "Cpdag cpdag",
    "graph.dag": "Dag",
    "graph.decomposition": "decompose",
    "graph.separation": "d_separated markov_boundary",
    "graph.tree": "ClusterTree",
    "inference.calibration": "Calibration",
    "inference.confusion": "Confusion",
    "inference.decision_plan": "DecisionPlan",
    "inference.discrete_evaluation": "Evaluation",
    "inference.distances": "Distance bhattacharyya_distance hellinger_distance kl_divergence wasserstein2_distance",
    "inference.distribution": "Distribution GaussianDistribution",
    "inference.effect": "Effect",
    "inference.gaussian_evaluation": "GaussianEvaluation",
    "inference.influences": "Influences",
    "inference.informative": "MostInformative",
    "inference.markov": "MarkovNetwork read_markov",
    "inference.model": "LocalModel localize",
    "inference.query_plan": "QueryPlan",
    "inference.report": "Report",
    "inference.sensitivity": "Sensitivity",
    "intervals": "Interval",
    "learning.discretization": "discretize",
    "learning.discretizer": "Discretizer",
    "learning.estimation.priors": "BDeu BGe Dirichlet NormalInverseGamma",
    "learning.fitting": "fit",
    "learning.learning_options": "EM",
    "learning.tree_statistics": "Statistics statistics",
    "network.family": "Regression Table",
    "network.network": "BayesianNetwork",
    "network.random_networks": "random_dag random_gaussian_network random_network",
    "repository": "load_network network_info network_names",
    "storage": "open_model",
    "structure.edge_strengths": "EdgeStrengths averaged_structure edge_strengths",
    "structure.learned_structure": "Structure",
    "structure.shared_counts": "SharedCounts",
    "structure.site_counts": "site_counts",
    "structure.structure_learning": "learn_structure",
}
"""The public names by module: the imports above as data, which a test compares with them."""
_MODULES = {name: f"{__name__}.{module}" for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """A public name, or a submodule, on first use."""
    if name in _MODULES:
        value = globals()[name] = getattr(import_module(_MODULES[name]), name)
        return value
    if not name.startswith("__"):
        submodule = f"{__name__}.{name}"
        try:
            return import_module(submodule)
        except ModuleNotFoundError as error:
            if error.name != submodule:
                raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
