"""Reading a BIF file into a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import dconvex as dc
from benchmarks.harness import Case

NETWORKS = ("pathfinder", "diabetes", "munin")


def cases(quick: bool) -> Iterator[Case]:
    with TemporaryDirectory() as folder:
        for name in NETWORKS[:1] if quick else NETWORKS:
            path = Path(folder) / f"{name}.bif"
            dc.write(dc.load_network(name), path)
            yield case(name, str(path))


def case(name: str, path: str) -> Case:
    import pyagrum
    from pgmpy.readwrite import BIFReader

    contenders = {
        "dconvex": lambda: dc.read(path),
        "pyAgrum": lambda: pyagrum.loadBN(path),
        "pgmpy": lambda: BIFReader(path).get_model(),
    }
    return Case(name, contenders, most={"pgmpy": 1})
