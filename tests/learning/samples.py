"""Random data for hypothesis: a graph, the states, and rows with every kind of label."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from inference.questions import fits
from strategies import dags, discrete_networks

import dconvex as dc


@dataclass(frozen=True)
class Sample:
    """Rows of a network, as plain objects, so that pandas changes no label."""

    network: dc.BayesianNetwork
    rows: pd.DataFrame

    @property
    def dag(self) -> dc.Dag:
        return self.network.dag

    @property
    def states(self) -> dict[Any, tuple[Any, ...]]:
        return self.network.states


@st.composite
def samples(draw: st.DrawFn, *, min_rows: int = 1, max_rows: int = 40, missing: bool = False, **options: int) -> Sample:
    """Rows of a random network of a size that can be enumerated."""
    network = draw(discrete_networks(**{"min_nodes": 1, "max_nodes": 7, "max_states": 3} | options).filter(fits))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = network.sample(draw(st.integers(min_rows, max_rows)), seed=rng).astype(object)
    if missing:
        rows = rows.where(rng.random(rows.shape) > draw(st.sampled_from([0.1, 0.5])), None)
    return Sample(network, rows)


@st.composite
def cuts(draw: st.DrawFn, rows: int, pieces: int) -> list[slice]:
    """Where to cut so many rows into pieces, some of them perhaps empty."""
    at = [0, *sorted(draw(st.lists(st.integers(0, rows), min_size=pieces - 1, max_size=pieces - 1))), rows]
    return [slice(first, last) for first, last in pairwise(at)]


@st.composite
def numbers(draw: st.DrawFn, *, min_rows: int = 2, max_rows: int = 30, offsets: bool = True) -> tuple[dc.Dag, pd.DataFrame]:
    """A graph, and columns of floats that depend on one another, some of them far from zero."""
    dag = draw(dags(min_nodes=1, max_nodes=6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(min_rows, max_rows))
    mixed = rng.normal(size=(count, len(dag))) @ rng.normal(size=(len(dag), len(dag)))
    far = rng.choice([0.0, 1e3, -1e9], size=len(dag)) if offsets else 0.0
    return dag, pd.DataFrame(mixed + far, columns=pd.Index(dag.nodes, dtype=object))
