"""All rows as codes: the value that whatever goes over the rows more than once can use, without any graph."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from learning.samples import samples

import dconvex as dc
from dconvex.learning.columns.encoded_columns import encoded_columns
from dconvex.learning.learning_options import LearningOptions

OPTIONS = LearningOptions(kind="discrete", n_jobs=1)


def options_of(sample, n_jobs=1):
    """With declared states, for labels of one variable may be of several types."""
    return LearningOptions("discrete", sample.states, n_jobs=n_jobs)


def decoded(found):
    """By row of labels, None where a cell is missing, how often it is there."""
    labels = [(*own.labels, None) for own in found.states]
    rows = (tuple(labels[v][code] for v, code in enumerate(row)) for row in found.codes.T.tolist())
    return dict(zip(rows, found.counts.tolist(), strict=True))


def expected_from(rows, variables):
    counts = {}
    for row in rows[list(variables)].itertuples(index=False, name=None):
        key = tuple(None if value is None or value != value else value for value in row)
        counts[key] = counts.get(key, 0) + 1
    return counts


@given(samples(missing=True))
def test_they_are_the_rows_of_the_table(sample):
    variables = sample.dag.nodes
    found = encoded_columns(variables, sample.rows, options_of(sample))
    assert decoded(found) == expected_from(sample.rows, variables)
    assert found.rows == len(sample.rows)
    assert found.variables == variables


@given(samples(missing=True), st.data())
def test_neither_the_order_of_rows_nor_batches_nor_threads_matter(sample, data):
    variables = sample.dag.nodes
    one = encoded_columns(variables, sample.rows, options_of(sample))
    order = data.draw(st.permutations(range(len(sample.rows))))
    cut = data.draw(st.integers(0, len(sample.rows)))
    mixed = sample.rows.iloc[list(order)]
    options = options_of(sample, data.draw(st.sampled_from([1, 2])))
    two = encoded_columns(variables, [mixed.iloc[:cut], mixed.iloc[cut:]], options)
    assert one.states == two.states
    assert one.codes.dtype == two.codes.dtype
    assert np.array_equal(one.codes, two.codes)
    assert np.array_equal(one.counts, two.counts)


def test_a_table_without_a_column_has_missing_cells():
    tables = [pd.DataFrame({"a": ["x", "y"]}), pd.DataFrame({"b": [1, 1], "a": ["z", "z"]})]
    found = encoded_columns(("a", "b"), tables, OPTIONS)
    assert decoded(found) == {("x", None): 1, ("y", None): 1, ("z", 1): 2}


@pytest.mark.parametrize(("states", "width"), [(127, np.int8), (128, np.int32), (900, np.int32)])
def test_codes_take_a_byte_as_long_as_they_fit(states, width):
    frame = pd.DataFrame({"a": np.arange(states), "b": 0})
    found = encoded_columns(("a", "b"), [frame.iloc[:1], frame], OPTIONS)
    assert found.codes.dtype == width
    assert found.codes[0].tolist() == list(range(states))
    assert found.counts.tolist() == [2] + [1] * (states - 1)


def test_declared_states_keep_their_order():
    options = LearningOptions("discrete", {"a": ("low", "high")}, unknown="missing")
    found = encoded_columns(("a",), pd.DataFrame({"a": ["high", "low", "?"]}), options)
    assert found.states[0].labels == ("low", "high")
    assert found.codes.tolist() == [[-1, 0, 1]]


def test_no_variables_and_no_rows():
    assert encoded_columns((), pd.DataFrame({"a": [1, 2]}), OPTIONS).rows == 2
    assert encoded_columns(("a",), pd.DataFrame({"a": pd.Series([], dtype=int)}), OPTIONS).rows == 0
    with pytest.raises(dc.DataError, match="no tables"):
        encoded_columns(("a",), [], OPTIONS)


def test_too_many_bytes_are_refused():
    frame = pd.DataFrame({"a": np.arange(1000), "b": 0})
    with pytest.raises(dc.TooLargeError, match="different rows"):
        encoded_columns(("a", "b"), frame, LearningOptions("discrete", max_bytes=1000))
