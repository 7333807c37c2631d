"""Rows with gaps, weighed and filled in; `tests/inference/test_impute.py` compares with all completions."""

import numpy as np
import pytest

from dconvex._core import Graph, LinearCompletion, Ragged, RowCompletion

PARENTS = [[], [0], [1]]
TABLES = np.array([0.9, 0.1, 0.8, 0.2, 0.1, 0.9, 0.7, 0.3, 0.2, 0.8])


def graph():
    return Graph(Ragged.from_lists(PARENTS))


def completed(filling, codes, noise=None, tables=TABLES):
    core = RowCompletion(graph(), np.array([2, 2, 2], np.int32), filling)
    core.plan(codes)
    found = np.empty(codes.shape[1])
    core.complete(tables, codes, noise, found)
    return found, core


def test_what_a_row_shows_is_weighed():
    codes = np.array([[0, -1, -1, -1], [0, 1, -1, -1], [0, -1, 1, -1]], np.int32)
    before = codes.copy()
    found, core = completed("none", codes)
    c_is_one = 0.9 * (0.8 * 0.3 + 0.2 * 0.8) + 0.1 * (0.1 * 0.3 + 0.9 * 0.8)
    np.testing.assert_allclose(np.exp(found), [0.9 * 0.8 * 0.7, 0.9 * 0.2 + 0.1 * 0.9, c_is_one, 1], rtol=1e-14)
    assert np.array_equal(codes, before)
    assert sorted(core.largest_component.tolist()) == [0, 1]
    assert core.largest_workspace >= 4


def test_wanted_cells_are_filled_in_and_others_summed_over():
    codes = np.array([[-1, -2], [-1, -1], [1, 1]], np.int32)
    tables = np.array([0.61, 0.39, 0.6, 0.4, 0.1, 0.9, 0.5, 0.5, 0.5, 0.5])
    for column, right in ((0, [0, 0, 1]), (1, [-2, 1, 1])):  # 0 and 0 together have 0.366; alone 1 has 0.244 + 0.351
        own = np.ascontiguousarray(codes[:, column : column + 1])
        completed("most_probable", own, tables=tables)
        assert own[:, 0].tolist() == right
    drawn = np.array([[-1, -1], [-1, -1], [1, 1]], np.int32)
    completed("sample", drawn, np.array([[0.0, 0.9999], [0.0, 0.9999], [0.0, 0.0]]))
    assert drawn.tolist() == [[0, 1], [0, 1], [1, 1]]


def test_wrong_arrays_are_refused():
    states = np.array([2, 2, 2], np.int32)
    with pytest.raises(ValueError, match="no such filling"):
        RowCompletion(graph(), states, "mean")
    core = RowCompletion(graph(), states, "sample")
    one = np.full((3, 1), -1, np.int32)
    with pytest.raises(ValueError, match="none of its variable"):
        core.plan(np.full((3, 1), 2, np.int32))
    with pytest.raises(ValueError, match="line for each variable"):
        core.plan(np.zeros((2, 1), np.int32))
    with pytest.raises(ValueError, match="numbers to draw by"):
        core.complete(TABLES, one, None, np.empty(1))
    with pytest.raises(ValueError, match="not planned for"):
        core.complete(TABLES, one, np.zeros((3, 1)), np.empty(1))
    with pytest.raises(ValueError, match="result for each row"):
        core.complete(TABLES, one, np.zeros((3, 1)), np.empty(2))
    with pytest.raises(ValueError, match="number for each cell"):
        core.complete(TABLES, one, np.zeros((3, 2)), np.empty(1))
    with pytest.raises(ValueError, match="numbers are missing"):
        core.complete(TABLES[1:], one, np.zeros((3, 1)), np.empty(1))


def test_numbers_are_filled_in():
    intercept, coefficients, variance = np.zeros(3), np.array([2.0, 1.0]), np.array([1.0, 1.0, 0.0])
    values = np.array([[np.nan, np.nan], [np.nan, 2.0], [5.0, 3.0]])
    core = LinearCompletion(graph(), np.array([True, True, False]))
    core.plan(values)
    assert core.largest_component.tolist() == [0, 1]
    assert core.largest_workspace >= 4
    density = np.empty(2)
    core.complete(intercept, coefficients, variance, values, None, density)
    assert values[:, 0].tolist() == pytest.approx([2.0, 5.0, 5.0])  # the child has no noise: y = 5, and E(x | y = 5) = 2
    assert np.isnan(values[0, 1]) or values[0, 1] == pytest.approx(0.8)
    assert density[0] == pytest.approx(-0.5 * (np.log(2 * np.pi * 5) + 5))
    drawn = np.array([[np.nan], [np.nan], [np.nan]])
    every = LinearCompletion(graph(), np.ones(3, bool))
    every.complete(intercept, coefficients, np.ones(3), drawn, np.array([[1.0], [0.5], [-1.0]]), density[:1])
    assert drawn[:, 0].tolist() == [1.0, 2.5, 1.5]
    with pytest.raises(ValueError, match="flag"):
        LinearCompletion(graph(), np.ones(2, bool))
    with pytest.raises(ValueError, match="line for each variable"):
        core.plan(np.zeros((2, 1)))
    with pytest.raises(ValueError, match="regression for each"):
        core.complete(intercept[:2], coefficients, variance, values, None, density)
    with pytest.raises(ValueError, match="number for each cell"):
        core.complete(intercept, coefficients, variance, values, np.zeros((3, 1)), density)
