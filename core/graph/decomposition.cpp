#include "graph/decomposition.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "common/parallel.hpp"
#include "graph/convexity.hpp"
#include "graph/moral.hpp"
#include "graph/projection.hpp"
#include "graph/refinement.hpp"
#include "graph/separator_search.hpp"
#include "graph/subgraph.hpp"
#include "graph/triangulation.hpp"

namespace dconvex {
namespace {

// A block whose triangulation would walk over more vertices is one cluster, undecided; that is a minute or so.
constexpr std::int64_t most_steps = 4'000'000'000;

// Separators are tested by walks where these are short, or where the cliques are so large that projections touch more words.
constexpr std::int64_t few_steps = 2'000;
constexpr std::int64_t few_words = 50'000'000;

// Once the searches have counted this much, a few milliseconds, the others are spread over threads.
constexpr std::int64_t enough_for_threads = 2'000'000;

// What a bounded refinement may count in any case; a few tenths of a millisecond.
constexpr std::int64_t least_refinement = 50'000;

// The trees of all blocks: first all clusters and edges of one block, then those of the next.
struct BlockTrees {
    Ragged clusters;
    Vector<Index> block;  // of each cluster
    Vector<TreeEdge> edges;
    Ragged separators;
    Vector<Index> undecided;

    Index size() const noexcept { return clusters.size(); }

    void add_cluster(Indices members, Index of_block) {
        clusters.append(members);
        block.push_back(of_block);
    }
    void add_edge(TreeEdge edge, Indices separator) {
        edges.push_back(edge);
        separators.append(separator);
    }
};

// What a search works with: a thread has its own.
struct SearchWorkspace {
    explicit SearchWorkspace(Index size) : numbers(size) {}

    ConvexityWorkspace convexity;
    LocalNumbers numbers;

    Poll& poll() noexcept { return convexity.walk.poll; }
};

class Decomposer {
public:
    Decomposer(const Graph& graph, SeparatorKind kind, int threads)
        : graph_(graph),
          kind_(kind),
          threads_(threads),
          own_(graph.size()),
          moral_(moral_graph(graph, poll())),
          blocks_(find_blocks(moral_, poll())) {}

    Decomposition run(Refinement refinement, std::optional<std::int64_t> effort) {
        for (Index block = 0; block < blocks_.size(); ++block) add_block(block);
        limit_.effort = effort;
        if (refinement == Refinement::bounded) {
            limit_.last_count = 2 * poll().counted() + least_refinement;
            threads_ = 1;  // what is left to do depends on what was counted
        }
        long_count_ = poll().counted() + enough_for_threads;
        const bool is_refined = refinement != Refinement::none;
        if (is_refined && kind_ != SeparatorKind::all) refine_blocks();
        join_blocks();
        join_components();
        return in_canonical_order(is_refined);
    }

private:
    Poll& poll() noexcept { return own_.poll(); }

    void add_block(Index block);
    Vector<Index> merge_cliques(const CliqueTree& tree, Indices nodes);
    Flags find_kept(const CliqueTree& tree, const Arcs& arcs);
    void add_merged(const CliqueTree& tree, const Vector<Index>& group, Index block);

    void refine_blocks();
    Vector<Index> clusters_to_refine() const;
    bool is_exhausted(SearchWorkspace& work) const noexcept { return work.poll().counted() > limit_.last_count; }
    template <class Work>
    void spread(std::int64_t items, Work work);
    SearchResult search(Indices members, const Ragged& cliques, SearchWorkspace& work) const;
    bool is_split_by_tree(Index cluster, const Ragged& edges_at, SearchWorkspace& work) const;
    void replace_blocks(const Flags& is_touched, Vector<SearchResult>& results);
    void add_refined(Indices old_clusters, Indices old_edges, Vector<SearchResult>& results, BlockTrees& into);

    void join_blocks();
    void join_components();
    Decomposition in_canonical_order(bool is_refined);

    Ragged edges_at_clusters() const;
    Ragged separators_at(Index cluster, const Ragged& edges_at) const;

