// Deriving tables: what a cluster needs of the tables of its neighbour, made when it is first needed, from the ground up.

#pragma once

#include <memory>

#include "common/memory.hpp"
#include "inference/program.hpp"
#include "inference/tables.hpp"

namespace dconvex {

// The tables to make before some wanted ones are there, each after those that it comes from. One that needs an underflowed
// table becomes underflowed too, as does one with a probability that is too small for a float.
class Derivation {
public:
    // Finds out what is missing; nothing is made yet. Wanted tables must exist.
    Derivation(std::shared_ptr<Tables> tables, Indices wanted);
    Derivation(Derivation&&) = default;  // and no copies

    // Given tables whose numbers are not there: they have to be put in before `run`, or marked as underflowed.
    const Vector<Index>& missing() const noexcept { return missing_; }
    // What `run` makes, each after those that it comes from.
    const Vector<Index>& derived() const noexcept { return derived_; }
    // Throws std::invalid_argument where given tables are missing still.
    void run();

private:
    bool make(Index table, const Program& program) const;

    std::shared_ptr<Tables> tables_;
    Vector<Index> missing_;
    Vector<Index> derived_;
};

// What deriving these tables takes: the multiplications of all, and the most bytes that one takes. A table's own cost includes
// the most expensive one of those it comes from. Costs are noted in the tables.
DerivationCost derivation_cost(Tables& tables, Indices wanted);

}  // namespace dconvex
