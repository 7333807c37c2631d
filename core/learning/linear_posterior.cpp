#include "learning/linear_posterior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace dconvex {
namespace {

// A deviation below this part of what it is made of is rounding.
constexpr double no_deviation = 1e-12;
// An observation that others determine may differ by this part of the terms that it is the sum of.
constexpr double on_support = 1e-9;

}  // namespace

LinearComponent::LinearComponent(const Graph& graph, Indices missing, Indices touched)
    : variables(missing.begin(), missing.end()), families(touched.begin(), touched.end()) {
    std::sort(variables.begin(), variables.end(), [&graph](Index a, Index b) { return graph.rank()[a] < graph.rank()[b]; });
    by_variable.resize(variables.size());
    std::iota(by_variable.begin(), by_variable.end(), 0);
    std::sort(by_variable.begin(), by_variable.end(), [this](Index a, Index b) { return variables[a] < variables[b]; });
    for (const Index family : families) {
        if (local(family) < 0) observed.push_back(family);
    }
}

double LinearComponent::workspace() const noexcept {
    const auto size = static_cast<double>(variables.size());
    return size * (size + static_cast<double>(observed.size()) + 1.0);
}

double LinearComponent::cost() const noexcept {
    const auto size = static_cast<double>(variables.size());
    return size * size * (size + 4.0 * static_cast<double>(observed.size()) + 1.0);
}

double LinearComponent::row_cost() const noexcept {
    const auto size = static_cast<double>(variables.size()), many = static_cast<double>(families.size());
    return size * static_cast<double>(observed.size()) + 16.0 * many;
}

Index LinearComponent::local(Index variable) const {
    const auto found = std::lower_bound(by_variable.begin(), by_variable.end(), variable,
                                        [this](Index number, Index wanted) { return variables[number] < wanted; });
    return found != by_variable.end() && variables[*found] == variable ? *found : -1;
}

LinearPosterior::LinearPosterior(const Graph& graph, const LinearComponent& component, const LinearRegressions& regressions)
    : graph_(graph), component_(component), regressions_(regressions) {
    start();
    const auto size = static_cast<std::size_t>(component.size());
    Vector<double> spread(size, 0.0);  // deviations before anything was observed
    for (std::size_t k = 0; k < size; ++k) {
        const double* row = root_.data() + k * size;
        spread[k] = std::sqrt(std::inner_product(row, row + size, row, 0.0));
    }
    for (const Index variable : component.observed) update(variable, spread);
}

LinearPosterior::Mean LinearPosterior::mean_of(Index variable) const {
    Mean mean{regressions_.intercept[static_cast<std::size_t>(variable)], {}, {}};
    const Indices parents = graph_.parents()[variable];
    const auto first = static_cast<std::size_t>(graph_.parents().offsets()[static_cast<std::size_t>(variable)]);
    for (std::size_t k = 0; k < parents.size(); ++k) {
        const double coefficient = regressions_.coefficients[first + k];
        const Index local = component_.local(parents[k]);
        if (local < 0) {
            mean.known.push_back({parents[k], coefficient});
        } else {
            mean.missing.push_back({local, coefficient});
        }
    }
    return mean;
}

// What is missing given its observed parents.
void LinearPosterior::start() {
    const auto size = static_cast<std::size_t>(component_.size());
    root_.assign(size * size, 0.0);
    for (std::size_t k = 0; k < size; ++k) {
        const Index variable = component_.variables[k];
        means_.push_back(mean_of(variable));
        double* row = root_.data() + k * size;
        for (const Term& term : means_.back().missing) {
            const double* above = root_.data() + static_cast<std::size_t>(term.variable) * size;
            for (std::size_t j = 0; j < k; ++j) row[j] += term.coefficient * above[j];
        }
        row[k] = std::sqrt(regressions_.variance[static_cast<std::size_t>(variable)]);
    }
}

void LinearPosterior::update(Index variable, const Vector<double>& spread) {
    const auto size = static_cast<std::size_t>(component_.size());
    const double noise = regressions_.variance[static_cast<std::size_t>(variable)];
    Update found{variable, mean_of(variable), false, noise, 0.0, Vector<double>(size, 0.0)};
    Vector<double> along(size, 0.0);
    double scale = std::sqrt(noise);
    for (const Term& term : found.mean.missing) {
        const auto number = static_cast<std::size_t>(term.variable);
        scale += std::abs(term.coefficient) * spread[number];
        for (std::size_t j = 0; j < size; ++j) along[j] += term.coefficient * root_[number * size + j];
    }
    found.variance += std::inner_product(along.begin(), along.end(), along.begin(), 0.0);
    found.is_determined = !(std::sqrt(found.variance) > no_deviation * scale);
    if (!found.is_determined) {
        found.log_height = -0.5 * std::log(2.0 * std::numbers::pi * found.variance);
        const double shrink = 1.0 / (found.variance + std::sqrt(found.variance * noise));
        for (std::size_t k = 0; k < size; ++k) {
            double* row = root_.data() + k * size;
            const double product = std::inner_product(row, row + size, along.begin(), 0.0);
            found.gain[k] = product / found.variance;
            for (std::size_t j = 0; j < size; ++j) row[j] -= shrink * product * along[j];
        }
    }
    updates_.push_back(std::move(found));
}

double LinearPosterior::expected(const Mean& mean, const double* values, const double* missing) noexcept {
    double total = mean.intercept;
    for (const Term& term : mean.known) total += term.coefficient * values[term.variable];
    for (const Term& term : mean.missing) total += term.coefficient * missing[term.variable];
    return total;
}

double LinearPosterior::magnitude(const Mean& mean, const double* values, const double* missing) noexcept {
    double total = std::abs(mean.intercept);
    for (const Term& term : mean.known) total += std::abs(term.coefficient * values[term.variable]);
    for (const Term& term : mean.missing) total += std::abs(term.coefficient * missing[term.variable]);
    return total;
}

double LinearPosterior::solve(const double* values, double* mean) const {
    const auto size = static_cast<std::size_t>(component_.size());
    for (std::size_t k = 0; k < size; ++k) mean[k] = expected(means_[k], values, mean);
    double density = 0.0;
    for (const Update& update : updates_) {
        const double value = values[update.variable];
        const double apart = value - expected(update.mean, values, mean);
        if (update.is_determined) {
            const double scale = std::abs(value) + magnitude(update.mean, values, mean);
            if (std::abs(apart) > on_support * scale) density = -std::numeric_limits<double>::infinity();
            continue;
        }
        density += update.log_height - 0.5 * apart * apart / update.variance;
        for (std::size_t k = 0; k < size; ++k) mean[k] += update.gain[k] * apart;
    }
    return density;
}

double LinearPosterior::covariance(Index one, Index other) const noexcept {
    const auto size = static_cast<std::size_t>(component_.size());
    const double* a = root_.data() + static_cast<std::size_t>(one) * size;
    const double* b = root_.data() + static_cast<std::size_t>(other) * size;
    return std::inner_product(a, a + size, b, 0.0);
}

}  // namespace dconvex