    const Graph& graph_;
    const SeparatorKind kind_;
    int threads_;
    SearchWorkspace own_;
    Vector<std::unique_ptr<SearchWorkspace>> others_;  // of further threads
    const Ragged moral_;
    const Ragged blocks_;
    BlockTrees trees_;
    SearchLimit limit_;
    std::int64_t long_count_ = 0;  // where this much was counted, threads are worth it
};

// --- Algorithm 2

// Complete blocks, and those too large to triangulate, are clusters as they are.
void Decomposer::add_block(Index block) {
    const Indices nodes = blocks_[block];
    poll()(1 + std::ssize(nodes));
    if (nodes.size() <= 3) return trees_.add_cluster(nodes, block);  // without a cut vertex they are complete
    const Ragged local = induced_graph(moral_, nodes, own_.numbers, poll());
    if (is_complete_graph(local)) return trees_.add_cluster(nodes, block);
    const std::optional<Ragged> chordal = triangulate(local, most_steps, poll());
    if (!chordal) return trees_.add_cluster(nodes, block);
    const CliqueTree tree = find_clique_tree(*chordal, poll());
    add_merged(tree, merge_cliques(tree, nodes), block);
}

// For each clique the number of its cluster: cliques are merged across the separators that are not kept.
Vector<Index> Decomposer::merge_cliques(const CliqueTree& tree, Indices nodes) {
    const InducedDag dag(graph_, nodes, own_.numbers, poll());
    const Arcs arcs = dag.arcs();
    own_.convexity.fit(arcs.size);
    const Flags is_kept = find_kept(tree, arcs);
    Vector<Index> group(tree.above.size());
    Index count = 0;
    for (Index clique = 0; clique < tree.cliques.size(); ++clique) {  // the one above comes before it
        const Index above = tree.above[clique];
        group[clique] = above < 0 || is_kept[clique] ? count++ : group[above];
    }
    return group;
}

// For each clique whether its separator is kept.
Flags Decomposer::find_kept(const CliqueTree& tree, const Arcs& arcs) {
    Flags is_kept(tree.above.size(), 1);
    if (kind_ == SeparatorKind::all) return is_kept;
    Flags is_asked(tree.above.size(), 0);
    for (Index clique = 0; clique < tree.cliques.size(); ++clique) {
        is_kept[clique] = tree.above[clique] < 0 || is_complete(arcs, own_.convexity.walk, tree.separator(clique));
        is_asked[clique] = !is_kept[clique];
    }
    const auto asked = std::count(is_asked.begin(), is_asked.end(), 1);
    if (kind_ == SeparatorKind::complete || asked == 0) return is_kept;
    const std::int64_t walks = asked * arcs.size;
    if (walks < few_steps || projection_cost(tree) > std::max(walks, few_words)) {
        for (Index clique = 0; clique < tree.cliques.size(); ++clique) {
            if (is_asked[clique]) is_kept[clique] = is_convex(arcs, own_.convexity, tree.separator(clique));
        }
        return is_kept;
    }
    const Flags is_found = find_convex_separators(arcs, tree, is_asked, poll());
    for (std::size_t clique = 0; clique < is_kept.size(); ++clique) is_kept[clique] |= is_found[clique];
    return is_kept;
}

void Decomposer::add_merged(const CliqueTree& tree, const Vector<Index>& group, Index block) {
    const Indices nodes = blocks_[block];
    const Index first = trees_.size();
    const Index count = *std::max_element(group.begin(), group.end()) + 1;
    Vector<Index> places(group.size());
    for (std::size_t clique = 0; clique < places.size(); ++clique) places[clique] = static_cast<Index>(clique);
    const Ragged cliques_of = Ragged::from_pairs(group, places, count);
    const auto named = [&](Part& part) -> const Part& {  // by the numbers of the whole graph, which ascend like the local ones
        std::sort(part.begin(), part.end());
        part.erase(std::unique(part.begin(), part.end()), part.end());
        for (Index& node : part) node = nodes[node];
        return part;
    };
    Part part;
    for (Index cluster = 0; cluster < count; ++cluster) {
        part.clear();
        for (const Index clique : cliques_of[cluster]) {
            const Indices members = tree.cliques[clique];
            poll()(std::ssize(members));
            part.insert(part.end(), members.begin(), members.end());
        }
        trees_.add_cluster(named(part), block);
    }
    for (Index clique = 0; clique < tree.cliques.size(); ++clique) {
        const Index above = tree.above[clique];
        if (above < 0 || group[clique] == group[above]) continue;
        const Indices shared = tree.separator(clique);
        part.assign(shared.begin(), shared.end());
        trees_.add_edge({first + group[clique], first + group[above]}, named(part));
    }
}

// --- refinement

Ragged Decomposer::edges_at_clusters() const {
    Vector<Index> clusters, edges;
    for (std::size_t edge = 0; edge < trees_.edges.size(); ++edge) {
        clusters.insert(clusters.end(), {trees_.edges[edge].one, trees_.edges[edge].other});
        edges.insert(edges.end(), 2, static_cast<Index>(edge));
    }
    return Ragged::from_pairs(clusters, edges, trees_.size());
}

Ragged Decomposer::separators_at(Index cluster, const Ragged& edges_at) const {
    Ragged found;
    for (const Index edge : edges_at[cluster]) found.append(trees_.separators[edge]);
    return found;
}

// The clusters that may be reducible, smaller ones first; the graph of three nodes without a cut vertex is complete.
Vector<Index> Decomposer::clusters_to_refine() const {
    Vector<Index> found;
    for (Index cluster = 0; cluster < trees_.size(); ++cluster) {
        if (trees_.clusters.length(cluster) > 3) found.push_back(cluster);
    }
    std::stable_sort(found.begin(), found.end(),
                     [&](Index one, Index other) { return trees_.clusters.length(one) < trees_.clusters.length(other); });
    return found;
}

// Works on each item with the workspace of its thread: one after the other, and on threads those that are left when it has
// become long work. Later items are larger, so these begin with the last.
template <class Work>
void Decomposer::spread(std::int64_t items, Work work) {
    std::int64_t done = 0;
    while (done < items && (threads_ <= 1 || poll().counted() < long_count_)) work(done++, own_);
    const auto threads = static_cast<int>(std::min<std::int64_t>(threads_, items - done));
    while (std::ssize(others_) + 1 < threads) others_.push_back(std::make_unique<SearchWorkspace>(graph_.size()));
    in_parallel(threads, items - done,
                [&](int thread, std::int64_t item) { work(items - 1 - item, thread ? *others_[thread - 1] : own_); });
}

// Searches all clusters, then goes on in the blocks where something was found or may still be.
void Decomposer::refine_blocks() {
    const Ragged edges_at = edges_at_clusters();
    const Vector<Index> clusters = clusters_to_refine();
    Vector<SearchResult> results(static_cast<std::size_t>(trees_.size()));
    Flags is_split(results.size(), 0);
    spread(std::ssize(clusters), [&](std::int64_t item, SearchWorkspace& work) {
        work.poll()();
        const Index cluster = clusters[item];
        SearchResult& result = results[cluster];
        if (kind_ != SeparatorKind::complete) result = search(trees_.clusters[cluster], separators_at(cluster, edges_at), work);
        if (is_exhausted(work)) {
            result.status = SearchStatus::undecided;
        } else {
            is_split[cluster] = result.status == SearchStatus::found || is_split_by_tree(cluster, edges_at, work);
        }
    });
    Flags is_touched(static_cast<std::size_t>(blocks_.size()), 0);
    for (const Index cluster : clusters) {
        if (results[cluster].status == SearchStatus::undecided) trees_.undecided.push_back(cluster);
        if (is_split[cluster]) is_touched[trees_.block[cluster]] = 1;
    }
    replace_blocks(is_touched, results);
}

SearchResult Decomposer::search(Indices members, const Ragged& cliques, SearchWorkspace& work) const {
    if (is_exhausted(work)) return {SearchStatus::undecided, {}};
    const Ragged graph = torso(moral_, members, cliques, work.numbers, work.poll());
    if (is_complete_graph(graph)) return {};
    const InducedDag dag(graph_, members, work.numbers, work.poll());
    SearchResult result = find_separator(dag.arcs(), graph, kind_ == SeparatorKind::minimal, limit_, work.convexity);
    for (Index& node : result.separator) node = members[node];
    return result;
}

// Whether a separator of the tree splits the cluster ("satellite"). A separator inside a cluster lies, by the junction
// property, in every separator on the way to it, so the walk outwards stops where less than two nodes of the cluster are left.
bool Decomposer::is_split_by_tree(Index cluster, const Ragged& edges_at, SearchWorkspace& work) const {
    if (edges_at[cluster].empty()) return false;
    struct Step {
        Index cluster;
        Index origin;
    };
    const Indices members = trees_.clusters[cluster];
    const Ragged cliques = separators_at(cluster, edges_at);
    if (is_complete_graph(torso(moral_, members, cliques, work.numbers, work.poll()))) return false;
    Vector<Step> stack(1, Step{cluster, -1});
    Part shared, outside;
    while (!stack.empty()) {
        const auto [here, origin] = stack.back();
        stack.pop_back();
        for (const Index edge : edges_at[here]) {
            const Index there = trees_.edges[edge].one + trees_.edges[edge].other - here;
            if (there == origin) continue;
            const Indices separator = trees_.separators[edge];
            work.poll()(std::ssize(members) + std::ssize(separator));
            shared.clear();
            std::set_intersection(members.begin(), members.end(), separator.begin(), separator.end(),
                                  std::back_inserter(shared));
            if (shared.size() < 2) continue;
            if (shared.size() == separator.size()) {
                outside.clear();
                std::set_difference(members.begin(), members.end(), shared.begin(), shared.end(), std::back_inserter(outside));
                if (!is_connected(torso(moral_, outside, cliques, work.numbers, work.poll()), work.poll())) return true;
            }
            stack.push_back({there, here});
        }
    }
    return false;
}

// Replaces the trees of the touched blocks by refined ones, which come after those of the other blocks.
void Decomposer::replace_blocks(const Flags& is_touched, Vector<SearchResult>& results) {
    if (std::find(is_touched.begin(), is_touched.end(), 1) == is_touched.end()) return;
    BlockTrees kept;
    Vector<Index> number(static_cast<std::size_t>(trees_.size()), -1);
    for (Index cluster = 0; cluster < trees_.size(); ++cluster) {
        if (is_touched[trees_.block[cluster]]) continue;
        number[cluster] = kept.size();
        kept.add_cluster(trees_.clusters[cluster], trees_.block[cluster]);
    }
    for (std::size_t edge = 0; edge < trees_.edges.size(); ++edge) {
        const auto [one, other] = trees_.edges[edge];
        if (number[one] >= 0) kept.add_edge({number[one], number[other]}, trees_.separators[static_cast<Index>(edge)]);
    }
    for (const Index cluster : trees_.undecided) {
        if (number[cluster] >= 0) kept.undecided.push_back(number[cluster]);
    }
    Vector<Index> clusters, edges;
    std::size_t cluster = 0, edge = 0;
    for (Index block = 0; block < blocks_.size(); ++block) {
        clusters.clear();
        edges.clear();
        for (; cluster < trees_.block.size() && trees_.block[cluster] == block; ++cluster) {
            clusters.push_back(static_cast<Index>(cluster));
        }
        for (; edge < trees_.edges.size() && trees_.block[trees_.edges[edge].one] == block; ++edge) {
            edges.push_back(static_cast<Index>(edge));
        }
        if (is_touched[block]) add_refined(clusters, edges, results, kept);
    }
    trees_ = std::move(kept);
}

// Refines the tree of one block and adds it to the others.
void Decomposer::add_refined(Indices old_clusters, Indices old_edges, Vector<SearchResult>& results, BlockTrees& into) {
    GrowingTree tree(moral_, own_.numbers, poll());
    NumberedMap<SearchResult> known;
    for (const Index cluster : old_clusters) {
        tree.add(cluster, trees_.clusters[cluster]);
        known.emplace(cluster, std::move(results[cluster]));
    }
    for (const Index edge : old_edges) {
        const Indices separator = trees_.separators[edge];
        tree.join(trees_.edges[edge].one, trees_.edges[edge].other, Part(separator.begin(), separator.end()));
    }
    const ClusterSearch searched = [&](Indices clusters) {
        Vector<SearchResult> found(clusters.size());
        spread(std::ssize(clusters), [&](std::int64_t item, SearchWorkspace& work) {
            found[item] = search(tree.cluster(clusters[item]).members, tree.cliques(clusters[item]), work);
        });
        return found;
    };
    const bool searches = kind_ != SeparatorKind::complete;
    if (!searches) known.clear();
    refine_tree(tree, searches ? searched : ClusterSearch(), std::move(known), threads_ > 1 ? all_at_once : 1, poll());
    NumberedMap<Index> number;
    for (const auto& [old, cluster] : tree.clusters()) {
        number.emplace(old, into.size());
        if (tree.undecided.contains(old)) into.undecided.push_back(into.size());
        into.add_cluster(cluster.members, trees_.block[old_clusters.front()]);
    }
    for (const auto& [one, cluster] : tree.clusters()) {
        for (const auto& [other, separator] : cluster.separators) {
            if (one < other) into.add_edge({number.at(one), number.at(other)}, separator);
        }
    }
}

// --- one tree

// Joins the blocks of each cut vertex: the lowest cluster in the first of them to the lowest in each other.
void Decomposer::join_blocks() {
    struct Holder {
        Index block;
        Index cluster;
        auto operator<=>(const Holder&) const = default;
    };
    const Ragged clusters_at = trees_.clusters.reversed(graph_.size());
    Vector<Holder> holders;
    for (Index node = 0; node < graph_.size(); ++node) {
        poll()(1 + clusters_at.length(node));
        holders.clear();
        for (const Index cluster : clusters_at[node]) holders.push_back({trees_.block[cluster], cluster});
        std::sort(holders.begin(), holders.end());
        for (std::size_t index = 1; index < holders.size(); ++index) {
            if (holders[index].block == holders[index - 1].block) continue;
            trees_.add_edge({holders.front().cluster, holders[index].cluster}, {&node, 1});
        }
    }
}

// Joins the first cluster of the first component to the first of each other, by the empty separator.
void Decomposer::join_components() {
    const Vector<Index> label = component_labels(moral_, poll());
    Vector<Index> first(label.size(), -1);
    for (Index cluster = 0; cluster < trees_.size(); ++cluster) {
        Index& lowest = first[label[trees_.clusters[cluster].front()]];
        if (lowest < 0) lowest = cluster;
    }
    for (const Index cluster : first) {
        if (cluster >= 0 && cluster != first.front()) trees_.add_edge({first.front(), cluster}, {});
    }
}

Decomposition Decomposer::in_canonical_order(bool is_refined) {
    const Index count = trees_.size();
    Decomposition result;
    Vector<Index> order(static_cast<std::size_t>(count)), number(order.size());
    for (Index cluster = 0; cluster < count; ++cluster) order[cluster] = cluster;
    std::sort(order.begin(), order.end(), [&](Index one, Index other) {
        const Indices a = trees_.clusters[one], b = trees_.clusters[other];
        poll()();
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    });
    for (Index index = 0; index < count; ++index) {
        number[order[index]] = index;
        result.clusters.append(trees_.clusters[order[index]]);
    }

    struct NumberedEdge {
        TreeEdge edge;
        Index number;
        auto operator<=>(const NumberedEdge&) const = default;
    };
    Vector<NumberedEdge> edges;
    for (std::size_t edge = 0; edge < trees_.edges.size(); ++edge) {
        const auto [low, high] = std::minmax(number[trees_.edges[edge].one], number[trees_.edges[edge].other]);
        edges.push_back({{low, high}, static_cast<Index>(edge)});
    }
    std::sort(edges.begin(), edges.end(), [&](const NumberedEdge& one, const NumberedEdge& other) {
        poll()();
        return one < other;
    });
    for (const NumberedEdge& edge : edges) {
        result.edges.push_back(edge.edge);
        result.separators.append(trees_.separators[edge.number]);
    }

    const bool is_decided = is_refined || kind_ == SeparatorKind::all;
    for (Index cluster = 0; cluster < count && !is_decided; ++cluster) result.undecided.push_back(cluster);
    for (const Index cluster : trees_.undecided) result.undecided.push_back(number[cluster]);
    std::sort(result.undecided.begin(), result.undecided.end());
    result.is_certified = kind_ == SeparatorKind::all || (is_refined && result.undecided.empty());
    return result;
}

}  // namespace

Decomposition decompose(const Graph& graph, SeparatorKind kind, Refinement refinement, std::optional<std::int64_t> effort,
                        int threads) {
    return Decomposer(graph, kind, threads).run(refinement, effort);
}

}  // namespace dconvex
