// Answers to questions as Python sees them: what they are about, and numbers that become an array when they are looked at.
//
// `Answer` is a plain type of C, without the registry of instances that bound classes have, since a small question takes no
// longer than such an entry; a class of Python with more methods inherits from it, and the core makes its instances.

#pragma once

#include <nanobind/nanobind.h>

#include <span>

#include "inference/result_buffer.hpp"

namespace dconvex::python {

// Makes answers of one class that inherits from `Answer`.
class AnswerMaker {
public:
    // Throws std::invalid_argument where the class does not inherit from it.
    explicit AnswerMaker(nanobind::handle answer_type);

    // An answer with numbers of its own; `evidence` may be null.
    nanobind::object make(nanobind::object variables, nanobind::object labels, nanobind::handle evidence,
                          ResultBuffer numbers) const;
    // An answer that is a part of the numbers of `whole`, which `share` has made.
    nanobind::object make_part(nanobind::object variables, nanobind::object labels, nanobind::handle evidence,
                               nanobind::handle whole, std::span<double> numbers) const;

    nanobind::handle type() const { return type_; }

private:
    using Allocate = PyObject* (*)(PyTypeObject* type, Py_ssize_t items);

    nanobind::object make_empty(nanobind::object variables, nanobind::object labels, nanobind::handle evidence) const;

    nanobind::object type_;
    Allocate allocate_;
};

// Numbers that several answers have parts of.
nanobind::object share(ResultBuffer numbers);

}  // namespace dconvex::python
