"""A minimal triangulation by LB-Triang in order of least degree, and the clique tree of what comes out.

LB-Triang makes each vertex x in turn LB-simplicial: for every component C of the graph without N[x], the boundary N(C) is
made a clique. Whatever the order, the result is a minimal triangulation. A vertex whose neighbours form a clique needs no
fill and can be dropped at once; that takes most vertices of a moral graph away before any component is looked for.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from dconvex.kernels.compiling import part
from dconvex.kernels.moral import Graph
from dconvex.kernels.walks import Ints, Longs


class Fill(NamedTuple):
    """Edges added to a graph, in linked lists: from v, follow `first[v]`, then `following`, until -1."""

    first: Ints
    following: Ints
    ends: Ints


class Room(NamedTuple):
    """Room for the search of components; a vertex is marked when its entry equals the stamp of the search."""

    closed: Ints
    """Marked with x: the vertex lies in N[x]."""
    seen: Ints
    """Marked with x: the vertex lies in a component that was already found."""
    touched: Ints
    """Marked with a component's first vertex: the vertex lies in its boundary."""
    queue: Ints
    near: Ints
    boundary: Ints


@part
def fill_edges(graph, most_steps):
    """The pairs that a minimal triangulation adds, one a row, and whether it was found within `most_steps` of walks."""
    size = len(graph.start) - 1
    known = _edge_set(graph)
    fill = Fill(np.full(size, -1, np.int32), np.empty(16, np.int32), np.empty(16, np.int32))
    added = 0
    alive, is_done = np.ones(size, np.uint8), np.zeros(size, np.uint8)
    degree = np.diff(graph.start)
    heap = _heap(degree * size + np.arange(size))
    room = _new_room(size)
    hood, seeds = np.empty(size, np.int32), np.empty(size, np.int32)
    while heap:
        key = heapq.heappop(heap)
        x = key % size
        if is_done[x] or key // size != degree[x]:
            continue
        is_done[x] = 1
        count = _neighbours(graph, fill, alive, x, hood)
        if _is_clique(known, size, hood[:count]):
            alive[x] = 0
            for node in hood[:count]:
                degree[node] -= 1
                if not is_done[node]:
                    heapq.heappush(heap, degree[node] * size + node)
            continue
        if most_steps < 0:
            return np.empty((0, 2), np.int32), False
        room.closed[x] = x
        for node in hood[:count]:
            room.closed[node] = x
        for root in hood[:count]:
            for seed in seeds[: _neighbours(graph, fill, alive, root, seeds)]:
                if room.closed[seed] != x and room.seen[seed] != x:
                    limit, steps = _boundary(graph, fill, alive, x, seed, room)
                    most_steps -= steps
                    fill, added = _married(known, fill, added, degree, room.boundary[:limit])
                    for node in room.boundary[:limit]:
                        if not is_done[node]:
                            heapq.heappush(heap, degree[node] * size + node)
    pairs = np.empty((added, 2), np.int32)
    for edge in range(added):
        pairs[edge, 0], pairs[edge, 1] = fill.ends[2 * edge], fill.ends[2 * edge + 1]
    return pairs, True


@part
def _heap(keys):
    heap = [np.int64(0)]
    heap.pop()
    for key in keys:
        heap.append(key)
    heapq.heapify(heap)
    return heap


