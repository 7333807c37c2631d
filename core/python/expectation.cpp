// The E-step of EM.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <memory>
#include <optional>

#include "learning/expectation.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"

namespace dconvex::python {
namespace {

template <class Code>
void add_rows(ExpectedCounts& counts, const Matrix<Code>& codes, const std::optional<Array<double>>& weights) {
    if (static_cast<Index>(codes.shape(0)) != counts.layout().size()) {
        throw std::invalid_argument("there must be a line of states for each variable");
    }
    const auto rows = static_cast<Offset>(codes.shape(1));
    const std::span<const double> own = weights ? as_span(*weights) : std::span<const double>();
    if (weights && static_cast<Offset>(own.size()) != rows) throw std::invalid_argument("there must be a weight for each row");
    const Code* data = codes.data();
    nb::gil_scoped_release release;
    counts.add_rows(data, rows, rows, own);
}

}  // namespace

void bind_expectation(nb::module_& module) {
    using Own = nb::handle_t<ExpectedCounts>;
    nb::class_<ExpectedCounts>(module, "ExpectedCounts")
        .def(
            "__init__",
            [](ExpectedCounts* place, std::shared_ptr<Graph> graph, const Array<Index>& states) {
                new (place) ExpectedCounts(std::move(graph), as_vector(states));
            },
            nb::arg("graph"), nb::arg("states"))
        .def("add_rows", &add_rows<std::int8_t>, nb::arg("codes").noconvert(), nb::arg("weights").none())
        .def("add_rows", &add_rows<std::int16_t>, nb::arg("codes").noconvert(), nb::arg("weights").none())
        .def("add_rows", &add_rows<std::int32_t>, nb::arg("codes").noconvert(), nb::arg("weights").none())
        .def("finish", &ExpectedCounts::finish)
        .def_prop_ro("offsets", [](Own own) { return as_view(nb::cast<const ExpectedCounts&>(own).layout().offsets(), own); })
        .def_prop_ro("complete_counts",
                     [](Own own) { return as_view(nb::cast<const ExpectedCounts&>(own).complete_counts(), own); })
        .def_prop_ro("family_weights",
                     [](Own own) { return as_view(nb::cast<const ExpectedCounts&>(own).family_weights(), own); })
        .def_prop_ro("row_weight", &ExpectedCounts::row_weight)
        .def_prop_ro("missing_cells", &ExpectedCounts::missing_cells)
        .def_prop_ro("component_count", &ExpectedCounts::component_count)
        .def_prop_ro("largest_workspace", &ExpectedCounts::largest_workspace)
        .def_prop_ro("largest_component",
                     [](Own own) { return as_view(nb::cast<const ExpectedCounts&>(own).largest_component(), own); })
        .def_prop_ro("cost", &ExpectedCounts::cost)
        .def_prop_ro("block_count", &ExpectedCounts::block_count)
        .def(
            "expect",
            [](const ExpectedCounts& counts, const Array<double>& values, Index block, const Output<double>& into) {
                const std::span<const double> given = as_span(values);
                const std::span<double> out = as_span(into);
                nb::gil_scoped_release release;
                const ExpectedCounts::Expectation found = counts.expect(given, block, out);
                return std::pair(found.log_likelihood, found.impossible_weight);
            },
            nb::arg("values"), nb::arg("block"), nb::arg("counts"));
}

}  // namespace dconvex::python
