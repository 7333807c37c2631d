// The graph of the best score of all, by dynamic programming (Silander and Myllymäki 2006).

#pragma once

#include <cstdint>
#include <optional>

#include "common/interrupt.hpp"
#include "structure/family_score.hpp"

namespace dconvex {

// A bound on scores: of a variable, that of parents and of all more of them is at most `top` less `penalty` for each parameter.
struct ScoreBound {
    double penalty;
    Vector<double> tops;
};

// Scores the sets of parents of each variable that can be in the best graph, then finds the best order of the variables in each
// strongly connected part of the graph of all these parents.
class ExactSearch {
public:
    static constexpr Index most_variables = 64;
    using Members = std::uint64_t;

    // Both must outlive it. Throws std::invalid_argument for more than 64 variables.
    ExactSearch(FamilyScore& score, const EdgeConstraints& constraints, std::optional<ScoreBound> bound);

    // Scores the sets of one more variable, in their order. False where more than `most` sets would have to be held, or more
    // than `most_scores` asked for: then nothing else can be asked.
    bool score_sets(std::int64_t most, std::int64_t most_scores);
    Index scored() const noexcept { return static_cast<Index>(sets_.size()); }

    // The variables of the largest part, which takes 2 to the power of them numbers.
    Index largest_part();
    static constexpr std::int64_t bytes_per_subset = sizeof(double) + 1;
    // About how many sets `best_parents` looks at, from a sample of the subsets that is always the same.
    double ordering_work();

    // The parents of each variable in the best graph; ties go to earlier variables and smaller sets.
    Ragged best_parents();

    std::int64_t evaluations() const noexcept { return evaluations_; }
    std::int64_t held() const noexcept { return held_; }

private:
    struct ParentSet {
        Members members;
        double score;
    };
    struct Level;

    bool is_possible(Index parent, Index child) const;
    struct Choice {
        Members inside;  // members of the part by their place in it
        double score;
        Members parents;
    };
    struct Most {
        std::int64_t sets, scores;
    };

    bool extend(Index variable, const Level& level, Level& next, Vector<ParentSet>& kept, Most most);
    void keep(Index variable, Members members, double score, double best_below, Level& level, Vector<ParentSet>& kept);
    double score_of(Index variable, Members members);
    void find_parts();
    // By place in the part, best first.
    Vector<Vector<Choice>> choices_of(const Vector<Index>& part) const;
    void solve(const Vector<Index>& part);

    FamilyScore& score_;
    const EdgeConstraints& constraints_;
    std::optional<ScoreBound> bound_;
    Vector<Vector<ParentSet>> sets_;  // by variable, best first: those that are better than all their subsets
    Vector<Vector<Index>> parts_;     // parents' parts before children's
    Vector<Members> chosen_;
    std::int64_t evaluations_ = 0, held_ = 0;
    Poll poll_;
};

}  // namespace dconvex
