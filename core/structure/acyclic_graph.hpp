// A directed acyclic graph that changes edge by edge, and knows at any time who descends from whom.

#pragma once

#include <cstdint>

#include "common/memory.hpp"
#include "common/ragged.hpp"

namespace dconvex {

class AcyclicGraph {
public:
    explicit AcyclicGraph(Index size);

    Index size() const noexcept { return size_; }
    Index edges() const noexcept { return edges_; }
    // Parents and children ascend.
    Indices parents(Index node) const { return parents_[static_cast<std::size_t>(node)]; }
    Indices children(Index node) const { return children_[static_cast<std::size_t>(node)]; }
    bool has_edge(Index parent, Index child) const;
    // Whether a directed path leads from one node to another.
    bool descends(Index node, Index from) const { return (below(from)[node >> 6] >> (node & 63)) & 1; }
    // The same as bits, one for each node.
    const std::uint64_t* below(Index node) const { return below_.data() + node * words_; }

    // Whether the new edge, or the edge turned around, leaves the graph acyclic.
    bool can_add(Index parent, Index child) const { return parent != child && !descends(parent, child); }
    bool can_reverse(Index parent, Index child) const;

    // `add` asks for an edge that can be added, `remove` for one that is there.
    void add(Index parent, Index child);
    void remove(Index parent, Index child);

    Ragged parent_lists() const;

private:
    std::uint64_t* below(Index node) { return below_.data() + node * words_; }

    Index size_;
    Index edges_ = 0;
    Offset words_;
    Vector<Vector<Index>> parents_, children_;
    Vector<std::uint64_t> below_;  // a line of bits for each node: its descendants
};

}  // namespace dconvex
