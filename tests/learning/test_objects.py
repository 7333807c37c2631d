"""Columns of Python objects: each cell an object of its own, or all equal ones the same, in all kinds of mixtures."""

import numpy as np
import pandas as pd
import pytest

import dconvex as dc

ROWS = 1_000
"""More than the number of objects up to which addresses are compared."""
DAG = dc.Dag([], ["t"])


def own(text):
    """A new object that equals the text."""
    return "".join([text[:1], *text[1:]]) if len(text) > 1 else (text + "!")[:-1]


def column(cells):
    values = np.empty(len(cells), object)
    values[:] = cells
    return pd.DataFrame({"t": pd.Series(values, dtype=object)})


def counts(cells, **options):
    """How often each label was counted."""
    statistics = dc.statistics(DAG, column(cells), kind="discrete", **options)
    labels = statistics.states["t"]
    return dict(zip(labels, statistics.part.tallies.counts.tolist(), strict=True))


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    "labels", [["yes", "no"], ["größer", "kleiner", "日本語 text", ""], ["a", "b" * 40, "c" * 16, "c" * 17], ["\ud800", "x"]]
)
def test_each_cell_an_object_of_its_own(labels, n_jobs):
    cells = [own(labels[k % len(labels)]) for k in range(ROWS)]
    shared = [labels[k % len(labels)] for k in range(ROWS)]
    found = counts(cells, n_jobs=n_jobs)
    assert found == counts(shared) == {label: shared.count(label) for label in labels}


@pytest.mark.parametrize("missing", [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT])
def test_missing_cells_among_them(missing):
    cells = [missing if k % 7 == 0 else own("low" if k % 2 else "high") for k in range(ROWS)]
    texts = [cell for cell in cells if isinstance(cell, str)]
    assert counts(cells) == {"high": texts.count("high"), "low": texts.count("low")}


def test_texts_of_another_class():
    cells = [np.str_("low" if k % 2 else "high") for k in range(ROWS)]
    assert counts(cells) == {"high": ROWS // 2, "low": ROWS // 2}


def test_integers_that_are_objects_of_their_own():
    cells = [int(str(1_000 + k % 3)) for k in range(ROWS)]
    assert counts(cells) == {1_000: 334, 1_001: 333, 1_002: 333}


@pytest.mark.parametrize("strange", [7, 1.5, (1, 2)])
def test_the_first_row_with_something_else_is_named(strange):
    cells = [own("low" if k % 2 else "high") for k in range(ROWS)]
    cells[900] = strange
    with pytest.raises(dc.DataError, match="row 900"):
        counts(cells)


def test_labels_that_are_not_declared():
    cells = [own(f"label {k % 50}") for k in range(ROWS)]
    declared = {"t": ["label 3", "label 4"]}
    assert counts(cells, states=declared, unknown="missing") == {"label 3": 20, "label 4": 20}
    with pytest.raises(dc.DataError, match="'label 0' of 't' in row 0"):
        counts(cells, states=declared)


def test_too_many_labels():
    with pytest.raises(dc.DataError, match="more than 1,000 values"):
        counts([f"label {k}" for k in range(5_000)])


def test_parts_of_a_column_share_their_codes():
    cells = [own("low" if k % 3 else "high") for k in range(ROWS)]
    tables = [column(cells[:10]), column(cells[10:900]), column(cells[900:]).astype("string"), column(cells).astype("category")]
    found = dc.statistics(DAG, tables)
    assert found.part.tallies.counts.tolist() == [2 * cells.count("high"), 2 * cells.count("low")]
