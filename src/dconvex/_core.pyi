"""The native core: graphs, inference and learning over plain numbers, without names, labels or files.

A test compares this description with the module.
"""

from collections.abc import Iterable
from types import TracebackType
from typing import final

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
        """The nodes, parents before children."""
    @property
    def rank(self) -> NDArray[np.int32]:
        """The place of each node in `order`."""
    def __len__(self) -> int: ...

# --- clusters -------------------------------------------------------------------------------------------------------

@final
class ClusterIndex:
    """Which table each cluster of a tree has for each of its variables.

    A cluster holds a variable with those of its parents that it holds too. Where it holds the whole family, its table is the
    network's own, numbered like the variable; the others are derived, each in the cluster next to it on the way to the family.
    Tables with the same variable and the same parents are one table.
    """

    def __init__(self, graph: Graph, clusters: Ragged, ends: NDArray[np.int32]) -> None:
        """Raises ValueError unless the clusters, members ascending, form one tree with the junction property that covers
        every family. `ends` has a row of two clusters for each edge.
        """
    @property
    def graph(self) -> Graph: ...
    @property
    def clusters(self) -> Ragged: ...
    @property
    def parent(self) -> NDArray[np.int32]:
        """For each cluster the next one towards cluster 0, which has -1."""
    @property
    def depth(self) -> NDArray[np.int32]: ...
    @property
    def holders(self) -> Ragged:
        """For each variable the clusters that hold it, ascending."""
    @property
    def top(self) -> NDArray[np.int32]:
        """For each variable the holder nearest to cluster 0."""
    @property
    def smallest(self) -> NDArray[np.int32]:
        """For each variable the smallest holder."""
    @property
    def member_table(self) -> NDArray[np.int32]:
        """For each member, an entry of `clusters.values`, the table that its cluster has for it."""
    @property
    def toward(self) -> NDArray[np.int32]:
        """For each member the neighbouring cluster on the way to its family, -1 where its cluster holds the family."""
    @property
    def table_count(self) -> int: ...
    @property
    def table_variable(self) -> NDArray[np.int32]: ...
    @property
    def table_parents(self) -> Ragged:
        """For each table the parents of its variable that it has, in the order of its axes."""
    @property
    def source(self) -> NDArray[np.int32]:
        """The cluster in which a derived table is made, -1 for a table of the network's own."""
    @property
    def behind(self) -> NDArray[np.int32]:
        """The cluster that needs a derived table; what lies behind it, seen from `source`, plays no part."""
    def kept_clusters(self, variables: NDArray[np.int32]) -> NDArray[np.int32]:
        """The clusters of the smallest subtree that holds the variables, ascending."""

# --- inference ------------------------------------------------------------------------------------------------------

# --- learning -------------------------------------------------------------------------------------------------------

# --- storage --------------------------------------------------------------------------------------------------------

def check_names(text: NDArray[np.uint8], offsets: NDArray[np.int64], integers: int) -> None:
    """Raises ValueError unless the offsets begin at 0, never fall and end with the text, every name is UTF-8 (lone surrogates
    included), and the names are in canonical order, no two of them equal: first the integers, as many as said, then the others.
    """

@final
class StoredNumbers:
    """The numbers of the first tables of an index, one table after the other, as a file has them.

    A table has a row of probabilities for each configuration of its parents; a regression has its intercept, its variance and
    its coefficients.
    """

    @staticmethod
    def of_tables(index: ClusterIndex, tables: int, states: NDArray[np.int64], most: int) -> StoredNumbers:
        """Raises ValueError where a variable has no states, where there are fewer tables, or more than `most` numbers."""
    @staticmethod
    def of_regressions(index: ClusterIndex, tables: int) -> StoredNumbers: ...
    def __len__(self) -> int: ...
    @property
    def offsets(self) -> NDArray[np.int64]:
        """The numbers of table t are those from `offsets[t]` up to `offsets[t + 1]`."""
    def checksums(self, numbers: NDArray[np.float64], first: int, last: int) -> NDArray[np.uint64]:
        """One for each cluster from `first` up to `last`: a mix of the bits of the numbers in its tables."""
    def find_wrong_table(self, numbers: NDArray[np.float64], tables: NDArray[np.int32]) -> int:
        """The first of the tables with a number that is not finite, a negative probability or variance, or a row that does not
        sum to one; -1 if there is none.
        """
