// Walks over a DAG: ancestors, d-connection, and the moral graph of an ancestral set without building it.
//
// In that moral graph x is joined to its parents and, for each child c of x inside the ancestral set, to c and to the other
// parents of c. A walk expands every child once, so it is linear in the arcs that it meets.

#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "common/interrupt.hpp"
#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "graph/graph.hpp"

namespace dconvex {

// 1 for each member of a set of nodes, 0 for the others; walks also use 2 and 3 for nodes with a part to play.
using Flags = Vector<std::uint8_t>;

// Lists as inner loops read them, without checks. The Ragged must outlive the view, and its values must have been checked.
class Lists {
public:
    Lists(const Ragged& ragged) noexcept : offsets_(ragged.offsets().data()), values_(ragged.values().data()) {}

    Indices operator[](Index list) const noexcept {
        return {values_ + offsets_[list], static_cast<std::size_t>(offsets_[list + 1] - offsets_[list])};
    }

private:
    const Offset* offsets_;
    const Index* values_;
};

// A DAG, or the part of one that some nodes induce, as walks read it.
struct Arcs {
    Lists parents;
    Lists children;
    const Index* rank;  // parents rank lower than their children
    Index size;
};

Arcs arcs_of(const Graph& graph) noexcept;

bool are_adjacent(const Arcs& arcs, Index u, Index v) noexcept;

// What walks mark: a node is marked when its entry equals the stamp of the walk, so nothing has to be cleared.
struct WalkWorkspace {
    using Stamp = std::int64_t;

    // Makes room for DAGs of this size; one workspace serves any number of them in turn.
    void fit(Index size);
    Stamp next_stamp() noexcept { return ++stamp; }

    Stamp stamp = 0;  // the last one given out
    Vector<Stamp> ancestral;
    Vector<Stamp> region;  // a second set of nodes, kept while `ancestral` is marked again
    Vector<Stamp> swept;
    Vector<Stamp> seen;
    Vector<Stamp> expanded;
    Vector<Index> came_from;  // the node before in the last moral walk, -1 at its source
    Vector<Index> through;    // the common child by which that step married two parents, or -1
    Vector<Index> queue;
    Poll poll;
};

// Marks the sources and all their ancestors, but none that ranks below `lowest_rank`; returns them, in the queue.
Indices mark_ancestors(const Arcs& arcs, WalkWorkspace& work, Vector<WalkWorkspace::Stamp>& mark, WalkWorkspace::Stamp stamp,
                       Indices sources, Index lowest_rank = 0);

struct MoralWalk {
    bool reached_target;
    Indices nodes;  // in the order in which they were reached, in the queue
};

// Walks from `source` in the moral graph of the ancestral set of nodes that `region` marks with `stamp`. Nodes with a flag are
// reached but not passed. Stops once `target` is reached (-1: nowhere), or `most_gates` nodes whose flag is `gate`.
constexpr std::uint8_t gate = 2;
MoralWalk walk_moral_graph(const Arcs& arcs, WalkWorkspace& work, const Vector<WalkWorkspace::Stamp>& region,
                           WalkWorkspace::Stamp stamp, Index source, Index target, const Flags& inside,
                           Index most_gates = std::numeric_limits<Index>::max());

// The neighbours of a node in the moral graph of the nodes that `ancestral` marks with `stamp`, in the queue.
Indices list_moral_neighbours(const Arcs& arcs, WalkWorkspace& work, WalkWorkspace::Stamp stamp, Index node);

// 1 for each node that is d-connected to a source given the other nodes; given nodes are connected to nothing.
Flags find_d_connected(const Graph& graph, Indices sources, Indices given);

// All nodes that the lists lead to from the sources, these included, ascending. All values of the lists must be lists.
Vector<Index> find_reachable(const Ragged& lists, Indices sources);

}  // namespace dconvex
