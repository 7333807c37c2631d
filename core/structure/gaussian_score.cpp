#include "structure/gaussian_score.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "common/interrupt.hpp"

namespace dconvex {
namespace {

// Of a variable's own variance this much is left at least, given any parents: less is rounding.
constexpr double least_part = 1e-12;

}  // namespace

GaussianScore::GaussianScore(Vector<double> means, Vector<double> covariance, double rows, Kind kind, BGePrior prior)
    : means_(std::move(means)), covariance_(std::move(covariance)), rows_(rows), kind_(kind), prior_(prior) {
    const std::size_t size = means_.size();
    if (covariance_.size() != size * size)
        throw std::invalid_argument("the covariance has a row and a column for each variable");
    for (std::size_t v = 0; v < size; ++v) {
        if (!(covariance_[v * size + v] >= 0)) throw std::invalid_argument("a variance must not be negative");
    }
    if (kind_ != Kind::bge) return;
    if (!(prior_.mean_weight > 0) || !(prior_.degrees > static_cast<double>(size) - 1) || !(prior_.scale > 0)) {
        throw std::invalid_argument("BGe needs positive weights, and more degrees of freedom than variables less one");
    }
    // what the posterior's matrix adds up to: the scale, the scatter of the rows, and how far the mean is from 0
    const double shift = prior_.mean_weight * rows_ / (prior_.mean_weight + rows_);
    for (std::size_t v = 0; v < size; ++v) {
        for (std::size_t u = 0; u < size; ++u) {
            double& cell = covariance_[v * size + u];
            cell = (v == u ? prior_.scale : 0.0) + rows_ * cell + shift * means_[v] * means_[u];
        }
    }
}

GaussianScore::Determinants GaussianScore::log_determinants(Index variable, Indices parents) {
    // Cholesky, the variable last, row by row
    const std::size_t size = parents.size() + 1;
    factor_.assign(size * size, 0.0);
    Determinants found{0.0, 0.0};
    for (std::size_t i = 0; i < size; ++i) {
        const Index row = i + 1 < size ? parents[i] : variable;
        double* own = factor_.data() + i * size;
        double left = at(row, row);
        for (std::size_t j = 0; j < i; ++j) {
            const double* other = factor_.data() + j * size;
            double sum = at(row, parents[j]);
            for (std::size_t k = 0; k < j; ++k) sum -= own[k] * other[k];
            own[j] = other[j] > 0 ? sum / other[j] : 0.0;
            left -= own[j] * own[j];
        }
        const double least = least_part * at(row, row);
        own[i] = std::sqrt(std::max(left, least));
        if (i + 1 < size) {
            found.parents += own[i] > 0 ? 2 * std::log(own[i]) : 0.0;
        } else {
            found.family = found.parents + (own[i] > 0 ? 2 * std::log(own[i]) : 0.0);
        }
    }
    return found;
}

double GaussianScore::of_set(double log_determinant, double members) const {
    // the marginal likelihood of some variables, without what cancels in a family
    const double variables = size();
    const double degrees = prior_.degrees - variables + members;
    double sum = 0.5 * members * (std::log(prior_.mean_weight) - std::log(prior_.mean_weight + rows_));
    sum -= 0.5 * members * rows_ * std::log(std::numbers::pi);
    for (double j = 1; j <= members; ++j) {
        sum += std::lgamma(0.5 * (degrees + rows_ + 1 - j)) - std::lgamma(0.5 * (degrees + 1 - j));
    }
    return sum + 0.5 * degrees * members * std::log(prior_.scale) - 0.5 * (degrees + rows_) * log_determinant;
}

double GaussianScore::family(Index variable, Indices parents) {
    return score_of(log_determinants(variable, parents), static_cast<double>(parents.size()));
}

double GaussianScore::score_of(const Determinants& found, double parents) const {
    if (kind_ == Kind::bge) return of_set(found.family, parents + 1) - of_set(found.parents, parents);
    const double likelihood = -0.5 * rows_ * (std::log(2 * std::numbers::pi) + found.family - found.parents + 1);
    if (kind_ == Kind::likelihood) return likelihood;
    const double penalty = kind_ == Kind::aic ? 1.0 : 0.5 * std::log(std::max(rows_, 1.0));
    return likelihood - penalty * (parents + 2);
}

double GaussianScore::eliminate(Index variable, Indices parents, double* own) const {
    const std::size_t size = parents.size() + 1;
    double left = at(variable, variable);
    for (std::size_t j = 0; j < parents.size(); ++j) {
        const double* other = factor_.data() + j * size;
        double sum = at(variable, parents[j]);
        for (std::size_t k = 0; k < j; ++k) sum -= own[k] * other[k];
        own[j] = other[j] > 0 ? sum / other[j] : 0.0;
        left -= own[j] * own[j];
    }
    return std::max(left, least_part * at(variable, variable));
}

void GaussianScore::with_each(Index variable, Indices parents, Indices candidates, std::span<double> scores) {
    const double before = log_determinants(variable, parents).parents;  // leaves the factor, the variable's row last
    const std::size_t size = parents.size();
    Vector<double> own(size), other(size);
    const double variance = eliminate(variable, parents, own.data());
    const auto logarithm = [](double part) { return part > 0 ? std::log(part) : 0.0; };
    Poll poll;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
        poll(static_cast<std::int64_t>(10 + size * size));
        const double spread = eliminate(candidates[k], parents, other.data());
        double shared = at(variable, candidates[k]);
        for (std::size_t j = 0; j < size; ++j) shared -= own[j] * other[j];
        const double left =
            std::max(spread > 0 ? variance - shared * shared / spread : variance, least_part * at(variable, variable));
        const double larger = before + logarithm(spread);
        scores[k] = score_of({larger, larger + logarithm(left)}, static_cast<double>(size) + 1);
    }
}

double GaussianScore::parameters(Index, Indices parents) const { return static_cast<double>(parents.size()) + 2; }

}  // namespace dconvex
