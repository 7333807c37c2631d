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
    // The state of variable v in row r is codes[v * rows + r]; `weights` is empty where each row weighs one.
    // Throws std::invalid_argument for a state that v does not have, or where lengths do not fit.
    StateColumns(std::span<const std::int8_t> codes, Vector<Index> states, Offset rows, Vector<Offset> weights);
    StateColumns(std::span<const std::int32_t> codes, Vector<Index> states, Offset rows, Vector<Offset> weights);

    Index size() const noexcept { return static_cast<Index>(states_.size()); }
    Offset rows() const noexcept { return rows_; }
    // The sum of all weights.
    Offset weight() const noexcept { return weight_; }
    Offset weight(Offset row) const { return weights_.empty() ? 1 : weights_[row]; }
    Index states(Index variable) const { return states_[variable]; }
    const std::uint16_t* codes(Index variable) const { return codes_.data() + variable * rows_; }

private:
    template <class Code>
    void set_codes(std::span<const Code> codes);

    Vector<std::uint16_t> codes_;
    Vector<Index> states_;
    Offset rows_;
    Offset weight_;
    Vector<Offset> weights_;
};

}  // namespace dconvex
