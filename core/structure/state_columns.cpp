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
    codes_.resize(codes.size());
    Poll poll;
    for (Index variable = 0; variable < size(); ++variable) {
        const Index count = states_[variable];
        if (count < 0 || count > most_states) throw std::invalid_argument("a variable has at most 65535 states");
        const Code* given = codes.data() + variable * rows_;
        if (std::any_of(given, given + rows_, [count](Code code) { return code < 0 || code >= count; })) {
            throw std::invalid_argument("a code is no state of its variable");
        }
        std::copy_n(given, rows_, codes_.data() + variable * rows_);
        poll(rows_);
    }
}

}  // namespace dconvex
