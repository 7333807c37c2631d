#include "python/bindings.hpp"

NB_MODULE(_core, module) {
    nanobind::set_leak_warnings(false);  // what a module or a cache still holds when Python ends is no leak
    module.doc() = "The native core: graphs, inference and learning over plain numbers. `_core.pyi` describes it.";
    dconvex::python::bind_common(module);
    dconvex::python::bind_graph(module);
    dconvex::python::bind_equivalence(module);
    dconvex::python::bind_clusters(module);
    dconvex::python::bind_inference(module);
    dconvex::python::bind_answers(module);
    dconvex::python::bind_queries(module);
    dconvex::python::bind_learning(module);
    dconvex::python::bind_completion(module);
    dconvex::python::bind_expectation(module);
    dconvex::python::bind_structure(module);
    dconvex::python::bind_structure_search(module);
    dconvex::python::bind_class_search(module);
    dconvex::python::bind_constraint_search(module);
    dconvex::python::bind_exact_search(module);
    dconvex::python::bind_storage(module);
}
