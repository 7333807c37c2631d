"""The oracles: families counted row by row, tables as plain fractions, and the network on the kept clusters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

import dconvex as dc

Family = tuple[Any, tuple[Any, ...]]
"""A variable and those of its parents that a cluster holds with it."""


def families_of(dag: dc.Dag, tree: dc.ClusterTree) -> set[Family]:
    return {(v, tuple(p for p in dag.parents(v) if p in cluster)) for cluster in tree.clusters for v in cluster}


def counted(dag: dc.Dag, tree: dc.ClusterTree, *tables: pd.DataFrame) -> dict[Family, Counter]:
    """Each family in every table that has all its columns, over the rows that have all its cells."""
    return {family: _count(family, tables) for family in families_of(dag, tree)}


def _count(family: Family, tables: Iterable[pd.DataFrame]) -> Counter:
    variable, parents = family
    found: Counter = Counter()
    for table in tables:
        if {variable, *parents} <= set(table.columns):
            columns = [table[name].astype(object).tolist() for name in (*parents, variable)]
            found.update(row for row in zip(*columns, strict=True) if not any(map(pd.isna, row)))
    return found


def counts_in(statistics: dc.Statistics) -> dict[Family, Counter]:
    """What the statistics hold, in the oracle's form."""
    tallies, names, states = statistics.part.tallies, statistics.dag.nodes, statistics.states
    found = {}
    for number in range(len(tallies.families)):
        members = [names[place] for place in tallies.families.members_of(number)]
        seen = tallies.cells_seen(number)
        rows = [tuple(states[v][code] for v, code in zip(members, cell, strict=True)) for cell in seen.cells.tolist()]
        family = (members[-1], tuple(members[:-1]))
        assert family not in found, "each distinct family is kept once"
        found[family] = Counter(dict(zip(rows, seen.counts.tolist(), strict=True)))
    return found


def table(counts: Counter, shape_of: list[tuple[Any, ...]], pseudo: float = 0.0) -> np.ndarray:
    """Relative frequencies along the last axis; a row without any is uniform."""
    cells = np.full([len(labels) for labels in shape_of], float(pseudo))
    for row, count in counts.items():
        cells[tuple(labels.index(label) for labels, label in zip(shape_of, row, strict=True))] += count
    totals = cells.sum(axis=-1, keepdims=True)
    return np.divide(cells, totals, out=np.full(cells.shape, 1 / cells.shape[-1]), where=totals > 0)


def estimated(dag: dc.Dag, data: pd.DataFrame, states: Mapping[Any, tuple[Any, ...]], pseudo: Any = None) -> dc.BayesianNetwork:
    """The network of maximum likelihood; `pseudo` gives the pseudo-count of a table with so many cells."""
    tables = {}
    for v in dag.nodes:
        labels = [states[member] for member in (*dag.parents(v), v)]
        cells = int(np.prod([len(own) for own in labels]))
        tables[v] = table(_count((v, dag.parents(v)), [data]), labels, pseudo(cells) if pseudo else 0.0)
    return dc.BayesianNetwork.discrete(dag, tables, {v: states[v] for v in dag.nodes})


def induced(dag: dc.Dag, kept: Iterable[Any]) -> dc.Dag:
    inside = set(kept)
    return dc.Dag.from_parents({v: [p for p in dag.parents(v) if p in inside] for v in dag.nodes if v in inside})


def pruned(model: dc.LocalModel, data: pd.DataFrame, variables: Iterable[Any], pseudo: Any = None) -> dc.BayesianNetwork:
    """The network that a question about these variables is asked of, straight from the data."""
    kept = frozenset().union(*model.tree.pruned_to(variables).clusters)
    return estimated(induced(model.dag, kept), data, model.states, pseudo)
