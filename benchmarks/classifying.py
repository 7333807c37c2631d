"""Classes from columns of numbers: learning and predicting in three folds, on tables that scikit-learn ships.

Each contender learns from two thirds of the rows and gives probabilities of the classes for the rest, three times; the clock
covers both. What is listed with the times is the accuracy and the log loss of all rows, each predicted by the fold that has not
seen it. All run on one thread. Contenders cut numbers into intervals in their own way: ours by the class (Fayyad and Irani), at
most five for each column; pyAgrum's at quantiles, five for each column. scikit-learn's categorical naive Bayes gets quantiles
from its `KBinsDiscretizer`; Gaussian naive Bayes and gradient boosting (histograms) take the numbers. Gradient boosting is
called once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.harness import Case, Work
from dconvex.sklearn import BayesianNetworkClassifier

Floats: TypeAlias = NDArray[np.float64]
Classes: TypeAlias = "pd.Series[int]"
Predict: TypeAlias = Callable[[pd.DataFrame, Classes, pd.DataFrame], Floats]
"""From rows and classes to learn from, and rows to predict, to the probability of each class."""

QUICK = ("wine",)
FOLDS = 3
SEED = 0


def cases(quick: bool) -> Iterator[Case]:
    from sklearn import datasets

    tables = {"wine": datasets.load_wine, "breast cancer": datasets.load_breast_cancer, "digits": datasets.load_digits}
    for name, load in tables.items():
        if quick and name not in QUICK:
            continue
        table, y = load(return_X_y=True, as_frame=True)
        table.columns = [f"x{k}" for k in range(table.shape[1])]
        contenders: dict[str, Work] = {title: partial(judged, predict, table, y) for title, predict in CONTENDERS.items()}
        yield Case(
            f"{name}: {len(table):,} rows, {table.shape[1]} columns, {y.nunique()} classes",
            contenders,
            most={BOOSTING: 0},
            describe=lambda found: f"accuracy {found[0]:.4f}, log loss {found[1]:.4f}",
        )


def judged(predict: Predict, table: pd.DataFrame, y: Classes) -> tuple[float, float]:
    """Accuracy and log loss of all rows."""
    from sklearn.metrics import accuracy_score, log_loss
    from sklearn.model_selection import StratifiedKFold
    from threadpoolctl import threadpool_limits

    chances = np.empty((len(table), y.nunique()))
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of bins that are merged
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(table, y):
            chances[test] = predict(table.iloc[train], y.iloc[train], table.iloc[test])
    return accuracy_score(y, chances.argmax(axis=1)), log_loss(y, chances)


def by_ours(structure: str, table: pd.DataFrame, y: Classes, new: pd.DataFrame) -> Floats:
    return BayesianNetworkClassifier(structure, n_jobs=1).fit(table, y).predict_proba(new)


def by_pyagrum(method: str, table: pd.DataFrame, y: Classes, new: pd.DataFrame) -> Floats:
    import pyagrum
    from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
    from pyagrum.skbn import BNClassifier

    pyagrum.setNumberOfThreads(1)
    types = DiscreteTypeProcessor(defaultDiscretizationMethod="quantile", defaultNumberOfBins=5)
    classifier = BNClassifier(type_processor=types, learningMethod=method, prior="Smoothing", priorWeight=1.0)
    classifier.fit(table, y)
    return np.asarray(classifier.predict_proba(new), np.float64)


def by_sklearn(name: str, table: pd.DataFrame, y: Classes, new: pd.DataFrame) -> Floats:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.naive_bayes import CategoricalNB, GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import KBinsDiscretizer

    made = {
        "Gaussian": GaussianNB(),
        "categorical": make_pipeline(
            KBinsDiscretizer(5, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf"),
            CategoricalNB(min_categories=5),
        ),
        "boosting": HistGradientBoostingClassifier(random_state=SEED),
    }
    return np.asarray(made[name].fit(table, y).predict_proba(new), np.float64)


BOOSTING = "scikit-learn gradient boosting"
CONTENDERS: dict[str, Predict] = {
    "dconvex, naive Bayes": partial(by_ours, "naive"),
    "dconvex, TAN": partial(by_ours, "tan"),
    "dconvex, search": partial(by_ours, "search"),
    "pyAgrum BNClassifier, NaiveBayes": partial(by_pyagrum, "NaiveBayes"),
    "pyAgrum BNClassifier, TAN": partial(by_pyagrum, "TAN"),
    "scikit-learn Gaussian naive Bayes": partial(by_sklearn, "Gaussian"),
    "scikit-learn categorical naive Bayes": partial(by_sklearn, "categorical"),
    BOOSTING: partial(by_sklearn, "boosting"),
}
