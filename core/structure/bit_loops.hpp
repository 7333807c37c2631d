// Loops over bits, one for each row: how many are set in both of two lines. Compiled for several levels of vector instructions.

#pragma once

#include <cstdint>

namespace dconvex {

struct BitLoops {
    const char* name;
    double word_cost;  // nanoseconds, about
    // For each of `count` lines of `words` words each, one after the other, the bits that it shares with the mask.
    void (*shared)(const std::uint64_t* mask, const std::uint64_t* lines, std::int64_t words, std::int64_t count,
                   std::int64_t* found);
    // The bits that two lines share, and their number.
    std::int64_t (*intersect)(const std::uint64_t* one, const std::uint64_t* other, std::int64_t words, std::uint64_t* both);
};

// The best level of this machine, or the one that a test has chosen.
const BitLoops& bit_loops() noexcept;
int bit_loops_count() noexcept;
const BitLoops& bit_loops_number(int number) noexcept;
bool use_bit_loops(const char* name) noexcept;

}  // namespace dconvex
