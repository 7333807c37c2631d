#include "structure/moves.hpp"

#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace dconvex {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();
constexpr double alike = 1e-9;      // gains that differ by less than this part count as equal
constexpr double rounding = 1e-13;  // of the score as a whole

}  // namespace

ScoredGraph::ScoredGraph(FamilyRows& rows, const EdgeConstraints& constraints, AcyclicGraph graph)
    : rows_(rows),
      constraints_(constraints),
      graph_(std::move(graph)),
      row_(static_cast<std::size_t>(graph_.size())),
      best_(static_cast<std::size_t>(graph_.size()), Best{never, -1}),
      is_stale_(static_cast<std::size_t>(graph_.size()), 1) {}

bool ScoredGraph::load_next() {
    if (loaded_ == graph_.size()) return false;
    row_[loaded_] = rows_.row(loaded_, graph_.parents(loaded_));
    ++loaded_;
    if (loaded_ == graph_.size()) noise_ = alike + rounding * std::abs(score());
    return loaded_ < graph_.size();
}

double ScoredGraph::score() const {
    double total = 0.0;
    for (const auto& row : row_) total += row->own;
    return total;
}

bool ScoredGraph::can_add(Index parent, Index child, const std::int64_t* until, std::int64_t now) const {
    if (!graph_.can_add(parent, child) || graph_.has_edge(parent, child)) return false;
    return !until || until[static_cast<std::size_t>(parent) * graph_.size() + child] <= now;
}

void ScoredGraph::find_best_addition(Index child, const std::int64_t* until, std::int64_t now) {
    const double* gains = row_[child]->gains.data();
    Best best{never, -1};
    for (Index parent = 0; parent < graph_.size(); ++parent) {
        if (gains[parent] > best.gain && can_add(parent, child, until, now)) best = {gains[parent], parent};
    }
    best_[child] = best;
    is_stale_[child] = 0;
}

std::optional<double> ScoredGraph::gain_of(MoveKind kind, Index parent, Index child) const {
    const double gain = row_[child]->gains[parent];
    double found = gain;
    if (kind == MoveKind::add) {
        if (!can_add(parent, child, nullptr, 0)) return std::nullopt;
    } else if (!graph_.has_edge(parent, child)) {
        return std::nullopt;
    } else if (kind == MoveKind::reverse) {
        if (!graph_.can_reverse(parent, child)) return std::nullopt;
        found += row_[parent]->gains[child];
    }
    if (found == never) return std::nullopt;
    return found;
}

std::optional<Move> ScoredGraph::best_move(const std::int64_t* until, std::int64_t now) {
    const Index size = graph_.size();
    double best = never;
    for (Index child = 0; child < size; ++child) {
        if (is_stale_[child]) find_best_addition(child, until, now);
        best = std::max(best, best_[child].gain);
    }
    Vector<Move> others;  // removals and reversals
    for (Index child = 0; child < size; ++child) {
        for (const Index parent : graph_.parents(child)) {
            if (until && until[static_cast<std::size_t>(parent) * size + child] > now) continue;
            for (const MoveKind kind : {MoveKind::remove, MoveKind::reverse}) {
                const auto gain = gain_of(kind, parent, child);
                if (!gain) continue;
                others.push_back({kind, parent, child, *gain});
                best = std::max(best, *gain);
            }
        }
    }
    if (best == never) return std::nullopt;
    const double enough = best - std::max(alike * std::abs(best), noise_);
    std::optional<Move> first;
    const auto consider = [&](const Move& move) {
        const auto key = [](const Move& own) { return std::tuple(own.parent, own.child, own.kind); };
        if (move.gain >= enough && (!first || key(move) < key(*first))) first = move;
    };
    for (Index child = 0; child < size; ++child) {
        if (best_[child].gain < enough) continue;
        const double* gains = row_[child]->gains.data();
        for (Index parent = 0; parent < size; ++parent) {
            if (gains[parent] >= enough && can_add(parent, child, until, now)) {
                consider({MoveKind::add, parent, child, gains[parent]});
            }
        }
    }
    for (const Move& move : others) consider(move);
    return first;
}

void ScoredGraph::change_family(Index variable) {
    row_[variable] = rows_.row(variable, graph_.parents(variable));
    is_stale_[variable] = 1;
}

void ScoredGraph::apply(const Move& move) {
    if (move.kind == MoveKind::add) {
        graph_.add(move.parent, move.child);
        for (Index child = 0; child < graph_.size(); ++child) {  // fewer edges can be added than before
            if (best_[child].parent >= 0 && !graph_.can_add(best_[child].parent, child)) is_stale_[child] = 1;
        }
    } else {
        graph_.remove(move.parent, move.child);
        mark_all();
    }
    if (move.kind == MoveKind::reverse) {
        graph_.add(move.child, move.parent);
        change_family(move.parent);
    }
    change_family(move.child);
}

void ScoredGraph::become(const AcyclicGraph& graph) {
    for (Index node = 0; node < graph_.size(); ++node) {
        const Indices before = graph_.parents(node), after = graph.parents(node);
        if (!std::equal(before.begin(), before.end(), after.begin(), after.end())) row_[node] = rows_.row(node, after);
    }
    graph_ = graph;
    mark_all();
}

}  // namespace dconvex