@part
def _new_room(size):
    return Room(
        np.full(size, -1, np.int32),
        np.full(size, -1, np.int32),
        np.full(size, -1, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
    )


@part
def _edge_set(graph):
    size = len(graph.start) - 1
    known = {np.int64(-1)}
    for node in range(size):
        for neighbour in graph.neighbours[graph.start[node] : graph.start[node + 1]]:
            if node < neighbour:
                known.add(_edge(size, node, neighbour))
    return known


@part
def _edge(size, a, b):
    return np.int64(min(a, b)) * size + max(a, b)


@part
def _neighbours(graph, fill, alive, node, into):
    """Write the living neighbours of `node` into an array; how many there are."""
    count = 0
    for neighbour in graph.neighbours[graph.start[node] : graph.start[node + 1]]:
        if alive[neighbour]:
            into[count] = neighbour
            count += 1
    link = fill.first[node]
    while link >= 0:
        if alive[fill.ends[link]]:
            into[count] = fill.ends[link]
            count += 1
        link = fill.following[link]
    return count


@part
def _is_clique(known, size, nodes):
    for i in range(len(nodes)):
        for j in range(i):
            if _edge(size, nodes[i], nodes[j]) not in known:
                return False
    return True


@part
def _boundary(graph, fill, alive, x, seed, room):
    """Walk over the component of `seed` outside N[x], write its boundary into the room: (its size, that of the component)."""
    room.seen[seed] = x
    room.queue[0] = seed
    first, last, count = 0, 1, 0
    while first < last:
        node = room.queue[first]
        first += 1
        for neighbour in room.near[: _neighbours(graph, fill, alive, node, room.near)]:
            if room.closed[neighbour] == x:
                if room.touched[neighbour] != seed:
                    room.touched[neighbour] = seed
                    room.boundary[count] = neighbour
                    count += 1
            elif room.seen[neighbour] != x:
                room.seen[neighbour] = x
                room.queue[last] = neighbour
                last += 1
    for node in room.boundary[:count]:  # the same vertex may start a component of a later x
        room.touched[node] = -1
    return count, last


@part
def _married(known, fill, added, degree, nodes):
    """Join all pairs of nodes that are not joined yet."""
    size = len(fill.first)
    for i in range(len(nodes)):
        for j in range(i):
            a, b = nodes[i], nodes[j]
            if _edge(size, a, b) in known:
                continue
            known.add(_edge(size, a, b))
            if 2 * added + 2 > len(fill.ends):
                fill = Fill(fill.first, _doubled(fill.following), _doubled(fill.ends))
            # the entry of an edge at a says where it leads: b, and the other way round
            for spot, near, far in ((2 * added, a, b), (2 * added + 1, b, a)):
                fill.ends[spot] = far
                fill.following[spot] = fill.first[near]
                fill.first[near] = spot
                degree[near] += 1
            added += 1
    return fill, added


@part
def _doubled(array):
    larger = np.empty(2 * len(array), array.dtype)
    larger[: len(array)] = array
    return larger


@part
def with_edges(graph, pairs):
    """The graph with these pairs joined too; the neighbours of a node are no longer sorted."""
    size = len(graph.start) - 1
    degree = np.diff(graph.start)
    for pair in range(len(pairs)):
        degree[pairs[pair, 0]] += 1
        degree[pairs[pair, 1]] += 1
    start = np.zeros(size + 1, np.int64)
    start[1:] = np.cumsum(degree)
    neighbours = np.empty(start[size], np.int32)
    place = start[:-1].copy()
    for node in range(size):
        for neighbour in graph.neighbours[graph.start[node] : graph.start[node + 1]]:
            neighbours[place[node]] = neighbour
            place[node] += 1
    for pair in range(len(pairs)):
        for near, far in ((pairs[pair, 0], pairs[pair, 1]), (pairs[pair, 1], pairs[pair, 0])):
            neighbours[place[near]] = far
            place[near] += 1
    return Graph(start, neighbours)


class CliqueTree(NamedTuple):
    """Cliques in flat arrays; clique i hangs on clique `above[i]` (-1: a root), its first `shared[i]` nodes in common."""

    start: Longs
    nodes: Ints
    above: Ints
    shared: Ints


@part
def clique_tree(chordal):
    """The maximal cliques of a chordal graph and a junction tree of them, by maximum cardinality search.

    Vertices are numbered by how many numbered neighbours they have; a clique ends where that number does not grow.
    """
    size = len(chordal.start) - 1
    start, above, shared = np.zeros(size + 1, np.int64), np.empty(size, np.int32), np.empty(size, np.int32)
    nodes = np.empty(len(chordal.neighbours) // 2 + size, np.int32)
    number, clique_of = np.full(size, -1, np.int32), np.empty(size, np.int32)
    weight = np.zeros(size, np.int64)
    heap = _heap(np.arange(size))
    count, filled, last_weight = 0, 0, np.int64(-1)
    numbered = 0
    while heap:
        key = heapq.heappop(heap)
        node = key % size
        if number[node] >= 0 or -(key // size) != weight[node]:
            continue
        own = chordal.neighbours[chordal.start[node] : chordal.start[node + 1]]
        if weight[node] <= last_weight or count == 0:
            latest = -1
            shared[count] = weight[node]
            for neighbour in own:
                if number[neighbour] >= 0:
                    nodes[filled] = neighbour
                    filled += 1
                    if latest < 0 or number[neighbour] > number[latest]:
                        latest = neighbour
            above[count] = clique_of[latest] if latest >= 0 else -1
            count += 1
        nodes[filled] = node
        filled += 1
        start[count] = filled
        clique_of[node] = count - 1
        last_weight = weight[node]
        number[node] = numbered
        numbered += 1
        for neighbour in own:
            if number[neighbour] < 0:
                weight[neighbour] += 1
                heapq.heappush(heap, -weight[neighbour] * size + neighbour)
    return CliqueTree(start[: count + 1].copy(), nodes[:filled].copy(), above[:count].copy(), shared[:count].copy())
