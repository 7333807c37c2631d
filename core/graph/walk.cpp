#include "graph/walk.hpp"

#include <algorithm>

namespace dconvex {

using Stamp = WalkWorkspace::Stamp;

Arcs arcs_of(const Graph& graph) noexcept { return {graph.parents(), graph.children(), graph.rank().data(), graph.size()}; }

bool are_adjacent(const Arcs& arcs, Index u, Index v) noexcept {
    const Indices above_u = arcs.parents[u], above_v = arcs.parents[v];
    return std::find(above_u.begin(), above_u.end(), v) != above_u.end() ||
           std::find(above_v.begin(), above_v.end(), u) != above_v.end();
}

void WalkWorkspace::fit(Index size) {
    if (queue.size() >= static_cast<std::size_t>(size)) return;
    for (Vector<Stamp>* marks : {&ancestral, &region, &swept, &seen, &expanded}) marks->resize(size, 0);
    for (Vector<Index>* numbers : {&came_from, &through, &queue}) numbers->resize(size);
}

Indices mark_ancestors(const Arcs& arcs, WalkWorkspace& work, Vector<Stamp>& mark, Stamp stamp, Indices sources,
                       Index lowest_rank) {
    Stamp* const marks = mark.data();
    Index* const queue = work.queue.data();
    std::size_t last = 0;
    const auto reach = [&](Index node) {
        marks[node] = stamp;
        queue[last++] = node;
    };
    for (const Index source : sources) {
        if (marks[source] != stamp) reach(source);
    }
    for (std::size_t first = 0; first < last; ++first) {
        const Indices parents = arcs.parents[queue[first]];
        work.poll(1 + std::ssize(parents));
        for (const Index parent : parents) {
            if (marks[parent] != stamp && arcs.rank[parent] >= lowest_rank) reach(parent);
        }
    }
    return {queue, last};
}

MoralWalk walk_moral_graph(const Arcs& arcs, WalkWorkspace& work, const Vector<Stamp>& region, Stamp stamp, Index source,
                           Index target, const Flags& inside, Index most_gates) {
    const Stamp walk = work.next_stamp();
    const Stamp* const regions = region.data();
    const std::uint8_t* const flags = inside.data();
    Stamp *const seen = work.seen.data(), *const expanded = work.expanded.data();
    Index *const came_from = work.came_from.data(), *const through = work.through.data(), *const queue = work.queue.data();
    std::size_t last = 0;
    Index gates = 0;
    const auto reach = [&](Index node, Index origin, Index child) {
        if (seen[node] == walk || regions[node] != stamp) return;
        seen[node] = walk;
        gates += flags[node] == gate;
        came_from[node] = origin;
        through[node] = child;
        queue[last++] = node;
    };
    reach(source, -1, -1);
    for (std::size_t first = 0; first < last; ++first) {
        const Index node = queue[first];
        if (flags[node] && node != source) continue;
        const Indices parents = arcs.parents[node], children = arcs.children[node];
        work.poll(1 + std::ssize(parents) + std::ssize(children));
        for (const Index parent : parents) reach(parent, node, -1);
        for (const Index child : children) {
            if (regions[child] != stamp || expanded[child] == walk) continue;
            expanded[child] = walk;
            reach(child, node, -1);
            const Indices others = arcs.parents[child];
            work.poll(std::ssize(others));
            for (const Index other : others) reach(other, node, child);
        }
        if (target >= 0 && seen[target] == walk) return {true, {queue, last}};
        if (gates >= most_gates) break;
    }
    return {false, {queue, last}};
}

Indices list_moral_neighbours(const Arcs& arcs, WalkWorkspace& work, Stamp stamp, Index node) {
    const Stamp walk = work.next_stamp();
    const Stamp* const ancestral = work.ancestral.data();
    Stamp* const seen = work.seen.data();
    Index* const queue = work.queue.data();
    std::size_t count = 0;
    const auto reach = [&](Index neighbour) {
        if (seen[neighbour] == walk) return;
        seen[neighbour] = walk;
        queue[count++] = neighbour;
    };
    seen[node] = walk;
    const Indices parents = arcs.parents[node], children = arcs.children[node];
    work.poll(1 + std::ssize(parents) + std::ssize(children));
    for (const Index parent : parents) reach(parent);
    for (const Index child : children) {
        if (ancestral[child] != stamp) continue;
        reach(child);
        const Indices others = arcs.parents[child];
        work.poll(std::ssize(others));
        for (const Index other : others) reach(other);
    }
    return {queue, count};
}

// Bayes ball: each node is entered at most once from its children and once from its parents. A ball that comes down from a
// parent passes on to the children if the node is not given, and bounces back to the parents if the node or one of its
// descendants is given; a ball that comes up from a child passes on to parents and children if the node is not given.
Flags find_d_connected(const Graph& graph, Indices sources, Indices given) {
    struct Ball {
        Index node;
        bool came_down;
    };
    const Arcs arcs = arcs_of(graph);
    const auto size = static_cast<std::size_t>(graph.size());
    Flags is_given(size, 0), entered_from_child(size, 0), entered_from_parent(size, 0), connected(size, 0);
    for (const Index node : given) is_given[node] = 1;
    WalkWorkspace work;
    work.fit(graph.size());
    const Stamp opened = work.next_stamp();  // colliders that pass the ball on: the given nodes and their ancestors
    mark_ancestors(arcs, work, work.ancestral, opened, given);

    Vector<Ball> stack;
    const auto enter = [&](Index node, bool comes_down) {
        std::uint8_t& is_entered = comes_down ? entered_from_parent[node] : entered_from_child[node];
        if (is_entered) return;
        is_entered = 1;
        stack.push_back({node, comes_down});
    };
    for (const Index source : sources) {
        if (!is_given[source]) enter(source, false);
    }
    while (!stack.empty()) {
        const auto [node, came_down] = stack.back();
        stack.pop_back();
        const Indices parents = arcs.parents[node], children = arcs.children[node];
        work.poll(1 + std::ssize(parents) + std::ssize(children));
        if (came_down ? work.ancestral[node] == opened : !is_given[node]) {
            for (const Index parent : parents) enter(parent, false);
        }
        if (is_given[node]) continue;
        connected[node] = 1;
        for (const Index child : children) enter(child, true);
    }
    return connected;
}

Vector<Index> find_reachable(const Ragged& lists, Indices sources) {
    const Lists next(lists);
    Flags is_reached(static_cast<std::size_t>(lists.size()), 0);
    Vector<Index> reached;
    const auto reach = [&](Index node) {
        if (is_reached[node]) return;
        is_reached[node] = 1;
        reached.push_back(node);
    };
    for (const Index source : sources) reach(source);
    Poll poll;
    for (std::size_t done = 0; done < reached.size(); ++done) {
        const Indices ahead = next[reached[done]];
        poll(1 + std::ssize(ahead));
        for (const Index node : ahead) reach(node);
    }
    std::sort(reached.begin(), reached.end());
    return reached;
}

}  // namespace dconvex
