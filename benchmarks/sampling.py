"""Drawing rows from a network into a data frame; the peers get the network beforehand."""

from __future__ import annotations

from collections.abc import Iterator

import dconvex as dc
from benchmarks.harness import Case
from dconvex.exchange.pgmpy import to_pgmpy
from dconvex.exchange.pyagrum import to_pyagrum


def cases(quick: bool) -> Iterator[Case]:
    rows = 5_000 if quick else 100_000
    for name in ("alarm", "pigs"):
        yield case(f"{name}, {rows:,} rows", dc.load_network(name), rows)


def case(name: str, network: dc.BayesianNetwork, rows: int) -> Case:
    import pyagrum
    from pgmpy.sampling import BayesianModelSampling

    model = to_pyagrum(network)
    sampler = BayesianModelSampling(to_pgmpy(network))

    def drawn_by_pyagrum() -> object:
        generator = pyagrum.BNDatabaseGenerator(model)
        generator.drawSamples(rows)
        return generator.to_pandas()

    contenders = {
        "dconvex": lambda: network.sample(rows, seed=1),
        "pyAgrum": drawn_by_pyagrum,
        "pgmpy": lambda: sampler.forward_sample(rows, show_progress=False),
    }
    return Case(name, contenders, most={"pgmpy": 3})
