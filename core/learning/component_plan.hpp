// The tables of families, and how the posterior of what is missing in a row is found: by elimination.

#pragma once

#include <span>

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
    // The cell of a variable's table where its members have these codes, those that are missing their first state.
    Offset base(Index variable, const Vector<Index>& codes) const;
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

    double bytes() const noexcept;  // of the plan itself
};

// The plan of a component: the missing variables and the families that touch them, both ascending. The ones that are marked in
// `is_last`, if any, are eliminated after all others, one by one.
ComponentPlan planned_component(const FamilyLayout& layout, Indices variables, Indices families,
                                std::span<const char> is_last = {});

}  // namespace dconvex
