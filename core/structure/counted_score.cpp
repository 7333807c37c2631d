#include "structure/counted_score.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace dconvex {
namespace {

constexpr double most_cells = 1 << 22;      // of the tables of a round, unless it has only one
constexpr std::size_t most_kept = 1 << 22;  // sums
constexpr Offset filled_terms = 4096;

Vector<Index> with(Indices variables, Index another) {
    Vector<Index> larger(variables.begin(), variables.end());
    larger.insert(std::lower_bound(larger.begin(), larger.end(), another), another);
    return larger;
}

}  // namespace

CountedScore::CountedScore(Vector<Index> states, Offset rows, DiscreteScoreOptions options, Ask tables_of)
    : states_(std::move(states)),
      rows_(rows),
      options_(options),
      ask_(std::move(tables_of)),
      scale_(scale_of(static_cast<double>(rows) * options.unit)) {
    if (rows_ < 0) throw std::invalid_argument("there are less than no rows");
    Vector<Vector<Index>> alone;
    for (Index variable = 0; variable < size(); ++variable) alone.push_back({variable});
    know(alone);
    for (const auto& own : alone) entropy_.push_back(-likelihood(own, {}));
}

double CountedScore::cells_of(Indices variables) const {
    double cells = 1.0;
    for (const Index variable : variables) cells *= std::max<Index>(states_[variable], 1);
    return cells;
}

double CountedScore::parameters(Index variable, Indices parents) const {
    return cells_of(parents) * std::max<Index>(states_[variable] - 1, 0);
}

double CountedScore::most_gain(Index variable, Indices parents, Index candidate, double own) const {
    return most_discrete_gain(options_.criterion, penalty(), parameters(variable, parents), states_[variable],
                              states_[candidate], entropy_[candidate], own);
}

CountTerms& CountedScore::terms_for(double cells) {
    const double pseudo = options_.criterion == Criterion::bdeu ? options_.equivalent_sample_size / cells : 0.0;
    auto found = terms_.find(pseudo);
    if (found == terms_.end()) {
        found = terms_.try_emplace(pseudo, pseudo, options_.unit, scale_, std::min<Offset>(rows_, filled_terms), 0).first;
    }
    return found->second;
}

// Asks for the tables of those sets that are not known, as many at once as memory takes.
void CountedScore::know(const Vector<Vector<Index>>& sets) {
    if (sums_.size() > most_kept) sums_.clear();
    sums_.try_emplace({}, terms_for(1.0)(rows_));
    Vector<Vector<Index>> round;
    double cells = 0.0;
    for (const auto& set : sets) {
        if (sums_.contains(set)) continue;
        const double more = cells_of(set);
        if (!round.empty() && cells + more > most_cells) {
            ask(round);
            round.clear();
            cells = 0.0;
        }
        round.push_back(set);
        cells += more;
    }
    if (!round.empty()) ask(round);
}

void CountedScore::ask(const Vector<Vector<Index>>& sets) {
    answered_ = ask_(sets);
    const Vector<Vector<Offset>>& tables = answered_;
    if (tables.size() != sets.size()) throw std::invalid_argument("a round has a table for each set");
    for (std::size_t k = 0; k < sets.size(); ++k) {
        const double cells = cells_of(sets[k]);
        if (static_cast<double>(tables[k].size()) != cells) throw std::invalid_argument("a table has a count for each cell");
        CountTerms& terms = terms_for(cells);
        Fixed sum = 0;
        for (const Offset count : tables[k]) {
            if (count < 0 || count > rows_) throw std::invalid_argument("a count is none of these rows");
            sum += terms(count);
        }
        sums_[sets[k]] = sum;
    }
}

double CountedScore::likelihood(const Vector<Index>& family, const Vector<Index>& parents) const {
    return static_cast<double>(sums_.at(family) - sums_.at(parents)) / scale_;
}

Dependence CountedScore::dependence(Index variable, Indices parents, Index candidate) {
    const Vector<Index> given(parents.begin(), parents.end()), own = with(parents, variable);
    const Vector<Index> others = with(parents, candidate), all = with(others, variable);
    know({given, own, others});
    ask({all});
    const Fixed gain = sums_.at(all) - sums_.at(others) - sums_.at(own) + sums_.at(given);
    return {static_cast<double>(gain) / scale_, static_cast<double>(degrees_of(all, variable, candidate, answered_.front()))};
}

// As FamilySums has them; `table` is that of the set.
Offset CountedScore::degrees_of(const Vector<Index>& set, Index variable, Index candidate, const Vector<Offset>& table) const {
    const auto states = static_cast<std::size_t>(states_[variable]), more = static_cast<std::size_t>(states_[candidate]);
    const std::size_t rows = table.size() / std::max<std::size_t>(states * more, 1);
    Vector<char> occurs(rows * states, 0), candidate_occurs(rows * more, 0);
    for (std::size_t cell = 0; cell < table.size(); ++cell) {
        if (table[cell] == 0) continue;
        std::size_t rest = cell, row = 0, step = 1, state = 0, other = 0;
        for (std::size_t axis = set.size(); axis-- > 0;) {
            const auto size = static_cast<std::size_t>(states_[set[axis]]), digit = rest % size;
            rest /= size;
            if (set[axis] == variable) {
                state = digit;
            } else if (set[axis] == candidate) {
                other = digit;
            } else {
                row += digit * step;
                step *= size;
            }
        }
        occurs[row * states + state] = 1;
        candidate_occurs[row * more + other] = 1;
    }
    Offset degrees = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        const auto count = [row](const Vector<char>& flags, std::size_t size) {
            return std::count(flags.begin() + static_cast<Offset>(row * size),
                              flags.begin() + static_cast<Offset>((row + 1) * size), 1);
        };
        const Offset own = count(occurs, states), others = count(candidate_occurs, more);
        if (own > 0) degrees += (own - 1) * (others - 1);
    }
    return degrees;
}

double CountedScore::family(Index variable, Indices parents) {
    const Vector<Index> given(parents.begin(), parents.end()), own = with(parents, variable);
    know({given, own});
    return likelihood(own, given) - penalty() * parameters(variable, parents);
}

void CountedScore::with_each(Index variable, Indices parents, Indices candidates, std::span<double> scores) {
    Vector<Vector<Index>> sets;
    for (const Index candidate : candidates) {
        sets.push_back(with(parents, candidate));
        sets.push_back(with(sets.back(), variable));
    }
    know(sets);
    const double own = parameters(variable, parents);
    for (std::size_t k = 0; k < candidates.size(); ++k) {
        const double more = std::max<Index>(states_[candidates[k]], 1);
        scores[k] = likelihood(sets[2 * k + 1], sets[2 * k]) - penalty() * (own * more);
    }
}

}  // namespace dconvex
