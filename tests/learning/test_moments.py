"""Moments of Gaussian families: right far from zero, additive, and the same for every number of threads."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from learning.exact_moments import close_scatter, exact_scatter, moments_in
from learning.oracles import families_of
from learning.samples import cuts, numbers

import dconvex as dc

CHAIN = dc.Dag([("x", "y"), ("y", "z")])


def made(dag, rows, **options):
    return dc.statistics(dag, rows, kind="gaussian", **{"n_jobs": 1} | options)


def far(count, offset=1e9, noise=1.0, seed=0):
    """x → y → z, all of them far from zero."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=count)
    y = 0.5 * x + rng.normal(size=count)
    z = y - rng.normal(size=count)
    return pd.DataFrame({"x": x, "y": y, "z": z}) * noise + offset


def close(found, expected, tolerance=1e-10):
    """The same moments, in units of what the variables vary."""
    found, expected = moments_in(found), moments_in(expected)
    assert found.keys() == expected.keys()
    for family, (used, mean, scatter) in expected.items():
        assert found[family][0] == used
        spread = np.sqrt(np.diag(scatter) / max(used, 1))
        assert (abs(found[family][1] - mean) <= 1e-14 * abs(mean) + 1e-12 * spread).all()
        close_scatter(found[family][2], scatter, tolerance)


# --- against exact arithmetic


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e9, -1e12])
@pytest.mark.parametrize("noise", [1.0, 1e-2])
def test_far_from_zero(offset, noise):
    rows = far(200, offset, noise)
    for (variable, parents), (used, mean, scatter) in moments_in(made(CHAIN, rows)).items():
        members = [*parents, variable]
        assert used == 200
        close_scatter(scatter, exact_scatter([rows[name].tolist() for name in members]))
        np.testing.assert_allclose(mean, rows[members].mean(), rtol=1e-12)


@given(numbers(max_rows=12))
def test_every_family_has_its_moments(sample):
    dag, rows = sample
    statistics = made(dag, rows)
    found = moments_in(statistics)
    assert found.keys() == families_of(dag, statistics.tree)
    for (variable, parents), (_, _, scatter) in found.items():
        close_scatter(scatter, exact_scatter([rows[name].tolist() for name in (*parents, variable)]), 1e-9)


def test_a_constant_column_does_not_vary_at_all():
    rows = far(1000).assign(y=0.1)
    halves = made(CHAIN, rows[:300]) + made(CHAIN, rows[300:])
    for statistics in (made(CHAIN, rows), halves):
        assert moments_in(statistics)["z", ("y",)][2][0].tolist() == [0.0, 0.0]
        assert moments_in(statistics)["z", ("y",)][1][0] == 0.1


def test_outliers_in_the_first_row_do_no_harm():
    rows = far(200, offset=0.0)
    rows.iloc[0] = 1e8
    scatter = moments_in(made(CHAIN, rows))["y", ("x",)][2]
    close_scatter(scatter, exact_scatter([rows["x"].tolist(), rows["y"].tolist()]))


# --- the law


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9])
@pytest.mark.parametrize("noise", [1.0, 1e-2])
def test_parts_far_from_zero_add_up(offset, noise):
    rows = far(400, offset, noise)
    close(made(CHAIN, rows[:150]) + made(CHAIN, rows[150:]), made(CHAIN, rows))
    close(sum(made(CHAIN, rows[k : k + 40]) for k in range(0, 400, 40)), made(CHAIN, rows))


def test_parts_with_different_means_add_up():
    rows = pd.concat([far(100, 1e9), far(100, 1e9 + 5, seed=1)], ignore_index=True)
    total = made(CHAIN, rows[:100]) + made(CHAIN, rows[100:])
    close(total, made(CHAIN, rows))
    close_scatter(moments_in(total)["y", ("x",)][2], exact_scatter([rows["x"].tolist(), rows["y"].tolist()]))


@given(numbers(), st.data())
def test_statistics_add_up(sample, data):
    dag, rows = sample
    one, two = (rows[part] for part in data.draw(cuts(len(rows), 2)))
    close(made(dag, one) + made(dag, two), made(dag, rows))


