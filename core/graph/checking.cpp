#include "graph/checking.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>

#include "graph/convexity.hpp"
#include "graph/moral.hpp"
#include "graph/separator_search.hpp"
#include "graph/subgraph.hpp"
#include "graph/triangulation.hpp"

namespace dconvex {
namespace {

Part without(Indices part, Indices others) {
    Part left;
    std::set_difference(part.begin(), part.end(), others.begin(), others.end(), std::back_inserter(left));
    return left;
}

// Which clusters hold a set of variables: looked for among those of its rarest variable.
class Holders {
public:
    Holders(const Ragged& clusters, Index variables) : clusters_(clusters), holders_(clusters.reversed(variables)) {}

    // Whether some cluster but this one (-1: any) holds the whole set.
    bool is_held(Indices set, Index but = -1) {
        if (set.empty()) return clusters_.size() > (but >= 0);
        const Index rarest = *std::min_element(
            set.begin(), set.end(), [&](Index one, Index other) { return holders_.length(one) < holders_.length(other); });
        const Indices candidates = holders_[rarest];
        return std::any_of(candidates.begin(), candidates.end(), [&](Index cluster) {
            const Indices members = clusters_[cluster];
            poll_(4 * std::ssize(set));
            return cluster != but && members.size() >= set.size() && std::all_of(set.begin(), set.end(), [&](Index node) {
                       return std::binary_search(members.begin(), members.end(), node);
                   });
        });
    }

private:
    const Ragged& clusters_;
    const Ragged holders_;
    Poll poll_;
};

// For each set whether the same one has come before.
Flags find_repeated(const Ragged& sets, Poll& poll) {
    Vector<Index> order(static_cast<std::size_t>(sets.size()));
    std::iota(order.begin(), order.end(), 0);
    const auto are_equal = [&](Index one, Index other) { return std::ranges::equal(sets[one], sets[other]); };
    std::stable_sort(order.begin(), order.end(), [&](Index one, Index other) {
        poll();
        return std::ranges::lexicographical_compare(sets[one], sets[other]);
    });
    Flags is_repeated(order.size(), 0);
    for (std::size_t index = 1; index < order.size(); ++index) {
        is_repeated[order[index]] = are_equal(order[index - 1], order[index]);
    }
    return is_repeated;
}

// The moral graph of a DAG, its blocks, and what is asked of them for one set after another.
class Checker {
public:
    explicit Checker(const Graph& graph)
        : graph_(graph),
          moral_(moral_graph(graph, poll())),
          blocks_(find_blocks(moral_, poll())),
          blocks_at_(blocks_.reversed(graph.size())),
          everything_(static_cast<std::size_t>(graph.size())),
          numbers_(graph.size()) {
        std::iota(everything_.begin(), everything_.end(), 0);
        work_.fit(graph.size());
    }

    // The block that holds all of two or more nodes, or -1.
    Index block_of(Indices set) const;
    // The lowest of these numbers of sets, all in one block (or in none), that is not d-convex, or -1.
    Index find_inducing(const Ragged& sets, Indices numbers, Index block);
    bool is_minimal(Indices separator);
    bool is_reducible(Indices cluster, SeparatorKind kind);

    Poll& poll() noexcept { return work_.walk.poll; }

private:
    Indices surroundings(Index block) const { return block >= 0 ? blocks_[block] : Indices(everything_); }
    bool is_convex(Indices set);
    bool is_clique(Indices set);
    Ragged boundaries(Indices set);
    bool splits(Indices separator, Indices cluster, const Ragged& cliques);
    bool has_complete_separator(Indices cluster, const Ragged& graph);

