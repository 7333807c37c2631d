"""Texts that would become far larger in memory, numbers that are too large, and what is no file."""

from __future__ import annotations

import json
import os
import sys
import tracemalloc

import pytest

import dconvex as dc
from dconvex.formats import network_json, xml_tree


@pytest.fixture
def _short_is_long(monkeypatch):
    monkeypatch.setattr(network_json, "LONG", 0)


@pytest.mark.usefixtures("_short_is_long")
@pytest.mark.parametrize("name", ["asia", "alarm", "ecoli70", "hepar2"])
def test_tables_of_long_json_are_read_without_lists(tmp_path, name):
    network = dc.load_network(name)
    dc.write(network, tmp_path / "network.json")
    assert dc.read(tmp_path / "network.json") == network
    spaced = json.dumps(json.loads((tmp_path / "network.json").read_text()), indent=1)
    (tmp_path / "network.json").write_text(spaced)
    assert dc.read(tmp_path / "network.json") == network


@pytest.mark.usefixtures("_short_is_long")
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"table":[0.01,0.99]', '"table":[0.010000000000000000,0.99,0.0]', r"expected 2 numbers as 'table', found 3"),
        ('"table":[0.01,0.99]', '"table":[0.010000000000000000,0.99,]', "not JSON"),
        ('"table":[0.01,0.99]', '"table":[0.010000000000000000,00.99]', "not JSON"),
        ('"table":[0.01,0.99]', '"table":[0.010000000000000000,1e999]', "P\\('asia'\\)"),
        ('"states":["yes","no"]', '"states":["table\\":[0.0,0.0,0.0,0.0,0.0]","no"]', None),
    ],
)
def test_a_long_json_is_as_strict_as_a_short_one(tmp_path, old, new, said):
    path = tmp_path / "network.json"
    dc.write(dc.load_network("asia"), path)
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    if said is None:
        assert dc.read(path).states["asia"][0] == 'table":[0.0,0.0,0.0,0.0,0.0]'
        return
    with pytest.raises(dc.FormatError, match=said) as caught:
        dc.read(path)
    assert caught.value.line == 2


@pytest.mark.usefixtures("_short_is_long")
def test_too_many_values_or_tags_are_refused(tmp_path, monkeypatch):
    asia = dc.load_network("asia")
    monkeypatch.setattr(network_json, "MOST_VALUES", 50)
    dc.write(asia, tmp_path / "network.json")
    with pytest.raises(dc.FormatError, match="more than 50 values beside its tables"):
        dc.read(tmp_path / "network.json")
    monkeypatch.setattr(xml_tree, "MOST_TAGS", 50)
    dc.write(asia, tmp_path / "network.xmlbif")
    with pytest.raises(dc.FormatError, match="more than 50 tags"):
        dc.read(tmp_path / "network.xmlbif")


@pytest.mark.parametrize("key", ["intercept", "variance"])
def test_integers_that_no_float_holds(tmp_path, key):
    path = tmp_path / "network.json"
    dc.write(dc.BayesianNetwork.gaussian([], {"x": (1.5, {}, 2.5)}), path)
    text = path.read_text().replace("1.5" if key == "intercept" else "2.5", "1" * 401)
    path.write_text(text)
    with pytest.raises(dc.FormatError, match=f"the number '{key}' is too large"):
        dc.read(path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
@pytest.mark.parametrize("suffix", [".bif", ".json.gz", ".evid"])
def test_a_pipe_is_refused_not_waited_for(tmp_path, suffix):
    path = tmp_path / f"pipe{suffix}"
    os.mkfifo(path)
    with pytest.raises(dc.FormatError, match="a pipe or a device, not a file"):
        (dc.read_evidence if suffix == ".evid" else dc.read)(path)


def test_what_lies_between_the_tables_of_a_long_json_takes_no_memory(monkeypatch):
    """Counting values comes before any of them is made."""
    monkeypatch.setattr(network_json, "MOST_VALUES", 1000)
    text = '{"x":[' + '{"a":[],"b":[]},' * 300_000 + "1]}"
    assert len(text) > network_json.LONG
    tracemalloc.start()
    try:
        with pytest.raises(dc.FormatError, match="more than 1,000 values"):
            network_json.parse(text, "deep.json")
        assert tracemalloc.get_traced_memory()[1] < len(text)
    finally:
        tracemalloc.stop()
