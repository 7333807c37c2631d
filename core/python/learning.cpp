// Learning: encoders, counters, moments, and the checksums of what was learned.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "learning/checksums.hpp"
#include "learning/counting.hpp"
#include "learning/encoders.hpp"
#include "learning/moments.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"

namespace dconvex::python {
namespace {

using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using AnyOutput = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
Strided<T> strided(const AnyColumn& column) {
    const auto stride = column.stride(0) * static_cast<std::int64_t>(sizeof(T));
    return {static_cast<const std::byte*>(column.data()), static_cast<std::int64_t>(column.size()), stride};
}

Integers as_integers(const AnyColumn& column) {
    const nb::dlpack::dtype type = column.dtype();
    if (type == nb::dtype<std::int64_t>()) return strided<std::int64_t>(column);
    if (type == nb::dtype<std::int32_t>()) return strided<std::int32_t>(column);
    if (type == nb::dtype<std::int16_t>()) return strided<std::int16_t>(column);
    if (type == nb::dtype<std::int8_t>()) return strided<std::int8_t>(column);
    if (type == nb::dtype<std::uint32_t>()) return strided<std::uint32_t>(column);
    if (type == nb::dtype<std::uint16_t>()) return strided<std::uint16_t>(column);
    if (type == nb::dtype<std::uint8_t>()) return strided<std::uint8_t>(column);
    throw std::invalid_argument("values must be integers of at most 64 bits with a sign");
}

Texts as_texts(const AnyColumn& offsets, const Array<std::uint8_t>& bytes, const Validity& validity) {
    const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (offsets.dtype() == nb::dtype<std::int32_t>()) return TextsOf<std::int32_t>{strided<std::int32_t>(offsets), all, validity};
    if (offsets.dtype() == nb::dtype<std::int64_t>()) return TextsOf<std::int64_t>{strided<std::int64_t>(offsets), all, validity};
    throw std::invalid_argument("offsets must be int32 or int64");
}

CodesOut as_output(const AnyOutput& out) {
    if (out.dtype() == nb::dtype<std::int8_t>()) return std::span(static_cast<std::int8_t*>(out.data()), out.size());
    if (out.dtype() == nb::dtype<std::int32_t>()) return std::span(static_cast<std::int32_t*>(out.data()), out.size());
    throw std::invalid_argument("codes must be int8 or int32");
}

template <class T>
CodeColumnsOf<T> code_columns(const AnyMatrix& codes) {
    const auto variables = static_cast<std::int64_t>(codes.shape(0));
    return {static_cast<const T*>(codes.data()), variables, static_cast<std::int64_t>(codes.shape(1))};
}

CodeColumns as_codes(const AnyMatrix& codes) {
    if (codes.dtype() == nb::dtype<std::int8_t>()) return code_columns<std::int8_t>(codes);
    if (codes.dtype() == nb::dtype<std::int32_t>()) return code_columns<std::int32_t>(codes);
    throw std::invalid_argument("codes must be int8 or int32");
}

// An encoder that two threads would use at once, which the lock of the interpreter no longer prevents, refuses the second.
template <class Encoder>
class Exclusive {
public:
    class Use {
    public:
        explicit Use(Exclusive& own) : own_(own) {
            if (own_.is_used_.exchange(true)) throw std::runtime_error("another thread uses the encoder");
        }
        ~Use() { own_.is_used_.store(false); }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;
        Encoder* operator->() const { return &own_.encoder_; }
        Encoder& operator*() const { return own_.encoder_; }

    private:
        Exclusive& own_;
    };

    Use use() { return Use(*this); }

private:
    Encoder encoder_;
    std::atomic<bool> is_used_{false};
};

// The Python objects of a NumPy array, by the buffer protocol: without a copy, and without a look at addresses from outside.
class ObjectColumn {
public:
    explicit ObjectColumn(nb::handle array) {
        if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_STRIDES | PyBUF_FORMAT)) throw nb::python_error();
        if (view_.ndim != 1 || view_.itemsize != sizeof(PyObject*) || std::string_view(view_.format) != "O") {
            PyBuffer_Release(&view_);
            throw std::invalid_argument("values must be a column of objects");
        }
    }
    ~ObjectColumn() { PyBuffer_Release(&view_); }
    ObjectColumn(const ObjectColumn&) = delete;
    ObjectColumn& operator=(const ObjectColumn&) = delete;

