// Compiled once for each level of vector instructions; the build gives the name of the level as DCONVEX_SIMD_LEVEL.

#include "structure/bit_loops.hpp"

#include <bit>

namespace dconvex::DCONVEX_SIMD_LEVEL {
namespace {

std::int64_t shared_by_two(const std::uint64_t* one, const std::uint64_t* other, std::int64_t words) {
    std::int64_t total = 0;
    for (std::int64_t word = 0; word < words; ++word) total += std::popcount(one[word] & other[word]);
    return total;
}

void shared(const std::uint64_t* mask, const std::uint64_t* lines, std::int64_t words, std::int64_t count,
            std::int64_t* found) {
    std::int64_t line = 0;
    for (; line + 3 <= count; line += 3) {  // the mask is read once for several lines
        const std::uint64_t* first = lines + line * words;
        const std::uint64_t* second = first + words;
        const std::uint64_t* third = second + words;
        std::int64_t in_first = 0, in_second = 0, in_third = 0;
        for (std::int64_t word = 0; word < words; ++word) {
            in_first += std::popcount(mask[word] & first[word]);
            in_second += std::popcount(mask[word] & second[word]);
            in_third += std::popcount(mask[word] & third[word]);
        }
        found[line] = in_first;
        found[line + 1] = in_second;
        found[line + 2] = in_third;
    }
    for (; line + 2 <= count; line += 2) {
        const std::uint64_t* first = lines + line * words;
        const std::uint64_t* second = first + words;
        std::int64_t in_first = 0, in_second = 0;
        for (std::int64_t word = 0; word < words; ++word) {
            in_first += std::popcount(mask[word] & first[word]);
            in_second += std::popcount(mask[word] & second[word]);
        }
        found[line] = in_first;
        found[line + 1] = in_second;
    }
    if (line < count) found[line] = shared_by_two(mask, lines + line * words, words);
}

std::int64_t intersect(const std::uint64_t* one, const std::uint64_t* other, std::int64_t words, std::uint64_t* both) {
    std::int64_t total = 0;
    for (std::int64_t word = 0; word < words; ++word) {
        const std::uint64_t shared_bits = one[word] & other[word];
        both[word] = shared_bits;
        total += std::popcount(shared_bits);
    }
    return total;
}

}  // namespace

extern const BitLoops bit_loop_set;
const BitLoops bit_loop_set{DCONVEX_SIMD_NAME, DCONVEX_WORD_COST, shared, intersect};

}  // namespace dconvex::DCONVEX_SIMD_LEVEL
