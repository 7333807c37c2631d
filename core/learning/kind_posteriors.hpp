// The posteriors of components of one kind, which differ only in the observed cells around them.

#pragma once

#include <map>

#include "common/interrupt.hpp"
#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "learning/component_plan.hpp"

namespace dconvex {

// Posteriors of any of a kind's variables together: computed for all of its components at once, and kept until they are
// forgotten.
class KindPosteriors {
public:
    // The missing variables of the components and the families that touch them, both ascending.
    KindPosteriors(const FamilyLayout& layout, Indices variables, Indices families);

    Indices variables() const { return variables_; }
    Indices families() const { return families_; }
    // The number of the component whose families begin at these cells, where all that is missing has state 0.
    Index component(const Vector<Offset>& bases);

    // Variables are numbered within the kind, and ascend. Null where the posterior is not known; else that of component c
    // begins at number c times its cells, the last variable fastest.
    const double* known(const Vector<Index>& locals) const;
    const double* known(Index local) const { return single_[static_cast<std::size_t>(local)]; }
    const double* known(Index one, Index other) const {
        return pairs_[static_cast<std::size_t>(one) * variables_.size() + static_cast<std::size_t>(other)];
    }
    // The number of cells of one component's.
    Offset cells(const Vector<Index>& locals) const;
    // How the posterior of some variables is found: the others are eliminated, then what is left is multiplied. Where all
    // variables together have few states their posterior is kept too, and summed.
    struct Way {
        Vector<Index> locals;
        bool is_summed = false;
        ComponentPlan plan;
        std::size_t eliminated = 0;  // cliques
        ComponentPlan::Clique last;
        double bytes = 0.0;  // the most that finding and keeping the posterior takes
    };
    Way way_to(const FamilyLayout& layout, Vector<Index> locals) const;
    // Computes it from the tables of all families. Returns the bytes that it keeps. Throws std::invalid_argument where what a
    // row shows has probability zero.
    double find(const double* values, Way&& way, Poll& poll);
    void forget();

private:
    Way planned(const FamilyLayout& layout, Vector<Index> locals) const;
    Vector<double> eliminated(const double* values, Way& way, Poll& poll) const;
    // The posteriors of some of the variables, from that of all of them.
    Vector<double> summed(const Vector<Index>& locals, Poll& poll) const;
    double keep(Vector<Index> locals, Vector<double> table);
    void posterior(const Way& way, const double* values, const Offset* bases, double* room, Vector<Index>& count,
                   double* into) const;

    Vector<Index> variables_, families_, states_;
    std::map<Vector<Offset>, Index> numbers_;
    Vector<Offset> bases_;  // of each component, one after the other
    std::map<Vector<Index>, Vector<double>> tables_;
    Vector<const double*> single_, pairs_;
    Vector<Index> all_;      // 0, 1, …
    bool is_small_ = false;  // all together have few states
};

}  // namespace dconvex
