// The adjacencies of a graph, from tests of independence (PC-stable: Spirtes and Glymour 1991; Colombo and Maathuis 2014).

#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>

#include "common/interrupt.hpp"
#include "structure/independence.hpp"

namespace dconvex {

// Starts with all edges that are not forbidden in both directions, and removes those between variables that are independent
// given some neighbours of one of them: none, then one, then two. All tests of a level are about the neighbours at its start,
// so that the order of the pairs does not matter.
class Skeleton {
public:
    // Both must outlive it. After about `most_tests` it ends.
    Skeleton(IndependenceTest& test, const EdgeConstraints& constraints,
             std::int64_t most_tests = std::numeric_limits<std::int64_t>::max());

    // Goes on for about this many tests; false once all levels are done.
    bool advance(std::int64_t tests);

    Index size() const noexcept { return static_cast<Index>(adjacent_.size()); }
    Indices adjacent(Index node) const { return adjacent_[node]; }
    bool are_adjacent(Index one, Index other) const {
        return std::binary_search(adjacent_[one].begin(), adjacent_[one].end(), other);
    }
    // What made two variables independent; of two that were never tested nothing.
    Indices separator(Index one, Index other) const;
    std::int64_t tests() const noexcept { return tests_; }
    Index level() const noexcept { return level_; }
    // How many pairs of the level are left, with some of their tests: they are adjacent for all that is known.
    Index left_out() const noexcept { return left_out_; }

    bool are_independent(Index one, Index other, Indices given);

private:
    void begin_level();
    void test_pair(Index one, Index other);
    // Looks for a set of neighbours of `one` that separates the two; sets of neighbours of `skipped` have been tested.
    bool separate(Index one, Index other, const Vector<Index>* skipped);
    std::int64_t key(Index one, Index other) const;

    IndependenceTest& test_;
    const EdgeConstraints& constraints_;
    Vector<Vector<Index>> adjacent_, at_start_;
    Vector<Index> pairs_;  // both ends of each pair that this level tests
    std::size_t next_ = 0;
    Index level_ = 0;
    bool is_done_ = false;
    std::int64_t tests_ = 0;
    std::int64_t most_tests_;
    Index left_out_ = 0;
    std::unordered_map<std::int64_t, Vector<Index>> separators_;
    Poll poll_;
};

// Goes over all subsets of a size in lexicographic order. `chosen` are places, 0 … size - 1 at first; false after the last.
bool next_subset(Vector<Index>& chosen, Index count);

}  // namespace dconvex
