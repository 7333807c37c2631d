#include "storage/numbers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "common/interrupt.hpp"

namespace dconvex {
namespace {

std::uint64_t mixed_in(std::uint64_t mix, std::span<const double> numbers, Poll& poll) {
    for (const double number : numbers) {
        mix = (mix ^ std::bit_cast<std::uint64_t>(number)) * 0xBF58476D1CE4E5B9ULL;
        mix ^= mix >> 29;
        poll();
    }
    return mix;
}

bool is_distribution(std::span<const double> row, Poll& poll) {
    double sum = 0;
    poll(std::ssize(row));
    for (const double number : row) {
        if (!(number >= 0)) return false;  // NaN neither
        sum += number;
    }
    return std::abs(sum - 1) <= row_sum_tolerance;
}

bool are_distributions(std::span<const double> rows, std::size_t length, Poll& poll) {
    for (; !rows.empty(); rows = rows.subspan(length)) {
        if (!is_distribution(rows.first(length), poll)) return false;
    }
    return true;
}

bool is_regression(std::span<const double> numbers) {
    return numbers[1] >= 0 && std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
}

}  // namespace

StoredNumbers::StoredNumbers(std::shared_ptr<const ClusterIndex> index, Index tables)
    : index_(std::move(index)), offsets_(1, 0) {
    if (tables < 0 || tables > index_->table_count()) throw std::invalid_argument("there are not that many tables");
    offsets_.reserve(static_cast<std::size_t>(tables) + 1);
}

StoredNumbers StoredNumbers::of_tables(std::shared_ptr<const ClusterIndex> index, Index tables, std::span<const Offset> states,
                                       Offset most) {
    StoredNumbers stored(std::move(index), tables);
    if (states.size() != static_cast<std::size_t>(stored.index_->variable_count())) {
        throw std::invalid_argument("every variable needs a number of states");
    }
    if (std::any_of(states.begin(), states.end(), [](Offset own) { return own < 1; })) {
        throw std::invalid_argument("a variable has no states");
    }
    stored.states_.assign(states.begin(), states.end());
    Poll poll;
    for (Index table = 0; table < tables; ++table) {
        const Indices parents = stored.index_->table_parents()[table];
        poll(1 + std::ssize(parents));
        const Offset left = most - stored.offsets_.back();
        Offset size = states[static_cast<std::size_t>(stored.index_->table_variable()[table])];
        for (const Index parent : parents) {
            const Offset own = states[static_cast<std::size_t>(parent)];
            if (size > left / own) throw std::invalid_argument("the tables are larger than the numbers");
            size *= own;
        }
        if (size > left) throw std::invalid_argument("the tables are larger than the numbers");
        stored.offsets_.push_back(stored.offsets_.back() + size);
    }
    return stored;
}

StoredNumbers StoredNumbers::of_regressions(std::shared_ptr<const ClusterIndex> index, Index tables) {
    StoredNumbers stored(std::move(index), tables);
    Poll poll;
    for (Index table = 0; table < tables; ++table) {
        poll();
        stored.offsets_.push_back(stored.offsets_.back() + 2 + stored.index_->table_parents().length(table));
    }
    return stored;
}

std::span<const double> StoredNumbers::table(std::span<const double> numbers, Index number) const {
    const Offset first = offsets_[number];
    return numbers.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(offsets_[number + 1] - first));
}

Vector<std::uint64_t> StoredNumbers::checksums(std::span<const double> numbers, Index first, Index last) const {
    const Ragged& clusters = index_->clusters();
    Vector<std::uint64_t> found;
    found.reserve(static_cast<std::size_t>(last - first));
    Poll poll;
    for (Index cluster = first; cluster < last; ++cluster) {
        std::uint64_t mix = 0x9E3779B97F4A7C15ULL;
        for (Offset entry = clusters.offsets()[cluster]; entry < clusters.offsets()[cluster + 1]; ++entry) {
            const Index number = index_->member_table()[entry];
            poll();
            if (number < table_count()) mix = mixed_in(mix, table(numbers, number), poll);
        }
        found.push_back(mix);
    }
    return found;
}

Index StoredNumbers::find_wrong_table(std::span<const double> numbers, Indices tables) const {
    Poll poll;
    for (const Index number : tables) {
        const std::span<const double> own = table(numbers, number);
        poll(1 + std::ssize(own));
        const bool is_right =
            states_.empty() ? is_regression(own)
                            : are_distributions(own, static_cast<std::size_t>(states_[index_->table_variable()[number]]), poll);
        if (!is_right) return number;
    }
    return -1;
}

}  // namespace dconvex
