"""The law of all formats: reading what was written gives the same network, labels, their order and types included."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import discrete_networks, gaussian_networks

import dconvex as dc

PLAIN = [".bif", ".xmlbif", ".net", ".uai", ".xdsl", ".dsc", ".json"]
SUFFIXES = [*PLAIN, ".bif.gz", ".net.gz", ".xdsl.gz", ".json.gz"]
CANNOT_HOLD_EVERY_NAME = (".bif", ".uai")


def written_and_read(network: dc.BayesianNetwork, folder: Path, suffix: str, **options) -> dc.BayesianNetwork:
    path = folder / f"network{suffix}"
    dc.write(network, path, **options)
    return dc.read(path)


@settings(deadline=None)
@given(discrete_networks(), st.sampled_from(SUFFIXES))
def test_discrete_networks_come_back_equal(tmp_path_factory, network, suffix):
    folder = tmp_path_factory.mktemp("round_trip")
    try:
        again = written_and_read(network, folder, suffix)
    except dc.FormatError as error:
        assert "rename=True" in str(error)
        assert suffix.startswith(CANNOT_HOLD_EVERY_NAME)
        return
    assert again == network
    assert [type(n) for n in again.dag.nodes] == [type(n) for n in network.dag.nodes]


@settings(deadline=None)
@given(discrete_networks(), st.sampled_from(SUFFIXES))
def test_renaming_always_fits_and_tells_all(tmp_path_factory, network, suffix):
    path = tmp_path_factory.mktemp("renamed") / f"network{suffix}"
    mapping = dc.write(network, path, rename=True)
    check_renamed(network, mapping, dc.read(path))


def check_renamed(network: dc.BayesianNetwork, mapping: dict, again: dc.BayesianNetwork) -> None:
    for node, labels in network.states.items():
        name = mapping.get(node, node)
        expected = tuple(mapping.get((node, label), label) for label in labels)
        assert again.states[name] == expected
        assert again.dag.parents(name) == tuple(mapping.get(p, p) for p in network.dag.parents(node))
        assert (again.family(name).values == network.family(node).values).all()


@settings(deadline=None)
@given(gaussian_networks(), st.sampled_from([".json", ".json.gz", ".net", ".xdsl"]))
def test_gaussian_networks_come_back_equal(tmp_path_factory, network, suffix):
    assume(len(network) or ".json" in suffix)  # elsewhere a network without variables has no kind
    assert written_and_read(network, tmp_path_factory.mktemp("round_trip"), suffix) == network


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", ["asia", "child", "hailfinder", "pathfinder"])
def test_real_networks_come_back_equal(tmp_path, name, suffix):
    check_real_network(dc.load_network(name), tmp_path / f"network{suffix}")


@pytest.mark.parametrize("suffix", [".bif", ".json", *(pytest.param(suffix, marks=pytest.mark.slow) for suffix in PLAIN[1:-1])])
def test_every_built_in_network_comes_back_equal(tmp_path, suffix):
    for name in dc.network_names():
        network = dc.load_network(name)
        if network.kind == "discrete" or suffix == ".json":
            check_real_network(network, tmp_path / f"{name}{suffix}")


def check_real_network(network: dc.BayesianNetwork, path: Path) -> None:
    mapping = dc.write(network, path, rename=".uai" in path.name)
    if mapping:
        check_renamed(network, mapping, dc.read(path))
    else:
        assert dc.read(path) == network


def test_a_failed_write_leaves_the_old_file_and_nothing_beside_it(tmp_path, monkeypatch):
    path = tmp_path / "network.bif"
    asia = dc.load_network("asia")
    dc.write(asia, path)
    old = path.read_bytes()

    def fail(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="the disk is full"):
        dc.write(dc.load_network("cancer"), path)
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]


def test_permissions_are_those_of_a_plain_file(tmp_path):
    path, plain = tmp_path / "network.bif", tmp_path / "plain"
    plain.touch()
    dc.write(dc.load_network("asia"), path)
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    path.chmod(0o600)
    dc.write(dc.load_network("asia"), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_same_network_gives_the_same_bytes(tmp_path):
    asia = dc.load_network("asia")
    dc.write(asia, tmp_path / "a.json.gz")
    dc.write(asia, tmp_path / "b.json.gz")
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()