    const Graph& graph_;
    ConvexityWorkspace work_;
    const Ragged moral_;
    const Ragged blocks_;
    const Ragged blocks_at_;
    Vector<Index> everything_;
    LocalNumbers numbers_;
};

Index Checker::block_of(Indices set) const {
    const Index rarest = *std::min_element(
        set.begin(), set.end(), [&](Index one, Index other) { return blocks_at_.length(one) < blocks_at_.length(other); });
    for (const Index block : blocks_at_[rarest]) {
        const Indices nodes = blocks_[block];
        const auto is_member = [&](Index node) { return std::binary_search(nodes.begin(), nodes.end(), node); };
        if (std::all_of(set.begin(), set.end(), is_member)) return block;
    }
    return -1;
}

Index Checker::find_inducing(const Ragged& sets, Indices numbers, Index block) {
    const Indices nodes = surroundings(block);
    std::optional<InducedDag> own;
    if (block >= 0) own.emplace(graph_, nodes, numbers_, poll());
    const Arcs arcs = own ? own->arcs() : arcs_of(graph_);
    const LocalNumbers::Scope number(numbers_, nodes);
    Part local;
    for (const Index set : numbers) {
        local.clear();
        for (const Index node : sets[set]) local.push_back(number[node]);
        if (!dconvex::is_convex(arcs, work_, local)) return set;
    }
    return -1;
}

bool Checker::is_convex(Indices set) {
    if (is_complete(arcs_of(graph_), work_.walk, set)) return true;
    Ragged sets;
    sets.append(set);
    const Index only = 0;
    return find_inducing(sets, {&only, 1}, block_of(set)) < 0;
}

// Whether the nodes are pairwise adjacent in the moral graph.
bool Checker::is_clique(Indices set) {
    for (const Index node : set) {
        const Indices near = moral_[node];
        if (near.size() + 1 < set.size()) return false;
        poll()(8 * std::ssize(set));
        const auto is_next = [&](Index other) { return other == node || std::binary_search(near.begin(), near.end(), other); };
        if (!std::all_of(set.begin(), set.end(), is_next)) return false;
    }
    return true;
}

// For each component of the surroundings of a set without it the nodes of the set next to it, ascending.
Ragged Checker::boundaries(Indices set) {
    const Part outside = without(surroundings(block_of(set)), set);
    const Vector<Index> label = component_labels(induced_graph(moral_, outside, numbers_, poll()), poll());
    const LocalNumbers::Scope number(numbers_, outside);
    Vector<Index> last_seen_by(label.size(), -1);
    Vector<Index> components, nodes;
    for (const Index node : set) {
        poll()(1 + moral_.length(node));
        for (const Index neighbour : moral_[node]) {
            if (number[neighbour] < 0) continue;
            const Index component = label[number[neighbour]];
            if (last_seen_by[component] == node) continue;
            last_seen_by[component] = node;
            components.push_back(component);
            nodes.push_back(node);
        }
    }
    const Ragged by_label = Ragged::from_pairs(components, nodes, static_cast<Index>(label.size()));
    Ragged found;
    for (Index component = 0; component < by_label.size(); ++component) {
        if (label[component] == component) found.append(by_label[component]);
    }
    return found;
}

bool Checker::is_minimal(Indices separator) {
    if (separator.empty()) return !is_connected(moral_, poll());
    if (separator.size() == 1) return blocks_at_.length(separator.front()) > 1;
    if (block_of(separator) < 0) return false;
    const Ragged seen = boundaries(separator);
    Index full = 0;
    for (Index component = 0; component < seen.size(); ++component) full += seen[component].size() == separator.size();
    return full > 1;
}

bool Checker::splits(Indices separator, Indices cluster, const Ragged& cliques) {
    return !is_connected(torso(moral_, without(cluster, separator), cliques, numbers_, poll()), poll());
}

// Every minimal separator that is a clique is one of the separators of a minimal triangulation's clique tree.
bool Checker::has_complete_separator(Indices cluster, const Ragged& graph) {
    const std::optional<Ragged> chordal = triangulate(graph, std::numeric_limits<std::int64_t>::max(), poll());
    const CliqueTree tree = find_clique_tree(*chordal, poll());
    Part separator;
    for (Index clique = 1; clique < tree.cliques.size(); ++clique) {  // where it hangs on none, the empty set separates
        separator.clear();
        for (const Index node : tree.separator(clique)) separator.push_back(cluster[node]);
        if (is_complete(arcs_of(graph_), work_.walk, separator)) return true;
    }
    return false;
}

// The graph of the cluster, in which nodes are joined, too, if a path outside the cluster joins them, is searched first. Then
// those separators are tried that only the rest of the DAG makes minimal ("satellite"): one of the components that see all of
// such a separator lies outside the cluster, so the separator is its boundary.
bool Checker::is_reducible(Indices cluster, SeparatorKind kind) {
    if (kind == SeparatorKind::all || is_clique(cluster) || !is_convex(cluster)) return false;
    const Ragged outer = boundaries(cluster);
    const Ragged graph = torso(moral_, cluster, outer, numbers_, poll());
    if (kind == SeparatorKind::complete) return has_complete_separator(cluster, graph);
    const InducedDag dag(graph_, cluster, numbers_, poll());
    const SearchResult result = find_separator(dag.arcs(), graph, kind == SeparatorKind::minimal, SearchLimit{}, work_);
    const bool is_found = result.status == SearchStatus::found;
    if (is_found || kind == SeparatorKind::any) return is_found;
    for (Index component = 0; component < outer.size(); ++component) {
        const Indices boundary = outer[component];
        if (splits(boundary, cluster, outer) && is_minimal(boundary) && is_convex(boundary)) return true;
    }
    return false;
}

}  // namespace

Index find_uncovered_family(const Graph& graph, const Ragged& clusters) {
    Holders holders(clusters, graph.size());
    Part family;
    for (Index node = 0; node < graph.size(); ++node) {
        const Indices parents = graph.parents()[node];
        family.assign(parents.begin(), parents.end());
        family.push_back(node);
        if (!holders.is_held(family)) return node;
    }
    return -1;
}

Index find_nested_cluster(const Ragged& clusters, Index variables) {
    Holders holders(clusters, variables);
    for (Index cluster = 0; cluster < clusters.size(); ++cluster) {
        if (holders.is_held(clusters[cluster], cluster)) return cluster;
    }
    return -1;
}

// Every occurrence of a variable in a cluster is a vertex, joined to that in the next cluster: one component for each variable.
Index find_scattered_variable(const Ragged& clusters, Indices ends, Index variables) {
    Poll poll;
    Vector<Index> one_side, other_side;
    const auto entry = [&](Index cluster, Indices::iterator member) {
        return static_cast<Index>(clusters.offsets()[cluster] + (member - clusters[cluster].begin()));
    };
    for (std::size_t end = 0; end < ends.size(); end += 2) {
        const Index one = ends[end], other = ends[end + 1];
        const Indices a = clusters[one], b = clusters[other];
        poll(std::ssize(a) + std::ssize(b));
        for (auto left = a.begin(), right = b.begin(); left != a.end() && right != b.end();) {
            if (*left == *right) {
                one_side.insert(one_side.end(), {entry(one, left), entry(other, right)});
                other_side.insert(other_side.end(), {entry(other, right), entry(one, left)});
            }
            const bool left_is_behind = *left <= *right, right_is_behind = *right <= *left;
            left += left_is_behind;
            right += right_is_behind;
        }
    }
    const auto entries = static_cast<Index>(clusters.values().size());
    const Vector<Index> label = component_labels(Ragged::from_pairs(one_side, other_side, entries), poll);
    Vector<Index> label_of(static_cast<std::size_t>(variables), -1);
    Index first = variables;
    for (Index occurrence = 0; occurrence < entries; ++occurrence) {
        const Index variable = clusters.values()[occurrence];
        if (label_of[variable] < 0) label_of[variable] = label[occurrence];
        if (label_of[variable] != label[occurrence]) first = std::min(first, variable);
    }
    return first < variables ? first : -1;
}

Index find_wrong_separator(const Ragged& clusters, Indices ends, const Ragged& separators) {
    Poll poll;
    Part shared;
    for (Index edge = 0; edge < separators.size(); ++edge) {
        const Indices one = clusters[ends[2 * edge]], other = clusters[ends[2 * edge + 1]];
        poll(std::ssize(one) + std::ssize(other));
        shared.clear();
        std::ranges::set_intersection(one, other, std::back_inserter(shared));
        if (!std::ranges::equal(shared, separators[edge])) return edge;
    }
    return -1;
}

Index find_incomplete_set(const Graph& graph, const Ragged& sets) {
    const Arcs arcs = arcs_of(graph);
    WalkWorkspace work;
    work.fit(graph.size());
    for (Index set = 0; set < sets.size(); ++set) {
        work.poll();
        if (!is_complete(arcs, work, sets[set])) return set;
    }
    return -1;
}

Index find_inducing_set(const Graph& graph, const Ragged& sets) {
    const Arcs arcs = arcs_of(graph);
    WalkWorkspace work;
    work.fit(graph.size());
    Vector<Index> incomplete;
    for (Index set = 0; set < sets.size(); ++set) {
        work.poll();
        if (!is_complete(arcs, work, sets[set])) incomplete.push_back(set);
    }
    if (incomplete.empty()) return -1;
    // the sets of one block are looked at together; those that no block holds come under number 0
    Checker checker(graph);
    Vector<Index> groups;
    Index last = 0;
    for (const Index set : incomplete) {
        checker.poll()(8 * sets.length(set));
        groups.push_back(checker.block_of(sets[set]) + 1);
        last = std::max(last, groups.back());
    }
    const Ragged by_block = Ragged::from_pairs(groups, incomplete, last + 1);
    Index first = -1;
    for (Index group = 0; group <= last; ++group) {
        Indices numbers = by_block[group];
        if (first >= 0) numbers = {numbers.begin(), std::lower_bound(numbers.begin(), numbers.end(), first)};
        if (numbers.empty()) continue;
        const Index found = checker.find_inducing(sets, numbers, group - 1);
        if (found >= 0) first = found;
    }
    return first;
}

Index find_nonminimal_separator(const Graph& graph, const Ragged& sets) {
    if (sets.size() == 0) return -1;
    Checker checker(graph);
    const Flags is_repeated = find_repeated(sets, checker.poll());
    for (Index set = 0; set < sets.size(); ++set) {
        if (!is_repeated[set] && !checker.is_minimal(sets[set])) return set;
    }
    return -1;
}

Index find_reducible_cluster(const Graph& graph, const Ragged& clusters, SeparatorKind kind) {
    if (clusters.size() == 0 || kind == SeparatorKind::all) return -1;
    Checker checker(graph);
    const Flags is_repeated = find_repeated(clusters, checker.poll());
    for (Index cluster = 0; cluster < clusters.size(); ++cluster) {
        if (!is_repeated[cluster] && checker.is_reducible(clusters[cluster], kind)) return cluster;
    }
    return -1;
}

}  // namespace dconvex
