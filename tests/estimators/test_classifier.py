"""`dconvex.sklearn.BayesianNetworkClassifier`: scikit-learn's own checks, and what people do with an estimator."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import dconvex as dc
from dconvex.sklearn import BayesianNetworkClassifier

EXPECTED_FAILURES: dict[str, str] = {}
"""Checks of scikit-learn that do not hold, with the reason."""


@parametrize_with_checks([BayesianNetworkClassifier(n_jobs=1)], expected_failed_checks=lambda _: EXPECTED_FAILURES)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def table() -> tuple[pd.DataFrame, pd.Series]:
    """Text, a boolean, a category of numbers, numbers, gaps in each, a column without any value."""
    rng = np.random.default_rng(1)
    rows = 300
    churn = rng.random(rows) < 0.4
    frame = pd.DataFrame(
        {
            "region": np.where(churn, rng.choice(["North", "East"], rows, p=[0.8, 0.2]), rng.choice(["North", "East"], rows)),
            "member": np.where(rng.random(rows) < 0.8, churn, ~churn),
            "plan": pd.Categorical(rng.integers(1, 4, rows) + churn),
            "spent": rng.normal(100 + 40 * churn, 25),
            "visits": rng.poisson(3 + 2 * churn).astype(float),
            "nothing": np.full(rows, np.nan),
        }
    )
    for name in ("region", "member", "plan", "spent", "visits"):
        frame[name] = frame[name].astype(object) if name in ("region", "member") else frame[name]
        frame.loc[rng.choice(rows, 20, replace=False), name] = None
    return frame, pd.Series(np.where(churn, "yes", "no"), name="churn")


def test_a_messy_table(table):
    X, y = table
    fitted = BayesianNetworkClassifier().fit(X, y)
    assert fitted.classes_.tolist() == ["no", "yes"]
    assert fitted.target_ == "churn"
    assert fitted.score(X, y) > 0.75
    chances = fitted.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert set(fitted.model_.states["plan"]) == {1, 2, 3, 4}
    assert set(fitted.model_.states["member"]) == {False, True}
    assert "nothing" not in fitted.structure_
    assert list(fitted.feature_names_in_) == list(X.columns)


def test_the_model_is_that_of_fit(table):
    """The same numbers by hand, with `discretize` and `fit`."""
    X, y = table
    fitted = BayesianNetworkClassifier("naive", bins=3, alpha=0.5).fit(X[["spent", "visits"]], y)
    rows = X[["spent", "visits"]].assign(churn=y)
    cut = dc.discretize(rows, ["spent", "visits"], 3, "supervised", "churn")
    model = dc.fit([("churn", "spent"), ("churn", "visits")], rows, discretizer=cut, prior=dc.Dirichlet(0.5))
    assert fitted.discretizer_ == cut
    np.testing.assert_allclose(fitted.predict_proba(X[["spent", "visits"]]), model.predict_proba(rows, "churn")["churn"])
    assert (fitted.predict(X[["spent", "visits"]]) == model.predict(rows, "churn")["churn"]).all()


def test_naive_bayes_is_that_of_scikit_learn():
    rng = np.random.default_rng(2)
    codes, y = rng.integers(0, 3, (200, 4)), rng.integers(0, 2, 200)
    X = pd.DataFrame(codes, columns=list("abcd")).astype("category")
    ours = BayesianNetworkClassifier("naive", alpha=0.7).fit(X, y).predict_proba(X)
    theirs = CategoricalNB(alpha=0.7, fit_prior=True).fit(codes, y)
    class_shares = (np.bincount(y) + 0.7) / (200 + 1.4)  # ours adds to the cells of the class, too
    joint = theirs.predict_proba(codes) / np.exp(theirs.class_log_prior_) * class_shares
    np.testing.assert_allclose(ours, joint / joint.sum(axis=1, keepdims=True), rtol=1e-10)


def test_gaps_and_new_labels_when_predicting(table):
    X, y = table
    fitted = BayesianNetworkClassifier().fit(X, y)
    empty = pd.DataFrame(np.nan, index=[0], columns=X.columns, dtype=object)
    shares = fitted.model_.query("churn").to_series()
    np.testing.assert_allclose(fitted.predict_proba(empty)[0], shares[["no", "yes"]])
    odd = empty.assign(region="West")
    np.testing.assert_allclose(fitted.predict_proba(odd), fitted.predict_proba(empty))


@pytest.mark.parametrize("missing", ["complete", "em"])
def test_missing_cells_otherwise(table, missing):
    X, y = table
    X, edges = X.drop(columns="nothing"), [("churn", "visits"), ("visits", "member"), ("churn", "member"), ("churn", "plan")]
    fitted = BayesianNetworkClassifier(edges, missing=missing).fit(X, y)
    assert fitted.score(X, y) > 0.75
    plain = BayesianNetworkClassifier(edges).fit(X, y)
    assert (fitted.predict_proba(X) != plain.predict_proba(X)).any()


def test_structures(table):
    X, y = table
    X = X[["spent", "visits", "member"]].dropna()
    y = y[X.index]
    edges = [("churn", "spent"), ("churn", "visits"), ("visits", "spent")]
    fitted = BayesianNetworkClassifier(edges).fit(X, y)
    assert set(fitted.structure_.edges) == set(edges)
    assert BayesianNetworkClassifier(dc.Dag(edges)).fit(X, y).structure_ == fitted.structure_
    learned = BayesianNetworkClassifier("greedy").fit(X, y)
    assert set(learned.structure_.nodes) == {"churn", "spent", "visits", "member"}
    assert BayesianNetworkClassifier("greedy").fit(X, y, sample_weight=np.full(len(y), 2.0)).score(X, y) > 0.7
    with pytest.raises(ValueError, match="does not have the target 'churn'"):
        BayesianNetworkClassifier([("spent", "visits")]).fit(X, y)
    with pytest.raises(ValueError, match="has 'age', which is no feature with values; there are "):
        BayesianNetworkClassifier([("churn", "age")]).fit(X, y)
    with pytest.raises(ValueError, match="did you mean 'greedy'"):
        BayesianNetworkClassifier("gredy").fit(X, y)


def test_the_default_is_naive_bayes_with_a_tree():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    fitted, naive = BayesianNetworkClassifier().fit(X, y), BayesianNetworkClassifier("naive").fit(X, y)
    assert set(naive.structure_.edges) == {("target", name) for name in X}
    extra = set(fitted.structure_.edges) - set(naive.structure_.edges)
    assert extra
    assert all(len(fitted.structure_.parents(name)) <= 2 for name in X)
    own, plain = (log_loss(y, one.predict_proba(X)) for one in (fitted, naive))
    assert own < plain


def test_gaps_in_every_row():
    X, y = load_wine(return_X_y=True)
    gaps = np.where(np.random.default_rng(1).random(X.shape) < 0.3, np.nan, X)
    assert np.isnan(gaps).any(axis=1).mean() > 0.9
    assert BayesianNetworkClassifier().fit(gaps, y).score(gaps, y) > 0.9
    nothing = BayesianNetworkClassifier().fit(np.full((5, 2), np.nan), [0, 0, 0, 1, 1])
    np.testing.assert_allclose(nothing.predict_proba(np.full((1, 2), np.nan)), [[4 / 7, 3 / 7]])


def test_names_of_the_target():
    X, y = load_iris(return_X_y=True)
    assert BayesianNetworkClassifier().fit(X, y).target_ == "target"
    assert BayesianNetworkClassifier(target="species").fit(X, y).target_ == "species"
    frame = pd.DataFrame(X, columns=["a", "b", "target", "sample_weight"])
    fitted = BayesianNetworkClassifier().fit(frame, pd.Series(y, name="target"), sample_weight=np.ones(len(y)))
    assert fitted.target_ == "target_"
    assert {"sample_weight", "target"} <= set(fitted.structure_.nodes)
    with pytest.raises(ValueError, match="target='a' is the name of a feature"):
        BayesianNetworkClassifier(target="a").fit(frame, y)
    assert BayesianNetworkClassifier([("target", "x2")], target="target").fit(X, y).score(X, y) > 0.9


def test_weights_are_repetitions():
    X, y = load_wine(return_X_y=True)
    weights = np.random.default_rng(1).integers(0, 3, len(y))
    for options in ({}, {"discretize": "quantile"}, {"discretize": "width"}):
        weighted = BayesianNetworkClassifier(**options).fit(X, y, sample_weight=weights)
        again = BayesianNetworkClassifier(**options).fit(X.repeat(weights, axis=0), y.repeat(weights))
        np.testing.assert_allclose(weighted.predict_proba(X), again.predict_proba(X))
    with pytest.raises(ValueError, match=r"(?i)zero"):
        BayesianNetworkClassifier().fit(X, y, sample_weight=np.zeros(len(y)))


def test_in_a_pipeline_a_grid_and_a_cross_validation(table):
    X, y = load_iris(return_X_y=True, as_frame=True)
    assert cross_val_score(BayesianNetworkClassifier(n_jobs=1), X, y, cv=3).mean() > 0.88
    grid = GridSearchCV(
        make_pipeline(StandardScaler(), BayesianNetworkClassifier(n_jobs=1)),
        {
            "bayesiannetworkclassifier__bins": [2, 5],
            "bayesiannetworkclassifier__structure": ["naive", [("target", "x2"), ("target", "x3")]],
        },
        cv=2,
    )
    assert grid.fit(X.to_numpy(), y.to_numpy()).best_score_ > 0.88
    frame, classes = table
    scaled = make_column_transformer((StandardScaler(), ["spent", "visits"]), remainder="passthrough")
    assert make_pipeline(scaled, BayesianNetworkClassifier()).fit(frame, classes).score(frame, classes) > 0.75


def test_clones_and_pickles(table):
    X, y = table
    classifier = BayesianNetworkClassifier([("churn", "spent")], alpha=0.3)
    assert clone(classifier).get_params() == classifier.get_params()
    fitted = classifier.fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict_proba(X), fitted.predict_proba(X))
    with pytest.raises(NotFittedError):
        clone(fitted).predict(X)


def test_frames_of_other_libraries():
    X, y = load_iris(return_X_y=True, as_frame=True)
    fitted = BayesianNetworkClassifier().fit(pl.from_pandas(X), y)
    assert list(fitted.feature_names_in_) == list(X.columns)
    np.testing.assert_array_equal(fitted.predict_proba(pl.from_pandas(X)), fitted.predict_proba(X))


@pytest.mark.parametrize("classes", [[True, False], [0.0, 1.0], ["a", "b"], [-1, 1], [1.5, 2.5]])
def test_classes_of_every_type(classes):
    X = np.array([[0.5], [0.6], [1.5], [1.6]] * 5)
    y = np.array([classes[0], classes[0], classes[1], classes[1]] * 5)
    if classes == [1.5, 2.5]:
        with pytest.raises(ValueError, match="continuous"):
            BayesianNetworkClassifier().fit(X, y)
        return
    fitted = BayesianNetworkClassifier(n_jobs=1).fit(X, y)
    assert (fitted.predict(X) == y).all()
    assert fitted.classes_.tolist() == sorted(classes)


def test_objects_that_are_no_labels_become_text():
    X = pd.DataFrame({"when": pd.date_range("2024-01-01", periods=4).repeat(5), "list": [(1,), (2,)] * 10})
    y = ["a", "a", "b", "b"] * 5
    fitted = BayesianNetworkClassifier().fit(X, y)
    assert "2024-01-01 00:00:00" in fitted.model_.states["when"]
    assert "(1,)" in fitted.model_.states["list"]


def test_without_a_pseudo_count_a_row_may_be_impossible():
    X = pd.DataFrame({"a": list("uuvv"), "b": list("xyxy")}).loc[[0, 0, 3, 3]]
    y = np.array([0, 0, 0, 1])
    fitted = BayesianNetworkClassifier([("target", "a"), ("a", "b")], alpha=0).fit(X, y)
    odd = pd.DataFrame({"a": ["u"], "b": ["y"]})
    np.testing.assert_allclose(fitted.predict_proba(odd)[0], [0.75, 0.25])


def test_what_is_refused():
    X, y = load_iris(return_X_y=True, as_frame=True)
    for options, what in (({"alpha": -1}, "alpha=-1 must"), ({"bins": 0}, "bins=0"), ({"discretize": "x"}, "method='x'")):
        with pytest.raises(ValueError, match=what):
            BayesianNetworkClassifier(**options).fit(X, y)
    with pytest.raises(ValueError, match="infinity, in column 'sepal length"):
        BayesianNetworkClassifier().fit(X.replace(X.iloc[0, 0], np.inf), y)
    fitted = BayesianNetworkClassifier().fit(X, y)
    with pytest.raises(ValueError, match="held numbers when the classifier was fitted"):
        fitted.predict(X.astype(object).assign(**{X.columns[0]: "wide"}))
    for empty in (X[:0], X[[]]):
        with pytest.raises(ValueError, match=r"0 (sample|feature)\(s\)"):
            BayesianNetworkClassifier().fit(empty, y[: len(empty)])


def test_tags():
    tags = get_tags(BayesianNetworkClassifier())
    assert tags.input_tags.allow_nan
    assert tags.input_tags.string
    assert tags.input_tags.categorical
    assert tags.estimator_type == "classifier"


def test_without_scikit_learn_the_error_says_what_to_install():
    code = "import sys; sys.modules['sklearn'] = sys.modules['sklearn.base'] = None\nimport dconvex as dc\ndc.sklearn"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ImportError: dconvex.sklearn needs scikit-learn; install it with: pip install 'dconvex[sklearn]'" in run.stderr
