// What each change of a variable's parents gains, a row of numbers for each family; computed once and kept.

#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "structure/family_score.hpp"

namespace dconvex {

struct FamilyRow {
    double own;            // the score of the family
    Vector<double> gains;  // by variable: of adding it to the parents, or of removing it; -infinity where that is not allowed
};

class FamilyRows {
public:
    // Both must outlive it. Rows beyond `max_bytes` are dropped, but for those in use.
    FamilyRows(FamilyScore& score, const EdgeConstraints& constraints, std::int64_t max_bytes);

    // Parents ascend. The row lives as long as someone holds it.
    std::shared_ptr<const FamilyRow> row(Index variable, Indices parents);
    // How many scores of families have been asked for, kept ones not included.
    std::int64_t evaluations() const noexcept { return evaluations_; }

private:
    struct Hash {
        std::size_t operator()(const Vector<Index>& key) const noexcept;
    };

    std::shared_ptr<const FamilyRow> computed(Index variable, Indices parents);

    FamilyScore& score_;
    const EdgeConstraints& constraints_;
    std::int64_t most_rows_;
    std::int64_t evaluations_ = 0;
    std::unordered_map<Vector<Index>, std::shared_ptr<const FamilyRow>, Hash> kept_;
};

}  // namespace dconvex
