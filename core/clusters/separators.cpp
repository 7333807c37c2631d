#include "clusters/separators.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "common/interrupt.hpp"
#include "graph/convexity.hpp"
#include "graph/subgraph.hpp"

namespace dconvex {
namespace {

// A separator, by the lower cluster of its edge, with the numbers that its members have in one of the two clusters.
struct LocalSeparator {
    Part members;
    Index cluster;
    bool operator<(const LocalSeparator& other) const noexcept {
        return std::tie(members, cluster) < std::tie(other.members, other.cluster);
    }
};

// Whether all nodes of an ascending set are adjacent to each other, where that takes a few looks.
bool are_few_and_adjacent(const Graph& graph, Indices nodes) {
    constexpr std::ptrdiff_t few = 16;
    if (std::ssize(nodes) > few) return false;
    const auto has_arc = [&](Index parent, Index child) {
        const Indices children = graph.children()[parent];
        return std::binary_search(children.begin(), children.end(), child);
    };
    for (std::size_t one = 0; one < nodes.size(); ++one) {
        for (std::size_t other = 0; other < one; ++other) {
            if (!has_arc(nodes[one], nodes[other]) && !has_arc(nodes[other], nodes[one])) return false;
        }
    }
    return true;
}

class SeparatorCheck {
public:
    explicit SeparatorCheck(const ClusterIndex& index)
        : index_(index), separators_(separators_towards_root(index)), numbers_(index.variable_count()) {}

    Index first_wrong() {
        const Ragged at = separators_at_clusters();
        Index wrong = -1;
        for (Index cluster = 0; cluster < at.size(); ++cluster) {
            if (at.length(cluster) == 0) continue;
            const Index found = first_wrong_in(cluster, at[cluster]);
            if (found >= 0 && (wrong < 0 || found < wrong)) wrong = found;
        }
        return wrong;
    }

private:
    // For each cluster the separators there that may be wrong; most are small, and d-convex since their members are adjacent.
    Ragged separators_at_clusters() {
        Vector<Index> ends, lower;
        for (Index cluster = 0; cluster < separators_.size(); ++cluster) {
            const Indices own = separators_[cluster];
            poll_(1 + std::ssize(own));
            if (own.size() < 2 || are_few_and_adjacent(index_.graph(), own)) continue;
            for (const Index end : {cluster, index_.parent()[cluster]}) {
                ends.push_back(end);
                lower.push_back(cluster);
            }
        }
        return Ragged::from_pairs(ends, lower, separators_.size());
    }

    // Many clusters may share one separator with a large one: each set is looked at once.
    Index first_wrong_in(Index around, Indices lower) {
        const Indices members = index_.clusters()[around];
        Vector<LocalSeparator> separators;
        {
            const LocalNumbers::Scope number(numbers_, members);
            for (const Index cluster : lower) {
                Part own;
                for (const Index node : separators_[cluster]) own.push_back(number[node]);
                poll_(std::ssize(own));
                separators.push_back({std::move(own), cluster});
            }
        }
        std::sort(separators.begin(), separators.end());
        const InducedDag dag(index_.graph(), members, numbers_, poll_);
        work_.fit(static_cast<Index>(members.size()));
        Index wrong = -1;
        const Part* last = nullptr;
        for (const LocalSeparator& separator : separators) {
            if (last && *last == separator.members) continue;
            last = &separator.members;
            if (wrong >= 0 && separator.cluster > wrong) continue;
            if (is_complete(dag.arcs(), work_.walk, separator.members)) continue;
            if (!is_convex(dag.arcs(), work_, separator.members)) wrong = separator.cluster;
        }
        return wrong;
    }

    const ClusterIndex& index_;
    Ragged separators_;
    LocalNumbers numbers_;
    ConvexityWorkspace work_;
    Poll poll_;
};

}  // namespace

// A cluster shares with the next one towards the root all of its variables that do not have it for their top.
Ragged separators_towards_root(const ClusterIndex& index) {
    const Ragged& clusters = index.clusters();
    Vector<Offset> offsets(1, 0);
    offsets.reserve(static_cast<std::size_t>(clusters.size()) + 1);
    Vector<Index> shared;
    shared.reserve(clusters.values().size());
    Poll poll;
    for (Index cluster = 0; cluster < clusters.size(); ++cluster) {
        for (const Index variable : clusters[cluster]) {
            if (index.top()[variable] != cluster) shared.push_back(variable);
        }
        poll(1 + clusters.length(cluster));
        offsets.push_back(static_cast<Offset>(shared.size()));
    }
    return Ragged(std::move(offsets), std::move(shared));
}

Index find_inducing_separator(const ClusterIndex& index) { return SeparatorCheck(index).first_wrong(); }

}  // namespace dconvex
