#include "structure/structure_search.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/interrupt.hpp"

namespace dconvex {
namespace {

constexpr std::int64_t kept_bytes = std::int64_t{1} << 28;  // of rows of gains; not an option, since evaluations are counted
constexpr Index tenure = 10;                                // steps for which a changed edge is left alone
constexpr Index least_perturbed = 4;                        // moves

// After this many perturbations in a row without a better graph there is none to be found.
Index most_failures(Index size) { return 50 + 6 * size; }

}  // namespace

StructureSearch::StructureSearch(FamilyScore& score, EdgeConstraints constraints, AcyclicGraph start, SearchOptions options)
    : constraints_(std::move(constraints)),
      rows_(score, constraints_, kept_bytes),
      options_(options),
      current_(rows_, constraints_, start),
      best_(std::move(start)),
      state_(options.seed) {}

bool StructureSearch::advance(std::int64_t evaluations) {
    const std::int64_t goal = spent() + evaluations;
    Poll poll;
    while (phase_ != Phase::ended && spent() < goal) {
        step();
        poll(1000);
    }
    return phase_ != Phase::ended;
}

// Steps cost something too where all that they ask for is kept.
std::int64_t StructureSearch::spent() const noexcept { return rows_.evaluations() + steps_ * (1 + best_.size() / 8); }

void StructureSearch::step() {
    if (phase_ == Phase::load) return load();
    ++steps_;
    if (phase_ == Phase::climb) return climb();
    take_tabu_step();
}

void StructureSearch::load() {
    if (best_.size() && current_.load_next()) return;
    best_score_ = current_.score();
    phase_ = Phase::climb;
}

void StructureSearch::take(const Move& move) {
    current_.apply(move);
    path_.push_back(move);
}

void StructureSearch::climb() {
    const auto move = current_.best_move();
    if (!move || move->gain <= current_.noise()) return leave_optimum();
    take(*move);
    if (has_best_) return;  // later climbs count once they have come to an end
    best_ = current_.graph();
    best_score_ = current_.score();
    history_ = path_;
}

void StructureSearch::leave_optimum() {
    if (!has_best_ || current_.score() > best_score_ + current_.noise()) {
        if (!has_best_) spent_at_first_ = spent();
        has_best_ = true;
        best_ = current_.graph();
        best_score_ = current_.score();
        history_ = path_;
        failures_ = 0;
    }
    const bool is_spent = spent() - spent_at_first_ >= options_.budget || failures_ > most_failures(best_.size());
    if (is_spent || best_.size() < 2) {
        phase_ = Phase::ended;
        return;
    }
    tabu_left_ = options_.tabu_steps;
    phase_ = Phase::tabu;
    if (until_.empty()) until_.assign(static_cast<std::size_t>(best_.size()) * best_.size(), 0);
}

void StructureSearch::take_tabu_step() {
    const auto move = tabu_left_-- > 0 ? current_.best_move(until_.data(), steps_) : std::nullopt;
    if (!move) return perturb();
    take(*move);
    const auto size = static_cast<std::size_t>(best_.size());
    until_[move->parent * size + move->child] = until_[move->child * size + move->parent] = steps_ + tenure;
    if (current_.score() > best_score_ + current_.noise()) phase_ = Phase::climb;
}

void StructureSearch::find_edge_gains(Vector<double>& removal, Vector<double>& reversal) {
    while (current_.load_next()) {
    }
    current_.become(best_);
    const double none = std::numeric_limits<double>::quiet_NaN();
    for (Index child = 0; child < best_.size(); ++child) {
        for (const Index parent : best_.parents(child)) {
            removal.push_back(current_.gain_of(MoveKind::remove, parent, child).value_or(none));
            reversal.push_back(current_.gain_of(MoveKind::reverse, parent, child).value_or(none));
        }
    }
}

std::uint64_t StructureSearch::random(std::uint64_t below) {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);  // splitmix64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return (z ^ (z >> 31)) % below;
}

void StructureSearch::perturb() {
    phase_ = Phase::climb;
    current_.become(best_);
    path_ = history_;
    ++failures_;
    const auto size = static_cast<std::uint64_t>(best_.size());
    Index left = least_perturbed + failures_ % (16 + best_.size() / 8);
    for (int attempt = 0; attempt < 1000 && left > 0; ++attempt) {
        const auto kind = static_cast<MoveKind>(random(3));
        auto child = static_cast<Index>(random(size)), parent = static_cast<Index>(random(size));
        if (kind != MoveKind::add) {
            const Indices parents = current_.graph().parents(child);
            if (parents.empty()) continue;
            parent = parents[random(parents.size())];
        }
        const auto gain = current_.gain_of(kind, parent, child);
        if (!gain) continue;
        take({kind, parent, child, *gain});
        --left;
    }
}

}  // namespace dconvex
