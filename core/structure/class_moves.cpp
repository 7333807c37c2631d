#include "structure/class_moves.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>
#include <utility>

namespace dconvex {
namespace {

// The most sets of neighbours that are looked at for a child, smaller ones first.
constexpr std::size_t most_cliques = 4096;
constexpr double alike = 1e-9;

bool is_better(const ClassMove& one, const ClassMove& other) {
    if (one.gain != other.gain) return one.gain > other.gain;
    return std::tie(one.child, one.parent, one.side) < std::tie(other.child, other.parent, other.side);
}

bool comes_first(const ClassMove& one, const ClassMove& other) {
    return std::tie(one.child, one.parent, one.side) < std::tie(other.child, other.parent, other.side);
}

bool is_member(Indices sorted, Index value) { return std::binary_search(sorted.begin(), sorted.end(), value); }

void erase_edge(Vector<Arc>& edges, Index one, Index other) {
    const auto joins = [=](const Arc& edge) {
        return (edge.parent == one && edge.child == other) || (edge.parent == other && edge.child == one);
    };
    edges.erase(std::remove_if(edges.begin(), edges.end(), joins), edges.end());
}

void direct(Pdag& graph, Index parent, Index child) {
    erase_edge(graph.undirected, parent, child);
    graph.directed.push_back({parent, child});
}

}  // namespace

Pdag changed_by(const EquivalenceClass& graph, const ClassMove& move) {
    Pdag changed = graph.graph();
    const auto [x, y] = std::pair(move.parent, move.child);
    erase_edge(changed.directed, x, y);
    erase_edge(changed.undirected, x, y);
    if (move.kind == ClassMoveKind::remove) {
        for (const Index other : graph.neighbours(y)) {
            if (other == x || !graph.are_adjacent(x, other) || is_member(move.side, other)) continue;
            direct(changed, y, other);
            if (is_member(graph.neighbours(x), other)) direct(changed, x, other);
        }
    } else {
        changed.directed.push_back({x, y});
        for (const Index other : move.side) {
            if (!graph.are_adjacent(x, other)) direct(changed, other, y);
        }
    }
    return changed;
}

ClassMoves::ClassMoves(FamilyRows& rows, Index size, double noise)
    : families_(&rows), noise_(noise), rows_(static_cast<std::size_t>(size)), near_child_(size, 0), near_clique_(size, 0) {}

void ClassMoves::load(const EquivalenceClass& graph, Index child) {
    const auto row = std::make_shared<Row>();
    for (const Index neighbour : graph.neighbours(child)) {
        for (const Index other : graph.adjacent(neighbour)) ++near_child_[other];
    }
    for (const Vector<Index>& clique : graph.cliques(child, most_cliques)) add_moves(graph, child, clique, *row);
    for (const Index neighbour : graph.neighbours(child)) {
        for (const Index other : graph.adjacent(neighbour)) near_child_[other] = 0;
    }
    for (Vector<ClassMove>& moves : row->moves) std::sort(moves.begin(), moves.end(), is_better);
    rows_[child] = row;
}

void ClassMoves::add_moves(const EquivalenceClass& graph, Index child, const Vector<Index>& clique, Row& row) {
    const Indices own = graph.parents(child);
    Vector<Index> parents;
    std::merge(own.begin(), own.end(), clique.begin(), clique.end(), std::back_inserter(parents));
    const std::shared_ptr<const FamilyRow> family = families_->row(child, parents);
    for (const Index member : clique) {
        for (const Index other : graph.adjacent(member)) ++near_clique_[other];
    }
    for (Index other = 0; other < graph.size(); ++other) {
        const double gain = family->gains[other];
        const bool covers =
            near_child_[other] == near_clique_[other];  // all neighbours of the child next to it are in the clique
        if (!covers || other == child || !(gain > noise_) || graph.are_adjacent(other, child)) continue;
        row.of(ClassMoveKind::add).push_back({ClassMoveKind::add, other, child, gain, clique});
    }
    for (const Index other : graph.children(child)) {
        if (near_child_[other] != near_clique_[other] || is_member(clique, other)) continue;
        const double gain = family->gains[other] + families_->row(other, graph.parents(other))->gains[child];
        if (gain > noise_) row.of(ClassMoveKind::reverse).push_back({ClassMoveKind::reverse, other, child, gain, clique});
    }
    for (const Index other : own) {
        const bool are_near = near_clique_[other] == static_cast<Index>(clique.size());
        if (are_near)
            row.of(ClassMoveKind::remove).push_back({ClassMoveKind::remove, other, child, family->gains[other], clique});
    }
    for (const Index other : clique) {
        if (other > child) continue;  // the edge has no direction: it is removed once
        Vector<Index> side = clique;
        side.erase(std::find(side.begin(), side.end(), other));
        row.of(ClassMoveKind::remove).push_back({ClassMoveKind::remove, other, child, family->gains[other], std::move(side)});
    }
    for (const Index member : clique) {
        for (const Index other : graph.adjacent(member)) near_clique_[other] = 0;
    }
}

void ClassMoves::update(const EquivalenceClass& before, const EquivalenceClass& after) {
    Vector<char> is_stale(static_cast<std::size_t>(after.size()), 0);
    for (Index node = 0; node < after.size(); ++node) {
        if (after.has_same_edges(before, node)) continue;
        is_stale[node] = 1;
        // neighbours look at what is adjacent to it, parents at what its own parents are
        for (const Index other : after.neighbours(node)) is_stale[other] = 1;
        for (const Index other : after.parents(node)) is_stale[other] = 1;
    }
    for (Index node = 0; node < after.size(); ++node) {
        if (is_stale[node]) load(after, node);
    }
}

std::optional<ClassMove> ClassMoves::best(ClassMoveKind kind, const Accepts& accepts) const {
    struct Head {
        double gain;
        Index child;
        std::size_t place;

        bool operator<(const Head& other) const { return gain < other.gain || (gain == other.gain && child > other.child); }
    };
    std::priority_queue<Head> heads;
    const auto push = [&](Index child, std::size_t place) {
        const Vector<ClassMove>& moves = rows_[child]->of(kind);
        if (place < moves.size() && moves[place].gain > noise_) heads.push({moves[place].gain, child, place});
    };
    for (Index child = 0; child < static_cast<Index>(rows_.size()); ++child) push(child, 0);
    const ClassMove* found = nullptr;
    double least = 0.0;
    while (!heads.empty()) {
        const Head head = heads.top();
        heads.pop();
        if (found && head.gain < least) break;
        push(head.child, head.place + 1);
        const ClassMove& move = rows_[head.child]->of(kind)[head.place];
        if (found && !comes_first(move, *found)) continue;
        if (!accepts(move)) continue;
        if (!found) least = move.gain - std::max(alike * move.gain, noise_);
        found = &move;
    }
    return found ? std::optional(*found) : std::nullopt;
}

Vector<ClassMove> ClassMoves::removals() const {
    Vector<ClassMove> found;
    for (const auto& row : rows_) {
        const Vector<ClassMove>& own = row->of(ClassMoveKind::remove);
        found.insert(found.end(), own.begin(), own.end());
    }
    std::sort(found.begin(), found.end(), is_better);
    return found;
}

}  // namespace dconvex
