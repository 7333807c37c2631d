// Counting: how often each configuration of a family occurs in rows of codes.
//
// Columns of codes lie one after the other. A family (its parents, then its variable) has a table with a cell for each
// configuration; the variable's state runs fastest. It takes the rows in which none of its cells is missing. Rows come in
// blocks that stay in the processor's cache: first the cell of each row is computed, a member at a time, then the cells are
// counted. Threads can share the work by families.

#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "common/interrupt.hpp"
#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "learning/columns.hpp"

namespace dconvex {

// The codes of variable v begin at codes[v * stride]; below zero they are missing.
template <class T>
struct CodeColumnsOf {
    const T* codes;
    std::int64_t variables;
    std::int64_t stride;
};

using CodeColumns = std::variant<CodeColumnsOf<std::int8_t>, CodeColumnsOf<std::int32_t>>;

// Families of variables, and where their tables lie among all counts.
class CountTables {
public:
    // `states` is the number of states of each variable, `may_miss` is set where codes of it may be below zero, and
    // `first_cell` is where the table of each family begins, or -1 for a family that is not counted.
    // Throws std::invalid_argument unless lengths agree, members are variables and tables have less than 2**31 cells.
    CountTables(Ragged members, std::span<const std::int64_t> states, std::span<const std::uint8_t> may_miss,
                std::span<const Offset> first_cell);

    Index size() const noexcept { return members_.size(); }

    // Adds the first `rows` rows to the tables of the families from `first` up to `last`, and to `used` how many rows each
    // of them takes. Throws std::invalid_argument where a code is no state; some rows are counted then.
    void count(const CodeColumns& columns, std::int64_t rows, std::span<std::int64_t> counts, std::span<std::int64_t> used,
               std::int64_t first, std::int64_t last) const;

private:
    struct Variable {
        Index states;
        bool may_miss;
    };
    struct Table {
        Offset first_cell;
        Offset cells;
        bool may_miss;
    };

    Table table_of(Index family, Offset first_cell) const;
    template <class Cell, class Own>
    std::int64_t count_family(Index family, const CodeColumnsOf<Own>& columns, std::int64_t rows, std::int64_t* counts,
                              std::span<std::int64_t> lanes, Poll& poll) const;

    Ragged members_;
    Vector<Variable> variables_;
    Vector<Table> tables_;
    Offset cells_ = 0;  // all tables lie below this one
};

}  // namespace dconvex
