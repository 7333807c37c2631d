"""Files in every format with something changed in them: each gives a network or a `FormatError`, and never anything else.

What is read is written again and must come back the same. A few hundred files of each format in `make test`, a minute of
them in `make test-slow`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from formats.example_files import FILES
from mutations import try_for_a_minute, try_some

import dconvex as dc
from dconvex.formats.registry import FORMATS, format_of

SEEDS = {
    "asia": dc.load_network("asia"),
    "survey": dc.load_network("survey"),
    "numbered": dc.random_network(dc.random_dag(5, 6, seed=3), states=3, seed=3),
    "intervals": dc.BayesianNetwork.discrete(
        [("x", "y")],
        {"x": [0.2, 0.3, 0.5], "y": [[0.1, 0.9], [0.4, 0.6], [1, 0]]},
        {"x": [dc.Interval(float("-inf"), 0.5), dc.Interval(0.5, 2), dc.Interval(2, float("inf"))], "y": ["no", "yes"]},
    ),
    "alone": dc.random_network(dc.Dag([], ["a"]), states=2, seed=1),
}
GAUSSIAN = dc.random_gaussian_network([("x", "y"), ("y", "z")], seed=1)
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*rows were divided by their sums"),
    pytest.mark.filterwarnings("ignore:.*what follows the tables"),
]
WRITTEN = (".bif", ".xmlbif", ".net", ".uai", ".xdsl", ".dsc", ".json", ".json.gz")
SUFFIXES = (*WRITTEN, ".dne", ".dsl")
HOLD_GAUSSIAN = (".net", ".xdsl", ".json", ".json.gz")


def originals(folder, suffix: str) -> list[bytes]:
    """A few networks as we write them in a format."""
    if suffix not in WRITTEN:
        return [FILES[suffix].encode()]
    found = []
    for name, network in [*SEEDS.items(), *([("gaussian", GAUSSIAN)] if suffix in HOLD_GAUSSIAN else [])]:
        path = folder / f"{name}{suffix}"
        dc.write(network, path, rename=True)
        found.append(path.read_bytes())
    return found


def try_file(path: Path) -> None:
    """Read what may be a network; what is one is written and read again."""
    try:
        network = dc.read(path)
    except dc.FormatError as error:
        assert str(path.name) in str(error)
        return
    again = path.with_name(f"again{path.name.removeprefix('mutant') if path.suffix not in ('.dne', '.dsl') else '.dsc'}")
    dc.write(network, again, rename=True)
    assert len(dc.read(again)) == len(network)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_changed_file_is_a_network_or_an_error_of_ours(tmp_path, suffix):
    try_some(tmp_path / f"mutant{suffix}", originals(tmp_path, suffix), try_file)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_minute_of_changed_files(tmp_path, suffix):
    try_for_a_minute(tmp_path / f"mutant{suffix}", originals(tmp_path, suffix), try_file)


def test_every_format_is_tried():
    assert {format_of(Path(f"x{suffix}")).name for suffix in SUFFIXES} == {form.name for form in FORMATS}
