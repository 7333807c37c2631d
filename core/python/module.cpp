#include "python/bindings.hpp"

NB_MODULE(_core, module) {
    module.doc() = "The native core: graphs, inference and learning over plain numbers. `_core.pyi` describes it.";
    dconvex::python::bind_common(module);
    dconvex::python::bind_graph(module);
    dconvex::python::bind_clusters(module);
    dconvex::python::bind_inference(module);
    dconvex::python::bind_learning(module);
}
