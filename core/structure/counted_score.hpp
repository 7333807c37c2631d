// Scores of families from tables of counts that someone else holds.

#pragma once

#include <functional>
#include <map>

#include "structure/count_terms.hpp"
#include "structure/discrete_score.hpp"
#include "structure/family_score.hpp"

namespace dconvex {

// The scores are those of DiscreteScore for rows with the same counts, bit for bit: both are the same function of whole
// numbers.
class CountedScore final : public FamilyScore {
public:
    // The tables of a round of sets of variables, which ascend; the last variable of a table changes fastest.
    using Ask = std::function<Vector<Vector<Offset>>(const Vector<Vector<Index>>& sets)>;

    // `rows` is the sum of each table, in units of the options. Asks for the tables of all variables alone.
    CountedScore(Vector<Index> states, Offset rows, DiscreteScoreOptions options, Ask tables_of);

    Index size() const override { return static_cast<Index>(states_.size()); }
    double family(Index variable, Indices parents) override;
    void with_each(Index variable, Indices parents, Indices candidates, std::span<double> scores) override;
    double parameters(Index variable, Indices parents) const override;
    double most_gain(Index variable, Indices parents, Index candidate, double own) const override;
    Dependence dependence(Index variable, Indices parents, Index candidate) override;

private:
    double cells_of(Indices variables) const;
    CountTerms& terms_for(double cells);
    void know(const Vector<Vector<Index>>& sets);
    void ask(const Vector<Vector<Index>>& sets);
    Offset degrees_of(const Vector<Index>& set, Index variable, Index candidate, const Vector<Offset>& table) const;
    double likelihood(const Vector<Index>& family, const Vector<Index>& parents) const;
    double penalty() const { return penalty_of(options_.criterion, static_cast<double>(rows_) * options_.unit); }

    Vector<Index> states_;
    Offset rows_;
    DiscreteScoreOptions options_;
    Ask ask_;
    Vector<Vector<Offset>> answered_;  // the tables of the last round
    double scale_;
    Vector<double> entropy_;              // of each variable, times the number of rows
    std::map<double, CountTerms> terms_;  // by pseudo-count; 0 for those of n log n
    std::map<Vector<Index>, Fixed> sums_;
};

}  // namespace dconvex
