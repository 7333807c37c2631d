"""The minimal d-decomposition tree of a DAG, and its relatives.

The moral graph is cut into blocks first: separators of no or one vertex are d-convex for free. Each block is triangulated,
clusters of its clique tree are merged across separators that are not d-convex (Algorithm 2 of the paper), and what that leaves
reducible is split further (the paper's theorem 2 does not hold; deciding it is NP-complete, so the search has a limit).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dconvex.graph.adjacency import Adjacency, Indices
from dconvex.graph.dag import Dag, DagLike, as_dag
from dconvex.graph.refinement import FOUND, UNDECIDED, GrowingTree, Part, refine_tree
from dconvex.graph.separation import kernel_arcs
from dconvex.graph.tree import MODES, ClusterTree, Mode
from dconvex.kernels import load

MOST_STEPS = 4_000_000_000
"""A block whose triangulation would walk over more nodes is left as one cluster, undecided; a minute or so."""


def decompose(dag: DagLike, *, separators: Mode = "minimal", refine: bool = True, effort: int | None = 100_000) -> ClusterTree:
    """Split a DAG into a tree of clusters that can be learned and asked on their own.

    `separators`: "minimal" gives the minimal d-decomposition tree; "any" allows d-convex separators that are not minimal
    (smaller clusters, more overlap); "complete" only those whose nodes are pairwise adjacent in the DAG; "all" is the clique
    tree of a minimal triangulation, for comparison only, as its separators need not be d-convex. `refine=False` stops after
    Algorithm 2. `effort` limits the search in each cluster, in search nodes (None: no limit; a node that takes long counts for
    several); a cluster for which it gives up, and any of more than 4,096 nodes, is listed in the tree's `undecided`.

    >>> tree = decompose([("a", "b"), ("b", "c"), ("c", "d")])
    >>> [sorted(cluster) for cluster in tree.clusters]
    [['a', 'b'], ['b', 'c'], ['c', 'd']]
    """
    if separators not in MODES:
        raise ValueError(f"unknown separators {separators!r}; there are {', '.join(MODES)}")
    if effort is not None and effort < 0:
        raise ValueError(f"effort must be None or a number of search nodes, not {effort!r}")
    graph = as_dag(dag)
    work = _Decomposition(graph, separators)
    if refine and separators != "all":
        work.refine(-1 if effort is None else effort)
    return work.tree(is_refined=refine)


class _Decomposition:
    """The arrays that the steps hand on to each other; clusters and edges of a block stand next to each other."""

    def __init__(self, dag: Dag, mode: Mode) -> None:
        self.dag, self.mode = dag, mode
        self.kernels = load("decomposition")
        self.arcs = kernel_arcs(dag)
        moral = load("moral")
        self.moral = moral.moral_graph(self.arcs)
        self.blocks = moral.blocks(self.moral)
        keep = {"all": self.kernels.KEEP_ALL, "complete": self.kernels.KEEP_COMPLETE}.get(mode, self.kernels.KEEP_CONVEX)
        found = self.kernels.algorithm_2(self.arcs, self.moral, self.kernels.Parts(*self.blocks), keep, MOST_STEPS)
        self.clusters, self.separators = Adjacency(*found.clusters), Adjacency(*found.separators)
        self.block, self.ends = found.block, found.ends.reshape(-1, 2)
        self.undecided = np.empty(0, np.int64)

    def refine(self, effort: int) -> None:
        """Search all clusters at once, then go on in the blocks where something was found or may still be."""
        everything = np.arange(len(self.block), dtype=np.int32)
        edges_at = self._edges_at_clusters()
        if self.mode == "complete":
            status, found = np.zeros(len(everything), np.int32), Adjacency.from_lists([])
        else:
            status, found = self._searched(self.clusters, everything, self.separators, edges_at, effort)
        self.undecided = np.flatnonzero(status == UNDECIDED)
        parts = (self._parts(lists) for lists in (self.clusters, self.separators, edges_at))
        is_split = self.kernels.split_by_tree(self.moral, *parts, self.ends.reshape(-1)) == 1
        touched = np.unique(self.block[(status == FOUND) | is_split])
        self.first_edge = np.searchsorted(self.block[self.ends[:, 0]], np.arange(len(self.blocks[0])))
        self._replace(touched, [self._refined_block(block, status, found, effort) for block in touched.tolist()])

    def _searched(
        self, clusters: Adjacency, wanted: Indices, separators: Adjacency, edges_at: Adjacency, effort: int
    ) -> tuple[Indices, Adjacency]:
        parts = (self._parts(lists) for lists in (clusters, separators, edges_at))
        status, found = self.kernels.search_clusters(self.arcs, self.moral, *parts, wanted, self.mode != "any", effort)
        return status, Adjacency(*found)

    def _parts(self, lists: Adjacency) -> Any:
        return self.kernels.Parts(lists.start.copy(), lists.neighbours.copy())

    def _edges_at_clusters(self) -> Adjacency:
        numbers = np.arange(len(self.ends), dtype=np.int32)
        return Adjacency.from_pairs(self.ends.T.reshape(-1), np.concatenate([numbers, numbers]), len(self.block))

    def _refined_block(self, block: int, status: Indices, found: Adjacency, effort: int) -> GrowingTree:
        tree = self._growing(block)
        if self.mode == "complete":
            refine_tree(tree, None, {})
            return tree
        known = {cluster: (int(status[cluster]), _part(found, cluster)) for cluster in tree.clusters}

        def search(cluster: int) -> tuple[int, Part]:
            around = [sorted(separator) for separator in tree.links[cluster].values()]
            own = Adjacency.from_lists([sorted(tree.clusters[cluster])])
            edges_at = Adjacency.from_lists([range(len(around))])
            result, separators = self._searched(own, np.zeros(1, np.int32), Adjacency.from_lists(around), edges_at, effort)
            return int(result[0]), _part(separators, 0)

        refine_tree(tree, search, known)
        return tree

    def _growing(self, block: int) -> GrowingTree:
        first, last = np.searchsorted(self.block, [block, block + 1]).tolist()
        start, nodes = self.blocks
        near = self.moral.start, self.moral.neighbours
        moral = {v: set(near[1][near[0][v] : near[0][v + 1]].tolist()) for v in nodes[start[block] : start[block + 1]].tolist()}
        clusters = {cluster: _part(self.clusters, cluster) for cluster in range(first, last)}
        tree = GrowingTree(moral, clusters, {cluster: {} for cluster in clusters})
        for edge in range(*self.first_edge[block : block + 2].tolist()):
            one, other = self.ends[edge].tolist()
            tree.join(one, other, _part(self.separators, edge))
        return tree

    def _replace(self, touched: NDArray[np.int32], trees: Sequence[GrowingTree]) -> None:
        """Put the refined trees of some blocks in the place of the old ones."""
        is_kept = ~np.isin(self.block, touched)
        kept_edges = np.flatnonzero(is_kept[self.ends[:, 0]])
        number = np.cumsum(is_kept) - 1
        count = int(is_kept.sum())
        clusters: list[Part] = []
        separators: list[Part] = []
        ends: list[list[int]] = number[self.ends[kept_edges]].tolist()
        undecided: list[int] = number[self.undecided[is_kept[self.undecided]]].tolist()
        for tree in trees:
            place = {cluster: count + len(clusters) + n for n, cluster in enumerate(sorted(tree.clusters))}
            undecided += [place[cluster] for cluster in tree.undecided]
            clusters += [tree.clusters[cluster] for cluster in place]
            pairs = [(a, b) for a in tree.links for b in tree.links[a] if a < b]
            ends += [[place[a], place[b]] for a, b in pairs]
            separators += [tree.links[a][b] for a, b in pairs]
        new_blocks = np.repeat(touched, [len(tree.clusters) for tree in trees])
        self.block = np.concatenate([self.block[is_kept], new_blocks]).astype(np.int32)
        self.clusters = _joined(_taken(self.clusters, np.flatnonzero(is_kept)), clusters)
        self.separators = _joined(_taken(self.separators, kept_edges), separators)
        self.ends = np.array(ends, np.int32).reshape(-1, 2)
        self.undecided = np.array(undecided, np.int64)

    def tree(self, *, is_refined: bool) -> ClusterTree:
        """All blocks joined to one tree, clusters in the order of their members."""
        pairs, shared = self._between_blocks()
        ends = np.concatenate([self.ends, pairs, self._between_components()])
        empty = np.zeros(len(ends) - len(self.ends) - len(pairs), np.int64)
        sizes = np.concatenate([np.diff(self.separators.start), np.ones(len(pairs), np.int64), empty])
        separators = Adjacency(_offsets(sizes), np.concatenate([self.separators.neighbours, shared]).astype(np.int32))
        order = _by_members(self.clusters)
        number = np.empty(len(order), np.int64)
        number[order] = np.arange(len(order))
        ends = np.sort(number[ends], axis=1)
        by_ends = np.lexsort((ends[:, 1], ends[:, 0]))
        undecided = sorted(number[self.undecided].tolist())
        is_certified = self.mode == "all" or (is_refined and not undecided)
        return ClusterTree.from_arrays(
            self.dag.nodes,
            _taken(self.clusters, order),
            ends[by_ends].astype(np.int32),
            _taken(separators, by_ends),
            mode=self.mode,
            certified=is_certified,
            undecided=undecided if is_refined or self.mode == "all" else range(len(order)),
        )

    def _between_blocks(self) -> tuple[Indices, Indices]:
        """Edges that join the blocks of each cut vertex, from one cluster in the first of them to one in each other."""
        nodes, cluster = self.clusters.neighbours, self.clusters.owners()
        block = self.block[cluster]
        order = np.lexsort((cluster, block, nodes))
        nodes, cluster, block = nodes[order], cluster[order], block[order]
        is_first_in_block = np.ones(len(nodes), bool)
        is_first_in_block[1:] = (nodes[1:] != nodes[:-1]) | (block[1:] != block[:-1])
        nodes, cluster = nodes[is_first_in_block], cluster[is_first_in_block]
        is_first = np.ones(len(nodes), bool)
        is_first[1:] = nodes[1:] != nodes[:-1]
        hub = np.maximum.accumulate(np.where(is_first, np.arange(len(nodes)), 0))
        others = np.flatnonzero(~is_first)
        return np.stack([cluster[hub[others]], cluster[others]], axis=1).astype(np.int32), nodes[others]

    def _between_components(self) -> Indices:
        """Edges with the empty separator, from a cluster of the first component to one of each other."""
        label = load("trees").components(self.moral)[self.clusters.neighbours[self.clusters.start[:-1]]]
        _, first = np.unique(label, return_index=True)
        return (
            np.stack([np.full(len(first) - 1, first[0]), first[1:]], axis=1).astype(np.int32) if len(first) else self.ends[:0]
        )


def _part(lists: Adjacency, place: int) -> Part:
    return frozenset(lists.of(place).tolist())


def _joined(lists: Adjacency, more: Sequence[Part]) -> Adjacency:
    """The lists, then the sorted members of more parts."""
    new = Adjacency.from_lists(map(sorted, more))
    start = np.concatenate([lists.start, new.start[1:] + lists.start[-1]])
    return Adjacency(start, np.concatenate([lists.neighbours, new.neighbours]))


def _offsets(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])


def _taken(parts: Adjacency, order: NDArray[np.int64]) -> Adjacency:
    """The parts at these places, in this order."""
    sizes = np.diff(parts.start)[order]
    start = _offsets(sizes)
    cells = np.arange(start[-1]) - np.repeat(start[:-1], sizes) + np.repeat(parts.start[:-1][order], sizes)
    return Adjacency(start, parts.neighbours[cells])


def _by_members(clusters: Adjacency) -> NDArray[np.int64]:
    """The order of the clusters by their sorted members; big-endian bytes compare like the numbers they hold."""
    raw, bounds = clusters.neighbours.astype(">i4").tobytes(), (4 * clusters.start).tolist()
    keys = [raw[a:b] for a, b in itertools.pairwise(bounds)]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
