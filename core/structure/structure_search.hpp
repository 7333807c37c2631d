// Searches over graphs by moves: up to where no move gains, and from there on to better graphs.

#pragma once

#include <cstdint>

#include "structure/moves.hpp"

namespace dconvex {

struct SearchOptions {
    std::int64_t budget = 0;  // evaluations after the first optimum; 0: stop there, as hill climbing does
    Index tabu_steps = 0;     // moves from an optimum, downhill too, before the graph is perturbed
    std::uint64_t seed = 0;   // of the perturbations
};

// Searches step by step, so that a caller can look at the clock; how it is cut into calls makes no difference.
class StructureSearch {
public:
    // The score must outlive it. The start must be within the constraints, and have all required edges.
    StructureSearch(FamilyScore& score, EdgeConstraints constraints, AcyclicGraph start, SearchOptions options);
    StructureSearch(const StructureSearch&) = delete;
    StructureSearch& operator=(const StructureSearch&) = delete;

    // Goes on for about this many evaluations; false once the search has ended.
    bool advance(std::int64_t evaluations);

    // The best graph so far and its score. Before all scores of the start are there, that is the start, scored 0.
    const AcyclicGraph& best() const noexcept { return best_; }
    double best_score() const noexcept { return best_score_; }
    // The moves that led to the best graph, or to the current one while it climbs for the first time.
    const Vector<Move>& history() const noexcept { return history_; }
    // Whether the scores of the start are all there.
    bool is_loaded() const noexcept { return phase_ != Phase::load; }
    std::int64_t evaluations() const noexcept { return rows_.evaluations(); }
    // What removing and what reversing each edge of the best graph gains, by child and then by parent; NaN where that is not
    // allowed. The search goes on from there.
    void find_edge_gains(Vector<double>& removal, Vector<double>& reversal);
    std::int64_t budget() const noexcept { return options_.budget; }

private:
    enum class Phase : std::uint8_t { load, climb, tabu, ended };

    void step();
    void load();
    void climb();
    void leave_optimum();
    void take_tabu_step();
    void perturb();
    void take(const Move& move);
    std::int64_t spent() const noexcept;
    std::uint64_t random(std::uint64_t below);

    EdgeConstraints constraints_;
    FamilyRows rows_;
    SearchOptions options_;
    ScoredGraph current_;
    Phase phase_ = Phase::load;
    AcyclicGraph best_;
    double best_score_ = 0.0;
    bool has_best_ = false;
    Vector<Move> path_, history_;
    Vector<std::int64_t> until_;  // for each pair the step until which it is left alone
    std::int64_t steps_ = 0, tabu_left_ = 0, spent_at_first_ = 0;
    Index failures_ = 0;
    std::uint64_t state_;
};

}  // namespace dconvex
