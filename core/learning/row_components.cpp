#include "learning/row_components.hpp"

#include <algorithm>

namespace dconvex {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t number) noexcept {
    hash = (hash ^ (number + 0x9E3779B97F4A7C15ULL)) * 0xBF58476D1CE4E5B9ULL;
    return hash ^ (hash >> 29);
}

std::uint64_t hash_of(Indices variables, Indices families) noexcept {
    std::uint64_t hash = 0;
    for (const Index variable : variables) hash = mixed(hash, static_cast<std::uint64_t>(variable));
    for (const Index family : families) hash = mixed(hash, ~static_cast<std::uint64_t>(family));
    return hash;
}

Indices part(const Vector<Index>& all, const Vector<Index>& start, Index number) {
    const auto first = static_cast<std::size_t>(start[static_cast<std::size_t>(number)]);
    const auto last = static_cast<std::size_t>(start[static_cast<std::size_t>(number) + 1]);
    return {all.data() + first, last - first};
}

}  // namespace

RowComponents::RowComponents(const Graph& graph)
    : graph_(graph),
      code_(static_cast<std::size_t>(graph.size()), 0),
      counts_(static_cast<std::size_t>(graph.size()), 0),
      leader_(static_cast<std::size_t>(graph.size())),
      component_(static_cast<std::size_t>(graph.size()), -1),
      has_family_(static_cast<std::size_t>(graph.size()), 0) {}

void RowComponents::split(bool keeps_barren) {
    find_missing(keeps_barren);
    join_families();
    gather();
    for (const Index family : families_) has_family_[family] = 0;
    for (const Index variable : missing_) counts_[variable] = 0;
}

void RowComponents::find_missing(bool keeps_barren) {
    const Vector<Index>& order = graph_.order();
    missing_.clear();
    missing_cells_ = 0;
    for (std::size_t at = order.size(); at-- > 0;) {
        const Index variable = order[at];
        if (code_[variable] >= 0) continue;
        ++missing_cells_;
        const Indices children = graph_.children()[variable];
        const bool is_kept = keeps_barren && code_[variable] == -1;
        const bool counts = is_kept || std::any_of(children.begin(), children.end(),
                                                   [this](Index child) { return code_[child] >= 0 || counts_[child]; });
        counts_[variable] = counts;
        if (counts) missing_.push_back(variable);
        leader_[variable] = variable;
    }
    std::sort(missing_.begin(), missing_.end());
}

void RowComponents::join_families() {
    families_.clear();
    for (const Index variable : missing_) {
        touch(variable);
        for (const Index child : graph_.children()[variable]) {
            if (code_[child] >= 0 || counts_[child]) touch(child);
        }
    }
    std::sort(families_.begin(), families_.end());
}

void RowComponents::touch(Index family) {
    if (has_family_[family]) return;
    has_family_[family] = 1;
    families_.push_back(family);
    Index first = code_[family] < 0 ? family : -1;
    for (const Index parent : graph_.parents()[family]) {
        if (code_[parent] >= 0) continue;
        if (first >= 0) leader_[leader_of(parent)] = leader_of(first);
        first = parent;
    }
}

Index RowComponents::leader_of(Index variable) noexcept {
    while (leader_[variable] != variable) variable = leader_[variable] = leader_[leader_[variable]];
    return variable;
}

// Lists of variables and of families by component, in the order of the components' first variables.
void RowComponents::gather() {
    variable_start_.assign(1, 0);
    family_start_.assign(1, 0);
    Index count = 0;
    for (const Index variable : missing_) {
        const Index leader = leader_of(variable);
        if (component_[leader] < 0) {
            component_[leader] = count++;
            variable_start_.push_back(0);
            family_start_.push_back(0);
        }
        ++variable_start_[static_cast<std::size_t>(component_[leader]) + 1];
    }
    const auto owner = [this](Index family) {
        if (code_[family] < 0) return component_[leader_of(family)];
        const Indices parents = graph_.parents()[family];
        const auto missing = std::find_if(parents.begin(), parents.end(), [this](Index p) { return code_[p] < 0; });
        return component_[leader_of(*missing)];
    };
    for (const Index family : families_) ++family_start_[static_cast<std::size_t>(owner(family)) + 1];
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
        variable_start_[k + 1] += variable_start_[k];
        family_start_[k + 1] += family_start_[k];
    }
    variables_of_.resize(missing_.size());
    families_of_.resize(families_.size());
    Vector<Index> next_variable = variable_start_, next_family = family_start_;
    for (const Index variable : missing_) variables_of_[next_variable[component_[leader_of(variable)]]++] = variable;
    for (const Index family : families_) families_of_[next_family[owner(family)]++] = family;
    for (const Index variable : missing_) component_[leader_of(variable)] = -1;
}

Indices RowComponents::variables(Index component) const { return part(variables_of_, variable_start_, component); }

Indices RowComponents::families(Index component) const { return part(families_of_, family_start_, component); }

Index ComponentIndex::find(Indices variables, Indices families) const {
    const auto [first, last] = by_hash_.equal_range(hash_of(variables, families));
    for (auto found = first; found != last; ++found) {
        if (std::ranges::equal(this->variables(found->second), variables) &&
            std::ranges::equal(this->families(found->second), families)) {
            return found->second;
        }
    }
    return -1;
}

Index ComponentIndex::add(Indices variables, Indices families) {
    const Index number = size();
    variables_.append(variables);
    families_.append(families);
    by_hash_.emplace(hash_of(variables, families), number);
    return number;
}

}  // namespace dconvex
