"""Estimators for scikit-learn, which is in the extra `sklearn`: `from dconvex.sklearn import BayesianNetworkClassifier`."""

from __future__ import annotations

try:
    from dconvex.sklearn.classifier import BayesianNetworkClassifier
except ModuleNotFoundError as error:
    if error.name is None or error.name.partition(".")[0] != "sklearn":
        raise
    raise ImportError("dconvex.sklearn needs scikit-learn; install it with: pip install 'dconvex[sklearn]'") from error

__all__ = ["BayesianNetworkClassifier"]
