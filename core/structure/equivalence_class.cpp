#include "structure/equivalence_class.hpp"

#include <algorithm>
#include <utility>

namespace dconvex {
namespace {

struct Ends {
    Vector<Index> ones, others;

    void add(Index one, Index other) {
        ones.push_back(one);
        others.push_back(other);
    }
    Ragged lists(Index size) const { return Ragged::from_pairs(others, ones, size).reversed(size); }
};

}  // namespace

EquivalenceClass::EquivalenceClass(Pdag graph) : graph_(std::move(graph)) {
    Ends down, up, both, all;
    for (const Arc& edge : graph_.directed) {
        down.add(edge.parent, edge.child);
        up.add(edge.child, edge.parent);
        all.add(edge.parent, edge.child);
        all.add(edge.child, edge.parent);
    }
    for (const Arc& edge : graph_.undirected) {
        for (Ends* ends : {&both, &all}) {
            ends->add(edge.parent, edge.child);
            ends->add(edge.child, edge.parent);
        }
    }
    parents_ = up.lists(size());
    children_ = down.lists(size());
    neighbours_ = both.lists(size());
    adjacent_ = all.lists(size());
}

bool EquivalenceClass::are_adjacent(Index one, Index other) const {
    const Indices own = adjacent(one);
    return std::binary_search(own.begin(), own.end(), other);
}

bool EquivalenceClass::has_same_edges(const EquivalenceClass& other, Index node) const {
    return std::ranges::equal(parents(node), other.parents(node)) &&
           std::ranges::equal(neighbours(node), other.neighbours(node)) &&
           std::ranges::equal(children(node), other.children(node));
}

Vector<Vector<Index>> EquivalenceClass::cliques(Index node, std::size_t most) const {
    Vector<Vector<Index>> found(1);
    const Indices own = neighbours(node);
    for (std::size_t k = 0; k < found.size() && found.size() < most; ++k) {
        for (const Index next : own) {
            if (found.size() >= most) break;
            if (!found[k].empty() && next <= found[k].back()) continue;
            const auto is_joined = [&](Index member) { return are_adjacent(member, next); };
            if (!std::all_of(found[k].begin(), found[k].end(), is_joined)) continue;
            Vector<Index> larger = found[k];
            larger.push_back(next);
            found.push_back(std::move(larger));
        }
    }
    return found;
}

bool SemiDirectedWalk::leads(const EquivalenceClass& graph, Index from, Index to, Indices blocked, Indices also_blocked) {
    ++walk_;
    for (const Index node : blocked) seen_[node] = walk_;
    for (const Index node : also_blocked) seen_[node] = walk_;
    if (seen_[to] == walk_) return false;
    seen_[from] = walk_;
    open_.assign(1, from);
    while (!open_.empty()) {
        const Index node = open_.back();
        open_.pop_back();
        for (const Indices next : {graph.children(node), graph.neighbours(node)}) {
            for (const Index other : next) {
                if (seen_[other] == walk_ || (node == from && other == to)) continue;
                if (other == to) return true;
                seen_[other] = walk_;
                open_.push_back(other);
            }
        }
    }
    return false;
}

}  // namespace dconvex
