"""Algorithm 2 of the paper as one would write it in networkx, line by line: what ours is measured against.

What comes out depends on the triangulation, and on which of its junction trees is taken; so a tree can be given, to compare
both on the same one. The order in which clusters are merged does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

import networkx as nx

from dconvex.names import Name

if TYPE_CHECKING:
    Digraph: TypeAlias = nx.DiGraph[Name]
    Tree: TypeAlias = nx.Graph[frozenset[Name]]


def decomposition_tree(dag: Digraph, tree: Tree | None = None) -> Tree:
    """Algorithm 2: the junction tree of a triangulation, merged across every separator that is not d-convex."""
    tree = junction_tree(cliques(dag)) if tree is None else tree  # line 1
    is_convex = {separator: is_d_convex(dag, separator) for separator in {a & b for a, b in tree.edges}}  # lines 2-4
    kept = [(a, b) for a, b in tree.edges if is_convex[a & b]]
    to_merge = nx.Graph(tree)
    to_merge.remove_edges_from(kept)
    cluster = {clique: frozenset[Name]().union(*part) for part in nx.connected_components(to_merge) for clique in part}
    merged: Tree = nx.Graph()  # lines 5-6
    merged.add_nodes_from(cluster.values())
    merged.add_edges_from((cluster[a], cluster[b]) for a, b in kept)
    return merged


def cliques(dag: Digraph) -> list[frozenset[Name]]:
    """The maximal cliques of networkx's (minimal) triangulation of the moral graph."""
    chordal, _ = nx.complete_to_chordal_graph(nx.moral_graph(dag))
    return list(nx.chordal_graph_cliques(chordal))


def junction_tree(cliques: Iterable[frozenset[Name]]) -> Tree:
    """A spanning tree of the cliques with the largest separators."""
    graph: Tree = nx.Graph()
    graph.add_nodes_from(cliques)
    graph.add_weighted_edges_from((a, b, len(a & b)) for a, b in combinations(list(graph), 2))
    return nx.maximum_spanning_tree(graph)


def is_d_convex(dag: Digraph, nodes: frozenset[Name]) -> bool:
    """Algorithm 1, DCTest: no pair of non-adjacent boundary nodes is joined by a path outside the set."""
    boundary = {node for node in nodes if not _family_and_spouses(dag, node) <= nodes}
    pairs = ((u, v) for u, v in combinations(boundary, 2) if not (dag.has_edge(u, v) or dag.has_edge(v, u)))
    return not any(_is_inducing_pair(dag, nodes, u, v) for u, v in pairs)


def _is_inducing_pair(dag: Digraph, nodes: frozenset[Name], u: Name, v: Name) -> bool:
    """Lemma 2: whether u and v are connected outside the set in the moral graph of their ancestors."""
    ancestral = {u, v} | nx.ancestors(dag, u) | nx.ancestors(dag, v)
    moral = nx.moral_graph(dag.subgraph(ancestral))
    return nx.has_path(moral.subgraph(ancestral - nodes | {u, v}), u, v)


def _family_and_spouses(dag: Digraph, node: Name) -> set[Name]:
    children = list(dag.successors(node))
    return {*dag.predecessors(node), *children}.union(*map(dag.predecessors, children))
