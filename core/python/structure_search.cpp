// Searches over graphs by moves.

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <stdexcept>
#include <tuple>
#include <utility>

#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "structure/structure_search.hpp"

namespace dconvex::python {
namespace {

// Throws std::invalid_argument unless the start is acyclic, has all required edges and no forbidden one.
AcyclicGraph checked_start(const EdgeConstraints& constraints, const Ragged& parents) {
    const Index size = constraints.size;
    if (parents.size() != size || !parents.is_within(size)) throw std::invalid_argument("the start has other variables");
    AcyclicGraph graph(size);
    for (Index child = 0; child < size; ++child) {
        for (const Index parent : parents[child]) {
            if (!graph.can_add(parent, child) || graph.has_edge(parent, child)) {
                throw std::invalid_argument("the start must be acyclic, each edge given once");
            }
            if (constraints.is_forbidden(parent, child)) throw std::invalid_argument("the start has a forbidden edge");
            graph.add(parent, child);
        }
        if (constraints.max_parents >= 0 && parents.length(child) > constraints.max_parents) {
            throw std::invalid_argument("the start has more parents than allowed");
        }
    }
    for (Index child = 0; child < size && !constraints.required.empty(); ++child) {
        for (Index parent = 0; parent < size; ++parent) {
            if (constraints.is_required(parent, child) && !graph.has_edge(parent, child)) {
                throw std::invalid_argument("the start lacks a required edge");
            }
        }
    }
    return graph;
}

auto moves_of(const StructureSearch& search) {
    Vector<Index> edges;
    Vector<double> gains;
    for (const Move& move : search.history()) {
        edges.push_back(static_cast<Index>(move.kind));
        edges.push_back(move.parent);
        edges.push_back(move.child);
        gains.push_back(move.gain);
    }
    return std::tuple(as_matrix(std::move(edges), 3), as_array(std::move(gains)));
}

// For each edge of the best graph, in the order of `parents`, what its removal and what its reversal gain; NaN where not
// allowed.
auto edge_gains_of(StructureSearch& search) {
    Vector<double> removal, reversal;
    {
        nb::gil_scoped_release release;
        search.find_edge_gains(removal, reversal);
    }
    return std::tuple(as_array(std::move(removal)), as_array(std::move(reversal)));
}

}  // namespace

void bind_structure_search(nb::module_& module) {
    nb::class_<StructureSearch>(module, "StructureSearch")
        .def(
            "__init__",
            [](StructureSearch* place, FamilyScore& score, const EdgeConstraints& constraints, const Ragged& start,
               std::int64_t budget, Index tabu_steps, std::uint64_t seed) {
                if (score.size() != constraints.size) throw std::invalid_argument("the constraints are about other variables");
                new (place) StructureSearch(score, constraints, checked_start(constraints, start),
                                            SearchOptions{budget, tabu_steps, seed});
            },
            nb::arg("score"), nb::arg("constraints"), nb::arg("start"), nb::arg("budget") = 0, nb::arg("tabu_steps") = 0,
            nb::arg("seed") = 0, nb::keep_alive<1, 2>())
        .def("advance", &StructureSearch::advance, nb::arg("evaluations"), nb::call_guard<nb::gil_scoped_release>())
        .def("edge_gains", &edge_gains_of)
        .def_prop_ro("parents", [](const StructureSearch& own) { return own.best().parent_lists(); })
        .def_prop_ro("is_loaded", &StructureSearch::is_loaded)
        .def_prop_ro("score", &StructureSearch::best_score)
        .def_prop_ro("evaluations", &StructureSearch::evaluations)
        .def("moves", &moves_of);
}

}  // namespace dconvex::python
