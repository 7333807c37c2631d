#include "python/bindings.hpp"

namespace dconvex::python {

void bind_clusters(nanobind::module_&) {}

}  // namespace dconvex::python
