#include "graph/separator_search.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "graph/subgraph.hpp"

namespace dconvex {
namespace {

constexpr Index largest_cluster = 4096;
constexpr std::int64_t steps_per_node = 5'000;  // a search node that takes more steps counts for several
constexpr std::int64_t first_slice = 2048;      // search nodes for every x in the first round, eight times as many in the next

class SeparatorSearch {
public:
    SeparatorSearch(const Arcs& arcs, const Ragged& graph, bool is_minimal, const SearchLimit& limit, ConvexityWorkspace& work);

    SearchResult run();

private:
    // A node of the search.
    struct State {
        Flags near_side;  // X
        Flags separator;  // S
        Flags region;     // R
    };

    // What is left to do with a state: nothing (no parts), a branch for each of several parts of the region, or a branch on one
    // neighbour of X. One part and no neighbour: the state is a solution.
    struct Outlook {
        Index parts;
        Index branch;
    };

    // What every d-convex set that holds both nodes of a pair must hold; -1: the pair has not come up yet.
    struct Required {
        Offset first = -1;
        Index count = 0;
    };

    SearchStatus search_around(Index x, std::int64_t most_states);
    State& pushed(const State& state);
    void push_branches(const State& state, Index w);
    void push_parts(const State& state, Index parts);
    Outlook propagate(State& state);
    Index split_region(State& state);
    bool may_be_far_side(const State& state, Index seed, Index number, Index separator_size);
    bool touches(Index node, const Flags& flags) const;
    bool add_closed(const State& state, Flags& inside, Index node);
    const Required& required_by(Index u, Index v);
    bool both_sides_see(const State& state, const Flags& inside, Index count);
    template <class MayPass>
    Index count_met(const Flags& inside, Index number, MayPass may_pass);

    bool is_exhausted() const noexcept { return steps_left_ <= 0 || work_.walk.poll.counted() > last_count_; }

    // Steps count for the budget of the present search node.
    void spend(std::int64_t steps) {
        steps_taken_ += steps;
        work_.walk.poll(steps);
    }

    const Arcs arcs_;
    const Lists near_;
    const Index size_;
    const bool is_minimal_;
    const std::int64_t last_count_;
    std::int64_t steps_left_;
    std::int64_t steps_taken_ = 0;
    ConvexityWorkspace& work_;
    Vector<Index> by_degree_;
    Flags is_finished_;
    Vector<Required> pairs_;  // of u < v at v (v - 1) / 2 + u
    Vector<Index> pool_;      // what pairs require
    Vector<State> stack_;     // states beyond `waiting_` keep their memory for later
    std::size_t waiting_ = 0;
    State current_;

