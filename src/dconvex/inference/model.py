"""A model that answers each question from the few clusters that it touches."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Protocol, TypeAlias, final

import numpy as np

from dconvex.amounts import amount
from dconvex.arrays import Floats
from dconvex.clusters.checked_index import checked_index
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.errors import ImpossibleEvidenceError
from dconvex.graph.dag import Dag
from dconvex.graph.decomposition import quick_tree
from dconvex.graph.tree import ClusterTree
from dconvex.inference.discrete import DiscreteEngine
from dconvex.inference.engine import Answer, Engine, EvidenceLike
from dconvex.inference.evidence import Soft, Variables
from dconvex.inference.gaussian import GaussianEngine
from dconvex.inference.memory import default_limit, limit_of
from dconvex.inference.partitions import predicted, predicted_probabilities
from dconvex.inference.prediction import Impossible, PredictionRequest, Unknown
from dconvex.inference.query_plan import QueryPlan
from dconvex.inference.report import Report
from dconvex.inference.request import Request
from dconvex.names import Label, Name, as_names
from dconvex.network.linear_regressions import Regressions
from dconvex.network.network import BayesianNetwork, Parameters
from dconvex.network.probability_tables import Tables
from dconvex.saved import storage
from dconvex.shown import Shown, display, warn_of_save
from dconvex.threads import thread_count

if TYPE_CHECKING:
    import pandas as pd

    from dconvex.inference.discrete_evaluation import Evaluation
    from dconvex.inference.gaussian_evaluation import GaussianEvaluation

Seed: TypeAlias = int | np.random.Generator | None


def localize(network: BayesianNetwork, *, tree: ClusterTree | None = None, max_bytes: float | None = None) -> LocalModel:
    """A model that answers questions about `network` exactly, each from the clusters it touches.

    No answer depends on the tree, so without `tree` it is refined only as far as about the cost of a junction tree goes:
    `model.tree.certified` says whether its clusters are proven irreducible, and `tree=decompose(network)` gives the certified
    one. Nothing is computed until a question needs it.

    Args:
        network: The network.
        tree: A tree over its graph with d-convex separators; None: a quick one.
        max_bytes: The most memory that a question may take, unless it says otherwise; None: half of what there is.

    Returns:
        The model.

    Raises:
        TypeError: `network` is no network, or `tree` is no tree.
        ValueError: The tree does not fit the network, or a separator is not d-convex.

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
    index = ClusterIndex.of(dag, quick_tree(dag)) if tree is None else checked_index(dag, tree)
    return LocalModel(index, _engine_of(index, network.parameters), NetworkOrigin(network), max_bytes)


def _engine_of(index: ClusterIndex, parameters: Parameters) -> Engine:
    """The engine for these parameters; nothing else here knows of kinds."""
    if isinstance(parameters, Tables):
        return DiscreteEngine.of(index, parameters)
    assert isinstance(parameters, Regressions)
    return GaussianEngine.of(index, parameters)


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


