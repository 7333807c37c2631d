#include "structure/independence.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dconvex {
namespace {

constexpr double precision = 1e-15;
constexpr int most_terms = 100'000;
// Above this shape a cube root of the variable is normal for all that a double can say of the usual levels.
constexpr double large_shape = 1e6;

double normal_tail(double value) { return 0.5 * std::erfc(value / std::numbers::sqrt2); }

// The lower incomplete gamma function by its series, the upper one by its continued fraction, both as parts of the whole.
double lower_by_series(double shape, double value) {
    double term = 1.0 / shape, sum = term;
    for (int n = 1; n < most_terms && term > sum * precision; ++n) {
        term *= value / (shape + n);
        sum += term;
    }
    return sum * std::exp(shape * std::log(value) - value - std::lgamma(shape));
}

double upper_by_fraction(double shape, double value) {
    constexpr double tiny = 1e-300;
    double b = value + 1.0 - shape, c = 1.0 / tiny, d = 1.0 / b, product = d;
    for (int n = 1; n < most_terms; ++n) {
        const double a = -n * (n - shape);
        b += 2.0;
        d = a * d + b;
        if (std::abs(d) < tiny) d = tiny;
        c = b + a / c;
        if (std::abs(c) < tiny) c = tiny;
        d = 1.0 / d;
        product *= d * c;
        if (std::abs(d * c - 1.0) < precision) break;
    }
    return product * std::exp(shape * std::log(value) - value - std::lgamma(shape));
}

}  // namespace

double chi_squared_tail(double value, double degrees) {
    if (!(value > 0) || !(degrees > 0)) return 1.0;
    const double shape = 0.5 * degrees, half = 0.5 * value;
    if (shape > large_shape) {
        const double spread = 2.0 / (9.0 * degrees);
        return normal_tail((std::cbrt(value / degrees) - (1.0 - spread)) / std::sqrt(spread));
    }
    return half < shape + 1.0 ? 1.0 - lower_by_series(shape, half) : upper_by_fraction(shape, half);
}

double LikelihoodTest::p_value(Index one, Index other, Indices given) {
    const Index variable = std::max(one, other), parent = std::min(one, other);
    const Dependence found = likelihood_.dependence(variable, given, parent);
    const double gain = std::max(found.gain, 0.0);
    if (kind_ == Kind::discrete) return chi_squared_tail(2.0 * gain, found.degrees);
    const double degrees = rows_ - static_cast<double>(given.size()) - 3.0;
    if (degrees <= 0) return 1.0;
    // the gain is -n / 2 log(1 - r²) with the partial correlation r
    const double correlation = std::sqrt(-std::expm1(-2.0 * gain / rows_));
    return 2.0 * normal_tail(std::sqrt(degrees) * std::atanh(correlation));
}

bool LikelihoodTest::are_independent(Index one, Index other, Indices given) { return p_value(one, other, given) > alpha_; }

}  // namespace dconvex
