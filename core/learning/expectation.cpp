#include "learning/expectation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "common/interrupt.hpp"
#include "learning/clique_cells.hpp"

namespace dconvex {
namespace {

constexpr Index blocks = 16;
constexpr Offset rows_at_once = 4096;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t number) noexcept {
    hash = (hash ^ (number + 0x9E3779B97F4A7C15ULL)) * 0xBF58476D1CE4E5B9ULL;
    return hash ^ (hash >> 29);
}

}  // namespace

ExpectedCounts::ExpectedCounts(std::shared_ptr<const Graph> graph, Vector<Index> states)
    : graph_(std::move(graph)),
      layout_(*graph_, std::move(states)),
      complete_(static_cast<std::size_t>(layout_.cells()), 0.0),
      family_weight_(static_cast<std::size_t>(layout_.size()), 0.0) {}

template <class Code>
void ExpectedCounts::add_rows(const Code* codes, Offset stride, Offset rows, std::span<const double> weights) {
    for (Index variable = 0; variable < layout_.size(); ++variable) {
        const Code* own = codes + variable * stride;
        const Index states = layout_.states(variable);
        if (std::any_of(own, own + rows, [states](Code code) { return static_cast<Index>(code) >= states; })) {
            throw std::invalid_argument("a state is none of its variable's");
        }
    }
    count_complete(codes, stride, rows, weights);
    RowComponents row(*graph_);
    Vector<Index>& code = row.codes();
    Poll poll;
    for (Offset number = 0; number < rows; ++number) {
        const double weight = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(number)];
        row_weight_ += weight;
        bool is_complete = true;
        for (Index variable = 0; variable < layout_.size(); ++variable) {
            code[variable] = codes[variable * stride + number];
            is_complete &= code[variable] >= 0;
        }
        poll(layout_.size() + 32);
        if (is_complete || weight == 0.0) continue;
        row.split(false);
        missing_cells_ += weight * row.missing_cells();
        for (const Index family : row.families()) family_weight_[family] += weight;
        add_components(row, code, weight);
    }
}

// Counts the families whose cells are all there, a family and some rows at a time.
template <class Code>
void ExpectedCounts::count_complete(const Code* codes, Offset stride, Offset rows, std::span<const double> weights) {
    Vector<Offset> cell(static_cast<std::size_t>(rows_at_once));
    Vector<char> is_whole(static_cast<std::size_t>(rows_at_once));
    Poll poll;
    for (Index family = 0; family < layout_.size(); ++family) {
        const Indices members = layout_.members(family);
        const std::span<const Offset> strides = layout_.strides(family);
        double* counts = complete_.data() + layout_.offsets()[family];
        for (Offset first = 0; first < rows; first += rows_at_once) {
            const Offset many = std::min(rows_at_once, rows - first);
            std::fill_n(cell.begin(), many, 0);
            std::fill_n(is_whole.begin(), many, char{1});
            for (std::size_t m = 0; m < members.size(); ++m) {
                const Code* own = codes + members[m] * stride + first;
                for (Offset k = 0; k < many; ++k) {
                    cell.data()[k] += own[k] * strides[m];
                    is_whole.data()[k] &= static_cast<char>(own[k] >= 0);
                }
            }
            double weight = 0.0;
            for (Offset k = 0; k < many; ++k) {
                if (!is_whole.data()[k]) continue;
                const double own = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(first + k)];
                counts[cell.data()[k]] += own;
                weight += own;
            }
            family_weight_[family] += weight;
            poll(many * static_cast<Offset>(members.size()));
        }
    }
}

void ExpectedCounts::add_components(const RowComponents& row, const Vector<Index>& codes, double weight) {
    for (Index component = 0; component < row.size(); ++component) {
        const Indices families = row.families(component);
        bases_.clear();
        for (const Index family : families) bases_.push_back(layout_.base(family, codes));
        add_component(kinds_[kind_of(row.variables(component), families)], bases_, weight);
    }
}

