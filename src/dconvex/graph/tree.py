"""A tree of clusters over a network, and its pruning to what a question touches.

Clusters hold names; inside they are sorted index arrays, so that a tree over a million variables costs no more than its
arrays. The clusters that hold a variable form a subtree (the junction property), which pruning relies on.
"""

from __future__ import annotations

import heapq
import itertools
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from dconvex.amounts import amount
from dconvex.errors import NetworkError, UnknownVariableError
from dconvex.graph.adjacency import Adjacency, Indices, Offsets
from dconvex.kernels import load
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
    clusters: Adjacency
    ends: Indices
    separators: Adjacency


class ClusterTree(Shown):
    """Clusters of variables, joined to a tree; `decompose` makes one that is sound.

    `edges` are pairs of places in `clusters`; the separator of an edge is what its two clusters share. `mode` is what kind
    of separators the tree has, `certified` whether its clusters are proven irreducible for that mode; those for which the
    search gave up are listed in `undecided`.

    In its picture a box lists what is new in a cluster, then in grey what it shares with the one before it, towards the middle
    of the picture; separators stand on the edges, undecided clusters have a dashed red rim.
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
        place = {name: index for index, name in enumerate(names)}
        ends = np.array(sorted(_checked_edge(edge, len(sets)) for edge in edges), np.int32).reshape(-1, 2)
        separators = [sets[a] & sets[b] for a, b in ends.tolist()]
        lists = [[sorted(place[name] for name in part) for part in parts] for parts in (sets, separators)]
        arrays = _Arrays(names, Adjacency.from_lists(lists[0]), ends, Adjacency.from_lists(lists[1]))
        self._fill(arrays, mode, certified, tuple(sorted(_checked_place(cluster, len(sets)) for cluster in undecided)))

    @classmethod
    def from_arrays(
        cls,
        names: Sequence[Name],
        clusters: Adjacency,
        ends: Indices,
        separators: Adjacency,
        *,
        mode: Mode,
        certified: bool,
        undecided: Sequence[int],
    ) -> ClusterTree:
        """From arrays that are sorted already: within clusters and separators, and `ends` by rows."""
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
        """The clusters, in the order given; those of `decompose` stand sorted by their members."""
        return _named(self._arrays.names, self._arrays.clusters)

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Pairs of places in `clusters`, the lower first, sorted."""
        return tuple((a, b) for a, b in self._arrays.ends.tolist())

    @cached_property
    def separators(self) -> tuple[frozenset[Name], ...]:
        """For each edge what its two clusters share."""
        return _named(self._arrays.names, self._arrays.separators)

    @cached_property
    def variables(self) -> frozenset[Name]:
        """All members of clusters."""
        return frozenset(self._arrays.names[place] for place in np.unique(self._arrays.clusters.neighbours).tolist())

    @property
    def sizes(self) -> Indices:
        """The number of variables in each cluster."""
        return np.diff(self._arrays.clusters.start).astype(np.int32)

    @property
    def separator_sizes(self) -> Indices:
        """The number of variables in each separator."""
        return np.diff(self._arrays.separators.start).astype(np.int32)

    @property
    def degrees(self) -> Indices:
        """The number of neighbours of each cluster."""
        return np.bincount(self._arrays.ends.reshape(-1), minlength=len(self)).astype(np.int32)

    def part(self, places: Iterable[int]) -> ClusterTree:
        """The clusters at these places and the edges between them.

        >>> ClusterTree([{"a", "b"}, {"b", "c"}, {"c", "d"}], [(0, 1), (1, 2)]).part([1, 2]).edges
        ((0, 1),)
        """
        kept = sorted(_checked_place(place, len(self)) for place in places)
        is_inner = np.isin(self._arrays.ends, kept).all(axis=1)
        return self._taken(kept, np.flatnonzero(is_inner).tolist())

    def pruned_to(self, variables: Name | Iterable[Name]) -> ClusterTree:
        """The smallest subtree whose clusters hold all `variables`.

        If one cluster holds them all, it is the one with the fewest variables, among those the first. The subtree costs
        what is kept, after a first call that makes an index of the whole tree. Only a tree with the junction property can be
        pruned.
        """
        kept = sorted(self._index.smallest_subtree({self._place_of(name) for name in as_names(variables)}))
        inside = set(kept)
        return self._taken(kept, sorted(self._index.edge_above[c] for c in kept if self._index.parent[c] in inside))

    def _taken(self, kept: list[int], inner: list[int]) -> ClusterTree:
        """The tree of these clusters and edges, both ascending."""
        clusters, ends = self._arrays.clusters, self._arrays.ends
        renumbered = {cluster: number for number, cluster in enumerate(kept)}
        return ClusterTree.from_arrays(
            self._arrays.names,
            Adjacency.from_lists(clusters.of(cluster).tolist() for cluster in kept),
            np.array([[renumbered[end] for end in ends[edge].tolist()] for edge in inner], np.int32).reshape(-1, 2),
            Adjacency.from_lists(self._arrays.separators.of(edge).tolist() for edge in inner),
            mode=self.mode,
            certified=self.certified,
            undecided=[number for cluster, number in renumbered.items() if cluster in self._open],
        )

    def rooted_arrays(self, dag: Dag) -> tuple[Offsets, Indices, Indices, Indices]:
        """For algorithms that work on arrays: (start, members, parent, depth) of the clusters, members by place in the DAG."""
        arrays, index = self._arrays, self._index
        if arrays.names == dag.nodes:
            members = arrays.clusters.neighbours.copy()
        else:
            place = np.array([dag.index_of(name) for name in arrays.names], np.int32)
            members = place[arrays.clusters.neighbours]
        owners = arrays.clusters.owners()
        members = members[np.lexsort((members, owners))]
        return arrays.clusters.start.copy(), members, np.array(index.parent, np.int32), np.array(index.depth, np.int32)

    def joints(self, dag: Dag) -> tuple[Indices, Adjacency]:
        """For algorithms that work on arrays: the two clusters of each edge, and its separator by place in the DAG."""
        arrays = self._arrays
        if len(arrays.names) == len(dag):  # a tree over this DAG has the same names, in the same order
            return arrays.ends, arrays.separators
        place = np.array([dag.index_of(name) for name in arrays.names], np.int32)
        return arrays.ends, Adjacency(arrays.separators.start.copy(), place[arrays.separators.neighbours])

    def to_networkx(self) -> networkx.Graph[int]:
        """A `networkx.Graph` of cluster places, with the attributes `cluster` of nodes and `separator` of edges."""
        import networkx

        graph: networkx.Graph[int] = networkx.Graph()
        for place, cluster in enumerate(self.clusters):
            graph.add_node(place, cluster=cluster)
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
    def _places(self) -> dict[Name, int]:
        return {name: place for place, name in enumerate(self._arrays.names)}

    def _place_of(self, name: Name) -> int:
        place = self._places.get(name)
        if place is None or self._index.top[place] < 0:
            raise UnknownVariableError(name, canonical(self.variables))
        return place

    @cached_property
    def _index(self) -> _RootedIndex:
        return _RootedIndex.of(self._arrays)


