"""A graph and a tree of clusters over it in a file, and back.

Only the names, the parents, the clusters and the edges between them are stored. All else is derived when a file is opened,
which checks it on the way: that the graph has no cycle, that the clusters form a tree, ascend, have the junction property and
hold every family, and that the separators are d-convex, without which answers would be wrong.
"""

from __future__ import annotations

import numpy as np

from dconvex._core import ClusterIndex as CoreIndex
from dconvex._core import Graph, Ragged
from dconvex.arrays import Indices
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.errors import FormatError
from dconvex.graph.dag import Dag
from dconvex.graph.tree import MODES, ClusterTree
from dconvex.storage.container import Container
from dconvex.storage.sections import Arrays, Record
from dconvex.storage.texts import StoredNameIndex, StoredNames, packed_names


def structure_arrays(index: ClusterIndex) -> tuple[Arrays, Record]:
    """The arrays and facts of a graph and a tree."""
    tree, parents, clusters = index.tree, index.core.graph.parents, index.core.clusters
    ends, _ = tree.joints(index.dag)
    arrays, integers = packed_names(index.dag.nodes)
    arrays |= {
        "graph.offsets": parents.offsets, "graph.parents": parents.values,
        "tree.offsets": clusters.offsets, "tree.members": clusters.values,
        "tree.ends": ends[np.lexsort((ends[:, 1], ends[:, 0]))],
        "tree.undecided": np.array(sorted(tree.undecided), np.int64),
    }  # fmt: skip
    return arrays, {"integers": integers, "mode": tree.mode, "certified": tree.certified}


def stored_count(index: ClusterIndex, *, coherent: bool) -> int:
    """The number of tables in a file: those of the network where the others can be derived from them, else all."""
    return len(index.dag) if coherent else index.table_count


def read_structure(file: Container) -> ClusterIndex:
    """What `structure_arrays` gave, as an index.

    Raises:
        FormatError: It does not describe a graph and a tree of clusters with d-convex separators over it.
    """
    facts = file.facts
    offsets = file.array("names.offsets")
    names = StoredNames.checked(file.array("names.text"), offsets, facts.count("integers"), file.path)
    mode, certified, ends = facts.choice("mode", MODES), facts.flag("certified"), _checked_ends(file)
    try:
        graph = Graph(Ragged(file.array("graph.offsets", len(offsets)), file.array("graph.parents")))
        index = CoreIndex(graph, Ragged(file.array("tree.offsets"), file.array("tree.members")), ends)
    except ValueError as error:
        if isinstance(error, FormatError):
            raise
        raise file.damaged(f"{error}") from None
    undecided = _checked_undecided(file, len(index.clusters))
    if certified and undecided:
        raise file.damaged("a certified tree has undecided clusters")
    _check_separators(index, file.path)
    tree = ClusterTree.from_arrays(
        names, index.clusters, ends, _separators(index, ends), mode=mode, certified=certified, undecided=undecided
    )
    return ClusterIndex(Dag.from_graph(names, StoredNameIndex(names), graph), tree, index)


def _separators(index: CoreIndex, ends: Indices) -> Ragged:
    """For each edge what its two clusters share."""
    by_cluster, one, other = index.separators(), ends[:, 0], ends[:, 1]
    edge_of = np.zeros(len(index.clusters), np.int32)
    edge_of[np.where(index.parent[other] == one, other, one)] = np.arange(len(ends), dtype=np.int32)
    return Ragged.from_pairs(edge_of[by_cluster.owners()], by_cluster.values, len(ends))


def _checked_ends(file: Container) -> Indices:
    """The edges, each with the lower cluster first, ascending."""
    ends: Indices = file.array("tree.ends")
    one, other = ends[:, 0].astype(np.int64), ends[:, 1].astype(np.int64)
    keys = (one << 32) + other
    if not ((one >= 0).all() and (one < other).all() and (keys[1:] > keys[:-1]).all()):
        raise file.damaged("the edges of its tree are not in order")
    return ends


def _checked_undecided(file: Container, clusters: int) -> tuple[int, ...]:
    undecided = file.array("tree.undecided")
    if len(undecided) and not (undecided[0] >= 0 and undecided[-1] < clusters and (undecided[1:] > undecided[:-1]).all()):
        raise file.damaged("its undecided clusters are not in order")
    return tuple(undecided.tolist())


def _check_separators(index: CoreIndex, path: str) -> None:
    cluster = index.find_inducing_separator()
    if cluster >= 0:
        raise FormatError(f"the file is damaged: cluster {cluster} has a separator that is not d-convex", path=path)
