// The cells of a clique of a component's plan: walking along them, and multiplying factors into them.

#pragma once

#include <algorithm>

#include "learning/component_plan.hpp"

namespace dconvex {

// Calls visit(cell, index) for each cell of a clique, the last variable fastest; the index follows a factor's strides. `count`
// has room for the clique's axes.
template <class Visit>
inline void for_cells(const ComponentPlan::Clique& clique, const Offset* strides, Vector<Index>& count, Visit visit) {
    const std::size_t axes = clique.states.size();
    const Index* states = clique.states.data();
    const Index inner = states[axes - 1];
    const Offset step = strides[axes - 1];
    if (axes == 1) {
        for (Index k = 0; k < inner; ++k) visit(k, k * step);
        return;
    }
    std::fill_n(count.begin(), axes, 0);
    Offset index = 0;
    for (Offset cell = 0; cell < clique.cells; cell += inner) {
        for (Index k = 0; k < inner; ++k) visit(cell + k, index + k * step);
        for (std::size_t axis = axes - 1; axis-- > 0;) {
            index += strides[axis];
            if (++count[axis] < states[axis]) break;
            index -= strides[axis] * states[axis];
            count[axis] = 0;
        }
    }
}

// Writes the product of a clique's factors: tables begin at values[bases[family]], messages lie in `room` as the plan says.
inline void multiply_factors(const ComponentPlan& plan, const ComponentPlan::Clique& clique, const double* values,
                             const Offset* bases, double* room, Vector<Index>& count) {
    double* cells = room + clique.begin;
    bool is_first = true;
    for (const ComponentPlan::Factor& factor : clique.factors) {
        const double* from =
            factor.is_message ? room + plan.cliques[factor.number].message_begin : values + bases[factor.number];
        if (is_first) {
            for_cells(clique, factor.strides.data(), count, [=](Offset cell, Offset index) { cells[cell] = from[index]; });
        } else {
            for_cells(clique, factor.strides.data(), count, [=](Offset cell, Offset index) { cells[cell] *= from[index]; });
        }
        is_first = false;
    }
}

// The most axes of any clique.
inline std::size_t most_axes(const ComponentPlan& plan) noexcept {
    std::size_t axes = 1;
    for (const ComponentPlan::Clique& clique : plan.cliques) axes = std::max(axes, clique.states.size());
    return axes;
}

}  // namespace dconvex
