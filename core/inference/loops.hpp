// The innermost loops over numbers. They are compiled several times, for wider and wider vector instructions, and the widest
// that this machine has is chosen when the module is loaded.
//
// Every set gives the same bits: nothing is fused or reordered, and a sum has a fixed number of partial sums. This header and
// loops.cpp use nothing of the standard library that is a template: its code, compiled for one machine, must not be linked into
// code that runs on another.

#pragma once

#include <cstdint>

namespace dconvex {

// A loop over axes that the same tables have: its length, and how far each table moves on in a round.
struct Loop {
    std::int64_t length, left, right, product;
};

// The innermost loop of a step, in which each table moves on by one or not at all; the one around it; and loops over axes of
// the product around both, the outermost first.
struct InnerLoops {
    static constexpr int most_around = 16;

    const Loop* around;
    int around_count, summed;
    Loop outer;
    std::int64_t length;
    bool left_moves, right_moves, product_moves;
    bool streams;  // the product is large: where the machine can, it is written past the caches
};

struct Range {
    double largest;            // 0 if no number is positive
    double smallest_positive;  // infinite if there is none
};

struct LoopSet {
    const char* name;
    // product = left * right, or += unless it is the first time; a product that does not move gets the sum of the inner loop.
    void (*multiply)(const InnerLoops& loops, const double* left, const double* right, double* product, bool is_first);
    // The same for a sum of two terms, whose second lies further on in both tables; the product must move.
    void (*multiply_pairs)(const InnerLoops& loops, const double* left, const double* right, std::int64_t further_left,
                           std::int64_t further_right, double* product, bool is_first);
    double (*sum)(const double* numbers, std::int64_t count);
    void (*divide)(double* numbers, std::int64_t count, double divisor);
    void (*scale)(double* numbers, std::int64_t count, double factor);
    Range (*range)(const double* numbers, std::int64_t count);
};

// The loops in use.
const LoopSet& loop_set() noexcept;
// The sets that this machine can run, from the narrowest to the widest; and the choice of one of them, for all threads.
// `use_loop_set` is false, and changes nothing, if there is none of this name.
int loop_set_count() noexcept;
const LoopSet& loop_set_number(int number) noexcept;
bool use_loop_set(const char* name) noexcept;

}  // namespace dconvex
