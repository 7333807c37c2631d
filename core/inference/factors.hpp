// What a question multiplies: the requisite tables of its small network, and the likelihoods of the variables that they have.

#pragma once

#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "inference/small_network.hpp"

namespace dconvex {

// Where the numbers of a factor come from: a table of the model, or the likelihood at this index of the evidence.
struct Source {
    enum class Kind : std::uint8_t { table, likelihood };

    Kind kind;
    Index number;
};

struct Factors {
    Ragged scopes;           // by index in the small network; variables with a fixed state are left out
    Vector<Source> sources;  // one for each factor
    Vector<Index> owners;    // the variable whose table or likelihood each factor is

    Index size() const noexcept { return static_cast<Index>(sources.size()); }
};

// Whether the table of a variable is a factor.
inline bool is_factor(const SmallNetwork& small, Index v) {
    return small.is_requisite[v] && small.tables[v] != SmallNetwork::no_table;
}

// `observation` gives for each variable of the small network the index of its fixed state, `likelihood` its index in the soft
// evidence; or -1.
class FactorCollector {
public:
    void collect(const SmallNetwork& small, Indices observation, Indices likelihood, Factors& factors);

private:
    Flags is_covered_;
    Vector<Index> scope_;
};

}  // namespace dconvex
