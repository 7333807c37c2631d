#include "structure/state_columns.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "common/interrupt.hpp"

namespace dconvex {
namespace {

constexpr Index most_states = std::numeric_limits<std::uint16_t>::max();
constexpr Index most_narrow_states = std::numeric_limits<std::uint8_t>::max();

}  // namespace

StateColumns::StateColumns(std::span<const std::int8_t> codes, Vector<Index> states, Offset rows, Vector<Offset> weights)
    : states_(std::move(states)), rows_(rows), weights_(std::move(weights)) {
    set_codes(codes);
}

StateColumns::StateColumns(std::span<const std::int32_t> codes, Vector<Index> states, Offset rows, Vector<Offset> weights)
    : states_(std::move(states)), rows_(rows), weights_(std::move(weights)) {
    set_codes(codes);
}

template <class Code>
void StateColumns::set_codes(std::span<const Code> codes) {
    if (static_cast<Offset>(codes.size()) != rows_ * size()) throw std::invalid_argument("there must be a state for each cell");
    if (!weights_.empty() && static_cast<Offset>(weights_.size()) != rows_) {
        throw std::invalid_argument("there must be a weight for each row");
    }
    if (std::any_of(weights_.begin(), weights_.end(), [](Offset weight) { return weight < 0; })) {
        throw std::invalid_argument("a weight must not be negative");
    }
    weight_ = weights_.empty() ? rows_ : std::accumulate(weights_.begin(), weights_.end(), Offset{0});
    has_gaps_.assign(states_.size(), 0);
    const Index most = states_.empty() ? 0 : *std::max_element(states_.begin(), states_.end());
    if (most > most_states || std::any_of(states_.begin(), states_.end(), [](Index count) { return count < 0; })) {
        throw std::invalid_argument("a variable has at most 65535 states");
    }
    is_narrow_ = most <= most_narrow_states;
    is_narrow_ ? narrow_.resize(codes.size()) : wide_.resize(codes.size());
    Poll poll;
    for (Index variable = 0; variable < size(); ++variable) {
        const Code* given = codes.data() + variable * rows_;
        if (is_narrow_) {
            copy(given, variable, narrow_.data() + variable * rows_);
        } else {
            copy(given, variable, wide_.data() + variable * rows_);
        }
        any_gaps_ = any_gaps_ || has_gaps_[variable];
        poll(rows_);
    }
}

template <class Given, class Code>
void StateColumns::copy(const Given* given, Index variable, Code* own) {
    const Index count = states_[variable];
    Given least = 0, most = -1;
    for (Offset row = 0; row < rows_; ++row) {
        least = std::min(least, given[row]);
        most = std::max(most, given[row]);
    }
    if (least < -1 || most >= count) throw std::invalid_argument("a code is no state of its variable");
    has_gaps_[variable] = least < 0;
    const auto missing = static_cast<Code>(count);
    if (least < 0) {
        for (Offset row = 0; row < rows_; ++row) own[row] = given[row] < 0 ? missing : static_cast<Code>(given[row]);
    } else {
        for (Offset row = 0; row < rows_; ++row) own[row] = static_cast<Code>(given[row]);
    }
}

}  // namespace dconvex
