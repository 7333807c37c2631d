"""Algorithm 2 block by block: triangulate, test the separators of the clique tree, merge across those that fail."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dconvex.kernels.compiling import kernel, part
from dconvex.kernels.convexity import first_inducing_pair, have_common_ancestor_nearby
from dconvex.kernels.moral import Graph
from dconvex.kernels.search import find_separator
from dconvex.kernels.triangulation import clique_tree, fill_edges, with_edges
from dconvex.kernels.walks import Arcs, Ints, Longs, are_adjacent, new_marks

KEEP_CONVEX, KEEP_COMPLETE, KEEP_ALL = 0, 1, 2
STEPS_UPWARDS = 32


class Parts(NamedTuple):
    """Sets of nodes, one after the other: part i is `nodes[start[i]:start[i + 1]]`, sorted."""

    start: Longs
    nodes: Ints


class Clusters(NamedTuple):
    """The clusters of all blocks, and the tree edges within blocks with their separators."""

    clusters: Parts
    block: Ints
    """For each cluster the block it belongs to."""
    ends: Ints
    """Two clusters for each edge."""
    separators: Parts


@kernel
def algorithm_2(arcs, graph, blocks, keep, most_steps):
    """Clusters and edges of every block; complete blocks, and those too large to triangulate, are clusters as they are."""
    place = np.full(len(arcs.rank), -1, np.int32)
    clusters, separators = _new_parts(), _new_parts()
    block_of, ends = np.empty(16, np.int32), np.empty(16, np.int32)
    count = edges = 0
    for block in range(len(blocks.start) - 1):
        nodes = blocks.nodes[blocks.start[block] : blocks.start[block + 1]]
        local = restricted_graph(graph, nodes, place)
        before = count
        is_complete = len(local.neighbours) == len(nodes) * (len(nodes) - 1)
        fill, is_filled = fill_edges(local, most_steps) if not is_complete else (_no_pairs(), False)
        if not is_filled:
            clusters = _appended(clusters, count, nodes)
            count += 1
        else:
            tree = clique_tree(with_edges(local, fill))
            group = _merged(restricted_arcs(arcs, nodes, place), tree, keep)
            by_group = np.argsort(group, kind="mergesort")
            first = 0
            while first < len(by_group):
                last = first + 1
                while last < len(by_group) and group[by_group[last]] == group[by_group[first]]:
                    last += 1
                clusters = _appended(clusters, count, nodes[_union(tree, by_group[first:last])])
                count += 1
                first = last
            for clique in range(len(tree.above)):
                above = tree.above[clique]
                if above >= 0 and group[clique] != group[above]:
                    shared = tree.nodes[tree.start[clique] : tree.start[clique] + tree.shared[clique]]
                    separators = _appended(separators, edges, nodes[np.sort(shared)])
                    ends = _roomy(ends, 2 * edges + 2)
                    ends[2 * edges], ends[2 * edges + 1] = before + group[clique], before + group[above]
                    edges += 1
        block_of = _roomy(block_of, count)
        block_of[before:count] = block
    return Clusters(_trimmed(clusters, count), block_of[:count].copy(), ends[: 2 * edges].copy(), _trimmed(separators, edges))


@part
def _no_pairs():
    return np.empty((0, 2), np.int32)


@kernel
def restricted_graph(graph, nodes, place):
    """The induced subgraph on `nodes`, renumbered; `place` is -1 everywhere before and after."""
    for i in range(len(nodes)):
        place[nodes[i]] = i
    start = np.zeros(len(nodes) + 1, np.int64)
    for i in range(len(nodes)):
        start[i + 1] = start[i]
        for neighbour in graph.neighbours[graph.start[nodes[i]] : graph.start[nodes[i] + 1]]:
            start[i + 1] += place[neighbour] >= 0
    neighbours = np.empty(start[len(nodes)], np.int32)
    filled = 0
    for node in nodes:
        for neighbour in graph.neighbours[graph.start[node] : graph.start[node + 1]]:
            if place[neighbour] >= 0:
                neighbours[filled] = place[neighbour]
                filled += 1
    for node in nodes:
        place[node] = -1
    return Graph(start, neighbours)


@kernel
def restricted_arcs(arcs, nodes, place):
    """The induced DAG on `nodes`, renumbered; ranks are kept."""
    above = restricted_graph(Graph(arcs.parent_start, arcs.parents), nodes, place)
    below = restricted_graph(Graph(arcs.child_start, arcs.children), nodes, place)
    return Arcs(above.start, above.neighbours, below.start, below.neighbours, arcs.rank[nodes])


@part
def _merged(arcs, tree, keep):
    """For each clique the number of its cluster: cliques are merged across the separators that are not kept."""
    size = len(arcs.rank)
    marks, inside = new_marks(size), np.zeros(size, np.uint8)
    leader = np.arange(len(tree.above)).astype(np.int32)
    for clique in range(len(tree.above)):  # a clique's parent in the tree comes before it
        if tree.above[clique] < 0 or keep == KEEP_ALL:
            continue
        separator = tree.nodes[tree.start[clique] : tree.start[clique] + tree.shared[clique]]
        if _is_complete(arcs, separator):
            continue
        if keep == KEEP_CONVEX and is_convex(arcs, marks, inside, separator):
            continue
        leader[clique] = leader[tree.above[clique]]
    group, count = np.empty(len(leader), np.int32), 0
    for clique in range(len(leader)):
        if leader[clique] == clique:
            group[clique] = count
            count += 1
        else:
            group[clique] = group[leader[clique]]
    return group


@part
def _is_complete(arcs, nodes):
    for i in range(len(nodes)):
        for j in range(i):
            if not are_adjacent(arcs, nodes[i], nodes[j]):
                return False
    return True


@kernel
def is_convex(arcs, marks, inside, nodes):
    """Whether the nodes are d-convex; `inside` is all 0 before and after."""
    for node in nodes:
        inside[node] = 1
    is_joined = _are_some_related(arcs, marks, nodes, inside)
    if not is_joined:
        u, _ = first_inducing_pair(arcs, marks, nodes, inside)
        is_joined = u >= 0
    for node in nodes:
        inside[node] = 0
    return not is_joined


@part
def _are_some_related(arcs, marks, nodes, inside):
    """Whether a short look upwards already finds an inducing path; most separators that are not d-convex show it there."""
    for i in range(len(nodes)):
        for j in range(i):
            u, v = nodes[i], nodes[j]
            if not are_adjacent(arcs, u, v) and have_common_ancestor_nearby(arcs, marks, u, v, inside, STEPS_UPWARDS):
                return True
    return False


@part
def _union(tree, cliques):
    """The nodes of several cliques, each once, sorted."""
    size = 0
    for clique in cliques:
        size += tree.start[clique + 1] - tree.start[clique]
    nodes, filled = np.empty(size, np.int32), 0
    for clique in cliques:
        for node in tree.nodes[tree.start[clique] : tree.start[clique + 1]]:
            nodes[filled] = node
            filled += 1
    return np.unique(nodes)


@kernel
def search_clusters(arcs, graph, clusters, separators, edges_at, wanted, minimal, effort):
    """For each wanted cluster what `find_separator` says of it: (statuses, the separators found).

    `edges_at` lists for each cluster the tree edges at it, on whose separators it gets cliques.
    """
    place = np.full(len(arcs.rank), -1, np.int32)
    status = np.zeros(len(wanted), np.int32)
    found = _new_parts()
    for i in range(len(wanted)):
        nodes = clusters.nodes[clusters.start[wanted[i]] : clusters.start[wanted[i] + 1]]
        joined = joined_graph(graph, nodes, place, separators, edges_at, wanted[i])
        status[i], separator = find_separator(restricted_arcs(arcs, nodes, place), joined, minimal, effort)
        found = _appended(found, i, nodes[np.flatnonzero(separator)])
    return status, _trimmed(found, len(wanted))


@kernel
def split_by_tree(graph, clusters, separators, edges_at, ends):
    """1 for each cluster that a separator of the tree splits ("satellite").

    A separator inside a cluster C lies, by the junction property, in every separator on the way to it, so the walk outwards
    from C stops where less than two nodes of C are left.
    """
    place = np.full(len(graph.start) - 1, -1, np.int32)
    split = np.zeros(len(clusters.start) - 1, np.uint8)
    stack, came_from = np.empty(len(split), np.int32), np.empty(len(split), np.int32)
    for cluster in range(len(split)):
        if edges_at.start[cluster] == edges_at.start[cluster + 1]:
            continue
        nodes = clusters.nodes[clusters.start[cluster] : clusters.start[cluster + 1]]
        joined = joined_graph(graph, nodes, place, separators, edges_at, cluster)
        if len(joined.neighbours) == len(nodes) * (len(nodes) - 1):
            continue
        stack[0], came_from[0] = cluster, -1
        waiting = 1
        while waiting and not split[cluster]:
            waiting -= 1
            here, origin = stack[waiting], came_from[waiting]
            for edge in edges_at.nodes[edges_at.start[here] : edges_at.start[here + 1]]:
                there = ends[2 * edge] + ends[2 * edge + 1] - here
                if there == origin:
                    continue
                separator = separators.nodes[separators.start[edge] : separators.start[edge + 1]]
                shared = _shared(nodes, separator)
                if len(shared) < 2:
                    continue
                if len(shared) == len(separator) and _is_disconnected_without(joined, shared):
                    split[cluster] = 1
                    break
                stack[waiting], came_from[waiting] = there, here
                waiting += 1
    return split


@part
def _shared(nodes, others):
    """The places in `nodes` of those that are in `others` too; both are sorted."""
    found, count, i = np.empty(len(others), np.int32), 0, 0
    for other in others:
        while i < len(nodes) and nodes[i] < other:
            i += 1
        if i < len(nodes) and nodes[i] == other:
            found[count] = i
            count += 1
    return found[:count]


@part
def _is_disconnected_without(graph, separator):
    """Whether the graph without the separator has more than one component."""
    size = len(graph.start) - 1
    seen = np.zeros(size, np.uint8)
    for node in separator:
        seen[node] = 1
    queue, first, last = np.empty(size, np.int32), 0, 0
    for node in range(size):
        if not seen[node]:
            seen[node] = 1
            queue[0] = node
            last = 1
            break
    while first < last:
        node = queue[first]
        first += 1
        for neighbour in graph.neighbours[graph.start[node] : graph.start[node + 1]]:
            if not seen[neighbour]:
                seen[neighbour] = 1
                queue[last] = neighbour
                last += 1
    return last + len(separator) < size


@kernel
def joined_graph(graph, nodes, place, separators, edges_at, cluster):
    """The moral graph on a cluster's nodes, with a clique on every separator towards a neighbour."""
    local = restricted_graph(graph, nodes, place)
    size = len(nodes)
    known = {np.int64(-1)}
    for node in range(size):
        for neighbour in local.neighbours[local.start[node] : local.start[node + 1]]:
            known.add(np.int64(node) * size + neighbour)
    pairs, count = np.empty((4, 2), np.int32), 0
    for edge in edges_at.nodes[edges_at.start[cluster] : edges_at.start[cluster + 1]]:
        own = np.searchsorted(nodes, separators.nodes[separators.start[edge] : separators.start[edge + 1]])
        for i in range(len(own)):
            for j in range(i):
                if own[j] * size + own[i] not in known:
                    known.add(own[j] * size + own[i])
                    if count == len(pairs):
                        larger = np.empty((2 * count, 2), np.int32)
                        larger[:count] = pairs
                        pairs = larger
                    pairs[count, 0], pairs[count, 1] = own[j], own[i]
                    count += 1
    return with_edges(local, pairs[:count])


@part
def _new_parts():
    return Parts(np.zeros(17, np.int64), np.empty(64, np.int32))


@part
def _appended(parts, count, nodes):
    start, flat = _roomy(parts.start, count + 2), _roomy(parts.nodes, parts.start[count] + len(nodes))
    start[count + 1] = start[count] + len(nodes)
    flat[start[count] : start[count + 1]] = nodes
    return Parts(start, flat)


@part
def _trimmed(parts, count):
    return Parts(parts.start[: count + 1].copy(), parts.nodes[: parts.start[count]].copy())


@part
def _roomy(array, needed):
    if needed <= len(array):
        return array
    larger = np.empty(max(needed, 2 * len(array)), array.dtype)
    larger[: len(array)] = array
    return larger
