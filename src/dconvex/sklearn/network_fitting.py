"""From columns and classes to a network, and from columns to probabilities of classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from dconvex.arrays import Floats, Integers
from dconvex.graph.dag import Dag, DagLike, as_dag
from dconvex.inference.model import LocalModel
from dconvex.learning.discretization import Method, discretize
from dconvex.learning.discretizer import Discretizer
from dconvex.learning.estimation.priors import Dirichlet
from dconvex.learning.fitting import fit
from dconvex.names import Label, Name
from dconvex.sklearn.feature_columns import FeatureColumn
from dconvex.structure.method_table import METHODS
from dconvex.structure.structure_learning import MethodName, learn_structure
from dconvex.structure.structure_options import method_named

if TYPE_CHECKING:
    import pandas as pd

NAIVE = "naive"
DEFAULT_STRUCTURE = "tan"
"""Naive Bayes with a tree among the features where that pays: as accurate in our measurements or more, and in the same time."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassifierOptions:
    """The options of the classifier, as the caller gave them."""

    structure: DagLike | str | None
    bins: int
    method: Method
    alpha: float
    missing: Literal["available", "complete", "em"]
    target: str
    n_jobs: int | None
    max_bytes: float | None


@dataclass(frozen=True, slots=True, eq=False)
class FittedNetwork:
    """A model, and how its rows are made."""

    model: LocalModel
    discretizer: Discretizer
    target: str
    labels: Sequence[Label]
    """Those of the classes, in the order of the probabilities."""
    shares: Floats
    """The frequencies of the classes, for rows of probability zero."""

    def probabilities(self, columns: Sequence[FeatureColumn], n_jobs: int | None, max_bytes: float | None) -> Floats:
        """The probability of each class for each row."""
        found = self.model.predict_proba(
            _frame([column for column in columns if column.name in self.model.dag], len(columns[0].values)),
            self.target,
            impossible="nan",
            unknown="missing",
            max_bytes=max_bytes,
            n_jobs=n_jobs,
        )[self.target]
        order = [self.model.states[self.target].index(label) for label in self.labels]
        chances = found[:, order]
        return np.where(np.isnan(chances), self.shares, chances)


def fitted_network(
    columns: Sequence[FeatureColumn],
    codes: Integers,
    labels: Sequence[Label],
    weights: Floats | None,
    options: ClassifierOptions,
) -> FittedNetwork:
    """The network of these columns and of the class with these codes.

    Raises:
        ValueError: An option is not what it must be.
    """
    if not options.alpha >= 0:
        raise ValueError(f"alpha={options.alpha!r} must be a number, zero or more")
    target = options.target
    frame = _frame(columns, len(codes))
    frame[target] = np.array([*labels, None], object)[codes]
    weight_name: Name | None = None
    if weights is not None:
        weight_name = _weight_name(frame)
        frame[weight_name] = weights
    numeric = [column for column in columns if column.is_numeric]
    discretizer = _discretizer(frame, numeric, weight_name, options)
    named = ((column.name, column.labels()) for column in columns if not column.is_numeric)
    states: dict[Name, Sequence[Label]] = {name: own for name, own in named if own}
    all_states: dict[Name, Sequence[Label]] = {**states, **discretizer.states, target: labels}
    known = frame[[*all_states, *([] if weight_name is None else [weight_name])]]
    dag = _graph(known, all_states, weight_name, options)
    model = fit(
        dag,
        frame,
        states={name: own for name, own in all_states.items() if name in dag},
        prior=Dirichlet(options.alpha) if options.alpha else None,
        coherent=True,
        missing=options.missing,
        weights=weight_name,
        n_jobs=options.n_jobs,
        max_bytes=options.max_bytes,
    )
    counts = np.bincount(codes, weights, len(labels))
    return FittedNetwork(model, discretizer, target, labels, counts / counts.sum())


def _frame(columns: Sequence[FeatureColumn], rows: int) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame({column.name: column.values for column in columns}, index=pd.RangeIndex(rows))


def _weight_name(frame: pd.DataFrame) -> str:
    name = "sample_weight"
    while name in frame:
        name += "_"
    return name


def _discretizer(
    frame: pd.DataFrame, numeric: Sequence[FeatureColumn], weights: Name | None, options: ClassifierOptions
) -> Discretizer:
    """The intervals of columns of numbers: of few different ones each gets its own, of others as the options say."""
    few: dict[Name, list[float]] = {}
    many: list[Name] = []
    for column in numeric:
        values = np.unique(cast("Floats", column.values)[~np.isnan(cast("Floats", column.values))])
        if not len(values):
            continue  # nothing is known of it
        if len(values) <= options.bins:
            few[column.name] = values[:-1].tolist()
        else:
            many.append(column.name)
    if not many:
        return Discretizer(few)
    target = options.target if options.method == "supervised" else None
    cut = discretize(frame, many, options.bins, options.method, target, weights)
    return Discretizer({**few, **cut.edges})


def _graph(
    frame: pd.DataFrame, states: Mapping[Name, Sequence[Label]], weights: Name | None, options: ClassifierOptions
) -> Dag:
    """The graph that is given, or learned; it must have the target.

    Raises:
        ValueError: It has a variable that is no column, or does not have the target.
    """
    features = [name for name in states if name != options.target]
    chosen = DEFAULT_STRUCTURE if options.structure is None else options.structure
    if isinstance(chosen, str) and chosen == NAIVE:
        return Dag([(options.target, name) for name in features], [options.target, *features])
    if isinstance(chosen, str):
        method = method_named(chosen, METHODS)
        return learn_structure(
            frame,
            method=cast("MethodName", chosen),
            kind="discrete",
            states=states,
            target=options.target if "target" in method.honours else None,
            missing="available" if method.takes_gaps and options.missing != "complete" else "complete",
            weights=weights,
            n_jobs=options.n_jobs,
            max_bytes=options.max_bytes,
        ).dag
    dag = as_dag(chosen)
    if options.target not in dag:
        raise ValueError(f"the structure does not have the target {options.target!r}; target= says its name there")
    unknown = [name for name in dag.nodes if name not in states]
    if unknown:
        known = ", ".join(map(repr, features[:8]))
        raise ValueError(f"the structure has {unknown[0]!r}, which is no feature with values; there are {known}")
    return dag
