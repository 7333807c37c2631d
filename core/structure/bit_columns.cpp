#include "structure/bit_columns.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

#include "common/interrupt.hpp"

namespace dconvex {
namespace {

constexpr Index most_states = 64;  // with more, counting row by row is as fast

// The bits of 8 rows that have a state, from a byte each: a byte is zero where the state is the one that is looked for.
std::uint64_t zero_bytes(std::uint64_t bytes) {
    constexpr std::uint64_t low = 0x7F7F7F7F7F7F7F7FULL;
    const std::uint64_t found = ~(((bytes & low) + low) | bytes | low);  // the highest bit of each byte that is zero
    return ((found >> 7) * 0x0102040810204080ULL) >> 56;
}

}  // namespace

BitColumns::BitColumns(const StateColumns& columns)
    : rows_(columns.rows()), words_((columns.rows() + 63) / 64), first_(static_cast<std::size_t>(columns.size()), -1) {
    Offset lines = 0, states = 0;
    for (Index variable = 0; variable < columns.size(); ++variable) {
        first_count_.push_back(states);
        states += columns.states(variable);
        if (columns.weights() || columns.states(variable) > most_states) continue;
        first_[variable] = lines * words_;
        lines += columns.states(variable);
    }
    bits_.resize(static_cast<std::size_t>(lines * words_));
    counts_.assign(static_cast<std::size_t>(states), 0);
    Poll poll;
    for (Index variable = 0; variable < columns.size(); ++variable) {
        if (first_[variable] < 0) continue;
        std::uint64_t* own = bits_.data() + first_[variable];
        const Index count = columns.states(variable);
        if (columns.is_narrow()) {
            set_lines(columns.codes<std::uint8_t>(variable), count, own);
        } else {
            set_lines(columns.codes<std::uint16_t>(variable), count, own);
        }
        for (Index state = 0; state < count; ++state) {
            Offset& total = counts_[static_cast<std::size_t>(first_count_[variable] + state)];
            for (Offset word = 0; word < words_; ++word) total += std::popcount(own[state * words_ + word]);
        }
        poll(rows_);
    }
}

template <class Code>
void BitColumns::set_lines(const Code* codes, Index states, std::uint64_t* lines) const {
    const Offset whole = std::is_same_v<Code, std::uint8_t> ? rows_ / 64 : 0;
    for (Index state = 0; state < states && whole; ++state) {
        const std::uint64_t same = 0x0101010101010101ULL * static_cast<std::uint64_t>(state);
        for (Offset word = 0; word < whole; ++word) {
            std::uint64_t bits = 0;
            for (int part = 0; part < 8; ++part) {
                std::uint64_t bytes;
                std::memcpy(&bytes, codes + word * 64 + part * 8, 8);
                bits |= zero_bytes(bytes ^ same) << (8 * part);
            }
            lines[state * words_ + word] = bits;
        }
    }
    for (Index state = 0; state < states; ++state) {
        for (Offset word = whole; word < words_; ++word) lines[state * words_ + word] = 0;
    }
    for (Offset row = whole * 64; row < rows_; ++row) {
        if (codes[row] < states) lines[codes[row] * words_ + row / 64] |= std::uint64_t{1} << (row % 64);
    }
}

}  // namespace dconvex
