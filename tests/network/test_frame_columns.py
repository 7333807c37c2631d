"""Data frames of every library and columns of every type are read; errors name the column and the row."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dconvex as dc
from dconvex import BayesianNetwork, DataError, UnknownStateError
from dconvex.network.frame_columns import Columns

STATES = {"a": (2, 0, 1), "b": ("no", "yes"), "c": (True, False)}
ROWS = {"a": [0, 2, 1, 1], "b": ["yes", "no", "no", "yes"], "c": [False, True, True, False]}
CODES = {name: [STATES[name].index(value) for value in values] for name, values in ROWS.items()}

LIBRARIES = [pd.DataFrame, pl.DataFrame, pa.table]
libraries = pytest.mark.parametrize("library", LIBRARIES, ids=["pandas", "polars", "pyarrow"])


def pandas_column(values, dtype):
    return pd.DataFrame({"v": pd.Series(values).astype(dtype)})


def polars_column(values, dtype):
    return pl.DataFrame({"v": pl.Series(values).cast(dtype)})


def arrow_column(values, dtype):
    return pa.table({"v": pa.chunked_array([pa.array(values[:1], dtype), pa.array(values[1:], dtype)])})


def in_dictionary(value_type):
    return pa.dictionary(pa.int8(), value_type)


INTEGERS = [
    *(pandas_column(ROWS["a"], dtype) for dtype in ["int8", "uint64", "Int64", "float64", "Float32", "category"]),
    *(pandas_column(ROWS["a"], dtype) for dtype in ["object", "int64[pyarrow]", "double[pyarrow]"]),
    pandas_column(ROWS["a"], pd.CategoricalDtype([5, 1, 2, 0])),  # another order, and a category that never occurs
    pandas_column([0.0, 2.0, 1.0, 1.0], "category"),
    *(polars_column(ROWS["a"], dtype) for dtype in [pl.Int8, pl.UInt64, pl.Float64]),
    *(arrow_column(ROWS["a"], dtype) for dtype in [pa.int8(), pa.uint64(), pa.float64(), in_dictionary(pa.int64())]),
]
STRINGS = [
    *(pandas_column(ROWS["b"], dtype) for dtype in ["str", "object", "category", "string[python]", "string[pyarrow]"]),
    pandas_column(ROWS["b"], pd.ArrowDtype(in_dictionary(pa.string()))),
    pandas_column(ROWS["b"], pd.CategoricalDtype(["maybe", "yes", "no"])),
    *(polars_column(ROWS["b"], dtype) for dtype in [pl.String, pl.Categorical, pl.Enum(["?", "yes", "no"])]),
    *(arrow_column(ROWS["b"], dtype) for dtype in [pa.string(), pa.large_string(), in_dictionary(pa.string())]),
]
BOOLEANS = [
    *(pandas_column(ROWS["c"], dtype) for dtype in ["bool", "boolean", "object", "category", "int8", "bool[pyarrow]"]),
    *(polars_column(ROWS["c"], dtype) for dtype in [pl.Boolean, pl.Int8]),
    arrow_column(ROWS["c"], pa.bool_()),
    arrow_column([0, 1, 1, 0], pa.int8()),
]


def kind_of(frame):
    dtype = frame.dtypes["v"] if isinstance(frame, pd.DataFrame) else frame.schema["v" if hasattr(frame, "height") else 0]
    return f"{type(frame).__module__.split('.')[0]}-{dtype}".replace("\n", "")


# --- states


@pytest.mark.parametrize(
    ("frame", "name"),
    [(frame, name) for name, frames in zip("abc", [INTEGERS, STRINGS, BOOLEANS], strict=True) for frame in frames],
    ids=lambda value: value if isinstance(value, str) else kind_of(value),
)
def test_every_type_of_column_gives_the_same_codes(frame, name):
    assert Columns(frame).codes("v", STATES[name]).tolist() == CODES[name]


@libraries
def test_log_likelihood_from_every_library(library):
    tables = {"a": [0.5, 0.25, 0.25], "b": {2: [0.1, 0.9], 0: [0.2, 0.8], 1: [0.3, 0.7]}, "c": [0.75, 0.25]}
    network = BayesianNetwork.discrete([("a", "b")], tables, STATES)
    rows = library({"more": [1.5, None, 2.5, 0.0], **ROWS, "b ": ["?"] * 4})
    exact = [0.25 * 0.8 * 0.25, 0.5 * 0.1 * 0.75, 0.25 * 0.3 * 0.75, 0.25 * 0.7 * 0.25]
    np.testing.assert_allclose(network.log_likelihood(rows), np.log(exact))


def test_rows_are_counted_by_position_for_any_index():
    frame = pd.DataFrame({"v": ["yes", "no", "?"]}, index=[7, 7, 0])
    assert Columns(frame.iloc[:2]).codes("v", ("no", "yes")).tolist() == [1, 0]
    with pytest.raises(UnknownStateError, match="in row 2"):
        Columns(frame).codes("v", ("no", "yes"))


MISSING = [
    *(library({"v": ["no", "yes", None]}) for library in LIBRARIES),
    pd.DataFrame({"v": pd.Series(["no", "yes", None], dtype="category")}),
    pd.DataFrame({"v": pd.Series(["no", "yes", None], dtype="object")}),
    pd.DataFrame({"v": pd.Series(["no", "yes", np.nan], dtype="object")}),
    pd.DataFrame({"v": pd.Series(["no", "yes", None], dtype=pd.ArrowDtype(in_dictionary(pa.string())))}),
    pl.DataFrame({"v": ["no", "yes", None]}, schema={"v": pl.Categorical}),
    pa.table({"v": pa.array(["no", "yes", None]).dictionary_encode()}),
]
MISSING_NUMBERS = [
    *(library({"v": [0, 1, None]}) for library in LIBRARIES),
    *(library({"v": [False, True, None]}) for library in LIBRARIES),
    *(library({"v": [0.0, 1.0, math.nan]}) for library in (pd.DataFrame, pl.DataFrame)),
    *(pd.DataFrame({"v": pd.array([0, 1, None], dtype)}) for dtype in ["Int64", "Float64", "boolean", "int64[pyarrow]"]),
    pd.DataFrame({"v": pd.Categorical([0, 1, None])}),
    pa.table({"v": pa.array([0, 1, None]).dictionary_encode()}),
]


@pytest.mark.parametrize("frame", MISSING, ids=kind_of)
def test_a_missing_label_is_named_by_column_and_row(frame):
    with pytest.raises(DataError, match="column 'v' has a missing cell in row 2; drop or fill such rows first"):
        Columns(frame).codes("v", ("no", "yes"))


@pytest.mark.parametrize("frame", MISSING_NUMBERS, ids=kind_of)
def test_a_missing_number_is_named_by_column_and_row(frame):
    with pytest.raises(DataError, match="column 'v' has a missing cell in row 2"):
        Columns(frame).codes("v", (0, 1))


@libraries
@pytest.mark.parametrize(
    ("values", "labels", "problem"),
    [
        (["no", "yes", "yess"], ("no", "yes"), "unknown state 'yess' of 'v' in row 2; did you mean 'yes'?"),
        ([0, 1, 7], (0, 1), "unknown state 7 of 'v' in row 2; there are 2: 0, 1"),
        ([0.0, 1.0, 0.5], (0, 1), "unknown state 0.5 of 'v' in row 2"),
        (["0", "1"], (0, 1), "unknown state '0' of 'v' in row 0; did you mean 0?"),
        ([0, 1], ("0", "1"), "unknown state 0 of 'v' in row 0; did you mean '0'?"),
        ([True, False], ("True", "False"), "unknown state True of 'v' in row 0; did you mean 'True'?"),
    ],
)
def test_an_unknown_label_is_named_by_column_and_row(library, values, labels, problem):
    with pytest.raises(UnknownStateError, match=re.escape(problem)):
        Columns(library({"v": values})).codes("v", labels)


@libraries
def test_lists_are_no_states(library):
    with pytest.raises(DataError, match="column 'v' holds no states"):
        Columns(library({"v": [[1], [2]]})).codes("v", (1, 2))


# --- numbers


@pytest.mark.parametrize("frame", INTEGERS, ids=kind_of)
def test_every_type_of_number_is_read(frame):
    if "ategor" in kind_of(frame) or "dictionary" in kind_of(frame):
        with pytest.raises(DataError, match=re.escape("column 'v' is not numeric (its type is Categorical)")):
            Columns(frame).numbers("v")
    else:
        numbers = Columns(frame).numbers("v")
        assert numbers.dtype == float
        assert numbers.tolist() == ROWS["a"]


@libraries
@pytest.mark.parametrize("values", [["1.5", "2"], pd.to_datetime(["2020-01-01", "2020-01-02"])])
def test_text_and_dates_are_no_numbers(library, values):
    with pytest.raises(DataError, match="column 'v' is not numeric"):
        Columns(library({"v": values})).numbers("v")


def test_objects_that_are_no_numbers():
    with pytest.raises(DataError, match="column 'v' holds something that is not a number"):
        Columns(pd.DataFrame({"v": [1.5, object()]})).numbers("v")


@libraries
@pytest.mark.parametrize(("bad", "shown"), [(None, "nan"), (math.nan, "nan"), (-math.inf, "-inf")])
def test_a_number_that_is_not_finite_is_named_by_column_and_row(library, bad, shown):
    with pytest.raises(DataError, match=f"column 'v' holds {shown} in row 1; drop or fill such rows first"):
        Columns(library({"v": [1.5, bad]})).numbers("v")


# --- frames


@libraries
def test_a_missing_column_has_a_near_match(library):
    network = dc.random_network([("smoking", "cancer")])
    with pytest.raises(DataError, match="unknown column 'smoking'; did you mean 'Smoking'"):
        network.log_likelihood(library({"cancer": [0], "Smoking": [1]}))


def test_integer_names_are_the_integer_columns_of_pandas():
    network = dc.random_network([(1, "1"), (1, 2)], {1: ["x", "y"], 2: 3, "1": 2}, seed=0)
    frame = pd.DataFrame({2: [1, 2], "1": [0, 1], 1: ["y", "x"]})
    exact = [
        network.family(1).values[i] * network.family("1").values[i, j] * network.family(2).values[i, k]
        for i, j, k in [(1, 0, 1), (0, 1, 2)]
    ]
    np.testing.assert_allclose(np.exp(network.log_likelihood(frame)), exact)
    with pytest.raises(DataError, match="unknown column 1; did you mean '1'"):
        network.log_likelihood(pl.DataFrame({"1": ["x"], "2": [0]}))


@pytest.mark.parametrize("data", [[1, 2], None, "rows.csv", {"v": [1]}, pl.LazyFrame({"v": [1]}), pd.Series([1])])
def test_what_is_no_data_frame(data):
    with pytest.raises(DataError, match=f"expected a data frame .*, not {type(data).__name__}"):
        Columns(data)


def test_two_columns_of_one_name():
    with pytest.raises(DataError, match="'a' 2 times"):
        Columns(pd.DataFrame([[0, 1]], columns=["a", "a"]))
