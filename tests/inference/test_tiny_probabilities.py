"""Probabilities that no float holds, in tables that are derived: answers come from the network's own tables then."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from inference.models import close

import dconvex as dc
from dconvex.inference import planner


def rare(tiny: float) -> dc.BayesianNetwork:
    """b = 1 needs c = 1 and another accident, so that P(b = 1 | a), which the cluster of d has, is tiny squared (1 + a)."""
    dag = dc.Dag([("c", "b"), ("a", "b"), ("a", "d"), ("b", "d")])
    b = np.array([[[1, 0], [1 - tiny * (1 + a), tiny * (1 + a)]] for a in (0, 1)])  # axes a, c, b
    d = [[[0.9, 0.1], [0.3, 0.7]], [[0.6, 0.4], [0.2, 0.8]]]
    return dc.BayesianNetwork.discrete(
        dag, {"c": [1 - tiny, tiny], "a": [0.5, 0.5], "b": b, "d": d}, dict.fromkeys("abcd", (0, 1))
    )


@pytest.fixture(params=[1e-100, 1e-150, 1.5e-162, 1e-200, 1e-300])
def tiny(request):
    return request.param


@pytest.fixture(params=["given", "opened", "all ways compared"])
def model(request, tiny, tmp_path, monkeypatch):
    if request.param == "all ways compared":
        monkeypatch.setattr(planner, "CHEAP", -np.inf)
        monkeypatch.setattr(planner, "CHEAP_FOR_EACH", -np.inf)
    local = dc.localize(rare(tiny))
    assert {frozenset("abc"), frozenset("abd")} == set(local.tree.clusters)
    if request.param == "opened":
        local.save(tmp_path / "model.dcx")
        local = dc.open_model(tmp_path / "model.dcx")
    return local


D = [0.3 / 3 + 0.4 / 3, 0.7 / 3 + 1.6 / 3]
"""P(d | b = 1), by hand: P(a | b = 1) is 1/3, 2/3."""


def test_queries(model):
    for _ in range(2):  # the second time the table is known to be lost
        close(model.query("d", {"b": 1}).values, D)
        close(model.query(["d", "a"], {"b": 1}).values, [[0.3 / 3, 0.4 / 3], [0.7 / 3, 1.6 / 3]])
        close(model.query("a", {"d": 1}).values, np.array([0.1, 0.4]) / 0.5)


def test_marginals_and_predictions(model):
    found = model.marginals({"b": 1})
    close(found["d"].values, D)
    close(found["a"].values, [1 / 3, 2 / 3])
    rows = pd.DataFrame({"b": [1, 0, 1]})
    for targets in ("d", ["a", "d"]):
        predicted = model.predict_proba(rows, targets)["d"]
        close(predicted[[0, 2]], [D, D])
        close(predicted[1], [(0.9 + 0.6) / 2, (0.1 + 0.4) / 2])


def test_the_probability_of_evidence(model, tiny):
    assert model.log_evidence({"b": 1}) == pytest.approx(2 * math.log(tiny) + math.log(1.5), rel=1e-9)
    assert model.log_evidence({"b": 1, "d": 1}) == pytest.approx(2 * math.log(tiny) + math.log(1.5 * D[1]), rel=1e-9)


def test_the_most_probable_state(model):
    best, height = model.most_probable(["a", "d"], {"b": 1})
    assert best == {"a": 1, "d": 1}
    assert height == pytest.approx(math.log(1.6 / 3), rel=1e-9)


def test_samples(model):
    found = model.sample(4_000, {"b": 1}, seed=1)
    assert found["a"].astype(int).mean() == pytest.approx(2 / 3, abs=0.03)
    assert found["d"].astype(int).mean() == pytest.approx(D[1], abs=0.03)


def test_zeros_are_not_taken_for_lost():
    """A table that is derived with logarithms, and has a zero of its own."""
    dag = dc.Dag([("c", "b"), ("a", "b"), ("a", "d"), ("b", "d")])
    b = np.array([[[0.5, 0.5, 0], [0.5, 0.5 - 1e-200, 1e-200]]] * 2)
    tables = {"c": [1, 0], "a": [0.5, 0.5], "b": b, "d": np.full((2, 3, 2), 0.5)}
    local = dc.localize(dc.BayesianNetwork.discrete(dag, tables, {"a": [0, 1], "b": [0, 1, 2], "c": [0, 1], "d": [0, 1]}))
    close(local.query("d", {"b": 1}).values, [0.5, 0.5])
    assert not len(local._engine.store.tables.underflowed)
    with pytest.raises(dc.ImpossibleEvidenceError):
        local.query("d", {"b": 2})
