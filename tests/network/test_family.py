"""Table and Regression are frozen values of their own."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from dconvex import Regression, Table

TABLE = Table("b", ("a",), np.array([[0.0, 1.0], [0.5, 0.5]]))
REGRESSION = Regression("b", ("a",), 1.0, {"a": 2.0}, 0.5)


@pytest.mark.parametrize("family", [TABLE, REGRESSION], ids=["table", "regression"])
@pytest.mark.parametrize("again", [lambda family: pickle.loads(pickle.dumps(family)), copy.copy, copy.deepcopy])
def test_pickles_and_copies(family, again):
    assert again(family) == family
    assert hash(again(family)) == hash(family)


@pytest.mark.parametrize("again", [lambda family: pickle.loads(pickle.dumps(family)), lambda family: family])
def test_frozen(again):
    table, regression = again(TABLE), again(REGRESSION)
    with pytest.raises(ValueError, match="read-only"):
        table.values[0, 0] = 1
    with pytest.raises(TypeError):
        regression.coefficients["a"] = 3.0
    with pytest.raises(FrozenInstanceError):
        table.variable = "c"
    with pytest.raises(FrozenInstanceError):
        regression.variance = 1.0


def test_the_callers_array_and_dict_stay_their_own():
    values, coefficients = np.array([0.5, 0.5]), {"a": 2.0}
    table, regression = Table("b", (), values), Regression("b", ("a",), 0.0, coefficients, 1.0)
    values[0], coefficients["a"] = 0.9, 3.0
    assert table.values.tolist() == [0.5, 0.5]
    assert regression.coefficients == {"a": 2.0}
    assert values.flags.writeable


def test_equal_by_value():
    assert Table("b", ("a",), [[0, 1], [0.5, 0.5]]) == TABLE
    assert Table("b", ("a",), [[-0.0, 1], [0.5, 0.5]]) == TABLE
    assert hash(Table("b", ("a",), [[-0.0, 1], [0.5, 0.5]])) == hash(TABLE)
    assert Regression("b", ("a",), 1.0, {"a": 2.0}, 0.5) == REGRESSION


@pytest.mark.parametrize(
    "other",
    [
        Table("c", ("a",), TABLE.values),
        Table("b", ("c",), TABLE.values),
        Table("b", ("a",), TABLE.values.T),
        Table("b", ("a",), TABLE.values[:1]),
        REGRESSION,
    ],
)
def test_unequal_tables(other):
    assert other != TABLE


@pytest.mark.parametrize(
    "other",
    [
        Regression("c", ("a",), 1.0, {"a": 2.0}, 0.5),
        Regression("b", ("a",), 1.5, {"a": 2.0}, 0.5),
        Regression("b", ("a",), 1.0, {"a": 2.5}, 0.5),
        Regression("b", ("a",), 1.0, {"a": 2.0}, 0.0),
        TABLE,
    ],
)
def test_unequal_regressions(other):
    assert other != REGRESSION
