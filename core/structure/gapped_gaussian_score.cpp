#include "structure/gapped_gaussian_score.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "common/interrupt.hpp"

namespace dconvex {

GappedGaussianScore::GappedGaussianScore(Index size, Vector<MomentGroup> groups, Vector<double> rows, Vector<double> weights,
                                         GaussianScore::Kind kind)
    : size_(size),
      groups_(std::move(groups)),
      rows_(std::move(rows)),
      weights_(std::move(weights)),
      count_(static_cast<std::int64_t>(weights_.size())),
      kind_(kind) {
    const auto count = static_cast<std::size_t>(size);
    if (rows_.size() != count * weights_.size()) throw std::invalid_argument("there must be a weight for each row");
    if (kind == GaussianScore::Kind::bge) throw std::invalid_argument("BGe cannot compare families where cells are missing");
    for (const MomentGroup& group : groups_) {
        const bool is_sound = group.means.size() == count && group.scatter.size() == count * count && group.weight >= 0;
        if (!is_sound) throw std::invalid_argument("a group of rows has moments of all variables");
        weight_ += group.weight;
    }
    weight_ = std::accumulate(weights_.begin(), weights_.end(), weight_);
}

// Adds moments of other rows to those so far.
void GappedGaussianScore::add(const double* means, const double* scatter, double weight) {
    if (!(weight > 0)) return;
    const std::size_t size = members_.size();
    const double total = part_weight_ + weight;
    const double both = part_weight_ * weight / total;
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            scatter_[i * size + j] += scatter[i * size + j] + both * (means[i] - means_[i]) * (means[j] - means_[j]);
        }
    }
    for (std::size_t i = 0; i < size; ++i) means_[i] += (means[i] - means_[i]) * (weight / total);
    part_weight_ = total;
}

void GappedGaussianScore::add_group(const MomentGroup& group) {
    const std::size_t size = members_.size();
    for (std::size_t i = 0; i < size; ++i) {
        part_means_[i] = group.means[members_[i]];
        if (std::isnan(part_means_[i])) return;
        for (std::size_t j = 0; j < size; ++j) {
            part_scatter_[i * size + j] = group.scatter[static_cast<std::size_t>(members_[i]) * size_ + members_[j]];
        }
    }
    add(part_means_.data(), part_scatter_.data(), group.weight);
}

void GappedGaussianScore::add_rows() {
    const std::size_t size = members_.size();
    chosen_.clear();
    double weight = 0.0;
    for (std::int64_t row = 0; row < count_; ++row) {
        bool is_shown = weights_[row] > 0;
        for (std::size_t i = 0; i < size && is_shown; ++i) is_shown = !std::isnan(rows_[members_[i] * count_ + row]);
        if (!is_shown) continue;
        chosen_.push_back(row);
        weight += weights_[row];
    }
    if (chosen_.empty()) return;
    for (std::size_t i = 0; i < size; ++i) {
        const double* own = rows_.data() + members_[i] * count_;
        double sum = 0.0;
        for (const std::int64_t row : chosen_) sum += weights_[row] * (own[row] - own[chosen_.front()]);
        part_means_[i] = own[chosen_.front()] + sum / weight;
    }
    for (std::size_t i = 0; i < size; ++i) {
        const double* one = rows_.data() + members_[i] * count_;
        for (std::size_t j = 0; j <= i; ++j) {
            const double* other = rows_.data() + members_[j] * count_;
            double sum = 0.0;
            for (const std::int64_t row : chosen_) {
                sum += weights_[row] * (one[row] - part_means_[i]) * (other[row] - part_means_[j]);
            }
            part_scatter_[i * size + j] = part_scatter_[j * size + i] = sum;
        }
    }
    add(part_means_.data(), part_scatter_.data(), weight);
}

double GappedGaussianScore::family(Index variable, Indices parents) {
    Poll poll;
    poll(count_ * static_cast<std::int64_t>((parents.size() + 1) * (parents.size() + 1)));
    members_.assign(parents.begin(), parents.end());
    members_.push_back(variable);
    const std::size_t size = members_.size();
    means_.assign(size, 0.0);
    scatter_.assign(size * size, 0.0);
    part_means_.resize(size);
    part_scatter_.resize(size * size);
    part_weight_ = 0.0;
    for (const MomentGroup& group : groups_) add_group(group);
    add_rows();
    if (!(part_weight_ > 0)) return -std::numeric_limits<double>::infinity();
    for (double& cell : scatter_) cell /= part_weight_;
    Vector<Index> first(parents.size());
    std::iota(first.begin(), first.end(), 0);
    GaussianScore own(means_, scatter_, part_weight_, GaussianScore::Kind::likelihood, {});
    const double average = own.family(static_cast<Index>(parents.size()), first) / part_weight_;
    if (kind_ == GaussianScore::Kind::likelihood) return average * part_weight_;
    const bool is_aic = kind_ == GaussianScore::Kind::aic;
    const double usual = (is_aic ? 1.0 : 0.5 * std::log(std::max(part_weight_, 1.0))) / part_weight_;
    const double penalty = std::max(usual, least_average_penalty(part_weight_, weight_));
    return weight_ * (average - penalty * parameters(variable, parents));
}

double GappedGaussianScore::parameters(Index, Indices parents) const { return static_cast<double>(parents.size()) + 2; }

}  // namespace dconvex
