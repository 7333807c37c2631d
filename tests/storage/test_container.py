"""What a file says of itself, by hand: sections that are not known, versions, and descriptions that do not fit."""

from __future__ import annotations

import json

import numpy as np
import pytest
from storage.raw_files import RawFile

import dconvex as dc

ASIA = dc.load_network("asia")


@pytest.fixture
def file(tmp_path):
    dc.fit(ASIA, ASIA.sample(200, seed=1), prior=dc.BDeu(1)).save(tmp_path / "model.dcx", statistics=True)
    return tmp_path / "model.dcx"


def test_a_file_is_safetensors(file):
    from safetensors import safe_open

    with safe_open(file, "numpy") as opened:
        assert opened.metadata()["format"] == "dconvex model"
        assert opened.get_tensor("tables.numbers").dtype == np.float64


def test_taking_apart_and_putting_together_changes_nothing(file):
    again = file.with_name("again.dcx")
    again.write_bytes(RawFile.read(file).written())
    assert dc.open_model(again).network() == dc.open_model(file).network()
    assert str(dc.open_model(again).report()) == str(dc.open_model(file).report())


def test_unknown_sections_are_ignored_or_refused_by_name(file):
    raw = RawFile.read(file)
    raw.arrays["discretizer.edges"] = np.arange(3.0)
    raw.arrays["discretizer.text"] = np.arange(3, dtype=np.int16)  # of whatever type
    raw.facts["sections"]["discretizer"] = False
    file.write_bytes(raw.written())
    dc.open_model(file).network()
    raw.facts["sections"]["discretizer"] = True
    file.write_bytes(raw.written())
    with pytest.raises(dc.FormatError, match="'discretizer', which this dconvex does not know: update dconvex"):
        dc.open_model(file)
    del raw.facts["sections"]["discretizer"]
    file.write_bytes(raw.written())
    with pytest.raises(dc.FormatError, match="belongs to nothing"):
        dc.open_model(file)


def test_intervals_are_refused_by_name(file):
    raw = RawFile.read(file)
    raw.arrays["labels.kinds"][0] = 3
    file.write_bytes(raw.written())
    with pytest.raises(dc.FormatError, match="intervals"):
        dc.open_model(file)


def test_a_report_may_say_more(file):
    raw = RawFile.read(file)
    report = json.loads(raw.arrays["report.json"].tobytes())
    said = json.dumps({**report, "iterations": [1, 2]}).encode()
    raw.arrays["report.json"] = np.frombuffer(said, np.uint8)
    file.write_bytes(raw.written())
    assert dc.open_model(file).report().rows == 200


def test_statistics_can_be_left_out_of_a_file(file):
    raw = RawFile.read(file)
    for section in ("coverage", "counts"):
        del raw.facts["sections"][section]
        raw.arrays = {name: array for name, array in raw.arrays.items() if not name.startswith(f"{section}.")}
    file.write_bytes(raw.written())
    with pytest.raises(ValueError, match="without statistics"):
        dc.open_model(file).updated(ASIA.sample(10, seed=2))


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "I32", "shape": [8], "data_offsets": [0, 10**18]},
        {"dtype": "I32", "shape": [10**18], "data_offsets": [0, 4 * 10**18]},
        {"dtype": "I32", "shape": [8.0], "data_offsets": [0, 32]},
        {"dtype": "I32", "shape": [2] * 10_000, "data_offsets": [0, 32]},
        {"dtype": "I32", "shape": "8", "data_offsets": [0, 32]},
        {"dtype": "I99", "shape": [8], "data_offsets": [0, 32]},
        {"dtype": ["I32"], "shape": [8], "data_offsets": [0, 32]},
        {"dtype": "I32", "shape": [-8], "data_offsets": [0, -32]},
        {"dtype": "I32", "shape": [8], "data_offsets": [0]},
        {"dtype": "I32", "shape": [8]},
        [1, 2],
        None,
    ],
)
def test_descriptions_of_arrays_that_cannot_be_are_refused(file, entry):
    raw = RawFile.read(file)
    raw.entries["graph.parents"] = entry
    file.write_bytes(raw.written())
    with pytest.raises(dc.FormatError, match=r"model\.dcx: the file is damaged"):
        dc.open_model(file)


@pytest.mark.parametrize(
    "header", [b"[" * 100_000, b'{"a":' * 100_000, b"{}", b"[]", b"{", b'{"__metadata__": 3}', b"1" * 50_000]
)
def test_headers_that_are_no_headers_are_refused(file, header):
    file.write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(dc.FormatError, match=r"model\.dcx"):
        dc.open_model(file)


def test_a_key_that_comes_twice_is_refused(file):
    raw = RawFile.read(file)
    raw.facts = json.dumps(raw.facts)[:-1] + ', "kind": "gaussian"}'
    file.write_bytes(raw.written())
    with pytest.raises(dc.FormatError, match="not JSON"):
        dc.open_model(file)


@pytest.mark.parametrize("version", ["0", "-1", "x", "", "1.5", "3", "99999999999999999999", 2, None])
def test_other_versions_are_refused(file, version):
    raw = RawFile.read(file)
    raw.about["version"] = version
    file.write_bytes(raw.written())
    with pytest.raises(dc.FormatError, match="version"):
        dc.open_model(file)


def test_trees_with_separators_that_are_not_convex_are_refused(file):
    # a ← z → b, a → c ← b, a → d ← b: {a, b} separates {a, b, c}, {a, b, d} and {a, b, z}, and is not d-convex
    network = dc.random_network(dc.Dag([("z", "a"), ("z", "b"), ("a", "c"), ("b", "c"), ("a", "d"), ("b", "d")]), seed=1)
    dc.localize(network).save(file)
    raw = RawFile.read(file)
    nodes = list(network.dag.nodes)
    clusters = [[nodes.index(v) for v in sorted(cluster)] for cluster in ("abc", "abd", "abz")]
    raw.arrays["tree.offsets"] = np.array([0, 3, 6, 9])
    raw.arrays["tree.members"] = np.concatenate(clusters).astype(np.int32)
    raw.arrays["tree.ends"] = np.array([[0, 1], [0, 2]], np.int32)
    raw.arrays["tables.checksums"] = np.zeros(3, np.uint64)
    raw.mend_clusters()
    file.write_bytes(raw.written())
    with pytest.raises(dc.FormatError, match="not d-convex"):
        dc.open_model(file)
