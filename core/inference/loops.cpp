// Compiled once for each level of vector instructions; the build gives the name of the level as DCONVEX_SIMD_LEVEL.

#include "inference/loops.hpp"

#include <math.h>

namespace dconvex::DCONVEX_SIMD_LEVEL {
namespace {

using Size = std::int64_t;

// Sums have eight partial sums, whatever the width of the machine's vectors; short ones are taken in order.
constexpr Size lanes = 8;

inline double added(const double* lane) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

inline double sum_of(const double* numbers, Size count) {
    if (count < lanes) {
        double total = 0.0;
        for (Size k = 0; k < count; ++k) total += numbers[k];
        return total;
    }
    double lane[lanes] = {};
    Size k = 0;
    for (; k + lanes <= count; k += lanes) {
        for (Size j = 0; j < lanes; ++j) lane[j] += numbers[k + j];
    }
    for (Size j = 0; k + j < count; ++j) lane[j] += numbers[k + j];
    return added(lane);
}

inline double sum_of_products(const double* left, const double* right, Size count) {
    if (count < lanes) {
        double total = 0.0;
        for (Size k = 0; k < count; ++k) total += left[k] * right[k];
        return total;
    }
    double lane[lanes] = {};
    Size k = 0;
    for (; k + lanes <= count; k += lanes) {
        for (Size j = 0; j < lanes; ++j) lane[j] += left[k + j] * right[k + j];
    }
    for (Size j = 0; k + j < count; ++j) lane[j] += left[k + j] * right[k + j];
    return added(lane);
}

// The product moves: `term` gives the term of the sum for an entry.
template <bool is_first, class Term>
inline void write(double* __restrict product, Size count, Term term) {
    for (Size k = 0; k < count; ++k) {
        if constexpr (is_first) {
            product[k] = term(k);
        } else {
            product[k] += term(k);
        }
    }
}

template <bool is_first>
void multiply_as(const InnerLoops& loops, const double* left, const double* right, double* product) {
    const Size n = loops.length;
    for (Size round = 0; round < loops.outer_length; ++round) {
        const double *a = left, *b = right;
        if (!loops.product_moves) {
            const double total = loops.left_moves && loops.right_moves ? sum_of_products(a, b, n)
                                 : loops.left_moves                    ? sum_of(a, n) * *b
                                                                       : sum_of(b, n) * *a;
            *product = is_first ? total : *product + total;
        } else if (loops.left_moves && loops.right_moves) {
            write<is_first>(product, n, [a, b](Size k) { return a[k] * b[k]; });
        } else if (loops.left_moves) {
            write<is_first>(product, n, [a, y = *b](Size k) { return a[k] * y; });
        } else if (loops.right_moves) {
            write<is_first>(product, n, [b, x = *a](Size k) { return x * b[k]; });
        } else {
            write<is_first>(product, n, [x = *a * *b](Size) { return x; });
        }
        left += loops.outer_left;
        right += loops.outer_right;
        product += loops.outer_product;
    }
}

void multiply(const InnerLoops& loops, const double* left, const double* right, double* product, bool is_first) {
    is_first ? multiply_as<true>(loops, left, right, product) : multiply_as<false>(loops, left, right, product);
}

template <bool is_first>
void multiply_pairs_as(const InnerLoops& loops, const double* left, const double* right, Size further_left,
                       Size further_right, double* product) {
    const Size n = loops.length;
    for (Size round = 0; round < loops.outer_length; ++round) {
        const double *a = left, *b = right, *a2 = left + further_left, *b2 = right + further_right;
        const double x = *a, y = *b, x2 = *a2, y2 = *b2;
        if (loops.left_moves && loops.right_moves) {
            write<is_first>(product, n, [=](Size k) { return a[k] * b[k] + a2[k] * b2[k]; });
        } else if (loops.left_moves) {
            write<is_first>(product, n, [=](Size k) { return a[k] * y + a2[k] * y2; });
        } else if (loops.right_moves) {
            write<is_first>(product, n, [=](Size k) { return x * b[k] + x2 * b2[k]; });
        } else {
            write<is_first>(product, n, [total = x * y + x2 * y2](Size) { return total; });
        }
        left += loops.outer_left;
        right += loops.outer_right;
        product += loops.outer_product;
    }
}

void multiply_pairs(const InnerLoops& loops, const double* left, const double* right, Size further_left, Size further_right,
                    double* product, bool is_first) {
    is_first ? multiply_pairs_as<true>(loops, left, right, further_left, further_right, product)
             : multiply_pairs_as<false>(loops, left, right, further_left, further_right, product);
}

double sum(const double* numbers, Size count) { return sum_of(numbers, count); }

void divide(double* numbers, Size count, double divisor) {
    for (Size k = 0; k < count; ++k) numbers[k] /= divisor;
}

void scale(double* numbers, Size count, double factor) {
    for (Size k = 0; k < count; ++k) numbers[k] *= factor;
}

Range range(const double* numbers, Size count) {
    const double infinite = HUGE_VAL;
    double largest[lanes], smallest[lanes];
    for (Size j = 0; j < lanes; ++j) {
        largest[j] = 0.0;
        smallest[j] = infinite;
    }
    const auto look = [&](Size j, double number) {
        largest[j] = number > largest[j] ? number : largest[j];
        const double positive = number > 0.0 ? number : infinite;
        smallest[j] = positive < smallest[j] ? positive : smallest[j];
    };
    Size k = 0;
    for (; k + lanes <= count; k += lanes) {
        for (Size j = 0; j < lanes; ++j) look(j, numbers[k + j]);
    }
    for (Size j = 0; k + j < count; ++j) look(j, numbers[k + j]);
    Range found{largest[0], smallest[0]};
    for (Size j = 1; j < lanes; ++j) {
        found.largest = largest[j] > found.largest ? largest[j] : found.largest;
        found.smallest_positive = smallest[j] < found.smallest_positive ? smallest[j] : found.smallest_positive;
    }
    return found;
}

}  // namespace

extern const LoopSet loop_set;
const LoopSet loop_set = {DCONVEX_SIMD_NAME, multiply, multiply_pairs, sum, divide, scale, range};

}  // namespace dconvex::DCONVEX_SIMD_LEVEL
