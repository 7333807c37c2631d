// Splitting the clusters of a tree further, until no separator of the tree's kind splits any of them.
//
// Algorithm 2 alone does not get there: it can leave a cluster that a minimal d-decomposer splits. A search finds separators
// inside one cluster ("crossing"); a separator that is already in the tree can split a cluster elsewhere in which it is no
// minimal separator by itself ("satellite"), so those are tried too.
//
// split(C, S): one cluster K + S for every component K of the graph of C without S. The graph of a cluster is its moral graph
// with a clique on the separator towards each neighbour. Each old neighbour goes to the piece that holds its separator, and a
// piece that a neighbour contains is contracted into it.

#pragma once

#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "common/interrupt.hpp"
#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "graph/separator_search.hpp"
#include "graph/subgraph.hpp"

namespace dconvex {

template <class Value>
using NumberedMap = std::map<Index, Value, std::less<Index>, CountedAllocator<std::pair<const Index, Value>>>;
using NumberedSet = std::set<Index, std::less<Index>, CountedAllocator<Index>>;

// A tree of clusters that changes. A new cluster has a number above all that are there.
class GrowingTree {
public:
    struct Cluster {
        Part members;
        NumberedMap<Part> separators;  // by the number of the neighbour
    };

    // The moral graph and the rest must outlive the tree.
    GrowingTree(const Ragged& moral, LocalNumbers& numbers, Poll& poll) : moral_(moral), numbers_(numbers), poll_(poll) {}

    void add(Index number, Indices members);
    void join(Index one, Index other, const Part& separator);

    const NumberedMap<Cluster>& clusters() const noexcept { return clusters_; }
    const Cluster& cluster(Index number) const { return clusters_.at(number); }
    bool contains(Index number) const { return clusters_.contains(number); }

    // The separators of a cluster.
    Ragged cliques(Index cluster) const;
    // The components of the graph of a cluster without a separator, the one with the lowest node first.
    Vector<Part> components(Index cluster, Indices separator) const;
    // Puts the pieces in the place of a cluster; returns the clusters that are new or have changed.
    Vector<Index> split(Index cluster, Indices separator);

    NumberedSet undecided;  // clusters for which a search has given up

private:
    Index contracted(Index piece);

    const Ragged& moral_;
    LocalNumbers& numbers_;
    Poll& poll_;
    NumberedMap<Cluster> clusters_;
};

// What the search says of each of these clusters: it depends on their members and on their sets of separators alone.
using ClusterSearch = std::function<Vector<SearchResult>(Indices clusters)>;

constexpr std::size_t all_at_once = std::numeric_limits<std::size_t>::max();

// Splits until nothing splits. `known` holds what the search says of clusters as they are now; without a search only the
// separators of the tree are tried. At most `at_once` clusters are searched together: with more, some searches may be in vain.
void refine_tree(GrowingTree& tree, const ClusterSearch& search, NumberedMap<SearchResult> known, std::size_t at_once,
                 Poll& poll);

}  // namespace dconvex
