// In which order to eliminate variables: greedily, by a score of what each elimination would make.
//
// The variables of a factor are joined in a graph. Eliminating one joins its neighbours with each other and takes it out; the
// table that this makes has the eliminated variable and its neighbours.

#pragma once

#include <cstdint>
#include <span>

#include "common/interrupt.hpp"
#include "common/memory.hpp"
#include "common/ragged.hpp"

namespace dconvex {

// How a variable goes: it is summed out, maximised out after all sums, or stays in the answer.
enum class Elimination : std::uint8_t { none, sum, maximum };

enum class OrderingRule : std::uint8_t {
    fewest_new_edges,  // among equals the smallest table
    smallest_table,
    least_growth,  // of the table made over what it leaves
};

class EliminationOrdering {
public:
    // Fills `order` with the variables to sum out, then those to maximise. `log_states` are binary logarithms of the numbers
    // of states; `eliminations` says what happens to each variable. Ties go to the lower number.
    void find(const Ragged& scopes, std::span<const double> log_states, std::span<const Elimination> eliminations,
              OrderingRule rule, Vector<Index>& order);
    // The same with some noise, which is added to the score of each variable unless its elimination makes no new edge. False,
    // with an order that is not whole, as soon as all tables that it makes together have more entries than `most_entries`.
    bool try_to_find(const Ragged& scopes, std::span<const double> log_states, std::span<const Elimination> eliminations,
                     OrderingRule rule, std::span<const double> noise, double most_entries, Vector<Index>& order);
    // Eliminates what every good order eliminates first: variables whose elimination makes no new edge, or one edge between
    // their only two neighbours. `order` gets those, `edges` the pairs of neighbours that are left.
    void reduce(const Ragged& scopes, std::span<const double> log_states, std::span<const Elimination> eliminations,
                Vector<Index>& order, Ragged& edges);
    // The entries of all tables that the last order makes, where that was a try.
    double entries() const noexcept { return entries_; }
    // What the last order took, in units that are the same on every machine.
    std::int64_t work() const noexcept { return poll_.counted(); }
    // How many neighbours it has memory for.
    std::size_t pool_capacity() const noexcept { return pool_.capacity(); }

private:
    struct Candidate {
        double score;
        Index variable;
        // std heaps keep the largest in front
        bool operator<(const Candidate& other) const noexcept {
            return score > other.score || (score == other.score && variable > other.variable);
        }
    };

    void join_factors(const Ragged& scopes);
    void begin(const Ragged& scopes, std::span<const double> log_states, std::span<const Elimination> eliminations,
               OrderingRule rule, std::span<const double> noise, double most_entries);
    bool eliminate_all(Elimination kind, Vector<Index>& order);
    bool is_safe(const Candidate& next) const;
    double score(Index variable);
    double score_without_noise(Index variable);
    double log_table(Index variable) const;
    bool eliminate(Index variable);
    bool inherit(Index neighbour, Index variable);
    void find_touched(Index variable, bool goes_further);
    Index* room_in_pool(Offset count);

    std::span<const double> log_states_;
    std::span<const Elimination> eliminations_;
    OrderingRule rule_ = OrderingRule::fewest_new_edges;
    std::span<const double> noise_;
    bool is_reducing_ = false;
    double entries_ = 0.0, most_entries_ = 0.0;
    Poll poll_;

    // The neighbours of v are pool_[begin_[v]] up to pool_[begin_[v] + length_[v]]; lists that grow move to the end.
    Vector<Offset> begin_, length_;
    Vector<Index> pool_;
    Offset pool_end_ = 0;
    Ragged holders_;
    Vector<std::int64_t> mark_;
    std::int64_t stamp_ = 0;
    Vector<double> scores_;
    Vector<std::uint8_t> is_waiting_;
    Vector<Candidate> heap_;  // a candidate counts if it waits and has this score still
    Vector<Index> touched_;
};

}  // namespace dconvex
