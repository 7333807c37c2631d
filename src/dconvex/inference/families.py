"""Which table each cluster has for each of its variables, by number.

A cluster holds a variable with those of its parents that it holds too. Where it holds the whole family, that is the network's
own table; the others are derived, each from the cluster next to it on the way to the family. Tables with the same variable
and the same parents are one table, however many clusters share it.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.graph.adjacency import Adjacency, Indices
from dconvex.graph.dag import Dag
from dconvex.graph.separation import kernel_arcs
from dconvex.graph.tree import ClusterTree
from dconvex.inference.memory import NO_LIMIT
from dconvex.kernels import load

Places: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Question: TypeAlias = tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[int], Sequence[int]]
"""Variables asked for, observed, with a likelihood, eliminated last, and others whose clusters are kept."""
NOTHING_ASKED: Question = ((), (), (), (), ())
FIRST_ROOM, LARGEST_ROOM = 1 << 16, 1 << 20
"""So many integers and as many numbers each thread has for planning, and so many it keeps where more was needed."""


def packed_question(
    question: Question = NOTHING_ASKED, is_whole: bool = False, is_free: bool = False, shows_impossible: bool = False,
    ending: int = 0, limit: int = NO_LIMIT, table: int = -1,
) -> Longs:  # fmt: skip
    """A question in one array, as kernels take it."""
    asked, observed, likely, latest, beside = question
    return np.array(
        [
            len(asked), len(observed), len(likely), len(latest), len(beside),
            is_whole, is_free, shows_impossible, ending, limit, table,
            *asked, *observed, *likely, *latest, *beside,
        ],
        np.int64,
    )  # fmt: skip


class SmallQuestion(NamedTuple):
    """The small network of a question: its variables, their tables (-1: none), parents and children by place here.

    `roles` says what the question does with each variable, `needed` flags the tables that it needs and `met` the variables
    that matter.
    """

    nodes: Longs
    tables: Longs
    parent_start: Longs
    parents: Longs
    child_start: Longs
    children: Longs
    roles: Longs
    needed: Longs
    met: Longs


def in_room(kernel: Callable[..., Any], *arguments: Any) -> tuple[Any, Longs]:
    """What a bare kernel returns, and the memory in which it worked: this thread's, or more where that is too little."""
    memory, float_memory = _KEPT.memory
    while True:
        try:
            return kernel(memory, float_memory, *arguments), memory
        except load("room").OutOfRoom:
            memory = np.empty(4 * len(memory), np.int64)
        except load("room").OutOfFloats:
            float_memory = np.empty(4 * len(float_memory))
        if max(len(memory), len(float_memory)) <= LARGEST_ROOM:
            _KEPT.memory = memory, float_memory


class _Kept(threading.local):
    """The memory that a thread keeps for its questions."""

    def __init__(self) -> None:
        self.memory = np.empty(FIRST_ROOM, np.int64), np.empty(FIRST_ROOM)


_KEPT = _Kept()


class Walks(threading.local):
    """What a thread keeps for its walks through one model."""

    def __init__(self, size: int) -> None:
        self.room = np.zeros(size, np.int64)


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

    def kept_clusters(self, variables: Sequence[int]) -> Longs:
        """The clusters that a question about these variables keeps, ascending."""
        return np.sort(self.found(load("clusters").kept_clusters, np.array(variables, np.int64)))

    def small_question(self, question: Question, *, is_whole: bool = False, is_free: bool) -> SmallQuestion:
        """The small network of a question; see the kernel."""
        image = self.found(load("questions").small_question, packed_question(question, is_whole, is_free))
        starts = image[: image[0]].tolist()
        return SmallQuestion(*(image[first:last] for first, last in itertools.pairwise(starts)))

    def found(self, kernel: Callable[..., tuple[int, int]], *arguments: Any) -> Longs:
        """What a kernel about these clusters writes into its memory."""
        (begin, end), memory = in_room(kernel, self.packed, self.walks.room, *arguments)
        return memory[begin:end].copy()

    @cached_property
    def packed(self) -> Longs:
        """All arrays in one, which a kernel takes faster from Python."""
        image: Longs = load("clusters").packed(self.clusters, self.families, self.arcs)
        return image

    @cached_property
    def walks(self) -> Walks:
        """Room for walks from cluster to cluster, of each thread its own."""
        return Walks(1 + len(self.tree) + 2 * len(self.dag))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("walks", "packed")}


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
