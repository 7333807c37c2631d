#include "inference/tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace dconvex {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double log_of_smallest(std::span<const double> numbers) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    double smallest = infinite;
    for (const double number : numbers) {
        if (number > 0.0 && number < smallest) smallest = number;
    }
    return smallest < infinite ? std::log2(smallest) : 0.0;
}

Tables::Tables(std::shared_ptr<const TableLayout> layout, Index given)
    : layout_(std::move(layout)),
      given_(given),
      values_(static_cast<std::size_t>(layout_->offsets().back())),
      floors_(static_cast<std::size_t>(layout_->table_count())),
      holds_zero_(static_cast<std::size_t>(layout_->table_count()), 0),
      underflowed_(static_cast<std::size_t>(layout_->table_count())),
      multiplications_(static_cast<std::size_t>(layout_->table_count())),
      peak_bytes_(static_cast<std::size_t>(layout_->table_count())) {
    if (given < layout_->variable_count() || given > layout_->table_count()) {
        throw std::invalid_argument("at least the tables of the network are given");
    }
    for (Index table = 0; table < layout_->table_count(); ++table) {
        floors_[table].store(not_known, std::memory_order_relaxed);
        underflowed_[table].store(false, std::memory_order_relaxed);
        peak_bytes_[table].store(0.0, std::memory_order_relaxed);
        multiplications_[table].store(table < given ? 0.0 : not_known, std::memory_order_relaxed);
    }
}

bool Tables::is_there(Index table) const { return !std::isnan(floor(table)); }

std::span<double> Tables::buffer_of(Index table) {
    return std::span<double>(values_).subspan(static_cast<std::size_t>(layout_->offsets()[table]),
                                              static_cast<std::size_t>(layout_->size(table)));
}

void Tables::publish(Index number) {
    const std::span<const double> numbers = table(number);
    holds_zero_[number] = std::find(numbers.begin(), numbers.end(), 0.0) != numbers.end();
    floors_[number].store(log_of_smallest(numbers), std::memory_order_release);
}

void Tables::mark_underflowed(Index table) { underflowed_[table].store(true, std::memory_order_release); }

bool Tables::has_cost(Index table) const { return !std::isnan(multiplications_[table].load(std::memory_order_acquire)); }

DerivationCost Tables::cost(Index table) const {
    return {multiplications_[table].load(std::memory_order_acquire), peak_bytes_[table].load(std::memory_order_relaxed)};
}

void Tables::set_cost(Index table, DerivationCost cost) {
    peak_bytes_[table].store(cost.peak_bytes, std::memory_order_relaxed);
    multiplications_[table].store(cost.multiplications, std::memory_order_release);
}

void Likelihoods::add(std::span<const double> numbers) {
    bool is_possible = false;
    for (const double number : numbers) {
        if (!(number >= 0.0 && std::isfinite(number))) {
            throw std::invalid_argument("likelihoods are finite and not negative");
        }
        if (number > 0.0) is_possible = true;
    }
    if (!is_possible) throw std::invalid_argument("a likelihood is zero everywhere");
    values_.insert(values_.end(), numbers.begin(), numbers.end());
    offsets_.push_back(values_.size());
    floors_.push_back(log_of_smallest(numbers));
}

}  // namespace dconvex
