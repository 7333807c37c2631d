"""Damaged data files: `dconvex predict` reads rows from them or says what is wrong, and `dc.fit` learns from them or does."""

from __future__ import annotations

from pathlib import Path

import pytest
from mutations import try_for_a_minute, try_some

import dconvex as dc
from dconvex.cli.data import read_data

ASIA = dc.load_network("asia")
GAUSSIAN = dc.random_gaussian_network([("x", "y"), ("y", "z")], seed=1)
SUFFIXES = (".csv", ".csv.gz", ".parquet")


def originals(folder: Path, network: dc.BayesianNetwork, suffix: str) -> list[bytes]:
    """A few rows of a network as pandas writes them, some cells missing."""
    found = []
    for seed in (1, 2):
        rows = network.sample(8 * seed, seed=seed)
        rows.iloc[0, 0] = None
        path = folder / f"original{suffix}"
        rows.to_parquet(path) if suffix == ".parquet" else rows.to_csv(path, index=False)
        found.append(path.read_bytes())
    return found


def reads(network: dc.BayesianNetwork):
    def attempt(path: Path) -> None:
        try:
            frame, _ = read_data(path, network)
        except (dc.FormatError, dc.DataError) as error:
            assert str(error)
        else:
            assert set(frame.columns) <= set(network.dag.nodes)

    return attempt


def learns(network: dc.BayesianNetwork):
    def attempt(path: Path) -> None:
        try:
            model = dc.fit(network, path, kind=network.kind, states=network.states or None, n_jobs=1)
        except dc.DconvexError as error:
            assert str(error)
        else:
            assert len(model) == len(network)

    return attempt


TARGETS = [
    pytest.param(attempt(network), network, suffix, id=f"{attempt.__name__} {network.kind} {suffix}")
    for attempt in (reads, learns)
    for network in (ASIA, GAUSSIAN)
    for suffix in SUFFIXES
]


@pytest.mark.parametrize(("attempt", "network", "suffix"), TARGETS)
def test_damaged_rows_are_read_or_refused(tmp_path, attempt, network, suffix):
    try_some(tmp_path / f"mutant{suffix}", originals(tmp_path, network, suffix), attempt, count=60)


@pytest.mark.slow
@pytest.mark.parametrize(("attempt", "network", "suffix"), TARGETS)
def test_a_minute_of_damaged_rows(tmp_path, attempt, network, suffix):
    try_for_a_minute(tmp_path / f"mutant{suffix}", originals(tmp_path, network, suffix), attempt)
