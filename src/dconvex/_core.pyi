"""The native core: graphs, inference and learning over plain numbers, without names, labels or files.

A test compares this description with the module.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from types import TracebackType
from typing import Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

# --- common ---------------------------------------------------------------------------------------------------------

def allocated_bytes() -> int:
    """Bytes that the core holds now."""

def peak_bytes() -> int:
    """The most bytes that the core has held at once since `reset_peak_bytes`."""

def reset_peak_bytes() -> None: ...

@final
class Cancellation:
    """Work that can be called off: native loops in a thread that has entered it stop with KeyboardInterrupt."""

    def __init__(self) -> None: ...
    def cancel(self) -> None: ...
    @property
    def is_cancelled(self) -> bool: ...
    def __enter__(self) -> None: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

@final
class Ragged:
    """Lists of lists in two arrays: list i is `values[offsets[i]:offsets[i + 1]]`. The arrays are read-only."""

    def __init__(self, offsets: NDArray[np.int64], values: NDArray[np.int32]) -> None:
        """Raises ValueError unless the offsets begin at 0, never fall and end at the number of values."""
    @staticmethod
    def from_lists(lists: Iterable[Iterable[int]]) -> Ragged: ...
    @staticmethod
    def from_pairs(owners: NDArray[np.int32], values: NDArray[np.int32], size: int) -> Ragged:
        """Pairs (owner, value) grouped by owner; within an owner they keep the order in which they come."""
    @property
    def offsets(self) -> NDArray[np.int64]: ...
    @property
    def values(self) -> NDArray[np.int32]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> NDArray[np.int32]: ...
    def owners(self) -> NDArray[np.int32]:
        """For each value the list that holds it."""
    def reversed(self, size: int) -> Ragged:
        """The same pairs seen from their values, which lie in 0 … size - 1; each list ascends."""

# --- graph ----------------------------------------------------------------------------------------------------------

def find_cycle(parents: Ragged) -> NDArray[np.int32]:
    """A directed cycle, each node a parent of the next and the last of the first; empty if there is none."""

def find_repeated_arc(parents: Ragged) -> tuple[int, int] | None:
    """The first (parent, child) that is given twice, or None."""

def count_components(pairs: NDArray[np.int32], size: int) -> int:
    """How many parts the pairs, one a row, leave of the vertices 0 … size - 1."""

def find_nested_cluster(clusters: Ragged, variables: int) -> int:
    """The first cluster that lies inside another, or -1."""

def find_scattered_variable(clusters: Ragged, edges: NDArray[np.int32], variables: int) -> int:
    """The first variable whose clusters are not all joined with each other by edges between clusters that hold it, or -1."""

def find_wrong_separator(clusters: Ragged, edges: NDArray[np.int32], separators: Ragged) -> int:
    """The first edge whose separator is not what its two clusters share, or -1."""

@final
class Graph:
    """A directed acyclic graph over the nodes 0 … len - 1."""

    def __init__(self, parents: Ragged) -> None:
        """Raises ValueError where a parent is no node or is listed twice, or where there is a cycle."""
    @property
    def parents(self) -> Ragged: ...
    @property
    def children(self) -> Ragged:
        """The children of each node, ascending."""
    @property
    def order(self) -> NDArray[np.int32]:
        """The nodes, parents before children: first in, first out."""
    @property
    def rank(self) -> NDArray[np.int32]:
        """The place of each node in `order`."""
    def __len__(self) -> int: ...
    def ancestors(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """The nodes and all nodes with a directed path into them, ascending."""
    def descendants(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """The nodes and all nodes with a directed path from them, ascending."""
    def d_connected(self, sources: NDArray[np.int32], given: NDArray[np.int32]) -> NDArray[np.bool_]:
        """For each node whether it is d-connected to a source; given nodes are connected to nothing."""
    def find_inducing_path(self, nodes: NDArray[np.int32]) -> NDArray[np.int32] | None:
        """The nodes of an inducing path over the set, end to end; None if the set is d-convex."""
    def convex_hull(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """The smallest d-convex set that holds the nodes, ascending."""
    def decompose(self, separators: SeparatorKind, refine: bool, effort: int | None) -> Decomposition:
        """Algorithm 2, refined if asked for, as one tree; `effort` is the most search nodes in each cluster (None: any)."""
    def find_uncovered_family(self, clusters: Ragged) -> int:
        """The first node that no cluster holds with all its parents, or -1. Members of sets must ascend, here and below."""
    def find_incomplete_set(self, sets: Ragged) -> int:
        """The first set whose nodes are not pairwise adjacent, or -1."""
    def find_inducing_set(self, sets: Ragged) -> int:
        """The first set that is not d-convex, or -1; sets whose nodes are pairwise adjacent cost next to nothing."""
    def find_nonminimal_separator(self, sets: Ragged) -> int:
        """The first set that fewer than two components of the moral graph without it see all of, or -1."""
    def find_reducible_cluster(self, clusters: Ragged, separators: SeparatorKind) -> int:
        """The first d-convex cluster that a separator of this kind splits, or -1; this may take exponential time."""

SeparatorKind: TypeAlias = Literal["minimal", "any", "complete", "all"]

@final
class Decomposition:
    """A tree of clusters, by index."""

    @property
    def clusters(self) -> Ragged:
        """In the order of their members, which ascend."""
    @property
    def edges(self) -> NDArray[np.int32]:
        """Pairs of clusters, one a row, the lower first; the rows ascend."""
    @property
    def separators(self) -> Ragged:
        """What the two clusters of each edge share."""
    @property
    def undecided(self) -> NDArray[np.int32]:
        """The clusters for which the search gave up, or all if nothing was refined."""
    @property
    def is_certified(self) -> bool:
        """Whether all clusters are proven irreducible for the kind of separators asked for."""

@final
class RootedTree:
    """A tree of clusters hung on cluster 0. The members of each cluster must ascend in 0 … variables - 1."""

    def __init__(self, clusters: Ragged, edges: NDArray[np.int32], variables: int) -> None:
        """Raises ValueError unless the edges (pairs of clusters, one a row) join the clusters to one tree."""
    def __len__(self) -> int: ...
    @property
    def parent(self) -> NDArray[np.int32]:
        """For each cluster the next one towards cluster 0, -1 for that."""
    @property
    def edge_above(self) -> NDArray[np.int32]:
        """For each cluster the edge to its parent, -1 for cluster 0."""
    @property
    def depth(self) -> NDArray[np.int32]: ...
    @property
    def top(self) -> NDArray[np.int32]:
        """For each variable the cluster nearest to cluster 0 that holds it, -1 if none does."""
    def smallest_subtree(self, variables: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
        """The clusters of the smallest subtree that holds the variables, ascending, and how often a cluster was looked into.

        If one cluster holds them all, it is the one with the fewest variables, among those the first. Needs the junction
        property.
        """

class SearchStatus(Enum):
    """What a search says of a cluster."""

    IRREDUCIBLE = ...
    FOUND = ...
    UNDECIDED = ...

@final
class GrowingTree:
    """A tree of clusters that `decompose` refines, for looking at its steps one by one.

    `moral` has the neighbours of each node, ascending. A new cluster has a number above all that are there.
    """

    def __init__(self, moral: Ragged, clusters: Ragged, edges: NDArray[np.int32]) -> None: ...
    @property
    def clusters(self) -> dict[int, list[int]]: ...
    @property
    def separators(self) -> dict[tuple[int, int], list[int]]: ...
    @property
    def undecided(self) -> list[int]:
        """The clusters for which a search has given up."""
    def components(self, cluster: int, separator: Sequence[int]) -> Ragged:
        """The components of the graph of a cluster (a clique on each separator at it) without a separator."""
    def split(self, cluster: int, separator: Sequence[int]) -> NDArray[np.int32]:
        """Put one piece for each component in the place of a cluster; the clusters that are new or have changed."""
    def refine(
        self,
        search: Callable[[int], tuple[SearchStatus, Sequence[int]]] | None,
        known: Mapping[int, tuple[SearchStatus, Sequence[int]]],
    ) -> None:
        """Split until nothing splits; `known` holds what the search says of clusters as they are now.

        Without a search only the separators of the tree are tried.
        """

# --- clusters -------------------------------------------------------------------------------------------------------

# --- inference ------------------------------------------------------------------------------------------------------

# --- learning -------------------------------------------------------------------------------------------------------
