#include "graph/triangulation.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>
#include <span>
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
          search_of_(size_),
          region_(size_, 0),
          attached_to_(1),
          beyond_(size_, -1) {
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
    // A vertex outside N[x] next to a vertex of N(x).
    struct Seed {
        Index region;
        Index node;
        Index root;
    };

    // A search outside N[x], first in, first out.
    struct Search {
        Vector<Index> nodes;  // those before `next` have been expanded
        std::size_t next;
        Vector<Index> others;  // expanded by searches that have become parts of this one
        Index joined;          // the search that this one has become a part of, or itself

        std::size_t size() const noexcept { return nodes.size() + others.size(); }
    };

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

    // Makes a clique of the boundary of each component outside N[x]; the number of vertices that were walked over.
    std::int64_t make_simplicial(Index x, const Vector<Index>& hood) {
        closed_by_[x] = x;
        for (const Index node : hood) closed_by_[node] = x;
        for (const Index node : attached_to_[region_[x]]) beyond_[node] = x;
        list_seeds(x, hood);
        std::int64_t steps = 0;
        for (std::size_t first = 0, last; first < seeds_.size(); first = last) {
            last = first + 1;
            while (last < seeds_.size() && seeds_[last].region == seeds_[first].region) ++last;
            steps += search_region(x, std::span(seeds_).subspan(first, last - first));
        }
        return steps;
    }

    // Lists what lies outside N[x] next to it, by region.
    void list_seeds(Index x, const Vector<Index>& hood) {
        seeds_.clear();
        bool is_mixed = false;
        for (const Index root : hood) {
            for_each_neighbour(root, [&](Index node) {
                if (closed_by_[node] == x) return;
                const Index region = beyond_[node] == x ? region_[x] : region_[node];
                if (region != region_[x] && !is_attached_to(x, region)) return;
                is_mixed |= !seeds_.empty() && seeds_.back().region != region;
                seeds_.push_back({region, node, root});
            });
        }
        if (is_mixed) std::ranges::sort(seeds_, {}, &Seed::region);
    }

    bool is_attached_to(Index x, Index region) const {
        const Vector<Index>& nodes = attached_to_[region];
        return std::binary_search(nodes.begin(), nodes.end(), x);
    }

    // Finds which of the seeds, all of one region, lie in one component outside N[x]. The searches from all of them take turns
    // until all but one have ended; that one need not end.
    std::int64_t search_region(Index x, std::span<const Seed> seeds) {
        const Index region = seeds.front().region;
        turns_.clear();
        search_count_ = 0;
        for (const Seed& seed : seeds) {
            if (seen_by_[seed.node] != x) turns_.push_back(begin_search(x, seed.node));
        }
        std::int64_t steps = 0;
        while (turns_.size() > 1) {
            std::size_t left = 0;
            for (const Index number : turns_) {
                Search& search = searches_[number];
                if (search.joined != number || search.next == search.nodes.size()) continue;
                turns_[left++] = number;
                ++steps;
                walk_on(x, region, number);
            }
            turns_.resize(left);
            std::erase_if(turns_, [&](Index number) { return searches_[number].joined != number; });
        }
        fill_boundaries(x, seeds, turns_.empty() ? -1 : turns_.front());
        return steps;
    }

    Index begin_search(Index x, Index node) {
        const Index number = search_count_++;
        if (number == std::ssize(searches_)) searches_.emplace_back();
        Search& search = searches_[number];
        search.nodes.assign(1, node);
        search.others.clear();
        search.next = 0;
        search.joined = number;
        seen_by_[node] = x;
        search_of_[node] = number;
        return number;
    }

    Index found(Index number) {
        while (searches_[number].joined != number) {
            number = searches_[number].joined = searches_[searches_[number].joined].joined;
        }
        return number;
    }

    // Expands the next vertex of a search; where it meets another search, the two become one.
    void walk_on(Index x, Index region, Index number) {
        const Index node = searches_[number].nodes[searches_[number].next++];
        const bool is_own = region == region_[x];
        for_each_neighbour(node, [&](Index neighbour) {
            if (closed_by_[neighbour] == x) return;
            if (region_[neighbour] != region && !(is_own && beyond_[neighbour] == x)) return;
            if (seen_by_[neighbour] != x) {
                seen_by_[neighbour] = x;
                search_of_[neighbour] = number;
                searches_[number].nodes.push_back(neighbour);
                return;
            }
            const Index other = found(search_of_[neighbour]);
            if (other != number) number = joined(number, other);
        });
    }

    // Joins two searches, the smaller to the larger, whose number is returned.
    Index joined(Index one, Index other) {
        if (searches_[one].size() < searches_[other].size()) std::swap(one, other);
        Search &large = searches_[one], &small = searches_[other];
        const auto next = small.nodes.begin() + static_cast<std::ptrdiff_t>(small.next);
        large.nodes.insert(large.nodes.end(), next, small.nodes.end());
        large.others.insert(large.others.end(), small.nodes.begin(), next);
        large.others.insert(large.others.end(), small.others.begin(), small.others.end());
        small.joined = one;
        return one;
    }

    // Makes cliques of the boundaries; components that were searched to their end become regions.
    void fill_boundaries(Index x, std::span<const Seed> seeds, Index unfinished) {
        pairs_.clear();
        for (const Seed& seed : seeds) pairs_.push_back({found(search_of_[seed.node]), seed.root});
        std::sort(pairs_.begin(), pairs_.end());
        pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
        for (std::size_t first = 0, last; first < pairs_.size(); first = last) {
            boundary_.clear();
            for (last = first; last < pairs_.size() && pairs_[last].key == pairs_[first].key; ++last) {
                boundary_.push_back(pairs_[last].node);
            }
            marry(boundary_);
            for (const Index node : boundary_) wait(node);
            if (pairs_[first].key == unfinished) continue;
            Search& ended = searches_[pairs_[first].key];
            ended.nodes.insert(ended.nodes.end(), ended.others.begin(), ended.others.end());
            cut_off(x, ended.nodes);
        }
    }

    // Makes a region of a component outside N[x], whose boundary has become a clique. If it is by way of the component that the
    // rest of its region is attached to others, then the rest is now attached to the component's boundary.
    void cut_off(Index x, const Vector<Index>& component) {
        const auto region = static_cast<Index>(attached_to_.size());
        const Index own = region_[x];
        const bool is_between = std::any_of(component.begin(), component.end(), [&](Index node) { return beyond_[node] == x; });
        for (const Index node : component) {
            if (beyond_[node] != x) region_[node] = region;
        }
        if (!is_between) return attached_to_.push_back(boundary_);
        for (const Index node : boundary_) {
            if (region_[node] == own) region_[node] = region;
        }
        Vector<Index> outer = std::move(attached_to_[own]);
        attached_to_[own] = boundary_;
        attached_to_.push_back(std::move(outer));
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
    Vector<Index> seen_by_;    // x where a search outside N[x] has met the vertex,
    Vector<Index> search_of_;  // and which one

    // Regions are parts of the graph attached to the rest by cliques. What is attached to a clique adds to no boundary of a
    // component outside N[x] that x's own region has not got, unless x lies in the clique: if all of the clique is in N[x], it
    // is a component with that boundary, else it belongs to the component of the other nodes of the clique, all of which see
    // the same nodes of the clique. So searches stay in the region of x, and in those attached to cliques with x.
    Vector<Index> region_;               // of each vertex
    Vector<Vector<Index>> attached_to_;  // for each region the clique, ascending, that separates it from those before it
    Vector<Index> beyond_;               // x where the vertex lies in the clique to which the region of x is attached
    Vector<Seed> seeds_;
    Vector<Search> searches_;
    Index search_count_ = 0;
    Vector<Index> turns_;  // the searches that have not ended
    Vector<Waiting> pairs_;
    Vector<Index> boundary_;
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
