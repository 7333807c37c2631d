#include "graph/moral.hpp"

#include <algorithm>
#include <utility>

#include "graph/walk.hpp"

namespace dconvex {

Ragged moral_graph(const Graph& graph, Poll& poll) {
    const Arcs arcs = arcs_of(graph);
    const auto size = static_cast<std::size_t>(graph.size());
    Vector<Index> joined_to(size, -1);
    Vector<Offset> offsets(size + 1, 0);
    Vector<Index> values;
    values.reserve(2 * graph.parents().values().size());
    for (Index node = 0; node < graph.size(); ++node) {
        const auto join = [&, last = joined_to.data()](Index neighbour) {
            if (last[neighbour] == node) return;
            last[neighbour] = node;
            values.push_back(neighbour);
        };
        joined_to[node] = node;
        const Indices parents = arcs.parents[node], children = arcs.children[node];
        poll(1 + std::ssize(parents) + std::ssize(children));
        for (const Index parent : parents) join(parent);
        for (const Index child : children) {
            join(child);
            const Indices others = arcs.parents[child];
            poll(std::ssize(others));
            for (const Index other : others) join(other);
        }
        std::sort(values.begin() + offsets[node], values.end());
        offsets[static_cast<std::size_t>(node) + 1] = static_cast<Offset>(values.size());
    }
    return Ragged(std::move(offsets), std::move(values));
}

namespace {

// Depth-first search without recursion. A block is closed when the search leaves a child from which nothing above its parent
// can be reached; the vertices of the block are then on top of the stack, and the parent is the last of them.
class BlockSearch {
public:
    BlockSearch(const Ragged& graph, Poll& poll)
        : near_(graph),
          poll_(poll),
          size_(graph.size()),
          time_(graph.size(), 0),
          low_(graph.size(), 0),
          parent_(graph.size(), -1),
          next_(graph.size(), 0) {}

    Ragged run() {
        for (Index root = 0; root < size_; ++root) {
            if (time_[root]) continue;
            if (near_[root].empty()) blocks_.append({&root, 1});
            search_from(root);
        }
        return std::move(blocks_);
    }

private:
    void search_from(Index root) {
        enter(root);
        while (!path_.empty()) {
            const Index node = path_.back();
            const Indices neighbours = near_[node];
            poll_();
            if (next_[node] < std::ssize(neighbours)) {
                const Index neighbour = neighbours[static_cast<std::size_t>(next_[node]++)];
                if (!time_[neighbour]) {
                    parent_[neighbour] = node;
                    enter(neighbour);
                } else if (neighbour != parent_[node]) {
                    low_[node] = std::min(low_[node], time_[neighbour]);
                }
            } else {
                path_.pop_back();
                if (parent_[node] >= 0) leave(node, parent_[node]);
            }
        }
        waiting_.clear();  // the root
    }

    void enter(Index node) {
        time_[node] = low_[node] = ++clock_;
        path_.push_back(node);
        waiting_.push_back(node);
    }

    void leave(Index node, Index above) {
        low_[above] = std::min(low_[above], low_[node]);
        if (low_[node] < time_[above]) return;
        block_.clear();
        do {
            block_.push_back(waiting_.back());
            waiting_.pop_back();
        } while (block_.back() != node);
        block_.push_back(above);
        std::sort(block_.begin(), block_.end());
        blocks_.append(block_);
    }

    const Lists near_;
    Poll& poll_;
    const Index size_;
    Vector<Index> time_;  // when a vertex was entered, from 1; 0: not yet
    Vector<Index> low_;   // the earliest time that can be reached from below a vertex
    Vector<Index> parent_;
    Vector<Offset> next_;  // the next neighbour to look at
    Index clock_ = 0;
    Vector<Index> path_;
    Vector<Index> waiting_;  // entered, and not yet in a block
    Vector<Index> block_;
    Ragged blocks_;
};

}  // namespace

Ragged find_blocks(const Ragged& graph, Poll& poll) { return BlockSearch(graph, poll).run(); }

}  // namespace dconvex
