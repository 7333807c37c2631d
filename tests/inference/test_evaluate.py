"""`model.evaluate`: which rows count, against formulas by hand; the same bits for any number of threads."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from inference.models import SPRINKLER
from scipy import stats

import dconvex as dc
from dconvex.inference.row_likelihood import RowLikelihood


@pytest.fixture(scope="module")
def asia() -> dc.LocalModel:
    network = dc.load_network("asia")
    return dc.fit(network, network.sample(2_000, seed=1), prior=dc.BDeu(1))


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return dc.load_network("asia").sample(500, seed=2)


def test_the_numbers_are_those_of_the_formulas(asia, rows):
    found = asia.evaluate(rows, "bronc")
    chances = asia.predict_proba(rows, "bronc")["bronc"]
    is_no = (rows["bronc"] == "no").to_numpy()
    own = np.where(is_no, chances[:, 1], chances[:, 0])
    assert (found.target, found.states, found.rows, found.weight) == ("bronc", ("yes", "no"), 500, 500.0)
    assert found.accuracy == np.mean((chances[:, 1] > chances[:, 0]) == is_no)
    assert found.log_loss == pytest.approx(-np.log(own).mean())
    assert found.brier_score == pytest.approx(((1 - own) ** 2).mean())
    assert found.frequent == pytest.approx(max(is_no.mean(), 1 - is_no.mean()))
    assert found.frequency_loss == pytest.approx(stats.entropy([is_no.mean(), 1 - is_no.mean()]))
    assert found.log_likelihood == pytest.approx(asia.log_likelihood(rows).mean())
    assert found.scores["auc"] == found.auc
    assert [score.state for score in found] == ["yes", "no"]
    assert found.confusion.values.sum() == 500


def test_frames_of_any_library_and_any_number_of_threads_give_the_same_bits(asia, rows):
    first = asia.evaluate(rows, "bronc", n_jobs=1)
    for data, jobs in ((rows, 2), (rows, None), (pl.from_pandas(rows), 2)):
        again = asia.evaluate(data, "bronc", n_jobs=jobs)
        assert again.scores == first.scores
        assert repr(again.calibration) == repr(first.calibration)


def test_rows_without_a_target_or_with_gaps(asia, rows):
    gaps = rows.astype(object)
    gaps.loc[:9, "bronc"] = None
    gaps.loc[20:29, "smoke"] = None
    found = asia.evaluate(gaps, "bronc")
    assert (found.rows, found.left_out.missing) == (490, 10)
    assert found.log_loss == asia.evaluate(gaps[10:], "bronc").log_loss
    whole = rows.drop(index=[*range(10), *range(20, 30)])
    assert found.log_likelihood == pytest.approx(asia.log_likelihood(whole).mean())
    assert "10 rows left out because the target is missing" in str(found)


def test_columns_that_are_not_there(asia, rows):
    found = asia.evaluate(rows[["smoke", "bronc"]], "bronc")
    assert found.log_likelihood is None
    assert math.isnan(found.scores["log_likelihood"])
    assert "log-likelihood" not in str(found)
    with pytest.raises(dc.DataError, match="unknown column 'bronc'"):
        asia.evaluate(rows[["smoke"]], "bronc")


def test_a_model_for_some_variables_has_no_likelihood_of_rows(rows):
    model = dc.fit(dc.load_network("asia"), rows, for_query=["bronc", "smoke"])
    assert model.evaluate(rows[["smoke", "bronc"]], "bronc").log_likelihood is None


def test_impossible_rows(asia):
    rows = pd.DataFrame({"tub": ["no", "yes", "no"], "either": ["no", "no", "no"], "lung": ["no", "no", "yes"]})
    certain = dc.localize(dc.load_network("asia"))
    with pytest.raises(dc.ImpossibleEvidenceError, match="row 1"):
        certain.evaluate(rows, "lung")
    found = certain.evaluate(rows, "lung", impossible="nan")
    assert (found.rows, found.left_out.impossible, found.impossible_states) == (2, 1, 1)
    assert found.log_loss == math.inf
    assert "the rest of the row is impossible" in str(found)
    assert "in 1 row something happened that had probability zero; fit with a prior" in str(found)


def test_whole_rows_that_are_impossible(rows):
    network = dc.load_network("asia")
    odd = network.sample(3, seed=5)
    odd.loc[0, ["tub", "lung", "either"]] = ["no", "no", "yes"]
    found = dc.localize(network).evaluate(odd, "smoke", impossible="nan")
    assert found.log_likelihood == -math.inf
    assert "(1 row of probability zero; fit with a prior)" in str(found)


def test_weights(asia, rows):
    times = np.arange(len(rows)) % 3
    weighted = asia.evaluate(rows.assign(w=times), "bronc", weights="w")
    again = asia.evaluate(rows.loc[rows.index.repeat(times)], "bronc")
    assert weighted.rows == 500
    assert weighted.weight == again.rows
    for name, value in again.scores.items():
        assert weighted.scores[name] == pytest.approx(value, rel=1e-12)
    assert "weight  predicted" in str(weighted)
    for wrong, what in ((-1.0, "holds the weight -1 in row 4"), (np.nan, "row 4")):
        bad = rows.assign(w=np.where(np.arange(len(rows)) == 4, wrong, 1.0))
        with pytest.raises(dc.DataError, match=what):
            asia.evaluate(bad, "bronc", weights="w")
    with pytest.raises(dc.DataError, match="nothing to evaluate 'bronc' on"):
        asia.evaluate(rows.assign(w=0.0), "bronc", weights="w")
    with pytest.raises(ValueError, match="weights='smoke' is a variable"):
        asia.evaluate(rows, "bronc", weights="smoke")


def test_unknown_labels(asia, rows):
    odd = rows.astype(object)
    odd.loc[7, "bronc"] = "perhaps"
    odd.loc[8, "smoke"] = "often"
    with pytest.raises(dc.UnknownStateError, match="'perhaps'"):
        asia.evaluate(odd, "bronc")
    found = asia.evaluate(odd, "bronc", unknown="missing")
    assert (found.rows, found.left_out.missing) == (499, 1)
    assert found.likelihood.rows == 498


def test_options_that_there_are_not(asia, rows):
    for options, what in (
        ({"bins": 0}, "bins must be at least 1"),
        ({"impossible": "skip"}, "impossible='skip'"),
        ({"unknown": "skip"}, "unknown='skip'"),
    ):
        with pytest.raises(ValueError, match=re.escape(what)):
            asia.evaluate(rows, "bronc", **options)
    with pytest.raises(ValueError, match="one target, not 2"):
        asia.evaluate(rows, ["bronc", "smoke"])
    with pytest.raises(dc.UnknownVariableError, match="did you mean 'bronc'"):
        asia.evaluate(rows, "bronch")


def test_more_than_two_states_and_labels_of_other_types():
    rows = SPRINKLER.sample(400, seed=3)
    model = dc.localize(SPRINKLER)
    found = model.evaluate(rows, "rain")
    assert found.auc == pytest.approx(np.mean([score.auc for score in found]))
    assert found.to_frame()["state"].tolist() == ["none", "some", "much"]
    assert model.evaluate(rows, "sprinkler").confusion.to_frame().index.tolist() == [2, 1]
    assert model.evaluate(rows, "cloudy").calibration.to_frame()["state"].unique().tolist() == [False, True]
    for row in found.confusion:
        happened = (rows["rain"] == row.actual) & (model.predict(rows, "rain")["rain"] == row.predicted)
        assert row.weight == happened.sum()


def test_precision_recall_and_f1():
    network = dc.BayesianNetwork.discrete(
        [("a", "b")], {"a": [0.5, 0.5], "b": [[0.9, 0.1], [0.2, 0.8]]}, {"a": ["x", "y"], "b": ["u", "v"]}
    )
    rows = pd.DataFrame({"a": list("xxxyy"), "b": list("uuvuv")})
    score, _ = dc.localize(network).evaluate(rows, "b")
    assert (score.weight, score.predicted, score.precision, score.recall) == (3, 3, 2 / 3, 2 / 3)
    assert score.f1 == pytest.approx(2 / 3)
    only, other = dc.localize(network).evaluate(rows[:2], "b")
    assert math.isnan(other.recall)
    assert math.isnan(other.f1)
    assert only.recall == 1


def test_many_states_are_printed_in_part():
    network = dc.random_network([("a", "b")], 30, seed=1)
    shown = str(dc.localize(network).evaluate(network.sample(50, seed=1), "b"))
    assert "… and 10 more states" in shown


# --- regressions


@pytest.fixture(scope="module")
def line() -> dc.BayesianNetwork:
    return dc.BayesianNetwork.gaussian([("x", "y")], {"x": (1.0, {}, 4.0), "y": (0.5, {"x": 2.0}, 0.25)})


def test_errors_densities_and_coverage(line):
    rows = line.sample(300, seed=1)
    rows.loc[3, "y"] = np.nan
    found = dc.localize(line).evaluate(rows, "y")
    kept = rows.drop(index=3)
    error = kept["y"] - (0.5 + 2 * kept["x"])
    assert (found.rows, found.left_out.missing) == (299, 1)
    assert found.rmse == pytest.approx(np.sqrt((error**2).mean()))
    assert found.mae == pytest.approx(error.abs().mean())
    assert found.log_density == pytest.approx(stats.norm(0, 0.5).logpdf(error).mean())
    assert found.spread == pytest.approx(kept["y"].std(ddof=0))
    assert found.log_likelihood == pytest.approx(line.log_likelihood(kept).mean())
    for row in found:
        reach = stats.norm.ppf(0.5 + row.level / 2) * 0.5
        assert row.observed == pytest.approx((error.abs() <= reach).mean())
        assert row.width == pytest.approx(2 * reach)
    assert found.to_frame()["level"].tolist() == [row.level for row in found]
    assert "RMSE" in str(found)
    assert found.notes() == ["  1 row left out because the target is missing"]
    assert list(found.scores) == ["rmse", "mae", "log_density", "log_likelihood"]


def test_rows_of_numbers_with_weights(line):
    rows = line.sample(50, seed=2)
    times = np.arange(50) % 3
    weighted = dc.localize(line).evaluate(rows.assign(w=times), "y", weights="w")
    again = dc.localize(line).evaluate(rows.loc[rows.index.repeat(times)], "y")
    assert list(weighted.scores.values()) == pytest.approx(list(again.scores.values()))
    assert [tuple(row) for row in weighted] == [pytest.approx(tuple(row)) for row in again]


def test_a_certain_prediction():
    network = dc.BayesianNetwork.gaussian([("x", "y")], {"x": (0.0, {}, 1.0), "y": (1.0, {"x": 2.0}, 0.0)})
    model = dc.localize(network)
    right = model.evaluate(pd.DataFrame({"x": [1.0, 2.0], "y": [3.0, 5.0]}), "y")
    assert (right.rmse, right.log_density, [row.observed for row in right]) == (0.0, 0.0, [1.0] * 5)
    wrong = model.evaluate(pd.DataFrame({"x": [1.0, 2.0], "y": [3.0, 6.0]}), "y")
    assert (wrong.log_density, [row.observed for row in wrong]) == (-math.inf, [0.5] * 5)


def test_impossible_rows_of_numbers():
    network = dc.BayesianNetwork.gaussian(
        [("x", "y"), ("x", "z")], {"x": (0.0, {}, 1.0), "y": (0.0, {"x": 1.0}, 0.0), "z": (0.0, {"x": 1.0}, 1.0)}
    )
    rows = pd.DataFrame({"x": [1.0, 2.0], "y": [1.0, 3.0], "z": [1.0, 2.0]})
    found = dc.localize(network).evaluate(rows, "z", impossible="nan")
    assert (found.rows, found.left_out.impossible) == (1, 1)
    with pytest.raises(dc.DataError, match="nothing to evaluate"):
        dc.localize(network).evaluate(rows.assign(z=np.nan), "z", impossible="nan")


def test_sums_of_likelihoods():
    assert math.isnan(RowLikelihood(0, 0.0, 0.0, 0).mean)
    assert RowLikelihood(0, 0.0, 0.0, 0).lines() == []
