// Rows with missing numbers, one by one: the density of what they show, and what they do not show filled in.

#pragma once

#include <memory>
#include <span>

#include "common/memory.hpp"
#include "graph/graph.hpp"
#include "learning/linear_posterior.hpp"
#include "learning/row_components.hpp"

namespace dconvex {

// Rows over one linear Gaussian network.
class LinearCompletion {
public:
    // `is_wanted` has a flag for each variable: whether its missing cells are filled in.
    LinearCompletion(std::shared_ptr<const Graph> graph, Vector<char> is_wanted);

    // The most numbers that a component of these rows takes, and its variables. The number of variable v in row r is
    // values[v * stride + r], NaN where it is missing.
    void plan(const double* values, Offset stride, Offset rows);
    double largest_workspace() const noexcept { return largest_workspace_; }
    const Vector<Index>& largest_component() const noexcept { return largest_component_; }

    // Writes the logarithm of the density of the families with a missing member in each row: that of the others is to be added.
    // Fills in the wanted cells, with means, or drawn by standard normal numbers `noise`, laid out as the values are. Cells of
    // rows with density zero stay as they are.
    void complete(const LinearRegressions& regressions, double* values, Offset stride, Offset rows, const double* noise,
                  std::span<double> log_density) const;

    Index size() const noexcept { return graph_->size(); }
    Offset edges() const noexcept { return static_cast<Offset>(graph_->parents().values().size()); }

private:
    void set_row(RowComponents& row, const double* values, Offset stride, Offset number) const;

    std::shared_ptr<const Graph> graph_;
    Vector<char> is_wanted_;
    bool fills_;
    double largest_workspace_ = 0.0;
    Vector<Index> largest_component_;
};

}  // namespace dconvex