@final
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
        engine: Engine,
        origin: Origin,
        max_bytes: float | None = None,
    ) -> None:
        limit = None if max_bytes is None else limit_of(max_bytes)
        self.__dict__.update(_index=index, _engine=engine, _origin=origin, max_bytes=limit)

    _index: ClusterIndex
    _engine: Engine
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
        return self._engine.kind

    @property
    def states(self) -> dict[Name, tuple[Label, ...]]:
        """The labels of each variable, in order; empty for a Gaussian model."""
        return self._engine.states()

    @property
    def coherent(self) -> bool:
        """Whether all clusters agree: they do in a given network, and in a model learned with `coherent=True`."""
        return self._engine.coherent

    @property
    def bytes_read(self) -> int:
        """The bytes of tables that were read so far, of a model that was opened from a file; 0 for one that is in memory."""
        return self._engine.store.bytes_read

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
        seed: Seed = None,
    ) -> Answer:
        """P(variables | evidence), the joint distribution of some variables.

        Args:
            variables: The variables, or one of them.
            evidence: A label by variable, or a set of labels where one of several was seen; a number in a Gaussian model.
            soft: Likelihoods by variable: `{label: likelihood}`, or numbers in the order of the states.
            method: `"exact"`, or `"sampling"` for an estimate with standard errors, of what is too large to compute. A Gaussian
                model always answers exactly.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            assume_possible: Leave evidence that cannot matter for the answer unchecked.
            samples: How many samples an estimate is made from.
            seed: The seed of an estimate, or a generator.

        Returns:
            A `Distribution` with an axis for each variable in the order asked, or a `GaussianDistribution`.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: The question would take more memory than allowed; nothing has been allocated.
            ValueError: A variable is named twice, or the method is unknown.

        """
        if method == "exact" and soft is None:
            limit = self.max_bytes if max_bytes is None else max_bytes
            answer = self._engine.quick_query(variables, evidence, limit, assume_possible)
            if answer is not None:
                return answer
        request = self._request(variables, evidence, soft, max_bytes, assume_possible)
        if method == "exact":
            return self._engine.query(request)
        if method == "sampling":
            return self._engine.estimate(request, operator.index(samples), np.random.default_rng(seed))
        raise ValueError(f"unknown method {method!r}; there are 'exact' and 'sampling'")

    def marginals(
        self,
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        variables: Name | Iterable[Name] | None = None,
        max_bytes: float | None = None,
        assume_possible: bool = False,
    ) -> dict[Name, Answer]:
        """P(v | evidence) for each variable v.

        Args:
            evidence: A label by variable, or a set of labels where one of several was seen; a number in a Gaussian model.
            soft: Likelihoods by variable: `{label: likelihood}`, or numbers in the order of the states.
            variables: The variables; None: all of them.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            assume_possible: Leave evidence that cannot matter for the answer unchecked.

        Returns:
            The distribution of each variable, by name.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: The question would take more memory than allowed; nothing has been allocated.
            ValueError: A variable is named twice.

        """
        if variables is None and soft is None:
            limit = self.max_bytes if max_bytes is None else max_bytes
            found = self._engine.quick_marginals(evidence, limit, assume_possible)
            if found is not None:
                return {**found}
        return {**self._engine.marginals(self._request(variables, evidence, soft, max_bytes, assume_possible))}

    def most_probable(
        self,
        variables: Name | Iterable[Name] | None = None,
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        assume_possible: bool = False,
    ) -> tuple[dict[Name, Any], float]:
        """The most probable joint state of some variables, summed over all others (marginal MAP, exact).

        Args:
            variables: The variables; None: all that are not observed.
            evidence: A label by variable, or a set of labels where one of several was seen; a number in a Gaussian model.
            soft: Likelihoods by variable: `{label: likelihood}`, or numbers in the order of the states.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            assume_possible: Leave evidence that cannot matter for the answer unchecked.

        Returns:
            The state (or number) of each variable, and the logarithm of their probability (or density) given the evidence.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: The question would take more memory than allowed; nothing has been allocated.
            ValueError: A variable is named twice.

        """
        request = self._request(variables, evidence, soft, max_bytes, assume_possible)
        if variables is None:
            found, log_probability = self._engine.most_probable_of_all(request._replace(variables=request.targets))
        else:
            found, log_probability = self._engine.most_probable(request)
        return {**found}, log_probability

    def log_evidence(self, evidence: EvidenceLike = None, *, soft: Soft | None = None, max_bytes: float | None = None) -> float:
        """The logarithm of the probability (or density) of the evidence.

        Args:
            evidence: A label by variable, or a set of labels where one of several was seen; a number in a Gaussian model.
            soft: Likelihoods by variable: `{label: likelihood}`, or numbers in the order of the states.
            max_bytes: The most memory that the question may take; None: the model's own limit.

        Returns:
            The logarithm; -inf where the evidence is impossible.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            TooLargeError: The question would take more memory than allowed; nothing has been allocated.

        """
        try:
            request = self._request((), evidence, soft, max_bytes)
        except ImpossibleEvidenceError:  # an empty set of states
            return -math.inf
        return self._engine.log_evidence(request)

    def sample(
        self,
        n: int,
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        seed: Seed = None,
        max_bytes: float | None = None,
        n_jobs: int | None = None,
    ) -> pd.DataFrame:
        """Draw independent rows of all variables given the evidence, exactly.

        Args:
            n: How many rows.
            evidence: A label by variable, or a set of labels where one of several was seen; a number in a Gaussian model.
            soft: Likelihoods by variable: `{label: likelihood}`, or numbers in the order of the states.
            seed: A seed, or a generator.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            n_jobs: The number of threads, -1 and None: one for each core. The rows are the same, bit for bit. Ancestors of the
                evidence, and the rows of a Gaussian model, are drawn by one thread.

        Returns:
            A pandas DataFrame with a column for each variable.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: The question would take more memory than allowed; nothing has been allocated.
            ValueError: `n` is negative, `n_jobs` is 0, or the model was learned `for_query=` some variables only.

        """
        if n < 0:
            raise ValueError(f"cannot draw {n} rows")
        thread_count(n_jobs)  # it refuses 0
        request = self._request((), evidence, soft, max_bytes)
        return self._engine.sample(request, operator.index(n), np.random.default_rng(seed), self.network(), n_jobs)

    def log_likelihood(self, data: Any) -> Floats:
        """The logarithm of the probability (or density) of each row of a table.

        Args:
            data: A data frame with a column for every variable.

        Returns:
            One number for each row; -inf for an impossible one.

        Raises:
            DataError: A column or a cell is missing.
            UnknownStateError: A variable does not have a state.

        """
        return self.network().log_likelihood(data)

    def predict(
        self,
        data: Any,
        target: Name | Iterable[Name],
        *,
        impossible: Impossible = "raise",
        unknown: Unknown = "raise",
        max_bytes: float | None = None,
        n_jobs: int | None = None,
    ) -> Any:
        """The most probable state (or the mean) of each target for each row.

        Args:
            data: A data frame, also of Dask. Columns of targets are ignored; absent columns and missing cells count as not
                observed.
            target: The variables to predict, or one of them.
            impossible: What becomes of rows of probability zero: an error, or cells without a value.
            unknown: What becomes of labels that the model does not have: an error, or missing cells.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            n_jobs: The number of threads, -1 and None: one for each core. The answers are the same, bit for bit.

        Returns:
            A frame of the caller's own kind with a column for each target.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: The question would take more memory than allowed; nothing has been allocated.
            DataError: A column cannot be read.
            ValueError: `impossible` or `unknown` is none of the above, or a target is named twice.

        """
        request = PredictionRequest(self._indices(target), impossible, unknown, self._limit(max_bytes), n_jobs)
        return predicted(self._engine, self.dag.nodes, data, request)

    def predict_proba(
        self,
        data: Any,
        target: Name | Iterable[Name],
        *,
        impossible: Impossible = "raise",
        unknown: Unknown = "raise",
        max_bytes: float | None = None,
        n_jobs: int | None = None,
    ) -> dict[Name, Floats]:
        """The probabilities of the states of each target for each row.

        Args:
            data: A data frame, as for `predict`.
            target: The variables to predict, or one of them.
            impossible: What becomes of rows of probability zero: an error, or rows of NaN.
            unknown: What becomes of labels that the model does not have: an error, or missing cells.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            n_jobs: The number of threads, -1 and None: one for each core. The answers are the same, bit for bit.

        Returns:
            For each target an array with a row for each row of the data, along the target's states.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: The question would take more memory than allowed; nothing has been allocated.
            DataError: A column cannot be read.
            ValueError: The model is Gaussian, `impossible` or `unknown` is none of the above, or a target is named twice.

        """
        request = PredictionRequest(self._indices(target), impossible, unknown, self._limit(max_bytes), n_jobs)
        return predicted_probabilities(self._engine, self.dag.nodes, data, request)

    def evaluate(
        self,
        data: object,
        target: Name,
        *,
        weights: Name | None = None,
        bins: int = 10,
        impossible: Impossible = "raise",
        unknown: Unknown = "raise",
        max_bytes: float | None = None,
        n_jobs: int | None = None,
    ) -> Evaluation | GaussianEvaluation:
        """How well the target is predicted from the other columns of a table, which the model should not have been fitted to.

        Args:
            data: A data frame with a column for the target; otherwise as for `predict`. Rows without a target do not count.
            target: The variable to predict.
            weights: The column of the rows' weights; None: all weigh the same.
            bins: The number of bins of the calibration curve.
            impossible: What becomes of rows of probability zero: an error, or they do not count.
            unknown: What becomes of labels that the model does not have: an error, or missing cells.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            n_jobs: The number of threads, -1 and None: one for each core. The result is the same, bit for bit.

        Returns:
            For a discrete target an `Evaluation`: accuracy, log loss, Brier score, AUC, calibration and confusion. For a
            continuous one a `GaussianEvaluation`: RMSE, mean absolute error, log-density and coverage.

        Raises:
            UnknownVariableError: The model does not have the target.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: The question would take more memory than allowed; nothing has been allocated.
            DataError: A column cannot be read, or no row has a target and a weight.
            ValueError: `impossible` or `unknown` is none of the above, `bins` is below 1, there are several targets, or
                `weights` is a variable of the model.

        >>> import dconvex as dc
        >>> network = dc.load_network("asia")
        >>> model = dc.fit(network, network.sample(5_000, seed=1), prior=dc.BDeu(1))
        >>> print(model.evaluate(network.sample(2_000, seed=2), "bronc"))  # doctest: +ELLIPSIS
        Evaluation of bronc on 2,000 rows
          accuracy        0.8...
        """
        from dconvex.inference.evaluating import judged
        from dconvex.inference.outcomes import OutcomeRequest

        targets = self._indices(target)
        if len(targets) != 1:
            raise ValueError(f"evaluate takes one target, not {len(targets)}; call it for each of them")
        if weights is not None and weights in self.dag:
            raise ValueError(f"weights={weights!r} is a variable of the model; the weights need a column of their own")
        if operator.index(bins) < 1:
            raise ValueError(f"bins must be at least 1, not {bins}")
        request = PredictionRequest(targets, impossible, unknown, self._limit(max_bytes), n_jobs).checked()
        found = judged(self._engine, self.network, self.dag.nodes, data, OutcomeRequest(request, weights))
        return found.evaluation(bins)

    def explain(
        self,
        variables: Name | Iterable[Name],
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        assume_possible: bool = False,
    ) -> QueryPlan:
        """The plan that `query` executes: which clusters answer, what is dropped, the order, memory and multiplications.

        Args:
            variables: The variables, or one of them.
            evidence: A label by variable, or a set of labels where one of several was seen; a number in a Gaussian model.
            soft: Likelihoods by variable: `{label: likelihood}`, or numbers in the order of the states.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            assume_possible: Leave evidence that cannot matter for the answer unchecked.

        Returns:
            The plan, to be printed or looked at.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            TooLargeError: The question would take more memory than allowed.
            ValueError: A variable is named twice.

        """
        return self._engine.explain(self._request(variables, evidence, soft, max_bytes, assume_possible))

    def do(self, settings: Mapping[Name, Any]) -> LocalModel:
        """The model after an intervention: the edges into each variable are cut and it is fixed at its value.

        Args:
            settings: A label (or a number) by variable.

        Returns:
            A new model, with a tree of its own.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.

        """
        return localize(self.network().do(settings), max_bytes=self.max_bytes)

    def _request(
        self,
        variables: Name | Iterable[Name] | None,
        evidence: EvidenceLike,
        soft: Soft | None,
        max_bytes: float | None,
        assume_possible: bool = False,
    ) -> Request:
        """The question by index, with its evidence read; None: all variables."""
        indices = tuple(range(len(self.dag))) if variables is None else self._indices(variables)
        known = self._engine.read_evidence(evidence, soft)
        targets = known.targets_of(indices) if known.observed else indices
        return Request(indices, targets, known, self._limit(max_bytes), assume_possible)

    def _indices(self, variables: Name | Iterable[Name]) -> Variables:
        names = as_names(variables)
        indices = self._index.dag.indices_of(names)
        if len(set(indices)) < len(indices):
            twice = next(name for k, name in enumerate(names) if name in names[:k])
            raise ValueError(f"{twice!r} is asked for twice")
        return indices

    def _limit(self, max_bytes: float | None) -> int:
        """The byte limit: `max_bytes` if given, else the model's own, else the default."""
        if max_bytes is not None:
            return limit_of(max_bytes)
        return default_limit() if self.max_bytes is None else self.max_bytes

    def __len__(self) -> int:
        return len(self.dag)

    def __repr__(self) -> str:
        return f"LocalModel({self.kind}, {amount(len(self), 'variable')} in {amount(len(self.tree), 'cluster')})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a LocalModel is frozen; {name!r} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a LocalModel is frozen; {name!r} cannot be deleted")
