// Markov equivalence: classes of graphs, and graphs of classes.

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include <stdexcept>
#include <utility>

#include "graph/equivalence.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"

namespace dconvex::python {
namespace {

Vector<Arc> as_arcs(const Matrix<Index>& pairs) {
    if (pairs.shape(1) != 2) throw std::invalid_argument("pairs must come in two columns");
    Vector<Arc> arcs;
    for (std::size_t k = 0; k < pairs.shape(0); ++k) arcs.push_back({pairs.data()[2 * k], pairs.data()[2 * k + 1]});
    return arcs;
}

nb::ndarray<nb::numpy, Index, nb::ndim<2>> as_pairs(const Vector<Arc>& arcs) {
    Vector<Index> ends;
    for (const Arc& arc : arcs) ends.insert(ends.end(), {arc.parent, arc.child});
    return as_matrix(std::move(ends), 2);
}

}  // namespace

void bind_equivalence(nb::module_& module) {
    nb::class_<Pdag>(module, "Pdag")
        .def(
            "__init__",
            [](Pdag* place, Index size, const Matrix<Index>& directed, const Matrix<Index>& undirected) {
                new (place) Pdag(Pdag::of(size, as_arcs(directed), as_arcs(undirected)));
            },
            nb::arg("size"), nb::arg("directed"), nb::arg("undirected"))
        .def("__len__", [](const Pdag& own) { return own.size; })
        .def_prop_ro(
            "directed", [](const Pdag& own) { return as_pairs(own.directed); }, nb::rv_policy::move)
        .def_prop_ro(
            "undirected", [](const Pdag& own) { return as_pairs(own.undirected); }, nb::rv_policy::move)
        .def("extension", [](const Pdag& own) {
            Extension found;
            {
                nb::gil_scoped_release release;
                found = extension_of(own);
            }
            return std::pair(std::move(found.parents), as_pairs(found.given_up));
        });
    module.def(
        "essential_graph",
        [](const Graph& graph) {
            nb::gil_scoped_release release;
            return essential_graph(graph);
        },
        nb::arg("graph"));
}

}  // namespace dconvex::python
