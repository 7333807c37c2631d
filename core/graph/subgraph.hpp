// Parts of graphs with numbers of their own, so that work on a part costs the size of the part.

#pragma once

#include "common/interrupt.hpp"
#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "graph/walk.hpp"

namespace dconvex {

using Part = Vector<Index>;  // a set of nodes, ascending

// For the nodes of one part at a time the number that each has in it; -1 for all other nodes.
class LocalNumbers {
public:
    explicit LocalNumbers(Index size) : number_(static_cast<std::size_t>(size), -1) {}

    // Node i of the part has number i until the scope ends.
    class Scope {
    public:
        Scope(LocalNumbers& numbers, Indices part);
        ~Scope();
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

        Index operator[](Index node) const noexcept { return number_[node]; }

    private:
        Index* number_;
        Indices part_;
    };

private:
    Vector<Index> number_;
};

// The subgraph that an ascending part induces. The lists of the graph must ascend.
Ragged induced_graph(const Ragged& graph, Indices part, LocalNumbers& numbers, Poll& poll);

// The same with a clique on each of some sets of nodes; members outside the part are passed over. Its lists do not ascend.
Ragged torso(const Ragged& graph, Indices part, const Ragged& cliques, LocalNumbers& numbers, Poll& poll);

// The DAG that an ascending part induces; ranks are those of the whole DAG, so they have gaps.
class InducedDag {
public:
    InducedDag(const Graph& graph, Indices part, LocalNumbers& numbers, Poll& poll);
    Arcs arcs() const noexcept { return {parents_, children_, rank_.data(), parents_.size()}; }

private:
    Ragged children_;
    Ragged parents_;
    Vector<Index> rank_;
};

// For each vertex of an undirected graph the lowest vertex of its connected component.
Vector<Index> component_labels(const Ragged& graph, Poll& poll);

bool is_connected(const Ragged& graph, Poll& poll);

bool is_complete_graph(const Ragged& graph) noexcept;

}  // namespace dconvex
