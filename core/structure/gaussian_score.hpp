// Scores of families of Gaussian variables, from means and covariances.

#pragma once

#include <span>

#include "structure/discrete_score.hpp"
#include "structure/family_score.hpp"

namespace dconvex {

// BGe's prior: a normal-Wishart distribution with mean 0, the weights of its mean and of its precision, and a diagonal scale.
struct BGePrior {
    double mean_weight;
    double degrees;
    double scale;
};

// `likelihood`, BIC and AIC take variances as maximum likelihood does; BGe is that of Geiger and Heckerman, as corrected by
// Kuipers, Moffa and Heckerman (2014), and gives equal scores to equivalent graphs.
class GaussianScore final : public FamilyScore {
public:
    enum class Kind { bic, aic, bge, likelihood };

    // `covariance` is that of maximum likelihood, row after row; the prior matters to BGe alone.
    // Throws std::invalid_argument where lengths do not fit or a variance is negative.
    GaussianScore(Vector<double> means, Vector<double> covariance, double rows, Kind kind, BGePrior prior);

    Index size() const override { return static_cast<Index>(means_.size()); }
    // A variable that its parents determine has the score of the least variance that rounding leaves, so that no more is
    // gained.
    double family(Index variable, Indices parents) override;
    // The parents are eliminated once for all candidates.
    void with_each(Index variable, Indices parents, Indices candidates, std::span<double> scores) override;
    double parameters(Index variable, Indices parents) const override;

private:
    double at(Index one, Index other) const { return covariance_[static_cast<std::size_t>(one) * means_.size() + other]; }
    // The logarithms of the determinants of the matrices of the parents, and of the parents with the variable.
    struct Determinants {
        double parents, family;
    };
    Determinants log_determinants(Index variable, Indices parents);
    double of_set(double log_determinant, double members) const;
    double score_of(const Determinants& found, double parents) const;
    // The row of a variable in the factor of the parents, and the part of its variance that they leave.
    double eliminate(Index variable, Indices parents, double* own) const;

    Vector<double> means_, covariance_;
    double rows_;
    Kind kind_;
    BGePrior prior_;
    Vector<double> factor_;
};

}  // namespace dconvex
