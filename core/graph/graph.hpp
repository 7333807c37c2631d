// A directed acyclic graph over the nodes 0 … size - 1.

#pragma once

#include <optional>

#include "common/memory.hpp"
#include "common/ragged.hpp"

namespace dconvex {

class Graph {
public:
    // Throws std::invalid_argument where a parent is no node or is listed twice, or where there is a cycle.
    explicit Graph(Ragged parents);

    Index size() const noexcept { return parents_.size(); }
    const Ragged& parents() const noexcept { return parents_; }
    // The children of each node, ascending.
    const Ragged& children() const noexcept { return children_; }
    // The nodes, parents before children: first in, first out.
    const Vector<Index>& order() const noexcept { return order_; }
    // The rank of each node in `order`; parents rank lower than their children.
    const Vector<Index>& rank() const noexcept { return rank_; }

    bool are_adjacent(Index u, Index v) const noexcept;

private:
    Ragged parents_;
    Ragged children_;
    Vector<Index> order_;
    Vector<Index> rank_;
};

struct Arc {
    Index parent;
    Index child;
};

// The first arc that is given twice, by parent, then by child. Parents must be nodes.
std::optional<Arc> find_repeated_arc(const Ragged& parents);

// A directed cycle, each node a parent of the next and the last of the first; empty if there is none.
Vector<Index> find_cycle(const Ragged& parents);

}  // namespace dconvex