    std::int64_t size() const { return view_.shape[0]; }
    PyObject* operator[](std::int64_t index) const {
        return Strided<PyObject*>{static_cast<const std::byte*>(view_.buf), size(), view_.strides[0]}[index];
    }

private:
    Py_buffer view_;
};

// The code of a str, None or NaN; `unknown_code` for all else.
Code code_of_object(const TextEncoder& encoder, PyObject* value, Poll& poll) {
    if (!value || value == Py_None) return missing_code;
    if (PyFloat_CheckExact(value)) return std::isnan(PyFloat_AsDouble(value)) ? missing_code : unknown_code;
    if (!PyUnicode_CheckExact(value)) return unknown_code;
    Py_ssize_t length = 0;
    const char* text = PyUnicode_AsUTF8AndSize(value, &length);
    if (!text) {  // a surrogate on its own
        PyErr_Clear();
        return unknown_code;
    }
    return encoder.code_of({text, static_cast<std::size_t>(length)}, poll);
}

// As `TextEncoder::encode`; the interpreter's lock is held, for the objects are Python's.
std::int64_t encode_objects(const TextEncoder& encoder, const ObjectColumn& values, const CodesOut& out, std::int64_t first) {
    return std::visit(
        [&](const auto codes) {
            if (values.size() != static_cast<std::int64_t>(codes.size())) {
                throw std::invalid_argument("there must be as many codes as values");
            }
            if (first < 0 || first > values.size()) throw std::invalid_argument("`first` lies outside the values");
            Poll poll;
            for (std::int64_t index = first; index < values.size(); ++index) {
                const Code code = code_of_object(encoder, values[index], poll);
                if (code == unknown_code) return index;
                codes.data()[index] = static_cast<std::remove_reference_t<decltype(codes[0])>>(code);
                poll(16);
            }
            return all_known;
        },
        out);
}

using Integer = Exclusive<IntegerEncoder>;
using Text = Exclusive<TextEncoder>;

void bind_encoders(nb::module_& module) {
    module.attr("MISSING_CODE") = missing_code;

    nb::class_<Integer>(module, "IntegerEncoder")
        .def(nb::init<>())
        .def(
            "add", [](Integer& own, std::int64_t key, std::int64_t code) { own.use()->add(key, code); }, nb::arg("key"),
            nb::arg("code"))
        .def(
            "encode",
            [](Integer& own, const AnyColumn& values, const AnyOutput& out, std::int64_t first) {
                const Integers column = as_integers(values);
                const CodesOut codes = as_output(out);
                nb::gil_scoped_release release;
                return own.use()->encode(column, codes, first);
            },
            nb::arg("values").noconvert(), nb::arg("out").noconvert(), nb::arg("first"))
        .def("__len__", [](Integer& own) { return own.use()->size(); });

    nb::class_<Text>(module, "TextEncoder")
        .def(nb::init<>())
        .def(
            "add",
            [](Text& own, const nb::bytes& text, std::int64_t code) {
                own.use()->add(std::string_view(text.c_str(), text.size()), code);
            },
            nb::arg("text"), nb::arg("code"))
        .def(
            "encode",
            [](Text& own, const AnyColumn& offsets, const Array<std::uint8_t>& bytes, const AnyOutput& out,
               std::int64_t first, const std::optional<Array<std::uint8_t>>& validity, std::int64_t first_bit) {
                const Validity bits{validity ? as_span(*validity) : std::span<const std::uint8_t>(), first_bit};
                const Texts texts = as_texts(offsets, bytes, bits);
                const CodesOut codes = as_output(out);
                nb::gil_scoped_release release;
                return own.use()->encode(texts, codes, first);
            },
            nb::arg("offsets").noconvert(), nb::arg("text").noconvert(), nb::arg("out").noconvert(), nb::arg("first"),
            nb::arg("validity").noconvert() = nb::none(), nb::arg("first_bit") = 0)
        .def(
            "encode_objects",
            [](Text& own, nb::handle values, const AnyOutput& out, std::int64_t first) {
                const ObjectColumn objects(values);
                const CodesOut codes = as_output(out);
                const auto use = own.use();
                return encode_objects(*use, objects, codes, first);
            },
            nb::arg("values"), nb::arg("out").noconvert(), nb::arg("first"))
        .def("__len__", [](Text& own) { return own.use()->size(); });
}

