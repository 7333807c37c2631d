// Ragged lists, the count of native memory, and Ctrl-C.

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <stdexcept>

#include "common/interrupt.hpp"
#include "common/memory.hpp"
#include "common/ragged.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/watching.hpp"

namespace dconvex::python {
namespace {

void translate_interrupted(const std::exception_ptr& error, void*) {
    try {
        std::rethrow_exception(error);
    } catch (const Interrupted&) {
        if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
}

Ragged ragged_from_lists(nb::iterable lists) {
    Vector<Offset> offsets(1, 0);
    Vector<Index> values;
    for (nb::handle list : lists) {
        for (nb::handle value : nb::cast<nb::iterable>(list)) values.push_back(nb::cast<Index>(value));
        offsets.push_back(static_cast<Offset>(values.size()));
    }
    return Ragged(std::move(offsets), std::move(values));
}

Index checked_list(const Ragged& ragged, std::int64_t list) {
    if (list < 0 || list >= ragged.size()) throw nb::index_error("there is no such list");
    return static_cast<Index>(list);
}

}  // namespace

void bind_common(nb::module_& module) {
    set_interrupt_check(has_signal);
    nb::register_exception_translator(translate_interrupted);

    module.def("allocated_bytes", &allocated_bytes);
    module.def("peak_bytes", &peak_bytes);
    module.def("reset_peak_bytes", &reset_peak_bytes);

    nb::class_<Cancellation>(module, "Cancellation")
        .def(nb::init<>())
        .def("cancel", &Cancellation::cancel)
        .def_prop_ro("is_cancelled", &Cancellation::is_cancelled)
        .def(
            "__enter__", [](const Cancellation& task) { set_current_task(&task); }, nb::rv_policy::none)
        .def("__exit__", [](const Cancellation&, nb::args) { set_current_task(nullptr); });

    nb::class_<Ragged>(module, "Ragged")
        .def(
            "__init__",
            [](Ragged* place, const Array<Offset>& offsets, const Array<Index>& values) {
                new (place) Ragged(as_vector(offsets), as_vector(values));
            },
            nb::arg("offsets"), nb::arg("values"))
        .def_static("from_lists", &ragged_from_lists, nb::arg("lists"))
        .def_static(
            "from_pairs",
            [](const Array<Index>& owners, const Array<Index>& values, Index size) {
                return Ragged::from_pairs(as_span(owners), as_span(values), size);
            },
            nb::arg("owners"), nb::arg("values"), nb::arg("size"))
        .def_prop_ro("offsets", [](nb::handle_t<Ragged> own) { return as_view(nb::cast<const Ragged&>(own).offsets(), own); })
        .def_prop_ro("values", [](nb::handle_t<Ragged> own) { return as_view(nb::cast<const Ragged&>(own).values(), own); })
        .def("__len__", &Ragged::size)
        .def(
            "__getitem__",
            [](nb::handle_t<Ragged> own, std::int64_t list) {
                const Ragged& ragged = nb::cast<const Ragged&>(own);
                const Indices values = ragged[checked_list(ragged, list)];
                return nb::ndarray<nb::numpy, const Index, nb::ndim<1>>(values.data(), {values.size()}, own);
            },
            nb::arg("index"))
        .def("owners", [](const Ragged& ragged) { return as_array(ragged.owners()); })
        .def("reversed", &Ragged::reversed, nb::arg("size"))
        .def("__eq__", [](const Ragged& one, const Ragged& other) { return one == other; })
        .def("__eq__", [](const Ragged&, nb::handle) { return false; })
        .def("__getstate__", [](nb::handle_t<Ragged> own) { return nb::make_tuple(own.attr("offsets"), own.attr("values")); })
        .def("__setstate__", [](Ragged& place, std::tuple<Array<Offset>, Array<Index>> state) {
            new (&place) Ragged(as_vector(std::get<0>(state)), as_vector(std::get<1>(state)));
        });
}

}  // namespace dconvex::python
