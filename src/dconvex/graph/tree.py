"""A tree of clusters over a network, and its pruning to what a question touches.

Clusters hold names; inside they are sorted index arrays, so that a tree over a million variables costs no more than its
arrays. The clusters that hold a variable form a subtree (the junction property), which pruning relies on.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NoReturn, TypeAlias, get_args

import numpy as np

from dconvex._core import Ragged, RootedTree
from dconvex.amounts import amount
from dconvex.arrays import Indices, Offsets
from dconvex.caching import cached_property
from dconvex.errors import NetworkError, UnknownVariableError
from dconvex.names import Name, as_names, canonical, checked_name
from dconvex.shown import Shown

if TYPE_CHECKING:
    import networkx

    from dconvex.graph.dag import Dag

Mode: TypeAlias = Literal["minimal", "any", "complete", "all"]
MODES: tuple[Mode, ...] = get_args(Mode)


@dataclass(frozen=True, eq=False)
class _Arrays:
    """The clusters and separators by index into `names`, each sorted; `ends` has two clusters a row."""

    names: Sequence[Name]
    clusters: Ragged
    ends: Indices
    separators: Ragged


class ClusterTree(Shown):
    """Clusters of variables, joined to a tree; `decompose` makes one that is sound.

    The separator of an edge is what its two clusters share.

    Args:
        clusters: The variables of each cluster.
        edges: Pairs of indices into `clusters`.
        mode: The kind of separators that the tree has, as in `decompose`.
        certified: Whether the clusters are proven irreducible for the mode.
        undecided: The indices of the clusters for which the search gave up.

    Raises:
        NetworkError: A variable is no str or int, an edge is no pair of two clusters, or there is no such cluster.
        ValueError: The mode is another one, or a certified tree has undecided clusters.

    In its picture a box lists what is new in a cluster, then in grey what it shares with the one before it, towards the middle
    of the picture; separators are on the edges, undecided clusters have a dashed red rim.
    """

    def __init__(
        self,
        clusters: Iterable[Iterable[Name]],
        edges: Iterable[tuple[int, int]] = (),
        *,
        mode: Mode = "minimal",
        certified: bool = False,
        undecided: Iterable[int] = (),
    ) -> None:
        sets = [frozenset(map(checked_name, as_names(cluster))) for cluster in clusters]
        names = tuple(canonical(frozenset[Name]().union(*sets)))
        index_of = {name: index for index, name in enumerate(names)}
        ends = np.array(sorted(_checked_edge(edge, len(sets)) for edge in edges), np.int32).reshape(-1, 2)
        separators = [sets[a] & sets[b] for a, b in ends.tolist()]
        lists = [[sorted(index_of[name] for name in part) for part in parts] for parts in (sets, separators)]
        arrays = _Arrays(names, Ragged.from_lists(lists[0]), ends, Ragged.from_lists(lists[1]))
        self._fill(arrays, mode, certified, tuple(sorted(_checked_index(cluster, len(sets)) for cluster in undecided)))

    @classmethod
    def from_arrays(
        cls,
        names: Sequence[Name],
        clusters: Ragged,
        ends: Indices,
        separators: Ragged,
        *,
        mode: Mode,
        certified: bool,
        undecided: Sequence[int],
    ) -> ClusterTree:
        """The tree of these arrays, which must be sorted already; for algorithms.

        Args:
            names: The variables, in canonical order.
            clusters: The members of each cluster, by index into `names`, ascending.
            ends: The two clusters of each edge, sorted by rows.
            separators: What the two clusters of each edge share, as in `clusters`.
            mode: As in `ClusterTree`.
            certified: As in `ClusterTree`.
            undecided: As in `ClusterTree`.

        Returns:
            The tree.

        Raises:
            ValueError: The mode is another one, or a certified tree has undecided clusters.

        """
        tree = cls.__new__(cls)
        tree._fill(_Arrays(names, clusters, ends, separators), mode, certified, tuple(undecided))
        return tree

    def _fill(self, arrays: _Arrays, mode: Mode, certified: bool, undecided: tuple[int, ...]) -> None:
        if mode not in MODES:
            raise ValueError(f"unknown mode {mode!r}; there are {', '.join(MODES)}")
        if certified and undecided:
            raise ValueError(f"a certified tree has no undecided clusters; {len(undecided)} are given")
        self.__dict__.update(_arrays=arrays, mode=mode, certified=certified, undecided=undecided)

    _arrays: _Arrays
    mode: Mode
    certified: bool
    undecided: tuple[int, ...]

    @cached_property
    def clusters(self) -> tuple[frozenset[Name], ...]:
        """The clusters, in the order given; those of `decompose` are sorted by their members."""
        return _named(self._arrays.names, self._arrays.clusters)

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Pairs of indices into `clusters`, the lower first, sorted."""
        return tuple((a, b) for a, b in self._arrays.ends.tolist())

    @cached_property
    def separators(self) -> tuple[frozenset[Name], ...]:
        """For each edge what its two clusters share."""
        return _named(self._arrays.names, self._arrays.separators)

    @cached_property
    def variables(self) -> frozenset[Name]:
        """All members of clusters."""
        return frozenset(self._arrays.names[index] for index in np.unique(self._arrays.clusters.values).tolist())

    @property
    def sizes(self) -> Indices:
        """The number of variables in each cluster."""
        return np.diff(self._arrays.clusters.offsets).astype(np.int32)

    @property
    def separator_sizes(self) -> Indices:
        """The number of variables in each separator."""
        return np.diff(self._arrays.separators.offsets).astype(np.int32)

    @property
    def degrees(self) -> Indices:
        """The number of neighbours of each cluster."""
        return np.bincount(self._arrays.ends.reshape(-1), minlength=len(self)).astype(np.int32)

    def part(self, indices: Iterable[int]) -> ClusterTree:
        """Some of the clusters and the edges between them.

        Args:
            indices: The indices of the clusters to keep.

        Returns:
            The tree, or forest, of these clusters in their order.

        Raises:
            NetworkError: There is no such cluster.

        >>> ClusterTree([{"a", "b"}, {"b", "c"}, {"c", "d"}], [(0, 1), (1, 2)]).part([1, 2]).edges
        ((0, 1),)
        """
        kept = sorted(_checked_index(index, len(self)) for index in indices)
        is_inner = np.isin(self._arrays.ends, kept).all(axis=1)
        return self._taken(kept, np.flatnonzero(is_inner).tolist())

    def pruned_to(self, variables: Name | Iterable[Name]) -> ClusterTree:
        """The smallest subtree whose clusters hold all `variables`.

        The subtree costs what is kept, after a first call that makes an index of the whole tree.

        Args:
            variables: A variable, or several of them.

        Returns:
            The subtree. If single clusters hold all `variables`, it is the one with the fewest variables, among those the
            first.

        Raises:
            UnknownVariableError: No cluster holds a variable.
            NetworkError: The clusters are not joined to a tree with the junction property.
        """
        wanted = np.array([self._checked_variable(name) for name in as_names(variables)], np.int32)
        found, _ = self._index.smallest_subtree(wanted)
        kept, above, edges = (numbers.tolist() for numbers in (found, self._index.parent[found], self._index.edge_above[found]))
        inside = set(kept)
        return self._taken(kept, sorted(edge for edge, parent in zip(edges, above, strict=True) if parent in inside))

    def _taken(self, kept: list[int], inner: list[int]) -> ClusterTree:
        """The tree of these clusters and edges, both ascending."""
        clusters, ends = self._arrays.clusters, self._arrays.ends
        renumbered = {cluster: number for number, cluster in enumerate(kept)}
        return ClusterTree.from_arrays(
            self._arrays.names,
            Ragged.from_lists(clusters[cluster].tolist() for cluster in kept),
            np.array([[renumbered[end] for end in ends[edge].tolist()] for edge in inner], np.int32).reshape(-1, 2),
            Ragged.from_lists(self._arrays.separators[edge].tolist() for edge in inner),
            mode=self.mode,
            certified=self.certified,
            undecided=[number for cluster, number in renumbered.items() if cluster in self._open],
        )

    def rooted_arrays(self, dag: Dag) -> tuple[Offsets, Indices, Indices, Indices]:
        """The clusters as a rooted tree of arrays; for algorithms.

        Args:
            dag: The DAG that the tree is over.

        Returns:
            (start, members, parent, depth) of the clusters, members by index in the DAG.

        Raises:
            UnknownVariableError: A cluster has a variable that the DAG does not have.

        """
        arrays, index = self._arrays, self._index
        if arrays.names == dag.nodes:
            members = arrays.clusters.values.copy()
        else:
            numbers = np.array([dag.index_of(name) for name in arrays.names], np.int32)
            members = numbers[arrays.clusters.values]
            members = members[np.lexsort((members, arrays.clusters.owners()))]
        return arrays.clusters.offsets.copy(), members, index.parent.copy(), index.depth.copy()

    def is_over(self, dag: Dag) -> bool:
        """Whether the clusters hold the variables of the DAG; False may also mean that it takes longer to say.

        Args:
            dag: The DAG.

        Returns:
            True if every variable of the DAG is known to be in a cluster.
        """
        arrays = self._arrays
        return arrays.names == dag.nodes and bool(np.bincount(arrays.clusters.values, minlength=len(dag)).all())

    def joints(self, dag: Dag) -> tuple[Indices, Ragged]:
        """The edges as arrays; for algorithms.

        Args:
            dag: The DAG that the tree is over.

        Returns:
            The two clusters of each edge, and its separator by index in the DAG.

        Raises:
            UnknownVariableError: A cluster has a variable that the DAG does not have.

        """
        arrays = self._arrays
        if len(arrays.names) == len(dag):  # a tree over this DAG has the same names, in the same order
            return arrays.ends, arrays.separators
        numbers = np.array([dag.index_of(name) for name in arrays.names], np.int32)
        return arrays.ends, Ragged(arrays.separators.offsets.copy(), numbers[arrays.separators.values])

    def as_lists(self, dag: Dag) -> tuple[Ragged, Indices, Ragged]:
        """The tree as arrays; for algorithms.

        Args:
            dag: The DAG that the tree is over.

        Returns:
            Clusters, the two clusters of each edge, separators; all by index in the DAG.

        Raises:
            UnknownVariableError: A cluster has a variable that the DAG does not have.

        """
        arrays = self._arrays
        if arrays.names == dag.nodes:
            return arrays.clusters, arrays.ends, arrays.separators
        parts = arrays.clusters, arrays.separators
        number = np.arange(len(arrays.names), dtype=np.int32)
        held = np.unique(np.concatenate([lists.values for lists in parts]))  # a pruned tree has names that it does not hold
        number[held] = [dag.index_of(arrays.names[index]) for index in held.tolist()]
        clusters, separators = (_renumbered(lists, number) for lists in parts)
        return clusters, arrays.ends, separators

    def to_networkx(self) -> networkx.Graph[int]:
        """A `networkx.Graph` of the indices of clusters, with the attributes `cluster` of nodes and `separator` of edges."""
        import networkx

        graph: networkx.Graph[int] = networkx.Graph()
        for index, cluster in enumerate(self.clusters):
            graph.add_node(index, cluster=cluster)
        for (one, other), separator in zip(self.edges, self.separators, strict=True):
            graph.add_edge(one, other, separator=separator)
        return graph

    def __len__(self) -> int:
        return len(self._arrays.clusters)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClusterTree):
            return NotImplemented
        mine, theirs = ((tree.clusters, tree.edges, tree.mode, tree.certified, tree.undecided) for tree in (self, other))
        return mine == theirs

    def __hash__(self) -> int:
        return hash((self.clusters, self.edges, self.mode))

    def __repr__(self) -> str:
        largest = int(self.sizes.max(initial=0))
        undecided = f"{len(self.undecided):,} undecided" if self.undecided else "not certified"
        proof = "certified" if self.certified else undecided
        return f"ClusterTree({self.mode}, {amount(len(self), 'cluster')}, largest {largest:,}, {proof})"

    def __getstate__(self) -> dict[str, object]:
        return {name: self.__dict__[name] for name in ("_arrays", "mode", "certified", "undecided")}  # no indexes

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a ClusterTree is frozen; {name!r} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a ClusterTree is frozen; {name!r} cannot be deleted")

    @cached_property
    def _open(self) -> frozenset[int]:
        return frozenset(self.undecided)

    @cached_property
    def _index_of(self) -> dict[Name, int]:
        return {name: index for index, name in enumerate(self._arrays.names)}

    def _checked_variable(self, name: Name) -> int:
        index = self._index_of.get(name)
        if index is None or self._index.top[index] < 0:
            raise UnknownVariableError(name, canonical(self.variables))
        return index

    @cached_property
    def _index(self) -> RootedTree:
        """The tree hung on its first cluster, and for each variable where to find it."""
        arrays = self._arrays
        clusters = Ragged(arrays.clusters.offsets, arrays.clusters.values)
        try:
            index = RootedTree(clusters, arrays.ends, len(arrays.names))
        except ValueError:
            joined = f"the {len(arrays.ends)} edges do not join the {len(clusters)} clusters to one tree"
            raise NetworkError(f"{joined}, so it cannot be pruned") from None
        shared = len(clusters.values) - len(arrays.separators.values)
        if shared != np.count_nonzero(index.top >= 0):  # each variable is held once more than it is shared
            raise NetworkError(
                "the clusters that hold a variable are not all joined with each other; such a tree cannot be pruned"
            )
        return index


def _renumbered(parts: Ragged, number: Indices) -> Ragged:
    members = number[parts.values]
    return Ragged(parts.offsets, members[np.lexsort((members, parts.owners()))])


def _named(names: Sequence[Name], parts: Ragged) -> tuple[frozenset[Name], ...]:
    members = [names[index] for index in parts.values.tolist()]
    bounds = parts.offsets.tolist()
    return tuple(frozenset(members[a:b]) for a, b in itertools.pairwise(bounds))


def _checked_edge(edge: tuple[int, int], count: int) -> tuple[int, int]:
    try:
        one, other = edge
    except (TypeError, ValueError):
        raise NetworkError(f"an edge is a pair of indices of clusters, not {edge!r}") from None
    one, other = _checked_index(one, count), _checked_index(other, count)
    return min(one, other), max(one, other)


def _checked_index(cluster: int, count: int) -> int:
    try:
        index = operator.index(cluster)
    except TypeError:
        raise NetworkError(f"the index of a cluster must be an int, not {cluster!r}") from None
    if not 0 <= index < count:
        raise NetworkError(f"there is no cluster {cluster!r}; there are {count}")
    return index
