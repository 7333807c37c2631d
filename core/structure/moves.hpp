// The moves of a search over graphs: an edge is added, removed or reversed, and the best of them is found.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "structure/acyclic_graph.hpp"
#include "structure/family_rows.hpp"

namespace dconvex {

enum class MoveKind : std::uint8_t { add, remove, reverse };

struct Move {
    MoveKind kind;
    Index parent, child;
    double gain;
};

// A graph with what each move from it gains. Moves keep it acyclic and within the constraints.
class ScoredGraph {
public:
    // All must outlive it. The score of variable after variable is then asked for by `load_next`.
    ScoredGraph(FamilyRows& rows, const EdgeConstraints& constraints, AcyclicGraph graph);

    // Asks for what moves of one more variable gain; false once all are there.
    bool load_next();

    const AcyclicGraph& graph() const noexcept { return graph_; }
    // The score of the whole graph: the families' in their order, so that it is the same however the graph was reached.
    double score() const;

    // The best move; of those whose gains differ by less than rounding and a billionth, the first by parent, child and kind.
    // Pairs with `until[parent * size + child] > now` are left alone. None where there is no move at all.
    std::optional<Move> best_move(const std::int64_t* until = nullptr, std::int64_t now = 0);
    // A gain below this is rounding.
    double noise() const noexcept { return noise_; }

    void apply(const Move& move);
    // Whether a move keeps the graph acyclic and within the constraints, and what it gains.
    std::optional<double> gain_of(MoveKind kind, Index parent, Index child) const;
    // Becomes this graph.
    void become(const AcyclicGraph& graph);

private:
    struct Best {
        double gain;
        Index parent;
    };

    void change_family(Index variable);
    void find_best_addition(Index child, const std::int64_t* until, std::int64_t now);
    bool can_add(Index parent, Index child, const std::int64_t* until, std::int64_t now) const;
    void mark_all() { std::fill(is_stale_.begin(), is_stale_.end(), char{1}); }

    FamilyRows& rows_;
    const EdgeConstraints& constraints_;
    AcyclicGraph graph_;
    Vector<std::shared_ptr<const FamilyRow>> row_;
    Vector<Best> best_;      // for each child the best edge that could be added
    Vector<char> is_stale_;  // where it has to be found again
    Index loaded_ = 0;
    double noise_ = 0.0;
};

}  // namespace dconvex
