// A score with a price for each edge: that of a prior over graphs by which edges are improbable.

#pragma once

#include "structure/family_score.hpp"

namespace dconvex {

class PenalisedScore final : public FamilyScore {
public:
    // The score must outlive it.
    PenalisedScore(FamilyScore& score, double edge_penalty) : score_(score), edge_penalty_(edge_penalty) {}

    Index size() const override { return score_.size(); }

    double family(Index variable, Indices parents) override {
        return score_.family(variable, parents) - penalty(parents.size());
    }

    void with_each(Index variable, Indices parents, Indices candidates, std::span<double> scores) override {
        score_.with_each(variable, parents, candidates, scores);
        const double all = penalty(parents.size() + 1);
        for (std::size_t k = 0; k < candidates.size(); ++k) scores[k] -= all;
    }

    double most_gain(Index variable, Indices parents, Index candidate, double own) const override {
        return score_.most_gain(variable, parents, candidate, own + penalty(parents.size())) - edge_penalty_;
    }

    double parameters(Index variable, Indices parents) const override { return score_.parameters(variable, parents); }

    Dependence dependence(Index variable, Indices parents, Index candidate) override {
        return score_.dependence(variable, parents, candidate);
    }

private:
    double penalty(std::size_t edges) const { return edge_penalty_ * static_cast<double>(edges); }

    FamilyScore& score_;
    double edge_penalty_;
};

}  // namespace dconvex
