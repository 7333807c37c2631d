// The index of families by cluster.

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <memory>

#include "clusters/cluster_index.hpp"
#include "clusters/separators.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"

namespace dconvex::python {
namespace {

using Own = nb::handle_t<ClusterIndex>;

template <const Vector<Index>& (ClusterIndex::*field)() const noexcept>
auto view_of(Own own) {
    return as_view((nb::cast<const ClusterIndex&>(own).*field)(), own);
}

std::shared_ptr<ClusterIndex> cluster_index(std::shared_ptr<Graph> graph, const Ragged& clusters, const Matrix<Index>& ends) {
    if (ends.shape(1) != 2) throw std::invalid_argument("an edge has two ends");
    const Indices flat(ends.data(), ends.size());
    nb::gil_scoped_release release;
    return std::make_shared<ClusterIndex>(std::move(graph), clusters, flat);
}

auto kept_clusters(const ClusterIndex& index, const Array<Index>& variables) {
    const Indices wanted = as_span(variables);
    const auto is_variable = [&](Index variable) { return variable >= 0 && variable < index.variable_count(); };
    if (!std::all_of(wanted.begin(), wanted.end(), is_variable)) throw std::invalid_argument("there is no such variable");
    const ClusterIndex::BorrowedMarks marks(index);
    Vector<Index> kept = index.kept_clusters(wanted, *marks);
    std::sort(kept.begin(), kept.end());
    return as_array(std::move(kept));
}

}  // namespace

void bind_clusters(nb::module_& module) {
    nb::class_<ClusterIndex>(module, "ClusterIndex")
        .def(nb::new_(&cluster_index), nb::arg("graph"), nb::arg("clusters"), nb::arg("ends"))
        .def_prop_ro("graph", [](const ClusterIndex& index) { return std::const_pointer_cast<Graph>(index.shared_graph()); })
        .def_prop_ro("clusters", &ClusterIndex::clusters, nb::rv_policy::reference_internal)
        .def_prop_ro("parent", &view_of<&ClusterIndex::parent>)
        .def_prop_ro("depth", &view_of<&ClusterIndex::depth>)
        .def_prop_ro("holders", &ClusterIndex::holders, nb::rv_policy::reference_internal)
        .def_prop_ro("top", &view_of<&ClusterIndex::top>)
        .def_prop_ro("smallest", &view_of<&ClusterIndex::smallest>)
        .def_prop_ro("member_table", &view_of<&ClusterIndex::member_table>)
        .def_prop_ro("toward", &view_of<&ClusterIndex::toward>)
        .def_prop_ro("table_count", &ClusterIndex::table_count)
        .def_prop_ro("table_variable", &view_of<&ClusterIndex::table_variable>)
        .def_prop_ro("table_parents", &ClusterIndex::table_parents, nb::rv_policy::reference_internal)
        .def_prop_ro("source", &view_of<&ClusterIndex::source>)
        .def_prop_ro("behind", &view_of<&ClusterIndex::behind>)
        .def("kept_clusters", &kept_clusters, nb::arg("variables"))
        .def("separators",
             [](const ClusterIndex& index) {
                 nb::gil_scoped_release release;
                 return separators_towards_root(index);
             })
        .def("find_inducing_separator",
             [](const ClusterIndex& index) {
                 nb::gil_scoped_release release;
                 return find_inducing_separator(index);
             })
        .def("__reduce__", [](Own own) {
            const ClusterIndex& index = nb::cast<const ClusterIndex&>(own);
            Vector<Index> ends;
            for (Index cluster = 1; cluster < index.clusters().size(); ++cluster) {
                ends.push_back(index.parent()[cluster]);
                ends.push_back(cluster);
            }
            return nb::make_tuple(own.type(),
                                  nb::make_tuple(own.attr("graph"), own.attr("clusters"), as_matrix(std::move(ends), 2)));
        });
}

}  // namespace dconvex::python
