// The exact search for a separator that splits a cluster, within a limit of search nodes.
//
// The cluster is d-convex, so the DAG that it induces says which of its subsets are. `graph` is its moral graph with a clique
// on every separator towards a neighbour in the tree. For each node x a separator is looked for that has x on its near side: X
// grows from {x} and stays connected, S is d-convex and lies in the separator, and the far side lies in the region R. Every
// neighbour w of X either goes into S or joins X; whichever is impossible decides it, and only where both are possible, or R
// falls apart into several parts that may hold the far side, does the search branch. Once x is finished, no separator that is
// still to be found has it on a side that counts; easy nodes are finished first, which makes the hard ones easier.
//
// A set is d-convex if and only if it holds, with any two non-adjacent nodes u and v that are connected in the moral graph of
// An(u, v), their two minimal separators in that graph closest to u and closest to v. These do not depend on the set, so they
// are computed once for each pair that comes up, and hulls are closures under them.
//
// Deciding whether there is such a separator is NP-complete, hence the limit.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "graph/convexity.hpp"
#include "graph/walk.hpp"

namespace dconvex {

enum class SearchStatus { irreducible, found, undecided };

struct SearchResult {
    SearchStatus status = SearchStatus::irreducible;
    Vector<Index> separator;  // ascending; only of what was found
};

// When a search gives up.
struct SearchLimit {
    std::optional<std::int64_t> effort;                                    // search nodes; one that takes long counts for several
    std::int64_t last_count = std::numeric_limits<std::int64_t>::max();  // what the workspace's poll may have counted
};

// With `is_minimal` a d-convex S that leaves two components which see all of it, without any d-convex S that leaves two
// components. Clusters of more than 4,096 nodes are undecided: what is kept of pairs grows with the square of the size.
SearchResult find_separator(const Arcs& arcs, const Ragged& graph, bool is_minimal, const SearchLimit& limit,
                            ConvexityWorkspace& work);

}  // namespace dconvex
