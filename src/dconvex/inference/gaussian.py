"""The engine for continuous variables of a linear Gaussian network: each question has a module of its own.

A question is answered on the small network of the clusters that it keeps, piece by piece (see `gaussian_pieces`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, Literal, NoReturn, final

import numpy as np

from dconvex.arrays import Floats
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.inference.decision_plan import Cost, PlannedSteps
from dconvex.inference.distribution import GaussianDistribution
from dconvex.inference.engine import EvidenceLike
from dconvex.inference.evidence import Evidence, Soft, Variables, read_numbers
from dconvex.inference.gains import Gains, gaussian_gains, gaussian_gains_plan
from dconvex.inference.gaussian_store import RegressionStore
from dconvex.inference.log_evidence import gaussian_log_evidence, gaussian_log_evidence_cost
from dconvex.inference.marginals import gaussian_marginals
from dconvex.inference.most_probable import gaussian_most_probable, gaussian_most_probable_of_all
from dconvex.inference.prediction import PredictionRequest, predicted_means
from dconvex.inference.query import gaussian_query, gaussian_query_cost, gaussian_query_plan
from dconvex.inference.query_plan import QueryPlan
from dconvex.inference.regression_model import RegressionModel
from dconvex.inference.request import Request
from dconvex.inference.sampling import gaussian_sample
from dconvex.inference.titles import KnownValue
from dconvex.names import Label, Name
from dconvex.network.frame_columns import Columns
from dconvex.network.linear_regressions import Regressions
from dconvex.network.network import BayesianNetwork, Parameters

if TYPE_CHECKING:
    import pandas as pd

    from dconvex.inference.outcomes import GaussianOutcomes, OutcomeRequest


@final
class NoQueries:
    """There is no native way for questions about regressions."""

    def ask(
        self, variables: Name | Iterable[Name], evidence: EvidenceLike, max_bytes: float | None, assume_possible: bool
    ) -> None:
        """Nothing."""

    def ask_marginals(self, evidence: EvidenceLike, max_bytes: float | None, assume_possible: bool, threads: int) -> None:
        """Nothing, too."""


@final
class GaussianEngine:
    """Answers about the regressions of a model; in a coherent one all clusters agree, so that any plan is right."""

    kind: Final[Literal["gaussian"]] = "gaussian"
    queries: Final = NoQueries()

    def __init__(self, store: RegressionStore, *, coherent: bool) -> None:
        self.store, self.coherent = store, coherent
        self.model = RegressionModel(store, coherent=coherent)

    @classmethod
    def of(cls, index: ClusterIndex, regressions: Regressions) -> GaussianEngine:
        """The engine of a network with these regressions."""
        own = (regressions.intercept, regressions.coefficients, regressions.variance)
        return cls(RegressionStore(index, *own), coherent=True)

    def states(self) -> dict[Name, tuple[Label, ...]]:
        return {}

    def read_evidence(self, evidence: EvidenceLike, soft: Soft | None) -> Evidence:
        return read_numbers(self.store.index.dag, evidence, soft)

    def known(self, evidence: Evidence) -> dict[Name, KnownValue]:
        return self.model.known(evidence)

    def query(self, request: Request) -> GaussianDistribution:
        return gaussian_query(self.model, request)

    def explain(self, request: Request) -> QueryPlan:
        return gaussian_query_plan(self.model, request)

    def query_cost(self, request: Request) -> Cost:
        return gaussian_query_cost(self.model, request)

    def estimate(self, request: Request, samples: int, rng: np.random.Generator) -> GaussianDistribution:
        """The exact answer: nothing would be gained by sampling."""
        return gaussian_query(self.model, request)

    def marginals(self, request: Request, n_jobs: int | None = None) -> dict[Name, GaussianDistribution]:
        return gaussian_marginals(self.model, request, n_jobs)

    def most_probable(self, request: Request) -> tuple[dict[Name, float], float]:
        return gaussian_most_probable(self.model, request)

    def most_probable_of_all(self, request: Request) -> tuple[dict[Name, float], float]:
        return gaussian_most_probable_of_all(self.model, request)

    def information(self, request: Request, candidates: Variables) -> Gains:
        return gaussian_gains(self.model, request, candidates)

    def information_plan(self, request: Request, candidates: Variables) -> PlannedSteps:
        return gaussian_gains_plan(self.model, request, candidates)

    def slopes(self, request: Request, parameters: Parameters) -> NoReturn:
        raise ValueError("a Gaussian model has no states, whose probabilities could move with its parameters")

    def slopes_plan(self, request: Request, parameters: Parameters) -> NoReturn:
        self.slopes(request, parameters)

    def log_evidence(self, request: Request) -> float:
        return gaussian_log_evidence(self.model, request.evidence, request.limit)

    def log_evidence_cost(self, request: Request) -> Cost:
        return gaussian_log_evidence_cost(self.model, request.evidence, request.limit)

    def sample(
        self, request: Request, rows: int, rng: np.random.Generator, network: BayesianNetwork, n_jobs: int | None
    ) -> pd.DataFrame:
        return gaussian_sample(self.model, request, rows, rng)

    def predict(self, columns: Columns, request: PredictionRequest) -> dict[Name, Floats]:
        return predicted_means(self.model, columns, request)

    def predict_proba(self, columns: Columns, request: PredictionRequest) -> NoReturn:
        raise ValueError("a Gaussian model has no probabilities of states; use `predict`, or `query` for one row")

    def outcomes(self, columns: Columns, request: OutcomeRequest) -> GaussianOutcomes:
        from dconvex.inference.outcomes import gaussian_outcomes  # few programs need it

        return gaussian_outcomes(self.model, columns, request)
