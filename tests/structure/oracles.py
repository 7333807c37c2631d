"""Exact oracles in place of data: the distribution of a linear Gaussian model over a DAG, and d-separation."""

from __future__ import annotations

import numpy as np

import dconvex as dc
from dconvex import _core

ROWS = 1e10


def no_edges():
    return np.empty((0, 2), np.int32)


def indices(*values):
    return np.array(values, np.int32)


def graph_of(dag):
    return dag.graph


def empty(size):
    return _core.Graph(_core.Ragged.from_lists([[]] * size))


def random_dags(count, *, most=8, seed=0):
    """DAGs with up to `most` nodes and any number of edges, up to twice the number of nodes."""
    for number in range(count):
        random = np.random.default_rng((seed, number))
        size = int(random.integers(2, most + 1))
        edges = int(random.integers(0, min(size * (size - 1) // 2, 2 * size) + 1))
        yield dc.random_dag(size, edges, seed=random), random


def population_score(dag, random, criterion="bic"):
    """The score of infinitely many rows, nearly: those of a linear model with strong coefficients."""
    size = len(dag)
    weights = np.zeros((size, size))
    for parent, child in dag.edges:
        weights[child, parent] = random.uniform(0.5, 1.5) * random.choice([-1, 1])
    mixing = np.linalg.inv(np.eye(size) - weights)
    covariance = mixing @ np.diag(random.uniform(0.5, 1.5, size)) @ mixing.T
    return _core.GaussianScore(np.zeros(size), np.ascontiguousarray(covariance), ROWS, criterion)


def score_of(score, dag):
    return sum(score.family(node, indices(*sorted(dag.parents(node)))) for node in dag)


def problem_edges(edges):
    return np.array(sorted(edges), np.int32).reshape(-1, 2)
