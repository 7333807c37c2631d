#include "structure/discrete_score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "common/interrupt.hpp"
#include "common/parallel.hpp"

namespace dconvex {
namespace {

constexpr Fixed unknown = std::numeric_limits<Fixed>::min();
constexpr Index most_paired = 4096;
constexpr double thread_cost = 100'000;  // nanoseconds of work that pay for a thread
constexpr Offset at_once = 4;            // candidates between two looks for more work

}  // namespace

double scale_of(double weight) {
    const double rows = std::max(weight, 2.0);
    return std::exp2(std::floor(60.0 - std::log2(64.0 * rows * std::log(rows) + 1.0)));
}

double penalty_of(Criterion criterion, double weight) {
    if (criterion == Criterion::aic) return 1.0;
    return criterion == Criterion::bic ? 0.5 * std::log(std::max(weight, 1.0)) : 0.0;
}

double most_discrete_gain(Criterion criterion, double penalty, double parameters, Index states, Index candidate_states,
                          double candidate_entropy, double own) {
    if (states <= 1 || candidate_states <= 1) return -std::numeric_limits<double>::infinity();
    const bool is_penalised = criterion == Criterion::bic || criterion == Criterion::aic;
    if (!is_penalised) return std::numeric_limits<double>::infinity();
    const double missing_likelihood = -(own + penalty * parameters);
    const double more = parameters * (candidate_states - 1);
    return std::min(missing_likelihood, candidate_entropy) - penalty * more;
}

DiscreteScore::DiscreteScore(StateColumns columns, DiscreteScoreOptions options)
    : columns_(std::move(columns)), bits_(columns_), options_(options), cells_(columns_, bits_) {
    if (columns_.has_gaps() && options_.criterion == Criterion::bdeu) {
        throw std::invalid_argument("BDeu cannot compare families where cells are missing");
    }
    weight_ = static_cast<double>(columns_.weight()) * options_.unit;
    scale_ = scale_of(weight_);
    if (options_.criterion != Criterion::bdeu) {
        const Offset filled = options_.threads > 1 ? columns_.weight() + 1 : std::min<Offset>(columns_.weight() + 1, 4096);
        logarithms_ = std::make_unique<CountTerms>(0.0, options_.unit, scale_, columns_.weight(), filled);
    }
    for (Index variable = 0; variable < columns_.size() && logarithms_ && !columns_.has_gaps(); ++variable) {
        entropy_.push_back(0.0);
        cells_.prepare(variable, {});
        const FamilySums sums = sums_of(cells_, *logarithms_, *logarithms_);
        entropy_.back() = static_cast<double>(sums.parents - sums.family) / scale_;
    }
    for (int thread = 0; thread < std::max(options_.threads, 1); ++thread) {
        workers_.push_back(std::make_unique<Worker>(Worker{CandidateCounts(columns_, bits_), {}}));
    }
}

double DiscreteScore::cells_of(Indices variables) const {
    double cells = 1.0;
    for (const Index variable : variables) cells *= std::max<Index>(columns_.states(variable), 1);
    return cells;
}

double DiscreteScore::parameters(Index variable, Indices parents) const {
    return cells_of(parents) * std::max<Index>(columns_.states(variable) - 1, 0);
}

// The terms for a table with this many cells.
CountTerms& DiscreteScore::terms_for(Worker& worker, double cells) {
    if (logarithms_) return *logarithms_;
    const double pseudo = options_.equivalent_sample_size / cells;
    auto found = worker.terms.find(pseudo);
    if (found == worker.terms.end()) {
        found =
            worker.terms.try_emplace(pseudo, pseudo, options_.unit, scale_, std::min<Offset>(columns_.weight(), 4096), 0).first;
    }
    return found->second;
}

double DiscreteScore::score_of(const FamilySums& sums, double parameters) const {
    const double likelihood = static_cast<double>(sums.family - sums.parents) / scale_;
    if (columns_.has_gaps() && options_.criterion != Criterion::likelihood) {
        return averaged(likelihood, static_cast<double>(sums.count) * options_.unit, parameters);
    }
    return likelihood - penalty() * parameters;
}

double DiscreteScore::most_gain(Index variable, Indices parents, Index candidate, double own) const {
    const bool has_bound = !entropy_.empty() || columns_.states(variable) <= 1 || columns_.states(candidate) <= 1;
    if (!has_bound) return std::numeric_limits<double>::infinity();
    return most_discrete_gain(options_.criterion, penalty(), parameters(variable, parents), columns_.states(variable),
                              columns_.states(candidate), entropy_.empty() ? 0.0 : entropy_[candidate], own);
}

double DiscreteScore::averaged(double likelihood, double count, double parameters) const {
    if (!(count > 0)) return -std::numeric_limits<double>::infinity();
    const double own = options_.criterion == Criterion::aic ? 1.0 / count : 0.5 * std::log(std::max(count, 1.0)) / count;
    const double penalty = std::max(own, least_average_penalty(count, weight_));
    return weight_ * (likelihood / count - penalty * parameters);
}

double DiscreteScore::family(Index variable, Indices parents) {
    cells_.prepare(variable, parents);
    const double rows = cells_of(parents);
    Worker& worker = *workers_.front();
    CountTerms& by_cell = terms_for(worker, rows * std::max<Index>(columns_.states(variable), 1));
    return score_of(sums_of(cells_, by_cell, terms_for(worker, rows)), parameters(variable, parents));
}

void DiscreteScore::with_each(Index variable, Indices parents, Indices candidates, std::span<double> scores) {
    cells_.prepare(variable, parents);
    Index most_states = 0;
    bool has_bits = true;
    for (const Index candidate : candidates) {
        most_states = std::max(most_states, columns_.states(candidate));
        has_bits = has_bits && bits_.lines(candidate);
    }
    cells_.list_rows(has_bits ? cost_by_bits(most_states, bits_.words()) : std::numeric_limits<double>::infinity());
    const Index size = columns_.size();
    const bool is_paired = parents.empty() && size <= most_paired && !columns_.has_gaps();
    if (is_paired && pairs_.empty()) pairs_.assign(static_cast<std::size_t>(size) * size, unknown);
    const double rows = cells_of(parents), states = std::max<Index>(columns_.states(variable), 1);
    const double own = parameters(variable, parents);
    const auto score = [&](int thread, Offset part) {
        Worker& worker = *workers_[thread];
        const auto last = std::min<Offset>((part + 1) * at_once, static_cast<Offset>(candidates.size()));
        for (Offset k = part * at_once; k < last; ++k) {
            const Index candidate = candidates[k];
            const double more = std::max<Index>(columns_.states(candidate), 1);
            CountTerms& by_cell = terms_for(worker, rows * states * more);
            CountTerms& by_row = terms_for(worker, rows * more);
            const std::size_t pair = static_cast<std::size_t>(candidate) * size + variable;
            FamilySums sums;
            if (is_paired && pairs_[pair] != unknown) {
                sums.family = pairs_[pair];
                for (Index state = 0; state < columns_.states(candidate); ++state) {
                    sums.parents += by_row(bits_.counts(candidate)[state]);
                }
            } else {
                sums = worker.counts.with(cells_, candidate, by_cell, by_row);
                if (is_paired && bits_.lines(variable)) {
                    pairs_[static_cast<std::size_t>(variable) * size + candidate] = sums.family;
                }
            }
            scores[k] = score_of(sums, own * more);
        }
    };
    const auto parts = (static_cast<Offset>(candidates.size()) + at_once - 1) / at_once;
    in_parallel(is_worth_threads(candidates) ? options_.threads : 1, parts, score);
}

Dependence DiscreteScore::dependence(Index variable, Indices parents, Index candidate) {
    cells_.prepare(variable, parents);
    const double rows = cells_of(parents), states = std::max<Index>(columns_.states(variable), 1);
    const double more = std::max<Index>(columns_.states(candidate), 1);
    Worker& worker = *workers_.front();
    const FamilySums own = sums_of(cells_, terms_for(worker, rows * states), terms_for(worker, rows));
    CountTerms& by_cell = terms_for(worker, rows * states * more);
    const FamilySums larger = worker.counts.with(cells_, candidate, by_cell, terms_for(worker, rows * more));
    const Fixed gain = larger.family - larger.parents - own.family + own.parents;
    return {static_cast<double>(gain) / scale_, static_cast<double>(larger.degrees)};
}

// Whether counting takes much longer than starting threads does.
bool DiscreteScore::is_worth_threads(Indices candidates) const {
    double states = 0.0;
    for (const Index candidate : candidates) states += columns_.states(candidate);
    const double by_bits = static_cast<double>(cells_.cells().size()) * cost_by_bits(2, bits_.words()) * states;
    const double by_rows = static_cast<double>(columns_.rows()) * static_cast<double>(candidates.size());
    return options_.threads > 1 && std::min(by_bits, by_rows) > thread_cost;
}

}  // namespace dconvex
