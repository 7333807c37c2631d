#include "structure/count_terms.hpp"

#include <algorithm>
#include <cmath>

namespace dconvex {
namespace {

constexpr Offset longest = Offset{1} << 17;

}  // namespace

CountTerms::CountTerms(double pseudo, double unit, double scale, Offset most, Offset filled)
    : pseudo_(pseudo), unit_(unit), scale_(scale), size_(std::min(most + 1, longest)) {
    table_.assign(static_cast<std::size_t>(size_), unknown);
    known_ = table_.data();
    for (Offset count = 0; count < std::min(filled, size_); ++count) known_[count] = value(count);
}

Fixed CountTerms::value(Offset count) const {
    if (count == 0) return 0;
    const double number = static_cast<double>(count) * unit_;
    if (pseudo_ == 0.0) return static_cast<Fixed>(std::llround(scale_ * number * std::log(number)));
    return static_cast<Fixed>(std::llround(scale_ * (std::lgamma(number + pseudo_) - std::lgamma(pseudo_))));
}

Fixed CountTerms::computed(Offset count) {
    const Fixed found = value(count);
    if (count < size_) known_[count] = found;
    return found;
}

}  // namespace dconvex
