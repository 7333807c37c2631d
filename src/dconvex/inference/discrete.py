"""The engine for discrete variables: each question has a module of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, cast, final

import numpy as np

from dconvex._core import Queries
from dconvex.arrays import Floats
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.inference.decision_plan import Cost, PlannedSteps
from dconvex.inference.distribution import Distribution
from dconvex.inference.engine import EvidenceLike, OrdinaryQueries
from dconvex.inference.evidence import NOTHING, Evidence, Soft, Variables, read_states
from dconvex.inference.gains import Gains, discrete_gains, discrete_gains_plan
from dconvex.inference.log_evidence import discrete_log_evidence, discrete_log_evidence_cost
from dconvex.inference.marginals import discrete_marginals
from dconvex.inference.memory import default_limit
from dconvex.inference.most_probable import discrete_most_probable
from dconvex.inference.plan import SHARED_BY
from dconvex.inference.planner import CHEAP, CHEAP_FOR_EACH, PLANNING_ONE, Planner
from dconvex.inference.prediction import PredictionRequest, predicted_labels, predicted_probabilities
from dconvex.inference.query import discrete_query, discrete_query_cost, discrete_query_plan
from dconvex.inference.query_plan import QueryPlan
from dconvex.inference.request import Request
from dconvex.inference.sampling import discrete_estimate, discrete_sample
from dconvex.inference.sensitivity import Slopes
from dconvex.inference.table_model import TableModel
from dconvex.inference.table_slopes import discrete_slopes, discrete_slopes_plan
from dconvex.inference.table_store import TableStore
from dconvex.inference.titles import KnownValue
from dconvex.names import Label, Name
from dconvex.network.frame_columns import Columns
from dconvex.network.network import BayesianNetwork, Parameters
from dconvex.network.probability_tables import Tables

if TYPE_CHECKING:
    import pandas as pd

    from dconvex.inference.outcomes import DiscreteOutcomes, OutcomeRequest


@final
class DiscreteEngine:
    """Answers about the tables of a model; in a coherent one all clusters agree, so that any plan is right."""

    kind: Final[Literal["discrete"]] = "discrete"

    def __init__(self, store: TableStore, labels: Sequence[tuple[Label, ...]], *, coherent: bool) -> None:
        self.store, self.labels, self.coherent = store, labels, coherent
        self.model = TableModel(store, labels, coherent=coherent)
        made = Queries(
            store.tables, store.index.dag.indices, store.index.dag.names, labels, store.derive, Distribution, coherent,
            default_limit(), CHEAP, CHEAP_FOR_EACH, SHARED_BY, PLANNING_ONE,
        )  # fmt: skip
        self.queries = cast("OrdinaryQueries", made)  # its answers are distributions

    @classmethod
    def of(cls, index: ClusterIndex, tables: Tables) -> DiscreteEngine:
        """The engine of a network with these tables."""
        store = TableStore.of(index, [len(own) for own in tables.labels], tables.values)
        return cls(store, tables.labels, coherent=True)

    @property
    def planner(self) -> Planner:
        """Where plans are made and kept."""
        return self.model.planner

    def states(self) -> dict[Name, tuple[Label, ...]]:
        return dict(zip(self.model.names, self.labels, strict=True))

    def read_evidence(self, evidence: EvidenceLike, soft: Soft | None) -> Evidence:
        if evidence is None and soft is None:
            return NOTHING
        return read_states(self.store.index.dag, self.labels, evidence, soft)

    def known(self, evidence: Evidence) -> dict[Name, KnownValue]:
        return self.model.known(evidence)

    def query(self, request: Request) -> Distribution:
        return discrete_query(self.model, request)

    def explain(self, request: Request) -> QueryPlan:
        return discrete_query_plan(self.model, request)

    def query_cost(self, request: Request) -> Cost:
        return discrete_query_cost(self.model, request)

    def estimate(self, request: Request, samples: int, rng: np.random.Generator) -> Distribution:
        return discrete_estimate(self.model, request, samples, rng)

    def marginals(self, request: Request, n_jobs: int | None = None) -> dict[Name, Distribution]:
        return discrete_marginals(self.model, request, n_jobs)

    def most_probable(self, request: Request) -> tuple[dict[Name, Label], float]:
        return discrete_most_probable(self.model, request)

    def most_probable_of_all(self, request: Request) -> tuple[dict[Name, Label], float]:
        return discrete_most_probable(self.model, request)

    def information(self, request: Request, candidates: Variables) -> Gains:
        return discrete_gains(self.model, request, candidates)

    def information_plan(self, request: Request, candidates: Variables) -> PlannedSteps:
        return discrete_gains_plan(self.model, request, candidates)

    def slopes(self, request: Request, parameters: Parameters) -> Slopes:
        assert isinstance(parameters, Tables)
        return discrete_slopes(self.model, request, parameters)

    def slopes_plan(self, request: Request, parameters: Parameters) -> PlannedSteps:
        assert isinstance(parameters, Tables)
        return discrete_slopes_plan(self.model, request, parameters)

    def log_evidence(self, request: Request) -> float:
        return discrete_log_evidence(self.model, request.evidence, request.limit, slicing=request.slicing)

    def log_evidence_cost(self, request: Request) -> Cost:
        return discrete_log_evidence_cost(self.model, request.evidence, request.limit)

    def sample(
        self, request: Request, rows: int, rng: np.random.Generator, network: BayesianNetwork, n_jobs: int | None
    ) -> pd.DataFrame:
        return discrete_sample(self.model, request, rows, rng, network, n_jobs)

    def predict(self, columns: Columns, request: PredictionRequest) -> dict[Name, list[Label | None]]:
        return predicted_labels(self.model, columns, request)

    def predict_proba(self, columns: Columns, request: PredictionRequest) -> dict[Name, Floats]:
        return predicted_probabilities(self.model, columns, request)

    def outcomes(self, columns: Columns, request: OutcomeRequest) -> DiscreteOutcomes:
        from dconvex.inference.outcomes import discrete_outcomes  # few programs need it

        return discrete_outcomes(self.model, columns, request)
