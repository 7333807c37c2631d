"""Clusters of a tree with their tables: which one each variable has where, and which clusters a question keeps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dconvex.kernels.compiling import kernel, part
from dconvex.kernels.ordering import sort
from dconvex.kernels.walks import Arcs, Ints, Longs


class Clusters(NamedTuple):
    """The members of cluster c are `members[start[c]:start[c + 1]]`, ascending; the tree hangs on cluster 0."""

    start: Longs
    members: Ints
    parent: Ints
    depth: Ints
    holder_start: Longs
    holders: Ints
    """For each variable the clusters that hold it, ascending."""
    top: Ints
    """For each variable the cluster nearest to the root that holds it."""
    smallest: Ints
    """For each variable the smallest cluster that holds it."""
    table: Ints
    """For each member the table that its cluster has for it."""
    toward: Ints
    """For each member the neighbouring cluster on the way to its whole family, -1 where the cluster holds the family."""


class Families(NamedTuple):
    """Tables by number: `variable` given `parents[parent_start[t]:parent_start[t + 1]]`; the first are the network's own.

    The others are derived: in cluster `source`, where what lies behind cluster `behind` plays no part.
    """

    variable: Ints
    parent_start: Longs
    parents: Ints
    source: Ints
    behind: Ints


class Scratch(NamedTuple):
    """Room that one thread uses again and again: an entry counts when it equals the stamp of the walk at hand."""

    stamp: Longs
    cluster: Longs
    variable: Longs
    local: Longs


def packed(*parts):
    """The arrays of named tuples, one after the other, in one array: a kernel takes that much faster from Python than many.

    Its head says where each begins.
    """
    arrays = []
    for part_ in parts:
        arrays.extend(part_)
    start = np.cumsum(np.array([1 + len(arrays), *(len(array) for array in arrays)]))
    return np.concatenate([start, *arrays], dtype=np.int64)


@part
def _piece(image, number):
    return image[image[number] : image[number + 1]]


@part
def unpacked(image):
    """The clusters, families and arcs of a packed model."""
    clusters = Clusters(
        _piece(image, 0), _piece(image, 1), _piece(image, 2), _piece(image, 3), _piece(image, 4),
        _piece(image, 5), _piece(image, 6), _piece(image, 7), _piece(image, 8), _piece(image, 9),
    )  # fmt: skip
    families = Families(_piece(image, 10), _piece(image, 11), _piece(image, 12), _piece(image, 13), _piece(image, 14))
    arcs = Arcs(_piece(image, 15), _piece(image, 16), _piece(image, 17), _piece(image, 18), _piece(image, 19))
    return clusters, families, arcs


@part
def unpacked_scratch(image, variables):
    clusters = len(image) - 1 - 2 * variables
    return Scratch(
        image[:1], image[1 : 1 + clusters], image[1 + clusters : 1 + clusters + variables], image[1 + clusters + variables :]
    )


@kernel
def member_families(arcs, start, members, parent, by_depth):
    """For each member: a hash of those of its parents that the cluster holds, whether it holds all, and `toward`."""
    size = len(arcs.parent_start) - 1
    entries = len(members)
    code = np.zeros(entries, np.uint64)
    whole = np.zeros(entries, np.uint8)
    place = np.full(size, -1, np.int64)
    for cluster in range(len(start) - 1):
        for entry in range(start[cluster], start[cluster + 1]):
            place[members[entry]] = entry
        for entry in range(start[cluster], start[cluster + 1]):
            node = members[entry]
            count = 0
            for p in arcs.parents[arcs.parent_start[node] : arcs.parent_start[node + 1]]:
                if place[p] >= start[cluster]:
                    count += 1
                    code[entry] += _mixed(np.uint64(p))
            whole[entry] = count == arcs.parent_start[node + 1] - arcs.parent_start[node]
        for entry in range(start[cluster], start[cluster + 1]):
            place[members[entry]] = -1
    toward = np.full(entries, -1, np.int32)
    below = whole.copy()
    for at in range(len(by_depth) - 1, 0, -1):  # from the deepest cluster up
        cluster = by_depth[at]
        above = parent[cluster]
        first, second = start[cluster], start[above]
        while first < start[cluster + 1] and second < start[above + 1]:
            if members[first] < members[second]:
                first += 1
            elif members[first] > members[second]:
                second += 1
            else:
                if below[first] and not whole[second]:
                    below[second] = 1
                    toward[second] = cluster
                if not below[first]:
                    toward[first] = above
                first += 1
                second += 1
    return code, whole, toward


@part
def _mixed(number):
    """A well-spread hash of a number."""
    mixed = (number + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


@part
def place_in(start, members, cluster, node):
    """Where `node` stands among the members of `cluster`, or -1."""
    low, high = start[cluster], start[cluster + 1]
    while low < high:
        middle = (low + high) // 2
        if members[middle] < node:
            low = middle + 1
        else:
            high = middle
    if low < start[cluster + 1] and members[low] == node:
        return low
    return -1


@kernel
def derived_tables(arcs, start, members, table, toward, count):
    """Where each derived table comes from, and its parents: (source, behind, parent_start, parents) of all tables."""
    own = len(arcs.parent_start) - 1
    source, behind = np.full(count, -1, np.int32), np.full(count, -1, np.int32)
    sizes = np.zeros(count + 1, np.int64)
    for node in range(own):
        sizes[node + 1] = arcs.parent_start[node + 1] - arcs.parent_start[node]
    for cluster in range(len(start) - 1):
        for entry in range(start[cluster], start[cluster + 1]):
            t = table[entry]
            if t < own or source[t] >= 0:
                continue
            if table[place_in(start, members, toward[entry], members[entry])] == t:
                continue
            source[t], behind[t] = toward[entry], cluster
            node = members[entry]
            for p in arcs.parents[arcs.parent_start[node] : arcs.parent_start[node + 1]]:
                sizes[t + 1] += place_in(start, members, cluster, p) >= 0
    parent_start = np.cumsum(sizes)
    parents = np.empty(parent_start[count], np.int32)
    parents[: len(arcs.parents)] = arcs.parents
    for entry in range(len(members)):
        t = table[entry]
        if t >= own and source[t] >= 0:
            at = parent_start[t]
            node = members[entry]
            for p in arcs.parents[arcs.parent_start[node] : arcs.parent_start[node + 1]]:
                if place_in(start, members, behind[t], p) >= 0:
                    parents[at] = p
                    at += 1
    return source, behind, parent_start, parents


@kernel
def new_scratch(variables, clusters):
    return Scratch(
        np.zeros(1, np.int64), np.zeros(clusters, np.int64), np.zeros(variables, np.int64), np.zeros(variables, np.int64)
    )


@kernel
def keep(clusters, scratch, wanted):
    """The smallest subtree that holds the wanted variables, marked with a new stamp; none where nothing is wanted.

    If one cluster holds them all, it is the one with the fewest variables, among those the first. Otherwise climb from the
    deepest tops until the paths have met and every variable is held: whatever lies below the deepest top holds no variable
    of a top that is not above it, so that top is kept; the others are met on the way, or else their tops are kept too.
    """
    scratch.stamp[0] += 1
    stamp = scratch.stamp[0]
    if len(wanted) == 0:
        return np.empty(0, np.int32)
    single = _single(clusters, wanted)
    if single >= 0:
        scratch.cluster[single] = stamp
        kept = np.empty(1, np.int32)
        kept[0] = single
        return kept
    rank = np.empty(len(wanted), np.int64)
    is_met = np.zeros(len(wanted), np.uint8)
    for k in range(len(wanted)):
        is_met[k] = scratch.variable[wanted[k]] == -stamp  # a second time
        if not is_met[k]:
            scratch.variable[wanted[k]], scratch.local[wanted[k]] = -stamp, k
        rank[k] = (np.int64(clusters.depth[clusters.top[wanted[k]]]) << 32) | k
    sort(rank)
    waiting = len(wanted)
    kept = np.empty(64, np.int32)
    count = 0
    heap = np.empty(len(wanted) + 1, np.int64)  # (-depth, cluster) of the tips
    tips = 0
    while True:
        while waiting and is_met[rank[waiting - 1] & 0xFFFFFFFF]:
            waiting -= 1
        if waiting:
            deepest = clusters.top[wanted[rank[waiting - 1] & 0xFFFFFFFF]]
        if waiting and (tips == 0 or clusters.depth[deepest] >= -(heap[0] >> 32)):
            following = deepest
        elif waiting == 0 and tips == 1:
            return kept[:count]
        else:
            following = clusters.parent[heap[0] & 0xFFFFFFFF]
            tips = _pop(heap, tips)
        if scratch.cluster[following] != stamp:
            scratch.cluster[following] = stamp
            if count == len(kept):
                grown = np.empty(2 * count, np.int32)
                grown[:count] = kept
                kept = grown
            kept[count] = following
            count += 1
            tips = _push(heap, tips, ((-np.int64(clusters.depth[following])) << 32) | following)
            for node in clusters.members[clusters.start[following] : clusters.start[following + 1]]:
                if scratch.variable[node] == -stamp:
                    is_met[scratch.local[node]] = 1


@part
def _single(clusters, wanted):
    """The smallest cluster that holds all the wanted variables, or -1."""
    if len(wanted) == 1:
        return clusters.smallest[wanted[0]]
    rarest = wanted[0]
    for node in wanted:
        held = clusters.holder_start[node + 1] - clusters.holder_start[node]
        if held < clusters.holder_start[rarest + 1] - clusters.holder_start[rarest]:
            rarest = node
    best = -1
    for cluster in clusters.holders[clusters.holder_start[rarest] : clusters.holder_start[rarest + 1]]:
        size = clusters.start[cluster + 1] - clusters.start[cluster]
        if best >= 0 and size >= clusters.start[best + 1] - clusters.start[best]:
            continue
        holds_all = True
        for node in wanted:
            if place_in(clusters.start, clusters.members, cluster, node) < 0:
                holds_all = False
                break
        if holds_all:
            best = cluster
    return best


@part
def _push(heap, size, key):
    at = size
    while at and heap[(at - 1) // 2] > key:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = key
    return size + 1


@part
def _pop(heap, size):
    """Take the first key out; the new size."""
    size -= 1
    key = heap[size]
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= key:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = key
    return size


@kernel
def kept_families(clusters, scratch, kept):
    """The variables of the kept clusters and the table of each, from the kept cluster that is nearest to its family."""
    stamp = scratch.stamp[0]
    room = 0
    for cluster in kept:
        room += clusters.start[cluster + 1] - clusters.start[cluster]
    nodes, tables = np.empty(room, np.int32), np.empty(room, np.int32)
    count = 0
    for cluster in kept:
        for entry in range(clusters.start[cluster], clusters.start[cluster + 1]):
            node = clusters.members[entry]
            if scratch.variable[node] != stamp:
                scratch.variable[node] = stamp
                scratch.local[node] = count
                nodes[count] = node
                count += 1
            onward = clusters.toward[entry]
            if onward < 0 or scratch.cluster[onward] != stamp:
                tables[scratch.local[node]] = clusters.table[entry]
    return nodes[:count], tables[:count]


@part
def ancestral_families(arcs, scratch, wanted):
    """The wanted variables and all their ancestors, each with the network's own table."""
    scratch.stamp[0] += 1
    stamp = scratch.stamp[0]
    nodes = np.empty(64, np.int32)
    count = 0
    for node in wanted:
        if scratch.variable[node] != stamp:
            scratch.variable[node] = stamp
            scratch.local[node] = count
            nodes = _appended(nodes, count, node)
            count += 1
    first = 0
    while first < count:
        node = nodes[first]
        first += 1
        for parent in arcs.parents[arcs.parent_start[node] : arcs.parent_start[node + 1]]:
            if scratch.variable[parent] != stamp:
                scratch.variable[parent] = stamp
                scratch.local[parent] = count
                nodes = _appended(nodes, count, parent)
                count += 1
    return nodes[:count], nodes[:count].copy()


@part
def _appended(array, count, value):
    if count == len(array):
        grown = np.empty(2 * count, array.dtype)
        grown[:count] = array
        array = grown
    array[count] = value
    return array


@part
def source_families(clusters, scratch, table, families):
    """The variables of the cluster from which a table is derived, each with its table; -1 for what lies behind."""
    scratch.stamp[0] += 1
    stamp = scratch.stamp[0]
    source = families.source[table]
    first, last = clusters.start[source], clusters.start[source + 1]
    nodes, tables = np.empty(last - first, np.int32), np.empty(last - first, np.int32)
    nodes[:] = clusters.members[first:last]
    tables[:] = clusters.table[first:last]
    for entry in range(first, last):
        node = clusters.members[entry]
        scratch.variable[node] = stamp
        scratch.local[node] = entry - first
        if clusters.toward[entry] == families.behind[table]:
            tables[entry - first] = -1
    return nodes, tables
