"""What must hold of a tree of clusters, each property by its definition, for any tree however it was made.

Nothing is taken over from how `decompose` works, and no property is assumed when another is looked at. What keeps it cheap
are the blocks of the moral graph: a set inside a block is d-convex in the network if and only if it is in the block, and the
same holds of two or more nodes being a minimal separator; so a set costs the size of its block, not of the network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from dconvex.graph.adjacency import Adjacency, Indices
from dconvex.graph.dag import Dag, DagLike, as_dag
from dconvex.graph.refinement import FOUND, Part
from dconvex.graph.separation import kernel_arcs
from dconvex.graph.tree import ClusterTree
from dconvex.kernels import load


def check_tree(dag: DagLike, tree: ClusterTree, irreducible: bool = False) -> tuple[str, ...]:
    """The properties that `tree` should have as a decomposition of `dag` and has not; empty when it is sound.

    - `covers`: the clusters hold the variables of the DAG, all of them and no others.
    - `families`: every variable stands in some cluster with all its parents.
    - `tree`: the edges join the clusters to one tree.
    - `junction`: the clusters that hold a variable are joined with each other.
    - `reduced`: no cluster lies inside another.
    - `separators`: they are what the clusters at the two ends share; with mode "complete", pairwise adjacent in the DAG.
    - `convex`: every cluster and every separator is d-convex; not asked of mode "all".
    - `minimal`: in the moral graph without it, two components see all of a separator; not asked of mode "any".
    - `irreducible`: no separator of the mode's kind splits a d-convex cluster; looked at only if asked for, by a search that
      may take exponential time, and not asked of mode "all".

    Variables that the DAG does not have count as isolated nodes for all properties but the first.

    >>> check_tree([("a", "b"), ("b", "c")], ClusterTree([["a", "b"], ["b", "c"]], [(0, 1)]), irreducible=True)
    ()
    >>> check_tree([("a", "b"), ("b", "c")], ClusterTree([["a", "b"], ["b", "c"]]))
    ('tree', 'junction')
    """
    graph = as_dag(dag)
    clusters = _Clusters(graph.with_nodes(tree.variables), tree)
    network = _Network(clusters.dag)
    mode = tree.mode
    holds: dict[str, Callable[[], bool]] = {
        "covers": lambda: tree.variables == frozenset(graph.nodes),
        "families": clusters.hold_families,
        "tree": clusters.form_tree,
        "junction": clusters.have_junction_property,
        "reduced": clusters.are_reduced,
        "separators": lambda: clusters.share_separators() and (mode != "complete" or all(map(network.is_complete, separators))),
        "convex": lambda: mode == "all" or network.are_convex(distinct | separators),
        "minimal": lambda: mode == "any" or all(map(network.is_minimal, separators)),
        "irreducible": lambda: mode == "all" or not irreducible or not any(_is_reducible(network, c, mode) for c in distinct),
    }
    distinct, separators = set(clusters.parts), set(clusters.separators)
    return tuple(name for name, is_so in holds.items() if not is_so())


class _Clusters:
    """A tree by the places of its variables in `dag`: what can be seen without looking at paths."""

    def __init__(self, dag: Dag, tree: ClusterTree) -> None:
        self.dag = dag
        place = {name: index for index, name in enumerate(dag.nodes)}
        self.parts, self.separators = (
            [frozenset(map(place.__getitem__, part)) for part in parts] for parts in (tree.clusters, tree.separators)
        )
        self.ends = np.array(tree.edges, np.int64).reshape(-1, 2)
        self.shared = [self.parts[one] & self.parts[other] for one, other in tree.edges]

    @cached_property
    def holders(self) -> list[list[int]]:
        """For each node the clusters that hold it."""
        found: list[list[int]] = [[] for _ in self.dag]
        for cluster, part in enumerate(self.parts):
            for node in part:
                found[node].append(cluster)
        return found

    def holding(self, part: Iterable[int]) -> Iterator[int]:
        """The clusters that hold all of a part: looked for among those of its rarest node."""
        nodes = frozenset(part)
        rarest = min((self.holders[node] for node in nodes), key=len, default=range(len(self.parts)))
        return (cluster for cluster in rarest if nodes <= self.parts[cluster])

    def hold_families(self) -> bool:
        above = self.dag.parent_lists
        return all(any(True for _ in self.holding([node, *above.of(node).tolist()])) for node in range(len(self.dag)))

    def form_tree(self) -> bool:
        count = len(self.parts)
        return len(self.ends) == max(count - 1, 0) and _component_count(self.ends, count) == min(count, 1)

    def have_junction_property(self) -> bool:
        """Every occurrence of a node in a cluster is a vertex, joined to that in the next cluster: one component a node."""
        members, shared = (Adjacency.from_lists(map(sorted, parts)) for parts in (self.parts, self.shared))
        size = len(self.dag)
        occurrences = members.owners().astype(np.int64) * size + members.neighbours
        pairs = self.ends[shared.owners()] * size + shared.neighbours[:, np.newaxis]
        return _component_count(np.searchsorted(occurrences, pairs), len(occurrences)) == len(np.unique(members.neighbours))

    def are_reduced(self) -> bool:
        return all(all(other == own for other in self.holding(part)) for own, part in enumerate(self.parts))

    def share_separators(self) -> bool:
        return self.separators == self.shared


class _Network:
    """The DAG and its moral graph as the kernels take them, and the blocks of the latter."""

    def __init__(self, dag: Dag) -> None:
        self.kernels, self.trees = load("decomposition"), load("trees")
        self.arcs = kernel_arcs(dag)
        self.moral = load("moral").moral_graph(self.arcs)
        self.blocks = Adjacency(*load("moral").blocks(self.moral))
        self.blocks_at = Adjacency.from_pairs(self.blocks.neighbours, self.blocks.owners(), len(dag))
        self.parents = [frozenset(dag.parent_lists.of(node).tolist()) for node in range(len(dag))]
        self.everything = np.arange(len(dag), dtype=np.int32)
        self.room = np.full(len(dag), -1, np.int32)
        """-1 everywhere between the calls that use it."""
        self.block_members = cache(lambda block: frozenset(self.blocks.of(block).tolist()))

    def neighbours(self, node: int) -> Indices:
        found: Indices = self.moral.neighbours[self.moral.start[node] : self.moral.start[node + 1]]
        return found

    def is_complete(self, part: Part) -> bool:
        """Whether the nodes are pairwise adjacent in the DAG."""
        return 2 * sum(len(self.parents[node] & part) for node in part) == len(part) * (len(part) - 1)

    def is_clique(self, nodes: Indices) -> bool:
        """Whether the sorted nodes are pairwise adjacent in the moral graph."""
        return all(_number_in_common(self.neighbours(node), nodes) == len(nodes) - 1 for node in nodes.tolist())

    def block_of(self, part: Part) -> int:
        """The block that holds all of two or more nodes, or -1."""
        candidates = min((self.blocks_at.of(node) for node in part), key=len)
        return next((block for block in candidates.tolist() if part <= self.block_members(block)), -1)

    def surroundings(self, part: Part) -> Indices:
        """The nodes of the block that holds the part, or all nodes if there is none."""
        block = self.block_of(part)
        return self.blocks.of(block).copy() if block >= 0 else self.everything

    def are_convex(self, parts: Iterable[Part]) -> bool:
        """Whether all parts are d-convex; those of one block are looked at together."""
        by_block: dict[int, list[Part]] = {}
        for part in parts:
            if not self.is_complete(part):
                by_block.setdefault(self.block_of(part), []).append(part)
        return all(self._are_convex(self.surroundings(group[0]), group) for group in by_block.values())

    def _are_convex(self, nodes: Indices, parts: list[Part]) -> bool:
        arcs = self.kernels.restricted_arcs(self.arcs, nodes, self.room)
        marks, inside = load("walks").new_marks(len(nodes)), np.zeros(len(nodes), np.uint8)
        places = (np.searchsorted(nodes, sorted(part)).astype(np.int32) for part in parts)
        return all(self.kernels.is_convex(arcs, marks, inside, own) for own in places)

    def is_minimal(self, separator: Part) -> bool:
        """Whether two components of the moral graph without the separator see all of it."""
        if not separator:
            return len(np.unique(self.trees.components(self.moral))) > 1
        if len(separator) == 1:
            return len(self.blocks_at.of(min(separator))) > 1
        if self.block_of(separator) < 0:
            return False
        return sum(seen == separator for seen in self.boundaries(separator)) > 1

    def boundaries(self, part: Part) -> list[Part]:
        """For each component of the surroundings without the part, the nodes of the part next to it."""
        nodes = self.surroundings(part)
        outside = nodes[~np.isin(nodes, list(part))]
        label = self.trees.components(self.kernels.restricted_graph(self.moral, outside, self.room))
        self.room[outside] = label
        boundary: dict[int, set[int]] = {root: set() for root in np.unique(label).tolist()}
        for node in part:
            for root in set(self.room[self.neighbours(node)].tolist()) - {-1}:
                boundary[root].add(node)
        self.room[outside] = -1
        return list(map(frozenset, boundary.values()))

    def torso(self, cluster: Part, boundaries: Iterable[Part]) -> Any:
        """The moral graph on a cluster in which nodes are joined, too, if a path outside the cluster joins them."""
        separators = Adjacency.from_lists(map(sorted, boundaries))
        edges_at = Adjacency.from_lists([range(len(separators))])
        cliques, numbers = map(self.as_parts, (separators, edges_at))
        return self.kernels.joined_graph(self.moral, _array(cluster), self.room, cliques, numbers, np.int32(0))

    def as_parts(self, lists: Adjacency) -> Any:
        return self.kernels.Parts(lists.start.copy(), lists.neighbours.copy())


def _is_reducible(network: _Network, cluster: Part, mode: str) -> bool:
    """Whether a separator of the mode's kind splits the cluster; False if it is not d-convex.

    The torso is searched first, then those separators are tried that only the rest of the network makes minimal ("satellite").

    One of the components that see all of such a separator lies outside the cluster, so the separator is its boundary.
    """
    nodes = _array(cluster)
    if network.is_clique(nodes) or not network.are_convex([cluster]):
        return False
    boundaries = set(network.boundaries(cluster))
    torso = network.torso(cluster, boundaries)
    if mode == "complete":
        return any(map(network.is_complete, _triangulating_separators(torso, nodes)))
    arcs = network.kernels.restricted_arcs(network.arcs, nodes, network.room)
    status, _ = load("search").find_separator(arcs, torso, mode == "minimal", -1)
    if status == FOUND or mode == "any":
        return bool(status == FOUND)
    splitting = (boundary for boundary in boundaries if _splits(network, boundary, torso, nodes))
    return any(network.is_minimal(boundary) and network.are_convex([boundary]) for boundary in splitting)


def _splits(network: _Network, separator: Part, torso: Any, nodes: Indices) -> bool:
    outside = np.flatnonzero(~np.isin(nodes, list(separator))).astype(np.int32)
    rest = network.kernels.restricted_graph(torso, outside, np.full(len(nodes), -1, np.int32))
    return len(np.unique(network.trees.components(rest))) > 1


def _triangulating_separators(graph: Any, nodes: Indices) -> Iterator[Part]:
    """The separators of a minimal triangulation (LB-Triang): every minimal separator that is a clique is among them."""
    bounds, names = graph.start.tolist(), nodes[graph.neighbours].tolist()
    near = {node: set(names[a:b]) for node, (a, b) in zip(nodes.tolist(), pairwise(bounds), strict=True)}
    for node in near:
        left = set(near) - near[node] - {node}
        while left:
            component, boundary = _grown(near, left)
            left -= component
            for member in boundary:
                near[member] |= boundary - {member}
            yield frozenset(boundary)


def _grown(near: dict[int, set[int]], within: set[int]) -> tuple[set[int], set[int]]:
    """A component of the graph on the nodes `within`, and what lies next to it outside them."""
    stack = [next(iter(within))]
    component, boundary = set(stack), set[int]()
    while stack:
        around = near[stack.pop()] - component
        boundary |= around - within
        stack += around & within
        component |= around & within
    return component, boundary


def _component_count(pairs: np.ndarray[Any, np.dtype[np.int64]], size: int) -> int:
    """How many parts the pairs leave of the vertices 0 … size-1."""
    both = np.concatenate([pairs, pairs[:, ::-1]]).astype(np.int32)
    near = Adjacency.from_pairs(both[:, 0], both[:, 1], size)
    return len(np.unique(load("trees").components(load("moral").Graph(near.start.copy(), near.neighbours.copy()))))


def _number_in_common(longer: Indices, shorter: Indices) -> int:
    """How much two sorted arrays share, at a cost that hardly grows with the longer one."""
    place = np.searchsorted(longer, shorter)
    is_within = place < len(longer)
    return int(np.count_nonzero(longer[place[is_within]] == shorter[is_within]))


def _array(part: Part) -> Indices:
    return np.array(sorted(part), np.int32)