    Flags is_around_;  // the neighbours of X
    Flags trial_;
    Vector<Index> part_;  // for each node the number of its part of the region; -1: none yet, -2: one that is no far side
    Vector<Index> queue_;
    Vector<Index> members_;
};

SeparatorSearch::SeparatorSearch(const Arcs& arcs, const Ragged& graph, bool is_minimal, const SearchLimit& limit,
                                 ConvexityWorkspace& work)
    : arcs_(arcs),
      near_(graph),
      size_(graph.size()),
      is_minimal_(is_minimal),
      last_count_(limit.last_count),
      work_(work),
      by_degree_(size_),
      is_finished_(size_, 0),
      pairs_(static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_ - 1) / 2, Required{}),
      is_around_(size_, 0),
      trial_(size_, 0),
      part_(size_, -1),
      members_(size_) {
    constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max() / 2;
    steps_left_ = std::min(limit.effort.value_or(no_limit), no_limit / steps_per_node) * steps_per_node;
    queue_.reserve(size_);
    std::iota(by_degree_.begin(), by_degree_.end(), 0);
    std::stable_sort(by_degree_.begin(), by_degree_.end(),
                     [&](Index one, Index other) { return graph.length(one) < graph.length(other); });
    work_.fit(size_);
}

SearchResult SeparatorSearch::run() {
    Vector<Index> open = by_degree_;
    for (std::int64_t most_states = first_slice; !open.empty(); most_states *= 8) {
        for (const Index x : open) {
            const SearchStatus status = search_around(x, most_states);
            if (status == SearchStatus::irreducible) {
                is_finished_[x] = 1;
            } else if (status == SearchStatus::found) {
                SearchResult result{status, {}};
                for (Index node = 0; node < size_; ++node) {
                    if (current_.separator[node]) result.separator.push_back(node);
                }
                return result;
            } else if (is_exhausted()) {
                return {status, {}};
            }
        }
        std::erase_if(open, [&](Index x) { return is_finished_[x]; });
    }
    return {};
}

// Looks for a separator with x on the near side, depth first, over at most `most_states`. What is found is in `current_`.
SearchStatus SeparatorSearch::search_around(Index x, std::int64_t most_states) {
    current_.near_side.assign(size_, 0);
    current_.separator.assign(size_, 0);
    current_.region.assign(size_, 1);
    current_.near_side[x] = 1;
    if (!is_minimal_) {  // a separator that need not be minimal holds every finished node
        for (Index node = 0; node < size_; ++node) {
            if (is_finished_[node] && !add_closed(current_, current_.separator, node)) return SearchStatus::irreducible;
        }
    }
    waiting_ = 0;
    pushed(current_);
    for (; waiting_; --most_states) {
        if (most_states == 0 || is_exhausted()) return SearchStatus::undecided;
        std::swap(current_, stack_[--waiting_]);
        const auto [parts, branch] = propagate(current_);
        steps_left_ -= std::max(steps_taken_, steps_per_node);
        steps_taken_ = 0;
        if (parts == 1 && branch < 0) return SearchStatus::found;
        if (parts == 1) {
            push_branches(current_, branch);
        } else {
            push_parts(current_, parts);
        }
    }
    return SearchStatus::irreducible;
}

SeparatorSearch::State& SeparatorSearch::pushed(const State& state) {
    if (waiting_ == stack_.size()) stack_.emplace_back();
    work_.walk.poll(size_);
    return stack_[waiting_++] = state;
}

// The states in which w joins X and in which it goes into S, the latter on top.
void SeparatorSearch::push_branches(const State& state, Index w) {
    pushed(state).near_side[w] = 1;
    add_closed(state, pushed(state).separator, w);
}

void SeparatorSearch::push_parts(const State& state, Index parts) {
    for (Index number = 0; number < parts; ++number) {
        Flags& region = pushed(state).region;
        for (Index node = 0; node < size_; ++node) region[node] = part_[node] == number;
    }
}

// Does to the state all that is forced.
SeparatorSearch::Outlook SeparatorSearch::propagate(State& state) {
    while (true) {
        const Index parts = split_region(state);
        if (parts != 1) return {parts, -1};
        Index branch = -1;
        bool is_forced = false;
        for (Index w = 0; w < size_; ++w) {
            if (!is_around_[w] || state.separator[w]) continue;
            const bool may_join = !is_finished_[w];
            bool may_separate = !is_minimal_ || touches(w, state.region);
            if (may_separate) {
                trial_ = state.separator;
                work_.walk.poll(1 + size_ / 16);
                may_separate = add_closed(state, trial_, w);
            }
            if (may_join && may_separate) {
                if (branch < 0) branch = w;
            } else if (may_join) {
                state.near_side[w] = 1;
                is_forced = true;
            } else if (may_separate) {
                state.separator = trial_;
                is_forced = true;
            } else {
                return {0, -1};
            }
        }
        if (is_forced) continue;
        if (branch < 0 && is_minimal_) {
            for (Index node = 0; node < size_; ++node) {
                if (state.separator[node] && !is_around_[node]) return {0, -1};
            }
        }
        return {1, branch};
    }
}

// Takes X, its neighbours and S out of the region; how many of its parts may hold the far side. Where both sides must see all
// of the separator, a part may if it holds a node that is not finished and sees all of S.
Index SeparatorSearch::split_region(State& state) {
    spend(2 * size_);
    const std::uint8_t *const near_side = state.near_side.data(), *const separator = state.separator.data();
    std::uint8_t *const region = state.region.data(), *const is_around = is_around_.data();
    std::fill(is_around_.begin(), is_around_.end(), 0);
    for (Index node = 0; node < size_; ++node) {
        if (!near_side[node]) continue;
        for (const Index neighbour : near_[node]) is_around[neighbour] |= !near_side[neighbour];
    }
    Index separator_size = 0;
    bool is_empty = true;
    for (Index node = 0; node < size_; ++node) {
        separator_size += separator[node];
        region[node] &= !(near_side[node] | is_around[node] | separator[node]);
        is_empty &= !region[node];
    }
    if (!is_minimal_) return is_empty ? 0 : 1;
    std::fill(part_.begin(), part_.end(), -1);
    Index parts = 0;
    for (Index seed = 0; seed < size_; ++seed) {
        if (region[seed] && part_[seed] == -1) parts += may_be_far_side(state, seed, parts, separator_size);
    }
    if (parts == 1) {
        for (Index node = 0; node < size_; ++node) region[node] = part_[node] == 0;
    }
    return parts;
}

// Walks over the seed's part of the region and gives it this number, or -2 if it cannot be a far side.
bool SeparatorSearch::may_be_far_side(const State& state, Index seed, Index number, Index separator_size) {
    const std::uint8_t *const separator = state.separator.data(), *const region = state.region.data();
    Index* const part = part_.data();
    queue_.assign(1, seed);
    part[seed] = number;
    members_.clear();  // of S, next to the part
    bool is_open = false;
    for (std::size_t first = 0; first < queue_.size(); ++first) {
        is_open |= !is_finished_[queue_[first]];
        for (const Index neighbour : near_[queue_[first]]) {
            if (part[neighbour] == number) continue;
            if (region[neighbour]) {
                if (part[neighbour] != -1) continue;
                part[neighbour] = number;
                queue_.push_back(neighbour);
            } else if (separator[neighbour]) {
                part[neighbour] = number;
                members_.push_back(neighbour);
            }
        }
    }
    for (const Index node : members_) part[node] = -1;
    if (is_open && std::ssize(members_) == separator_size) return true;
    for (const Index node : queue_) part[node] = -2;
    return false;
}

bool SeparatorSearch::touches(Index node, const Flags& flags) const {
    const Indices neighbours = near_[node];
    return std::any_of(neighbours.begin(), neighbours.end(), [set = flags.data()](Index other) { return set[other]; });
}

// Adds a node and what its pairs require to a d-convex set; false when nothing can come of that. The set must not take in a
// node of X. A hull can grow far, so whether both sides could still see all of it is looked at each time it has grown by half.
bool SeparatorSearch::add_closed(const State& state, Flags& inside, Index node) {
    if (inside[node]) return true;
    if (state.near_side[node]) return false;
    work_.walk.poll(size_ / 4);
    members_.clear();
    for (Index member = 0; member < size_; ++member) {
        if (inside[member]) members_.push_back(member);
    }
    std::size_t done = members_.size();
    const std::size_t at_first = done + 1;
    std::size_t next_look = done + done / 2 + 2;
    inside[node] = 1;
    members_.push_back(node);
    for (; done < members_.size(); ++done) {  // members before `done` have been paired with all before them
        spend(static_cast<std::int64_t>(done));
        for (std::size_t other = 0; other < done; ++other) {
            const auto [first, count] = required_by(members_[done], members_[other]);
            spend(count);
            for (Offset entry = first; entry < first + count; ++entry) {
                const Index third = pool_[entry];
                if (inside[third]) continue;
                if (state.near_side[third]) return false;
                inside[third] = 1;
                members_.push_back(third);
            }
        }
        if (is_minimal_ && members_.size() >= next_look) {
            if (!both_sides_see(state, inside, static_cast<Index>(members_.size()))) return false;
            next_look = members_.size() + members_.size() / 2 + 1;
        }
    }
    if (!is_minimal_ || members_.size() == at_first) return true;
    return both_sides_see(state, inside, static_cast<Index>(members_.size()));
}

const SeparatorSearch::Required& SeparatorSearch::required_by(Index one, Index other) {
    const Index u = std::min(one, other), v = std::max(one, other);
    Required& required = pairs_[v * (v - 1) / 2 + u];  // no overflow: v < largest_cluster
    if (required.first >= 0) return required;
    required.first = std::ssize(pool_);
    if (are_adjacent(arcs_, u, v)) return required;
    WalkWorkspace& walk = work_.walk;
    const WalkWorkspace::Stamp stamp = walk.next_stamp();
    spend(8 * std::ssize(mark_ancestors(arcs_, walk, walk.ancestral, stamp, std::array{u, v})));
    append_separator_near(arcs_, work_, stamp, u, v, pool_);
    if (std::ssize(pool_) == required.first) return required;  // the two are not connected
    append_separator_near(arcs_, work_, stamp, v, u, pool_);
    required.count = static_cast<Index>(std::ssize(pool_) - required.first);
    return required;
}

// Whether all of `inside` is next to what X can still become, and to one part of what the far side can still be.
bool SeparatorSearch::both_sides_see(const State& state, const Flags& inside, Index count) {
    std::fill(part_.begin(), part_.end(), -1);
    queue_.clear();
    for (Index node = 0; node < size_; ++node) {
        if (!state.near_side[node]) continue;
        part_[node] = 0;
        queue_.push_back(node);
    }
    if (count_met(inside, 0, [&](Index node) { return !is_finished_[node]; }) < count) return false;
    for (Index seed = 0; seed < size_; ++seed) {
        if (!state.region[seed] || inside[seed] || part_[seed] > 0) continue;
        part_[seed] = seed + 1;
        queue_.assign(1, seed);
        if (count_met(inside, seed + 1, [&](Index node) { return state.region[node]; }) == count) return true;
    }
    return false;
}

// Walks on from the queue past the nodes that may be passed, and gives all this number; how many of `inside` are met.
template <class MayPass>
Index SeparatorSearch::count_met(const Flags& inside, Index number, MayPass may_pass) {
    const std::uint8_t* const flags = inside.data();
    Index* const part = part_.data();
    Index met = 0;
    for (std::size_t first = 0; first < queue_.size(); ++first) {
        for (const Index neighbour : near_[queue_[first]]) {
            if (part[neighbour] == number) continue;
            if (flags[neighbour]) {
                ++met;
            } else if (may_pass(neighbour)) {
                queue_.push_back(neighbour);
            } else {
                continue;
            }
            part[neighbour] = number;
        }
    }
    spend(4 * std::ssize(queue_));
    return met;
}

}  // namespace

SearchResult find_separator(const Arcs& arcs, const Ragged& graph, bool is_minimal, const SearchLimit& limit,
                            ConvexityWorkspace& work) {
    if (is_complete_graph(graph)) return {};
    const std::int64_t for_pairs = std::int64_t{graph.size()} * graph.size() / 4;
    if (graph.size() > largest_cluster || work.walk.poll.counted() > limit.last_count - for_pairs) {
        return {SearchStatus::undecided, {}};
    }
    work.walk.poll(for_pairs);
    return SeparatorSearch(arcs, graph, is_minimal, limit, work).run();
}

}  // namespace dconvex
