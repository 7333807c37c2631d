// d-convex sets: those onto which a Bayesian network collapses.
//
// A set is d-convex if no inducing path over it joins two of its non-adjacent members: a path whose inner nodes in the set are
// all colliders, and whose colliders are all ancestors of its ends. By Lemma 2 of the paper such a path joins u and v if and
// only if v is reached from u in the moral graph of An(u, v) through nodes outside the set.
//
// Nothing outside W = An(set) matters, and a pair can be joined only through a component of the moral graph of W without the
// set whose boundary holds both. So one sweep over W finds the components, and only pairs of one boundary are tested.
//
// d-convex sets are closed under intersection, so every set has a hull: the smallest d-convex set that holds it. A d-convex set
// that holds u and v, connected in the moral graph of An(u, v) and not adjacent, holds their two minimal separators in that
// graph that are closest to u and closest to v; a set that holds these for each of its pairs is d-convex.

#pragma once

#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "graph/graph.hpp"
#include "graph/walk.hpp"

namespace dconvex {

struct ConvexityWorkspace {
    void fit(Index size) {
        walk.fit(size);
        if (inside.size() < static_cast<std::size_t>(size)) inside.resize(size, 0);
    }

    struct Ranked {
        Index rank;
        Index node;
        bool operator<(const Ranked& other) const noexcept { return rank < other.rank; }
    };

    WalkWorkspace walk;
    Flags inside;  // all 0 between calls
    Vector<Ranked> heap;
};

// Whether the nodes, each given once, are pairwise adjacent in the DAG.
bool is_complete(const Arcs& arcs, WalkWorkspace& work, Indices nodes);

bool is_convex(const Arcs& arcs, ConvexityWorkspace& work, Indices nodes);

// The nodes of an inducing path over the set, end to end; none if the set is d-convex.
Vector<Index> find_inducing_path(const Graph& graph, Indices nodes);

// The smallest d-convex set that holds the nodes, ascending.
Vector<Index> convex_hull(const Graph& graph, Indices nodes);

// In the moral graph of the nodes that `walk.ancestral` marks with `stamp`: appends the neighbours of `near` outside the set
// that `inside` flags which a walk from `far` outside it reaches without passing another. With no flags set this is the minimal
// separator of the two that is closest to `near`, and nothing if they are not connected.
void append_separator_near(const Arcs& arcs, ConvexityWorkspace& work, WalkWorkspace::Stamp stamp, Index near, Index far,
                           Vector<Index>& into);

}  // namespace dconvex
