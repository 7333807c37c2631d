// Moves from one class of equivalent graphs to the next, and what they gain (Chickering 2002; Hauser and Bühlmann 2012).

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "structure/equivalence_class.hpp"
#include "structure/family_rows.hpp"

namespace dconvex {

enum class ClassMoveKind : std::uint8_t { add, remove, reverse };

struct ClassMove {
    ClassMoveKind kind;
    Index parent, child;
    double gain;
    // The neighbours of the child that are parents of it, too, in the graph of the class that the move is about.
    Vector<Index> side;
};

// What a move makes of a class: a graph whose extensions are the new class.
Pdag changed_by(const EquivalenceClass& graph, const ClassMove& move);

// All moves from a class by child; those that add or reverse only if they gain.
class ClassMoves {
public:
    // The rows must outlive it. Gains up to `noise` are rounding.
    ClassMoves(FamilyRows& rows, Index size, double noise);

    // Finds the moves into one child.
    void load(const EquivalenceClass& graph, Index child);
    // The same for all children whose moves may have changed with the graph.
    void update(const EquivalenceClass& before, const EquivalenceClass& after);

    // The best move of a kind that is accepted; of those within a billionth of it, the first by child, parent and side.
    using Accepts = std::function<bool(const ClassMove&)>;
    std::optional<ClassMove> best(ClassMoveKind kind, const Accepts& accepts) const;
    // All moves that remove an edge, best first.
    Vector<ClassMove> removals() const;

private:
    // Of one child; each kind is sorted, best first.
    struct Row {
        Vector<ClassMove> moves[3];

        const Vector<ClassMove>& of(ClassMoveKind kind) const { return moves[static_cast<std::size_t>(kind)]; }
        Vector<ClassMove>& of(ClassMoveKind kind) { return moves[static_cast<std::size_t>(kind)]; }
    };

    void add_moves(const EquivalenceClass& graph, Index child, const Vector<Index>& clique, Row& row);

    FamilyRows* families_;
    double noise_;
    Vector<std::shared_ptr<const Row>> rows_;
    // for each node how many neighbours of the child, and of the clique, are adjacent to it
    Vector<Index> near_child_, near_clique_;
};

}  // namespace dconvex
