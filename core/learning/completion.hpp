// Rows with missing states, one by one: the probability of what they show, and what they do not show filled in.

#pragma once

#include <memory>
#include <span>

#include "common/memory.hpp"
#include "graph/graph.hpp"
#include "learning/component_plan.hpp"
#include "learning/row_components.hpp"

namespace dconvex {

// A cell that is missing and wanted, and one that is missing and to be left so: it is summed over.
constexpr Index wanted = -1;
constexpr Index unwanted = -2;

// Rows over one network. `plan` sees all rows first; then the others run over any part of them, in any number of threads.
class RowCompletion {
public:
    enum class Filling { none, most_probable, sampled };

    RowCompletion(std::shared_ptr<const Graph> graph, Vector<Index> states, Filling filling);

    // Plans for rows: the state of variable v in row r is codes[v * stride + r], negative where it is missing. The same
    // variables must be unwanted in all rows. Throws std::invalid_argument for a state that the variable does not have.
    void plan(const Index* codes, Offset stride, Offset rows);
    // The most numbers that one component takes, and its variables.
    double largest_workspace() const noexcept { return largest_workspace_; }
    const Vector<Index>& largest_component() const noexcept { return largest_component_; }

    // Writes the logarithm of the probability of what each row shows, under the tables `values`, and fills in the wanted cells:
    // with the states that are the most probable together, or drawn by the numbers of `noise` between zero and one, laid out as
    // the codes are. Cells of rows with probability zero stay as they are. All rows must have been planned for.
    void complete(std::span<const double> values, Index* codes, Offset stride, Offset rows, const double* noise,
                  std::span<double> log_probability) const;

    const FamilyLayout& layout() const noexcept { return layout_; }
    bool is_drawn() const noexcept { return filling_ == Filling::sampled; }

private:
    struct Kind {
        ComponentPlan plan;
        Vector<char> is_maximised;  // for each clique, else its variables are summed out
    };

    Kind planned(const RowComponents& row, Index component, const Vector<Index>& codes) const;
    double shown(std::span<const double> values, const Vector<Index>& codes) const;

    std::shared_ptr<const Graph> graph_;
    FamilyLayout layout_;
    Filling filling_;
    Vector<Kind> kinds_;
    ComponentIndex kind_index_;
    double largest_workspace_ = 0.0;
    Vector<Index> largest_component_;
};

}  // namespace dconvex
