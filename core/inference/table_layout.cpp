#include "inference/table_layout.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>
#include <utility>

#include "common/interrupt.hpp"

namespace dconvex {
namespace {

constexpr double most_entries = 0x1p58;

}  // namespace

TableLayout::TableLayout(std::shared_ptr<const ClusterIndex> index, Vector<Index> states)
    : index_(std::move(index)), states_(std::move(states)) {
    if (states_.size() != static_cast<std::size_t>(variable_count())) {
        throw std::invalid_argument("there must be a number of states for each variable");
    }
    if (std::any_of(states_.begin(), states_.end(), [](Index count) { return count < 1; })) {
        throw std::invalid_argument("a variable has at least one state");
    }
    log_states_.reserve(states_.size());
    for (const Index count : states_) log_states_.push_back(std::log2(static_cast<double>(count)));
    offsets_.reserve(static_cast<std::size_t>(table_count()) + 1);
    offsets_.push_back(0);
    double total = 0.0;
    Poll poll;
    for (Index table = 0; table < table_count(); ++table) {
        const Indices parents = index_->table_parents()[table];
        double size = states_[index_->table_variable()[table]];
        for (const Index parent : parents) size *= states_[parent];
        total += size;
        if (total > most_entries) throw std::bad_alloc();
        offsets_.push_back(offsets_.back() + static_cast<Offset>(size));
        poll(static_cast<std::int64_t>(parents.size()) + 1);
    }
}

}  // namespace dconvex
