#include "graph/tree.hpp"

#include <algorithm>
#include <queue>
#include <set>
#include <stdexcept>
#include <utility>

#include "common/interrupt.hpp"
#include "graph/subgraph.hpp"

namespace dconvex {
namespace {

// For each vertex the pairs that it is an end of.
Ragged pairs_at(Indices pairs, Index size) {
    Vector<Index> numbers(pairs.size());
    for (std::size_t end = 0; end < numbers.size(); ++end) numbers[end] = static_cast<Index>(end / 2);
    return Ragged::from_pairs(pairs, numbers, size);
}

bool is_in(Index value, Indices ascending) { return std::binary_search(ascending.begin(), ascending.end(), value); }

}  // namespace

Index count_components(Indices pairs, Index size) {
    Vector<Index> owners(pairs.begin(), pairs.end()), others(pairs.size());
    for (std::size_t end = 0; end < pairs.size(); ++end) others[end] = pairs[end ^ 1];
    Poll poll;
    const Vector<Index> label = component_labels(Ragged::from_pairs(owners, others, size), poll);
    Index count = 0;
    for (Index vertex = 0; vertex < size; ++vertex) count += label[vertex] == vertex;
    return count;
}

RootedTree::RootedTree(Ragged clusters, Indices ends, Index variables)
    : clusters_(std::move(clusters)),
      holders_(clusters_.reversed(variables)),
      parent_(clusters_.size(), -1),
      edge_above_(clusters_.size(), -1),
      depth_(clusters_.size(), 0),
      top_(variables, -1) {
    hang(ends);
    for (Index cluster = 0; cluster < size(); ++cluster) {
        for (const Index variable : clusters_[cluster]) {
            Index& top = top_[variable];
            if (top < 0 || depth_[cluster] < depth_[top]) top = cluster;
        }
    }
}

void RootedTree::hang(Indices ends) {
    const auto edges = static_cast<Index>(ends.size() / 2);
    const Ragged edges_at = pairs_at(ends, size());
    Vector<Index> order;
    Flags is_hung(static_cast<std::size_t>(size()), 0);
    const auto reach = [&](Index cluster) {
        is_hung[cluster] = 1;
        order.push_back(cluster);
    };
    if (size()) reach(0);
    Poll poll;
    for (std::size_t done = 0; done < order.size(); ++done) {
        const Index cluster = order[done];
        for (const Index edge : edges_at[cluster]) {
            poll();
            const Index other = ends[2 * edge] == cluster ? ends[2 * edge + 1] : ends[2 * edge];
            if (is_hung[other]) continue;
            parent_[other] = cluster;
            edge_above_[other] = edge;
            depth_[other] = depth_[cluster] + 1;
            reach(other);
        }
    }
    if (std::ssize(order) != size() || edges != std::max(size() - 1, 0)) {
        throw std::invalid_argument("the edges do not join the clusters to one tree");
    }
}

RootedTree::Subtree RootedTree::smallest_subtree(Indices variables) const {
    if (size() == 0) return {};
    Vector<Index> distinct(variables.begin(), variables.end());
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    Subtree found = holding_all(distinct);
    if (found.clusters.empty()) {
        climb(std::move(distinct), found);
    } else {
        const auto size_of = [&](Index cluster) { return clusters_.length(cluster); };
        found.clusters.assign(1, *std::ranges::min_element(found.clusters, {}, size_of));
    }
    return found;
}

// All clusters that hold the variables, looked for among those of the rarest variable.
RootedTree::Subtree RootedTree::holding_all(const Vector<Index>& variables) const {
    Subtree found;
    if (variables.empty()) {
        for (Index cluster = 0; cluster < size(); ++cluster) found.clusters.push_back(cluster);
        return found;
    }
    Poll poll;
    const auto holder_count = [&](Index variable) { return holders_.length(variable); };
    for (const Index cluster : holders_[*std::ranges::min_element(variables, {}, holder_count)]) {
        const Indices members = clusters_[cluster];
        ++found.visits;
        poll();
        if (members.size() < variables.size()) continue;
        const auto is_member = [&](Index variable) { return is_in(variable, members); };
        if (std::all_of(variables.begin(), variables.end(), is_member)) found.clusters.push_back(cluster);
    }
    return found;
}

// Climbs from the deepest tops until the paths have met and every variable is held. No cluster holds all variables, so the
// deepest top is kept: whatever lies below it holds no variable of a top that is not above it. When the climb reaches the depth
// of a top whose variable it has not met, it never will, so that top is kept too; otherwise it meets the variable on its way.
void RootedTree::climb(Vector<Index> variables, Subtree& into) const {
    struct Tip {
        Index depth;
        Index cluster;
        bool operator<(const Tip& other) const noexcept { return depth < other.depth; }
    };
    using Numbers = std::set<Index, std::less<Index>, CountedAllocator<Index>>;
    Numbers unmet(variables.begin(), variables.end()), kept;
    std::sort(variables.begin(), variables.end(), [&](Index one, Index other) {
        return std::pair(depth_[top_[one]], top_[one]) < std::pair(depth_[top_[other]], top_[other]);
    });
    Vector<Index>& waiting = variables;
    std::priority_queue<Tip, Vector<Tip>> tips;
    const auto meet = [&](Indices members) {  // by way of the fewer of the two
        if (members.size() <= 8 * unmet.size()) {
            for (const Index member : members) unmet.erase(member);
        } else {
            std::erase_if(unmet, [&](Index variable) { return is_in(variable, members); });
        }
    };
    Poll poll;
    while (true) {
        while (!waiting.empty() && !unmet.contains(waiting.back())) waiting.pop_back();
        Index next;
        if (!waiting.empty() && (tips.empty() || depth_[top_[waiting.back()]] >= tips.top().depth)) {
            next = top_[waiting.back()];
        } else if (waiting.empty() && tips.size() == 1) {
            into.clusters.assign(kept.begin(), kept.end());
            return;
        } else {
            next = parent_[tips.top().cluster];
            tips.pop();
        }
        poll(1 + clusters_.length(next));
        if (!kept.insert(next).second) continue;
        ++into.visits;
        tips.push({depth_[next], next});
        meet(clusters_[next]);
    }
}

}  // namespace dconvex
