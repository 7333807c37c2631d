"""Regressions from data: least squares, singular ones too, and the prior."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from learning.exact_moments import least_norm
from learning.samples import numbers
from scipy.integrate import quad
from scipy.linalg import null_space

import dconvex as dc

COLLIDER = dc.Dag([("x", "y"), ("w", "y")])


def fitted(dag, rows, **options):
    """The model, whatever warnings there are."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return dc.fit(dag, rows, kind="gaussian", **options)


def rows_of(count, seed=0, **columns):
    rng = np.random.default_rng(seed)
    x, w = rng.normal(size=(2, count))
    rows = pd.DataFrame({"x": x, "w": w, "y": 2 * x - w + rng.normal(size=count)})
    return rows.assign(**columns)


def slopes_of(family):
    return np.array([family.coefficients[parent] for parent in family.parents])


def check(family, data):
    intercept, slopes, variance = least_norm(data, family.variable, family.parents)
    np.testing.assert_allclose(slopes_of(family), slopes, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(family.intercept, intercept, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(family.variance, variance, rtol=1e-7, atol=1e-11)


# --- least squares


@given(numbers(min_rows=10, offsets=False))
def test_least_squares(sample):
    dag, rows = sample
    network = dc.fit(dag, rows, kind="gaussian").network()
    for variable in dag.nodes:
        check(network.family(variable), rows)


def test_far_from_zero():
    rows = rows_of(500) + 1e9
    family = dc.fit(COLLIDER, rows, kind="gaussian").network().family("y")
    centred = rows - 1e9
    _, slopes, variance = least_norm(centred, "y", family.parents)
    np.testing.assert_allclose(slopes_of(family), slopes, rtol=1e-9)
    np.testing.assert_allclose(family.variance, variance, rtol=1e-9)


@pytest.mark.parametrize("cut", [1, 2, 50, 99])
@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_updating_is_fitting_on_everything(cut, offset):
    rows = rows_of(100) + offset
    updated, whole = fitted(COLLIDER, rows[:cut]).updated(rows[cut:]), dc.fit(COLLIDER, rows, kind="gaussian")
    for variable in COLLIDER.nodes:
        one, two = updated.network().family(variable), whole.network().family(variable)
        np.testing.assert_allclose(slopes_of(one), slopes_of(two), rtol=1e-9)
        np.testing.assert_allclose(one.variance, two.variance, rtol=1e-9)
    assert str(updated.report()) == str(whole.report())


def test_pruned_answers_come_from_the_clusters_own_regressions():
    """In x → y ← w, x → z ← y the question about x, y and z knows nothing of w."""
    dag = dc.Dag([("x", "y"), ("w", "y"), ("x", "z"), ("y", "z")])
    rows = rows_of(40)
    rows["z"] = rows.x + rows.y + np.random.default_rng(1).normal(size=40)
    local, coherent = (dc.fit(dag, rows, coherent=flag) for flag in (False, True))
    assert frozenset("xyz") in local.tree.clusters
    covariance = np.cov(rows[["x", "y", "z"]].to_numpy().T, bias=True)
    np.testing.assert_allclose(local.query(["x", "y", "z"]).covariance, covariance, rtol=1e-9)
    exact = dc.localize(coherent.network()).query(["x", "y", "z"]).covariance
    np.testing.assert_allclose(coherent.query(["x", "y", "z"]).covariance, exact, rtol=1e-9)
    assert not np.allclose(exact, covariance, rtol=1e-4)
    assert coherent.coherent
    assert not local.coherent


@pytest.mark.parametrize("coherent", [False, True])
def test_marginals_are_single_questions(coherent):
    dag = dc.Dag([("x", "y"), ("w", "y"), ("x", "z"), ("y", "z"), ("z", "u")])
    rng = np.random.default_rng(2)
    rows = rows_of(30).assign(z=rng.normal(size=30), u=rng.normal(size=30))
    model = dc.fit(dag, rows, coherent=coherent)
    found = model.marginals({"u": 0.5, "w": -1.0})
    for variable in "xyz":
        alone = model.query(variable, {"u": 0.5, "w": -1.0})
        np.testing.assert_allclose(found[variable].mean, alone.mean, rtol=1e-9)
        np.testing.assert_allclose(found[variable].covariance, alone.covariance, rtol=1e-9)


# --- singular regressions


def singular(rows, parents=("x", "w"), dag=COLLIDER):
    with pytest.warns(UserWarning, match=r"does not determine .*y \| "):
        model = dc.fit(dag, rows, kind="gaussian")
    family = model.network().family("y")
    check(family, rows)
    assert set(family.parents) == set(parents)
    assert any(title.startswith("y | ") for title in model.report().singular)
    assert "not determined by the data" in str(model.report())
    return model


def test_collinear_parents_share_the_least_coefficients():
    rows = rows_of(100)
    model = singular(rows.assign(w=rows.x))
    family = model.network().family("y")
    assert family.coefficients["x"] == pytest.approx(family.coefficients["w"], rel=1e-9)
    singular(rows.assign(w=-3 * rows.x + 7))
    singular(rows.assign(w=-3 * rows.x + 7) + 1e6)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_fewer_rows_than_parents(count):
    parents = [f"p{k}" for k in range(5)]
    rng = np.random.default_rng(count)
    rows = pd.DataFrame(rng.normal(size=(count, 6)), columns=[*parents, "y"])
    model = singular(rows, parents, dc.Dag([(parent, "y") for parent in parents]))
    assert model.network().family("y").variance == 0.0


def test_a_constant_parent_has_no_coefficient():
    model = singular(rows_of(50, x=0.1))
    family = model.network().family("y")
    assert family.coefficients["x"] == 0.0
    assert model.network().family("x").variance == 0.0
    assert model.network().family("x").intercept == 0.1
    assert "x" in model.report().constant


def test_a_constant_child_has_variance_zero():
    model = dc.fit(COLLIDER, rows_of(50, y=0.1), kind="gaussian")
    family = model.network().family("y")
    assert family.coefficients == {"x": 0.0, "w": 0.0}
    assert (family.intercept, family.variance) == (0.1, 0.0)
    assert model.report().constant == ("y",)
    assert "variance zero: y" in str(model.report())


def test_a_sure_child_has_variance_zero():
    rows = rows_of(50)
    family = dc.fit(COLLIDER, rows.assign(y=3 * rows.x - 2 * rows.w + 1), kind="gaussian").network().family("y")
    assert family.variance == 0.0
    assert family.coefficients["x"] == pytest.approx(3, rel=1e-9)


def test_small_noise_is_no_zero():
    rows = rows_of(50)
    noise = 1e-5 * np.random.default_rng(1).normal(size=50)
    family = dc.fit(COLLIDER, rows.assign(y=3 * rows.x + noise), kind="gaussian").network().family("y")
    assert family.variance == pytest.approx(least_norm(rows.assign(y=3 * rows.x + noise), "y", family.parents)[2], rel=1e-4)


def test_columns_of_different_sizes_are_not_singular():
    rows = rows_of(50)
    family = dc.fit(COLLIDER, rows.assign(x=1e-8 * rows.x, w=1e8 * rows.w), kind="gaussian").network().family("y")
    _, slopes, variance = least_norm(rows, "y", ("x", "w"))
    np.testing.assert_allclose([1e-8 * family.coefficients["x"], 1e8 * family.coefficients["w"]], slopes, rtol=1e-9)
    assert family.variance == pytest.approx(variance, rel=1e-9)


def test_singular_models_answer():
    rows = rows_of(60)
    model = singular(rows.assign(w=2 * rows.x))
    intercept, slopes, variance = least_norm(rows, "y", ("x",))
    found = model.query("y", {"x": 1.5, "w": 3.0})
    np.testing.assert_allclose(found.mean, intercept + 1.5 * slopes, rtol=1e-9)
    np.testing.assert_allclose(found.covariance, [[variance]], rtol=1e-9)


# --- the prior


PRIOR = dc.NormalInverseGamma(precision=3.0, shape=2.5, scale=0.7)


@pytest.mark.parametrize("count", [1, 2, 5, 40])
def test_the_slopes_are_those_of_an_augmented_design(count):
    """A free intercept, and for each parent a row of zeros that says that its coefficient is zero."""
    rows = rows_of(count, seed=count)
    family = dc.fit(COLLIDER, rows, prior=PRIOR).network().family("y")
    x = rows[list(family.parents)].to_numpy()
    design = np.block([[np.ones((count, 1)), x], [np.zeros((2, 1)), np.sqrt(PRIOR.precision) * np.eye(2)]])
    solution = np.linalg.lstsq(design, np.concatenate([rows["y"], [0, 0]]), rcond=None)[0]
    np.testing.assert_allclose([family.intercept, *slopes_of(family)], solution, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 3, 12])
def test_the_variance_is_a_posterior_mean(count):
    """By integration: contrasts of y (free of the intercept) are normal with covariance s (I + XX'/precision)."""
    rows = rows_of(count, seed=count)
    family = dc.fit(COLLIDER, rows, prior=PRIOR).network().family("y")
    contrasts = null_space(np.ones((1, count))).T
    z, x = contrasts @ rows["y"].to_numpy(), contrasts @ rows[list(family.parents)].to_numpy()
    rest = z @ np.linalg.solve(np.eye(count - 1) + x @ x.T / PRIOR.precision, z) if count > 1 else 0.0

    def density(s):
        return s ** (-(count - 1) / 2 - PRIOR.shape - 1) * np.exp(-(rest / 2 + PRIOR.scale) / s)

    grid = [quad(lambda t, power=power: density(np.exp(t)) * np.exp(power * t), -8, 14, limit=200)[0] for power in (1, 2)]
    assert family.variance == pytest.approx(grid[1] / grid[0], rel=1e-4)


def test_with_a_prior_nothing_is_singular():
    rows = rows_of(40)
    model = dc.fit(COLLIDER, rows.assign(w=rows.x), prior=PRIOR)
    assert model.report().singular == ()
    assert model.network().family("y").variance > 0


def test_much_data_outweighs_the_prior():
    rows = rows_of(100_000)
    family = dc.fit(COLLIDER, rows, prior=PRIOR).network().family("y")
    np.testing.assert_allclose(slopes_of(family), least_norm(rows, "y", family.parents)[1], rtol=1e-3)


@pytest.mark.parametrize("bad", [{"precision": 0}, {"scale": -1}, {"shape": 1.0}, {"shape": float("nan")}])
def test_priors_that_are_none(bad):
    with pytest.raises(ValueError, match="must be positive"):
        dc.NormalInverseGamma(**bad)


def test_missing_cells_leave_rows_out():
    rows = rows_of(60)
    rows.loc[[1, 2, 3], "x"] = np.nan
    model = dc.fit(COLLIDER, rows, kind="gaussian")
    check(model.network().family("y"), rows.dropna())
    check(model.network().family("w"), rows)
    assert model.report().missing == {"x": 3, f"y | {', '.join(model.dag.parents('y'))}": 3}


def test_a_family_without_any_complete_row_is_named():
    rows = rows_of(4)
    rows.loc[:1, "x"] = rows.loc[2:, "w"] = np.nan
    with pytest.raises(dc.DataError, match=r"y \| "):
        dc.fit(COLLIDER, rows, kind="gaussian")
