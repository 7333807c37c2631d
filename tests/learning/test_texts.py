"""Columns of text as Arrow holds them: every cell gets the code of its own label, wherever in a buffer it lies."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dconvex as dc

DAG = dc.Dag([], nodes=["t"])
FORMS = {
    "string": lambda texts: pa.table({"t": pa.array(texts, pa.string())}),
    "large string": lambda texts: pa.table({"t": pa.array(texts, pa.large_string())}),
    "chunks": lambda texts: pa.table({"t": pa.chunked_array([texts[:3], texts[3:]], pa.large_string())}),
    "in the middle": lambda texts: pa.table({"t": pa.array(["x", *texts, "y"], pa.large_string())[1:-1]}),
    "string view": lambda texts: pa.table({"t": pa.array(texts, pa.string_view())}),
    "pandas": lambda texts: pd.DataFrame({"t": pd.Series(texts, dtype="str")}),
    "part of pandas": lambda texts: pd.DataFrame({"t": pd.Series(["x" * 30, *texts, "y"], dtype="str")})[1:-1],
}

alike = st.text(st.sampled_from("a\0é"), max_size=3) | st.builds(
    lambda start, middle, end: start + middle * "a" + end,
    st.sampled_from(["", "a", "b"]),
    st.integers(0, 40),
    st.sampled_from("ab"),
)
"""Labels of all lengths that differ in a byte at the beginning or at the end, or in how often a byte is repeated."""


def counts(data, **options):
    statistics = dc.statistics(DAG, data, **options)
    return dict(zip(statistics.states["t"], statistics.part.tallies.counts.tolist(), strict=True))


@pytest.mark.parametrize("form", FORMS)
@given(texts=st.lists(alike, min_size=1, max_size=60))
def test_labels_that_are_almost_the_same_are_told_apart(form, texts):
    assert counts(FORMS[form](texts)) == Counter(texts)


@pytest.mark.parametrize("form", FORMS)
def test_many_labels_in_many_tables(form):
    labels = [f"{number:x}" * (1 + number % 13) for number in range(700)]
    texts = np.random.default_rng(0).choice(labels, 5000).tolist()
    tables = [FORMS[form](texts[first : first + 500]) for first in range(0, len(texts), 500)]
    assert counts(tables) == Counter(texts)


def test_texts_that_are_no_states_are_left_out_however_many():
    texts = [*map(str, range(5000)), *map(str, range(5000))]
    found = counts(FORMS["pandas"](texts), states={"t": ("7", "-", "4999")}, unknown="missing")
    assert found == {"7": 2, "-": 0, "4999": 2}


@pytest.mark.parametrize("form", FORMS)
def test_no_rows(form):
    both = [FORMS[form]([]), FORMS[form](["a", "", "a"])]
    assert counts(both) == {"a": 2, "": 1}


def test_the_first_row_with_a_strange_label_is_named():
    texts = ["a", "b"] * 20 + ["c", "a"]
    with pytest.raises(dc.DataError, match=r"'c'.* in row 40"):
        counts(FORMS["pandas"](texts), states={"t": ("a", "b")})
