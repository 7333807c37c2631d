// What files say, checked before anything else uses it.

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "storage/numbers.hpp"
#include "storage/texts.hpp"

namespace dconvex::python {
namespace {

void check_stored_names(const Array<std::uint8_t>& text, const Array<Offset>& offsets, Index integers) {
    const StoredNames names{as_span(text), as_span(offsets), integers};
    nb::gil_scoped_release release;
    check_names(names);
}

StoredNumbers stored_tables(std::shared_ptr<ClusterIndex> index, Index tables, const Array<Offset>& states, Offset most) {
    nb::gil_scoped_release release;
    return StoredNumbers::of_tables(std::move(index), tables, as_span(states), most);
}

StoredNumbers stored_regressions(std::shared_ptr<ClusterIndex> index, Index tables) {
    nb::gil_scoped_release release;
    return StoredNumbers::of_regressions(std::move(index), tables);
}

std::span<const double> checked_numbers(const StoredNumbers& stored, const Array<double>& numbers) {
    if (static_cast<Offset>(numbers.size()) < stored.offsets().back()) throw std::invalid_argument("there are too few numbers");
    return as_span(numbers);
}

auto checksums(const StoredNumbers& stored, const Array<double>& numbers, Index first, Index last) {
    if (first < 0 || first > last || last > stored.shared_index()->clusters().size()) {
        throw std::invalid_argument("there is no such cluster");
    }
    const std::span<const double> own = checked_numbers(stored, numbers);
    Vector<std::uint64_t> found;
    {
        nb::gil_scoped_release release;
        found = stored.checksums(own, first, last);
    }
    return as_array(std::move(found));
}

Index find_wrong_table(const StoredNumbers& stored, const Array<double>& numbers, const Array<Index>& tables) {
    const std::span<const double> own = checked_numbers(stored, numbers);
    const Indices wanted = as_span(tables);
    const auto is_table = [&](Index table) { return table >= 0 && table < stored.table_count(); };
    if (!std::all_of(wanted.begin(), wanted.end(), is_table)) throw std::invalid_argument("there is no such table");
    nb::gil_scoped_release release;
    return stored.find_wrong_table(own, wanted);
}

}  // namespace

void bind_storage(nb::module_& module) {
    module.def("check_names", &check_stored_names, nb::arg("text"), nb::arg("offsets"), nb::arg("integers"));

    nb::class_<StoredNumbers>(module, "StoredNumbers")
        .def_static("of_tables", &stored_tables, nb::arg("index"), nb::arg("tables"), nb::arg("states"), nb::arg("most"))
        .def_static("of_regressions", &stored_regressions, nb::arg("index"), nb::arg("tables"))
        .def("__len__", &StoredNumbers::table_count)
        .def_prop_ro(
            "offsets",
            [](nb::handle_t<StoredNumbers> own) { return as_view(nb::cast<const StoredNumbers&>(own).offsets(), own); })
        .def("checksums", &checksums, nb::arg("numbers"), nb::arg("first"), nb::arg("last"))
        .def("find_wrong_table", &find_wrong_table, nb::arg("numbers"), nb::arg("tables"));
}

}  // namespace dconvex::python
