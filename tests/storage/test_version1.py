"""Files of version 1, written before version 2 was: they open, and answer what they answered then."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import dconvex as dc

FOLDER = Path(__file__).parent / "version1"
ANSWERS = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))
MODELS = ["localized", "local", "coherent", "gaussian", "gaussian_local"]


@pytest.mark.parametrize("name", MODELS)
def test_models_answer_as_they_did(name, tmp_path):
    model = dc.open_model(FOLDER / f"{name}.dcx")
    model.save(tmp_path / "again.dcx")
    for opened in (model, dc.open_model(tmp_path / "again.dcx")):
        for expected in ANSWERS[name]:
            evidence = dict(expected["evidence"])
            assert opened.log_evidence(evidence) == pytest.approx(expected["log_evidence"], rel=1e-12)
            found = opened.marginals(evidence)
            assert [repr(variable) for variable in found] == list(expected["marginals"])
            for variable, answer in found.items():
                values = answer.values if opened.kind == "discrete" else [answer.mean[0], answer.covariance[0, 0]]
                np.testing.assert_allclose(values, expected["marginals"][repr(variable)], rtol=1e-11, atol=1e-14)


def test_names_labels_and_limits_come_back():
    model = dc.open_model(FOLDER / "localized.dcx")
    assert model.dag.nodes == (1, 7, "b", "p", "q", "ü")
    assert [model.states[name] for name in (1, 7, "b")] == [(True, False), (3, -2), ("a", "", "ü")]
    assert all(type(label) is bool for label in model.states[1])
    assert model.max_bytes == 1 << 30
    with pytest.raises(dc.ImpossibleEvidenceError):  # the file says which tables have zeros; nobody listens to it
        model.query("p", {"b": "", "ü": "2"})


@pytest.mark.parametrize("name", ["local", "gaussian_local"])
def test_reports_priors_and_statistics_come_back(name):
    model = dc.open_model(FOLDER / f"{name}.dcx")
    assert model.report().rows in (100, 200)
    more = model.network().sample(50, seed=1)
    assert model.updated(more).report().rows == model.report().rows + 50


def test_declared_states_come_back():
    model = dc.open_model(FOLDER / "coherent.dcx")
    assert model.coherent
    assert model._origin.options.states == {"asia": ("yes", "no")}
    assert model._origin.prior == dc.Dirichlet(1)


def test_statistics_learn_what_they_learned():
    for name, kind, prior in (("counts", "discrete", None), ("moments", "gaussian", dc.NormalInverseGamma())):
        statistics = dc.Statistics.load(FOLDER / f"{name}.dcs")
        assert statistics.rows == ANSWERS[name]["rows"]
        assert statistics.kind == kind
        answer = dc.fit(statistics.dag, statistics, prior=prior).query(statistics.dag.nodes[:2])
        found = answer.values if kind == "discrete" else answer.mean
        np.testing.assert_allclose(found, ANSWERS[name]["network"], rtol=1e-12)
