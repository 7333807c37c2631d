"""A Bayesian network as a classifier of scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Self, TypeAlias, cast

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, assert_all_finite, check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted, validate_data

from dconvex.arrays import Array, Floats
from dconvex.graph.dag import Dag, DagLike
from dconvex.inference.model import LocalModel
from dconvex.learning.discretization import Method
from dconvex.learning.discretizer import Discretizer
from dconvex.names import Label
from dconvex.sklearn.feature_columns import FeatureColumn, feature_columns, pandas_frame
from dconvex.sklearn.network_fitting import ClassifierOptions, FittedNetwork, fitted_network

Structure: TypeAlias = "DagLike | str | None"


class BayesianNetworkClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A Bayesian network of a class and its features: given, learned, or naive Bayes with a tree (TAN).

    Columns of numbers are cut into intervals; text, booleans and pandas categories are states as they are. Missing cells are
    allowed, in `fit` and in `predict`; a label that `fit` has not seen counts as missing.

    Args:
        structure: The graph, over the names of features and of the target; or `"naive"` (the class is the only parent of each
            feature), or a method of `learn_structure`, such as `"tan"` (with a tree among the features, as far as the score
            allows) or `"search"`. None: `"tan"`.
        bins: The most intervals of a column of numbers.
        discretize: `"quantile"`, `"width"` or `"supervised"`, as in `dconvex.discretize`.
        alpha: The pseudo-count that is added to each cell; 0: maximum likelihood.
        missing: What `fit` does where cells are missing: `"available"`, `"complete"` or `"em"`, as in `dconvex.fit`. The
            structure is learned from complete rows where its method takes no others.
        target: The name of the target in `structure`. None: that of `y` where it is a Series with a name, else `"target"`.
        n_jobs: The number of threads; None and -1: one for each core.
        max_bytes: The most memory; None: half of what the machine has.

    Attributes:
        classes_: The classes, sorted.
        model_: The fitted `LocalModel`, to be asked anything else.
        structure_: Its graph.
        discretizer_: What cuts columns of numbers.
        target_: The name of the target in the model.
        n_features_in_: The number of features.
        feature_names_in_: Their names, where all columns of X had one; otherwise they are x0, x1 and so on in the model.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from dconvex.sklearn import BayesianNetworkClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> bool(cross_val_score(BayesianNetworkClassifier(), X, y).mean() > 0.9)
    True
    """

    def __init__(
        self,
        structure: Structure = None,
        *,
        bins: int = 5,
        discretize: Method = "supervised",
        alpha: float = 1.0,
        missing: Literal["available", "complete", "em"] = "available",
        target: str | None = None,
        n_jobs: int | None = None,
        max_bytes: float | None = None,
    ) -> None:
        self.structure = structure
        self.bins = bins
        self.discretize = discretize
        self.alpha = alpha
        self.missing = missing
        self.target = target
        self.n_jobs = n_jobs
        self.max_bytes = max_bytes

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def fit(self, X: object, y: object, sample_weight: object = None) -> Self:  # noqa: N803 (scikit-learn's name)
        """Learn the intervals, the structure unless it is given, and the parameters.

        Args:
            X: A data frame, or an array of two dimensions.
            y: The classes: text, whole numbers or booleans.
            sample_weight: The weights of the rows; a row of weight 2 counts as two rows, one of weight 0 not at all.

        Returns:
            The classifier itself.

        Raises:
            ValueError: X, y or an option is not what it must be.
        """
        columns = self._columns(X, reset=True)
        name = self.target if self.target is not None else getattr(y, "name", None)
        classes = column_or_1d(y, warn=True)
        assert_all_finite(classes, input_name="y")
        check_consistent_length(columns[0].values, classes)
        check_classification_targets(classes)
        rows, weights = _rows_and_weights(sample_weight, len(classes))
        self.classes_, codes = np.unique(classes[rows], return_inverse=True)
        names = [column.name for column in columns]
        if self.target is not None and self.target in names:
            raise ValueError(f"target={self.target!r} is the name of a feature; give the target another name")
        self.target_ = name if isinstance(name, str) and name not in names else _unused("target", names)
        options = ClassifierOptions(
            self.structure, self.bins, self.discretize, self.alpha, self.missing, self.target_, self.n_jobs, self.max_bytes
        )
        labels = _labels_of(self.classes_)
        self._network: FittedNetwork = fitted_network(
            [column.taken(rows) for column in columns], codes, labels, weights, options
        )
        self._numeric = tuple(column.is_numeric for column in columns)
        self.model_: LocalModel = self._network.model
        self.structure_: Dag = self._network.model.dag
        self.discretizer_: Discretizer = self._network.discretizer
        return self

    def predict_proba(self, X: object) -> Floats:  # noqa: N803
        """The probability of each class for each row, given all of its cells that are there.

        Args:
            X: As for `fit`, with the same columns.

        Returns:
            An array with a row for each row of X and a column for each class, in the order of `classes_`. A row of
            probability zero, which only `alpha=0` allows, gets the frequencies of the classes.

        Raises:
            ValueError: X is not what it must be.
        """
        check_is_fitted(self)
        return self._network.probabilities(self._columns(X, reset=False), self.n_jobs, self.max_bytes)

    def predict(self, X: object) -> Array:  # noqa: N803
        """The most probable class of each row.

        Args:
            X: As for `fit`, with the same columns.

        Returns:
            The classes; of equally probable ones the first.

        Raises:
            ValueError: X is not what it must be.
        """
        check_is_fitted(self)
        best: Array = self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return best

    def _columns(self, table: object, *, reset: bool) -> Sequence[FeatureColumn]:
        """The columns of X, checked and named as scikit-learn does."""
        is_frame = hasattr(table, "columns")
        checked = table if is_frame else check_array(table, dtype=None, ensure_all_finite=False, estimator=self, input_name="X")
        validate_data(self, checked, reset=reset, skip_check_array=True)
        frame = pandas_frame(checked)
        if not all(frame.shape):
            what = "feature(s)" if len(frame) else "sample(s)"
            raise ValueError(f"Found array with 0 {what} (shape={frame.shape}) while a minimum of 1 is required.")
        return feature_columns(frame, self._names(), None if reset else self._numeric)

    def _names(self) -> list[str]:
        return [str(name) for name in getattr(self, "feature_names_in_", [f"x{k}" for k in range(self.n_features_in_)])]


def _rows_and_weights(sample_weight: object, rows: int) -> tuple[Array, Floats | None]:
    """The rows that count, and their weights; None where all weigh one."""
    if sample_weight is None:
        return np.arange(rows), None
    weights: Floats = _check_sample_weight(sample_weight, np.empty((rows, 1)), dtype=np.float64, ensure_non_negative=True)
    chosen = np.flatnonzero(weights > 0)
    if not len(chosen):
        raise ValueError("all sample weights are zero; no class is left")
    return chosen, weights[chosen]


def _labels_of(classes: Array) -> list[Label]:
    """The classes as states of the model: as they are where they may be states, else numbered."""
    plain = [value.item() if isinstance(value, np.generic) else value for value in classes.tolist()]
    whole = [int(value) if isinstance(value, float) and value.is_integer() else value for value in plain]
    if all(isinstance(value, str | int | bool) for value in whole) and len(set(whole)) == len(whole):
        return cast("list[Label]", whole)
    return list(range(len(whole)))


def _unused(name: str, names: Sequence[str]) -> str:
    while name in names:
        name += "_"
    return name
