// Searches by tests of independence.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "structure/independence.hpp"
#include "structure/orientation.hpp"
#include "structure/skeleton.hpp"

namespace dconvex::python {
namespace {

// A Python function in place of data.
class CallableTest final : public IndependenceTest {
public:
    CallableTest(Index size, nb::callable test) : size_(size), test_(std::move(test)) {}

    Index size() const override { return size_; }

    bool are_independent(Index one, Index other, Indices given) override {
        nb::gil_scoped_acquire gil;
        nb::list list;
        for (const Index variable : given) list.append(variable);
        return nb::cast<bool>(test_(one, other, nb::tuple(list)));
    }

private:
    Index size_;
    nb::callable test_;
};

LikelihoodTest::Kind kind_of(const std::string& name) {
    if (name == "discrete") return LikelihoodTest::Kind::discrete;
    if (name == "gaussian") return LikelihoodTest::Kind::gaussian;
    throw std::invalid_argument("the kind is discrete or gaussian");
}

// Throws std::invalid_argument unless the three name different variables.
Indices checked_given(const IndependenceTest& test, Index one, Index other, Indices given) {
    const auto is_sound = [&](Index variable) { return variable >= 0 && variable < test.size(); };
    bool are_sound = is_sound(one) && is_sound(other) && one != other;
    Index before = -1;
    for (const Index variable : given) {
        are_sound = are_sound && variable > before && is_sound(variable) && variable != one && variable != other;
        before = variable;
    }
    if (!are_sound) throw std::invalid_argument("two different variables, and others that ascend, are tested");
    return given;
}

// A skeleton together with what it refers to.
struct ConstraintSearch {
    ConstraintSearch(IndependenceTest& test, EdgeConstraints own, std::int64_t most_tests)
        : constraints(std::move(own)), skeleton(test, constraints, most_tests) {}

    EdgeConstraints constraints;
    Skeleton skeleton;
};

}  // namespace

void bind_constraint_search(nb::module_& module) {
    nb::class_<IndependenceTest>(module, "IndependenceTest")
        .def_prop_ro("size", &IndependenceTest::size)
        .def(
            "are_independent",
            [](IndependenceTest& test, Index one, Index other, const Array<Index>& given) {
                return test.are_independent(one, other, checked_given(test, one, other, as_span(given)));
            },
            nb::arg("one"), nb::arg("other"), nb::arg("given"));
    nb::class_<LikelihoodTest, IndependenceTest>(module, "LikelihoodTest")
        .def(
            "__init__",
            [](LikelihoodTest* place, FamilyScore& likelihood, const std::string& kind, double alpha, double rows) {
                if (!(alpha > 0) || !(alpha < 1)) throw std::invalid_argument("alpha lies between 0 and 1");
                new (place) LikelihoodTest(likelihood, kind_of(kind), alpha, rows);
            },
            nb::arg("likelihood"), nb::arg("kind"), nb::arg("alpha"), nb::arg("rows"), nb::keep_alive<1, 2>())
        .def(
            "p_value",
            [](LikelihoodTest& test, Index one, Index other, const Array<Index>& given) {
                return test.p_value(one, other, checked_given(test, one, other, as_span(given)));
            },
            nb::arg("one"), nb::arg("other"), nb::arg("given"));
    nb::class_<CallableTest, IndependenceTest>(module, "CallableTest")
        .def(nb::init<Index, nb::callable>(), nb::arg("size"), nb::arg("test"));
    module.def("chi_squared_tail", &chi_squared_tail, nb::arg("value"), nb::arg("degrees"));

    nb::class_<ConstraintSearch>(module, "ConstraintSearch")
        .def(
            "__init__",
            [](ConstraintSearch* place, IndependenceTest& test, const EdgeConstraints& constraints, std::int64_t most_tests) {
                if (test.size() != constraints.size) throw std::invalid_argument("the constraints are about other variables");
                new (place) ConstraintSearch(test, constraints, most_tests);
            },
            nb::arg("test"), nb::arg("constraints"), nb::arg("most_tests") = std::numeric_limits<std::int64_t>::max(),
            nb::keep_alive<1, 2>())
        .def(
            "advance", [](ConstraintSearch& own, std::int64_t tests) { return own.skeleton.advance(tests); }, nb::arg("tests"),
            nb::call_guard<nb::gil_scoped_release>())
        .def(
            "oriented", [](ConstraintSearch& own) { return oriented(own.skeleton, own.constraints); },
            nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("level", [](const ConstraintSearch& own) { return own.skeleton.level(); })
        .def_prop_ro("left_out", [](const ConstraintSearch& own) { return own.skeleton.left_out(); })
        .def_prop_ro("tests", [](const ConstraintSearch& own) { return own.skeleton.tests(); });
}

}  // namespace dconvex::python
