// Exact search.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>

#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "structure/exact_search.hpp"

namespace dconvex::python {

void bind_exact_search(nb::module_& module) {
    nb::class_<ExactSearch> search(module, "ExactSearch");
    search
        .def(
            "__init__",
            [](ExactSearch* place, FamilyScore& score, const EdgeConstraints& constraints, std::optional<Array<double>> tops,
               double penalty) {
                if (score.size() != constraints.size) throw std::invalid_argument("the constraints are about other variables");
                std::optional<ScoreBound> bound;
                if (tops) {
                    if (static_cast<Index>(tops->size()) != score.size())
                        throw std::invalid_argument("each variable has a top");
                    bound = ScoreBound{penalty, as_vector(*tops)};
                }
                new (place) ExactSearch(score, constraints, std::move(bound));
            },
            nb::arg("score"), nb::arg("constraints"), nb::arg("tops").none(), nb::arg("penalty"), nb::keep_alive<1, 2>(),
            nb::keep_alive<1, 3>())
        .def("score_sets", &ExactSearch::score_sets, nb::arg("most"), nb::arg("most_scores"),
             nb::call_guard<nb::gil_scoped_release>())
        .def("largest_part", &ExactSearch::largest_part)
        .def("ordering_work", &ExactSearch::ordering_work, nb::call_guard<nb::gil_scoped_release>())
        .def("best_parents", &ExactSearch::best_parents, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("evaluations", &ExactSearch::evaluations)
        .def_prop_ro("held", &ExactSearch::held);
    search.attr("most_variables") = ExactSearch::most_variables;
    search.attr("bytes_per_subset") = ExactSearch::bytes_per_subset;
}

}  // namespace dconvex::python
