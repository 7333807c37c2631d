// Sums over the cells of a family's table, and of the table with one more parent.

#pragma once

#include "structure/count_terms.hpp"
#include "structure/family_cells.hpp"

namespace dconvex {

// All that a score needs of a table's counts.
struct FamilySums {
    Fixed family = 0;   // the sum of terms over the cells
    Fixed parents = 0;  // the same after the variable is summed out
    Offset count = 0;   // of rows without a missing cell in the family
    // Of a test whether the variable depends on the candidate: (states that occur - 1) of one times those of the other, summed
    // over the configurations of the other parents.
    Offset degrees = 0;
};

// The sums of the cells as they are.
FamilySums sums_of(const FamilyCells& cells, CountTerms& family, CountTerms& parents);

// Counts for one candidate after another; each thread has its own.
class CandidateCounts {
public:
    CandidateCounts(const StateColumns& columns, const BitColumns& bits) : columns_(columns), bits_(bits) {}

    // The sums of the table with the candidate as one more parent.
    FamilySums with(const FamilyCells& cells, Index candidate, CountTerms& family, CountTerms& parents);

private:
    FamilySums with_few_states(const FamilyCells& cells, Index candidate, CountTerms& family, CountTerms& parents);
    template <class Code>
    FamilySums with_many_states(const FamilyCells& cells, Index candidate, CountTerms& family, CountTerms& parents);
    void count_by_bits(const FamilyCell& cell, const std::uint64_t* lines, Index states, bool has_gaps);
    template <class Code>
    void count_by_rows(const FamilyCell& cell, const Code* codes);

    const StateColumns& columns_;
    const BitColumns& bits_;
    Vector<Offset> cell_, total_;  // by the candidate's state; the last one is for missing cells
    Vector<Index> touched_, touched_totals_;
};

// With more states than these, cells hold few of them.
constexpr Index few_states = 64;

// The nanoseconds, about, that counting a cell by bits takes for a candidate with this many states.
double cost_by_bits(Index states, Offset words);

}  // namespace dconvex
