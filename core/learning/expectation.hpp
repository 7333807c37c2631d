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
#include <unordered_map>

#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "graph/graph.hpp"

namespace dconvex {

// The tables of a network's families, one after the other: that of variable v is values[offsets[v]] to values[offsets[v + 1]],
// its axes the parents of v and then v.
class FamilyLayout {
public:
    // Throws std::invalid_argument where a variable has no state or all tables have more than 2^40 cells.
    FamilyLayout(const Graph& graph, Vector<Index> states);

    Index size() const noexcept { return members_.size(); }
    // The parents of a variable and then itself, and for each of these how far apart two of its states are in the table.
    Indices members(Index variable) const { return members_[variable]; }
    std::span<const Offset> strides(Index variable) const;
    Index states(Index variable) const { return states_[variable]; }
    const Vector<Offset>& offsets() const noexcept { return offsets_; }
    Offset cells() const noexcept { return offsets_.back(); }

private:
    Ragged members_;
    Vector<Offset> strides_;
    Vector<Index> states_;
    Vector<Offset> offsets_;
};

// How the posterior of one kind of component is found: its variables are eliminated, and then the way is gone back.
struct ComponentPlan {
    // What a clique multiplies: a family's table, or the message of an earlier clique; a stride for each of its variables.
    struct Factor {
        bool is_message;
        Index number;  // of the family within the component, or of the clique whose message it is
        Vector<Offset> strides;
    };
    // Variables that are multiplied together; the last `eliminated` ones are summed out, the others are the message's.
    struct Clique {
        Vector<Index> variables;
        Vector<Index> states;
        Index eliminated = 0;
        Offset cells = 0;
        Offset message_cells = 0;
        Vector<Factor> factors;
        Offset begin = 0;          // of its cells in the workspace
        Offset message_begin = 0;  // of its message there; what comes back to it lies right behind
    };

    Vector<Index> variables;  // those that are missing, ascending
    Vector<Index> families;   // those that touch them, ascending
    Vector<Clique> cliques;
    double workspace = 0.0;  // numbers
    double cost = 0.0;       // multiplications
};

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
    struct Row;

    template <class Code>
    void count_complete(const Code* codes, Offset stride, Offset rows, std::span<const double> weights);
    template <class Code>
    void add_row(const Code* codes, Offset stride, Offset number, double weight, Row& row);
    void add_components(double weight, Row& row);
    Index kind_of(const Vector<Index>& variables, const Vector<Index>& families);
    void add_component(Kind& kind, const Vector<Offset>& bases, double weight);

    std::shared_ptr<const Graph> graph_;
    FamilyLayout layout_;
    Vector<double> complete_;
    Vector<double> family_weight_;
    double row_weight_ = 0.0;
    double missing_cells_ = 0.0;
    Offset components_ = 0;
    Vector<Kind> kinds_;
    std::unordered_multimap<std::uint64_t, Index> kind_by_hash_;
    Vector<Place> block_start_;
    double largest_workspace_ = 0.0;
    Vector<Index> largest_component_;
    double cost_ = 0.0;
};

}  // namespace dconvex
