#include "learning/completion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "common/interrupt.hpp"
#include "learning/clique_cells.hpp"

namespace dconvex {
namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();

// Eliminates the variables of one kind of component, and goes back to choose their states.
class Completion {
public:
    Completion(const ComponentPlan& plan, const Vector<char>& is_maximised, const double* values)
        : plan_(plan),
          is_maximised_(is_maximised),
          values_(values),
          room_(static_cast<std::size_t>(plan.workspace)),
          count_(most_axes(plan)),
          state_(plan.variables.size()) {}

    // The logarithm of the component's probability (of the most probable states where these are wanted), -inf for none.
    double eliminate(const Offset* bases) {
        double log_scale = 0.0;
        for (std::size_t k = 0; k < plan_.cliques.size(); ++k) {
            const ComponentPlan::Clique& clique = plan_.cliques[k];
            multiply_factors(plan_, clique, values_, bases, room_.data(), count_);
            const double largest = is_maximised_[k] ? send<true>(clique) : send<false>(clique);
            if (!(largest > 0.0)) return impossible;
            log_scale += std::log(largest);
        }
        return log_scale;
    }

    // The states that are the most probable, or with `draw` states by its numbers between zero and one: one for each variable.
    template <class Draw>
    const Vector<Index>& choose(bool is_drawn, Draw draw) {
        for (std::size_t k = plan_.cliques.size(); k-- > 0;) {
            const ComponentPlan::Clique& clique = plan_.cliques[k];
            if (!is_drawn && !is_maximised_[k]) continue;  // summed out
            const std::size_t kept = clique.variables.size() - static_cast<std::size_t>(clique.eliminated);
            Offset message = 0;
            for (std::size_t axis = 0; axis < kept; ++axis) {
                message = message * clique.states[axis] + state_[clique.variables[axis]];
            }
            Offset chosen = is_drawn ? drawn(clique, message, draw(clique.variables[kept])) : best(clique, message);
            for (std::size_t axis = clique.variables.size(); axis-- > kept;) {
                state_[clique.variables[axis]] = static_cast<Index>(chosen % clique.states[axis]);
                chosen /= clique.states[axis];
            }
        }
        return state_;
    }

private:
    // Sums out, or maximises over, the eliminated variables, and scales the message to a maximum of one: what it was before.
    template <bool maximises>
    double send(const ComponentPlan::Clique& clique) {
        const double* cells = room_.data() + clique.begin;
        double* message = room_.data() + clique.message_begin;
        const Offset inner = clique.cells / clique.message_cells;
        double largest = 0.0;
        for (Offset k = 0; k < clique.message_cells; ++k) {
            const double* own = cells + k * inner;
            double total = 0.0;
            for (Offset j = 0; j < inner; ++j) total = maximises ? std::max(total, own[j]) : total + own[j];
            message[k] = total;
            largest = std::max(largest, total);
        }
        if (!(largest > 0.0)) return 0.0;
        for (Offset k = 0; k < clique.message_cells; ++k) message[k] /= largest;
        return largest;
    }

    Offset best(const ComponentPlan::Clique& clique, Offset message) const {
        const Offset inner = clique.cells / clique.message_cells;
        const double* own = room_.data() + clique.begin + message * inner;
        return std::max_element(own, own + inner) - own;
    }

    Offset drawn(const ComponentPlan::Clique& clique, Offset message, double uniform) const {
        const Offset inner = clique.cells / clique.message_cells;
        const double* own = room_.data() + clique.begin + message * inner;
        double total = 0.0;
        for (Offset j = 0; j < inner; ++j) total += own[j];
        double left = uniform * total;
        Offset last = 0;  // rounding never lets an impossible state in
        for (Offset j = 0; j < inner; ++j) {
            if (!(own[j] > 0.0)) continue;
            last = j;
            left -= own[j];
            if (left < 0.0) break;
        }
        return last;
    }

    const ComponentPlan& plan_;
    const Vector<char>& is_maximised_;
    const double* values_;
    Vector<double> room_;
    Vector<Index> count_;
    Vector<Index> state_;
};

}  // namespace

RowCompletion::RowCompletion(std::shared_ptr<const Graph> graph, Vector<Index> states, Filling filling)
    : graph_(std::move(graph)), layout_(*graph_, std::move(states)), filling_(filling) {}

