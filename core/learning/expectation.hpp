// The E-step of EM for discrete networks: expected counts of families from rows with missing cells.
//
// A family that a row shows entirely is counted. What is left of a row falls apart: take the missing variables that have an
// observed descendant (the others say nothing, and their families are not counted), join two of them if they are in one family,
// and the posterior of each component depends only on the families that touch it. Components are small, and many rows have the
// same one with the same observed cells around it, so each different one is kept once, with its weight. Then an E-step costs
// what is different, not what is there: a component's posterior is found by eliminating its variables and going back.

#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "graph/graph.hpp"
#include "learning/component_plan.hpp"
#include "learning/row_components.hpp"

namespace dconvex {

// Rows whose families are counted, entirely or in expectation. Rows are added once; then `expect` runs any number of times.
class ExpectedCounts {
public:
    ExpectedCounts(std::shared_ptr<const Graph> graph, Vector<Index> states);

    // Adds rows: the state of variable v in row r is codes[v * stride + r], negative where it is missing; `weights` has one for
    // each row, or none where each weighs one. Throws std::invalid_argument for a state that the variable does not have.
    template <class Code>
    void add_rows(const Code* codes, Offset stride, Offset rows, std::span<const double> weights);
    // To be called after the last rows: cuts the components into blocks of about the same cost, always the same ones.
    void finish();

    const FamilyLayout& layout() const noexcept { return layout_; }
    // The weight of the rows that show each cell of each family entirely.
    const Vector<double>& complete_counts() const noexcept { return complete_; }
    // The weight of the rows in which each family counts, entirely or in expectation.
    const Vector<double>& family_weights() const noexcept { return family_weight_; }
    double row_weight() const noexcept { return row_weight_; }
    // The weight of all cells that are missing, and the number of different components.
    double missing_cells() const noexcept { return missing_cells_; }
    Offset component_count() const noexcept { return components_; }
    // The most numbers that one component's posterior takes, its variables, and the multiplications of one pass.
    double largest_workspace() const noexcept { return largest_workspace_; }
    const Vector<Index>& largest_component() const noexcept { return largest_component_; }
    double cost() const noexcept { return cost_; }
    // What the components take: it grows with the rows that differ.
    double held_bytes() const noexcept { return held_bytes_; }
    Index block_count() const noexcept { return block_start_.empty() ? 0 : static_cast<Index>(block_start_.size()) - 1; }

    struct Expectation {
        double log_likelihood = 0.0;     // of the components in the block
        double impossible_weight = 0.0;  // of those of probability zero, which count nowhere
    };
    // Adds the expected counts of one block's components to `counts`, given the tables `values`.
    Expectation expect(std::span<const double> values, Index block, std::span<double> counts) const;

private:
    // All components with the same missing variables and the same families around them.
    struct Kind {
        ComponentPlan plan;
        Vector<Offset> bases;    // for each component and family: the family's cell where all that is missing has state 0
        Vector<double> weights;  // for each component
        Vector<Index> slots;     // a hash table of components by their bases; -1 is a free slot
    };
    struct Place {
        Index kind;
        Index component;
    };

    template <class Code>
    void count_complete(const Code* codes, Offset stride, Offset rows, std::span<const double> weights);
    void add_components(const RowComponents& row, const Vector<Index>& codes, double weight);
    Index kind_of(Indices variables, Indices families);
    void add_component(Kind& kind, const Vector<Offset>& bases, double weight);

    std::shared_ptr<const Graph> graph_;
    FamilyLayout layout_;
    Vector<double> complete_;
    Vector<double> family_weight_;
    double row_weight_ = 0.0;
    double missing_cells_ = 0.0;
    Offset components_ = 0;
    Vector<Kind> kinds_;
    ComponentIndex kind_index_;
    Vector<Offset> bases_;  // of the component at hand
    Vector<Place> block_start_;
    double largest_workspace_ = 0.0;
    Vector<Index> largest_component_;
    double cost_ = 0.0;
    double held_bytes_ = 0.0;
};

}  // namespace dconvex
