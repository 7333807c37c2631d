#include "graph/graph.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "common/interrupt.hpp"

namespace dconvex {
namespace {

// Parents before children; the nodes of cycles and what lies below them are left out.
Vector<Index> topological_order(const Ragged& parents, const Ragged& children) {
    const Index size = parents.size();
    Vector<Offset> waiting(static_cast<std::size_t>(size));
    Vector<Index> order;
    order.reserve(static_cast<std::size_t>(size));
    for (Index node = 0; node < size; ++node) {
        waiting[node] = parents.length(node);
        if (waiting[node] == 0) order.push_back(node);
    }
    Poll poll;
    for (std::size_t done = 0; done < order.size(); ++done) {
        for (const Index child : children[order[done]]) {
            poll();
            if (--waiting[child] == 0) order.push_back(child);
        }
    }
    return order;
}

std::optional<Arc> repeated_arc(const Ragged& children) {
    for (Index node = 0; node < children.size(); ++node) {
        const Indices own = children[node];  // ascending
        const auto twice = std::adjacent_find(own.begin(), own.end());
        if (twice != own.end()) return Arc{node, *twice};
    }
    return std::nullopt;
}

}  // namespace

Graph::Graph(Ragged parents) : parents_(std::move(parents)) {
    if (!parents_.is_within(parents_.size())) throw std::invalid_argument("a parent is no node");
    children_ = parents_.reversed(parents_.size());
    if (repeated_arc(children_)) throw std::invalid_argument("an edge is given twice");
    order_ = topological_order(parents_, children_);
    if (order_.size() < static_cast<std::size_t>(size())) throw std::invalid_argument("the graph has a cycle");
    rank_.resize(order_.size());
    for (std::size_t place = 0; place < order_.size(); ++place) rank_[order_[place]] = static_cast<Index>(place);
}

bool Graph::are_adjacent(Index u, Index v) const noexcept {
    const Indices above_u = parents_[u], above_v = parents_[v];
    return std::find(above_u.begin(), above_u.end(), v) != above_u.end() ||
           std::find(above_v.begin(), above_v.end(), u) != above_v.end();
}

std::optional<Arc> find_repeated_arc(const Ragged& parents) { return repeated_arc(parents.reversed(parents.size())); }

Vector<Index> find_cycle(const Ragged& parents) {
    const Vector<Index> ordered = topological_order(parents, parents.reversed(parents.size()));
    if (ordered.size() == static_cast<std::size_t>(parents.size())) return {};
    Vector<char> is_ordered(static_cast<std::size_t>(parents.size()), 0);
    for (const Index node : ordered) is_ordered[node] = 1;
    auto node = static_cast<Index>(std::find(is_ordered.begin(), is_ordered.end(), 0) - is_ordered.begin());
    // every node that is left out has a parent that is left out: going up from one must come back
    Vector<Index> step(static_cast<std::size_t>(parents.size()), -1);
    Vector<Index> walk;
    while (step[node] < 0) {
        step[node] = static_cast<Index>(walk.size());
        walk.push_back(node);
        Index lowest = -1;
        for (const Index parent : parents[node]) {
            if (!is_ordered[parent] && (lowest < 0 || parent < lowest)) lowest = parent;
        }
        node = lowest;
    }
    Vector<Index> cycle(walk.begin() + step[node], walk.end());
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
}

}  // namespace dconvex
