// Searches over classes of equivalent graphs.

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <stdexcept>
#include <tuple>
#include <utility>

#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "structure/class_search.hpp"

namespace dconvex::python {
namespace {

void check_constraints(const FamilyScore& score, const EdgeConstraints& constraints, const Graph& start) {
    if (score.size() != constraints.size || start.size() != score.size()) {
        throw std::invalid_argument("the score, the constraints and the start are about different variables");
    }
    for (Index one = 0; one < constraints.size; ++one) {
        for (Index other = 0; other < constraints.size; ++other) {
            if (constraints.is_required(one, other)) throw std::invalid_argument("a class cannot be made to have an edge");
            if (constraints.is_forbidden(one, other) != constraints.is_forbidden(other, one)) {
                throw std::invalid_argument("an edge must be forbidden in both directions");
            }
        }
    }
}

auto moves_of(const ClassSearch& search) {
    Vector<Index> edges;
    Vector<double> gains;
    for (const ClassMove& move : search.history()) {
        edges.push_back(static_cast<Index>(move.kind));
        edges.push_back(move.parent);
        edges.push_back(move.child);
        gains.push_back(move.gain);
    }
    return std::tuple(as_matrix(std::move(edges), 3), as_array(std::move(gains)));
}

}  // namespace

void bind_class_search(nb::module_& module) {
    nb::class_<ClassSearch>(module, "ClassSearch")
        .def(
            "__init__",
            [](ClassSearch* place, FamilyScore& score, const EdgeConstraints& constraints, const Graph& start,
               std::int64_t attempts) {
                check_constraints(score, constraints, start);
                new (place) ClassSearch(score, constraints, start, attempts);
            },
            nb::arg("score"), nb::arg("constraints"), nb::arg("start"), nb::arg("attempts"), nb::keep_alive<1, 2>())
        .def("advance", &ClassSearch::advance, nb::arg("evaluations"), nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro(
            "graph", [](const ClassSearch& own) { return own.best().graph(); }, nb::rv_policy::move)
        .def_prop_ro("gained", &ClassSearch::gained)
        .def_prop_ro("evaluations", &ClassSearch::evaluations)
        .def_prop_ro("moves", &moves_of, nb::rv_policy::move);
}

}  // namespace dconvex::python
