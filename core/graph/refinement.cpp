#include "graph/refinement.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <stdexcept>

namespace dconvex {
namespace {

Part difference(Indices part, Indices without) {
    Part left;
    std::set_difference(part.begin(), part.end(), without.begin(), without.end(), std::back_inserter(left));
    return left;
}

Part together(Indices one, Indices other) {
    Part both;
    both.reserve(one.size() + other.size());
    std::set_union(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(both));
    return both;
}

bool is_inside(Indices part, Indices whole) {
    return part.size() <= whole.size() && std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

Vector<Part> distinct_separators(const GrowingTree& tree) {
    Vector<Part> found;
    for (const auto& [number, cluster] : tree.clusters()) {
        for (const auto& [neighbour, separator] : cluster.separators) {
            if (number < neighbour) found.push_back(separator);
        }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

// For each node the clusters that hold it, and perhaps some that are gone.
class Holders {
public:
    Holders(const GrowingTree& tree, Poll& poll) : tree_(tree), poll_(poll) {
        for (const auto& [number, cluster] : tree.clusters()) add(number);
    }

    void add(Index number) {
        for (const Index node : tree_.cluster(number).members) holders_[node].push_back(number);
    }

    // The clusters that hold more than a set, ascending: looked for among those of its rarest node.
    Vector<Index> holding_more_than(const Part& set) {
        Vector<Index> found;
        if (set.empty()) {
            for (const auto& [number, cluster] : tree_.clusters()) found.push_back(number);
        } else {
            found = holders_[*std::ranges::min_element(set, {}, [&](Index node) { return holders_[node].size(); })];
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        std::erase_if(found, [&](Index number) {
            poll_(8);
            if (!tree_.contains(number)) return true;
            const Part& members = tree_.cluster(number).members;
            return members.size() == set.size() || !is_inside(set, members);
        });
        return found;
    }

private:
    const GrowingTree& tree_;
    Poll& poll_;
    NumberedMap<Vector<Index>> holders_;
};

// Splits every cluster that a separator of the tree splits; the clusters that are new or have changed.
NumberedSet split_by_own_separators(GrowingTree& tree, Poll& poll) {
    Holders holders(tree, poll);
    NumberedSet changed;
    for (const Part& separator : distinct_separators(tree)) {
        for (const Index number : holders.holding_more_than(separator)) {
            if (!tree.contains(number) || tree.components(number, separator).size() < 2) continue;
            for (const Index other : tree.split(number, separator)) {
                changed.insert(other);
                holders.add(other);
            }
        }
    }
    return changed;
}

}  // namespace

void GrowingTree::add(Index number, Indices members) { clusters_[number].members.assign(members.begin(), members.end()); }

void GrowingTree::join(Index one, Index other, const Part& separator) {
    clusters_.at(one).separators[other] = separator;
    clusters_.at(other).separators[one] = separator;
}

Ragged GrowingTree::cliques(Index number) const {
    Ragged found;
    for (const auto& [neighbour, separator] : cluster(number).separators) found.append(separator);
    return found;
}

Vector<Part> GrowingTree::components(Index number, Indices separator) const {
    const Part outside = difference(cluster(number).members, separator);
    const Vector<Index> label = component_labels(torso(moral_, outside, cliques(number), numbers_, poll_), poll_);
    Vector<Part> found;
    Vector<Index> component_of(outside.size());
    for (std::size_t index = 0; index < outside.size(); ++index) {
        if (label[index] == static_cast<Index>(index)) {  // the lowest of its component
            component_of[index] = static_cast<Index>(found.size());
            found.emplace_back();
        }
        found[component_of[label[index]]].push_back(outside[index]);
    }
    return found;
}

Vector<Index> GrowingTree::split(Index number, Indices separator) {
    const Index first = clusters_.rbegin()->first + 1;
    const Vector<Part> found = components(number, separator);
    if (found.empty()) throw std::invalid_argument("the separator leaves nothing of the cluster");
    const auto neighbours = std::move(clusters_.at(number).separators);
    clusters_.erase(number);
    undecided.erase(number);
    Vector<Index> pieces;
    for (const Part& component : found) {
        pieces.push_back(first + static_cast<Index>(pieces.size()));
        add(pieces.back(), together(component, separator));
        if (pieces.size() > 1) join(first, pieces.back(), Part(separator.begin(), separator.end()));
    }
    for (const auto& [neighbour, shared] : neighbours) {
        clusters_.at(neighbour).separators.erase(number);
        const auto home = std::find_if(pieces.begin(), pieces.end(),
                                       [&](Index piece) { return is_inside(shared, clusters_.at(piece).members); });
        join(home == pieces.end() ? first : *home, neighbour, shared);
    }
    for (Index& piece : pieces) piece = contracted(piece);
    return pieces;
}

// Contracts a piece that a neighbour contains into that neighbour; returns the cluster that holds it in the end.
Index GrowingTree::contracted(Index piece) {
    const Cluster own = clusters_.at(piece);
    const auto keeper = std::find_if(own.separators.begin(), own.separators.end(),
                                     [&](const auto& link) { return link.second == own.members; });
    if (keeper == own.separators.end()) return piece;
    for (const auto& [neighbour, shared] : own.separators) {
        clusters_.at(neighbour).separators.erase(piece);
        if (neighbour != keeper->first) join(keeper->first, neighbour, shared);
    }
    clusters_.erase(piece);
    return keeper->first;
}

void refine_tree(GrowingTree& tree, const ClusterSearch& search, NumberedMap<SearchResult> known, std::size_t at_once,
                 Poll& poll) {
    std::deque<Index, CountedAllocator<Index>> waiting;
    for (const auto& [number, cluster] : tree.clusters()) waiting.push_back(number);
    const auto search_next = [&] {
        Vector<Index> next;
        NumberedSet chosen;
        for (const Index number : waiting) {
            if (next.size() == at_once) break;
            if (tree.contains(number) && !known.contains(number) && chosen.insert(number).second) next.push_back(number);
        }
        Vector<SearchResult> results = search(next);
        for (std::size_t index = 0; index < next.size(); ++index) known.emplace(next[index], std::move(results[index]));
    };
    while (!waiting.empty()) {
        while (search && !waiting.empty()) {
            const Index number = waiting.front();
            if (tree.contains(number) && !known.contains(number)) search_next();
            waiting.pop_front();
            if (!tree.contains(number)) continue;
            const SearchResult result = std::move(known.extract(number).mapped());
            tree.undecided.erase(number);
            if (result.status == SearchStatus::found) {
                for (const Index changed : tree.split(number, result.separator)) {
                    known.erase(changed);
                    waiting.push_back(changed);
                }
            } else if (result.status == SearchStatus::undecided) {
                tree.undecided.insert(number);
            }
        }
        known.clear();  // of clusters that are gone, whose numbers may come again
        const NumberedSet changed = split_by_own_separators(tree, poll);
        waiting.assign(changed.begin(), changed.end());
    }
}

}  // namespace dconvex
