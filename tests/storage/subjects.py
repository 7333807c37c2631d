"""Small files of every kind, to be changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

import dconvex as dc

VERSION1 = Path(__file__).parent / "version1"
LABELS = {1: [True, False], 7: [3, -2], "b": ["a", "", "ü"], "p": [0, 1], "q": ["no", "yes"], "ü": ["1", "2"]}


def mixed() -> dc.BayesianNetwork:
    """Names and labels of all types, zeros, and two pieces."""
    rng = np.random.default_rng(3)
    tables = {
        1: [0.25, 0.75], 7: [0.1, 0.9], "b": rng.dirichlet([1] * 3, (2, 2)), "ü": [[0.5, 0.5], [1.0, 0.0], [0.2, 0.8]],
        "p": [0.3, 0.7], "q": [[0.1, 0.9], [0.6, 0.4]],
    }  # fmt: skip
    return dc.BayesianNetwork.discrete([(1, "b"), (7, "b"), ("b", "ü"), ("p", "q")], tables, LABELS)


def linear() -> dc.BayesianNetwork:
    """Gaussian; d has no noise."""
    regressions = {
        "a": (1, {}, 2), "c": (0, {}, 1), "b": (0.5, {"a": 2.0, "c": -1.0}, 0.5), "d": (0, {"b": 1.0}, 0.0),
        "e": (1, {"a": 1.0, "b": 0.5}, 1), "f": (0, {"e": 0.5}, 2),
    }  # fmt: skip
    edges = [("a", "b"), ("c", "b"), ("b", "d"), ("a", "e"), ("b", "e"), ("e", "f")]
    return dc.BayesianNetwork.gaussian(edges, regressions)


def sparse_statistics() -> dc.Statistics:
    """A family with more cells than are kept one by one."""
    rng = np.random.default_rng(1)
    names = [f"p{k}" for k in range(10)]
    rows = pd.DataFrame({name: rng.integers(5, size=30) for name in [*names, "v"]})
    return dc.statistics(dc.Dag([(name, "v") for name in names]), rows)


def local(path: Path, **options: object) -> None:
    network = dc.load_network("asia")
    dc.fit(network, network.sample(200, seed=1), **options).save(path, statistics=True)


def gaussian(path: Path, **options: object) -> None:
    network = linear()
    noisy = network.sample(100, seed=2) + np.random.default_rng(1).normal(size=(100, 6))
    dc.fit(network, noisy, **options).save(path, statistics=True)


def intervals(path: Path) -> None:
    """Numbers as states: the ends of intervals are in the file."""
    rows = pd.DataFrame({"x": np.random.default_rng(1).normal(size=60)})
    rows["y"] = rows["x"].gt(0)
    dc.fit([("x", "y")], rows, discretizer=dc.discretize(rows, ["x"], bins=3)).save(path, statistics=True)


SUBJECTS: dict[str, Callable[[Path], None]] = {
    "intervals.dcx": intervals,
    "localized.dcx": lambda path: dc.localize(mixed(), max_bytes=1 << 30).save(path),
    "asia.dcx": lambda path: dc.localize(dc.load_network("asia")).save(path),
    "local.dcx": lambda path: local(path, prior=dc.BDeu(1)),
    "likely.dcx": local,
    "coherent.dcx": lambda path: local(path, prior=dc.Dirichlet(1), coherent=True, states={"asia": ["yes", "no"]}),
    "query.dcx": lambda path: local(path, for_query=["lung", "dysp"], prior=dc.BDeu(1)),
    "gaussian.dcx": lambda path: dc.localize(linear()).save(path),
    "gaussian_local.dcx": gaussian,
    "gaussian_coherent.dcx": lambda path: gaussian(path, prior=dc.NormalInverseGamma(), coherent=True),
    "counts.dcs": lambda path: dc.statistics(dc.load_network("asia"), dc.load_network("asia").sample(50, seed=1)).save(path),
    "moments.dcs": lambda path: dc.statistics(linear(), linear().sample(50, seed=1)).save(path),
    "sparse.dcs": lambda path: sparse_statistics().save(path),
}


def write_subjects(folder: Path) -> list[Path]:
    """All of them, and those of version 1."""
    for name, write in SUBJECTS.items():
        write(folder / name)
    for old in VERSION1.glob("*.dc?"):
        (folder / f"version1_{old.name}").write_bytes(old.read_bytes())
    return sorted(folder.iterdir())
