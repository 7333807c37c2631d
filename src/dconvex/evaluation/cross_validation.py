"""Cross-validation: everything is learned from some rows, and judged by the others."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

import numpy as np

from dconvex.errors import DconvexError, TooLargeError
from dconvex.evaluation.fold_results import CrossValidation, FoldResult, cross_validation_of
from dconvex.evaluation.fold_table import FoldTable
from dconvex.graph.dag import Dag, DagLike, as_dag
from dconvex.inference.evaluating import outcomes_of, row_likelihood
from dconvex.inference.memory import limit_of
from dconvex.inference.model import LocalModel
from dconvex.inference.outcomes import Outcomes
from dconvex.inference.prediction import Impossible, PredictionRequest, Unknown
from dconvex.inference.row_likelihood import RowLikelihood
from dconvex.learning.columns.matching import matched_tables, peeked
from dconvex.learning.discretizer import Discretizer, checked_discretizer
from dconvex.learning.estimation.priors import Prior
from dconvex.learning.fitting import fit
from dconvex.learning.learning_options import EM, Kind, LearningOptions, Missing, StatesLike
from dconvex.names import Name
from dconvex.network.frame_columns import Columns
from dconvex.structure.method_table import METHODS
from dconvex.structure.structure_learning import MethodName, learn_structure
from dconvex.structure.structure_options import method_named
from dconvex.threads import threads

Learner: TypeAlias = Callable[[object], DagLike]
"""Makes a graph from the rows to learn from."""
Cutter: TypeAlias = Callable[[object], Discretizer]
"""Finds intervals for the rows to learn from."""


def cross_validate(
    structure: DagLike | MethodName | Learner,
    data: object,
    target: Name | None = None,
    *,
    folds: int = 10,
    seed: int = 0,
    discretizer: Discretizer | Cutter | None = None,
    prior: Prior | None = None,
    kind: Kind | None = None,
    states: StatesLike | None = None,
    coherent: bool = False,
    missing: Missing | EM = "available",
    weights: Name | None = None,
    bins: int = 10,
    impossible: Impossible = "nan",
    unknown: Unknown = "raise",
    n_jobs: int | None = None,
    max_bytes: float | None = None,
) -> CrossValidation:
    """Judge a way of learning by rows that it has not seen: each fold in turn, by a model that was learned from all others.

    Folds are balanced within each state of the target, and a function of the seed and of what the rows hold: the order of rows
    and columns makes no difference. The states of columns are those of all rows.

    Args:
        structure: A graph; or a method of `learn_structure` by name, or a function that makes a graph from a table: these get
            the rows of all folds but one, so that each fold has a graph of its own.
        data: A data frame (pandas, polars, pyarrow, …).
        target: The variable to predict from the others; None: the log-likelihood of whole rows is what counts.
        folds: How many.
        seed: That of the folds.
        discretizer: What makes intervals of columns of numbers; or a function that finds them in a table, such as
            `dc.discretize`, which gets the rows of all folds but one.
        prior: As for `fit`. Without one, what a fold shows for the first time has probability zero.
        kind: As for `fit`.
        states: As for `fit`.
        coherent: As for `fit`.
        missing: As for `fit`.
        weights: The column of the rows' weights, both to learn and to judge.
        bins: The number of bins of the calibration curve.
        impossible: What becomes of rows of probability zero: they do not count, or an error.
        unknown: What becomes of labels that `states` does not have: an error, or missing cells.
        n_jobs: The number of threads, -1 and None: one for each core. The result is the same, bit for bit.
        max_bytes: The most memory; None: half of what the machine has.

    Returns:
        The scores of each fold, and of all rows together.

    Raises:
        DataError: `data` is no frame, has too few rows, or a column cannot be used as it is.
        UnknownVariableError: The graph does not have the target.
        ImpossibleEvidenceError: A row has probability zero, and `impossible="raise"`.
        TooLargeError: A fold takes more memory than allowed.
        ValueError: Options are unknown, or do not go together.

    >>> import dconvex as dc
    >>> network = dc.load_network("asia")
    >>> found = dc.cross_validate(network, network.sample(1_000, seed=1), "bronc", folds=5, prior=dc.BDeu(1))
    >>> len(found), found.pooled.rows
    (5, 1000)
    """
    count = operator.index(folds)
    if count < 2:
        raise ValueError(f"folds must be at least 2, not {folds}")
    if operator.index(bins) < 1:
        raise ValueError(f"bins must be at least 1, not {bins}")
    limit = limit_of(max_bytes)
    policy = PredictionRequest((), impossible, unknown, limit, 1).checked()
    if not callable(discretizer):
        checked_discretizer(discretizer)
    learner = _learner(structure)
    dag = None if learner is not None else as_dag(cast("DagLike", structure))
    if dag is not None and target is not None:
        dag.index_of(target)
    table = FoldTable.of(data, None if dag is None else dag.nodes, target, weights, count, seed)
    how = FoldLearning(learner, dag, target, discretizer, prior, coherent, missing, weights, states, kind, policy).with_kind(
        table
    )
    with threads(n_jobs) as workers:  # all with a share of the memory each; those that it is too small for follow one by one
        tried = workers.map(lambda fold: _within(how, table, fold, limit // count), range(count))
    results = [result or how.result(table, fold, limit) for fold, result in enumerate(tried)]
    return cross_validation_of(target, seed, results, bins, is_learned=dag is None)


def _learner(structure: object) -> str | Learner | None:
    """The method, or the function, that makes a graph of each fold's rows; None where a graph is given."""
    if isinstance(structure, str):
        method_named(structure, METHODS)  # it refuses those that there are not
        return structure
    return cast("Learner", structure) if callable(structure) else None


