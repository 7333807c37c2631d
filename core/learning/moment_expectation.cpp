#include "learning/moment_expectation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "common/interrupt.hpp"

namespace dconvex {
namespace {

constexpr Index blocks = 16;

// Adds rows to the moments of the families around one kind of component.
class FamilyMoments {
public:
    FamilyMoments(const Graph& graph, const LinearComponent& component, const Vector<Offset>& first_product,
                  std::span<double> sums, std::span<double> products) {
        const Ragged& parents = graph.parents();
        std::size_t widest = 0;
        for (const Index family : component.families) {
            const Indices own = parents[family];
            const auto number = static_cast<std::size_t>(family);
            for (const Index parent : own) add_member(component, parent);
            add_member(component, family);
            families_.push_back(
                {own.size() + 1, sums.data() + parents.offsets()[number] + family, products.data() + first_product[number]});
            widest = std::max(widest, own.size() + 1);
        }
        number_.resize(widest);
    }

    // What is observed, and the mean of what is missing.
    void add_row(const double* values, const double* mean, double weight) const {
        const Index* member = members_.data();
        for (const Family& family : families_) {
            for (std::size_t i = 0; i < family.width; ++i) {
                number_[i] = member[i] < 0 ? values[-1 - member[i]] : mean[member[i]];
                const double weighted = weight * number_[i];
                family.sums[i] += weighted;
                for (std::size_t j = 0; j <= i; ++j) family.products[i * family.width + j] += weighted * number_[j];
            }
            member += family.width;
        }
    }

    void add_covariances(const LinearPosterior& posterior, double weight) const {
        const Index* member = members_.data();
        for (const Family& family : families_) {
            for (std::size_t i = 0; i < family.width; ++i) {
                for (std::size_t j = 0; member[i] >= 0 && j <= i; ++j) {
                    if (member[j] < 0) continue;
                    family.products[i * family.width + j] += weight * posterior.covariance(member[i], member[j]);
                }
            }
            member += family.width;
        }
    }

private:
    struct Family {
        std::size_t width;
        double* sums;
        double* products;
    };

    void add_member(const LinearComponent& component, Index variable) {
        const Index local = component.local(variable);
        members_.push_back(local < 0 ? -1 - variable : local);
    }

    Vector<Family> families_;
    Vector<Index> members_;  // of all families: the number of a missing one, or -1 - the variable of an observed one
    mutable Vector<double> number_;
};

}  // namespace

ExpectedMoments::ExpectedMoments(std::shared_ptr<const Graph> graph)
    : graph_(std::move(graph)), family_weight_(static_cast<std::size_t>(graph_->size()), 0.0), first_product_(1, 0) {
    for (Index family = 0; family < graph_->size(); ++family) {
        const Offset width = graph_->parents().length(family) + 1;
        first_product_.push_back(first_product_.back() + width * width);
    }
}

void ExpectedMoments::add_rows(const double* values, Offset stride, Offset rows, std::span<const double> weights) {
    const auto size = static_cast<std::size_t>(graph_->size());
    RowComponents row(*graph_);
    Poll poll;
    for (Offset number = 0; number < rows; ++number) {
        const double weight = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(number)];
        poll(graph_->size() + 32);
        if (weight == 0.0) continue;
        const auto own = static_cast<Offset>(weights_.size());
        weights_.push_back(weight);
        values_.resize(values_.size() + size);
        double* into = values_.data() + static_cast<std::size_t>(own) * size;
        for (std::size_t v = 0; v < size; ++v) {
            into[v] = values[static_cast<Offset>(v) * stride + number];
            row.codes()[v] = std::isnan(into[v]) ? -1 : 0;
        }
        row.split(false);
        held_bytes_ += sizeof(double) * static_cast<double>(size + 1);
        missing_cells_ += weight * row.missing_cells();
        for (const Index family : row.families()) family_weight_[family] += weight;
        for (Index component = 0; component < row.size(); ++component) {
            Index kind = kind_index_.find(row.variables(component), row.families(component));
            if (kind < 0) {
                kind = kind_index_.add(row.variables(component), row.families(component));
                kinds_.push_back({LinearComponent(*graph_, row.variables(component), row.families(component)), {}});
                const LinearComponent& found = kinds_.back().component;
                held_bytes_ += sizeof(Kind) + 3.0 * sizeof(Index) * static_cast<double>(found.size() + found.families.size());
                if (found.workspace() > largest_workspace_) {
                    largest_workspace_ = found.workspace();
                    largest_component_.assign(row.variables(component).begin(), row.variables(component).end());
                }
            }
            kinds_[kind].rows.push_back(own);
            ++components_;
            held_bytes_ += sizeof(Offset);
        }
    }
}

