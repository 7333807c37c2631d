#include "clusters/cluster_index.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "common/interrupt.hpp"

namespace dconvex {
namespace {

// A well-spread hash of a number (SplitMix64).
std::uint64_t mixed(Index number) noexcept {
    std::uint64_t hash = (static_cast<std::uint64_t>(number) + 1) * 0x9E3779B97F4A7C15ULL;
    hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9ULL;
    hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBULL;
    return hash ^ (hash >> 31);
}

// Calls `meet(entry of one, entry of the other)` for every variable that two clusters share.
template <class Meet>
void for_shared(const Ragged& clusters, Index one, Index other, Meet meet) {
    const Vector<Index>& members = clusters.values();
    Offset a = clusters.offsets()[one], b = clusters.offsets()[other];
    const Offset a_end = clusters.offsets()[one + 1], b_end = clusters.offsets()[other + 1];
    while (a < a_end && b < b_end) {
        if (members[a] < members[b]) {
            ++a;
        } else if (members[b] < members[a]) {
            ++b;
        } else {
            meet(a++, b++);
        }
    }
}

void check_members(const Ragged& clusters, Index variables) {
    if (!clusters.is_within(variables)) throw std::invalid_argument("a member of a cluster is no variable");
    for (Index cluster = 0; cluster < clusters.size(); ++cluster) {
        const Indices own = clusters[cluster];
        if (std::adjacent_find(own.begin(), own.end(), std::greater_equal<>()) != own.end()) {
            throw std::invalid_argument("the members of a cluster do not ascend");
        }
    }
}

}  // namespace

IndexMarks::IndexMarks(Index clusters, Index variables)
    : cluster(static_cast<std::size_t>(clusters), 0),
      variable(static_cast<std::size_t>(variables), 0),
      local(static_cast<std::size_t>(variables), 0) {}

ClusterIndex::ClusterIndex(std::shared_ptr<const Graph> graph, Ragged clusters, Indices ends)
    : graph_(std::move(graph)), clusters_(std::move(clusters)) {
    check_members(clusters_, graph_->size());
    hang_on_first(ends);
    find_holders();
    number_tables();
    find_sources();
}

ClusterIndex::~ClusterIndex() { delete spare_marks_.load(); }

// Walks over the tree from cluster 0, and checks that it is one: as many edges as it needs, and every cluster reached.
void ClusterIndex::hang_on_first(Indices ends) {
    const Index count = clusters_.size();
    if (ends.size() % 2 || static_cast<Index>(ends.size() / 2) != std::max(count - 1, 0)) {
        throw std::invalid_argument("the edges do not join the clusters to one tree");
    }
    Vector<Index> near(ends.size()), far(ends.size());
    for (std::size_t edge = 0; edge < ends.size(); edge += 2) {
        near[edge] = far[edge + 1] = ends[edge];
        far[edge] = near[edge + 1] = ends[edge + 1];
    }
    const auto is_cluster = [count](Index end) { return end >= 0 && end < count; };
    if (!std::all_of(ends.begin(), ends.end(), is_cluster)) throw std::invalid_argument("an edge leads to no cluster");
    const Ragged neighbours = Ragged::from_pairs(near, far, count);
    parent_.assign(static_cast<std::size_t>(count), -2);
    depth_.assign(static_cast<std::size_t>(count), 0);
    Vector<Index> queue;
    queue.reserve(static_cast<std::size_t>(count));
    if (count) {
        parent_[0] = -1;
        queue.push_back(0);
    }
    for (std::size_t done = 0; done < queue.size(); ++done) {
        const Index here = queue[done];
        for (const Index there : neighbours[here]) {
            if (parent_[there] != -2) continue;
            parent_[there] = here;
            depth_[there] = depth_[here] + 1;
            queue.push_back(there);
        }
    }
    if (queue.size() < static_cast<std::size_t>(count)) {
        throw std::invalid_argument("the edges do not join the clusters to one tree");
    }
}

// A variable is held by one cluster more than there are edges between two that hold it, if these are joined, else by more.
void ClusterIndex::find_holders() {
    holders_ = clusters_.reversed(variable_count());
    Poll poll;
    Offset shared = 0;
    for (Index cluster = 1; cluster < clusters_.size(); ++cluster) {
        for_shared(clusters_, cluster, parent_[cluster], [&shared](Offset, Offset) { ++shared; });
        poll(clusters_.length(cluster) + clusters_.length(parent_[cluster]));
    }
    top_.resize(static_cast<std::size_t>(variable_count()));
    smallest_.resize(static_cast<std::size_t>(variable_count()));
    for (Index variable = 0; variable < variable_count(); ++variable) {
        const Indices own = holders_[variable];
        if (own.empty()) throw std::invalid_argument("a variable is in no cluster");
        top_[variable] = *std::min_element(own.begin(), own.end(), [this](Index a, Index b) { return depth_[a] < depth_[b]; });
        smallest_[variable] = *std::min_element(
            own.begin(), own.end(), [this](Index a, Index b) { return clusters_.length(a) < clusters_.length(b); });
    }
    if (static_cast<Offset>(clusters_.values().size()) - shared != variable_count()) {
        throw std::invalid_argument("the clusters that hold a variable are not joined with each other");
    }
}

// Finds for each member whether its cluster holds the whole family and where the family lies, and numbers the tables: those of
// the network like its variables, then the others by variable, by a hash of the parents held, and by these.
void ClusterIndex::number_tables() {
    const Ragged& parents = graph_->parents();
    const Vector<Index>& members = clusters_.values();
    const std::size_t entries = members.size();
    Vector<char> is_whole(entries, 0);
    Vector<std::uint64_t> hash(entries, 0);
    Vector<Offset> entry_at(static_cast<std::size_t>(variable_count()), -1);
    Poll poll;
    for (Index cluster = 0; cluster < clusters_.size(); ++cluster) {
        const Offset first = clusters_.offsets()[cluster], last = clusters_.offsets()[cluster + 1];
        for (Offset entry = first; entry < last; ++entry) entry_at[members[entry]] = entry;
        for (Offset entry = first; entry < last; ++entry) {
            Offset held = 0;
            for (const Index parent : parents[members[entry]]) {
                if (entry_at[parent] >= first) {  // entries of other clusters are smaller, or were left behind by them
                    ++held;
                    hash[entry] += mixed(parent);
                }
            }
            is_whole[entry] = held == parents.length(members[entry]);
            poll(parents.length(members[entry]) + 1);
        }
    }
    toward_.assign(entries, -1);
    Vector<char> is_below = is_whole;  // whether this cluster or one below it holds the whole family
    Vector<Index> by_depth(static_cast<std::size_t>(clusters_.size()));
    std::iota(by_depth.begin(), by_depth.end(), 0);
    std::stable_sort(by_depth.begin(), by_depth.end(), [this](Index a, Index b) { return depth_[a] < depth_[b]; });
    for (std::size_t at = by_depth.size(); at-- > 1;) {  // from the deepest cluster up, without the root
        const Index cluster = by_depth[at], above = parent_[cluster];
        for_shared(clusters_, cluster, above, [&](Offset own, Offset upper) {
            if (is_below[own] && !is_whole[upper]) {
                is_below[upper] = 1;
                toward_[upper] = cluster;
            }
            if (!is_below[own]) toward_[own] = above;
        });
        poll(clusters_.length(cluster) + clusters_.length(above));
    }
    Vector<Offset> partial;
    for (std::size_t entry = 0; entry < entries; ++entry) {
        if (is_whole[entry]) continue;
        if (toward_[entry] < 0) throw std::invalid_argument("no cluster holds the family of a variable");
        partial.push_back(static_cast<Offset>(entry));
    }
    member_table_ = members;
    const Vector<Index> cluster_of = clusters_.owners();
    const auto held = [&](Offset entry) {
        Vector<Index> found;
        for (const Index parent : parents[members[entry]]) {
            if (entry_of(cluster_of[entry], parent) >= 0) found.push_back(parent);
        }
        return found;
    };
    const auto compare = [&](Offset a, Offset b) {
        if (members[a] != members[b]) return members[a] < members[b] ? -1 : 1;
        if (hash[a] != hash[b]) return hash[a] < hash[b] ? -1 : 1;
        return 0;
    };
    std::sort(partial.begin(), partial.end(), [&](Offset a, Offset b) {
        const int order = compare(a, b);
        return order < 0 || (order == 0 && a < b);
    });
    table_variable_.resize(static_cast<std::size_t>(variable_count()));
    std::iota(table_variable_.begin(), table_variable_.end(), 0);
    table_parents_ = parents;
    Vector<Index> last_parents;
    for (std::size_t k = 0; k < partial.size(); ++k) {
        poll(16);
        const bool is_like_last = k && compare(partial[k - 1], partial[k]) == 0;
        Vector<Index> own = held(partial[k]);
        if (is_like_last && own != last_parents) {
            throw std::invalid_argument("two sets of parents have the same hash");  // nobody meets this by chance
        }
        if (!is_like_last) {
            table_variable_.push_back(members[partial[k]]);
            table_parents_.append(own);
        }
        member_table_[partial[k]] = static_cast<Index>(table_variable_.size() - 1);
        last_parents = std::move(own);
    }
}

// A derived table is made next to the first cluster that needs it and whose neighbour towards the family has another table.
void ClusterIndex::find_sources() {
    const Vector<Index>& members = clusters_.values();
    source_.assign(table_variable_.size(), -1);
    behind_.assign(table_variable_.size(), -1);
    for (Index cluster = 0; cluster < clusters_.size(); ++cluster) {
        for (Offset entry = clusters_.offsets()[cluster]; entry < clusters_.offsets()[cluster + 1]; ++entry) {
            const Index table = member_table_[entry];
            if (table < variable_count() || source_[table] >= 0) continue;
            if (member_table_[entry_of(toward_[entry], members[entry])] == table) continue;
            source_[table] = toward_[entry];
            behind_[table] = cluster;
        }
    }
}

Offset ClusterIndex::entry_of(Index cluster, Index variable) const noexcept {
    const Index* members = clusters_.values().data();
    const Index* first = members + clusters_.offsets()[cluster];
    const Index* last = members + clusters_.offsets()[cluster + 1];
    const Index* found = std::lower_bound(first, last, variable);
    return found != last && *found == variable ? found - members : -1;
}

namespace {

// The smallest cluster that holds all the variables, or -1.
Index single_cluster(const ClusterIndex& index, Indices variables) {
    if (variables.size() == 1) return index.smallest()[variables[0]];
    const Index rarest = *std::min_element(variables.begin(), variables.end(), [&](Index a, Index b) {
        return index.holders().length(a) < index.holders().length(b);
    });
    Index best = -1;
    for (const Index cluster : index.holders()[rarest]) {
        if (best >= 0 && index.clusters().length(cluster) >= index.clusters().length(best)) continue;
        const bool holds_all = std::all_of(variables.begin(), variables.end(),
                                           [&](Index variable) { return index.entry_of(cluster, variable) >= 0; });
        if (holds_all) best = cluster;
    }
    return best;
}

// A cluster from which the climb goes on; the deepest goes first, of equal ones the lowest.
struct Tip {
    Index depth;
    Index cluster;
    bool operator<(const Tip& other) const noexcept {
        return std::tie(depth, other.cluster) < std::tie(other.depth, cluster);
    }
};

}  // namespace

// Where no single cluster holds all variables, climb from the deepest tops until the paths have met and every variable is held:
// whatever lies below the deepest top holds no variable of a top that is not above it, so that top is kept; the others are met
// on the way, or else their tops are kept too.
Vector<Index> ClusterIndex::kept_clusters(Indices variables, IndexMarks& marks) const {
    const std::int64_t stamp = ++marks.stamp;
    Vector<Index> kept;
    if (variables.empty()) return kept;
    const auto keep = [&](Index cluster) {
        marks.cluster[cluster] = stamp;
        kept.push_back(cluster);
    };
    if (const Index single = single_cluster(*this, variables); single >= 0) {
        keep(single);
        return kept;
    }
    struct Wanted {
        Index depth;
        Index number;
        Index variable;
    };
    Vector<Wanted> waiting;
    waiting.reserve(variables.size());
    for (std::size_t k = 0; k < variables.size(); ++k) {
        if (marks.variable[variables[k]] == -stamp) continue;  // a second time
        marks.variable[variables[k]] = -stamp;
        waiting.push_back({depth_[top_[variables[k]]], static_cast<Index>(k), variables[k]});
    }
    std::sort(waiting.begin(), waiting.end(),
              [](const Wanted& a, const Wanted& b) { return std::tie(a.depth, a.number) < std::tie(b.depth, b.number); });
    std::priority_queue<Tip, Vector<Tip>> tips;
    Poll poll;
    while (true) {
        while (!waiting.empty() && marks.variable[waiting.back().variable] != -stamp) waiting.pop_back();  // met on the way
        const bool is_new_tip = !waiting.empty() && (tips.empty() || waiting.back().depth >= tips.top().depth);
        if (waiting.empty() && tips.size() == 1) break;
        Index next;
        if (is_new_tip) {
            next = top_[waiting.back().variable];
        } else {
            next = parent_[tips.top().cluster];
            tips.pop();
        }
        if (marks.cluster[next] == stamp) continue;
        keep(next);
        tips.push({depth_[next], next});
        for (const Index member : clusters_[next]) {
            if (marks.variable[member] == -stamp) marks.variable[member] = 0;
        }
        poll(clusters_.length(next));
    }
    return kept;
}

ClusterIndex::BorrowedMarks::BorrowedMarks(const ClusterIndex& index)
    : index_(index), marks_(index.spare_marks_.exchange(nullptr)) {
    if (!marks_) marks_ = new IndexMarks(index.clusters_.size(), index.variable_count());
}

ClusterIndex::BorrowedMarks::~BorrowedMarks() { delete index_.spare_marks_.exchange(marks_); }

}  // namespace dconvex
