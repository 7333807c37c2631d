"""The clusters of a tree over a DAG, and which table each has for each of its variables, by number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dconvex._core import ClusterIndex as CoreIndex
from dconvex._core import Ragged
from dconvex.arrays import Indices
from dconvex.graph.dag import Dag
from dconvex.graph.tree import ClusterTree


@dataclass(frozen=True, slots=True, eq=False)
class ClusterIndex:
    """A DAG, a tree of clusters over it, and the index of families by cluster as the native core has it."""

    dag: Dag
    tree: ClusterTree
    core: CoreIndex

    @classmethod
    def of(cls, dag: Dag, tree: ClusterTree) -> ClusterIndex:
        """The index of a tree that covers every family of the DAG."""
        offsets, members, parent, _ = tree.rooted_arrays(dag)
        ends = np.stack([parent[1:], np.arange(1, len(parent), dtype=np.int32)], axis=1)
        return cls(dag, tree, CoreIndex(dag.graph, Ragged(offsets, members), ends))

    @property
    def table_count(self) -> int:
        """The number of tables: one for each variable, and those that clusters derive."""
        return self.core.table_count

    def parents_of(self, table: int) -> Indices:
        """The parents of a table's variable that the table has, in the order of its axes."""
        return self.core.table_parents[table]

    def kept_clusters(self, variables: Sequence[int]) -> Indices:
        """The clusters that a question about these variables keeps, ascending."""
        return self.core.kept_clusters(np.array(variables, np.int32))
