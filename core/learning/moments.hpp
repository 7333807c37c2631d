// Moments: sums, and sums of squares and products, of the members of a family in rows of numbers.
//
// They are those of deviations from the family's first whole row, which lies near the mean of a column far from zero. A family
// takes the rows in which none of its numbers is missing (NaN). Every sum has a fixed shape: blocks of rows, and within them
// four partial sums of the products, so that it is the same to the last bit on every machine and with any number of threads.

#pragma once

#include <cstdint>
#include <span>

#include "common/interrupt.hpp"
#include "common/memory.hpp"
#include "common/ragged.hpp"

namespace dconvex {

// The numbers of variable v begin at numbers[v * stride].
struct NumberColumns {
    const double* numbers;
    std::int64_t variables;
    std::int64_t stride;
};

class MomentSums {
public:
    // Families over variables 0, 1, …; the sums begin at zero.
    explicit MomentSums(Ragged members);

    Index size() const noexcept { return members_.size(); }

    // For each member of each family, as `members` lists them: what its deviations are from, and their sum.
    const Vector<double>& shift() const noexcept { return shift_; }
    const Vector<double>& sums() const noexcept { return sums_; }
    // For each family with m members the sums of products as an m × m matrix, of which the lower half is filled.
    const Vector<double>& products() const noexcept { return products_; }
    // For each family how many rows it takes.
    const Vector<std::int64_t>& used() const noexcept { return used_; }

    // Adds the first `rows` rows to the families from `first` up to `last`. `may_miss` is set for variables with a NaN.
    // Throws std::invalid_argument unless there are enough columns and flags.
    void add(const NumberColumns& columns, std::int64_t rows, std::span<const std::uint8_t> may_miss, std::int64_t first,
             std::int64_t last);

private:
    void add_family(Index family, const NumberColumns& columns, std::int64_t rows, bool may_miss, Poll& poll);

    Ragged members_;
    Index variables_;  // members are below this
    Vector<Offset> first_product_;
    Vector<double> shift_, sums_, products_;
    Vector<std::int64_t> used_;
};

}  // namespace dconvex
