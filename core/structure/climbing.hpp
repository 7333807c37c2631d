// Hill climbing over DAGs: add, remove or turn an edge as long as the score gains, then escape from the local optimum.
//
// The search is a function of the data and of the order of the variables: a move is taken if it is the first one, in the order
// (parent, child, kind), whose gain is within a relative 1e-9 of the best, and budgets count evaluations of families.

#pragma once

#include <cstdint>
#include <functional>

#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "structure/set_score.hpp"

namespace dconvex {

// What a graph must and must not have, by edge (parent * size + child).
struct EdgeConstraints {
    Index size = 0;
    Vector<char> required;   // empty: none
    Vector<char> forbidden;  // empty: none
    Index max_parents = 0;   // 0: no limit

    bool is_required(Index parent, Index child) const {
        return !required.empty() && required[static_cast<std::size_t>(parent) * size + child];
    }
    bool is_forbidden(Index parent, Index child) const {
        return !forbidden.empty() && forbidden[static_cast<std::size_t>(parent) * size + child];
    }
};

enum class MoveKind : std::uint8_t { add, remove, turn };

struct Move {
    Index parent, child;
    MoveKind kind;
    double gain;
};

struct Climb {
    Ragged parents;  // each ascending
    double score;
    Vector<Move> moves;
};

// Plain hill climbing from a graph whose parents ascend.
Climb climb(SetScore& score, const EdgeConstraints& constraints, const Ragged& start);

}  // namespace dconvex
