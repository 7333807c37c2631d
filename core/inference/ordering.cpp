#include "inference/ordering.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dconvex {

void EliminationOrdering::find(const Ragged& scopes, std::span<const double> log_states,
                               std::span<const Elimination> eliminations, OrderingRule rule, Vector<Index>& order) {
    try_to_find(scopes, log_states, eliminations, rule, {}, std::numeric_limits<double>::infinity(), order);
}

bool EliminationOrdering::try_to_find(const Ragged& scopes, std::span<const double> log_states,
                                      std::span<const Elimination> eliminations, OrderingRule rule,
                                      std::span<const double> noise, double most_entries, Vector<Index>& order) {
    begin(scopes, log_states, eliminations, rule, noise, most_entries);
    order.clear();
    return eliminate_all(Elimination::sum, order) && eliminate_all(Elimination::maximum, order);
}

void EliminationOrdering::begin(const Ragged& scopes, std::span<const double> log_states,
                                std::span<const Elimination> eliminations, OrderingRule rule, std::span<const double> noise,
                                double most_entries) {
    log_states_ = log_states;
    eliminations_ = eliminations;
    rule_ = rule;
    noise_ = noise;
    entries_ = 0.0;
    most_entries_ = most_entries;
    poll_ = Poll();
    join_factors(scopes);
    scores_.resize(log_states.size());
    is_waiting_.assign(log_states.size(), 0);
}

void EliminationOrdering::reduce(const Ragged& scopes, std::span<const double> log_states,
                                 std::span<const Elimination> eliminations, Vector<Index>& order, Ragged& edges) {
    begin(scopes, log_states, eliminations, OrderingRule::fewest_new_edges, {}, std::numeric_limits<double>::infinity());
    order.clear();
    is_reducing_ = true;
    const bool has_sums = std::find(eliminations.begin(), eliminations.end(), Elimination::sum) != eliminations.end();
    eliminate_all(has_sums ? Elimination::sum : Elimination::maximum, order);
    is_reducing_ = false;
    Vector<std::uint8_t> is_gone(log_states.size(), 0);
    for (const Index v : order) is_gone[v] = 1;
    edges.clear();
    for (Index v = 0; v < static_cast<Index>(log_states.size()); ++v) {
        if (is_gone[v]) continue;
        for (Offset k = begin_[v]; k < begin_[v] + length_[v]; ++k) {
            const Index pair[] = {v, pool_[k]};
            if (pair[0] < pair[1]) edges.append(Indices(pair, 2));
        }
    }
}

// Whether an elimination belongs to those that `reduce` does.
bool EliminationOrdering::is_safe(const Candidate& next) const {
    return next.score < 1.0 || (next.score < 2.0 && length_[next.variable] == 2);
}

// Room for this many more entries at the end of the pool.
Index* EliminationOrdering::room_in_pool(Offset count) {
    const auto needed = static_cast<std::size_t>(pool_end_ + count);
    if (needed > pool_.size()) pool_.resize(std::max(needed, 2 * pool_.size()));
    return pool_.data() + pool_end_;
}

void EliminationOrdering::join_factors(const Ragged& scopes) {
    const auto size = static_cast<Index>(log_states_.size());
    holders_.set_reversed(scopes, size);
    begin_.resize(log_states_.size());
    length_.resize(log_states_.size());
    mark_.assign(log_states_.size(), 0);
    stamp_ = 0;
    pool_end_ = 0;
    for (Index v = 0; v < size; ++v) {
        begin_[v] = pool_end_;
        mark_[v] = ++stamp_;
        for (const Index factor : holders_[v]) {
            const Indices scope = scopes[factor];
            poll_(static_cast<std::int64_t>(scope.size()));
            Index* end = room_in_pool(static_cast<Offset>(scope.size()));
            for (const Index u : scope) {
                if (mark_[u] == stamp_) continue;
                mark_[u] = stamp_;
                *end++ = u;
            }
            pool_end_ = end - pool_.data();
        }
        length_[v] = pool_end_ - begin_[v];
    }
}

// False where the tables become too large for a try.
bool EliminationOrdering::eliminate_all(Elimination kind, Vector<Index>& order) {
    heap_.clear();
    for (Index v = 0; v < static_cast<Index>(log_states_.size()); ++v) {
        if (eliminations_[v] != kind) continue;
        scores_[v] = score(v);
        is_waiting_[v] = 1;
        heap_.push_back({scores_[v], v});
    }
    std::make_heap(heap_.begin(), heap_.end());
    while (!heap_.empty()) {
        std::pop_heap(heap_.begin(), heap_.end());
        const Candidate next = heap_.back();
        heap_.pop_back();
        if (!is_waiting_[next.variable] || next.score != scores_[next.variable]) continue;
        if (is_reducing_ && !is_safe(next)) return true;
        is_waiting_[next.variable] = 0;
        order.push_back(next.variable);
        if (most_entries_ < std::numeric_limits<double>::infinity()) {
            entries_ += std::exp2(std::min(log_table(next.variable), 900.0));
            if (entries_ > most_entries_) return false;
        }
        const bool adds_edges = eliminate(next.variable);
        // only new edges change the fill of those that are no neighbours
        find_touched(next.variable, adds_edges && rule_ == OrderingRule::fewest_new_edges);
        for (const Index u : touched_) {
            const double now = score(u);
            if (now == scores_[u]) continue;
            scores_[u] = now;
            heap_.push_back({now, u});
            std::push_heap(heap_.begin(), heap_.end());
        }
    }
    return true;
}

