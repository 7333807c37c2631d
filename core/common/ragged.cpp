#include "common/ragged.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace dconvex {

Ragged::Ragged(Vector<Offset> offsets, Vector<Index> values) : offsets_(std::move(offsets)), values_(std::move(values)) {
    const bool is_sound = !offsets_.empty() && offsets_.front() == 0 &&
                          offsets_.back() == static_cast<Offset>(values_.size()) &&
                          std::is_sorted(offsets_.begin(), offsets_.end()) &&
                          offsets_.size() <= static_cast<std::size_t>(std::numeric_limits<Index>::max());
    if (!is_sound) throw std::invalid_argument("offsets must begin at 0, never fall and end at the number of values");
}

Ragged Ragged::from_pairs(Indices owners, Indices values, Index size) {
    if (owners.size() != values.size()) throw std::invalid_argument("there must be an owner for each value");
    Vector<Offset> offsets(static_cast<std::size_t>(size) + 1, 0);
    for (const Index owner : owners) {
        if (owner < 0 || owner >= size) throw std::invalid_argument("an owner lies outside 0 … size - 1");
        ++offsets[static_cast<std::size_t>(owner) + 1];
    }
    for (std::size_t list = 1; list < offsets.size(); ++list) offsets[list] += offsets[list - 1];
    Vector<Offset> next(offsets.begin(), offsets.end() - 1);
    Vector<Index> grouped(values.size());
    for (std::size_t pair = 0; pair < owners.size(); ++pair) {
        grouped[static_cast<std::size_t>(next[static_cast<std::size_t>(owners[pair])]++)] = values[pair];
    }
    return Ragged(std::move(offsets), std::move(grouped));
}

void Ragged::append(Indices list) {
    values_.insert(values_.end(), list.begin(), list.end());
    offsets_.push_back(static_cast<Offset>(values_.size()));
}

void Ragged::clear() noexcept {
    offsets_.resize(1);
    values_.clear();
}

void Ragged::set_reversed(const Ragged& lists, Index size) {
    // Offset v + 2 counts the pairs of v, the sums give where each list begins at v + 1, and filling moves that to its end.
    offsets_.assign(static_cast<std::size_t>(size) + 2, 0);
    for (const Index value : lists.values_) ++offsets_[static_cast<std::size_t>(value) + 2];
    for (std::size_t list = 2; list < offsets_.size(); ++list) offsets_[list] += offsets_[list - 1];
    values_.resize(lists.values_.size());
    for (Index list = 0; list < lists.size(); ++list) {
        for (const Index value : lists[list]) {
            values_[static_cast<std::size_t>(offsets_[static_cast<std::size_t>(value) + 1]++)] = list;
        }
    }
    offsets_.pop_back();
}

Vector<Index> Ragged::owners() const {
    Vector<Index> found(values_.size());
    for (Index list = 0; list < size(); ++list) {
        std::fill(found.begin() + offsets_[static_cast<std::size_t>(list)],
                  found.begin() + offsets_[static_cast<std::size_t>(list) + 1], list);
    }
    return found;
}

Ragged Ragged::reversed(Index size) const {
    const Vector<Index> own = owners();
    return from_pairs(values_, own, size);
}

bool Ragged::is_within(Index size) const noexcept {
    return std::all_of(values_.begin(), values_.end(), [size](Index value) { return value >= 0 && value < size; });
}

}  // namespace dconvex
