"""A model that answers each question from the few clusters that it touches."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Protocol, TypeAlias, cast, final

import numpy as np
from numpy.typing import NDArray

from dconvex.amounts import amount
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.errors import ImpossibleEvidenceError
from dconvex.graph.checking import check_tree
from dconvex.graph.convexity import inducing_path
from dconvex.graph.dag import Dag
from dconvex.graph.decomposition import quick_tree
from dconvex.graph.tree import ClusterTree
from dconvex.inference.discrete import DiscreteAnswers
from dconvex.inference.distribution import Distribution, GaussianDistribution, answered
from dconvex.inference.evidence import Soft
from dconvex.inference.gaussian import GaussianAnswers
from dconvex.inference.memory import limit_of
from dconvex.inference.partitions import lies_in_partitions, predicted_in_partitions, probabilities_in_partitions
from dconvex.inference.plan import QueryPlan
from dconvex.inference.prediction import predicted, predicted_probabilities
from dconvex.inference.report import Report
from dconvex.names import Label, Name, as_names
from dconvex.network.network import BayesianNetwork
from dconvex.saved import storage
from dconvex.shown import Shown, display, warn_of_save

if TYPE_CHECKING:
    import pandas as pd

    from dconvex.network.probability_tables import Tables

Floats: TypeAlias = NDArray[np.float64]
EvidenceLike: TypeAlias = Mapping[Name, Any] | None
Answer: TypeAlias = Distribution | GaussianDistribution


def localize(network: BayesianNetwork, *, tree: ClusterTree | None = None, max_bytes: float | None = None) -> LocalModel:
    """A model that answers questions about `network` exactly, each from the clusters it touches.

    No answer depends on the tree, so without `tree` it is refined only as far as about the cost of a junction tree goes:
    `model.tree.certified` says whether its clusters are proven irreducible, and `tree=decompose(network)` gives the certified
    one. The separators of `tree` must be d-convex. Nothing is computed until a question needs it. `max_bytes` is the most
    memory that a question may take, unless it says otherwise.

    >>> import dconvex as dc
    >>> model = dc.localize(dc.load_network("asia"))
    >>> model.query("lung", {"smoke": "yes", "xray": "yes"})
    Distribution of lung
      yes  0.645991
      no   0.354009
    """
    if not isinstance(network, BayesianNetwork):
        raise TypeError(f"localize takes a BayesianNetwork, not {type(network).__name__}")
    dag = network.dag
    chosen = quick_tree(dag) if tree is None else checked_tree(dag, tree)
    index = ClusterIndex.of(dag, chosen)
    answers: DiscreteAnswers | GaussianAnswers
    if network.kind == "discrete":
        answers = DiscreteAnswers.of(index, cast("Tables", network.parameters))
    else:
        answers = GaussianAnswers.of(index, network)
    return LocalModel(index, answers, NetworkOrigin(network), max_bytes)


def checked_tree(dag: Dag, tree: ClusterTree) -> ClusterTree:
    """A tree over this DAG whose separators are d-convex."""
    if not isinstance(tree, ClusterTree):
        raise TypeError(f"tree must be a ClusterTree, as `decompose` gives one, not {type(tree).__name__}")
    if tree.mode == "all":
        tree = ClusterTree(tree.clusters, tree.edges, mode="any")
    broken = set(check_tree(dag, tree)) & {"covers", "families", "tree", "junction", "separators", "convex"}
    if not broken:
        return tree
    for separator in sorted(dict.fromkeys(tree.separators), key=len):
        if separator <= set(dag.nodes) and (path := inducing_path(dag, separator)) is not None:
            raise ValueError(
                f"the separator {sorted(map(str, separator))} is not d-convex: the inducing path {' – '.join(map(str, path))} "
                "joins two of its variables; use a tree with separators='minimal', 'any' or 'complete'"
            )
    raise ValueError(f"the tree does not fit the network: {', '.join(sorted(broken))} (see dc.check_tree)")


class Origin(Protocol):
    """Where a model comes from: a network (`NetworkOrigin`), data (`DataOrigin`) or a file (`FileOrigin`)."""

    def network(self) -> BayesianNetwork:
        """The network of all clusters together."""

    def updated(self, data: Any) -> LocalModel:
        """The model learned from more data."""

    def report(self) -> Report:
        """What the model was learned from."""


NO_UPDATE = "this model comes from a given network, not from data; learn one with dc.fit"
NO_REPORT = "this model comes from a given network: there is nothing to report about data"


@final
@dataclass(frozen=True, slots=True)
class NetworkOrigin:
    """A network that was given."""

    given: BayesianNetwork

    def network(self) -> BayesianNetwork:
        return self.given

    def updated(self, data: Any) -> LocalModel:
        raise ValueError(NO_UPDATE)

    def report(self) -> Report:
        raise ValueError(NO_REPORT)


class LocalModel(Shown):
    """Sub-models of the clusters of a tree; `localize` makes one from a network, `fit` from data.

    Asking never changes a model, and it may be asked from many threads at once. Evidence is `{variable: label}`, with a set
    of labels where one of several was seen; `soft` is `{variable: {label: likelihood}}`, or numbers in the order of the states.

    >>> import dconvex as dc
    >>> model = dc.localize(dc.load_network("asia"))
    >>> model.query(["lung", "bronc"], {"dysp": "yes"})
    Distribution of lung, bronc
      yes, yes  0.0650273
      yes, no   0.0377319
      no, yes   0.76894
      no, no    0.128301
    >>> model.most_probable(["lung", "bronc"], {"dysp": "yes"})[0]
    {'lung': 'no', 'bronc': 'yes'}
    """

    def __init__(
        self,
        index: ClusterIndex,
        answers: DiscreteAnswers | GaussianAnswers,
        origin: Origin,
        max_bytes: float | None = None,
    ) -> None:
        limit = None if max_bytes is None else limit_of(max_bytes)
        self.__dict__.update(_index=index, _answers=answers, _origin=origin, max_bytes=limit)

    _index: ClusterIndex
    _answers: Any
    _origin: Origin
    max_bytes: int | None

    @property
    def dag(self) -> Dag:
        """The graph of the whole network."""
        return self._index.dag

    @property
    def tree(self) -> ClusterTree:
        """The tree of clusters."""
        return self._index.tree

    @property
    def kind(self) -> Literal["discrete", "gaussian"]:
        """Whether the variables have states or numbers."""
        kind: Literal["discrete", "gaussian"] = self._answers.kind
        return kind

    @property
    def states(self) -> dict[Name, tuple[Label, ...]]:
        """The labels of each variable, in order; empty for a Gaussian model."""
        return dict(zip(self.dag.nodes, self._answers.labels, strict=True)) if self.kind == "discrete" else {}

    @property
    def coherent(self) -> bool:
        """Whether all clusters agree: always for a given network; learned models are so if they were asked to be."""
        return bool(self._answers.coherent)

    @property
    def bytes_read(self) -> int:
        """How much of a model that was opened from a file has been read of its tables; 0 for one that is in memory."""
        return int(self._answers.store.bytes_read)

    def network(self) -> BayesianNetwork:
        """The network of all clusters together.

        Returns:
            The given network, or that of the variables' own families as they were learned.

        Raises:
            ValueError: The model was learned `for_query=` some variables only.
            FormatError: The file that the model was opened from is damaged.
        """
        return self._origin.network()

    def updated(self, data: Any) -> LocalModel:
        """The model learned from what this one has seen and from `data`, as if it had been learned from all at once.

        Args:
            data: Whatever `fit` takes, or `Statistics`.

        Returns:
            A new model; this one does not change.

        Raises:
            ValueError: The model comes from a given network, or was saved without its statistics.
            DataError: The data does not fit the model.
        """
        return self._origin.updated(data)

    def report(self) -> Report:
        """What the model was learned from, and what was unobserved, missing or singular there.

        Returns:
            The report.

        Raises:
            ValueError: The model comes from a given network.
        """
        return self._origin.report()

    def save(self, path: str | Path, *, statistics: bool = False) -> None:
        """Write the model to one file, which `open_model` opens.

        The file is safetensors: arrays and a description, nothing that is executed. It is replaced as a whole. Pictures of the
        model are written by `save_picture`; for one release a picture's suffix (`.svg`, `.html`, `.png`, `.pdf`) does so too.

        Args:
            path: The file.
            statistics: Whether the file also holds the statistics that the model was learned from; with them the opened model
                can be updated.

        Raises:
            ValueError: There are no statistics to save.
        """
        if display().is_picture(path):
            if statistics:
                raise ValueError(f"{str(path)!r} would be a picture, which holds no statistics; choose another suffix")
            warn_of_save(self)
            self.save_picture(path)
            return
        storage().save_model(self, Path(path), statistics=statistics)

    def query(
        self,
        variables: Name | Iterable[Name],
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        method: Literal["exact", "sampling"] = "exact",
        max_bytes: float | None = None,
        assume_possible: bool = False,
        samples: int = 10_000,
        seed: int | np.random.Generator | None = None,
    ) -> Distribution | GaussianDistribution:
        """P(variables | evidence), an axis for each variable in the order asked.

        With `assume_possible` evidence that cannot matter for the answer is not checked for being possible.
        `method="sampling"` estimates the answer from so many `samples`, with standard errors.
        """
        if method == "exact" and soft is None and (queries := self._answers.queries) is not None:
            answer = queries.ask(variables, evidence, self.max_bytes if max_bytes is None else max_bytes, assume_possible)
            if answer is not None:
                return answered(answer)
        asked = self._asked(variables)
        given = self._answers.read_evidence(evidence, soft)
        limit = self._limit(max_bytes)
        if method == "exact":
            exact: Answer = self._answers.query(asked, given, limit, assume_possible=assume_possible)
            return exact
        if method == "sampling":
            rng = np.random.default_rng(seed)
            estimate: Answer = self._answers.estimate(asked, given, limit, operator.index(samples), rng)
            return estimate
        raise ValueError(f"unknown method {method!r}; there are 'exact' and 'sampling'")

    def marginals(
        self,
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        variables: Name | Iterable[Name] | None = None,
        max_bytes: float | None = None,
        assume_possible: bool = False,
    ) -> dict[Name, Distribution | GaussianDistribution]:
        """P(v | evidence) for every variable v, or for those named."""
        if variables is None and soft is None and (queries := self._answers.queries) is not None:
            answers = queries.ask_marginals(evidence, self.max_bytes if max_bytes is None else max_bytes, assume_possible)
            if answers is not None:
                return dict(zip(self.dag.nodes, map(answered, answers), strict=True))
        asked = tuple(range(len(self.dag))) if variables is None else self._asked(variables)
        given = self._answers.read_evidence(evidence, soft)
        limit = self._limit(max_bytes)
        found: dict[Name, Answer] = self._answers.marginals(asked, given, limit, assume_possible=assume_possible)
        return found

    def most_probable(
        self,
        variables: Name | Iterable[Name] | None = None,
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        assume_possible: bool = False,
    ) -> tuple[dict[Name, Any], float]:
        """The most probable joint state, and the logarithm of its probability given the evidence.

        Of all variables that are not observed, or of those named, summed over all others (marginal MAP, exact).
        """
        asked = None if variables is None else self._asked(variables)
        given = self._answers.read_evidence(evidence, soft)
        limit = self._limit(max_bytes)
        found: tuple[dict[Name, Any], float] = self._answers.most_probable(asked, given, limit, assume_possible=assume_possible)
        return found

    def log_evidence(self, evidence: EvidenceLike = None, *, soft: Soft | None = None, max_bytes: float | None = None) -> float:
        """The logarithm of the probability (or density) of the evidence; -inf where it is impossible."""
        try:
            given = self._answers.read_evidence(evidence, soft)
        except ImpossibleEvidenceError:  # an empty set of states
            return -math.inf
        return float(self._answers.log_evidence(given, self._limit(max_bytes)))

    def sample(
        self,
        n: int,
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        seed: int | np.random.Generator | None = None,
        max_bytes: float | None = None,
    ) -> pd.DataFrame:
        """`n` independent rows of all variables given the evidence, drawn exactly."""
        if n < 0:
            raise ValueError(f"cannot draw {n} rows")
        given = self._answers.read_evidence(evidence, soft)
        rng = np.random.default_rng(seed)
        frame: pd.DataFrame = self._answers.sample(
            operator.index(n), given, rng, self._limit(max_bytes), network=self.network()
        )
        return frame

    def log_likelihood(self, data: Any) -> Floats:
        """The logarithm of the probability (or density) of each row of a data frame with a column for every variable."""
        return self.network().log_likelihood(data)

    def predict(
        self,
        data: Any,
        target: Name | Iterable[Name],
        *,
        impossible: Literal["raise", "nan"] = "raise",
        unknown: Literal["raise", "missing"] = "raise",
        max_bytes: float | None = None,
    ) -> Any:
        """The most probable state (or the mean) of each target for each row, in a frame of the caller's own kind.

        Columns of targets are ignored; absent columns and missing cells count as not observed. `impossible` says what becomes
        of rows of probability zero, `unknown` of labels that the model does not have.
        """
        answer = predicted_in_partitions if lies_in_partitions(data) else predicted
        return answer(self, data, self._asked(target), impossible, unknown, self._limit(max_bytes))

    def predict_proba(
        self,
        data: Any,
        target: Name | Iterable[Name],
        *,
        impossible: Literal["raise", "nan"] = "raise",
        unknown: Literal["raise", "missing"] = "raise",
        max_bytes: float | None = None,
    ) -> dict[Name, Floats]:
        """For each target an array with a row of probabilities for each row of the data, along the target's states."""
        answer = probabilities_in_partitions if lies_in_partitions(data) else predicted_probabilities
        return answer(self, data, self._asked(target), impossible, unknown, self._limit(max_bytes))

    def explain(
        self,
        variables: Name | Iterable[Name],
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        assume_possible: bool = False,
    ) -> QueryPlan:
        """The plan that `query` executes: which clusters answer, what is dropped, the order, memory and multiplications."""
        asked, limit = self._asked(variables), self._limit(max_bytes)
        given = self._answers.read_evidence(evidence, soft)
        plan: QueryPlan = self._answers.explain(asked, given, limit, assume_possible=assume_possible)
        return plan

    def do(self, settings: Mapping[Name, Any]) -> LocalModel:
        """The model after an intervention: the edges into each variable are cut and it is fixed at its value."""
        return localize(self.network().do(settings), max_bytes=self.max_bytes)

    def _asked(self, variables: Name | Iterable[Name]) -> tuple[int, ...]:
        names = as_names(variables)
        places = self._index.dag.indices_of(names)
        if len(set(places)) < len(places):
            twice = next(name for place, name in enumerate(names) if name in names[:place])
            raise ValueError(f"{twice!r} is asked for twice")
        return places

    def _limit(self, max_bytes: float | None) -> int:
        return limit_of(self.max_bytes if max_bytes is None else max_bytes)

    def __len__(self) -> int:
        return len(self.dag)

    def __repr__(self) -> str:
        return f"LocalModel({self.kind}, {amount(len(self), 'variable')} in {amount(len(self.tree), 'cluster')})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a LocalModel is frozen; {name!r} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a LocalModel is frozen; {name!r} cannot be deleted")
