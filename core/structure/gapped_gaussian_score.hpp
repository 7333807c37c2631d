// Scores of families of Gaussian variables from rows with missing cells.

#pragma once

#include <cstdint>

#include "structure/gaussian_score.hpp"

namespace dconvex {

// The moments of rows that all show the same variables; those of the others are not a number.
struct MomentGroup {
    Vector<double> means;    // by variable
    Vector<double> scatter;  // sums of products of deviations, row after row
    double weight;
};

// Each family is scored in the rows that show it, by its average log-likelihood times the weight of all rows, with a penalty
// that outweighs the noise of different rows (as DiscreteScore has it).
class GappedGaussianScore final : public FamilyScore {
public:
    // Row r has the numbers rows[v * count + r], NaN where the cell is missing, and the weight weights[r]; groups are of other
    // rows. Throws std::invalid_argument where lengths do not fit, and for BGe, which cannot compare such families.
    GappedGaussianScore(Index size, Vector<MomentGroup> groups, Vector<double> rows, Vector<double> weights,
                        GaussianScore::Kind kind);

    Index size() const override { return size_; }
    double family(Index variable, Indices parents) override;
    double parameters(Index variable, Indices parents) const override;

private:
    void add(const double* means, const double* scatter, double weight);
    void add_group(const MomentGroup& group);
    void add_rows();

    Index size_;
    Vector<MomentGroup> groups_;
    Vector<double> rows_, weights_;
    std::int64_t count_;
    double weight_ = 0.0;
    GaussianScore::Kind kind_;
    // of the family at hand: its members, the variable last, and their moments so far
    Vector<Index> members_;
    Vector<double> means_, scatter_, part_means_, part_scatter_;
    double part_weight_ = 0.0;
    Vector<std::int64_t> chosen_;
};

}  // namespace dconvex
