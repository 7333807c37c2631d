// Graphs: what is asked of a DAG without numbers.

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include <memory>

#include "graph/graph.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"

namespace dconvex::python {

void bind_graph(nb::module_& module) {
    module.def("find_cycle", [](const Ragged& parents) { return as_array(find_cycle(parents)); }, nb::arg("parents"));

    nb::class_<Graph>(module, "Graph")
        .def(nb::new_([](const Ragged& parents) { return std::make_shared<Graph>(parents); }), nb::arg("parents"))
        .def_prop_ro("parents", &Graph::parents, nb::rv_policy::reference_internal)
        .def_prop_ro("children", &Graph::children, nb::rv_policy::reference_internal)
        .def_prop_ro("order", [](nb::handle_t<Graph> own) { return as_view(nb::cast<const Graph&>(own).order(), own); })
        .def_prop_ro("rank", [](nb::handle_t<Graph> own) { return as_view(nb::cast<const Graph&>(own).rank(), own); })
        .def("__len__", &Graph::size)
        .def("__reduce__", [](nb::handle_t<Graph> own) {
            return nb::make_tuple(own.type(), nb::make_tuple(own.attr("parents")));
        });
}

}  // namespace dconvex::python
