#include "learning/linear_completion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "common/interrupt.hpp"

namespace dconvex {
namespace {

// A component of a row: its kind, and the row.
struct Place {
    Index kind;
    Offset row;
};

}  // namespace

LinearCompletion::LinearCompletion(std::shared_ptr<const Graph> graph, Vector<char> is_wanted)
    : graph_(std::move(graph)),
      is_wanted_(std::move(is_wanted)),
      fills_(std::any_of(is_wanted_.begin(), is_wanted_.end(), [](char own) { return own != 0; })) {
    if (static_cast<Index>(is_wanted_.size()) != graph_->size()) throw std::invalid_argument("every variable needs a flag");
}

void LinearCompletion::set_row(RowComponents& row, const double* values, Offset stride, Offset number) const {
    for (Index variable = 0; variable < graph_->size(); ++variable) {
        const bool is_missing = std::isnan(values[variable * stride + number]);
        row.codes()[variable] = !is_missing ? 0 : is_wanted_[variable] ? -1 : -2;
    }
    row.split(fills_);
}

void LinearCompletion::plan(const double* values, Offset stride, Offset rows) {
    RowComponents row(*graph_);
    ComponentIndex kinds;
    Poll poll;
    for (Offset number = 0; number < rows; ++number) {
        set_row(row, values, stride, number);
        poll(graph_->size() + 32);
        for (Index component = 0; component < row.size(); ++component) {
            if (kinds.find(row.variables(component), row.families(component)) >= 0) continue;
            kinds.add(row.variables(component), row.families(component));
            const double needed = LinearComponent(*graph_, row.variables(component), row.families(component)).workspace();
            if (needed <= largest_workspace_) continue;
            largest_workspace_ = needed;
            largest_component_.assign(row.variables(component).begin(), row.variables(component).end());
        }
    }
}

void LinearCompletion::complete(const LinearRegressions& regressions, double* values, Offset stride, Offset rows,
                                const double* noise, std::span<double> log_density) const {
    RowComponents row(*graph_);
    ComponentIndex kinds;
    Vector<Place> places;
    Poll poll;
    for (Offset number = 0; number < rows; ++number) {
        set_row(row, values, stride, number);
        poll(graph_->size() + 32);
        for (Index component = 0; component < row.size(); ++component) {
            Index kind = kinds.find(row.variables(component), row.families(component));
            if (kind < 0) kind = kinds.add(row.variables(component), row.families(component));
            places.push_back({kind, number});
        }
        log_density[static_cast<std::size_t>(number)] = 0.0;
    }
    std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.kind < b.kind; });
    const auto size = static_cast<std::size_t>(graph_->size());
    Vector<double> whole(size), mean;
    Vector<std::pair<Offset, double>> filled;  // written at the end: rows have several components
    for (std::size_t at = 0; at < places.size();) {
        const Index kind = places[at].kind;
        const LinearComponent component(*graph_, kinds.variables(kind), kinds.families(kind));
        const LinearPosterior posterior(*graph_, component, regressions);
        poll(static_cast<std::int64_t>(component.cost()));
        const std::size_t count = component.variables.size();
        mean.resize(count);
        for (; at < places.size() && places[at].kind == kind; ++at) {
            const Offset number = places[at].row;
            for (std::size_t v = 0; v < size; ++v) whole[v] = values[static_cast<Offset>(v) * stride + number];
            log_density[static_cast<std::size_t>(number)] += posterior.solve(whole.data(), mean.data());
            poll(static_cast<std::int64_t>(component.row_cost()));
            for (std::size_t k = 0; k < count && fills_; ++k) {
                const Index variable = component.variables[k];
                if (!is_wanted_[variable]) continue;
                double value = mean[k];
                for (std::size_t j = 0; noise != nullptr && j < count; ++j) {
                    value += posterior.root()[k * count + j] * noise[component.variables[j] * stride + number];
                }
                filled.emplace_back(variable * stride + number, value);
            }
        }
    }
    for (const auto& [cell, value] : filled) {
        if (std::isfinite(log_density[static_cast<std::size_t>(cell % stride)])) values[cell] = value;
    }
}

}  // namespace dconvex
