// What the tables of a discrete model look like: their axes, their sizes and where each begins, without their numbers.

#pragma once

#include <memory>

#include "clusters/cluster_index.hpp"
#include "common/memory.hpp"
#include "common/ragged.hpp"

namespace dconvex {

class TableLayout : public std::enable_shared_from_this<TableLayout> {
public:
    // `states` has the number of states of each variable. Throws std::invalid_argument where one has none, or where their
    // number is not that of the variables, and std::bad_alloc where all tables together are larger than any memory.
    TableLayout(std::shared_ptr<const ClusterIndex> index, Vector<Index> states);

    const ClusterIndex& index() const noexcept { return *index_; }
    const std::shared_ptr<const ClusterIndex>& shared_index() const noexcept { return index_; }
    Index variable_count() const noexcept { return index_->variable_count(); }
    Index table_count() const noexcept { return index_->table_count(); }
    const Vector<Index>& states() const noexcept { return states_; }
    // Binary logarithms of the numbers of states.
    const Vector<double>& log_states() const noexcept { return log_states_; }
    // Table t is entries offsets[t] up to offsets[t + 1]; its axes are its parents, then its variable, the last one fastest.
    const Vector<Offset>& offsets() const noexcept { return offsets_; }
    Offset size(Index table) const { return offsets_[table + 1] - offsets_[table]; }

private:
    std::shared_ptr<const ClusterIndex> index_;
    Vector<Index> states_;
    Vector<double> log_states_;
    Vector<Offset> offsets_;
};

}  // namespace dconvex
