#include "clusters/cluster_index.hpp"

#include <algorithm>
#include <limits>
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

// A list so much longer than another is searched, not read: a large cluster may have very many small neighbours.
constexpr Offset much_longer = 16;

// Calls `meet(entry of one, entry of the other)` for every variable that two clusters share, ascending.
template <class Meet>
void for_shared(const Ragged& clusters, Index one, Index other, Poll& poll, Meet meet) {
    const Index* const members = clusters.values().data();
    const Index *a = members + clusters.offsets()[one], *b = members + clusters.offsets()[other];
    const Index *const a_end = members + clusters.offsets()[one + 1], *const b_end = members + clusters.offsets()[other + 1];
    const bool searches_a = a_end - a > much_longer * (b_end - b), searches_b = b_end - b > much_longer * (a_end - a);
    poll(1 + (searches_a ? 0 : a_end - a) + (searches_b ? 0 : b_end - b));
    while (a < a_end && b < b_end) {
        if (*a < *b) {
            a = searches_a ? std::lower_bound(a, a_end, *b) : a + 1;
        } else if (*b < *a) {
            b = searches_b ? std::lower_bound(b, b_end, *a) : b + 1;
        } else {
            poll();
            meet(a++ - members, b++ - members);
        }
    }
}

// The parents of variables that a cluster holds with them.
class HeldParents {
public:
    HeldParents(const Graph& graph, const Ragged& clusters)
        : graph_(graph), clusters_(clusters), position_(static_cast<std::size_t>(graph.size())) {}

    // In any order.
    template <class Visit>
    void visit(Index cluster, Index variable, Visit visit) const {
        const Indices parents = graph_.parents()[variable], members = clusters_[cluster];
        if (std::ssize(parents) <= much_longer * std::ssize(members)) {
            for (const Index parent : parents) {
                if (std::binary_search(members.begin(), members.end(), parent)) visit(parent);
            }
        } else {
            for (const Index member : members) {
                const Indices children = graph_.children()[member];
                if (std::binary_search(children.begin(), children.end(), variable)) visit(member);
            }
        }
    }

    // In the order of the variable's parents. Calls with one variable come in a row.
    void list(Index cluster, Index variable, Vector<Index>& into) {
        into.clear();
        visit(cluster, variable, [&into](Index parent) { into.push_back(parent); });
        if (into.size() < 2) return;
        const Indices parents = graph_.parents()[variable];
        if (variable != positions_of_) {
            for (std::size_t k = 0; k < parents.size(); ++k) position_[parents[k]] = static_cast<Index>(k);
            positions_of_ = variable;
        }
        std::sort(into.begin(), into.end(), [this](Index a, Index b) { return position_[a] < position_[b]; });
    }

private:
    const Graph& graph_;
    const Ragged& clusters_;
    Vector<Index> position_;  // of each parent of one variable
    Index positions_of_ = -1;
};

void check_members(const Ragged& clusters, Index variables) {
    if (!clusters.is_within(variables)) throw std::invalid_argument("a member of a cluster is no variable");
    if (clusters.values().size() > static_cast<std::size_t>(std::numeric_limits<Index>::max())) {
        throw std::invalid_argument("the clusters have too many members");  // tables are numbered by Index
    }
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
    const Vector<Index> from_root = hang_on_first(ends);
    find_holders();
    number_tables(from_root);
    find_sources();
}

ClusterIndex::~ClusterIndex() { delete spare_marks_.load(); }

// Walks over the tree from cluster 0, and checks that it is one: as many edges as it needs, and every cluster reached.
Vector<Index> ClusterIndex::hang_on_first(Indices ends) {
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
    return queue;
}

// One pass over the members; what is known of a variable so far lies together.
void ClusterIndex::find_holders() {
    struct Found {
        Index top = -1, depth = 0;
        Index smallest = -1, size = 0;
    };
    Vector<Found> found(static_cast<std::size_t>(variable_count()), Found());
    Poll poll;
    for (Index cluster = 0; cluster < clusters_.size(); ++cluster) {
        const auto size = static_cast<Index>(clusters_.length(cluster));
        for (const Index variable : clusters_[cluster]) {
            Found& own = found[variable];
            if (own.top < 0 || depth_[cluster] < own.depth) own.top = cluster, own.depth = depth_[cluster];
            if (own.smallest < 0 || size < own.size) own.smallest = cluster, own.size = size;
        }
        poll(1 + size);
    }
    top_.resize(found.size());
    smallest_.resize(found.size());
    for (std::size_t variable = 0; variable < found.size(); ++variable) {
        if (found[variable].top < 0) throw std::invalid_argument("a variable is in no cluster");
        top_[variable] = found[variable].top;
        smallest_[variable] = found[variable].smallest;
    }
    holders_ = clusters_.reversed(variable_count());
}

