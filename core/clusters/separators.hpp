// Whether a tree of clusters has d-convex separators, looking at no more than one cluster at a time.
//
// A separator is d-convex in the whole DAG, and so are the clusters, if and only if every separator is d-convex in the DAG that
// each of the two clusters at its edge induces. One direction is plain: an inducing path in a part is one in the whole. For the
// other, glue the clusters together one by one. A path over the new separator lies on one side of it, and wherever the other
// side makes a node of the path an ancestor of an end, it does so between two nodes of the separator by a directed path, which
// is inducing, so these are adjacent already. And what is d-convex in a d-convex part is d-convex in the whole.

#pragma once

#include "clusters/cluster_index.hpp"
#include "common/ragged.hpp"

namespace dconvex {

// For each cluster what it shares with the next one towards cluster 0, ascending; nothing for cluster 0.
Ragged separators_towards_root(const ClusterIndex& index);

// The first cluster whose separator towards cluster 0 is not d-convex, -1 if all are.
Index find_inducing_separator(const ClusterIndex& index);

}  // namespace dconvex
