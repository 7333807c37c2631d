#include "learning/kind_posteriors.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "learning/clique_cells.hpp"

namespace dconvex {
namespace {

constexpr double table_bytes = 200.0;  // of keeping a table, besides its numbers
constexpr double few_states = 4096.0;

// Sums out the variables that a clique eliminates, and scales its message to a maximum of one.
void send(const ComponentPlan::Clique& clique, double* room) {
    const double* cells = room + clique.begin;
    double* message = room + clique.message_begin;
    const Offset inner = clique.cells / clique.message_cells;
    double largest = 0.0;
    for (Offset k = 0; k < clique.message_cells; ++k) {
        message[k] = std::accumulate(cells + k * inner, cells + (k + 1) * inner, 0.0);
        largest = std::max(largest, message[k]);
    }
    if (!(largest > 0.0)) throw std::invalid_argument("what a row shows has probability zero");
    for (Offset k = 0; k < clique.message_cells; ++k) message[k] /= largest;
}

}  // namespace

KindPosteriors::KindPosteriors(const FamilyLayout& layout, Indices variables, Indices families)
    : variables_(variables.begin(), variables.end()),
      families_(families.begin(), families.end()),
      single_(variables.size(), nullptr),
      pairs_(variables.size() * variables.size(), nullptr),
      all_(variables.size()) {
    double cells = 1.0;
    for (const Index variable : variables_) {
        states_.push_back(layout.states(variable));
        cells *= states_.back();
    }
    std::iota(all_.begin(), all_.end(), 0);
    is_small_ = cells <= few_states;
}

Index KindPosteriors::component(const Vector<Offset>& bases) {
    const auto [found, is_new] = numbers_.try_emplace(bases, static_cast<Index>(numbers_.size()));
    if (is_new) bases_.insert(bases_.end(), bases.begin(), bases.end());
    return found->second;
}

const double* KindPosteriors::known(const Vector<Index>& locals) const {
    if (locals.size() == 1) return known(locals.front());
    if (locals.size() == 2) return known(locals.front(), locals.back());
    const auto found = tables_.find(locals);
    return found == tables_.end() ? nullptr : found->second.data();
}

Offset KindPosteriors::cells(const Vector<Index>& locals) const {
    Offset cells = 1;
    for (const Index local : locals) cells *= states_[local];
    return cells;
}

KindPosteriors::Way KindPosteriors::way_to(const FamilyLayout& layout, Vector<Index> locals) const {
    const bool is_all = locals.size() == variables_.size();
    if (!is_small_ || is_all) return planned(layout, std::move(locals));
    Way way;
    if (known(all_)) {
        way.bytes = table_bytes + 8.0 * static_cast<double>(cells(locals)) * static_cast<double>(numbers_.size());
    } else {
        way = planned(layout, all_);
        way.bytes *= 2.0;
    }
    way.is_summed = true;
    way.locals = std::move(locals);
    return way;
}

KindPosteriors::Way KindPosteriors::planned(const FamilyLayout& layout, Vector<Index> locals) const {
    Way way;
    Vector<char> is_last(variables_.size(), 0);
    Vector<Index> axis(variables_.size(), -1);
    ComponentPlan::Clique& last = way.last;
    for (const Index local : locals) {
        is_last[local] = 1;
        axis[local] = static_cast<Index>(last.variables.size());
        last.variables.push_back(local);
        last.states.push_back(states_[local]);
    }
    way.plan = planned_component(layout, variables_, families_, is_last);
    way.eliminated = variables_.size() - locals.size();
    for (std::size_t k = way.eliminated; k < way.plan.cliques.size(); ++k) {
        const ComponentPlan::Clique& clique = way.plan.cliques[k];
        for (const ComponentPlan::Factor& factor : clique.factors) {
            const bool is_of_the_last = factor.is_message && static_cast<std::size_t>(factor.number) >= way.eliminated;
            if (is_of_the_last) continue;
            ComponentPlan::Factor own{factor.is_message, factor.number, Vector<Offset>(locals.size(), 0)};
            for (std::size_t at = 0; at < clique.variables.size(); ++at) {
                own.strides[static_cast<std::size_t>(axis[clique.variables[at]])] = factor.strides[at];
            }
            last.factors.push_back(std::move(own));
        }
    }
    double cells = 1.0;
    for (const Index local : locals) cells *= states_[local];
    way.bytes = table_bytes + 8.0 * (cells * static_cast<double>(numbers_.size() + 1) + way.plan.workspace);
    way.locals = std::move(locals);
    return way;
}

double KindPosteriors::find(const double* values, Way&& way, Poll& poll) {
    if (!way.is_summed) {
        Vector<double> table = eliminated(values, way, poll);
        return keep(std::move(way.locals), std::move(table));
    }
    double bytes = 0.0;
    if (!known(all_)) bytes += keep(all_, eliminated(values, way, poll));
    Vector<double> table = summed(way.locals, poll);
    return bytes + keep(std::move(way.locals), std::move(table));
}

double KindPosteriors::keep(Vector<Index> locals, Vector<double> table) {
    const auto [kept, is_new] = tables_.insert_or_assign(std::move(locals), std::move(table));
    const Vector<Index>& own = kept->first;
    if (own.size() == 1) single_[own.front()] = kept->second.data();
    if (own.size() == 2) pairs_[own.front() * variables_.size() + own.back()] = kept->second.data();
    return is_new ? table_bytes + 8.0 * static_cast<double>(kept->second.size()) : 0.0;
}

Vector<double> KindPosteriors::eliminated(const double* values, Way& way, Poll& poll) const {
    Offset cells = 1;
    for (const Index states : way.last.states) cells *= states;
    // only cliques before the last variables' are worked out, so the room ends with them
    Offset room = 0;
    if (way.eliminated > 0) {
        const ComponentPlan::Clique& before = way.plan.cliques[way.eliminated - 1];
        room = before.message_begin + 2 * before.message_cells;
    }
    way.last.begin = room;
    way.last.cells = cells;
    Vector<double> numbers(static_cast<std::size_t>(room + cells));
    Vector<Index> count(std::max(most_axes(way.plan), way.last.states.size()));
    const std::size_t width = families_.size(), step = static_cast<std::size_t>(cells);
    Vector<double> table(numbers_.size() * step);
    for (std::size_t component = 0; component < numbers_.size(); ++component) {
        posterior(way, values, bases_.data() + component * width, numbers.data(), count, table.data() + component * step);
        poll(static_cast<std::int64_t>(way.plan.cost) + cells);
    }
    return table;
}

Vector<double> KindPosteriors::summed(const Vector<Index>& locals, Poll& poll) const {
    Vector<Offset> strides(variables_.size(), 0);
    Offset step = 1;
    for (std::size_t k = locals.size(); k-- > 0;) {
        strides[locals[k]] = step;
        step *= states_[locals[k]];
    }
    const auto cells = static_cast<std::size_t>(step);
    const double* from = known(all_);
    Vector<double> table(numbers_.size() * cells, 0.0);
    const ComponentPlan::Clique all{all_, states_, 0, this->cells(all_), 0, {}, 0, 0};
    Vector<Index> count(all_.size());
    for (std::size_t component = 0; component < numbers_.size(); ++component) {
        double* into = table.data() + component * cells;
        for_cells(all, strides.data(), count, [=](Offset cell, Offset index) { into[index] += from[cell]; });
        from += all.cells;
        poll(all.cells);
    }
    return table;
}

void KindPosteriors::posterior(const Way& way, const double* values, const Offset* bases, double* room, Vector<Index>& count,
                               double* into) const {
    for (std::size_t k = 0; k < way.eliminated; ++k) {
        multiply_factors(way.plan, way.plan.cliques[k], values, bases, room, count);
        send(way.plan.cliques[k], room);
    }
    multiply_factors(way.plan, way.last, values, bases, room, count);
    const double* cells = room + way.last.begin;
    const double total = std::accumulate(cells, cells + way.last.cells, 0.0);
    if (!(total > 0.0)) throw std::invalid_argument("what a row shows has probability zero");
    for (Offset cell = 0; cell < way.last.cells; ++cell) into[cell] = cells[cell] / total;
}

void KindPosteriors::forget() {
    tables_.clear();
    std::fill(single_.begin(), single_.end(), nullptr);
    std::fill(pairs_.begin(), pairs_.end(), nullptr);
}

}  // namespace dconvex
