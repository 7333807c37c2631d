// A minimal triangulation by LB-Triang in order of least degree, and the clique tree of what comes out.
//
// LB-Triang makes each vertex x in turn LB-simplicial: for every component C of the graph without N[x], the boundary N(C) is
// made a clique. Whatever the order, the result is a minimal triangulation. A vertex whose neighbours form a clique needs no
// fill and can be dropped at once; that takes most vertices of a moral graph away before any component is looked for.

#pragma once

#include <cstdint>
#include <optional>

#include "common/interrupt.hpp"
#include "common/memory.hpp"
#include "common/ragged.hpp"

namespace dconvex {

// A minimal triangulation of an undirected graph, or none if it would take walks over more than `most_steps` vertices. Lists
// do not ascend.
std::optional<Ragged> triangulate(const Ragged& graph, std::int64_t most_steps, Poll& poll);

struct CliqueTree {
    Ragged cliques;        // the nodes in common with the clique above come first
    Vector<Index> above;   // the clique that each one hangs on, which comes before it; -1: a root
    Vector<Index> shared;  // the number of nodes in common with it

    Indices separator(Index clique) const { return cliques[clique].first(static_cast<std::size_t>(shared[clique])); }
};

// The maximal cliques of a chordal graph, joined to a junction tree for each component.
CliqueTree find_clique_tree(const Ragged& chordal, Poll& poll);

}  // namespace dconvex
