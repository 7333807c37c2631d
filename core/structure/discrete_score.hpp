// Scores of families of discrete variables, from counts.

#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "structure/family_score.hpp"
#include "structure/state_columns.hpp"

namespace dconvex {

enum class Criterion { bic, aic, bdeu, likelihood };

// The score of a family is F(parents + variable) - F(parents) - penalty, where F depends only on the counts of the set's table:
// for BIC and AIC it is the sum of n log n over the cells, for BDeu a sum of log gammas. F is kept in fixed point: integers add
// up to the same whatever the order of the cells, so a score is a pure function of the counts, and a → b and b → a tie exactly.
class DiscreteScore final : public FamilyScore {
public:
    // `equivalent_sample_size` is BDeu's.
    DiscreteScore(StateColumns columns, Criterion criterion, double equivalent_sample_size);

    Index size() const override { return columns_.size(); }
    double family(Index variable, Indices parents) override;
    double parameters(Index variable, Indices parents) const override;

private:
    using Fixed = std::int64_t;
    struct Hash {
        std::size_t operator()(const Vector<Index>& key) const noexcept;
    };

    Fixed of_set(Indices variables);
    Fixed term(Offset count, double cells) const;
    double cells_of(Indices variables) const;

    StateColumns columns_;
    Criterion criterion_;
    double equivalent_sample_size_;
    double scale_;
    std::unordered_map<Vector<Index>, Fixed, Hash> known_;
};

}  // namespace dconvex
