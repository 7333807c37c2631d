// The posterior of missing numbers given the observed ones around them, in a linear Gaussian network.
//
// Missing variables start from what they are given the observed parents: a mean and a square root of their covariance. Then
// each observed child of a missing variable updates both (Potter's square-root form of the Kalman update), which is sound where
// variances are zero. Covariance and gains depend on which cells are missing only, so rows with the same gaps share them.

#pragma once

#include <span>

#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "graph/graph.hpp"

namespace dconvex {

// Regressions of all variables; the coefficients lie along the parents of the graph.
struct LinearRegressions {
    std::span<const double> intercept;
    std::span<const double> coefficients;
    std::span<const double> variance;
};

// One kind of component: what is missing, and the families that touch it.
struct LinearComponent {
    LinearComponent(const Graph& graph, Indices missing, Indices touched);

    Index size() const noexcept { return static_cast<Index>(variables.size()); }
    // Numbers that its posterior takes, and multiplications to find it, and those for each row.
    double workspace() const noexcept;
    double cost() const noexcept;
    double row_cost() const noexcept;
    // The index of a variable in `variables`, or -1 where it is observed.
    Index local(Index variable) const;

    Vector<Index> variables;    // missing, parents before children
    Vector<Index> families;     // ascending
    Vector<Index> observed;     // observed children of missing variables, ascending
    Vector<Index> by_variable;  // numbers of `variables`, by ascending variable
};

// The posterior of one kind of component under some regressions. Both must outlive it.
class LinearPosterior {
public:
    LinearPosterior(const Graph& graph, const LinearComponent& component, const LinearRegressions& regressions);

    // Writes the means of the missing variables, given the row `values` of all variables. The logarithm of the density of the
    // observed children, -inf where one of them is determined by the others and differs.
    double solve(const double* values, double* mean) const;
    // The square root of the covariance: a row of `size` numbers for each missing variable.
    const Vector<double>& root() const noexcept { return root_; }
    double covariance(Index one, Index other) const noexcept;

private:
    struct Term {
        Index variable;  // or the number of the missing variable
        double coefficient;
    };
    // A regression: what it takes from observed parents, and from missing ones.
    struct Mean {
        double intercept;
        Vector<Term> known;
        Vector<Term> missing;
    };
    struct Update {
        Index variable;
        Mean mean;
        bool is_determined;  // by what was observed before it
        double variance;     // of the difference from what was expected
        double log_height;
        Vector<double> gain;
    };

    Mean mean_of(Index variable) const;
    static double expected(const Mean& mean, const double* values, const double* missing) noexcept;
    static double magnitude(const Mean& mean, const double* values, const double* missing) noexcept;
    void start();
    void update(Index variable, const Vector<double>& spread);

    const Graph& graph_;
    const LinearComponent& component_;
    const LinearRegressions& regressions_;
    Vector<double> root_;
    Vector<Mean> means_;
    Vector<Update> updates_;
};

}  // namespace dconvex