def _within(how: FoldLearning, table: FoldTable, fold: int, limit: int) -> FoldResult | None:
    """The result of a fold; None where it takes more memory than this."""
    try:
        return how.result(table, fold, limit)
    except TooLargeError:
        return None


@dataclass(frozen=True, slots=True, eq=False)
class FoldLearning:
    """How the model of a fold is learned and judged."""

    learner: str | Learner | None
    """A method of `learn_structure`, or a function."""
    dag: Dag | None
    """None where the structure is learned."""
    target: Name | None
    discretizer: Discretizer | Cutter | None
    prior: Prior | None
    coherent: bool
    missing: Missing | EM
    weights: Name | None
    states: StatesLike | None
    kind: Kind | None
    policy: PredictionRequest

    def with_kind(self, table: FoldTable) -> FoldLearning:
        """The same for the kind of columns that the whole table shows."""
        if self.kind is not None or callable(self.learner):
            return self
        if self.discretizer is not None:
            return replace(self, kind="discrete")
        options = LearningOptions(kind="discrete" if self.states else None)
        kind, _ = peeked(matched_tables(table.frame, table.names, options), options)
        return replace(self, kind=kind)

    def result(self, table: FoldTable, fold: int, limit: int) -> FoldResult:
        """Learn from the rows of all other folds, and judge by those of this one."""
        learned_from, judged_by = table.split(fold)
        try:
            model = self.fitted(table, learned_from, limit)
            found = self.judged(model, judged_by, limit)
        except DconvexError as error:
            if not isinstance(error, TooLargeError):
                error.args = (f"{error} (in fold {fold}, in which rows have numbers of their own)",)
            raise
        tested = int(np.count_nonzero(table.fold_of == fold))
        return FoldResult(fold, table.rows - tested, tested, model.dag, found)

    def fitted(self, table: FoldTable, rows: object, limit: int) -> LocalModel:
        """The model that these rows give."""
        cut = self.discretizer(rows) if callable(self.discretizer) else self.discretizer
        intervals = {} if cut is None else cut.states
        states = None if self.kind == "gaussian" else {**table.states, **intervals, **(self.states or {})}
        dag = self.graph(rows if cut is None or not callable(self.learner) else cut.transform(rows), states, limit)
        return fit(
            dag,
            rows,
            kind=self.kind,
            states=None if states is None else {name: labels for name, labels in states.items() if name in dag},
            prior=self.prior,
            coherent=self.coherent,
            missing=self.missing,
            weights=self.weights,
            unknown=self.policy.unknown,
            n_jobs=1,
            max_bytes=limit,
        )

    def graph(self, rows: object, states: StatesLike | None, limit: int) -> Dag:
        """The graph that was given, or the one that these rows give."""
        if self.dag is not None:
            return self.dag
        if callable(self.learner):
            return as_dag(self.learner(rows))
        assert self.learner is not None
        return learn_structure(
            rows,
            method=cast("MethodName", self.learner),
            kind=self.kind,
            states=states,
            target=self.target if "target" in METHODS[self.learner].honours else None,
            missing=self.missing,
            weights=self.weights,
            n_jobs=1,
            max_bytes=limit,
        ).dag

    def judged(self, model: LocalModel, rows: object, limit: int) -> Outcomes | RowLikelihood:
        """How well the model does for these rows."""
        if self.target is not None:
            return outcomes_of(model, rows, self.target, self.weights, self.policy._replace(limit=limit))
        found = row_likelihood(model.network(), Columns(rows, model.dag.nodes), self.weights, self.policy.unknown)
        assert found is not None  # fit has found every column
        return found
