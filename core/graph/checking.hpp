// What must hold of sets of nodes, clusters and separators, each property by its definition, however they were made.
//
// Nothing is taken over from how `decompose` works. What keeps it cheap are the blocks of the moral graph (moral.hpp): a set
// costs the size of its block, not that of the DAG, and a set whose nodes are pairwise adjacent costs next to nothing.
//
// All sets must ascend. Each function returns the index of the first set that fails, or -1.

#pragma once

#include "common/ragged.hpp"
#include "graph/decomposition.hpp"
#include "graph/graph.hpp"

namespace dconvex {

// The first set whose nodes are not pairwise adjacent in the DAG.
Index find_incomplete_set(const Graph& graph, const Ragged& sets);

// The first set that is not d-convex: an inducing path over it joins two of its non-adjacent nodes.
Index find_inducing_set(const Graph& graph, const Ragged& sets);

// The first set that is not a minimal separator: in the moral graph without it, no two components see all of it.
Index find_nonminimal_separator(const Graph& graph, const Ragged& sets);

// The first cluster that is d-convex and that a separator of this kind splits. The search has no limit, and may take exponential
// time. With SeparatorKind::all there is none.
Index find_reducible_cluster(const Graph& graph, const Ragged& clusters, SeparatorKind kind);

}  // namespace dconvex
