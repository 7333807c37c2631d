// A whole question in one call: from names to an answer, where the question is an ordinary one.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "inference/deriving.hpp"
#include "inference/execution.hpp"
#include "inference/plan_cache.hpp"
#include "inference/planning.hpp"
#include "inference/result_buffer.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"

namespace dconvex::python {
namespace {

// A run of fewer multiplications, or the plan of a question about fewer variables, keeps the interpreter's lock: it is over
// sooner than another thread could take it.
constexpr Offset few_multiplications = 20'000;
constexpr std::size_t few_variables = 16;
// NumPy's limit.
constexpr Py_ssize_t most_axes = 64;

// A kept plan with the labels along the axes of its answer.
struct AskedPlan : KeptPlan {
    AskedPlan(Indices key, Program own, bool can_be_run, nb::object labels_of_axes)
        : KeptPlan(key, std::move(own), can_be_run), labels(std::move(labels_of_axes)) {}

    nb::object labels;
};

// The numbers of an answer, and what they are about. It offers its numbers as a buffer.
struct Answer {
    nb::object variables, labels;
    ResultBuffer numbers;
};

int get_buffer(PyObject* own, Py_buffer* view, int flags) {
    const Answer& answer = *nb::inst_ptr<Answer>(own);
    const std::span<double> numbers = answer.numbers.numbers();
    // The format and the shape have to outlive the view.
    static Py_ssize_t stride = sizeof(double);
    static char format[] = "d";
    if (PyBuffer_FillInfo(view, own, numbers.data(), static_cast<Py_ssize_t>(numbers.size_bytes()), 0, flags) < 0) return -1;
    view->itemsize = stride;
    if (flags & PyBUF_FORMAT) view->format = format;
    if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES) view->strides = &stride;
    if ((flags & PyBUF_ND) == PyBUF_ND) {
        auto* shape = new Py_ssize_t(static_cast<Py_ssize_t>(numbers.size()));
        view->shape = shape;
        view->internal = shape;
    }
    return 0;
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<Py_ssize_t*>(view->internal); }

bool is_plain_name(PyObject* name) { return PyUnicode_CheckExact(name) || PyLong_CheckExact(name); }
bool is_plain_label(PyObject* label) { return is_plain_name(label) || PyBool_Check(label); }

// What a thread reads questions into.
struct Reading {
    Vector<Index> key;
    Vector<Index> states;  // of what is observed
    std::size_t target_count = 0;

    Indices targets() const { return Indices(key).first(target_count); }
    Indices observed() const { return Indices(key).subspan(target_count + 1, states.size()); }
};

thread_local std::unique_ptr<Reading> reading_of_thread;

// The reading of this thread, for one question: a signal's handler may ask another one before it is answered.
class BorrowedReading {
public:
    BorrowedReading() : own_(reading_of_thread ? std::move(reading_of_thread) : std::make_unique<Reading>()) {}
    ~BorrowedReading() { reading_of_thread = std::move(own_); }
    BorrowedReading(const BorrowedReading&) = delete;
    BorrowedReading& operator=(const BorrowedReading&) = delete;
    Reading& operator*() const noexcept { return *own_; }

private:
    std::unique_ptr<Reading> own_;
};

// Answers ordinary questions about one set of tables, and keeps their plans. Whatever is not ordinary (names or labels that are
// not plain or not there, tables that are not there yet, evidence that is impossible, a question that is expensive or too
// large) it leaves to the caller: it returns None, and nothing has happened.
class Queries {
public:
    Queries(std::shared_ptr<Tables> tables, nb::dict indices, nb::object labels, bool coherent, std::int64_t default_limit,
            double cheap, double cheap_for_each)
        : tables_(std::move(tables)),
          indices_(std::move(indices)),
          labels_(std::move(labels)),
          coherent_(coherent),
          default_limit_(default_limit),
          cheap_(cheap),
          cheap_for_each_(cheap_for_each) {}

    nb::object ask(nb::handle variables, nb::handle evidence, nb::handle max_bytes, bool assume_possible);
    std::size_t size() { return cache_.size(); }

private:
    using Plan = std::shared_ptr<const AskedPlan>;

    bool read(nb::handle variables, nb::handle evidence, nb::handle max_bytes, Reading& reading, nb::tuple& names);
    bool read_evidence(nb::handle evidence, Reading& reading);
    std::optional<Index> index_of(PyObject* name) const;
    std::optional<Index> state_of(Index variable, PyObject* label);
    Plan planned(const Reading& reading);
    Plan plan_for(Indices key, Indices targets, Indices observed);
    bool is_expensive(const Program& program, double derived) const;
    bool is_possible(const Reading& reading);
    bool may_be_zero();
    std::int64_t limit_in(Indices key) const;
    std::optional<ResultBuffer> run(const AskedPlan& plan, Indices states) const;

    std::shared_ptr<Tables> tables_;
    nb::dict indices_;
    nb::object labels_;
    bool coherent_;
    std::int64_t default_limit_;
    double cheap_, cheap_for_each_;
    nb::dict states_;  // by variable a dictionary from its labels to their numbers, made when it is first observed
    std::optional<bool> may_be_zero_;
    SharedPlanCache cache_;

