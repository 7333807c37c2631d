#include "graph/triangulation.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>
#include <utility>

#include "graph/walk.hpp"

namespace dconvex {
namespace {

// The next vertex by a number that changes while it waits; entries whose number is no longer true are passed over.
struct Waiting {
    Index key;
    Index node;
    auto operator<=>(const Waiting&) const = default;
};
using WaitingLine = std::priority_queue<Waiting, Vector<Waiting>, std::greater<Waiting>>;

// Pairs of vertices, in an open table of powers of two. A std::unordered_set takes several times as long here, where nearly all
// of the time of a triangulation goes.
class EdgeSet {
public:
    EdgeSet(Index size, std::size_t edges, Poll& poll)
        : size_(size),
          poll_(poll),
          slots_(std::bit_ceil(2 * edges + 16), no_edge),
          shift_(64 - std::countr_zero(slots_.size())) {}

    bool contains(Index a, Index b) const noexcept {
        const std::int64_t edge = key(a, b);
        const std::int64_t* const slots = slots_.data();
        std::size_t slot = first_slot(edge);
        while (slots[slot] != edge && slots[slot] != no_edge) slot = (slot + 1) & (slots_.size() - 1);
        return slots[slot] == edge;
    }

    void insert(Index a, Index b) {
        if (2 * ++count_ > slots_.size()) grow();
        put(key(a, b));
    }

private:
    static constexpr std::int64_t no_edge = -1;

    std::int64_t key(Index a, Index b) const noexcept { return std::int64_t{std::min(a, b)} * size_ + std::max(a, b); }
    std::size_t first_slot(std::int64_t edge) const noexcept {
        return static_cast<std::size_t>(static_cast<std::uint64_t>(edge) * 0x9E3779B97F4A7C15u >> shift_);
    }
    void put(std::int64_t edge) {
        std::size_t slot = first_slot(edge);
        while (slots_[slot] != no_edge) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot] = edge;
    }
    void grow() {
        Vector<std::int64_t> before(2 * slots_.size(), no_edge);
        before.swap(slots_);
        --shift_;
        for (const std::int64_t edge : before) {
            poll_();
            if (edge != no_edge) put(edge);
        }
    }

    Index size_;
    Poll& poll_;
    Vector<std::int64_t> slots_;
    int shift_;
    std::size_t count_ = 0;
};

class Triangulation {
public:
    Triangulation(const Ragged& graph, Poll& poll)
        : graph_(graph),
          near_(graph),
          poll_(poll),
          size_(graph.size()),
          edges_(size_, graph.values().size() / 2, poll),
          added_(size_),
          is_alive_(size_, 1),
          is_done_(size_, 0),
          degree_(size_),
          closed_by_(size_, -1),
          seen_by_(size_, -1),
          in_boundary_(size_, 0) {
        for (Index node = 0; node < size_; ++node) {
            degree_[node] = static_cast<Index>(graph.length(node));
            poll_(degree_[node]);
            for (const Index neighbour : near_[node]) {
                if (node < neighbour) edges_.insert(node, neighbour);
            }
        }
    }

    // Whether it took at most `most_steps`.
    bool run(std::int64_t most_steps) {
        Vector<Waiting> first(size_);
        for (Index node = 0; node < size_; ++node) first[node] = {degree_[node], node};
        line_ = WaitingLine(std::greater<Waiting>(), std::move(first));
        Vector<Index> hood;
        while (!line_.empty()) {
            const auto [degree, x] = line_.top();
            line_.pop();
            poll_();
            if (is_done_[x] || degree != degree_[x]) continue;
            is_done_[x] = 1;
            list_neighbours(x, hood);
            if (is_clique(hood)) {
                drop(x, hood);
            } else if (most_steps < 0) {
                return false;
            } else {
                most_steps -= make_simplicial(x, hood);
            }
        }
        return true;
    }

    Ragged filled() const {
        Ragged chordal;
        Vector<Index> neighbours;
        for (Index node = 0; node < size_; ++node) {
            const Indices own = graph_[node];
            neighbours.assign(own.begin(), own.end());
            neighbours.insert(neighbours.end(), added_[node].begin(), added_[node].end());
            poll_(std::ssize(neighbours));
            chordal.append(neighbours);
        }
        return chordal;
    }

private:
    template <class Visit>
    void for_each_neighbour(Index node, Visit visit) const {
        const std::uint8_t* const is_alive = is_alive_.data();
        const Indices own = near_[node];
        const Vector<Index>& more = added_[node];
        poll_(1 + std::ssize(own) + std::ssize(more));
        for (const Index neighbour : own) {
            if (is_alive[neighbour]) visit(neighbour);
        }
        for (const Index neighbour : more) {
            if (is_alive[neighbour]) visit(neighbour);
        }
    }

    void list_neighbours(Index node, Vector<Index>& into) const {
        into.clear();
        for_each_neighbour(node, [&](Index neighbour) { into.push_back(neighbour); });
    }

    bool is_clique(Indices nodes) const {
        for (std::size_t one = 0; one < nodes.size(); ++one) {
            poll_(static_cast<std::int64_t>(one));
            for (std::size_t other = 0; other < one; ++other) {
                if (!edges_.contains(nodes[one], nodes[other])) return false;
            }
        }
        return true;
    }

