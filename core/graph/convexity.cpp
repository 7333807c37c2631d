#include "graph/convexity.hpp"

#include <algorithm>
#include <array>

namespace dconvex {

using Stamp = WalkWorkspace::Stamp;

namespace {

constexpr int steps_upwards = 32;

// Non-adjacent members of a set that an inducing path over it joins; no such path goes below the rank.
struct InducingPair {
    Index u;
    Index v;
    Index lowest_rank;
};

void set_flags(Flags& inside, Indices nodes, std::uint8_t flag) {
    for (const Index node : nodes) inside[node] = flag;
}

// Whether an inducing path over the set joins its non-adjacent members u and v. The steps of the walk stay in the workspace.
// Nodes that rank below `lowest_rank` are known not to matter.
bool are_joined(const Arcs& arcs, ConvexityWorkspace& work, Index u, Index v, Index lowest_rank) {
    WalkWorkspace& walk = work.walk;
    const Stamp stamp = walk.next_stamp();
    mark_ancestors(arcs, walk, walk.ancestral, stamp, std::array{u, v}, lowest_rank);
    return walk_moral_graph(arcs, walk, walk.ancestral, stamp, u, v, work.inside).reached_target;
}

// Whether u and v descend from a common node through nodes outside the set, as far as a few steps upwards can tell. Such a
// node, or one of the two being an ancestor of the other, makes an inducing path. The walk goes up from both at once, highest
// rank first, so that a node is met from both sides before it is left.
bool have_common_ancestor_nearby(const Arcs& arcs, ConvexityWorkspace& work, Index u, Index v) {
    Vector<Stamp>& side = work.walk.ancestral;
    const Stamp from_u = work.walk.next_stamp(), from_v = work.walk.next_stamp(), from_both = work.walk.next_stamp();
    side[u] = from_u;
    side[v] = from_v;
    auto& heap = work.heap;
    heap.clear();
    const auto push = [&](Index node) {
        heap.push_back({arcs.rank[node], node});
        std::push_heap(heap.begin(), heap.end());
    };
    push(u);
    push(v);
    for (int step = 0; step < steps_upwards && !heap.empty(); ++step) {
        const Index node = heap.front().node;
        std::pop_heap(heap.begin(), heap.end());
        heap.pop_back();
        const Indices parents = arcs.parents[node];
        work.walk.poll(1 + std::ssize(parents));
        for (const Index parent : parents) {
            const Stamp met = side[parent];
            if (met == side[node] || met == from_both) continue;
            if (met == from_u || met == from_v) {
                if (!work.inside[parent] || parent == u || parent == v) return true;
                side[parent] = from_both;
            } else {
                side[parent] = side[node];
                if (!work.inside[parent]) push(parent);
            }
        }
    }
    return false;
}

// Looking whether two nodes are adjacent takes this much work.
void poll_for_pair(const Arcs& arcs, ConvexityWorkspace& work, Index u, Index v) {
    work.walk.poll(1 + std::ssize(arcs.parents[u]) + std::ssize(arcs.parents[v]));
}

// Whether a short look upwards already finds an inducing path; most separators that are not d-convex show it there.
bool are_some_related(const Arcs& arcs, ConvexityWorkspace& work, Indices nodes) {
    for (std::size_t one = 0; one < nodes.size(); ++one) {
        for (std::size_t other = 0; other < one; ++other) {
            const Index u = nodes[one], v = nodes[other];
            poll_for_pair(arcs, work, u, v);
            if (!are_adjacent(arcs, u, v) && have_common_ancestor_nearby(arcs, work, u, v)) return true;
        }
    }
    return false;
}

// The first pair of an ascending boundary that is joined, appended to the pairs.
bool append_joined_pair(const Arcs& arcs, ConvexityWorkspace& work, const Vector<Index>& boundary, Index lowest_rank,
                        Vector<InducingPair>& pairs) {
    for (std::size_t one = 0; one < boundary.size(); ++one) {
        for (std::size_t other = one + 1; other < boundary.size(); ++other) {
            const Index u = boundary[one], v = boundary[other];
            poll_for_pair(arcs, work, u, v);
            if (are_adjacent(arcs, u, v) || !are_joined(arcs, work, u, v, lowest_rank)) continue;
            pairs.push_back({u, v, lowest_rank});
            return true;
        }
    }
    return false;
}

// Pairs of members joined by an inducing path over the set: for each component of the moral graph of An(set) without the set
// the first pair of its boundary, or only the first of these.
Vector<InducingPair> find_inducing_pairs(const Arcs& arcs, ConvexityWorkspace& work, Indices members, bool first_only) {
    WalkWorkspace& walk = work.walk;
    const Stamp stamp = walk.next_stamp(), swept = walk.next_stamp();
    const Indices marked = mark_ancestors(arcs, walk, walk.region, stamp, members);
    const Vector<Index> ancestors(marked.begin(), marked.end());
    Vector<InducingPair> pairs;
    Vector<Index> boundary;
    for (const Index start : ancestors) {
        if (work.inside[start] || walk.swept[start] == swept) continue;
        boundary.clear();
        Index lowest_rank = arcs.rank[start];
        for (const Index node : walk_moral_graph(arcs, walk, walk.region, stamp, start, -1, work.inside).nodes) {
            if (work.inside[node]) {
                boundary.push_back(node);
            } else {
                walk.swept[node] = swept;
                lowest_rank = std::min(lowest_rank, arcs.rank[node]);
            }
        }
        std::sort(boundary.begin(), boundary.end());
        if (append_joined_pair(arcs, work, boundary, lowest_rank, pairs) && first_only) break;
    }
    return pairs;
}

// The walk to v that is left in the workspace, back to its source, with the common child put between two married parents. It
// is a shortest one in a moral graph, so no node comes twice: a node next to two of its steps would shorten it.
Vector<Index> steps_back_from(const WalkWorkspace& walk, Index v) {
    Vector<Index> steps(1, v);
    for (Index node = v; walk.came_from[node] >= 0; node = walk.came_from[node]) {
        if (walk.through[node] >= 0) steps.push_back(walk.through[node]);
        steps.push_back(walk.came_from[node]);
    }
    return steps;
}

// Appends the nodes outside the set that lie on every way from u to v outside the set. They lie on any one way. Walking along
// it, and from each of its nodes over all that can be reached without stepping on the way again, a node that nothing before it
// leads past is one of them.
void append_single_separators(const Arcs& arcs, ConvexityWorkspace& work, Stamp stamp, Index u, Index v, Vector<Index>& into) {
    WalkWorkspace& walk = work.walk;
    if (!walk_moral_graph(arcs, walk, walk.ancestral, stamp, u, v, work.inside).reached_target) return;  // cut already
    Vector<Index> way(1, v);
    while (way.back() != u) way.push_back(walk.came_from[way.back()]);
    std::reverse(way.begin(), way.end());
    for (std::size_t step = 0; step < way.size(); ++step) {
        walk.through[way[step]] = static_cast<Index>(step);
        work.inside[way[step]] += 2;
    }
    const Stamp visited = walk.next_stamp();
    Index furthest = 0;
    Vector<Index> stack;
    for (std::size_t step = 0; step + 1 < way.size(); ++step) {
        if (step && furthest == static_cast<Index>(step)) into.push_back(way[step]);
        stack.push_back(way[step]);
        while (!stack.empty()) {
            const Index from = stack.back();
            stack.pop_back();
            for (const Index node : list_moral_neighbours(arcs, walk, stamp, from)) {
                if (work.inside[node] >= 2) {
                    furthest = std::max(furthest, walk.through[node]);
                } else if (!work.inside[node] && walk.expanded[node] != visited) {
                    walk.expanded[node] = visited;
                    stack.push_back(node);
                }
            }
        }
    }
    for (const Index node : way) work.inside[node] -= 2;
}

// Adds to the set that `inside` flags what its hull adds. For a pair joined by an inducing path every d-convex superset holds
// the two minimal separators closest to either end, and every vertex that alone separates the pair. Of these the ones in the
// component through which the path goes are added; the single vertices cut a long component into short ones.
void close(const Arcs& arcs, ConvexityWorkspace& work, Vector<Index>& members) {
    Vector<Index> required;
    while (true) {
        const Vector<InducingPair> pairs = find_inducing_pairs(arcs, work, members, false);
        if (pairs.empty()) return;
        for (const auto& [u, v, lowest_rank] : pairs) {
            const Stamp stamp = work.walk.next_stamp();
            mark_ancestors(arcs, work.walk, work.walk.ancestral, stamp, std::array{u, v}, lowest_rank);
            required.clear();
            append_separator_near(arcs, work, stamp, u, v, required);
            append_separator_near(arcs, work, stamp, v, u, required);
            append_single_separators(arcs, work, stamp, u, v, required);
            for (const Index node : required) {
                if (!work.inside[node]) members.push_back(node);
                work.inside[node] = 1;
            }
        }
    }
}

}  // namespace

bool is_complete(const Arcs& arcs, WalkWorkspace& work, Indices nodes) {
    const auto size = std::ssize(nodes);
    Offset missing = size * (size - 1) / 2;  // arcs not met yet
    if (missing == 0) return true;
    const Stamp members = work.next_stamp();
    Offset most = 0;
    for (const Index node : nodes) {
        work.seen[node] = members;
        most += std::ssize(arcs.parents[node]);
    }
    if (most < missing) return false;
    work.poll(most);
    for (const Index node : nodes) {
        for (const Index parent : arcs.parents[node]) missing -= work.seen[parent] == members;
    }
    return missing == 0;
}

bool is_convex(const Arcs& arcs, ConvexityWorkspace& work, Indices nodes) {
    set_flags(work.inside, nodes, 1);
    const bool is_joined = are_some_related(arcs, work, nodes) || !find_inducing_pairs(arcs, work, nodes, true).empty();
    set_flags(work.inside, nodes, 0);
    return !is_joined;
}

Vector<Index> find_inducing_path(const Graph& graph, Indices nodes) {
    const Arcs arcs = arcs_of(graph);
    ConvexityWorkspace work;
    work.fit(graph.size());
    set_flags(work.inside, nodes, 1);
    const Vector<InducingPair> pairs = find_inducing_pairs(arcs, work, nodes, true);
    if (pairs.empty()) return {};
    are_joined(arcs, work, pairs[0].u, pairs[0].v, 0);
    Vector<Index> path = steps_back_from(work.walk, pairs[0].v);
    std::reverse(path.begin(), path.end());
    return path;
}

Vector<Index> convex_hull(const Graph& graph, Indices nodes) {
    ConvexityWorkspace work;
    work.fit(graph.size());
    set_flags(work.inside, nodes, 1);
    Vector<Index> members(nodes.begin(), nodes.end());
    close(arcs_of(graph), work, members);
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    return members;
}

void append_separator_near(const Arcs& arcs, ConvexityWorkspace& work, Stamp stamp, Index near, Index far,
                           Vector<Index>& into) {
    const Indices listed = list_moral_neighbours(arcs, work.walk, stamp, near);
    const Vector<Index> neighbours(listed.begin(), listed.end());
    Index gates = 0;
    for (const Index node : neighbours) {
        if (work.inside[node]) continue;
        work.inside[node] = gate;
        ++gates;
    }
    for (const Index node : walk_moral_graph(arcs, work.walk, work.walk.ancestral, stamp, far, -1, work.inside, gates).nodes) {
        if (work.inside[node] == gate) into.push_back(node);
    }
    for (const Index node : neighbours) {
        if (work.inside[node] == gate) work.inside[node] = 0;
    }
}

}  // namespace dconvex
