#include "learning/checksums.hpp"

#include <bit>
#include <stdexcept>

#include "common/interrupt.hpp"

namespace dconvex {
namespace {

// Where a list begins and ends in an array of `size` entries.
struct Bounds {
    Offset begin;
    Offset end;
};

Bounds checked_bounds(std::span<const Offset> offsets, Offset list, std::size_t size) {
    if (list < 0 || list + 1 >= static_cast<Offset>(offsets.size()))
        throw std::invalid_argument("there is no such table or cluster");
    const Bounds found{offsets[static_cast<std::size_t>(list)], offsets[static_cast<std::size_t>(list) + 1]};
    const bool is_sound = found.begin >= 0 && found.begin <= found.end && found.end <= static_cast<Offset>(size);
    if (!is_sound) throw std::invalid_argument("offsets must ascend and lie within their array");
    return found;
}

std::uint64_t checksum(const TableNumbers& model, Indices tables, Poll& poll) {
    std::uint64_t mixed = 0x9E3779B97F4A7C15;
    for (const Index table : tables) {
        if (table >= model.known) continue;
        const Bounds own = checked_bounds(model.table_offsets, table, model.numbers.size());
        const double* numbers = model.numbers.data();
        for (Offset place = own.begin; place < own.end; ++place) {
            mixed = (mixed ^ std::bit_cast<std::uint64_t>(numbers[place])) * 0xBF58476D1CE4E5B9;
            mixed ^= mixed >> 29;
            poll(2);
        }
        poll();
    }
    return mixed;
}

}  // namespace

Vector<std::uint64_t> cluster_checksums(const TableNumbers& model, const ClusterTables& clusters, Offset first, Offset last) {
    if (first < 0 || last < first) throw std::invalid_argument("the range of clusters must not be negative");
    Vector<std::uint64_t> found;
    Poll poll;
    for (Offset cluster = first; cluster < last; ++cluster) {
        const Bounds own = checked_bounds(clusters.offsets, cluster, clusters.tables.size());
        const auto count = static_cast<std::size_t>(own.end - own.begin);
        found.push_back(checksum(model, clusters.tables.subspan(static_cast<std::size_t>(own.begin), count), poll));
        poll();
    }
    return found;
}

}  // namespace dconvex
