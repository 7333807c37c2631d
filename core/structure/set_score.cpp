#include "structure/set_score.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "common/interrupt.hpp"

namespace dconvex {
namespace {

// Up to this many rows a configuration is counted row by row, else by its set of rows.
constexpr Offset few_rows = 96;

Offset common_bits(const std::uint64_t* one, const std::uint64_t* other, Offset words) {
    Offset count = 0;
    for (Offset k = 0; k < words; ++k) count += std::popcount(one[k] & other[k]);
    return count;
}

}  // namespace

Columns::Columns(std::span<const std::uint8_t> codes, Vector<Index> states, Offset rows)
    : codes_(codes.begin(), codes.end()), states_(std::move(states)), rows_(rows), words_((rows + 63) / 64) {
    if (static_cast<Offset>(codes_.size()) != rows_ * size()) throw std::invalid_argument("there must be a state for each cell");
    Offset sets = 0;
    for (Index variable = 0; variable < size(); ++variable) {
        const std::uint8_t* own = this->codes(variable);
        const auto count = static_cast<std::uint8_t>(states_[variable] - 1);
        if (states_[variable] < 1 || states_[variable] > 256) throw std::invalid_argument("a variable has 1 to 256 states");
        if (std::any_of(own, own + rows_, [count](std::uint8_t code) { return code > count; })) {
            throw std::invalid_argument("a state is none of its variable's");
        }
        first_bits_.push_back(sets);
        sets += states_[variable];
    }
    bits_.assign(static_cast<std::size_t>(sets * words_), 0);
    Poll poll;
    for (Index variable = 0; variable < size(); ++variable) {
        const std::uint8_t* own = this->codes(variable);
        for (Offset row = 0; row < rows_; ++row) {
            bits_[(first_bits_[variable] + own[row]) * words_ + row / 64] |= std::uint64_t{1} << (row % 64);
        }
        poll(rows_);
    }
}

// Each configuration that occurs has its rows, as a list and, where there are many, as a set.
struct SetScore::Partition {
    struct Part {
        Offset first, count;  // of its rows
        Offset bits;          // of its set, -1 where there is none
    };
    Vector<Part> parts;
    Vector<std::int32_t> rows;
    Vector<std::uint64_t> bits;
};

SetScore::SetScore(const Columns& columns, Criterion criterion, double equivalent_sample_size)
    : columns_(columns), criterion_(criterion), equivalent_sample_size_(equivalent_sample_size) {
    const auto rows = static_cast<double>(std::max<Offset>(columns.rows(), 2));
    scale_ = std::exp2(std::floor(60.0 - std::log2(64.0 * rows * std::log(rows) + 1.0)));
    n_log_n_.resize(static_cast<std::size_t>(std::min<Offset>(columns.rows(), 1 << 20) + 1));
    for (std::size_t n = 0; n < n_log_n_.size(); ++n) {
        const auto number = static_cast<double>(n);
        n_log_n_[n] = n ? static_cast<Fixed>(std::llround(scale_ * number * std::log(number))) : 0;
    }
}

std::size_t SetScore::Hash::operator()(const Vector<Index>& key) const noexcept {
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
    for (const Index variable : key) {
        hash = (hash ^ static_cast<std::uint64_t>(variable)) * 0xBF58476D1CE4E5B9ULL;
        hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash);
}

SetScore::Fixed SetScore::term(Offset count, double cells) const {
    if (count == 0) return 0;
    if (criterion_ != Criterion::bdeu) {
        if (count < static_cast<Offset>(n_log_n_.size())) return n_log_n_[count];
        const auto number = static_cast<double>(count);
        return static_cast<Fixed>(std::llround(scale_ * number * std::log(number)));
    }
    const double pseudo = equivalent_sample_size_ / cells;
    return static_cast<Fixed>(std::llround(scale_ * (std::lgamma(static_cast<double>(count) + pseudo) - std::lgamma(pseudo))));
}

double SetScore::cells_of(Indices variables) const {
    double cells = 1.0;
    for (const Index variable : variables) cells *= columns_.states(variable);
    return cells;
}

double SetScore::penalty(Index variable, Indices parents) const {
    if (criterion_ == Criterion::bdeu) return 0.0;
    const double parameters = cells_of(parents) * (columns_.states(variable) - 1);
    return criterion_ == Criterion::aic ? parameters
                                        : 0.5 * std::log(static_cast<double>(std::max<Offset>(columns_.rows(), 1))) * parameters;
}

void SetScore::partition(Indices variables, Partition& found) const {
    const Offset rows = columns_.rows();
    found.parts.assign(1, {0, rows, -1});
    found.rows.resize(static_cast<std::size_t>(rows));
    std::iota(found.rows.begin(), found.rows.end(), 0);
    Vector<std::int32_t> sorted(static_cast<std::size_t>(rows));
    Vector<Offset> start;
    Vector<Partition::Part> parts;
    for (const Index variable : variables) {
        const std::uint8_t* codes = columns_.codes(variable);
        const auto states = static_cast<std::size_t>(columns_.states(variable));
        parts.clear();
        for (const Partition::Part& part : found.parts) {
            start.assign(states + 1, 0);
            for (Offset k = 0; k < part.count; ++k) ++start[codes[found.rows[part.first + k]] + 1];
            for (std::size_t s = 0; s < states; ++s) {
                if (start[s + 1]) parts.push_back({part.first + start[s], start[s + 1], -1});
                start[s + 1] += start[s];
            }
            for (Offset k = 0; k < part.count; ++k) {
                const std::int32_t row = found.rows[part.first + k];
                sorted[part.first + start[codes[row]]++] = row;
            }
        }
        found.rows.swap(sorted);
        found.parts.swap(parts);
    }
    found.bits.clear();
    for (Partition::Part& part : found.parts) {
        if (part.count <= few_rows) continue;
        part.bits = static_cast<Offset>(found.bits.size());
        found.bits.resize(found.bits.size() + columns_.words(), 0);
        std::uint64_t* bits = found.bits.data() + part.bits;
        std::fill_n(bits, columns_.words(), 0);
        for (Offset k = 0; k < part.count; ++k) {
            const std::int32_t row = found.rows[part.first + k];
            bits[row / 64] |= std::uint64_t{1} << (row % 64);
        }
    }
}

SetScore::Fixed SetScore::of_set(Indices variables) {
    const Vector<Index> key(variables.begin(), variables.end());
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    Partition parts;
    partition(variables, parts);
    const double cells = cells_of(variables);
    Fixed total = 0;
    for (const Partition::Part& part : parts.parts) total += term(part.count, cells);
    known_.emplace(key, total);
    ++evaluations_;
    return total;
}

double SetScore::family(Index variable, Indices parents) {
    Vector<Index> whole(parents.begin(), parents.end());
    whole.insert(std::lower_bound(whole.begin(), whole.end(), variable), variable);
    return static_cast<double>(of_set(whole) - of_set(parents)) / scale_ - penalty(variable, parents);
}

// Counts the configurations of (parents, variable) with each candidate: those of (parents, candidate) are sums of these.
void SetScore::with_each(Index variable, Indices parents, Indices candidates, std::span<double> scores) {
    Vector<Index> order(parents.begin(), parents.end());
    order.push_back(variable);
    Partition parts;
    partition(order, parts);
    // parts with the same configuration of the parents follow each other: the variable is the last to split them
    Vector<Index> group(parts.parts.size());
    {
        Partition above;
        partition(parents, above);
        std::size_t part = 0;
        for (std::size_t g = 0; g < above.parts.size(); ++g) {
            Offset left = above.parts[g].count;
            while (left > 0) {
                group[part] = static_cast<Index>(g);
                left -= parts.parts[part++].count;
            }
        }
    }
    Vector<Index> larger, whole;
    Vector<Offset> counts, sums;
    Poll poll;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
        const Index candidate = candidates[c];
        larger.assign(parents.begin(), parents.end());
        larger.insert(std::lower_bound(larger.begin(), larger.end(), candidate), candidate);
        whole = larger;
        whole.insert(std::lower_bound(whole.begin(), whole.end(), variable), variable);
        const auto found_whole = known_.find(whole), found_larger = known_.find(larger);
        Fixed total = 0, total_larger = 0;
        if (found_whole != known_.end() && found_larger != known_.end()) {
            total = found_whole->second;
            total_larger = found_larger->second;
        } else {
            const Index states = columns_.states(candidate);
            const std::uint8_t* codes = columns_.codes(candidate);
            const double cells = cells_of(whole), larger_cells = cells_of(larger);
            sums.assign(static_cast<std::size_t>(states), 0);
            for (std::size_t p = 0; p < parts.parts.size(); ++p) {
                const Partition::Part& part = parts.parts[p];
                counts.assign(static_cast<std::size_t>(states), 0);
                if (part.bits < 0) {
                    for (Offset k = 0; k < part.count; ++k) ++counts[codes[parts.rows[part.first + k]]];
                } else {
                    Offset left = part.count;
                    for (Index s = 0; s + 1 < states && left; ++s) {
                        counts[s] = common_bits(parts.bits.data() + part.bits, columns_.bits(candidate, s), columns_.words());
                        left -= counts[s];
                    }
                    counts[states - 1] = left;
                }
                for (Index s = 0; s < states; ++s) {
                    total += term(counts[s], cells);
                    sums[s] += counts[s];
                }
                if (p + 1 == parts.parts.size() || group[p + 1] != group[p]) {
                    for (Offset& sum : sums) {
                        total_larger += term(sum, larger_cells);
                        sum = 0;
                    }
                }
                poll(columns_.words());
            }
            known_.insert_or_assign(whole, total);
            known_.insert_or_assign(larger, total_larger);
            ++evaluations_;
        }
        scores[c] = static_cast<double>(total - total_larger) / scale_ - penalty(variable, larger);
    }
}

}  // namespace dconvex
