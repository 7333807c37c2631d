// Lists of lists in two arrays: list i is values[offsets[i]] up to values[offsets[i + 1]].

#pragma once

#include <cstdint>
#include <span>

#include "common/memory.hpp"

namespace dconvex {

using Index = std::int32_t;
using Offset = std::int64_t;
using Indices = std::span<const Index>;

class Ragged {
public:
    Ragged() : offsets_(1, 0) {}
    // Throws std::invalid_argument unless offsets begin at 0, never fall and end at the number of values.
    Ragged(Vector<Offset> offsets, Vector<Index> values);

    // Pairs (owner, value) grouped by owner; within an owner they keep their order. Owners must lie in 0 … size - 1.
    static Ragged from_pairs(Indices owners, Indices values, Index size);

    Index size() const noexcept { return static_cast<Index>(offsets_.size() - 1); }
    Indices operator[](Index list) const {
        const auto first = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(list)]);
        const auto last = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(list) + 1]);
        return Indices(values_.data() + first, last - first);
    }
    Offset length(Index list) const {
        return offsets_[static_cast<std::size_t>(list) + 1] - offsets_[static_cast<std::size_t>(list)];
    }

    const Vector<Offset>& offsets() const noexcept { return offsets_; }
    const Vector<Index>& values() const noexcept { return values_; }

    // Adds one list at the end.
    void append(Indices list);
    // Takes all lists away, or becomes the reverse of others; both keep the memory for what comes next.
    void clear() noexcept;
    void set_reversed(const Ragged& lists, Index size);

    // For each value the list that holds it, in the order of `values`.
    Vector<Index> owners() const;
    // The same pairs seen from their values, which must lie in 0 … size - 1; each list ascends.
    Ragged reversed(Index size) const;
    // Whether all values lie in 0 … size - 1.
    bool is_within(Index size) const noexcept;

    bool operator==(const Ragged&) const = default;

private:
    Vector<Offset> offsets_;
    Vector<Index> values_;
};

}  // namespace dconvex