void bind_counting(nb::module_& module) {
    nb::class_<CountTables>(module, "CountTables")
        .def(
            "__init__",
            [](CountTables* place, const Ragged& members, const Array<std::int64_t>& states, const Array<bool>& may_miss,
               const Array<Offset>& first_cell) {
                const std::span flags(reinterpret_cast<const std::uint8_t*>(may_miss.data()), may_miss.size());
                new (place) CountTables(members, as_span(states), flags, as_span(first_cell));
            },
            nb::arg("members"), nb::arg("states"), nb::arg("may_miss"), nb::arg("first_cell"))
        .def("__len__", &CountTables::size);

    module.def(
        "count_cells",
        [](const CountTables& tables, const AnyMatrix& codes, std::int64_t rows, const Output<std::int64_t>& counts,
           const Output<std::int64_t>& used, std::int64_t first, std::int64_t last) {
            const CodeColumns columns = as_codes(codes);
            nb::gil_scoped_release release;
            tables.count(columns, rows, as_span(counts), as_span(used), first, last);
        },
        nb::arg("tables"), nb::arg("codes").noconvert(), nb::arg("rows"), nb::arg("counts").noconvert(),
        nb::arg("used").noconvert(), nb::arg("first"), nb::arg("last"));
}

void bind_moments(nb::module_& module) {
    nb::class_<MomentSums>(module, "MomentSums")
        .def(nb::init<Ragged>(), nb::arg("members"))
        .def("__len__", &MomentSums::size)
        .def_prop_ro("shift",
                     [](nb::handle_t<MomentSums> own) { return as_view(nb::cast<const MomentSums&>(own).shift(), own); })
        .def_prop_ro("sums", [](nb::handle_t<MomentSums> own) { return as_view(nb::cast<const MomentSums&>(own).sums(), own); })
        .def_prop_ro("products",
                     [](nb::handle_t<MomentSums> own) { return as_view(nb::cast<const MomentSums&>(own).products(), own); })
        .def_prop_ro("used",
                     [](nb::handle_t<MomentSums> own) { return as_view(nb::cast<const MomentSums&>(own).used(), own); });

    module.def(
        "add_moments",
        [](MomentSums& moments, const Matrix<double>& values, std::int64_t rows, const Array<bool>& may_miss,
           std::int64_t first, std::int64_t last) {
            const NumberColumns columns{values.data(), static_cast<std::int64_t>(values.shape(0)),
                                        static_cast<std::int64_t>(values.shape(1))};
            const std::span flags(reinterpret_cast<const std::uint8_t*>(may_miss.data()), may_miss.size());
            nb::gil_scoped_release release;
            moments.add(columns, rows, flags, first, last);
        },
        nb::arg("moments"), nb::arg("values").noconvert(), nb::arg("rows"), nb::arg("may_miss"), nb::arg("first"),
        nb::arg("last"));
}

}  // namespace

void bind_learning(nb::module_& module) {
    bind_encoders(module);
    bind_counting(module);
    bind_moments(module);

    module.def(
        "cluster_checksums",
        [](const Array<double>& numbers, const Array<Offset>& table_offsets, const Array<Offset>& cluster_offsets,
           const Array<Index>& member_table, Index known, Offset first, Offset last) {
            const TableNumbers model{as_span(numbers), as_span(table_offsets), known};
            const ClusterTables clusters{as_span(cluster_offsets), as_span(member_table)};
            Vector<std::uint64_t> found;
            {
                nb::gil_scoped_release release;
                found = cluster_checksums(model, clusters, first, last);
            }
            return as_array(std::move(found));
        },
        nb::arg("numbers"), nb::arg("table_offsets"), nb::arg("cluster_offsets"), nb::arg("member_table"), nb::arg("known"),
        nb::arg("first"), nb::arg("last"));
}

}  // namespace dconvex::python