Index ExpectedCounts::kind_of(Indices variables, Indices families) {
    const Index known = kind_index_.find(variables, families);
    if (known >= 0) return known;
    kinds_.push_back({planned_component(layout_, variables, families), {}, {}, {}});
    const ComponentPlan& plan = kinds_.back().plan;
    if (plan.workspace > largest_workspace_) {
        largest_workspace_ = plan.workspace;
        largest_component_ = plan.variables;
    }
    held_bytes_ += plan.bytes();
    return kind_index_.add(variables, families);
}

void ExpectedCounts::add_component(Kind& kind, const Vector<Offset>& bases, double weight) {
    const std::size_t width = bases.size();
    const auto slot_of = [&kind, width](const Offset* own) {
        std::uint64_t hash = 0;
        for (std::size_t k = 0; k < width; ++k) hash = mixed(hash, static_cast<std::uint64_t>(own[k]));
        const std::size_t mask = kind.slots.size() - 1;
        std::size_t slot = static_cast<std::size_t>(hash >> 20) & mask;
        while (kind.slots[slot] >= 0 &&
               !std::equal(own, own + width, kind.bases.data() + static_cast<std::size_t>(kind.slots[slot]) * width)) {
            slot = (slot + 1) & mask;
        }
        return slot;
    };
    if (2 * (kind.weights.size() + 1) > kind.slots.size()) {
        kind.slots.assign(std::max<std::size_t>(4, 4 * kind.slots.size()), -1);
        for (std::size_t component = 0; component < kind.weights.size(); ++component) {
            kind.slots[slot_of(kind.bases.data() + component * width)] = static_cast<Index>(component);
        }
    }
    const std::size_t slot = slot_of(bases.data());
    if (kind.slots[slot] >= 0) {
        kind.weights[kind.slots[slot]] += weight;
        return;
    }
    kind.slots[slot] = static_cast<Index>(kind.weights.size());
    kind.bases.insert(kind.bases.end(), bases.begin(), bases.end());
    kind.weights.push_back(weight);
    cost_ += kind.plan.cost;
    held_bytes_ += 8.0 * static_cast<double>(width + 1) + 2.0 * sizeof(Index);
    ++components_;
}

void ExpectedCounts::finish() {
    block_start_.assign(1, {0, 0});
    double reached = 0.0;
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
        Kind& kind = kinds_[k];
        kind.slots = {};
        for (std::size_t component = 0; component < kind.weights.size(); ++component) {
            const auto begun = static_cast<double>(block_start_.size());
            if (block_start_.size() < static_cast<std::size_t>(blocks) && reached >= begun * cost_ / blocks) {
                block_start_.push_back({static_cast<Index>(k), static_cast<Index>(component)});
            }
            reached += kind.plan.cost;
        }
    }
    block_start_.push_back({static_cast<Index>(kinds_.size()), 0});
}

// ---- The posterior of a component ----------------------------------------------------------------------------------------

namespace {

// Runs the plan of a kind for one component after the other, in one workspace.
class Elimination {
public:
    Elimination(const ComponentPlan& plan, std::span<const double> values, std::span<double> counts)
        : plan_(plan), values_(values.data()), counts_(counts.data()), room_(static_cast<std::size_t>(plan.workspace)) {
        count_.resize(most_axes(plan));
    }

    // Adds the expected counts; the logarithm of the component's probability, -inf where it is impossible.
    double add(const Offset* bases, double weight) {
        double log_scale = 0.0;
        for (const ComponentPlan::Clique& clique : plan_.cliques) {
            multiply_factors(plan_, clique, values_, bases, room_.data(), count_);
            const double largest = send(clique);
            if (!(largest > 0.0)) return -std::numeric_limits<double>::infinity();
            log_scale += std::log(largest);
        }
        for (std::size_t k = plan_.cliques.size(); k-- > 0;) come_back(plan_.cliques[k], bases, weight);
        return log_scale;
    }

private:
    // Sums out the eliminated variables and scales the message, and the cells, to a maximum of one: what it was before.
    double send(const ComponentPlan::Clique& clique) {
        double* cells = room_.data() + clique.begin;
        double* message = room_.data() + clique.message_begin;
        const Offset inner = clique.cells / clique.message_cells;
        double largest = 0.0;
        for (Offset k = 0; k < clique.message_cells; ++k) {
            double total = 0.0;
            for (Offset j = 0; j < inner; ++j) total += cells[k * inner + j];
            message[k] = total;
            largest = std::max(largest, total);
        }
        if (!(largest > 0.0)) return 0.0;
        for (Offset k = 0; k < clique.cells; ++k) cells[k] /= largest;
        for (Offset k = 0; k < clique.message_cells; ++k) message[k] /= largest;
        return largest;
    }

