// A checksum for each cluster of the numbers in its tables.

#pragma once

#include <cstdint>
#include <span>

#include "common/memory.hpp"
#include "common/ragged.hpp"

namespace dconvex {

// The numbers of a model: those of table t are numbers[table_offsets[t]] up to numbers[table_offsets[t + 1]].
struct TableNumbers {
    std::span<const double> numbers;
    std::span<const Offset> table_offsets;
    Index known;  // only the first tables count; the others are derived
};

// The tables of cluster c are tables[offsets[c]] up to tables[offsets[c + 1]].
struct ClusterTables {
    std::span<const Offset> offsets;
    Indices tables;
};

// The checksums of the clusters from `first` up to `last`: a mix of the bits of their known tables' numbers, in their order.
// Model files hold them. Throws std::invalid_argument where an offset or a table leaves its array.
Vector<std::uint64_t> cluster_checksums(const TableNumbers& model, const ClusterTables& clusters, Offset first, Offset last);

}  // namespace dconvex
