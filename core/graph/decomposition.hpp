// The minimal d-decomposition tree of a DAG, and its relatives.
//
// The moral graph is cut into blocks first: separators of no or one vertex are d-convex for free. Each block is triangulated,
// and cliques of its clique tree are merged across separators that are not d-convex (Algorithm 2 of the paper). The order of
// merging is irrelevant, and separators stay equal to the intersections of merged clusters. What Algorithm 2 leaves reducible
// is split further (refinement.hpp): the paper's theorem 2 does not hold, and deciding it is NP-complete, so the search has a
// limit. At last the blocks are joined at their cut vertices, and components by edges with the empty separator, to one tree.

#pragma once

#include <cstdint>
#include <optional>

#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "graph/graph.hpp"

namespace dconvex {

// Which separators a tree may have: minimal d-decomposers; all d-convex ones; those whose nodes are pairwise adjacent in the
// DAG; or those of the clique tree, d-convex or not.
enum class SeparatorKind { minimal, any, complete, all };

struct TreeEdge {
    Index one;
    Index other;
    auto operator<=>(const TreeEdge&) const = default;
};

struct Decomposition {
    Ragged clusters;            // in the order of their members, which ascend
    Vector<TreeEdge> edges;     // pairs of clusters, the lower first, ascending
    Ragged separators;          // aligned with the edges
    Vector<Index> undecided;    // clusters that may be reducible: the search gave up, or nothing was refined
    bool is_certified = false;  // all clusters are proven irreducible for this kind of separators
};

// How far what Algorithm 2 leaves is split: not at all; with work in proportion to that of Algorithm 2, counted and not timed,
// smaller clusters first; or until nothing splits, as far as the effort goes.
enum class Refinement { none, bounded, full };

// `effort` is the most search nodes in each cluster; without one there is no limit. Where the full refinement takes long, its
// searches are spread over at most this many threads; the tree is the same for any number.
Decomposition decompose(const Graph& graph, SeparatorKind kind, Refinement refinement, std::optional<std::int64_t> effort,
                        int threads = 1);

}  // namespace dconvex
