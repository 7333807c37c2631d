// Numbers that come from a file: where those of each table are, their checksums, and whether they are parameters at all.

#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "clusters/cluster_index.hpp"
#include "common/memory.hpp"
#include "common/ragged.hpp"

namespace dconvex {

// A row of probabilities sums to one within this.
constexpr double row_sum_tolerance = 1e-9;

// The numbers of the first tables of an index, one table after the other. A table has a row of probabilities for each
// configuration of its parents, the last parent fastest; a regression has its intercept, its variance and its coefficients.
class StoredNumbers {
public:
    // Tables: `states` are those of each variable. Throws std::invalid_argument where a variable has none, where there are
    // fewer tables, or where the tables have more than `most` numbers in all.
    static StoredNumbers of_tables(std::shared_ptr<const ClusterIndex> index, Index tables, std::span<const Offset> states,
                                   Offset most);
    static StoredNumbers of_regressions(std::shared_ptr<const ClusterIndex> index, Index tables);

    const std::shared_ptr<const ClusterIndex>& shared_index() const noexcept { return index_; }
    Index table_count() const noexcept { return static_cast<Index>(offsets_.size()) - 1; }
    // The numbers of table t are those from offsets[t] up to offsets[t + 1].
    const Vector<Offset>& offsets() const noexcept { return offsets_; }

    // Of the clusters from `first` up to `last`: a mix of the bits of the numbers in their tables, of those that are stored.
    Vector<std::uint64_t> checksums(std::span<const double> numbers, Index first, Index last) const;

    // The first of the tables that holds a number that is not finite or a negative probability or variance, or a row that does
    // not sum to one; -1 if there is none.
    Index find_wrong_table(std::span<const double> numbers, Indices tables) const;

private:
    StoredNumbers(std::shared_ptr<const ClusterIndex> index, Index tables);

    std::span<const double> table(std::span<const double> numbers, Index number) const;

    std::shared_ptr<const ClusterIndex> index_;
    Vector<Offset> offsets_;
    Vector<Offset> states_;  // none for regressions
};

}  // namespace dconvex
