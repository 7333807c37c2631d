// What must hold of a tree of clusters and of sets of nodes, each property by its definition, however they were made.
//
// Nothing is taken over from how `decompose` works, and no property is assumed when another is looked at. What keeps it cheap
// are the blocks of the moral graph (moral.hpp): a set costs the size of its block, not that of the DAG, and a set whose nodes
// are pairwise adjacent costs next to nothing.
//
// All sets must ascend, and `ends` are two clusters for each edge. Each function returns the index of the first that fails, or
// -1.

#pragma once

#include "common/ragged.hpp"
#include "graph/decomposition.hpp"
#include "graph/graph.hpp"

namespace dconvex {

// The first node that no cluster holds together with all its parents.
Index find_uncovered_family(const Graph& graph, const Ragged& clusters);

// The first cluster that lies inside another.
Index find_nested_cluster(const Ragged& clusters, Index variables);

// The first variable whose clusters are not all joined with each other by edges at both of whose ends it is.
Index find_scattered_variable(const Ragged& clusters, Indices ends, Index variables);

// The first edge whose separator is not what its two clusters share.
Index find_wrong_separator(const Ragged& clusters, Indices ends, const Ragged& separators);

// The first set whose nodes are not pairwise adjacent in the DAG.
Index find_incomplete_set(const Graph& graph, const Ragged& sets);

// The first set that is not d-convex: an inducing path over it joins two of its non-adjacent nodes.
Index find_inducing_set(const Graph& graph, const Ragged& sets);

// The first set that is not a minimal separator: in the moral graph without it, no two components see all of it.
Index find_nonminimal_separator(const Graph& graph, const Ragged& sets);

// The first cluster that is d-convex and that a separator of this kind splits. The search has no limit, and may take
// exponential time. With SeparatorKind::all there is none.
Index find_reducible_cluster(const Graph& graph, const Ragged& clusters, SeparatorKind kind);

}  // namespace dconvex
