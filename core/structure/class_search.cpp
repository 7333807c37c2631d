#include "structure/class_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/interrupt.hpp"

namespace dconvex {
namespace {

constexpr std::int64_t row_memory = std::int64_t{1} << 28;
constexpr double rounding = 1e-12;

double noise_of(FamilyScore& score) {
    double largest = 0.0;
    for (Index variable = 0; variable < score.size(); ++variable) {
        largest = std::max(largest, std::abs(score.family(variable, {})));
    }
    return rounding * (1.0 + largest);
}

}  // namespace

ClassSearch::ClassSearch(FamilyScore& score, EdgeConstraints constraints, const Graph& start, std::int64_t attempts)
    : score_(score),
      constraints_(std::move(constraints)),
      rows_(score, constraints_, row_memory),
      noise_(noise_of(score)),
      walk_(score.size()),
      best_{EquivalenceClass(essential_graph(start)), ClassMoves(rows_, score.size(), noise_), 0.0, {}},
      current_(best_),
      attempts_(attempts) {}

bool ClassSearch::advance(std::int64_t evaluations) {
    const std::int64_t until = rows_.evaluations() + evaluations;
    Poll poll;
    // moves cost something, too, where all scores are known
    for (std::int64_t steps = 0; rows_.evaluations() + 100 * steps < until && phase_ != Phase::ended; ++steps) {
        poll(1000);
        step();
    }
    return phase_ != Phase::ended;
}

void ClassSearch::step() {
    switch (phase_) {
        case Phase::load:
            return load();
        case Phase::climb:
            if (!climb(current_)) end_climb();
            return;
        case Phase::attempt:
            return begin_attempt();
        case Phase::ended:
            return;
    }
}

void ClassSearch::load() {
    if (loaded_ < score_.size()) {
        current_.moves.load(current_.graph, loaded_++);
    } else {
        best_ = current_;
        phase_ = Phase::climb;
    }
}

void ClassSearch::end_climb() {
    const bool was_attempt = banned_one_ >= 0;
    const bool is_better = current_.gained > best_.gained + noise_;
    if (was_attempt && is_better) {  // go on, with all edges allowed
        banned_one_ = banned_other_ = -1;
        best_ = current_;
        return;
    }
    phase_ = Phase::attempt;
    if (is_better || !was_attempt) {
        if (is_better) best_ = current_;
        removals_ = best_.moves.removals();
        tried_ = 0;
    }
    banned_one_ = banned_other_ = -1;
}

void ClassSearch::begin_attempt() {
    if (attempts_ <= 0 || tried_ >= removals_.size()) {
        phase_ = Phase::ended;
        return;
    }
    --attempts_;
    const ClassMove removal = removals_[tried_++];
    current_ = best_;
    apply(current_, removal);
    banned_one_ = removal.parent;
    banned_other_ = removal.child;
    phase_ = Phase::climb;
}

bool ClassSearch::climb(State& state) {
    const auto accepted = [&](const ClassMove& move) { return accepts(state, move); };
    for (const ClassMoveKind kind : {ClassMoveKind::remove, ClassMoveKind::reverse, ClassMoveKind::add}) {
        if (const std::optional<ClassMove> move = state.moves.best(kind, accepted)) {
            apply(state, *move);
            return true;
        }
    }
    return false;
}

bool ClassSearch::accepts(const State& state, const ClassMove& move) {
    if (move.kind == ClassMoveKind::remove) return true;
    if (move.kind == ClassMoveKind::add) {
        const bool is_banned = (move.parent == banned_one_ && move.child == banned_other_) ||
                               (move.parent == banned_other_ && move.child == banned_one_);
        return !is_banned && !walk_.leads(state.graph, move.child, move.parent, move.side);
    }
    return !walk_.leads(state.graph, move.child, move.parent, move.side, state.graph.neighbours(move.parent)) &&
           keeps_its_promise(state.graph, move);
}

bool ClassSearch::keeps_its_promise(const EquivalenceClass& graph, const ClassMove& move) {
    const Extension before = extension_of(graph.graph()), after = extension_of(changed_by(graph, move));
    if (!after.given_up.empty()) return false;
    double gain = 0.0;
    for (Index node = 0; node < graph.size(); ++node) {
        if (std::ranges::equal(before.parents[node], after.parents[node])) continue;
        gain += score_.family(node, after.parents[node]) - score_.family(node, before.parents[node]);
    }
    return std::abs(gain - move.gain) <= noise_ + 1e-9 * std::abs(gain);
}

void ClassSearch::apply(State& state, const ClassMove& move) {
    EquivalenceClass after(essential_graph(Graph(extension_of(changed_by(state.graph, move)).parents)));
    state.moves.update(state.graph, after);
    state.graph = std::move(after);
    state.gained += move.gain;
    state.history.push_back(move);
}

}  // namespace dconvex
