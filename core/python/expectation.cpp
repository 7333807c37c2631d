// The E-step of EM.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <memory>
#include <optional>
#include <utility>

#include "learning/expectation.hpp"
#include "learning/expected_tables.hpp"
#include "learning/moment_expectation.hpp"
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

void add_numbers(ExpectedMoments& moments, const Matrix<double>& values, const std::optional<Array<double>>& weights,
                 Index variables) {
    if (static_cast<Index>(values.shape(0)) != variables) {
        throw std::invalid_argument("there must be a line of numbers for each variable");
    }
    const auto rows = static_cast<Offset>(values.shape(1));
    const std::span<const double> own = weights ? as_span(*weights) : std::span<const double>();
    if (weights && static_cast<Offset>(own.size()) != rows) throw std::invalid_argument("there must be a weight for each row");
    const double* data = values.data();
    nb::gil_scoped_release release;
    moments.add_rows(data, rows, rows, own);
}

// Expected tables together with the rows that they are of.
template <class Code>
void make_tables(ExpectedTables* place, std::shared_ptr<Graph> graph, const Array<Index>& states, const Array<double>& values,
                 const Matrix<Code>& codes, const Array<double>& weights, double most_bytes, int threads) {
    if (static_cast<Index>(codes.shape(0)) != graph->size() || codes.shape(1) != weights.size()) {
        throw std::invalid_argument("there must be a line of states for each variable, and a weight for each row");
    }
    const std::span<const Code> own(codes.data(), codes.size());
    Vector<Index> sizes = as_vector(states);
    Vector<double> tables = as_vector(values);
    nb::gil_scoped_release release;
    ExpectedTables made(std::move(graph), std::move(sizes), std::move(tables), most_bytes, threads);
    made.set_rows(own, as_span(weights));
    new (place) ExpectedTables(std::move(made));
}

// The tables of sets of variables, or None.
nb::object tables_of(ExpectedTables& own, const nb::sequence& sets) {
    Vector<Vector<Index>> round;
    for (const nb::handle set : sets) {
        round.emplace_back();
        for (const nb::handle member : nb::borrow<nb::sequence>(set)) {
            const auto variable = nb::cast<Index>(member);
            const Index before = round.back().empty() ? -1 : round.back().back();
            if (variable <= before || variable >= own.size()) throw std::invalid_argument("variables of a set must ascend");
            round.back().push_back(variable);
        }
    }
    Vector<Vector<double>> tables;
    bool is_done = false;
    {
        nb::gil_scoped_release release;
        is_done = own.count(round, tables);
    }
    if (!is_done) return nb::none();
    nb::list found;
    for (Vector<double>& table : tables) found.append(as_array(std::move(table)));
    return found;
}

void bind_tables(nb::module_& module) {
    nb::class_<ExpectedTables>(module, "ExpectedTables")
        .def("__init__", &make_tables<std::int8_t>, nb::arg("graph"), nb::arg("states"), nb::arg("values"),
             nb::arg("codes").noconvert(), nb::arg("weights"), nb::arg("most_bytes"), nb::arg("threads") = 1)
        .def("__init__", &make_tables<std::int32_t>, nb::arg("graph"), nb::arg("states"), nb::arg("values"),
             nb::arg("codes").noconvert(), nb::arg("weights"), nb::arg("most_bytes"), nb::arg("threads") = 1)
        .def("tables_of", &tables_of, nb::arg("sets"))
        .def_prop_ro("refused_bytes", &ExpectedTables::refused_bytes);
}

void bind_moments(nb::module_& module) {
    using Own = nb::handle_t<ExpectedMoments>;
    nb::class_<ExpectedMoments>(module, "ExpectedMoments")
        .def(
            "__init__",
            [](ExpectedMoments* place, std::shared_ptr<Graph> graph) { new (place) ExpectedMoments(std::move(graph)); },
            nb::arg("graph"))
        .def(
            "add_rows",
            [](ExpectedMoments& own, const Matrix<double>& values, const std::optional<Array<double>>& weights) {
                add_numbers(own, values, weights, static_cast<Index>(own.family_weights().size()));
            },
            nb::arg("values"), nb::arg("weights").none())
        .def("finish", &ExpectedMoments::finish)
        .def_prop_ro("family_weights",
                     [](Own own) { return as_view(nb::cast<const ExpectedMoments&>(own).family_weights(), own); })
        .def_prop_ro("missing_cells", &ExpectedMoments::missing_cells)
        .def_prop_ro("component_count", &ExpectedMoments::component_count)
        .def_prop_ro("largest_workspace", &ExpectedMoments::largest_workspace)
        .def_prop_ro("largest_component",
                     [](Own own) { return as_view(nb::cast<const ExpectedMoments&>(own).largest_component(), own); })
        .def_prop_ro("cost", &ExpectedMoments::cost)
        .def_prop_ro("held_bytes", &ExpectedMoments::held_bytes)
        .def_prop_ro("block_count", &ExpectedMoments::block_count)
        .def(
            "expect",
            [](const ExpectedMoments& own, const Array<double>& intercept, const Array<double>& coefficients,
               const Array<double>& variance, Index block, const Output<double>& sums, const Output<double>& products) {
                const LinearRegressions regressions{as_span(intercept), as_span(coefficients), as_span(variance)};
                const std::span<double> into = as_span(sums), squares = as_span(products);
                nb::gil_scoped_release release;
                const ExpectedMoments::Expectation found = own.expect(regressions, block, into, squares);
                return std::pair(found.log_likelihood, found.impossible_weight);
            },
            nb::arg("intercept"), nb::arg("coefficients"), nb::arg("variance"), nb::arg("block"), nb::arg("sums"),
            nb::arg("products"));
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
        .def_prop_ro("held_bytes", &ExpectedCounts::held_bytes)
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
    bind_moments(module);
    bind_tables(module);
}

}  // namespace dconvex::python
