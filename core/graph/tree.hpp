// A tree of clusters hung on its first one, and the smallest subtree that holds some variables.
//
// The clusters that hold a variable form a subtree (the junction property), so the one nearest to the root says all that a
// climb needs: a subtree costs the size of what is kept, not that of the tree.

#pragma once

#include "common/memory.hpp"
#include "common/ragged.hpp"

namespace dconvex {

// How many parts the pairs (two values for each) leave of the vertices 0 … size - 1.
Index count_components(Indices pairs, Index size);

class RootedTree {
public:
    // `clusters` have ascending members in 0 … variables - 1; `ends` are two clusters for each edge.
    // Throws std::invalid_argument unless the edges join the clusters to one tree.
    RootedTree(Ragged clusters, Indices ends, Index variables);

    Index size() const noexcept { return clusters_.size(); }
    // For each cluster the next one towards cluster 0, the edge to it (both -1 for cluster 0), and its distance from there.
    const Vector<Index>& parent() const noexcept { return parent_; }
    const Vector<Index>& edge_above() const noexcept { return edge_above_; }
    const Vector<Index>& depth() const noexcept { return depth_; }
    // For each variable the first of the clusters nearest to the root that hold it, -1 if none does.
    const Vector<Index>& top() const noexcept { return top_; }

    struct Subtree {
        Vector<Index> clusters;  // ascending
        Offset visits = 0;       // the number of times that a cluster was looked into
    };

    // The smallest subtree that holds the variables, each of which must be in some cluster. If one cluster holds them all, it
    // is the one with the fewest variables, among those the first. Needs the junction property.
    Subtree smallest_subtree(Indices variables) const;

private:
    void hang(Indices ends);
    Subtree holding_all(const Vector<Index>& variables) const;
    void climb(Vector<Index> variables, Subtree& into) const;

    Ragged clusters_;
    Ragged holders_;  // for each variable the clusters that hold it, ascending
    Vector<Index> parent_, edge_above_, depth_, top_;
};

}  // namespace dconvex
