// The moral graph of a DAG, and its blocks: the parts that no single vertex separates.
//
// Where A, B and S are all nodes, S d-separates A from B if and only if it separates them in the moral graph. A set inside a
// block is d-convex in the DAG if and only if it is in the DAG that the block induces, and the same holds of two or more nodes
// being a minimal separator. Separators of no or one vertex are d-convex for free. So all expensive work happens in blocks.

#pragma once

#include "common/interrupt.hpp"
#include "common/ragged.hpp"
#include "graph/graph.hpp"

namespace dconvex {

// Each node joined to its parents, and the parents of one child to each other; the lists ascend.
Ragged moral_graph(const Graph& graph, Poll& poll);

// The blocks (biconnected components; an isolated vertex is one too) of an undirected graph; each ascends.
Ragged find_blocks(const Ragged& graph, Poll& poll);

}  // namespace dconvex
