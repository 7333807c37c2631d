// Compiled once for each level of vector instructions; the build gives the name of the level as DCONVEX_SIMD_LEVEL.

#include "inference/loops.hpp"

#include <math.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define DCONVEX_STREAMING_STORES
#endif

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

using Factor = const double*;

// Calls `body` with the places of the tables in each round of the loops around the innermost one, and whether it is the first
// one there.
template <class Body>
inline void in_rounds(const InnerLoops& loops, Factor left, Factor right, double* product, bool is_first, Body body) {
    const Loop outer = loops.outer;
    const int first_summed = loops.around_count - loops.summed;
    bool is_first_here = is_first;
    Size done[InnerLoops::most_around];
    for (int k = 0; k < loops.around_count; ++k) done[k] = 0;
    while (true) {
        Factor a = left, b = right;
        double* c = product;
        for (Size round = 0; round < outer.length; ++round) {
            body(a, b, c, is_first_here);
            a += outer.left;
            b += outer.right;
            c += outer.product;
        }
        int axis = loops.around_count - 1;
        for (; axis >= 0; --axis) {
            const Loop& own = loops.around[axis];
            left += own.left;
            right += own.right;
            product += own.product;
            if (++done[axis] < own.length) break;
            left -= own.left * own.length;
            right -= own.right * own.length;
            product -= own.product * own.length;
            done[axis] = 0;
        }
        if (axis < 0) return;
        is_first_here = is_first && axis < first_summed;
    }
}

#ifdef DCONVEX_STREAMING_STORES
// Writes past the caches what is computed a few cache lines at a time; the product begins at a multiple of 16 bytes.
template <class Entry>
inline void stream(Size count, double* __restrict to, Entry entry) {
    constexpr Size at_once = 32;
    alignas(64) double numbers[at_once];
    for (Size first = 0; first < count; first += at_once) {
        const Size n = count - first < at_once ? count - first : at_once;
        for (Size k = 0; k < n; ++k) numbers[k] = entry(first + k);
        Size k = 0;
        for (; k + 2 <= n; k += 2) _mm_stream_pd(to + first + k, _mm_load_pd(numbers + k));
        if (k < n) to[first + k] = numbers[k];
    }
}

template <class Term>
inline void write_streaming(const InnerLoops& loops, Factor left, Factor right, double* product, Term term) {
    const Size n = loops.length;
    in_rounds(loops, left, right, product, true,
              [n, term](Factor a, Factor b, double* to, bool) { stream(n, to, term(a, b)); });
    _mm_sfence();
}
#endif

// All rounds, for a product that moves; `term` gives the term of the sum for an entry of a round. Short inner loops have a
// length that is known when this is compiled, if `fixed` is not 0.
template <Size fixed, class Term>
inline void write(const InnerLoops& loops, Factor left, Factor right, double* product, bool is_first, Term term) {
#ifdef DCONVEX_STREAMING_STORES
    if constexpr (fixed == 0) {
        if (loops.streams) return write_streaming(loops, left, right, product, term);
    }
#endif
    const Size n = fixed ? fixed : loops.length;
    in_rounds(loops, left, right, product, is_first, [n, term](Factor a, Factor b, double* __restrict to, bool is_first_here) {
        const auto entry = term(a, b);
        if (is_first_here) {
            for (Size k = 0; k < n; ++k) to[k] = entry(k);
        } else {
            for (Size k = 0; k < n; ++k) to[k] += entry(k);
        }
    });
}

// The same for a product that does not move; `sum` gives the sum of a round.
template <class Sum>
inline void write_sums(const InnerLoops& loops, Factor left, Factor right, double* product, bool is_first, Sum sum) {
    in_rounds(loops, left, right, product, is_first, [sum](Factor a, Factor b, double* __restrict to, bool is_first_here) {
        const double own = sum(a, b);
        *to = is_first_here ? own : *to + own;
    });
}

template <Size fixed>
void multiply_as(const InnerLoops& loops, Factor left, Factor right, double* product, bool is_first) {
    const Size n = fixed ? fixed : loops.length;
    if (!loops.product_moves) {
        if (loops.left_moves && loops.right_moves) {
            write_sums(loops, left, right, product, is_first, [n](Factor a, Factor b) { return sum_of_products(a, b, n); });
        } else if (loops.left_moves) {
            write_sums(loops, left, right, product, is_first, [n](Factor a, Factor b) { return sum_of(a, n) * *b; });
        } else {
            write_sums(loops, left, right, product, is_first, [n](Factor a, Factor b) { return sum_of(b, n) * *a; });
        }
    } else if (loops.left_moves && loops.right_moves) {
        write<fixed>(loops, left, right, product, is_first,
                     [](Factor a, Factor b) { return [a, b](Size k) { return a[k] * b[k]; }; });
    } else if (loops.left_moves) {
        write<fixed>(loops, left, right, product, is_first,
                     [](Factor a, Factor b) { return [a, y = *b](Size k) { return a[k] * y; }; });
    } else if (loops.right_moves) {
        write<fixed>(loops, left, right, product, is_first,
                     [](Factor a, Factor b) { return [b, x = *a](Size k) { return x * b[k]; }; });
    } else {
        write<fixed>(loops, left, right, product, is_first,
                     [](Factor a, Factor b) { return [x = *a * *b](Size) { return x; }; });
    }
}

template <Size fixed>
void multiply_pairs_as(const InnerLoops& loops, Factor left, Factor right, Size further_left, Size further_right,
                       double* product, bool is_first) {
    const Size p = further_left, q = further_right;
    if (loops.left_moves && loops.right_moves) {
        write<fixed>(loops, left, right, product, is_first, [p, q](Factor a, Factor b) {
            return [a, b, a2 = a + p, b2 = b + q](Size k) { return a[k] * b[k] + a2[k] * b2[k]; };
        });
    } else if (loops.left_moves) {
        write<fixed>(loops, left, right, product, is_first, [p, q](Factor a, Factor b) {
            return [a, a2 = a + p, y = *b, y2 = b[q]](Size k) { return a[k] * y + a2[k] * y2; };
        });
    } else if (loops.right_moves) {
        write<fixed>(loops, left, right, product, is_first, [p, q](Factor a, Factor b) {
            return [b, b2 = b + q, x = *a, x2 = a[p]](Size k) { return x * b[k] + x2 * b2[k]; };
        });
    } else {
        write<fixed>(loops, left, right, product, is_first,
                     [p, q](Factor a, Factor b) { return [total = *a * *b + a[p] * b[q]](Size) { return total; }; });
    }
}

void multiply(const InnerLoops& loops, Factor left, Factor right, double* product, bool is_first) {
    switch (loops.length) {
        case 2:
            return multiply_as<2>(loops, left, right, product, is_first);
        case 3:
            return multiply_as<3>(loops, left, right, product, is_first);
        case 4:
            return multiply_as<4>(loops, left, right, product, is_first);
        default:
            return multiply_as<0>(loops, left, right, product, is_first);
    }
}

void multiply_pairs(const InnerLoops& loops, Factor left, Factor right, Size further_left, Size further_right, double* product,
                    bool is_first) {
    switch (loops.length) {
        case 2:
            return multiply_pairs_as<2>(loops, left, right, further_left, further_right, product, is_first);
        case 3:
            return multiply_pairs_as<3>(loops, left, right, further_left, further_right, product, is_first);
        case 4:
            return multiply_pairs_as<4>(loops, left, right, further_left, further_right, product, is_first);
        default:
            return multiply_pairs_as<0>(loops, left, right, further_left, further_right, product, is_first);
    }
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
