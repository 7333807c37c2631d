"""Which table each cluster has for each of its variables, by number.

A cluster holds a variable with those of its parents that it holds too. Where it holds the whole family, that is the network's
own table; the others are derived, each from the cluster next to it on the way to the family. Tables with the same variable
and the same parents are one table, however many clusters share it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.graph.adjacency import Adjacency, Indices
from dconvex.graph.dag import Dag
from dconvex.graph.separation import kernel_arcs
from dconvex.graph.tree import ClusterTree
from dconvex.kernels import load

Places: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class FamilyIndex:
    """The clusters and tables of a tree over a DAG as kernels take them; table v of the first ones is that of node v."""

    dag: Dag
    tree: ClusterTree
    arcs: Any
    clusters: Any
    families: Any

    @classmethod
    def of(cls, dag: Dag, tree: ClusterTree) -> FamilyIndex:
        arcs, kernels = kernel_arcs(dag), load("clusters")
        start, members, parent, depth = tree.rooted_arrays(dag)
        by_depth = np.argsort(depth, kind="stable").astype(np.int32)
        code, is_whole, toward = kernels.member_families(arcs, start, members, parent, by_depth)
        table, count = _numbered(members, code, is_whole.astype(bool), len(dag))
        source, behind, parent_start, parents = kernels.derived_tables(arcs, start, members, table, toward, count)
        variable = np.empty(count, np.int32)
        variable[table] = members
        variable[: len(dag)] = np.arange(len(dag), dtype=np.int32)
        owners = np.repeat(np.arange(len(start) - 1, dtype=np.int32), np.diff(start))
        by_member = Adjacency.from_pairs(members, owners, len(dag))
        holder_start, holders = by_member.start.copy(), by_member.neighbours.copy()
        clusters = kernels.Clusters(
            start, members, parent, depth, holder_start, holders,
            _first_by(depth[holders], holders, holder_start),
            _first_by(np.diff(start)[holders], holders, holder_start),
            table, toward,
        )  # fmt: skip
        return cls(dag, tree, arcs, clusters, kernels.Families(variable, parent_start, parents, source, behind))

    @property
    def table_count(self) -> int:
        return len(self.families.variable)

    def parents_of(self, table: int) -> Places:
        """The parents of a table's variable that the table has, in the order of its axes."""
        start = self.families.parent_start
        parents: Places = self.families.parents[start[table] : start[table + 1]]
        return parents

    def kept_clusters(self, variables: Places) -> Places:
        """The clusters that a question about these variables keeps, ascending."""
        return np.sort(load("clusters").keep(self.clusters, self.scratch, variables))

    def kept_families(self, variables: Places) -> tuple[Places, Places]:
        """The variables of those clusters, each with its table."""
        kernels = load("clusters")
        kept = kernels.keep(self.clusters, self.scratch, variables)
        nodes, tables = kernels.kept_families(self.clusters, self.scratch, kept)
        return nodes, tables

    @property
    def scratch(self) -> Any:
        """Room for walks, one for each thread."""
        rooms = self._rooms
        room = getattr(rooms, "room", None)
        if room is None:
            room = rooms.room = load("clusters").new_scratch(len(self.dag), len(self.tree))
        return room

    @cached_property
    def packed(self) -> NDArray[np.int64]:
        """All arrays in one, which a kernel takes faster from Python."""
        image: NDArray[np.int64] = load("clusters").packed(self.clusters, self.families, self.arcs)
        return image

    @property
    def packed_scratch(self) -> NDArray[np.int64]:
        """Room for walks in one array, one for each thread."""
        rooms = self._rooms
        room: NDArray[np.int64] | None = getattr(rooms, "packed", None)
        if room is None:
            room = rooms.packed = np.zeros(1 + len(self.tree) + 2 * len(self.dag), np.int64)
        return room

    @cached_property
    def _rooms(self) -> threading.local:
        return threading.local()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_rooms", "packed")}


def _numbered(members: Indices, code: NDArray[np.uint64], is_whole: NDArray[np.bool_], own: int) -> tuple[Places, int]:
    """The number of each member's table, its own or one for each (variable, parents held), and how many there are."""
    table = members.astype(np.int32)
    partial = np.flatnonzero(~is_whole)
    order = partial[np.lexsort((code[partial], members[partial]))]
    is_new = np.ones(len(order), bool)
    is_new[1:] = (members[order][1:] != members[order][:-1]) | (code[order][1:] != code[order][:-1])
    table[order] = own - 1 + np.cumsum(is_new)
    return table, own + int(is_new.sum())


def _first_by(key: NDArray[Any], values: Indices, start: NDArray[np.int64]) -> Places:
    """In each group the value with the lowest key, the first of them."""
    group = np.repeat(np.arange(len(start) - 1), np.diff(start))
    order = np.lexsort((np.arange(len(values)), key, group))
    return values[order][start[:-1]].astype(np.int32)
