// The parts of the binding, one for each concept of the core.

#pragma once

#include <nanobind/nanobind.h>

namespace dconvex::python {

void bind_common(nanobind::module_& module);
void bind_graph(nanobind::module_& module);
void bind_equivalence(nanobind::module_& module);
void bind_clusters(nanobind::module_& module);
void bind_inference(nanobind::module_& module);
void bind_answers(nanobind::module_& module);
void bind_queries(nanobind::module_& module);
void bind_learning(nanobind::module_& module);
void bind_completion(nanobind::module_& module);
void bind_expectation(nanobind::module_& module);
void bind_structure(nanobind::module_& module);
void bind_structure_search(nanobind::module_& module);
void bind_class_search(nanobind::module_& module);
void bind_constraint_search(nanobind::module_& module);
void bind_exact_search(nanobind::module_& module);
void bind_storage(nanobind::module_& module);

}  // namespace dconvex::python