void ExpectedMoments::finish() {
    cost_ = 0.0;
    for (const Kind& kind : kinds_) {
        cost_ += kind.component.cost() + kind.component.row_cost() * static_cast<double>(kind.rows.size());
    }
    block_start_.assign(1, {0, 0});
    double reached = 0.0;
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
        const Kind& kind = kinds_[k];
        for (std::size_t number = 0; number < kind.rows.size(); ++number) {
            const auto begun = static_cast<double>(block_start_.size());
            if (block_start_.size() < static_cast<std::size_t>(blocks) && reached >= begun * cost_ / blocks) {
                block_start_.push_back({static_cast<Index>(k), static_cast<Offset>(number)});
            }
            reached += (number ? 0.0 : kind.component.cost()) + kind.component.row_cost();
        }
    }
    block_start_.push_back({static_cast<Index>(kinds_.size()), 0});
}

void ExpectedMoments::check(const LinearRegressions& regressions, Index block, std::span<double> sums,
                            std::span<double> products) const {
    const auto size = static_cast<std::size_t>(graph_->size()), edges = graph_->parents().values().size();
    if (regressions.intercept.size() != size || regressions.variance.size() != size ||
        regressions.coefficients.size() != edges) {
        throw std::invalid_argument("there must be a regression for each variable");
    }
    if (sums.size() != size + edges || products.size() != static_cast<std::size_t>(first_product_.back())) {
        throw std::invalid_argument("there must be a number for each moment of the families");
    }
    if (block < 0 || block >= block_count()) throw std::invalid_argument("there is no such block");
}

ExpectedMoments::Expectation ExpectedMoments::expect(const LinearRegressions& regressions, Index block, std::span<double> sums,
                                                     std::span<double> products) const {
    check(regressions, block, sums, products);
    Expectation found;
    Place at = block_start_[block];
    const Place end = block_start_[block + 1];
    while (at.kind < end.kind || (at.kind == end.kind && at.row < end.row)) {
        const Kind& kind = kinds_[at.kind];
        const auto last = at.kind < end.kind ? static_cast<Offset>(kind.rows.size()) : end.row;
        const Expectation own = expect_rows(regressions, kind, at.row, last, sums, products);
        found.log_likelihood += own.log_likelihood;
        found.impossible_weight += own.impossible_weight;
        at = {at.kind + 1, 0};
    }
    return found;
}

ExpectedMoments::Expectation ExpectedMoments::expect_rows(const LinearRegressions& regressions, const Kind& kind, Offset first,
                                                          Offset last, std::span<double> sums,
                                                          std::span<double> products) const {
    const LinearComponent& component = kind.component;
    const LinearPosterior posterior(*graph_, component, regressions);
    const FamilyMoments moments(*graph_, component, first_product_, sums, products);
    Poll poll;
    poll(static_cast<std::int64_t>(component.cost()));
    Vector<double> mean(component.variables.size());
    Expectation found;
    double counted = 0.0;
    for (Offset k = first; k < last; ++k) {
        const auto row = static_cast<std::size_t>(kind.rows[static_cast<std::size_t>(k)]);
        const double* values = values_.data() + row * static_cast<std::size_t>(graph_->size());
        const double weight = weights_[row], density = posterior.solve(values, mean.data());
        poll(static_cast<std::int64_t>(component.row_cost()));
        if (density == -std::numeric_limits<double>::infinity()) {
            found.impossible_weight += weight;
            continue;
        }
        found.log_likelihood += weight * density;
        counted += weight;
        moments.add_row(values, mean.data(), weight);
    }
    moments.add_covariances(posterior, counted);
    return found;
}

}  // namespace dconvex
