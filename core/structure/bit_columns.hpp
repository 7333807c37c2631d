// Columns of states as bits: a line for each state of a variable, with a bit for each row that has it.

#pragma once

#include <cstdint>

#include "structure/state_columns.hpp"

namespace dconvex {

class BitColumns {
public:
    // None where rows have weights; variables with many states have no bits either.
    explicit BitColumns(const StateColumns& columns);

    Offset words() const noexcept { return words_; }
    // The lines of all states of a variable, one after the other, or null.
    const std::uint64_t* lines(Index variable) const {
        const Offset first = first_[variable];
        return first < 0 ? nullptr : bits_.data() + first;
    }
    // The number of rows of each state.
    const Offset* counts(Index variable) const { return counts_.data() + first_count_[variable]; }

private:
    template <class Code>
    void set_lines(const Code* codes, Index states, std::uint64_t* lines) const;

    Offset rows_, words_;
    Vector<Offset> first_, first_count_, counts_;
    Vector<std::uint64_t> bits_;
};

}  // namespace dconvex
