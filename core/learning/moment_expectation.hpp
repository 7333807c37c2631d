// The E-step of EM for linear Gaussian networks: expected moments of families from rows with missing cells.
//
// A family that a row shows entirely is measured elsewhere (moments.hpp). What is left of a row falls apart as in
// expectation.hpp, and components with the same gaps share their covariance, so that each costs one posterior and then a mean
// for each row.

#pragma once

#include <memory>
#include <span>

#include "common/memory.hpp"
#include "graph/graph.hpp"
#include "learning/linear_posterior.hpp"
#include "learning/row_components.hpp"

namespace dconvex {

// Rows with gaps, whose touched families are measured in expectation. Rows are added once; then `expect` runs any number of
// times.
class ExpectedMoments {
public:
    explicit ExpectedMoments(std::shared_ptr<const Graph> graph);

    // Adds rows: the number of variable v in row r is values[v * stride + r], NaN where it is missing; `weights` has one for
    // each row, or none where each weighs one.
    void add_rows(const double* values, Offset stride, Offset rows, std::span<const double> weights);
    // To be called after the last rows: cuts the components into blocks of about the same cost, always the same ones.
    void finish();

    // The weight of the rows in which each family counts in expectation.
    const Vector<double>& family_weights() const noexcept { return family_weight_; }
    double missing_cells() const noexcept { return missing_cells_; }
    Offset component_count() const noexcept { return static_cast<Offset>(components_); }
    // The most numbers that one component's posterior takes, its variables, and the multiplications of one pass.
    double largest_workspace() const noexcept { return largest_workspace_; }
    const Vector<Index>& largest_component() const noexcept { return largest_component_; }
    double cost() const noexcept { return cost_; }
    // What the rows and their components take.
    double held_bytes() const noexcept { return held_bytes_; }
    Index block_count() const noexcept { return block_start_.empty() ? 0 : static_cast<Index>(block_start_.size()) - 1; }

    struct Expectation {
        double log_likelihood = 0.0;     // of the components in the block
        double impossible_weight = 0.0;  // of those of density zero, which count nowhere
    };
    // Adds the expected moments of one block's components: `sums` has a number for each member of each family (its parents,
    // then itself), `products` for each family a square matrix of which the lower half is filled.
    Expectation expect(const LinearRegressions& regressions, Index block, std::span<double> sums,
                       std::span<double> products) const;

private:
    // All components with the same missing variables and the same families around them, by the row that they are in.
    struct Kind {
        LinearComponent component;
        Vector<Offset> rows;
    };
    struct Place {
        Index kind;
        Offset row;
    };

    void check(const LinearRegressions& regressions, Index block, std::span<double> sums, std::span<double> products) const;
    Expectation expect_rows(const LinearRegressions& regressions, const Kind& kind, Offset first, Offset last,
                            std::span<double> sums, std::span<double> products) const;

    std::shared_ptr<const Graph> graph_;
    Vector<double> values_;  // row by row
    Vector<double> weights_;
    Vector<double> family_weight_;
    Vector<Offset> first_product_;
    double missing_cells_ = 0.0;
    std::size_t components_ = 0;
    Vector<Kind> kinds_;
    ComponentIndex kind_index_;
    Vector<Place> block_start_;
    double largest_workspace_ = 0.0;
    Vector<Index> largest_component_;
    double cost_ = 0.0;
    double held_bytes_ = 0.0;
};

}  // namespace dconvex
