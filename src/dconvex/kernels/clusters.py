"""Clusters of a tree with their tables: which one each variable has where, and which clusters a question keeps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dconvex.kernels.compiling import bare_kernel, bare_part, inlined, kernel, part
from dconvex.kernels.room import POOL, filled, last_taken, longs, put, sort, whole_room
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


@inlined
def _piece(image, number):
    return image[image[number] : image[number + 1]]


@bare_part
def unpacked(image):
    """The clusters, families and arcs of a packed model."""
    clusters = Clusters(
        _piece(image, 0), _piece(image, 1), _piece(image, 2), _piece(image, 3), _piece(image, 4),
        _piece(image, 5), _piece(image, 6), _piece(image, 7), _piece(image, 8), _piece(image, 9),
    )  # fmt: skip
    families = Families(_piece(image, 10), _piece(image, 11), _piece(image, 12), _piece(image, 13), _piece(image, 14))
    arcs = Arcs(_piece(image, 15), _piece(image, 16), _piece(image, 17), _piece(image, 18), _piece(image, 19))
    return clusters, families, arcs


@bare_part
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


@bare_part
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


@bare_kernel
def kept_clusters(memory, float_memory, model, room_for_walks, wanted):
    """Where in the memory the kept clusters stand: (begin, end); see `keep`."""
    clusters, _, arcs = unpacked(model)
    room = whole_room(memory, float_memory)
    kept = keep(room, clusters, unpacked_scratch(room_for_walks, len(arcs.rank)), wanted)[0]
    found = longs(room, len(kept))
    for k in range(len(kept)):
        found[k] = kept[k]
    return last_taken(room, len(kept))


@bare_part
def keep(room, clusters, scratch, wanted):
    """The smallest subtree that holds the wanted variables, marked with a new stamp; none where nothing is wanted.

    If one cluster holds them all, it is the one with the fewest variables, among those the first. Otherwise climb from the
    deepest tops until the paths have met and every variable is held: whatever lies below the deepest top holds no variable
    of a top that is not above it, so that top is kept; the others are met on the way, or else their tops are kept too.
    """
    scratch.stamp[0] += 1
    stamp = scratch.stamp[0]
    first = room.top[POOL]
    if len(wanted) == 0:
        return (room.pool[first:first],)
    single = _single(clusters, wanted)
    if single >= 0:
        scratch.cluster[single] = stamp
        put(room, first, single)
        room.top[POOL] = first + 1
        return (room.pool[first : first + 1],)
    rank, heap = longs(room, len(wanted)), longs(room, len(wanted) + 1)  # of the tips: (-depth, cluster)
    is_met = filled(room, len(wanted), 0)
    for k in range(len(wanted)):
        is_met[k] = scratch.variable[wanted[k]] == -stamp  # a second time
        if not is_met[k]:
            scratch.variable[wanted[k]], scratch.local[wanted[k]] = -stamp, k
        rank[k] = (clusters.depth[clusters.top[wanted[k]]] << 32) | k
    sort(rank)
    waiting = len(wanted)
    count, tips = 0, 0
    while True:
        while waiting and is_met[rank[waiting - 1] & 0xFFFFFFFF]:
            waiting -= 1
        deepest = clusters.top[wanted[rank[waiting - 1] & 0xFFFFFFFF]] if waiting else -1
        if waiting and (tips == 0 or clusters.depth[deepest] >= -(heap[0] >> 32)):
            following = deepest
        elif waiting == 0 and tips == 1:
            room.top[POOL] = first + count
            return (room.pool[first : first + count],)
        else:
            following = clusters.parent[heap[0] & 0xFFFFFFFF]
            tips = _pop(heap, tips)
        if scratch.cluster[following] != stamp:
            scratch.cluster[following] = stamp
            put(room, first + count, following)
            count += 1
            tips = _push(heap, tips, ((-clusters.depth[following]) << 32) | following)
            for entry in range(clusters.start[following], clusters.start[following + 1]):
                node = clusters.members[entry]
                if scratch.variable[node] == -stamp:
                    is_met[scratch.local[node]] = 1


@bare_part
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


@bare_part
def _push(heap, size, key):
    at = size
    while at and heap[(at - 1) // 2] > key:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = key
    return size + 1


@bare_part
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


@bare_part
def kept_families(room, clusters, scratch, kept):
    """The variables of the kept clusters and the table of each, from the kept cluster that is nearest to its family."""
    stamp = scratch.stamp[0]
    most = 0
    for cluster in kept:
        most += clusters.start[cluster + 1] - clusters.start[cluster]
    nodes, tables = longs(room, most), longs(room, most)
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


@bare_part
def ancestral_families(room, arcs, scratch, wanted):
    """The wanted variables and all their ancestors, each with the network's own table."""
    scratch.stamp[0] += 1
    stamp = scratch.stamp[0]
    begin = room.top[POOL]
    end = begin
    for node in wanted:
        end = _met(room, scratch, stamp, begin, end, node)
    first = begin
    while first < end:
        node = room.pool[first]
        first += 1
        for k in range(arcs.parent_start[node], arcs.parent_start[node + 1]):
            end = _met(room, scratch, stamp, begin, end, arcs.parents[k])
    room.top[POOL] = end
    return room.pool[begin:end], room.pool[begin:end]


@bare_part
def _met(room, scratch, stamp, begin, end, node):
    """Add a node to the list in the pool unless it is there; the list's new end."""
    if scratch.variable[node] == stamp:
        return end
    scratch.variable[node] = stamp
    scratch.local[node] = end - begin
    put(room, end, node)
    return end + 1


@bare_part
def source_families(room, clusters, scratch, table, families):
    """The variables of the cluster from which a table is derived, each with its table; -1 for what lies behind."""
    scratch.stamp[0] += 1
    stamp = scratch.stamp[0]
    source = families.source[table]
    first, last = clusters.start[source], clusters.start[source + 1]
    nodes, tables = longs(room, last - first), longs(room, last - first)
    for entry in range(first, last):
        node, place = clusters.members[entry], entry - first
        scratch.variable[node], scratch.local[node] = stamp, place
        nodes[place] = node
        tables[place] = -1 if clusters.toward[entry] == families.behind[table] else clusters.table[entry]
    return nodes, tables