@given(numbers(min_rows=3, offsets=False), st.data())
def test_addition_is_associative_and_commutative(sample, data):
    dag, rows = sample
    one, two, three = (made(dag, rows[part]) for part in data.draw(cuts(len(rows), 3)))
    close((one + two) + three, one + (two + three))
    close(one + two, two + one)


def test_a_part_of_no_rows_changes_nothing():
    rows = far(20)
    assert made(CHAIN, rows) + made(CHAIN, rows[:0]) == made(CHAIN, rows)
    close(made(CHAIN, rows[:0]) + made(CHAIN, rows), made(CHAIN, rows))


# --- cutting, threads, missing cells


@given(numbers(max_rows=60))
def test_two_threads_sum_as_one_does(sample):
    dag, rows = sample
    assert made(dag, rows) == made(dag, rows, n_jobs=2)


def test_a_long_table_does_not_depend_on_the_threads():
    rows = far(300_000)
    one = made(CHAIN, rows)
    assert one == made(CHAIN, rows, n_jobs=2) == made(CHAIN, rows, n_jobs=3)
    close(made(CHAIN, [rows[:7], rows[7:270_000], rows[270_000:]]), one)


@given(numbers(), st.data())
def test_a_list_of_slices_is_the_whole(sample, data):
    dag, rows = sample
    slices = [rows[part] for part in data.draw(cuts(len(rows), 3))]
    close(made(dag, slices), made(dag, rows))
    close(made(dag, iter(slices)), made(dag, rows))


def test_a_family_uses_the_rows_that_have_its_cells():
    rows = far(60, 1e9)
    rows.loc[[3, 4, 59], "x"] = np.nan
    rows.loc[[4, 5], "z"] = np.nan
    for data in (
        rows,
        pl.DataFrame(rows),
        pl.DataFrame(rows).fill_nan(None),
        pa.Table.from_pandas(rows),
        rows.astype("Float64"),
    ):
        found = moments_in(made(CHAIN, data))
        for (variable, parents), (used, mean, scatter) in found.items():
            own = rows[[*parents, variable]].dropna()
            assert used == len(own)
            np.testing.assert_allclose(mean, own.mean(), rtol=1e-12)
            close_scatter(scatter, exact_scatter([own[name].tolist() for name in own]))


def test_columns_whose_first_part_is_empty():
    rows = far(50, 1e9)
    tables = [rows[["x"]][:10], rows[10:].assign(x=np.nan)[:5], rows[15:]]
    found = moments_in(made(CHAIN, tables))
    close_scatter(found["y", ("x",)][2], exact_scatter([rows["x"][15:].tolist(), rows["y"][15:].tolist()]))
    assert found["x", ()][0] == 45
    assert found["z", ("y",)][0] == 40


def test_statistics_can_be_pickled():
    statistics = made(CHAIN, far(30))
    assert pickle.loads(pickle.dumps(statistics)) == statistics


# --- which kind


def test_fractions_everywhere_make_it_gaussian():
    assert dc.statistics(CHAIN, far(5, 0.5)).kind == "gaussian"
    assert dc.statistics(CHAIN, far(5).round()).kind == "discrete"
    assert dc.statistics(CHAIN, far(5).round(), kind="gaussian").kind == "gaussian"


@pytest.mark.parametrize("kind", ["int64", "int8", "float32", "Int64", "bool", "object", "uint64"])
def test_numbers_of_every_type(kind):
    rows = pd.DataFrame({"x": [0, 1, 1, 0], "y": [1, 0, 1, 0], "z": [1, 1, 1, 0]})
    close(made(CHAIN, rows.astype(kind)), made(CHAIN, rows.astype(float)))


def test_a_sum_prints_its_rows():
    assert repr(made(CHAIN, far(5)) + made(CHAIN, far(7))) == "Statistics(gaussian, 3 variables, 4 families, 12 rows)"
    assert made(CHAIN, far(5)).states == {}
