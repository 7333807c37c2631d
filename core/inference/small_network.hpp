// The small network of a question, cut out of a large one, and what of it matters (Shachter's Bayes ball).
//
// In the whole network that is the variables named and their ancestors. In a tree of clusters it is the clusters that hold the
// variables named and those between them, each variable with the table of the kept cluster that is nearest to its family.

#pragma once

#include <cstdint>

#include "clusters/cluster_index.hpp"
#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "inference/question.hpp"

namespace dconvex {

// What a question does with a variable. A given one blocks like an observation, but stays an axis of the answer.
enum class Role : std::uint8_t { none, target, observed, soft, soft_target, given };

constexpr bool is_target(Role role) noexcept { return role == Role::target || role == Role::soft_target; }
constexpr bool is_soft(Role role) noexcept { return role == Role::soft || role == Role::soft_target; }
constexpr bool blocks(Role role) noexcept { return role == Role::observed || role == Role::given; }

using Flags = Vector<std::uint8_t>;

struct SmallNetwork {
    static constexpr Index no_table = -1;

    Vector<Index> nodes;   // its variables, by their numbers in the large network
    Vector<Index> tables;  // the table of each, or `no_table`
    Ragged parents;        // by index in `nodes`, in the order of the table's axes
    Ragged children;
    Vector<Role> roles;
    Flags is_requisite;  // whose table the answer depends on
    Flags is_reached;    // whom the Bayes ball reached: observed ones among them matter

    Index size() const noexcept { return static_cast<Index>(nodes.size()); }
};

// Cuts small networks; its memory is used again for the next one. `marks` say afterwards which variables are inside (those with
// the last stamp) and where.
class SmallNetworkCutter {
public:
    // In a coherent model, evidence that does not matter is left out and the cut begins again without it.
    void cut(const ClusterIndex& index, const Question& question, IndexMarks& marks, SmallNetwork& small);
    // What derives a table: its variable given its parents, in the cluster `source`, without what lies behind `behind`.
    void cut_source(const ClusterIndex& index, Index table, IndexMarks& marks, SmallNetwork& small);

private:
    void keep_clusters(const ClusterIndex& index, IndexMarks& marks, SmallNetwork& small);
    void keep_ancestors(const ClusterIndex& index, IndexMarks& marks, SmallNetwork& small);
    void join(const ClusterIndex& index, const IndexMarks& marks, SmallNetwork& small);
    void roll_bayes_ball(SmallNetwork& small);
    void mark_ancestors(SmallNetwork& small);
    bool drop_unreached(const IndexMarks& marks, const SmallNetwork& small, Vector<Index>& evidence) const;

    struct Visit {
        Index node;
        bool came_from_parent;
    };

    Vector<Index> wanted_, observed_, soft_, list_;
    Vector<Visit> visits_;
    Flags was_passed_down_;
};

}  // namespace dconvex