// The binary logarithm of the entries of the table that eliminating a variable makes.
double EliminationOrdering::log_table(Index variable) const {
    double table = log_states_[variable];
    for (Offset k = begin_[variable]; k < begin_[variable] + length_[variable]; ++k) table += log_states_[pool_[k]];
    return table;
}

double EliminationOrdering::score(Index variable) {
    const double own = score_without_noise(variable);
    if (noise_.empty() || (rule_ == OrderingRule::fewest_new_edges && own < 1.0)) return own;
    return own + noise_[static_cast<std::size_t>(variable)];
}

double EliminationOrdering::score_without_noise(Index variable) {
    const Index* first = pool_.data() + begin_[variable];
    const Index* last = first + length_[variable];
    const double* log_states = log_states_.data();
    double table = log_states[variable];
    for (const Index* u = first; u != last; ++u) table += log_states[*u];
    poll_(length_[variable] + 1);
    if (rule_ == OrderingRule::smallest_table) return table;
    if (rule_ == OrderingRule::least_growth) {
        const double left = table - log_states[variable];
        return std::exp2(std::min(table, 900.0)) - std::exp2(std::min(left, 900.0)) * 0.5;
    }
    const std::int64_t stamp = ++stamp_;
    std::int64_t* mark = mark_.data();
    for (const Index* u = first; u != last; ++u) mark[*u] = stamp;
    Offset joined = 0;
    for (const Index* u = first; u != last; ++u) {
        const Index* other = pool_.data() + begin_[*u];
        const Index* end = other + length_[*u];
        poll_(end - other);
        for (; other != end; ++other) joined += mark[*other] == stamp;
    }
    const Offset missing = (length_[variable] * (length_[variable] - 1) - joined) / 2;
    return static_cast<double>(missing) + std::min(table, 4096.0) / 8192.0;
}

// Joins the neighbours of a variable with each other and takes it out; whether that added an edge.
bool EliminationOrdering::eliminate(Index variable) {
    bool adds_edges = false;
    for (Offset k = begin_[variable]; k < begin_[variable] + length_[variable]; ++k) {
        if (inherit(pool_[k], variable)) adds_edges = true;
    }
    return adds_edges;
}

// Gives a neighbour the neighbours of the variable, which it loses itself; whether some are new.
bool EliminationOrdering::inherit(Index neighbour, Index variable) {
    const std::int64_t stamp = ++stamp_;
    mark_[neighbour] = mark_[variable] = stamp;
    poll_(length_[neighbour] + length_[variable]);
    Index* const list = room_in_pool(length_[neighbour] + length_[variable]);
    Index* end = list;
    std::int64_t* mark = mark_.data();
    Index* const old = pool_.data() + begin_[neighbour];
    for (Offset k = 0; k < length_[neighbour]; ++k) {
        if (old[k] == variable) continue;
        mark[old[k]] = stamp;
        *end++ = old[k];
    }
    Index* const first_new = end;
    const Index* const more = pool_.data() + begin_[variable];
    for (Offset k = 0; k < length_[variable]; ++k) {
        if (mark[more[k]] != stamp) *end++ = more[k];
    }
    length_[neighbour] = end - list;
    if (end == first_new) {  // nothing new: the old list, without the variable, is as good
        std::copy(list, end, old);
        return false;
    }
    begin_[neighbour] = pool_end_;
    pool_end_ += end - list;
    return true;
}

// The neighbours of a variable that wait, and where it goes further, their neighbours.
void EliminationOrdering::find_touched(Index variable, bool goes_further) {
    touched_.clear();
    const std::int64_t stamp = ++stamp_;
    const auto touch = [&](Index u) {
        if (mark_[u] == stamp) return;
        mark_[u] = stamp;
        if (is_waiting_[u]) touched_.push_back(u);
    };
    for (Offset k = begin_[variable]; k < begin_[variable] + length_[variable]; ++k) {
        const Index u = pool_[k];
        touch(u);
        if (!goes_further) continue;
        poll_(length_[u]);
        for (Offset other = begin_[u]; other < begin_[u] + length_[u]; ++other) touch(pool_[other]);
    }
}

}  // namespace dconvex
