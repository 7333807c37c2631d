#include "graph/subgraph.hpp"

#include <algorithm>
#include <utility>

namespace dconvex {

LocalNumbers::Scope::Scope(LocalNumbers& numbers, Indices part) : number_(numbers.number_.data()), part_(part) {
    for (std::size_t index = 0; index < part.size(); ++index) number_[part[index]] = static_cast<Index>(index);
}

LocalNumbers::Scope::~Scope() {
    for (const Index node : part_) number_[node] = -1;
}

namespace {

// A list that is much longer than the part is searched for the members of the part, rather than read: a node with very many
// neighbours may belong to very many small parts.
constexpr std::size_t much_longer = 16;

void append_inside(Indices list, Indices part, const LocalNumbers::Scope& number, Vector<Index>& into, Poll& poll) {
    if (list.size() <= much_longer * part.size()) {
        poll(std::ssize(list));
        for (const Index node : list) {
            if (number[node] >= 0) into.push_back(number[node]);
        }
        return;
    }
    poll(static_cast<std::int64_t>(much_longer * part.size()));
    for (const Index node : part) {
        if (std::binary_search(list.begin(), list.end(), node)) into.push_back(number[node]);
    }
}

}  // namespace

Ragged induced_graph(const Ragged& graph, Indices part, LocalNumbers& numbers, Poll& poll) {
    const Lists near(graph);
    const LocalNumbers::Scope number(numbers, part);
    Vector<Offset> offsets(part.size() + 1, 0);
    Vector<Index> values;
    values.reserve(4 * part.size());
    for (std::size_t index = 0; index < part.size(); ++index) {
        append_inside(near[part[index]], part, number, values, poll);
        offsets[index + 1] = static_cast<Offset>(values.size());
    }
    return Ragged(std::move(offsets), std::move(values));
}

Ragged torso(const Ragged& graph, Indices part, const Ragged& cliques, LocalNumbers& numbers, Poll& poll) {
    const Ragged own = induced_graph(graph, part, numbers, poll);
    const LocalNumbers::Scope number(numbers, part);
    Ragged inside;
    Vector<Index> members;
    for (Index clique = 0; clique < cliques.size(); ++clique) {
        members.clear();
        poll(cliques.length(clique));
        for (const Index node : cliques[clique]) {
            if (number[node] >= 0) members.push_back(number[node]);
        }
        inside.append(members);
    }
    const Ragged cliques_at = inside.reversed(own.size());
    Vector<Index> joined_to(part.size(), -1);
    Vector<Offset> offsets(part.size() + 1, 0);
    Vector<Index> values;
    for (Index node = 0; node < own.size(); ++node) {
        const auto join = [&](Index neighbour) {
            if (joined_to[neighbour] == node) return;
            joined_to[neighbour] = node;
            values.push_back(neighbour);
        };
        joined_to[node] = node;
        for (const Index neighbour : own[node]) join(neighbour);
        for (const Index clique : cliques_at[node]) {
            poll(inside.length(clique));
            for (const Index neighbour : inside[clique]) join(neighbour);
        }
        offsets[static_cast<std::size_t>(node) + 1] = static_cast<Offset>(values.size());
    }
    return Ragged(std::move(offsets), std::move(values));
}

InducedDag::InducedDag(const Graph& graph, Indices part, LocalNumbers& numbers, Poll& poll)
    : children_(induced_graph(graph.children(), part, numbers, poll)),
      parents_(children_.reversed(children_.size())),
      rank_(part.size()) {
    for (std::size_t index = 0; index < part.size(); ++index) rank_[index] = graph.rank()[part[index]];
}

Vector<Index> component_labels(const Ragged& graph, Poll& poll) {
    const Lists near(graph);
    Vector<Index> label(static_cast<std::size_t>(graph.size()), -1);
    Vector<Index> stack;
    for (Index root = 0; root < graph.size(); ++root) {
        if (label[root] >= 0) continue;
        label[root] = root;
        stack.push_back(root);
        while (!stack.empty()) {
            const Indices neighbours = near[stack.back()];
            stack.pop_back();
            poll(1 + std::ssize(neighbours));
            for (const Index neighbour : neighbours) {
                if (label[neighbour] >= 0) continue;
                label[neighbour] = root;
                stack.push_back(neighbour);
            }
        }
    }
    return label;
}

bool is_connected(const Ragged& graph, Poll& poll) {
    const Vector<Index> label = component_labels(graph, poll);
    return std::all_of(label.begin(), label.end(), [](Index lowest) { return lowest == 0; });
}

bool is_complete_graph(const Ragged& graph) noexcept {
    const Offset size = graph.size();
    return static_cast<Offset>(graph.values().size()) == size * (size - 1);
}

}  // namespace dconvex
