// Tests of conditional independence: all that a search by constraints asks of the data.

#pragma once

#include "structure/family_score.hpp"

namespace dconvex {

class IndependenceTest {
public:
    virtual ~IndependenceTest() = default;

    virtual Index size() const = 0;
    // Whether two variables are independent given others, which ascend and are neither of the two.
    virtual bool are_independent(Index one, Index other, Indices given) = 0;
};

// Tests by the gain in likelihood that one variable brings to the other's family: Fisher's z for Gaussian families, G² for
// tables. Its degrees of freedom are those of the states that occur, in each configuration of what is given: where few rows are
// spread over many configurations, those of the whole table would let hardly any dependence through.
class LikelihoodTest final : public IndependenceTest {
public:
    enum class Kind : char { discrete, gaussian };

    // The score is the likelihood without a penalty, and must outlive the test; `rows` matter to Fisher's z alone.
    LikelihoodTest(FamilyScore& likelihood, Kind kind, double alpha, double rows)
        : likelihood_(likelihood), kind_(kind), alpha_(alpha), rows_(rows) {}

    Index size() const override { return likelihood_.size(); }
    bool are_independent(Index one, Index other, Indices given) override;
    // The probability of at least this dependence between independent variables.
    double p_value(Index one, Index other, Indices given);

private:
    FamilyScore& likelihood_;
    Kind kind_;
    double alpha_, rows_;
};

// The probability that a chi-squared variable is larger than this.
double chi_squared_tail(double value, double degrees);

}  // namespace dconvex
