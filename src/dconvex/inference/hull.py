"""The plan on the hull: the smallest d-convex set around a question, within the kept clusters, as a cluster of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dconvex._core import Question, Ragged, SmallNetwork, TableLayout, Tables, derivation_cost, small_network
from dconvex.arrays import Codes, Indices
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.graph.convexity import convex_hull
from dconvex.graph.dag import Dag
from dconvex.graph.tree import ClusterTree
from dconvex.inference.plan import SHARED_BY, Plan
from dconvex.inference.table_store import CopiedTables, TableStore


def hull_plan(store: TableStore, question: Question) -> Plan | None:
    """The plan of a question in its hull.

    None where the hull is all of the kept clusters, or where some evidence does not matter, so that the numbers of the rest
    would shift.
    """
    small = small_network(store.index.core, question)
    inside = np.flatnonzero(small.is_requisite | (small.roles > 0))
    if not small.is_requisite[inside].all():
        return None
    nodes, tables = small.nodes[inside], small.tables[inside]
    moved = _moved(question, nodes)
    if moved is None:
        return None
    dag = _requisite_dag(small, inside)
    hull = convex_hull(dag, [*moved.targets, *moved.observed, *moved.soft, *moved.context])
    if len(hull) == len(dag):
        return None
    index = ClusterIndex.of(dag, ClusterTree([hull, dag.nodes], [(0, 1)], mode="any"))
    layout = TableLayout(index.core, store.states[nodes])
    copied = TableStore(index, Tables(layout, len(nodes)), CopiedTables(store, tables))
    found = Plan.of(copied, moved)
    cost, peak = derivation_cost(store.tables, tables)  # nothing for the network's own
    return replace(
        found,
        index=store.index,
        question=question,
        network="hull",
        # the tables of the hull are derived for this question alone, so they count in full; those below it are kept
        derived_cost=cost + int(found.derived_cost * SHARED_BY),
        peak_bytes=max(found.peak_bytes + 8 * int(layout.offsets[-1]), peak),
        nodes=nodes,
    )


def _requisite_dag(small: SmallNetwork, inside: Codes) -> Dag:
    """The graph of the requisite variables of a small network, numbered from 0."""
    local = np.full(len(small), -1, np.int64)
    local[inside] = np.arange(len(inside))
    parents = [local[small.parents[variable]].tolist() for variable in inside.tolist()]
    return Dag.from_arrays(tuple(range(len(inside))), Ragged.from_lists(parents))


def _moved(question: Question, nodes: Indices) -> Question | None:
    """The question about these nodes, by their numbers; None where it names another."""
    number = {node: k for k, node in enumerate(nodes.tolist())}
    named = (question.targets, question.observed, question.soft, question.context)
    if any(node not in number for part in named for node in part):
        return None
    targets, observed, soft, context = (tuple(number[node] for node in part) for part in named)
    return Question(
        targets, observed, soft, context=context, shows_impossible=question.shows_impossible, max_bytes=question.max_bytes
    )
