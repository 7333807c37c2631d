"""The minimal d-decomposition tree of a DAG, and its relatives.

The moral graph is cut into blocks first: separators of no or one vertex are d-convex for free. Each block is triangulated,
clusters of its clique tree are merged across separators that are not d-convex (Algorithm 2 of the paper), and what that leaves
reducible is split further (the paper's theorem 2 does not hold; deciding it is NP-complete, so the search has a limit). All of
that is one call of the native core; `core/graph/decomposition.hpp` is where to read it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dconvex._core import Ragged
from dconvex.graph.dag import Dag, DagLike, as_dag
from dconvex.graph.tree import MODES, ClusterTree, Mode
from dconvex.threads import thread_count

if TYPE_CHECKING:
    from dconvex._core import Refinement

UNLIMITED = 2**62
"""More search nodes than any search visits."""


FEW = 100
"""A graph of fewer nodes is decomposed before a second thread could help."""


def decompose(
    dag: DagLike,
    *,
    separators: Mode = "minimal",
    refine: bool = True,
    effort: int | None = 100_000,
    n_jobs: int | None = None,
) -> ClusterTree:
    """Split a DAG into a tree of clusters that can be learned and queried on their own.

    Args:
        dag: The graph: a `Dag`, a networkx `DiGraph`, an iterable of edges, or a network.
        separators: "minimal" gives the minimal d-decomposition tree; "any" allows d-convex separators that are not minimal
            (smaller clusters, more overlap); "complete" only those whose nodes are pairwise adjacent in the DAG; "all" is the
            clique tree of a minimal triangulation, for comparison only, as its separators need not be d-convex.
        refine: Whether to split further what Algorithm 2 of the paper leaves reducible.
        effort: The most search nodes in each cluster; None: no limit. A node that takes long counts for several.
        n_jobs: The number of threads (None: all cores) for clusters that take long to refine; the tree is the same for any.

    Returns:
        The tree. A cluster for which the search gives up, and any of more than 4,096 nodes, is listed in its `undecided`.

    Raises:
        ValueError: `separators`, `effort` or `n_jobs` is not one of these.
        CycleError: The edges contain a cycle.

    >>> tree = decompose([("a", "b"), ("b", "c"), ("c", "d")])
    >>> [sorted(cluster) for cluster in tree.clusters]
    [['a', 'b'], ['b', 'c'], ['c', 'd']]
    """
    if separators not in MODES:
        raise ValueError(f"unknown separators {separators!r}; there are {', '.join(MODES)}")
    if effort is not None and effort < 0:
        raise ValueError(f"effort must be None or a number of search nodes, not {effort!r}")
    limit = None if effort is None else int(min(effort, UNLIMITED))
    graph = as_dag(dag)
    threads = thread_count(n_jobs) if n_jobs is not None or len(graph) >= FEW else 1
    return _decomposed(graph, separators, "full" if refine else "none", limit, threads)


def quick_tree(dag: Dag) -> ClusterTree:
    """The minimal d-decomposition tree as far as work in proportion to that of a junction tree refines it.

    The work is counted, not timed: the tree is the same on every machine. Small clusters are refined first, and those for which
    nothing is left are `undecided`.
    """
    return _decomposed(dag, "minimal", "bounded", None)


def _decomposed(dag: Dag, separators: Mode, refinement: Refinement, effort: int | None, threads: int = 1) -> ClusterTree:
    found = dag.graph.decompose(separators, refinement, effort, threads)
    clusters, shared = (Ragged(lists.offsets, lists.values) for lists in (found.clusters, found.separators))
    return ClusterTree.from_arrays(
        dag.nodes,
        clusters,
        found.edges,
        shared,
        mode=separators,
        certified=found.is_certified,
        undecided=found.undecided.tolist(),
    )
