#include "python/bindings.hpp"

namespace dconvex::python {

void bind_learning(nanobind::module_&) {}

}  // namespace dconvex::python
