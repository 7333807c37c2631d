"""The moral graph, and its blocks: the parts that no single vertex separates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dconvex.kernels.compiling import kernel, part
from dconvex.kernels.walks import Ints, Longs


class Graph(NamedTuple):
    """An undirected graph: the neighbours of v are `neighbours[start[v]:start[v + 1]]`, sorted."""

    start: Longs
    neighbours: Ints


@kernel
def moral_graph(arcs):
    """Each node joined to its parents, and parents of one child to each other."""
    size = len(arcs.rank)
    seen = np.full(size, -1, np.int32)
    start = np.zeros(size + 1, np.int64)
    for node in range(size):
        start[node + 1] = start[node] + _moral_neighbours(arcs, node, seen, seen[:0])
    seen[:] = -1
    neighbours = np.empty(start[size], np.int32)
    for node in range(size):
        own = neighbours[start[node] : start[node + 1]]
        _moral_neighbours(arcs, node, seen, own)
        own.sort()
    return Graph(start, neighbours)


@part
def _moral_neighbours(arcs, node, seen, into):
    """Count the neighbours of `node`, and write them `into` an array if it has room for them."""
    seen[node] = node
    count = 0
    for parent in arcs.parents[arcs.parent_start[node] : arcs.parent_start[node + 1]]:
        if seen[parent] != node:
            seen[parent] = node
            if len(into):
                into[count] = parent
            count += 1
    for child in arcs.children[arcs.child_start[node] : arcs.child_start[node + 1]]:
        if seen[child] != node:
            seen[child] = node
            if len(into):
                into[count] = child
            count += 1
        for parent in arcs.parents[arcs.parent_start[child] : arcs.parent_start[child + 1]]:
            if seen[parent] != node:
                seen[parent] = node
                if len(into):
                    into[count] = parent
                count += 1
    return count


@kernel
def blocks(graph):
    """The blocks (biconnected components; an isolated vertex is one too) in flat arrays, each sorted: (start, nodes).

    Depth-first search without recursion. A block is closed when the search leaves a child from which nothing above its
    parent can be reached; its vertices are then the topmost of the stack, and the parent.
    """
    size = len(graph.start) - 1
    found = np.zeros(size, np.int32)  # the order in which vertices are found, from 1; 0: not yet
    low = np.zeros(size, np.int32)
    parent = np.full(size, -1, np.int32)
    position = graph.start[:-1].copy()
    path = np.empty(size, np.int32)
    waiting = np.empty(size, np.int32)
    nodes = np.empty(2 * size + 1, np.int32)  # every block but the first of a component repeats one vertex
    start = np.zeros(size + 2, np.int64)
    count, filled, clock = 0, 0, 0
    for root in range(size):
        if found[root]:
            continue
        clock += 1
        found[root] = low[root] = clock
        depth, stacked = 1, 1
        path[0] = waiting[0] = root
        if graph.start[root] == graph.start[root + 1]:
            nodes[filled] = root
            filled += 1
            count += 1
            start[count] = filled
        while depth:
            node = path[depth - 1]
            if position[node] < graph.start[node + 1]:
                neighbour = graph.neighbours[position[node]]
                position[node] += 1
                if not found[neighbour]:
                    clock += 1
                    found[neighbour] = low[neighbour] = clock
                    parent[neighbour] = node
                    path[depth] = waiting[stacked] = neighbour
                    depth += 1
                    stacked += 1
                elif neighbour != parent[node]:
                    low[node] = min(low[node], found[neighbour])
                continue
            depth -= 1
            above = parent[node]
            if above < 0:
                continue
            low[above] = min(low[above], low[node])
            if low[node] >= found[above]:
                while True:
                    stacked -= 1
                    nodes[filled] = waiting[stacked]
                    filled += 1
                    if waiting[stacked] == node:
                        break
                nodes[filled] = above
                filled += 1
                count += 1
                start[count] = filled
                nodes[start[count - 1] : filled].sort()
    return start[: count + 1].copy(), nodes[:filled].copy()
