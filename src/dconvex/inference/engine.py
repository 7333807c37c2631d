"""What a model needs of an engine: one method for each question. The discrete and the Gaussian engine implement it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

import numpy as np

from dconvex.arrays import Floats
from dconvex.inference.decision_plan import Cost, PlannedSteps
from dconvex.inference.distribution import Distribution, GaussianDistribution
from dconvex.inference.evidence import Evidence, Soft, Variables
from dconvex.inference.gains import Gains
from dconvex.inference.prediction import PredictionRequest
from dconvex.inference.query_plan import QueryPlan
from dconvex.inference.request import Request
from dconvex.inference.sensitivity import Slopes
from dconvex.inference.titles import KnownValue
from dconvex.names import Label, Name
from dconvex.network.frame_columns import Columns
from dconvex.network.network import BayesianNetwork, Parameters

if TYPE_CHECKING:
    import pandas as pd

    from dconvex.inference.outcomes import OutcomeRequest, Outcomes

Answer: TypeAlias = Distribution | GaussianDistribution
EvidenceLike: TypeAlias = Mapping[Name, object] | None
"""A label or a number by variable, or a set of labels; or a row of a table."""


class NumberStore(Protocol):
    """The tables or regressions of an engine."""

    @property
    def bytes_read(self) -> int:
        """How much has been read from a file."""

    def read_all(self) -> None:
        """Have all numbers in memory that are not derived."""


class OrdinaryQueries(Protocol):
    """Answers ordinary questions in one call of the core; None where a question is not an ordinary one."""

    def ask(
        self, variables: Name | Iterable[Name], evidence: EvidenceLike, max_bytes: float | None, assume_possible: bool
    ) -> Answer | None:
        """The answer of `query`."""

    def ask_marginals(
        self, evidence: EvidenceLike, max_bytes: float | None, assume_possible: bool, threads: int
    ) -> dict[Name, Answer] | None:
        """All marginals."""


class Engine(Protocol):
    """Answers questions about a model."""

    @property
    def kind(self) -> Literal["discrete", "gaussian"]:
        """Whether the variables have states or numbers."""

    @property
    def coherent(self) -> bool:
        """Whether all clusters agree, so that any plan is right."""

    @property
    def store(self) -> NumberStore:
        """Where the numbers are."""

    @property
    def queries(self) -> OrdinaryQueries:
        """The quick way for ordinary questions, which is tried first."""

    def states(self) -> dict[Name, tuple[Label, ...]]:
        """The labels of each variable; empty where variables have numbers."""

    def read_evidence(self, evidence: EvidenceLike, soft: Soft | None) -> Evidence:
        """Check evidence and turn it into indices."""

    def known(self, evidence: Evidence) -> Mapping[Name, KnownValue]:
        """The evidence by name, as an answer remembers it."""

    def query(self, request: Request) -> Answer:
        """The joint distribution of the variables given the evidence."""

    def explain(self, request: Request) -> QueryPlan:
        """The plan that `query` executes."""

    def query_cost(self, request: Request) -> Cost:
        """What `query` takes; what is too large is refused."""

    def estimate(self, request: Request, samples: int, rng: np.random.Generator) -> Answer:
        """The answer of `query`, from samples where that is of use."""

    def marginals(self, request: Request, n_jobs: int | None = None) -> Mapping[Name, Answer]:
        """The distribution of each variable given the evidence, the same for any `n_jobs`."""

    def most_probable(self, request: Request) -> tuple[Mapping[Name, Label | float], float]:
        """The most probable joint state of the variables, and the logarithm of its probability or density."""

    def most_probable_of_all(self, request: Request) -> tuple[Mapping[Name, Label | float], float]:
        """The same where the variables are all that are not observed."""

    def information(self, request: Request, candidates: Variables) -> Gains:
        """How uncertain the only target is, and what observing each candidate is expected to say about it."""

    def information_plan(self, request: Request, candidates: Variables) -> PlannedSteps:
        """What `information` runs; what is too large is refused."""

    def slopes(self, request: Request, parameters: Parameters) -> Slopes:
        """How the probabilities of the only target's states move with each parameter of the network, if all clusters agree."""

    def slopes_plan(self, request: Request, parameters: Parameters) -> PlannedSteps:
        """What `slopes` runs; what is too large is refused."""

    def log_evidence(self, request: Request) -> float:
        """The logarithm of the probability or density of the evidence; -inf where it is impossible."""

    def log_evidence_cost(self, request: Request) -> Cost:
        """What `log_evidence` takes; what is too large is refused."""

    def sample(
        self, request: Request, rows: int, rng: np.random.Generator, network: BayesianNetwork, n_jobs: int | None
    ) -> pd.DataFrame:
        """Rows of all variables given the evidence, the same for any `n_jobs`; `network` is that of all clusters together."""

    def predict(self, columns: Columns, request: PredictionRequest) -> Mapping[Name, Floats | Sequence[Label | None]]:
        """By target the most probable state or the mean in each row."""

    def predict_proba(self, columns: Columns, request: PredictionRequest) -> dict[Name, Floats]:
        """By target the probabilities of its states, a row for each row of the data."""

    def outcomes(self, columns: Columns, request: OutcomeRequest) -> Outcomes:
        """What is predicted for the rows that have a value of the target, next to that value."""
