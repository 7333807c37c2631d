#include "python/bindings.hpp"

namespace dconvex::python {

void bind_graph(nanobind::module_&) {}

}  // namespace dconvex::python
