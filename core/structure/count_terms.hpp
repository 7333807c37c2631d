// What a cell with a count adds to a score: n log n, or a difference of log gammas, in fixed point.

#pragma once

#include <cstdint>
#include <limits>

#include "common/memory.hpp"
#include "common/ragged.hpp"

namespace dconvex {

using Fixed = std::int64_t;

// Terms by count, kept once they are computed: one table for each thread, unless it is filled beforehand.
class CountTerms {
public:
    // Each unit of a count is `unit` rows; terms are multiples of 1 / scale. BDeu's pseudo-count is that of each cell, and 0
    // gives n log n. Counts below `filled` are computed beforehand.
    CountTerms(double pseudo, double unit, double scale, Offset most, Offset filled);

    Fixed operator()(Offset count) {
        if (count < size_) [[likely]] {
            const Fixed found = known_[count];
            if (found != unknown) [[likely]]
                return found;
        }
        return computed(count);
    }

private:
    static constexpr Fixed unknown = std::numeric_limits<Fixed>::min();

    Fixed value(Offset count) const;
    Fixed computed(Offset count);

    double pseudo_, unit_, scale_;
    Offset size_;
    Vector<Fixed> table_;
    Fixed* known_;
};

}  // namespace dconvex
