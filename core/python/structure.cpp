// Learning structures from complete columns of states.

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "structure/climbing.hpp"

namespace dconvex::python {

void bind_structure(nb::module_& module) {
    module.def("climb", [](const Matrix<std::uint8_t>& codes, const Array<Index>& states, const Ragged& start) {
        const Columns columns({codes.data(), codes.size()}, as_vector(states), static_cast<Offset>(codes.shape(1)));
        SetScore score(columns, Criterion::bic, 1.0);
        nb::gil_scoped_release release;
        Climb found = climb(score, EdgeConstraints{}, start);
        return std::tuple(std::move(found.parents), found.score, score.evaluations(), static_cast<std::int64_t>(found.moves.size()));
    });
}

}  // namespace dconvex::python
