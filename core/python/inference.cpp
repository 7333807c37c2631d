#include "python/bindings.hpp"

namespace dconvex::python {

void bind_inference(nanobind::module_&) {}

}  // namespace dconvex::python
