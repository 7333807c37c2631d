"""What is said where something else than a graph is given to learn, or where questions go to a network."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dconvex as dc

FRAME = pd.DataFrame({"a": [1, 2], "b": [1, 1]})


@pytest.mark.parametrize("learn", [dc.fit, dc.statistics])
@pytest.mark.parametrize("table", [FRAME, pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME)])
def test_a_table_is_no_graph(learn, table):
    with pytest.raises(TypeError, match=r"the graph is missing: pass it first, .*dc\.learn_structure\(data\) learns one"):
        learn(table)
    with pytest.raises(TypeError, match="the arguments are in the wrong order: the graph comes first, then the data"):
        learn(table, [("a", "b")])


@pytest.mark.parametrize("path", ["edges.txt", Path("edges.txt")])
def test_a_path_is_no_graph(path):
    with pytest.raises(TypeError, match=r"not a path; read the graph with dc\.read_structure\('edges\.txt'\)"):
        dc.fit(path, FRAME)


def test_no_edges_are_no_graph():
    with pytest.raises(ValueError, match=r"the graph has no variables; list edges, .*dc\.learn_structure\(data\)"):
        dc.fit([], FRAME)
    assert len(dc.fit(dc.Dag([], ["a", "b"]), FRAME)) == 2


def test_absent_columns_are_reported_with_those_that_are_there():
    with pytest.raises(dc.DataError, match="no table has a column 'x'; there are 2: 'a', 'b'"):
        dc.fit([("a", "x")], FRAME)


def test_questions_to_a_network_are_sent_to_a_model():
    network = dc.load_network("asia")
    with pytest.raises(AttributeError, match=r"a network has no 'query': .*dc\.localize\(network\)\.query\(…\)"):
        network.query("lung")
    with pytest.raises(AttributeError, match="'BayesianNetwork' object has no attribute 'qury'"):
        _ = network.qury
    assert not hasattr(network, "query")
    assert copy.deepcopy(network) == pickle.loads(pickle.dumps(network)) == network
