// Scores of families of discrete variables, from counts.

#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "structure/family_counts.hpp"
#include "structure/family_score.hpp"

namespace dconvex {

enum class Criterion { bic, aic, bdeu, likelihood };

struct DiscreteScoreOptions {
    Criterion criterion = Criterion::bic;
    double equivalent_sample_size = 1.0;  // BDeu's
    double unit = 1.0;                    // what a weight of 1 counts as
    int threads = 1;                      // the scores are the same for any number
};

// The scale of sums in fixed point: they do not overflow for data of this weight.
double scale_of(double weight);
// What a parameter costs for data of this weight.
double penalty_of(Criterion criterion, double weight);
// The most that a candidate gains as one more parent of a variable whose family has these parameters and this score: the
// likelihood is at most 1, and no more is gained than the entropy of the candidate.
double most_discrete_gain(Criterion criterion, double penalty, double parameters, Index states, Index candidate_states,
                          double candidate_entropy, double own);

// The score of a family is F(parents + variable) - F(parents) - penalty, where F depends only on the counts of the set's table:
// for BIC and AIC it is the sum of n log n over the cells, for BDeu a sum of log gammas. F is kept in fixed point: integers add
// up to the same whatever the order of the cells, so a score is a pure function of the counts, and a → b and b → a tie exactly.
//
// Where cells are missing, a family is counted in the rows that show it. Sums over different rows cannot be compared, so BIC
// and AIC are then node-average likelihoods (Balov 2013), times the weight of all rows, with a penalty that outweighs their
// noise.
class DiscreteScore final : public FamilyScore {
public:
    // Throws std::invalid_argument for BDeu where cells are missing.
    DiscreteScore(StateColumns columns, DiscreteScoreOptions options);

    Index size() const override { return columns_.size(); }
    double family(Index variable, Indices parents) override;
    void with_each(Index variable, Indices parents, Indices candidates, std::span<double> scores) override;
    double parameters(Index variable, Indices parents) const override;
    double most_gain(Index variable, Indices parents, Index candidate, double own) const override;
    Dependence dependence(Index variable, Indices parents, Index candidate) override;

private:
    struct Worker {
        CandidateCounts counts;
        std::map<double, CountTerms> terms;  // by pseudo-count
    };

    double penalty() const { return penalty_of(options_.criterion, weight_); }  // of a parameter
    double score_of(const FamilySums& sums, double parameters) const;
    double averaged(double likelihood, double count, double parameters) const;
    double cells_of(Indices variables) const;
    CountTerms& terms_for(Worker& worker, double cells);
    FamilySums pair(Worker& worker, Index candidate, double cells);
    bool is_worth_threads(Indices candidates) const;

    StateColumns columns_;
    BitColumns bits_;
    DiscreteScoreOptions options_;
    double scale_;
    double weight_;
    Vector<double> entropy_;  // of each variable, times the weight of all rows
    std::unique_ptr<CountTerms> logarithms_;
    FamilyCells cells_;
    Vector<std::unique_ptr<Worker>> workers_;
    Vector<Fixed> pairs_;  // the sums of tables of two variables, which two families share
};

}  // namespace dconvex
