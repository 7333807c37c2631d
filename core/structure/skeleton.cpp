#include "structure/skeleton.hpp"

#include <algorithm>
#include <utility>

namespace dconvex {
namespace {

constexpr std::int64_t test_work = 1000;

bool is_subset(Indices some, const Vector<Index>& all) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

}  // namespace

bool next_subset(Vector<Index>& chosen, Index count) {
    const auto size = static_cast<Index>(chosen.size());
    Index place = size - 1;
    while (place >= 0 && chosen[place] == count - size + place) --place;
    if (place < 0) return false;
    ++chosen[place];
    for (Index next = place + 1; next < size; ++next) chosen[next] = chosen[next - 1] + 1;
    return true;
}

Skeleton::Skeleton(IndependenceTest& test, const EdgeConstraints& constraints, std::int64_t most_tests)
    : test_(test), constraints_(constraints), adjacent_(static_cast<std::size_t>(test.size())), most_tests_(most_tests) {
    for (Index one = 0; one < size(); ++one) {
        for (Index other = 0; other < size(); ++other) {
            const bool is_possible = !constraints.is_forbidden(one, other) || !constraints.is_forbidden(other, one);
            if (one != other && is_possible) adjacent_[one].push_back(other);
        }
    }
    begin_level();
}

bool Skeleton::advance(std::int64_t tests) {
    const std::int64_t until = tests_ + tests;
    while (!is_done_ && tests_ < until) {
        if (next_ < pairs_.size()) {
            test_pair(pairs_[next_], pairs_[next_ + 1]);
            if (tests_ >= most_tests_) {
                is_done_ = true;
                left_out_ = static_cast<Index>((pairs_.size() - next_) / 2);
            }
            next_ += 2;
        } else {
            ++level_;
            begin_level();
        }
    }
    return !is_done_;
}

void Skeleton::begin_level() {
    at_start_ = adjacent_;
    pairs_.clear();
    next_ = 0;
    for (Index one = 0; one < size(); ++one) {
        for (const Index other : adjacent_[one]) {
            if (other < one || constraints_.is_required(one, other) || constraints_.is_required(other, one)) continue;
            const auto most = std::max(adjacent_[one].size(), adjacent_[other].size());
            if (static_cast<Index>(most) > level_) pairs_.insert(pairs_.end(), {one, other});
        }
    }
    is_done_ = pairs_.empty();
}

void Skeleton::test_pair(Index one, Index other) {
    if (!separate(one, other, nullptr) && !separate(other, one, &at_start_[one])) return;
    const auto erase = [&](Index from, Index node) {
        adjacent_[from].erase(std::lower_bound(adjacent_[from].begin(), adjacent_[from].end(), node));
    };
    erase(one, other);
    erase(other, one);
}

bool Skeleton::separate(Index one, Index other, const Vector<Index>* skipped) {
    Vector<Index> near = at_start_[one];
    near.erase(std::lower_bound(near.begin(), near.end(), other));
    const auto count = static_cast<Index>(near.size());
    if (count < level_) return false;
    Vector<Index> chosen, given(static_cast<std::size_t>(level_));
    for (Index place = 0; place < level_; ++place) chosen.push_back(place);
    do {
        for (Index place = 0; place < level_; ++place) given[place] = near[chosen[place]];
        if (skipped && is_subset(given, *skipped)) continue;
        if (tests_ >= most_tests_) return false;
        if (!are_independent(one, other, given)) continue;
        separators_.insert_or_assign(key(one, other), given);
        return true;
    } while (next_subset(chosen, count));
    return false;
}

bool Skeleton::are_independent(Index one, Index other, Indices given) {
    poll_(test_work);
    ++tests_;
    return test_.are_independent(std::min(one, other), std::max(one, other), given);
}

std::int64_t Skeleton::key(Index one, Index other) const {
    return static_cast<std::int64_t>(std::min(one, other)) * size() + std::max(one, other);
}

Indices Skeleton::separator(Index one, Index other) const {
    const auto found = separators_.find(key(one, other));
    return found == separators_.end() ? Indices() : Indices(found->second);
}

}  // namespace dconvex
