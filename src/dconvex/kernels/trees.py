"""Trees and components in arrays."""

from __future__ import annotations

import numpy as np

from dconvex.kernels.compiling import kernel


@kernel
def components(graph):
    """For each vertex the lowest vertex of its connected component."""
    size = len(graph.start) - 1
    label = np.full(size, -1, np.int32)
    stack = np.empty(size, np.int32)
    for root in range(size):
        if label[root] >= 0:
            continue
        label[root] = root
        stack[0] = root
        count = 1
        while count:
            count -= 1
            node = stack[count]
            for neighbour in graph.neighbours[graph.start[node] : graph.start[node + 1]]:
                if label[neighbour] < 0:
                    label[neighbour] = root
                    stack[count] = neighbour
                    count += 1
    return label


@kernel
def rooted(tree):
    """For each vertex of a tree its parent (-1 for vertex 0, the root) and its depth."""
    size = len(tree.start) - 1
    parent, depth = np.full(size, -1, np.int32), np.zeros(size, np.int32)
    queue = np.zeros(size, np.int32)
    first, last = 0, min(size, 1)
    while first < last:
        node = queue[first]
        first += 1
        for neighbour in tree.neighbours[tree.start[node] : tree.start[node + 1]]:
            if neighbour != parent[node]:
                parent[neighbour] = node
                depth[neighbour] = depth[node] + 1
                queue[last] = neighbour
                last += 1
    return parent, depth


@kernel
def tops(start, nodes, depth, size):
    """For each of `size` nodes the cluster nearest to the root that holds it, or -1."""
    top = np.full(size, -1, np.int32)
    for cluster in range(len(start) - 1):
        for node in nodes[start[cluster] : start[cluster + 1]]:
            if top[node] < 0 or depth[cluster] < depth[top[node]]:
                top[node] = cluster
    return top