RowCompletion::Kind RowCompletion::planned(const RowComponents& row, Index component, const Vector<Index>& codes) const {
    const Indices variables = row.variables(component);
    Vector<char> is_last;
    const bool maximises = filling_ == Filling::most_probable;
    if (maximises) {
        for (const Index variable : variables) is_last.push_back(codes[variable] == wanted);
        if (std::all_of(is_last.begin(), is_last.end(), [&](char own) { return own == is_last.front(); })) is_last.clear();
    }
    Kind kind{planned_component(layout_, variables, row.families(component), is_last), {}};
    for (const ComponentPlan::Clique& clique : kind.plan.cliques) {
        const Index eliminated = clique.variables[clique.variables.size() - static_cast<std::size_t>(clique.eliminated)];
        kind.is_maximised.push_back(maximises && codes[kind.plan.variables[eliminated]] == wanted);
    }
    return kind;
}

void RowCompletion::plan(const Index* codes, Offset stride, Offset rows) {
    for (Index variable = 0; variable < layout_.size(); ++variable) {
        const Index *own = codes + variable * stride, states = layout_.states(variable);
        if (std::any_of(own, own + rows, [states](Index code) { return code >= states; })) {
            throw std::invalid_argument("a state is none of its variable's");
        }
    }
    RowComponents row(*graph_);
    Poll poll;
    for (Offset number = 0; number < rows; ++number) {
        for (Index variable = 0; variable < layout_.size(); ++variable)
            row.codes()[variable] = codes[variable * stride + number];
        row.split(filling_ != Filling::none);
        poll(layout_.size() + 32);
        for (Index component = 0; component < row.size(); ++component) {
            if (kind_index_.find(row.variables(component), row.families(component)) >= 0) continue;
            kinds_.push_back(planned(row, component, row.codes()));
            kind_index_.add(row.variables(component), row.families(component));
            const ComponentPlan& found = kinds_.back().plan;
            if (found.workspace > largest_workspace_) {
                largest_workspace_ = found.workspace;
                largest_component_ = found.variables;
            }
        }
    }
}

// The logarithm of the probability of the families whose cells are all there.
double RowCompletion::shown(std::span<const double> values, const Vector<Index>& codes) const {
    double total = 0.0;
    for (Index family = 0; family < layout_.size(); ++family) {
        const Indices members = layout_.members(family);
        const std::span<const Offset> strides = layout_.strides(family);
        Offset cell = layout_.offsets()[family];
        bool is_whole = true;
        for (std::size_t m = 0; m < members.size() && is_whole; ++m) {
            is_whole = codes[members[m]] >= 0;
            cell += codes[members[m]] * strides[m];
        }
        if (is_whole) total += std::log(values[static_cast<std::size_t>(cell)]);
    }
    return total;
}

void RowCompletion::complete(std::span<const double> values, Index* codes, Offset stride, Offset rows, const double* noise,
                             std::span<double> log_probability) const {
    if (static_cast<Offset>(values.size()) != layout_.cells()) throw std::invalid_argument("a table's numbers are missing");
    const bool is_drawn = filling_ == Filling::sampled;
    RowComponents row(*graph_);
    Vector<Offset> bases;
    Vector<std::pair<Index, Index>> filled;
    Poll poll;
    for (Offset number = 0; number < rows; ++number) {
        Vector<Index>& own = row.codes();
        for (Index variable = 0; variable < layout_.size(); ++variable) own[variable] = codes[variable * stride + number];
        double total = shown(values, own);
        filled.clear();
        row.split(filling_ != Filling::none);
        poll(4 * layout_.size() + 32);
        for (Index component = 0; component < row.size() && total != impossible; ++component) {
            const Index found = kind_index_.find(row.variables(component), row.families(component));
            if (found < 0) throw std::invalid_argument("a row was not planned for");
            const Kind& kind = kinds_[static_cast<std::size_t>(found)];
            bases.clear();
            for (const Index family : kind.plan.families) bases.push_back(layout_.base(family, own));
            Completion completion(kind.plan, kind.is_maximised, values.data());
            total += completion.eliminate(bases.data());
            poll(static_cast<std::int64_t>(kind.plan.cost));
            if (filling_ == Filling::none || total == impossible) continue;
            const Vector<Index>& states = completion.choose(is_drawn, [&](Index local) {
                return noise[kind.plan.variables[static_cast<std::size_t>(local)] * stride + number];
            });
            for (std::size_t k = 0; k < states.size(); ++k) {
                const Index variable = kind.plan.variables[k];
                if (own[variable] == wanted) filled.emplace_back(variable, states[k]);
            }
        }
        log_probability[static_cast<std::size_t>(number)] = total;
        if (total == impossible) continue;
        for (const auto& [variable, state] : filled) codes[variable * stride + number] = state;
    }
}

}  // namespace dconvex
