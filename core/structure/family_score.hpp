// A score of structures: a sum over families, each a pure function of the data. All that a search asks of the data.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "common/memory.hpp"
#include "common/ragged.hpp"

namespace dconvex {

struct Dependence {
    double gain = 0.0;
    double degrees = 0.0;
};

// Scores of families by index. Searches know no more of the data than this, so an oracle can take its place.
class FamilyScore {
public:
    virtual ~FamilyScore() = default;

    // The number of variables.
    virtual Index size() const = 0;
    // The score of a variable given parents, which ascend.
    virtual double family(Index variable, Indices parents) = 0;
    // The scores of a variable given the parents and one of the candidates each, none of which is a parent or the variable.
    virtual void with_each(Index variable, Indices parents, Indices candidates, std::span<double> scores) {
        Vector<Index> larger;
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            larger.assign(parents.begin(), parents.end());
            larger.insert(std::lower_bound(larger.begin(), larger.end(), candidates[k]), candidates[k]);
            scores[k] = family(variable, larger);
        }
    }
    // What adding the candidate to the parents gains at most, where that is known without counting; `own` is the score of the
    // family as it is.
    virtual double most_gain(Index variable, Indices parents, Index candidate, double own) const {
        static_cast<void>(variable), static_cast<void>(parents), static_cast<void>(candidate), static_cast<void>(own);
        return std::numeric_limits<double>::infinity();
    }
    // The free parameters of a family.
    virtual double parameters(Index variable, Indices parents) const = 0;
    // How much one more parent gains, and with how many degrees of freedom, where the score is a likelihood: what a test of
    // independence asks. The candidate is neither a parent nor the variable.
    virtual Dependence dependence(Index variable, Indices parents, Index candidate) {
        Vector<Index> larger(parents.begin(), parents.end());
        larger.insert(std::lower_bound(larger.begin(), larger.end(), candidate), candidate);
        return {family(variable, larger) - family(variable, parents),
                parameters(variable, larger) - parameters(variable, parents)};
    }
};

// The least penalty of a parameter, in units of the average log-likelihood, where a family is scored in `count` of rows of
// weight `all`. It falls more slowly than the noise of averages over different rows does, so that more parents are not taken
// for it (Balov 2013; Bodewes and Scutari 2021), and is none for a family that all rows show.
inline double least_average_penalty(double count, double all) {
    return 0.7 * std::pow(all, -0.49) * std::sqrt(std::max(all / count - 1.0, 0.0));
}

// What a graph must and must not have, by edge (parent * size + child).
struct EdgeConstraints {
    Index size = 0;
    Vector<char> required;   // empty: none
    Vector<char> forbidden;  // empty: none
    Index max_parents = -1;  // -1: no limit

    bool is_required(Index parent, Index child) const {
        return !required.empty() && required[static_cast<std::size_t>(parent) * size + child];
    }
    bool is_forbidden(Index parent, Index child) const {
        return !forbidden.empty() && forbidden[static_cast<std::size_t>(parent) * size + child];
    }
};

}  // namespace dconvex
