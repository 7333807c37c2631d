// Which separators of a clique tree are d-convex: all of them by one sweep up the tree and one down.
//
// The projection of a DAG onto a set S has a → b where a directed path leads from a to b past nodes outside S, and a ↔ b where
// two such paths lead to a and b from one node outside S. Lemma: an inducing path over S joins u and v if and only if they are
// adjacent in the projection, or joined there by a path u *→ c ↔ … ↔ d ←* v whose inner nodes are ancestors of u or v.
// Proof: cut an inducing path at its nodes in S, which are colliders. A piece without a collider of its own is an edge of the
// projection. A collider outside S leads down to u or v; its first node in S on the way, put in its place, is a collider in S
// (or an end, which makes the path shorter). Conversely edges stand for paths, and these join to an inducing one. ∎
//
// Projections are made node by node: taking x out adds p → c, c ↔ d and b ↔ c for all p → x, x → c, x → d and x ↔ b. All of
// these are next to x, so they lie in one clique with it, and edges that come from the two sides of a separator simply unite.
// Hence each clique needs from its neighbours only the projections of what lies beyond onto the separators: bits in the number
// of pairs of the separator, however much lies beyond. What a clique passes on to a neighbour must not hold what it has heard
// from that neighbour, whose paths may lead past nodes that the neighbour keeps; so each clique keeps account of what it has
// from one source only, and of what it has from several.

#pragma once

#include "common/interrupt.hpp"
#include "graph/triangulation.hpp"
#include "graph/walk.hpp"

namespace dconvex {

// About how many words the sweeps for these separators touch; where that is more than walks over the DAG would, walk.
std::int64_t projection_cost(const CliqueTree& tree);

// For each clique with a flag whether its separator is d-convex; 0 for the others. The children of `arcs` must ascend, and the
// tree must be that of a triangulation of its moral graph.
Flags find_convex_separators(const Arcs& arcs, const CliqueTree& tree, const Flags& is_asked, Poll& poll);

}  // namespace dconvex
