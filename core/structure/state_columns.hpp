// Columns of states, as a search for a structure goes over them.

#pragma once

#include <cstdint>
#include <span>

#include "common/memory.hpp"
#include "common/ragged.hpp"

namespace dconvex {

// The states of each variable in each row, all rows of the same weight or with one of their own.
class StateColumns {
public:
    // The state of variable v in row r is codes[v * rows + r], -1 where the cell is missing; `weights` is empty where each row
    // weighs one. Throws std::invalid_argument for a state that v does not have, or where lengths do not fit.
    StateColumns(std::span<const std::int8_t> codes, Vector<Index> states, Offset rows, Vector<Offset> weights);
    StateColumns(std::span<const std::int32_t> codes, Vector<Index> states, Offset rows, Vector<Offset> weights);

    Index size() const noexcept { return static_cast<Index>(states_.size()); }
    Offset rows() const noexcept { return rows_; }
    // The sum of all weights.
    Offset weight() const noexcept { return weight_; }
    Offset weight(Offset row) const { return weights_.empty() ? 1 : weights_[row]; }
    const Offset* weights() const noexcept { return weights_.empty() ? nullptr : weights_.data(); }
    Index states(Index variable) const { return states_[variable]; }
    // Whether some cell is missing; its code is then the number of states.
    bool has_gaps(Index variable) const { return has_gaps_[variable]; }
    bool has_gaps() const noexcept { return any_gaps_; }

    // Codes take a byte each if those of all variables fit, else two.
    bool is_narrow() const noexcept { return is_narrow_; }
    template <class Code>
    const Code* codes(Index variable) const {
        if constexpr (sizeof(Code) == 1) {
            return narrow_.data() + variable * rows_;
        } else {
            return wide_.data() + variable * rows_;
        }
    }

private:
    template <class Code>
    void set_codes(std::span<const Code> codes);
    template <class Given, class Code>
    void copy(const Given* given, Index variable, Code* own);

    Vector<std::uint8_t> narrow_;
    Vector<std::uint16_t> wide_;
    Vector<Index> states_;
    Vector<char> has_gaps_;
    bool is_narrow_ = true;
    bool any_gaps_ = false;
    Offset rows_;
    Offset weight_;
    Vector<Offset> weights_;
};

}  // namespace dconvex
