#include "structure/acyclic_graph.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace dconvex {
namespace {

void insert_sorted(Vector<Index>& list, Index value) { list.insert(std::lower_bound(list.begin(), list.end(), value), value); }

void erase_sorted(Vector<Index>& list, Index value) { list.erase(std::lower_bound(list.begin(), list.end(), value)); }

}  // namespace

AcyclicGraph::AcyclicGraph(Index size)
    : size_(size),
      words_((static_cast<Offset>(size) + 63) / 64),
      parents_(static_cast<std::size_t>(size)),
      children_(static_cast<std::size_t>(size)),
      below_(static_cast<std::size_t>(size * words_), 0) {}

bool AcyclicGraph::has_edge(Index parent, Index child) const {
    const Indices own = parents(child);
    return std::binary_search(own.begin(), own.end(), parent);
}

bool AcyclicGraph::can_reverse(Index parent, Index child) const {
    for (const Index other : parents(child)) {
        if (other != parent && descends(other, parent)) return false;
    }
    return true;
}

void AcyclicGraph::add(Index parent, Index child) {
    insert_sorted(parents_[child], parent);
    insert_sorted(children_[parent], child);
    ++edges_;
    for (Index node = 0; node < size_; ++node) {
        if (node != parent && !descends(parent, node)) continue;
        std::uint64_t* own = below(node);
        const std::uint64_t* more = below(child);
        for (Offset word = 0; word < words_; ++word) own[word] |= more[word];
        own[child >> 6] |= std::uint64_t{1} << (child & 63);
    }
}

void AcyclicGraph::remove(Index parent, Index child) {
    erase_sorted(parents_[child], parent);
    erase_sorted(children_[parent], child);
    --edges_;
    // who has more descendants comes later in the other direction, so children are done before their parents
    Vector<std::pair<Offset, Index>> changed;
    for (Index node = 0; node < size_; ++node) {
        if (node != parent && !descends(parent, node)) continue;
        Offset count = 0;
        for (Offset word = 0; word < words_; ++word) count += std::popcount(below(node)[word]);
        changed.emplace_back(count, node);
    }
    std::sort(changed.begin(), changed.end());
    for (const auto& [count, node] : changed) {
        std::uint64_t* own = below(node);
        std::fill_n(own, words_, 0);
        for (const Index next : children(node)) {
            const std::uint64_t* more = below(next);
            for (Offset word = 0; word < words_; ++word) own[word] |= more[word];
            own[next >> 6] |= std::uint64_t{1} << (next & 63);
        }
    }
}

Ragged AcyclicGraph::parent_lists() const {
    Ragged lists;
    for (Index node = 0; node < size_; ++node) lists.append(parents(node));
    return lists;
}

}  // namespace dconvex