    // What comes back to a clique is the posterior of its message's variables over the message; a message that is zero belongs
    // to cells that are all zero, so nothing is lost where it cannot be divided by.
    void come_back(const ComponentPlan::Clique& clique, const Offset* bases, double weight) {
        double* cells = room_.data() + clique.begin;
        const double* message = room_.data() + clique.message_begin;
        const double* back = message + clique.message_cells;
        const Offset inner = clique.cells / clique.message_cells;
        const bool is_last = clique.message_cells == 1;  // nothing else depends on it: its own sum is the whole
        for (Offset k = 0; k < clique.message_cells; ++k) {
            const double factor = is_last ? 1.0 / message[k] : message[k] > 0.0 ? back[k] / message[k] : 0.0;
            for (Offset j = 0; j < inner; ++j) cells[k * inner + j] *= factor;
        }
        for (const ComponentPlan::Factor& factor : clique.factors) {
            if (factor.is_message) {
                const ComponentPlan::Clique& sender = plan_.cliques[factor.number];
                if (sender.message_cells == 1) continue;
                double* into = room_.data() + sender.message_begin + sender.message_cells;
                std::fill_n(into, sender.message_cells, 0.0);
                for_cells(clique, factor.strides.data(), count_,
                          [=](Offset cell, Offset index) { into[index] += cells[cell]; });
            } else {
                double* into = counts_ + bases[factor.number];
                for_cells(clique, factor.strides.data(), count_,
                          [=](Offset cell, Offset index) { into[index] += weight * cells[cell]; });
            }
        }
    }

    const ComponentPlan& plan_;
    const double* values_;
    double* counts_;
    Vector<double> room_;
    Vector<Index> count_;
};

}  // namespace

ExpectedCounts::Expectation ExpectedCounts::expect(std::span<const double> values, Index block,
                                                   std::span<double> counts) const {
    if (static_cast<Offset>(values.size()) != layout_.cells() || static_cast<Offset>(counts.size()) != layout_.cells()) {
        throw std::invalid_argument("there must be a number for each cell of the families");
    }
    if (block < 0 || block >= block_count()) throw std::invalid_argument("there is no such block");
    Expectation found;
    Poll poll;
    Place at = block_start_[block];
    const Place end = block_start_[block + 1];
    while (at.kind < end.kind || (at.kind == end.kind && at.component < end.component)) {
        const Kind& kind = kinds_[at.kind];
        const auto last = at.kind < end.kind ? static_cast<Index>(kind.weights.size()) : end.component;
        const std::size_t width = kind.plan.families.size();
        Elimination elimination(kind.plan, values, counts);
        for (; at.component < last; ++at.component) {
            const double weight = kind.weights[at.component];
            const double log_probability = elimination.add(kind.bases.data() + at.component * width, weight);
            if (log_probability == -std::numeric_limits<double>::infinity()) {
                found.impossible_weight += weight;
            } else {
                found.log_likelihood += weight * log_probability;
            }
            poll(static_cast<std::int64_t>(kind.plan.cost));
        }
        at = {at.kind + 1, 0};
    }
    return found;
}

template void ExpectedCounts::add_rows(const std::int8_t*, Offset, Offset, std::span<const double>);
template void ExpectedCounts::add_rows(const std::int16_t*, Offset, Offset, std::span<const double>);
template void ExpectedCounts::add_rows(const std::int32_t*, Offset, Offset, std::span<const double>);

}  // namespace dconvex
