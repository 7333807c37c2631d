// The rows of a family by cell of its table: for each configuration of the parents that occurs, the states of the variable.

#pragma once

#include <cstdint>

#include "structure/bit_columns.hpp"
#include "structure/state_columns.hpp"

namespace dconvex {

struct FamilyCell {
    Offset count;               // of rows, or the sum of their weights
    const std::uint64_t* mask;  // a bit for each row that is in the cell, or null
    const Index* rows;          // the rows in the cell, or null
    Offset row_count;
};

// Cells that hold rows, grouped by configuration of the parents; rows with a missing cell are in none. Where the table is small
// they are found by bits, else by sorting rows.
class FamilyCells {
public:
    // Both must outlive it.
    FamilyCells(const StateColumns& columns, const BitColumns& bits) : columns_(columns), bits_(bits) {}
    FamilyCells(const FamilyCells&) = delete;
    FamilyCells& operator=(const FamilyCells&) = delete;

    // Becomes the cells of a family, unless it is these already.
    void prepare(Index variable, Indices parents);
    // Lists the rows of all cells where going through them takes less than `most` nanoseconds.
    void list_rows(double most);

    Index variable() const noexcept { return variable_; }
    bool has_parents() const noexcept { return !parents_.empty(); }
    const Vector<FamilyCell>& cells() const noexcept { return cells_; }
    // Configuration j has the cells first_cell(j) up to first_cell(j + 1).
    Offset configurations() const noexcept { return static_cast<Offset>(first_cell_.size()) - 1; }
    Offset first_cell(Offset configuration) const { return first_cell_[configuration]; }

private:
    bool is_small(Index variable, Indices parents) const;
    void prepare_by_bits(Index variable, Indices parents);
    void prepare_by_rows(Index variable, Indices parents);
    template <class Code>
    Offset number_configurations(Indices parents);
    template <class Code>
    void sort_rows(Index variable, Offset configurations);
    template <class Code>
    void cut_cells(Index variable);
    void compress(Offset& range);

    const StateColumns& columns_;
    const BitColumns& bits_;
    Index variable_ = -1;
    Vector<Index> parents_;
    Vector<FamilyCell> cells_;
    Vector<Offset> first_cell_;
    double listed_ = 0.0;
    Vector<std::uint64_t> masks_[3];
    Vector<Index> rows_, order_;
    Vector<std::int64_t> configuration_;  // of each row; -1 where a cell is missing
    Vector<Offset> starts_;
};

}  // namespace dconvex
