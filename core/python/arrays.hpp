// NumPy arrays at the seam: read as spans without a copy, returned without a copy. No NumPy C API.

#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstring>
#include <span>
#include <utility>

#include "common/memory.hpp"

namespace dconvex::python {

namespace nb = nanobind;

// An argument: a contiguous array of this type in one dimension, which is only read.
template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// An argument that is written to.
template <class T>
using Output = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> as_span(const Array<T>& array) {
    return {array.data(), array.size()};
}

template <class T>
std::span<T> as_span(const Output<T>& array) {
    return {array.data(), array.size()};
}

// A copy. The numbers of an array that was unpickled may lie at any address, so they are copied as bytes.
template <class T>
Vector<T> as_vector(const Array<T>& array) {
    Vector<T> numbers(array.size());
    if (array.size()) std::memcpy(numbers.data(), static_cast<const void*>(array.data()), array.size() * sizeof(T));
    return numbers;
}

// A new array that owns the numbers of a vector.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> as_array(Vector<T>&& numbers) {
    auto* kept = new Vector<T>(std::move(numbers));
    nb::capsule owner(kept, [](void* own) noexcept { delete static_cast<Vector<T>*>(own); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

// The same with rows of a fixed length.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<2>> as_matrix(Vector<T>&& numbers, std::size_t columns) {
    auto* kept = new Vector<T>(std::move(numbers));
    nb::capsule owner(kept, [](void* own) noexcept { delete static_cast<Vector<T>*>(own); });
    const std::size_t rows = columns ? kept->size() / columns : 0;
    return nb::ndarray<nb::numpy, T, nb::ndim<2>>(kept->data(), {rows, columns}, owner);
}

// A read-only array over numbers that live as long as `owner`.
template <class T>
nb::ndarray<nb::numpy, const T, nb::ndim<1>> as_view(std::span<const T> numbers, nb::handle owner) {
    return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(numbers.data(), {numbers.size()}, owner);
}

template <class T>
nb::ndarray<nb::numpy, const T, nb::ndim<1>> as_view(const Vector<T>& numbers, nb::handle owner) {
    return as_view(std::span<const T>(numbers), owner);
}

}  // namespace dconvex::python
