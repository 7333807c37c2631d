// Rows with missing cells, weighed and filled in.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <string>

#include "learning/completion.hpp"
#include "learning/linear_completion.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"

namespace dconvex::python {
namespace {

template <class T>
using OutputMatrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

RowCompletion::Filling filling_of(const std::string& name) {
    if (name == "none") return RowCompletion::Filling::none;
    if (name == "most_probable") return RowCompletion::Filling::most_probable;
    if (name == "sample") return RowCompletion::Filling::sampled;
    throw std::invalid_argument("there is no such filling");
}

// The numbers of a matrix of the same shape, or null.
template <class Cells>
const double* noise_of(const std::optional<Matrix<double>>& noise, const Cells& cells) {
    if (!noise) return nullptr;
    if (noise->shape(0) != cells.shape(0) || noise->shape(1) != cells.shape(1)) {
        throw std::invalid_argument("there must be a number for each cell");
    }
    return noise->data();
}

template <class Cells>
void check_shape(const Cells& cells, Index variables, std::size_t results) {
    if (static_cast<Index>(cells.shape(0)) != variables) throw std::invalid_argument("there must be a line for each variable");
    if (cells.shape(1) != results) throw std::invalid_argument("there must be a result for each row");
}

void complete_states(const RowCompletion& own, const Array<double>& values, const OutputMatrix<Index>& codes,
                     const std::optional<Matrix<double>>& noise, const Output<double>& log_probability, bool is_drawn) {
    check_shape(codes, own.layout().size(), log_probability.size());
    const double* given = noise_of(noise, codes);
    if (is_drawn && given == nullptr) throw std::invalid_argument("drawn states need numbers to draw by");
    const auto rows = static_cast<Offset>(codes.shape(1));
    const std::span<const double> tables = as_span(values);
    const std::span<double> into = as_span(log_probability);
    Index* cells = codes.data();
    nb::gil_scoped_release release;
    own.complete(tables, cells, rows, rows, given, into);
}

void bind_states(nb::module_& module) {
    using Own = nb::handle_t<RowCompletion>;
    nb::class_<RowCompletion>(module, "RowCompletion")
        .def(
            "__init__",
            [](RowCompletion* place, std::shared_ptr<Graph> graph, const Array<Index>& states, const std::string& filling) {
                new (place) RowCompletion(std::move(graph), as_vector(states), filling_of(filling));
            },
            nb::arg("graph"), nb::arg("states"), nb::arg("filling"))
        .def(
            "plan",
            [](RowCompletion& own, const Matrix<Index>& codes) {
                check_shape(codes, own.layout().size(), codes.shape(1));
                const auto rows = static_cast<Offset>(codes.shape(1));
                const Index* cells = codes.data();
                nb::gil_scoped_release release;
                own.plan(cells, rows, rows);
            },
            nb::arg("codes"))
        .def_prop_ro("largest_workspace", &RowCompletion::largest_workspace)
        .def_prop_ro("largest_component",
                     [](Own own) { return as_view(nb::cast<const RowCompletion&>(own).largest_component(), own); })
        .def(
            "complete",
            [](const RowCompletion& own, const Array<double>& values, const OutputMatrix<Index>& codes,
               const std::optional<Matrix<double>>& noise, const Output<double>& log_probability) {
                complete_states(own, values, codes, noise, log_probability, own.is_drawn());
            },
            nb::arg("values"), nb::arg("codes"), nb::arg("noise").none(), nb::arg("log_probability"));
}

void bind_numbers(nb::module_& module) {
    using Own = nb::handle_t<LinearCompletion>;
    nb::class_<LinearCompletion>(module, "LinearCompletion")
        .def(
            "__init__",
            [](LinearCompletion* place, std::shared_ptr<Graph> graph, const Array<bool>& is_wanted) {
                Vector<char> flags(is_wanted.data(), is_wanted.data() + is_wanted.size());
                new (place) LinearCompletion(std::move(graph), std::move(flags));
            },
            nb::arg("graph"), nb::arg("is_wanted"))
        .def(
            "plan",
            [](LinearCompletion& own, const Matrix<double>& values) {
                check_shape(values, own.size(), values.shape(1));
                const auto rows = static_cast<Offset>(values.shape(1));
                const double* cells = values.data();
                nb::gil_scoped_release release;
                own.plan(cells, rows, rows);
            },
            nb::arg("values"))
        .def_prop_ro("largest_workspace", &LinearCompletion::largest_workspace)
        .def_prop_ro("largest_component",
                     [](Own own) { return as_view(nb::cast<const LinearCompletion&>(own).largest_component(), own); })
        .def(
            "complete",
            [](const LinearCompletion& own, const Array<double>& intercept, const Array<double>& coefficients,
               const Array<double>& variance, const OutputMatrix<double>& values, const std::optional<Matrix<double>>& noise,
               const Output<double>& log_density) {
                check_shape(values, own.size(), log_density.size());
                const LinearRegressions regressions{as_span(intercept), as_span(coefficients), as_span(variance)};
                const auto size = static_cast<std::size_t>(own.size());
                if (intercept.size() != size || variance.size() != size ||
                    static_cast<Offset>(coefficients.size()) != own.edges()) {
                    throw std::invalid_argument("there must be a regression for each variable");
                }
                const double* given = noise_of(noise, values);
                const auto rows = static_cast<Offset>(values.shape(1));
                const std::span<double> into = as_span(log_density);
                double* cells = values.data();
                nb::gil_scoped_release release;
                own.complete(regressions, cells, rows, rows, given, into);
            },
            nb::arg("intercept"), nb::arg("coefficients"), nb::arg("variance"), nb::arg("values"), nb::arg("noise").none(),
            nb::arg("log_density"));
}

}  // namespace

void bind_completion(nb::module_& module) {
    bind_states(module);
    bind_numbers(module);
}

}  // namespace dconvex::python
