"""A graph and a tree of clusters over it in a file, and back.

Only the names, the parents, the clusters and the edges between them are stored. All else is derived when a file is opened,
which checks it on the way: that the graph has no cycle, that the clusters form a tree, ascend, have the junction property and
hold every family, and that the separators are d-convex, without which answers would be wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex._core import ClusterIndex, Graph, Ragged
from dconvex.errors import FormatError
from dconvex.graph.tree import MODES, Mode
from dconvex.names import Name
from dconvex.storage.container import Container
from dconvex.storage.texts import StoredNames, packed_names

Arrays: TypeAlias = dict[str, NDArray[Any]]
Ends: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """What is known of a graph and a tree before anything is derived, and the index of both, which has checked them."""

    names: Sequence[Name]
    index: ClusterIndex
    ends: Ends
    """The two clusters of each edge, the lower first, in order."""
    mode: Mode
    certified: bool
    undecided: tuple[int, ...]

    def stored(self) -> tuple[Arrays, dict[str, Any]]:
        """Arrays and facts for a file."""
        arrays, integers = packed_names(self.names)
        parents, clusters = self.index.graph.parents, self.index.clusters
        arrays |= {
            "graph.offsets": parents.offsets, "graph.parents": parents.values,
            "tree.offsets": clusters.offsets, "tree.members": clusters.values, "tree.ends": self.ends,
            "tree.undecided": np.array(self.undecided, np.int64),
        }  # fmt: skip
        return arrays, {"integers": integers, "mode": self.mode, "certified": self.certified}

    @classmethod
    def read(cls, file: Container) -> Structure:
        """What `stored` gave.

        Raises:
            FormatError: It does not describe a graph and a tree of clusters with d-convex separators over it.
        """
        facts = file.facts
        offsets = file.array("names.offsets")
        names = StoredNames.checked(file.array("names.text"), offsets, facts.count("integers"), file.path)
        mode, certified = facts.choice("mode", MODES), facts.flag("certified")
        ends = _checked_ends(file)
        try:
            graph = Graph(Ragged(file.array("graph.offsets", len(offsets)), file.array("graph.parents")))
            index = ClusterIndex(graph, Ragged(file.array("tree.offsets"), file.array("tree.members")), ends)
        except ValueError as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"the file is damaged: {error}", path=file.path) from None
        undecided = _checked_undecided(file, len(index.clusters))
        if certified and undecided:
            raise FormatError("the file is damaged: a certified tree has undecided clusters", path=file.path)
        _check_separators(index, file.path)
        return cls(names, index, ends, mode, certified, undecided)

    def separators(self) -> Ragged:
        """For each edge what its two clusters share."""
        by_cluster, one, other = self.index.separators(), self.ends[:, 0], self.ends[:, 1]
        edge_of = np.zeros(len(self.index.clusters), np.int32)
        edge_of[np.where(self.index.parent[other] == one, other, one)] = np.arange(len(self.ends), dtype=np.int32)
        return Ragged.from_pairs(edge_of[by_cluster.owners()], by_cluster.values, len(self.ends))


def _checked_ends(file: Container) -> Ends:
    """The edges, each with the lower cluster first, ascending."""
    ends: Ends = file.array("tree.ends")
    one, other = ends[:, 0].astype(np.int64), ends[:, 1].astype(np.int64)
    keys = (one << 32) + other
    if not ((one >= 0).all() and (one < other).all() and (keys[1:] > keys[:-1]).all()):
        raise FormatError("the file is damaged: the edges of its tree are not in order", path=file.path)
    return ends


def _checked_undecided(file: Container, clusters: int) -> tuple[int, ...]:
    undecided = file.array("tree.undecided")
    if len(undecided) and not (undecided[0] >= 0 and undecided[-1] < clusters and (undecided[1:] > undecided[:-1]).all()):
        raise FormatError("the file is damaged: its undecided clusters are not in order", path=file.path)
    return tuple(undecided.tolist())


def _check_separators(index: ClusterIndex, path: str) -> None:
    cluster = index.find_inducing_separator()
    if cluster >= 0:
        raise FormatError(f"the file is damaged: cluster {cluster} has a separator that is not d-convex", path=path)
