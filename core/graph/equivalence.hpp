// Markov equivalence: the graph of a class of DAGs, and a DAG of such a graph.

#pragma once

#include "common/memory.hpp"
#include "graph/graph.hpp"

namespace dconvex {

// A graph with directed and undirected edges over the nodes 0 … size - 1, as the class of a DAG has them. Directed edges ascend
// by parent, then by child; the ends of an undirected edge ascend, and so do these edges.
struct Pdag {
    Index size = 0;
    Vector<Arc> directed;
    Vector<Arc> undirected;

    // Sorts both kinds. Throws std::invalid_argument unless edges join two different nodes, and each two at most once.
    static Pdag of(Index size, Vector<Arc> directed, Vector<Arc> undirected);
};

// The graph of the class: an edge is directed if all equivalent DAGs agree on its direction (Chickering 1995).
Pdag essential_graph(const Graph& graph);

// A DAG of a class, and the edges that do not have their say in it.
struct Extension {
    Ragged parents;
    // Directed edges that were turned, and undirected ones that lead into a new collider. Empty if the graph has a DAG with the
    // same adjacencies, directions and colliders.
    Vector<Arc> given_up;
};

// The DAG in which the last node that may be a sink is one, and so on with those that are left (Dor and Tarsi 1992). Where
// none may, the node is taken for which the fewest edges are given up.
Extension extension_of(const Pdag& graph);

}  // namespace dconvex