@dataclass(frozen=True)
class _RootedIndex:
    """The tree hung on its first cluster, and for each variable where to find it."""

    clusters: Adjacency
    holders: Adjacency
    """For each variable the clusters that hold it, ascending."""
    parent: list[int]
    depth: list[int]
    edge_above: list[int]
    top: list[int]
    """For each variable the cluster nearest to the root that holds it."""

    @classmethod
    def of(cls, arrays: _Arrays) -> _RootedIndex:
        count, edges = len(arrays.clusters), len(arrays.ends)
        owners = np.concatenate([arrays.ends[:, 0], arrays.ends[:, 1]]).astype(np.int32)
        others = np.concatenate([arrays.ends[:, 1], arrays.ends[:, 0]]).astype(np.int32)
        tree = Adjacency.from_pairs(owners, others, count)
        kernels = load("trees")
        graph = load("moral").Graph(tree.start.copy(), tree.neighbours.copy())
        if edges != max(count - 1, 0) or kernels.components(graph).any():
            raise NetworkError(f"the {edges} edges do not join the {count} clusters to one tree, so it cannot be pruned")
        parent, depth = kernels.rooted(graph)
        lower = np.where(parent[arrays.ends[:, 0]] == arrays.ends[:, 1], arrays.ends[:, 0], arrays.ends[:, 1])
        edge_above = np.full(count, -1, np.int64)
        edge_above[lower] = np.arange(edges)
        start, nodes = arrays.clusters.start.copy(), arrays.clusters.neighbours.copy()
        top = kernels.tops(start, nodes, depth, len(arrays.names))
        if len(nodes) - len(arrays.separators.neighbours) != np.count_nonzero(top >= 0):  # each is held once more than shared
            raise NetworkError(
                "the clusters that hold a variable are not all joined with each other; such a tree cannot be pruned"
            )
        holders = Adjacency.from_pairs(nodes, arrays.clusters.owners(), len(arrays.names))
        return cls(arrays.clusters, holders, parent.tolist(), depth.tolist(), edge_above.tolist(), top.tolist())

    def smallest_subtree(self, variables: set[int]) -> set[int]:
        if not self.parent:
            return set()
        common = self._holding_all(variables)
        if len(common):
            sizes = self.clusters.start[common + 1] - self.clusters.start[common]
            return {int(common[np.argmin(sizes)])}
        return self._climbed(variables)

    def _holding_all(self, variables: set[int]) -> NDArray[np.int64]:
        """The clusters that hold all the variables, ascending: looked for among those of the rarest one."""
        if not variables:
            return np.arange(len(self.parent))
        rarest = min(variables, key=lambda variable: len(self.holders.of(variable)))
        found = self.holders.of(rarest).astype(np.int64)
        for variable in variables:
            if not len(found):
                break
            found = found[_are_in(found, self.holders.of(variable))]
        return found

    def _climbed(self, variables: set[int]) -> set[int]:
        """Climb from the deepest tops until the paths have met and every variable is held.

        No cluster holds all variables, so the deepest top is kept: whatever lies below it holds no variable of a top that is
        not above it. When the climb reaches the depth of a top whose variable it has not met, it never will, so that top is
        kept too; otherwise the climb meets the variable on its way.
        """
        waiting = sorted(variables, key=lambda variable: (self.depth[self.top[variable]], self.top[variable]))
        unmet, kept = set(variables), set[int]()
        tips: list[tuple[int, int]] = []
        while True:
            while waiting and waiting[-1] not in unmet:
                waiting.pop()
            if waiting and (not tips or self.depth[self.top[waiting[-1]]] >= -tips[0][0]):
                following = self.top[waiting[-1]]
            elif not waiting and len(tips) == 1:
                return kept
            else:
                following = self.parent[heapq.heappop(tips)[1]]
            if following not in kept:
                kept.add(following)
                heapq.heappush(tips, (-self.depth[following], following))
                self._meet(following, unmet)

    def _meet(self, cluster: int, unmet: set[int]) -> None:
        """Take the variables that the cluster holds out of the unmet ones, by way of the fewer of the two."""
        members = self.clusters.of(cluster)
        if len(members) <= 8 * len(unmet):
            unmet.difference_update(members.tolist())
        else:
            few = np.array(sorted(unmet))
            unmet.difference_update(few[_are_in(few, members)].tolist())


def _are_in(few: NDArray[Any], many: NDArray[Any]) -> NDArray[np.bool_]:
    """For each of few numbers whether it is among many sorted ones."""
    place = np.minimum(np.searchsorted(many, few), len(many) - 1)
    found: NDArray[np.bool_] = many[place] == few
    return found


def _named(names: Sequence[Name], parts: Adjacency) -> tuple[frozenset[Name], ...]:
    members = [names[place] for place in parts.neighbours.tolist()]
    bounds = parts.start.tolist()
    return tuple(frozenset(members[a:b]) for a, b in itertools.pairwise(bounds))


def _checked_edge(edge: tuple[int, int], count: int) -> tuple[int, int]:
    try:
        one, other = edge
    except (TypeError, ValueError):
        raise NetworkError(f"an edge is a pair of places of clusters, not {edge!r}") from None
    one, other = _checked_place(one, count), _checked_place(other, count)
    return min(one, other), max(one, other)


def _checked_place(cluster: int, count: int) -> int:
    try:
        place = operator.index(cluster)
    except TypeError:
        raise NetworkError(f"the place of a cluster must be an int, not {cluster!r}") from None
    if not 0 <= place < count:
        raise NetworkError(f"there is no cluster {cluster!r}; there are {count}")
    return place
