"""The oracle for small networks: every assignment, one after another, and the plain product of its families."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

import dconvex as dc

Row = Mapping[Any, Any]


def assignments(network: dc.BayesianNetwork) -> Iterator[Row]:
    """Every combination of states."""
    states = network.states
    for combination in itertools.product(*states.values()):
        yield dict(zip(states, combination, strict=True))


def conditional(network: dc.BayesianNetwork, variable: Any, row: Row) -> float:
    """P(variable | parents) at this row, read off the family's table."""
    table = network.family(variable)
    cell = tuple(network.states[member].index(row[member]) for member in (*table.parents, variable))
    return float(table.values[cell])


def probability(network: dc.BayesianNetwork, row: Row, without: Iterable[Any] = ()) -> float:
    """The product of all families at this row, those of `without` left out."""
    return math.prod(conditional(network, v, row) for v in network.dag.nodes if v not in set(without))


def marginal(network: dc.BayesianNetwork, variable: Any) -> np.ndarray:
    """P(variable) by summing over everything else."""
    total = dict.fromkeys(network.states[variable], 0.0)
    for row in assignments(network):
        total[row[variable]] += probability(network, row)
    return np.array(list(total.values()))


def frame(rows: Iterable[Row], columns: Iterable[Any]) -> pd.DataFrame:
    """The rows as a frame of plain Python objects, so that pandas changes no label."""
    rows = list(rows)
    return pd.DataFrame(
        {column: pd.Series([row[column] for row in rows], dtype=object) for column in columns},
        index=pd.RangeIndex(len(rows)),
    )
