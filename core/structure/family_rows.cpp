#include "structure/family_rows.hpp"

#include <limits>
#include <utility>

namespace dconvex {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

}  // namespace

FamilyRows::FamilyRows(FamilyScore& score, const EdgeConstraints& constraints, std::int64_t max_bytes)
    : score_(score), constraints_(constraints) {
    const std::int64_t row_bytes = 8 * static_cast<std::int64_t>(score.size()) + 256;
    most_rows_ = std::max<std::int64_t>(max_bytes / row_bytes, 2 * static_cast<std::int64_t>(score.size()));
}

std::size_t FamilyRows::Hash::operator()(const Vector<Index>& key) const noexcept {
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
    for (const Index variable : key) {
        hash = (hash ^ static_cast<std::uint64_t>(variable)) * 0xBF58476D1CE4E5B9ULL;
        hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash);
}

std::shared_ptr<const FamilyRow> FamilyRows::row(Index variable, Indices parents) {
    Vector<Index> key(parents.begin(), parents.end());
    key.push_back(variable);
    if (const auto found = kept_.find(key); found != kept_.end()) return found->second;
    auto made = computed(variable, parents);
    if (static_cast<std::int64_t>(kept_.size()) >= most_rows_) kept_.clear();
    kept_.emplace(std::move(key), made);
    return made;
}

std::shared_ptr<const FamilyRow> FamilyRows::computed(Index variable, Indices parents) {
    const Index size = score_.size();
    auto row = std::make_shared<FamilyRow>();
    row->own = score_.family(variable, parents);
    row->gains.assign(static_cast<std::size_t>(size), never);
    Vector<Index> candidates;
    const bool is_full = constraints_.max_parents >= 0 && static_cast<Index>(parents.size()) >= constraints_.max_parents;
    for (Index other = 0; other < size && !is_full; ++other) {
        const bool is_member = other == variable || std::binary_search(parents.begin(), parents.end(), other);
        if (is_member || constraints_.is_forbidden(other, variable)) continue;
        // neither it nor a reversal that adds it is the best move: the removal in the reversal is better alone
        if (score_.most_gain(variable, parents, other, row->own) < 0) continue;
        candidates.push_back(other);
    }
    Vector<double> scores(candidates.size());
    if (!candidates.empty()) score_.with_each(variable, parents, candidates, scores);
    for (std::size_t k = 0; k < candidates.size(); ++k) row->gains[candidates[k]] = scores[k] - row->own;
    Vector<Index> smaller;
    for (std::size_t k = 0; k < parents.size(); ++k) {
        if (constraints_.is_required(parents[k], variable)) continue;
        smaller.assign(parents.begin(), parents.end());
        smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(k));
        row->gains[parents[k]] = score_.family(variable, smaller) - row->own;
    }
    evaluations_ += static_cast<std::int64_t>(candidates.size() + parents.size()) + 1;
    return row;
}

}  // namespace dconvex
