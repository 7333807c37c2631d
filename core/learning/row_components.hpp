// What a row does not show, cut into components that are independent given what it shows.
//
// Missing variables that are in one family are joined. Those without an observed descendant say nothing about the others, so
// they can be left out; the families of what is left, and those of its children, are all that the posterior depends on.

#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "graph/graph.hpp"

namespace dconvex {

// Cuts one row after the other.
class RowComponents {
public:
    // The graph must outlive it.
    explicit RowComponents(const Graph& graph);

    // The state of each variable in the row at hand, negative where it is missing: to be set before `split`.
    Vector<Index>& codes() noexcept { return code_; }
    // With `keeps_barren` missing variables (those with the code -1) are kept though none of their descendants is observed.
    void split(bool keeps_barren);

    // All missing cells of the row.
    Index missing_cells() const noexcept { return missing_cells_; }
    // All families with a missing member that count.
    const Vector<Index>& families() const noexcept { return families_; }
    Index size() const noexcept { return static_cast<Index>(variable_start_.size()) - 1; }
    // The missing variables of a component and the families that they are in, both ascending.
    Indices variables(Index component) const;
    Indices families(Index component) const;

private:
    void find_missing(bool keeps_barren);
    void join_families();
    void touch(Index family);
    void gather();
    Index leader_of(Index variable) noexcept;

    const Graph& graph_;
    Vector<Index> code_;
    Vector<Index> missing_;  // those that count, ascending
    Vector<char> counts_;
    Vector<Index> leader_;
    Vector<Index> component_;  // of a leader
    Vector<char> has_family_;
    Vector<Index> families_;
    Index missing_cells_ = 0;
    Vector<Index> variable_start_{0}, family_start_{0};
    Vector<Index> variables_of_, families_of_;
};

// Numbers for kinds of components: those with the same missing variables and the same families around them.
class ComponentIndex {
public:
    // The number of a kind, or -1 where it is not known.
    Index find(Indices variables, Indices families) const;
    // The number of a new kind.
    Index add(Indices variables, Indices families);

    Index size() const noexcept { return variables_.size(); }
    Indices variables(Index kind) const { return variables_[kind]; }
    Indices families(Index kind) const { return families_[kind]; }

private:
    std::unordered_multimap<std::uint64_t, Index> by_hash_;
    Ragged variables_, families_;
};

}  // namespace dconvex
