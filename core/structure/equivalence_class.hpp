// A class of Markov equivalent graphs, as a search over classes looks at it.

#pragma once

#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "graph/equivalence.hpp"

namespace dconvex {

class EquivalenceClass {
public:
    explicit EquivalenceClass(Pdag graph);

    Index size() const noexcept { return graph_.size; }
    const Pdag& graph() const noexcept { return graph_; }
    // All ascend.
    Indices parents(Index node) const { return parents_[node]; }
    Indices children(Index node) const { return children_[node]; }
    // By undirected edges.
    Indices neighbours(Index node) const { return neighbours_[node]; }
    // Parents, children and neighbours.
    Indices adjacent(Index node) const { return adjacent_[node]; }
    bool are_adjacent(Index one, Index other) const;
    bool has_same_edges(const EquivalenceClass& other, Index node) const;

    // The sets of neighbours of a node that are pairwise adjacent, smaller ones first, the empty one included; at most `most`.
    Vector<Vector<Index>> cliques(Index node, std::size_t most) const;

private:
    Pdag graph_;
    Ragged parents_, children_, neighbours_, adjacent_;
};

// Searches for paths along children and neighbours.
class SemiDirectedWalk {
public:
    explicit SemiDirectedWalk(Index size) : seen_(static_cast<std::size_t>(size), 0) {}

    // Whether a path leads from one node to another without the direct edge and without blocked nodes.
    bool leads(const EquivalenceClass& graph, Index from, Index to, Indices blocked, Indices also_blocked = {});

private:
    Vector<int> seen_;  // the number of the walk that saw a node last
    int walk_ = 0;
    Vector<Index> open_;
};

}  // namespace dconvex