    void drop(Index x, const Vector<Index>& hood) {
        is_alive_[x] = 0;
        for (const Index node : hood) {
            --degree_[node];
            wait(node);
        }
    }

    void wait(Index node) {
        if (!is_done_[node]) line_.push({degree_[node], node});
    }

    // Makes a clique of the boundary of each component outside N[x]; the number of vertices of the components.
    std::int64_t make_simplicial(Index x, const Vector<Index>& hood) {
        closed_by_[x] = x;
        for (const Index node : hood) closed_by_[node] = x;
        std::int64_t steps = 0;
        Vector<Index> seeds;
        for (const Index root : hood) {
            list_neighbours(root, seeds);
            for (const Index seed : seeds) {
                if (closed_by_[seed] == x || seen_by_[seed] == x) continue;
                steps += find_boundary(x, seed);
                marry(boundary_);
                for (const Index node : boundary_) wait(node);
            }
        }
        return steps;
    }

    // Walks over the component of `seed` outside N[x] and lists its boundary; the number of its vertices.
    std::int64_t find_boundary(Index x, Index seed) {
        const Index* const closed_by = closed_by_.data();
        Index* const seen_by = seen_by_.data();
        boundary_.clear();
        queue_.assign(1, seed);
        seen_by[seed] = x;
        for (std::size_t first = 0; first < queue_.size(); ++first) {
            for_each_neighbour(queue_[first], [&](Index neighbour) {
                if (closed_by[neighbour] == x) {
                    if (in_boundary_[neighbour]) return;
                    in_boundary_[neighbour] = 1;
                    boundary_.push_back(neighbour);
                } else if (seen_by[neighbour] != x) {
                    seen_by[neighbour] = x;
                    queue_.push_back(neighbour);
                }
            });
        }
        for (const Index node : boundary_) in_boundary_[node] = 0;
        return std::ssize(queue_);
    }

    void marry(const Vector<Index>& nodes) {
        for (std::size_t one = 0; one < nodes.size(); ++one) {
            poll_(static_cast<std::int64_t>(one));
            for (std::size_t other = 0; other < one; ++other) {
                const Index a = nodes[one], b = nodes[other];
                if (edges_.contains(a, b)) continue;
                edges_.insert(a, b);
                added_[a].push_back(b);
                added_[b].push_back(a);
                ++degree_[a];
                ++degree_[b];
            }
        }
    }

    const Ragged& graph_;
    const Lists near_;
    Poll& poll_;
    const Index size_;
    EdgeSet edges_;
    Vector<Vector<Index>> added_;  // the neighbours of each vertex by fill
    Flags is_alive_;               // not dropped
    Flags is_done_;                // LB-simplicial
    Vector<Index> degree_;
    WaitingLine line_;
    Vector<Index> closed_by_;  // x where the vertex lies in N[x]
    Vector<Index> seen_by_;    // x where the vertex lies in a component outside N[x] that was walked over
    Flags in_boundary_;
    Vector<Index> boundary_;
    Vector<Index> queue_;
};

}  // namespace

std::optional<Ragged> triangulate(const Ragged& graph, std::int64_t most_steps, Poll& poll) {
    Triangulation triangulation(graph, poll);
    if (!triangulation.run(most_steps)) return std::nullopt;
    return triangulation.filled();
}

// Maximum cardinality search: the next vertex is one with the most numbered neighbours, and a clique ends where that number
// does not grow. A new clique hangs on the clique of the latest of these neighbours.
CliqueTree find_clique_tree(const Ragged& chordal, Poll& poll) {
    const Index size = chordal.size();
    const Lists near(chordal);
    CliqueTree tree;
    Vector<Index> number(size, -1), clique_of(size), weight(size, 0), clique;
    Vector<Waiting> all(size);
    for (Index node = 0; node < size; ++node) all[node] = {0, node};
    WaitingLine line(std::greater<Waiting>(), std::move(all));  // by less the weight
    Index numbered = 0, last_weight = -1;
    while (!line.empty()) {
        const auto [key, node] = line.top();
        line.pop();
        poll();
        if (number[node] >= 0 || -key != weight[node]) continue;
        const Indices own = near[node];
        poll(std::ssize(own));
        if (weight[node] <= last_weight || numbered == 0) {
            if (numbered) tree.cliques.append(clique);
            clique.clear();
            Index latest = -1;
            for (const Index neighbour : own) {
                if (number[neighbour] < 0) continue;
                clique.push_back(neighbour);
                if (latest < 0 || number[neighbour] > number[latest]) latest = neighbour;
            }
            tree.above.push_back(latest >= 0 ? clique_of[latest] : -1);
            tree.shared.push_back(weight[node]);
        }
        clique.push_back(node);
        clique_of[node] = static_cast<Index>(tree.above.size()) - 1;
        last_weight = weight[node];
        number[node] = numbered++;
        for (const Index neighbour : own) {
            if (number[neighbour] < 0) line.push({-++weight[neighbour], neighbour});
        }
    }
    if (numbered) tree.cliques.append(clique);
    return tree;
}

}  // namespace dconvex
