#include "structure/discrete_score.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "common/interrupt.hpp"

namespace dconvex {

DiscreteScore::DiscreteScore(StateColumns columns, Criterion criterion, double equivalent_sample_size)
    : columns_(std::move(columns)), criterion_(criterion), equivalent_sample_size_(equivalent_sample_size) {
    const auto rows = static_cast<double>(std::max<Offset>(columns_.weight(), 2));
    scale_ = std::exp2(std::floor(60.0 - std::log2(64.0 * rows * std::log(rows) + 1.0)));
}

std::size_t DiscreteScore::Hash::operator()(const Vector<Index>& key) const noexcept {
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
    for (const Index variable : key) {
        hash = (hash ^ static_cast<std::uint64_t>(variable)) * 0xBF58476D1CE4E5B9ULL;
        hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash);
}

DiscreteScore::Fixed DiscreteScore::term(Offset count, double cells) const {
    if (count == 0) return 0;
    const auto number = static_cast<double>(count);
    if (criterion_ != Criterion::bdeu) return static_cast<Fixed>(std::llround(scale_ * number * std::log(number)));
    const double pseudo = equivalent_sample_size_ / cells;
    return static_cast<Fixed>(std::llround(scale_ * (std::lgamma(number + pseudo) - std::lgamma(pseudo))));
}

double DiscreteScore::cells_of(Indices variables) const {
    double cells = 1.0;
    for (const Index variable : variables) cells *= std::max<Index>(columns_.states(variable), 1);
    return cells;
}

double DiscreteScore::parameters(Index variable, Indices parents) const {
    return cells_of(parents) * std::max<Index>(columns_.states(variable) - 1, 0);
}

DiscreteScore::Fixed DiscreteScore::of_set(Indices variables) {
    const Vector<Index> key(variables.begin(), variables.end());
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    const Offset rows = columns_.rows();
    Vector<std::int64_t> part(static_cast<std::size_t>(rows), 0);
    std::int64_t parts = 1;
    Poll poll;
    for (const Index variable : variables) {  // the rows of each configuration that occurs get a number
        const std::uint16_t* codes = columns_.codes(variable);
        const std::int64_t states = std::max<Index>(columns_.states(variable), 1);
        std::unordered_map<std::int64_t, std::int64_t> number;
        for (Offset row = 0; row < rows; ++row) {
            const auto added = number.try_emplace(part[row] * states + codes[row], static_cast<std::int64_t>(number.size()));
            part[row] = added.first->second;
        }
        parts = static_cast<std::int64_t>(number.size());
        poll(10 * rows);
    }
    Vector<Offset> counts(static_cast<std::size_t>(parts), 0);
    for (Offset row = 0; row < rows; ++row) counts[part[row]] += columns_.weight(row);
    const double cells = cells_of(variables);
    Fixed total = 0;
    for (const Offset count : counts) total += term(count, cells);
    known_.emplace(key, total);
    return total;
}

double DiscreteScore::family(Index variable, Indices parents) {
    Vector<Index> whole(parents.begin(), parents.end());
    whole.insert(std::lower_bound(whole.begin(), whole.end(), variable), variable);
    const double likelihood = static_cast<double>(of_set(whole) - of_set(parents)) / scale_;
    const double count = parameters(variable, parents);
    if (criterion_ == Criterion::aic) return likelihood - count;
    if (criterion_ == Criterion::bic) {
        return likelihood - 0.5 * std::log(static_cast<double>(std::max<Offset>(columns_.weight(), 1))) * count;
    }
    return likelihood;
}

}  // namespace dconvex