    friend nb::tuple parts_of(nb::handle_t<Queries> own);
};

std::optional<Index> Queries::index_of(PyObject* name) const {
    if (!is_plain_name(name)) return std::nullopt;
    PyObject* const found = PyDict_GetItemWithError(indices_.ptr(), name);  // it is never taken out again
    if (!found) {
        PyErr_Clear();
        return std::nullopt;
    }
    return static_cast<Index>(PyLong_AsLong(found));
}

std::optional<Index> Queries::state_of(Index variable, PyObject* label) {
    if (!is_plain_label(label)) return std::nullopt;
    const nb::int_ number(variable);
    PyObject* numbers = PyDict_GetItemWithError(states_.ptr(), number.ptr());
    if (!numbers) {
        PyErr_Clear();
        nb::dict made;
        Index state = 0;
        for (nb::handle own : nb::borrow(labels_[number])) made[own] = state++;
        states_[number] = made;
        numbers = PyDict_GetItemWithError(states_.ptr(), number.ptr());
    }
    PyObject* const found = PyDict_GetItemWithError(numbers, label);
    if (!found) {
        PyErr_Clear();
        return std::nullopt;
    }
    return static_cast<Index>(PyLong_AsLong(found));
}

// The key of a question: its targets, -1, what is observed, and the limit of bytes. False where it is not ordinary.
bool Queries::read(nb::handle variables, nb::handle evidence, nb::handle max_bytes, Reading& reading, nb::tuple& names) {
    PyObject* const given = variables.ptr();
    if (PyTuple_CheckExact(given)) {
        names = nb::borrow<nb::tuple>(variables);
    } else if (PyList_CheckExact(given)) {
        names = nb::steal<nb::tuple>(PyList_AsTuple(given));
    } else if (is_plain_name(given)) {
        names = nb::steal<nb::tuple>(PyTuple_Pack(1, given));
    } else {
        return false;
    }
    const Py_ssize_t count = PyTuple_Size(names.ptr());
    if (count == 0 || count > most_axes) return false;
    reading.key.clear();
    reading.states.clear();
    for (Py_ssize_t k = 0; k < count; ++k) {
        const std::optional<Index> index = index_of(PyTuple_GetItem(names.ptr(), k));
        if (!index) return false;
        reading.key.push_back(*index);
    }
    reading.target_count = reading.key.size();
    reading.key.push_back(-1);
    if (!evidence.is_none() && !read_evidence(evidence, reading)) return false;
    std::int64_t limit = default_limit_;
    if (!max_bytes.is_none()) {
        if (!PyLong_CheckExact(max_bytes.ptr())) return false;
        limit = PyLong_AsLongLong(max_bytes.ptr());
        if (PyErr_Occurred()) {
            PyErr_Clear();
            return false;
        }
        if (limit < 0 || limit > Question::no_limit) return false;
    }
    reading.key.push_back(static_cast<Index>(limit >> 24));
    reading.key.push_back(static_cast<Index>(limit & 0xFFFFFF));
    return true;
}

bool Queries::read_evidence(nb::handle evidence, Reading& reading) {
    if (!PyDict_CheckExact(evidence.ptr())) return false;
    const nb::ft_object_guard guard(evidence);
    Py_ssize_t at = 0;
    PyObject *name = nullptr, *label = nullptr;
    while (PyDict_Next(evidence.ptr(), &at, &name, &label)) {
        const std::optional<Index> index = index_of(name);
        if (!index) return false;
        const std::optional<Index> state = state_of(*index, label);
        if (!state) return false;
        reading.key.push_back(*index);
        reading.states.push_back(*state);
    }
    return true;
}

std::int64_t Queries::limit_in(Indices key) const {
    return (static_cast<std::int64_t>(key[key.size() - 2]) << 24) + key[key.size() - 1];
}

nb::object Queries::ask(nb::handle variables, nb::handle evidence, nb::handle max_bytes, bool assume_possible) {
    const BorrowedReading borrowed;
    Reading& reading = *borrowed;
    nb::tuple names;
    if (!read(variables, evidence, max_bytes, reading, names)) return nb::none();
    Plan plan = std::static_pointer_cast<const AskedPlan>(cache_.find(reading.key));
    if (!plan) plan = planned(reading);
    if (!plan || !plan->is_usable) return nb::none();
    std::optional<ResultBuffer> numbers = run(*plan, reading.states);
    if (!numbers) return nb::none();
    if (!plan->program.uses_all_evidence && !assume_possible && !is_possible(reading)) return nb::none();
    return nb::cast(Answer{std::move(names), plan->labels, *std::move(numbers)});
}

// Plans a question that is asked for the first time; null where it contradicts itself.
Queries::Plan Queries::planned(const Reading& reading) {
    Vector<Index> all(reading.targets().begin(), reading.targets().end());
    all.insert(all.end(), reading.observed().begin(), reading.observed().end());
    std::sort(all.begin(), all.end());
    if (std::adjacent_find(all.begin(), all.end()) != all.end()) return nullptr;
    return plan_for(reading.key, reading.targets(), reading.observed());
}

Queries::Plan Queries::plan_for(Indices key, Indices targets, Indices observed) {
    Question question;
    question.targets.assign(targets.begin(), targets.end());
    question.observed.assign(observed.begin(), observed.end());
    question.coherent = coherent_;
    question.shows_impossible = true;
    question.max_bytes = limit_in(key);
    bool is_usable = true;
    const auto find = [&] {
        Program program = plan(tables_->shared_layout(), question);
        DerivationCost derived{0.0, 0.0};
        if (!program.is_too_large && program.loads_derived) derived = derivation_cost(*tables_, program.derived());
        const double peak = std::max(static_cast<double>(program.peak_bytes()), derived.peak_bytes);
        is_usable = !program.is_too_large && peak <= static_cast<double>(question.max_bytes) &&
                    !(coherent_ && is_expensive(program, derived.multiplications));
        return program;
    };
    const auto find_alone = [&] {
        nb::gil_scoped_release release;
        return find();
    };
    Program program = targets.size() + observed.size() < few_variables ? find() : find_alone();
    nb::list labels;
    for (const Index variable : question.targets) labels.append(labels_[nb::int_(variable)]);
    Plan made = std::allocate_shared<AskedPlan>(CountedAllocator<AskedPlan>(), key, std::move(program), is_usable,
                                                nb::tuple(labels));
    cache_.keep(made);
    return made;
}

// Whether another plan might save enough; none saves the writing of the result.
bool Queries::is_expensive(const Program& program, double derived) const {
    const double total = static_cast<double>(program.cost) + derived / 1000.0;
    const double savable = total - 2.0 * static_cast<double>(program.result_size);
    return savable >= cheap_ && savable >= cheap_for_each_ * static_cast<double>(program.length());
}

// The numbers of the answer; nothing where a table is not there, or where the evidence is impossible.
std::optional<ResultBuffer> Queries::run(const AskedPlan& plan, Indices states) const {
    const Likelihoods none;
    const Evidence evidence{states, none};
    const Program& program = plan.program;
    ResultBuffer result(static_cast<std::size_t>(program.result_size));
    Status status;
    if (program.cost < few_multiplications) {
        status = Runner(program).run(*tables_, evidence, result.numbers()).status;
    } else {
        nb::gil_scoped_release release;
        status = Runner(program).run(*tables_, evidence, result.numbers()).status;
    }
    if (status != Status::fine) return std::nullopt;
    return result;
}

// Whether evidence that does not matter for the answer is possible; also false where that is not found out here.
bool Queries::is_possible(const Reading& reading) {
    if (!coherent_) return false;
    if (!may_be_zero()) return true;
    const Indices key = Indices(reading.key).subspan(reading.target_count);
    Plan plan = std::static_pointer_cast<const AskedPlan>(cache_.find(key));
    if (!plan) plan = plan_for(key, {}, reading.observed());
    return plan->is_usable && run(*plan, reading.states).has_value();
}

// Whether a table of the network has an entry that is zero, or is not there yet.
bool Queries::may_be_zero() {
    if (may_be_zero_) return *may_be_zero_;
    for (Index table = 0; table < tables_->layout().variable_count(); ++table) {
        if (!tables_->is_there(table)) return true;
        if (tables_->holds_zero(table)) return *(may_be_zero_ = true);
    }
    return *(may_be_zero_ = false);
}

nb::tuple parts_of(nb::handle_t<Queries> own) {
    const Queries& queries = nb::cast<const Queries&>(own);
    return nb::make_tuple(queries.tables_, queries.indices_, queries.labels_, queries.coherent_, queries.default_limit_,
                          queries.cheap_, queries.cheap_for_each_);
}

}  // namespace

void bind_queries(nb::module_& module) {
    PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                           {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                           {0, nullptr}};
    nb::class_<Answer>(module, "Answer", nb::type_slots(slots))
        .def_ro("variables", &Answer::variables)
        .def_ro("labels", &Answer::labels)
        .def("__len__", [](const Answer& answer) { return answer.numbers.numbers().size(); });

    nb::class_<Queries>(module, "Queries")
        .def(nb::init<std::shared_ptr<Tables>, nb::dict, nb::object, bool, std::int64_t, double, double>(), nb::arg("tables"),
             nb::arg("indices"), nb::arg("labels"), nb::arg("coherent"), nb::arg("default_limit"), nb::arg("cheap"),
             nb::arg("cheap_for_each"))
        .def("ask", &Queries::ask, nb::arg("variables").none(), nb::arg("evidence").none() = nb::none(),
             nb::arg("max_bytes").none() = nb::none(), nb::arg("assume_possible") = false)
        .def("__len__", &Queries::size)
        .def("__reduce__", [](nb::handle_t<Queries> own) { return nb::make_tuple(own.type(), parts_of(own)); });
}

}  // namespace dconvex::python
