// The numbers of a discrete model: the tables that are given, and those derived from them when they are first needed.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "common/memory.hpp"
#include "inference/table_layout.hpp"

namespace dconvex {

// What deriving a table takes.
struct DerivationCost {
    double multiplications;
    double peak_bytes;
};

// One writer at a time may put numbers in while any number of threads read tables that are there already.
class Tables {
public:
    // The first `given` tables are given: their numbers come from outside, the others are derived from them.
    Tables(std::shared_ptr<const TableLayout> layout, Index given);
    Tables(const Tables&) = delete;
    Tables& operator=(const Tables&) = delete;

    const TableLayout& layout() const noexcept { return *layout_; }
    const std::shared_ptr<const TableLayout>& shared_layout() const noexcept { return layout_; }
    Index given() const noexcept { return given_; }

    const Vector<double>& values() const noexcept { return values_; }
    std::span<const double> table(Index table) const {
        return std::span<const double>(values_).subspan(static_cast<std::size_t>(layout_->offsets()[table]),
                                                        static_cast<std::size_t>(layout_->size(table)));
    }
    // The binary logarithm of the smallest positive entry of a table, 0 if it has none; NaN if the table is not there.
    double floor(Index table) const { return floors_[table].load(std::memory_order_acquire); }
    bool is_there(Index table) const;
    // Whether a table that is there has an entry that is zero.
    bool holds_zero(Index table) const { return holds_zero_[table] != 0; }
    // Whether a probability of the table is too small for a float: it is never there, and neither is what comes from it.
    bool is_underflowed(Index table) const { return underflowed_[table].load(std::memory_order_acquire); }
    bool is_missing(Index table) const { return !is_there(table) && !is_underflowed(table); }

    // Where the numbers of a table that is not there yet belong; `publish` says that they are complete.
    std::span<double> buffer_of(Index table);
    double* data() noexcept { return values_.data(); }
    void publish(Index table);
    void mark_underflowed(Index table);

    // Known for given tables, and once it was found out for others. Whoever finds it out finds the same, so any thread may set
    // it.
    bool has_cost(Index table) const;
    DerivationCost cost(Index table) const;
    void set_cost(Index table, DerivationCost cost);

private:
    std::shared_ptr<const TableLayout> layout_;
    Index given_;
    Vector<double> values_;
    Vector<std::atomic<double>> floors_;
    Vector<std::uint8_t> holds_zero_;
    Vector<std::atomic<bool>> underflowed_;
    Vector<std::atomic<double>> multiplications_, peak_bytes_;  // of deriving; the first is NaN until both are known
};

// The likelihoods of a question's soft evidence, in its order.
class Likelihoods {
public:
    // Throws std::invalid_argument where a number is negative, infinite or NaN, or where a likelihood is zero everywhere.
    void add(std::span<const double> numbers);

    Index size() const noexcept { return static_cast<Index>(floors_.size()); }
    std::span<const double> operator[](Index number) const {
        return std::span<const double>(values_).subspan(offsets_[number], offsets_[number + 1] - offsets_[number]);
    }
    double floor(Index number) const { return floors_[number]; }
    const double* data(Index number) const { return values_.data() + offsets_[number]; }

private:
    Vector<double> values_;
    Vector<std::size_t> offsets_ = Vector<std::size_t>(1, 0);
    Vector<double> floors_;
};

// The binary logarithm of the smallest positive number, 0 if there is none.
double log_of_smallest(std::span<const double> numbers);

}  // namespace dconvex
