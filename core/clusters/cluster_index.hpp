// The index of families by cluster: which table each cluster has for each of its variables, and which clusters a question
// keeps.
//
// A cluster holds a variable with those of its parents that it holds too. Where it holds the whole family, its table is the
// network's own, numbered like the variable; the others are derived, each in the cluster next to it on the way to the family.
// Tables with the same variable and the same parents are one table, however many clusters share it.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "graph/graph.hpp"

namespace dconvex {

// What walks over one index mark; an entry counts when it equals the stamp of the walk at hand, so nothing has to be cleared.
struct IndexMarks {
    IndexMarks(Index clusters, Index variables);

    std::int64_t stamp = 0;
    Vector<std::int64_t> cluster;   // a cluster that is kept
    Vector<std::int64_t> variable;  // a variable that the walk has met
    Vector<Index> local;            // the index of a marked variable in a small network
};

class ClusterIndex {
public:
    // `clusters` have ascending members; `ends` are two clusters for each edge of the tree, which hangs on cluster 0.
    // Throws std::invalid_argument unless the clusters form one tree with the junction property that covers every family.
    ClusterIndex(std::shared_ptr<const Graph> graph, Ragged clusters, Indices ends);
    ~ClusterIndex();
    ClusterIndex(const ClusterIndex&) = delete;
    ClusterIndex& operator=(const ClusterIndex&) = delete;

    const Graph& graph() const noexcept { return *graph_; }
    const std::shared_ptr<const Graph>& shared_graph() const noexcept { return graph_; }
    const Ragged& clusters() const noexcept { return clusters_; }
    Index variable_count() const noexcept { return graph_->size(); }

    // For each cluster the next one towards the root (-1 for cluster 0), and its distance from there.
    const Vector<Index>& parent() const noexcept { return parent_; }
    const Vector<Index>& depth() const noexcept { return depth_; }
    // For each variable the clusters that hold it, ascending; of these the nearest to the root, and the smallest.
    const Ragged& holders() const noexcept { return holders_; }
    const Vector<Index>& top() const noexcept { return top_; }
    const Vector<Index>& smallest() const noexcept { return smallest_; }
    // For each member (an entry of clusters().values()) the table that its cluster has for it, and the neighbouring cluster on
    // the way to its whole family, -1 where its cluster holds the family.
    const Vector<Index>& member_table() const noexcept { return member_table_; }
    const Vector<Index>& toward() const noexcept { return toward_; }

    // Tables by number; the first `variable_count` are the network's own.
    Index table_count() const noexcept { return static_cast<Index>(table_variable_.size()); }
    const Vector<Index>& table_variable() const noexcept { return table_variable_; }
    // The parents of each table's variable that the table has, in the order of its axes.
    const Ragged& table_parents() const noexcept { return table_parents_; }
    // A derived table is made in cluster `source`, where what lies behind cluster `behind` plays no part; -1 for the others.
    const Vector<Index>& source() const noexcept { return source_; }
    const Vector<Index>& behind() const noexcept { return behind_; }

    // The entry of a variable among the members of a cluster, -1 if the cluster does not hold it.
    Offset entry_of(Index cluster, Index variable) const noexcept;

    // The clusters of the smallest subtree that holds the variables, marked with a new stamp; none for no variables.
    // If one cluster holds them all, it is the one with the fewest variables, among those the first.
    Vector<Index> kept_clusters(Indices variables, IndexMarks& marks) const;

    // What the climb to the kept clusters works with.
    struct ClimbWorkspace {
        struct Wanted {
            Index depth, number, variable;
        };
        // A cluster from which the climb goes on; the deepest goes first, of equal ones the lowest.
        struct Tip {
            Index depth, cluster;
            bool operator<(const Tip& other) const noexcept {
                return depth != other.depth ? depth < other.depth : cluster > other.cluster;
            }
        };

        Vector<Index> kept;
        Vector<Wanted> waiting;
        Vector<Tip> tips;
    };
    // The same with memory that is used again; they are in the workspace until the next climb.
    Indices kept_clusters(Indices variables, IndexMarks& marks, ClimbWorkspace& work) const;

    // Marks for one walk at a time; given back when it goes out of scope. Neither locks nor survives a fork half done.
    class BorrowedMarks {
    public:
        explicit BorrowedMarks(const ClusterIndex& index);
        ~BorrowedMarks();
        BorrowedMarks(const BorrowedMarks&) = delete;
        BorrowedMarks& operator=(const BorrowedMarks&) = delete;
        IndexMarks& operator*() const noexcept { return *marks_; }
        IndexMarks* operator->() const noexcept { return marks_; }

    private:
        const ClusterIndex& index_;
        IndexMarks* marks_;
    };

private:
    Vector<Index> hang_on_first(Indices ends);  // the clusters from the root down
    void find_holders();
    void number_tables(const Vector<Index>& from_root);
    void find_directions(const Vector<Index>& from_root, const Vector<char>& is_whole);
    void find_sources();

    std::shared_ptr<const Graph> graph_;
    Ragged clusters_;
    Vector<Index> parent_, depth_;
    Ragged holders_;
    Vector<Index> top_, smallest_;
    Vector<Index> member_table_, toward_;
    Vector<Index> table_variable_;
    Ragged table_parents_;
    Vector<Index> source_, behind_;
    mutable std::atomic<IndexMarks*> spare_marks_{nullptr};
};

}  // namespace dconvex
