"""Text that is no text: lone surrogates are states like any other, bytes that are not UTF-8 are errors of ours."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import dconvex as dc

LONE = "\ud800x"


def test_lone_surrogates_are_states(tmp_path):
    frame = pd.DataFrame({"a": pd.Series([LONE, "b", "b"], dtype=object), "b": ["x", "y", "x"]})
    model = dc.fit([("a", "b")], frame)
    assert model.states["a"] == ("b", LONE)
    assert model.predict(frame, "b")["b"].tolist() == ["x", "x", "x"]
    assert model.query("b", {"a": LONE}).values.tolist() == [1, 0]
    assert np.isfinite(model.log_likelihood(frame)).all()
    model.save(tmp_path / "model.dcx")
    dc.write(model.network(), tmp_path / "network.json")
    assert dc.open_model(tmp_path / "model.dcx").states == dc.read(tmp_path / "network.json").states == model.states


def broken(kind: str) -> pa.Table:
    """A column whose second text is cut in the middle of a letter."""
    raw = pa.array([b"ok", b"\xe7", b"ok"])
    text = pa.Array.from_buffers(pa.string(), 3, raw.buffers())
    if kind == "text":
        return pa.table({"a": text, "b": [1, 2, 1]})
    indices = pa.array([0, 1, 0], pa.int32())
    states = pa.DictionaryArray.from_arrays(indices, text[:2], ordered=kind == "ordered")
    return pa.table({"a": states, "b": [1, 2, 1]})


@pytest.mark.parametrize("kind", ["text", "categories", "ordered"])
def test_bytes_that_are_no_text_are_refused(kind):
    with pytest.raises(dc.DataError, match=r"not UTF-8.*is the file damaged"):
        dc.fit([("a", "b")], broken(kind))


def test_damaged_parquet_files_are_errors_of_ours(tmp_path):
    path = tmp_path / "rows.parquet"
    pd.DataFrame({"a": ["u", "v"] * 200, "b": ["x", "y"] * 200}).to_parquet(path)
    whole, rng = path.read_bytes(), random.Random(3)
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(rng.choice([1, 1, 3, 20])):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        path.write_bytes(damaged[: rng.randrange(len(damaged))] if rng.random() < 0.1 else damaged)
        try:
            dc.fit([("a", "b")], path)
        except dc.DataError as error:
            assert str(error)