// Numbers the tables: those of the network like its variables, then the others by variable, by a hash of the parents held, and
// by these.
void ClusterIndex::number_tables(const Vector<Index>& from_root) {
    const Vector<Index>& members = clusters_.values();
    const Vector<Index> cluster_of = clusters_.owners();
    Vector<char> is_whole(members.size(), 0);
    Vector<std::uint64_t> hash(members.size(), 0);
    HeldParents held(*graph_, clusters_);
    Poll poll;
    for (std::size_t entry = 0; entry < members.size(); ++entry) {
        const Offset all = graph_->parents().length(members[entry]);
        poll(1 + std::min(all, much_longer * clusters_.length(cluster_of[entry])));
        Offset count = 0;
        held.visit(cluster_of[entry], members[entry], [&](Index parent) {
            ++count;
            hash[entry] += mixed(parent);
        });
        is_whole[entry] = count == all;
    }
    find_directions(from_root, is_whole);

    struct Partial {
        Index variable;
        std::uint64_t hash;
        Offset entry;
        bool is_like(const Partial& other) const noexcept { return variable == other.variable && hash == other.hash; }
        bool operator<(const Partial& other) const noexcept {
            return std::tie(variable, hash, entry) < std::tie(other.variable, other.hash, other.entry);
        }
    };
    Vector<Partial> partial;
    for (std::size_t entry = 0; entry < members.size(); ++entry) {
        if (!is_whole[entry]) partial.push_back({members[entry], hash[entry], static_cast<Offset>(entry)});
    }
    std::sort(partial.begin(), partial.end());
    member_table_ = members;
    table_variable_.resize(static_cast<std::size_t>(variable_count()));
    std::iota(table_variable_.begin(), table_variable_.end(), 0);
    table_parents_ = graph_->parents();
    Vector<Index> own, last;
    for (std::size_t k = 0; k < partial.size(); ++k, std::swap(own, last)) {
        const Index variable = partial[k].variable, cluster = cluster_of[partial[k].entry];
        poll(1 + std::min(graph_->parents().length(variable), much_longer * clusters_.length(cluster)));
        held.list(cluster, variable, own);
        if (k && partial[k].is_like(partial[k - 1])) {
            if (own != last)
                throw std::invalid_argument("two sets of parents have the same hash");  // nobody meets this by chance
        } else {
            table_variable_.push_back(variable);
            table_parents_.append(own);
        }
        member_table_[partial[k].entry] = static_cast<Index>(table_variable_.size() - 1);
    }
}

// Finds for each member whose cluster does not hold the whole family the neighbour on the way to one that does. A variable is
// held by one cluster more than there are edges between two that hold it, if these are joined, else by more.
void ClusterIndex::find_directions(const Vector<Index>& from_root, const Vector<char>& is_whole) {
    toward_.assign(is_whole.size(), -1);
    Vector<char> is_below = is_whole;  // whether this cluster or one below it holds the whole family
    Offset shared = 0;
    Poll poll;
    for (std::size_t at = from_root.size(); at-- > 1;) {
        const Index cluster = from_root[at], above = parent_[cluster];
        for_shared(clusters_, cluster, above, poll, [&](Offset own, Offset upper) {
            ++shared;
            if (is_below[own] && !is_whole[upper]) {
                is_below[upper] = 1;
                toward_[upper] = cluster;
            }
            if (!is_below[own]) toward_[own] = above;
        });
    }
    if (static_cast<Offset>(is_whole.size()) - shared != variable_count()) {
        throw std::invalid_argument("the clusters that hold a variable are not joined with each other");
    }
    for (std::size_t entry = 0; entry < is_whole.size(); ++entry) {
        if (!is_whole[entry] && toward_[entry] < 0) throw std::invalid_argument("no cluster holds the family of a variable");
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

}  // namespace

// Where no single cluster holds all variables, climb from the deepest tops until the paths have met and every variable is held:
// whatever lies below the deepest top holds no variable of a top that is not above it, so that top is kept; the others are met
// on the way, or else their tops are kept too.
Indices ClusterIndex::kept_clusters(Indices variables, IndexMarks& marks, ClimbWorkspace& work) const {
    const std::int64_t stamp = ++marks.stamp;
    auto& [kept, waiting, tips] = work;
    kept.clear();
    waiting.clear();
    tips.clear();
    if (variables.empty()) return kept;
    const auto keep = [&marks, &kept = kept, stamp](Index cluster) {
        marks.cluster[cluster] = stamp;
        kept.push_back(cluster);
    };
    if (const Index single = single_cluster(*this, variables); single >= 0) {
        keep(single);
        return kept;
    }
    for (std::size_t k = 0; k < variables.size(); ++k) {
        if (marks.variable[variables[k]] == -stamp) continue;  // a second time
        marks.variable[variables[k]] = -stamp;
        waiting.push_back({depth_[top_[variables[k]]], static_cast<Index>(k), variables[k]});
    }
    std::sort(waiting.begin(), waiting.end(),
              [](const auto& a, const auto& b) { return std::tie(a.depth, a.number) < std::tie(b.depth, b.number); });
    Poll poll;
    while (true) {
        while (!waiting.empty() && marks.variable[waiting.back().variable] != -stamp) waiting.pop_back();  // met on the way
        const bool is_new_tip = !waiting.empty() && (tips.empty() || waiting.back().depth >= tips.front().depth);
        if (waiting.empty() && tips.size() == 1) break;
        Index next;
        if (is_new_tip) {
            next = top_[waiting.back().variable];
        } else {
            next = parent_[tips.front().cluster];
            std::pop_heap(tips.begin(), tips.end());
            tips.pop_back();
        }
        if (marks.cluster[next] == stamp) continue;
        keep(next);
        tips.push_back({depth_[next], next});
        std::push_heap(tips.begin(), tips.end());
        for (const Index member : clusters_[next]) {
            if (marks.variable[member] == -stamp) marks.variable[member] = 0;
        }
        poll(clusters_.length(next));
    }
    return kept;
}

Vector<Index> ClusterIndex::kept_clusters(Indices variables, IndexMarks& marks) const {
    ClimbWorkspace work;
    kept_clusters(variables, marks, work);
    return std::move(work.kept);
}

ClusterIndex::BorrowedMarks::BorrowedMarks(const ClusterIndex& index)
    : index_(index), marks_(index.spare_marks_.exchange(nullptr)) {
    if (!marks_) marks_ = new IndexMarks(index.clusters_.size(), index.variable_count());
}

ClusterIndex::BorrowedMarks::~BorrowedMarks() { delete index_.spare_marks_.exchange(marks_); }

}  // namespace dconvex
