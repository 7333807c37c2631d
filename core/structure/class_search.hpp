// Greedy search over classes of equivalent graphs (GES), in the order of XGES (Nazaret and Blei 2024).

#pragma once

#include <cstdint>

#include "structure/class_moves.hpp"

namespace dconvex {

// Removes an edge where that gains, else reverses one, else adds one, until nothing gains. From there it removes each edge in
// turn, goes on without it, and keeps what is better. Searches step by step, so that a caller can look at the clock.
class ClassSearch {
public:
    // The score must outlive it and be the same for equivalent graphs. Constraints must not have directions. At most `attempts`
    // removals are tried from an optimum; 0: stop there.
    ClassSearch(FamilyScore& score, EdgeConstraints constraints, const Graph& start, std::int64_t attempts);
    ClassSearch(const ClassSearch&) = delete;
    ClassSearch& operator=(const ClassSearch&) = delete;

    // Goes on for about this many evaluations; false once the search has ended.
    bool advance(std::int64_t evaluations);

    // The best class so far, and the moves that led there.
    const EquivalenceClass& best() const noexcept { return best_.graph; }
    const Vector<ClassMove>& history() const noexcept { return best_.history; }
    std::int64_t evaluations() const noexcept { return rows_.evaluations(); }
    // The sum of all gains since the start.
    double gained() const noexcept { return best_.gained; }

private:
    enum class Phase : std::uint8_t { load, climb, attempt, ended };
    struct State {
        EquivalenceClass graph;
        ClassMoves moves;
        double gained = 0.0;
        Vector<ClassMove> history;
    };

    void step();
    void load();
    void end_climb();
    void begin_attempt();
    // Takes the best move; false where none gains.
    bool climb(State& state);
    bool accepts(const State& state, const ClassMove& move);
    void apply(State& state, const ClassMove& move);
    // Whether the class after a reversal has the score that the move promises.
    bool keeps_its_promise(const EquivalenceClass& graph, const ClassMove& move);

    FamilyScore& score_;
    EdgeConstraints constraints_;
    FamilyRows rows_;
    double noise_;
    SemiDirectedWalk walk_;
    Phase phase_ = Phase::load;
    Index loaded_ = 0;
    State best_, current_;
    Vector<ClassMove> removals_;  // from the best class, those that are still to be tried
    std::size_t tried_ = 0;
    std::int64_t attempts_;
    Index banned_one_ = -1, banned_other_ = -1;  // these two get no edge during an attempt
};

}  // namespace dconvex
