// A whole question in one call: from names to an answer, where the question is an ordinary one.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "inference/deriving.hpp"
#include "inference/execution.hpp"
#include "inference/plan_cache.hpp"
#include "inference/planning.hpp"
#include "inference/result_buffer.hpp"
#include "python/answers.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/watching.hpp"

namespace dconvex::python {
namespace {

// A run of fewer multiplications, or the plan of a question about fewer variables, keeps the interpreter's lock: it is over
// sooner than another thread could take it.
constexpr Offset few_multiplications = 20'000;
// As many threads as there are cores: found out only for runs that are long.
constexpr int all_cores = 0;
constexpr std::size_t few_variables = 16;
// NumPy's limit.
constexpr Py_ssize_t most_axes = 64;
// What the key of a question about the marginals of all variables begins with.
constexpr Index every_marginal = -2;

// A kept plan with the labels along the axes of its answer.
struct AskedPlan : KeptPlan {
    AskedPlan(Indices key, Program own, bool can_be_run, double multiplications, nb::object labels_of_axes)
        : KeptPlan(key, std::move(own), can_be_run), total(multiplications), labels(std::move(labels_of_axes)) {}

    double total;  // its multiplications, and its share of those for derived tables
    nb::object labels;
};

bool is_plain_name(PyObject* name) { return PyUnicode_CheckExact(name) || PyLong_CheckExact(name); }
bool is_plain_label(PyObject* label) { return is_plain_name(label) || PyBool_Check(label); }

// Evidence as answers keep it, null where there is none.
nb::object copy_of(nb::handle evidence) {
    if (evidence.is_none() || PyDict_Size(evidence.ptr()) == 0) return nb::object();
    nb::object copy = nb::steal(PyDict_Copy(evidence.ptr()));
    if (!copy.is_valid()) throw nb::python_error();
    return copy;
}

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

// What the answer about one variable is about.
struct Titles {
    nb::object name, variables, labels;
};
// They are kept for so many variables.
constexpr Index most_titles = 10'000;

// What planning more is worth, in multiplications.
struct Thrift {
    // Where fewer could be saved, in all or for each number of the program, no other way to answer is looked for.
    double cheap, cheap_for_each;
    // This many questions are taken to share the cost of a derived table.
    double shared_by;
    // Planning the elimination of one variable takes about as long as this many.
    double planning_one;
};

// Answers ordinary questions about one set of tables, and keeps their plans. Whatever is not ordinary (names or labels that are
// not plain or not there, tables that are not there yet, evidence that is impossible, a question that is expensive or too
// large) it leaves to the caller: it returns None, and nothing has happened.
class Queries {
public:
    Queries(std::shared_ptr<Tables> tables, nb::dict indices, nb::object names, nb::object labels, nb::callable derive,
            nb::handle answer_type, bool coherent, std::int64_t default_limit, const Thrift& thrift)
        : tables_(std::move(tables)),
          indices_(std::move(indices)),
          names_(std::move(names)),
          labels_(std::move(labels)),
          derive_(std::move(derive)),
          answers_(answer_type),
          coherent_(coherent),
          default_limit_(default_limit),
          thrift_(thrift) {}

    nb::object ask_marginals(nb::handle evidence, nb::handle max_bytes, bool assume_possible, int threads);
    nb::object ask(nb::handle variables, nb::handle evidence, nb::handle max_bytes, bool assume_possible);
    std::size_t size() { return cache_.size(); }

private:
    using Plan = std::shared_ptr<const AskedPlan>;
    // A program, and what running it takes: multiplications with a share of those for derived tables, and bytes.
    struct Estimated {
        Program program;
        double total, peak_bytes;
    };

    bool read(nb::handle variables, nb::handle evidence, nb::handle max_bytes, Reading& reading, nb::tuple& names);
    bool read_evidence(nb::handle evidence, Reading& reading);
    std::optional<Index> index_of(PyObject* name) const;
    std::optional<Index> state_of(Index variable, PyObject* label);
    Plan planned(const Reading& reading);
    Plan plan_for(Indices key, Indices targets, Indices observed, Ending ending);
    Plan plan_marginal(Indices key, Indices observed) const;
    Question question_for(Indices targets, Indices observed, Ending ending, Indices key) const;
    Estimated estimated(const Question& question) const;
    Plan kept(Indices key, const Question& question, Estimated estimate, bool is_usable);
    bool is_expensive(const Program& program, double total) const;
    bool is_possible(const Reading& reading);
    bool may_be_zero();
    std::int64_t limit_in(Indices key) const;
    bool run(const AskedPlan& plan, Indices states, std::span<double> result, int threads);
    bool derive(Indices tables);
    bool run_once(const AskedPlan& plan, Indices states, std::span<double> result, int threads, Status& status) const;
    bool read_limit(nb::handle max_bytes, Reading& reading) const;
    Plan together(const Reading& reading);
    bool plan_each(const Reading& reading, Plan& together, Vector<Plan>& singles);
    nb::object as_marginals(const Reading& reading, std::span<const Plan> plans, nb::handle evidence, ResultBuffer numbers);
    Titles titles_of(Index variable);

    std::shared_ptr<Tables> tables_;
    nb::dict indices_;
    nb::object names_, labels_;
    nb::callable derive_;
    AnswerMaker answers_;
    bool coherent_;
    std::int64_t default_limit_;
    Thrift thrift_;
    nb::dict states_;  // by variable a dictionary from its labels to their numbers, made when it is first observed
    nb::ft_mutex titles_mutex_;
    std::vector<Titles> titles_;
    std::atomic<int> may_be_zero_{-1};  // not known yet
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
    return read_limit(max_bytes, reading);
}

bool Queries::read_limit(nb::handle max_bytes, Reading& reading) const {
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
    ResultBuffer numbers(static_cast<std::size_t>(plan->program.result_size));
    if (!run(*plan, reading.states, numbers.numbers(), all_cores)) return nb::none();
    if (!plan->program.uses_all_evidence && !assume_possible && !is_possible(reading)) return nb::none();
    return answers_.make(std::move(names), plan->labels, copy_of(evidence), std::move(numbers));
}

// Plans a question that is asked for the first time; null where it contradicts itself.
Queries::Plan Queries::planned(const Reading& reading) {
    Vector<Index> all(reading.targets().begin(), reading.targets().end());
    all.insert(all.end(), reading.observed().begin(), reading.observed().end());
    std::sort(all.begin(), all.end());
    if (std::adjacent_find(all.begin(), all.end()) != all.end()) return nullptr;
    return plan_for(reading.key, reading.targets(), reading.observed(), Ending::answer);
}

Queries::Plan Queries::plan_for(Indices key, Indices targets, Indices observed, Ending ending) {
    const Question question = question_for(targets, observed, ending, key);
    const auto find = [&] { return estimated(question); };
    const auto find_alone = [&] {
        nb::gil_scoped_release release;
        return find();
    };
    Estimated found = targets.size() + observed.size() < few_variables ? find() : find_alone();
    const bool is_cheap = ending == Ending::marginals || !coherent_ || !is_expensive(found.program, found.total);
    const bool is_usable = is_cheap && found.peak_bytes <= static_cast<double>(question.max_bytes);
    return kept(key, question, std::move(found), is_usable);
}

// The plan for one of all marginals: in the kept clusters, or in the whole network where that is cheaper. It is made without
// the lock of the interpreter, and not kept yet.
Queries::Plan Queries::plan_marginal(Indices key, Indices observed) const {
    Question question = question_for(key.first(1), observed, Ending::answer, key);
    Estimated found = estimated(question);
    const auto limit = static_cast<double>(question.max_bytes);
    if (found.peak_bytes > limit || is_expensive(found.program, found.total)) {
        question.network = NetworkPart::whole;
        Estimated other = estimated(question);
        const auto rank = [limit](const Estimated& own) {
            return own.peak_bytes > limit ? std::pair(1, own.peak_bytes) : std::pair(0, own.total);
        };
        if (rank(other) < rank(found)) found = std::move(other);
    }
    return std::allocate_shared<AskedPlan>(CountedAllocator<AskedPlan>(), key, std::move(found.program),
                                           found.peak_bytes <= limit, found.total, nb::object());
}

Question Queries::question_for(Indices targets, Indices observed, Ending ending, Indices key) const {
    Question question;
    question.targets.assign(targets.begin(), targets.end());
    question.observed.assign(observed.begin(), observed.end());
    question.coherent = coherent_;
    question.shows_impossible = true;
    question.ending = ending;
    question.max_bytes = limit_in(key);
    return question;
}

Queries::Estimated Queries::estimated(const Question& question) const {
    Program program = plan(tables_->shared_layout(), question);
    DerivationCost derived{0.0, 0.0};
    if (!program.is_too_large && program.loads_derived) derived = derivation_cost(*tables_, program.derived());
    const double total = static_cast<double>(program.cost) + derived.multiplications / thrift_.shared_by;
    const double peak = program.is_too_large ? HUGE_VAL : static_cast<double>(program.peak_bytes());
    return {std::move(program), total, std::max(peak, derived.peak_bytes)};
}

Queries::Plan Queries::kept(Indices key, const Question& question, Estimated estimate, bool is_usable) {
    nb::list labels;
    if (question.ending == Ending::answer) {
        for (const Index variable : question.targets) labels.append(labels_[nb::int_(variable)]);
    }
    Plan made = std::allocate_shared<AskedPlan>(CountedAllocator<AskedPlan>(), key, std::move(estimate.program), is_usable,
                                                estimate.total, nb::tuple(labels));
    cache_.keep(made);
    return made;
}

// Whether another plan might save enough; none saves the writing of the result.
bool Queries::is_expensive(const Program& program, double total) const {
    const double savable = total - 2.0 * static_cast<double>(program.result_size);
    return savable >= thrift_.cheap && savable >= thrift_.cheap_for_each * static_cast<double>(program.length());
}

// Fills the result; false where a table is underflowed, or where the evidence is impossible.
bool Queries::run(const AskedPlan& plan, Indices states, std::span<double> result, int threads) {
    Status status;
    if (run_once(plan, states, result, threads, status)) return true;
    if (status != Status::needs_tables) return false;
    return derive(plan.program.tables()) && run_once(plan, states, result, threads, status);
}

bool Queries::run_once(const AskedPlan& plan, Indices states, std::span<double> result, int threads, Status& status) const {
    const Likelihoods none;
    const Evidence evidence{states, none};
    const Program& program = plan.program;
    if (program.cost < few_multiplications) {
        status = Runner(program).run(*tables_, evidence, result).status;
    } else {
        if (threads == all_cores) threads = current_task() ? 1 : static_cast<int>(std::thread::hardware_concurrency());
        const auto work = [&] { return Runner(program, threads).run(*tables_, evidence, result).status; };
        status = released(static_cast<double>(program.cost), work);
    }
    return status == Status::fine;
}

// Has the caller make these tables; false where one of them is underflowed.
bool Queries::derive(Indices tables) {
    Vector<Index> missing;
    for (const Index table : tables) {
        if (tables_->is_missing(table)) missing.push_back(table);
    }
    std::sort(missing.begin(), missing.end());
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    if (!missing.empty()) derive_(as_array(std::move(missing)));
    return std::all_of(tables.begin(), tables.end(), [this](Index table) { return tables_->is_there(table); });
}

// Whether evidence that does not matter for the answer is possible; also false where that is not found out here.
bool Queries::is_possible(const Reading& reading) {
    if (!coherent_) return false;
    if (!may_be_zero()) return true;
    Vector<Index> key(reading.key.begin() + static_cast<std::ptrdiff_t>(reading.target_count), reading.key.end());
    key[0] = -1;  // whatever is asked
    Plan plan = std::static_pointer_cast<const AskedPlan>(cache_.find(key));
    if (!plan) plan = plan_for(key, {}, reading.observed(), Ending::answer);
    double sum = 0.0;
    return plan->is_usable && run(*plan, reading.states, {&sum, 1}, all_cores);
}

// Whether a table of the network has an entry that is zero, or is not there yet.
bool Queries::may_be_zero() {
    if (const int known = may_be_zero_.load(); known >= 0) return known != 0;
    bool found = false;
    for (Index table = 0; table < tables_->layout().variable_count(); ++table) {
        if (!tables_->is_there(table)) return true;
        if (tables_->holds_zero(table)) found = true;
    }
    may_be_zero_.store(found);
    return found;
}

// --- all marginals ---

// A dictionary with an answer for each variable; those observed have all probability on their states.
nb::object Queries::ask_marginals(nb::handle evidence, nb::handle max_bytes, bool assume_possible, int threads) {
    const BorrowedReading borrowed;
    Reading& reading = *borrowed;
    reading.key.clear();
    reading.states.clear();
    reading.target_count = 0;
    reading.key.push_back(every_marginal);
    if (!coherent_ || (!evidence.is_none() && !read_evidence(evidence, reading)) || !read_limit(max_bytes, reading)) {
        return nb::none();
    }
    const auto variables = static_cast<std::size_t>(tables_->layout().variable_count());
    if (variables - reading.states.size() < 2) return nb::none();
    Plan whole = together(reading);
    if (!whole) return nb::none();  // what does not fit takes more thought
    Vector<Plan> plans;
    if (!plan_each(reading, whole, plans)) return nb::none();
    if (whole) plans.assign(1, whole);
    Vector<Index> wanted;
    Offset size = 0;
    bool uses_all_evidence = false;
    for (const Plan& plan : plans) {
        const Vector<Index> own = plan->program.tables();
        wanted.insert(wanted.end(), own.begin(), own.end());
        size += plan->program.result_size;
        if (plan->program.uses_all_evidence) uses_all_evidence = true;
    }
    for (const Index variable : reading.observed()) size += tables_->layout().states()[variable];
    if (!derive(wanted)) return nb::none();
    ResultBuffer numbers(static_cast<std::size_t>(size));
    Offset at = 0;
    for (const Plan& plan : plans) {
        const auto own = static_cast<std::size_t>(plan->program.result_size);
        const std::span<double> part = numbers.numbers().subspan(static_cast<std::size_t>(at), own);
        if (!run(*plan, reading.states, part, threads)) return nb::none();
        at += plan->program.result_size;
    }
    if (!uses_all_evidence && !reading.states.empty() && !assume_possible && !is_possible(reading)) return nb::none();
    return as_marginals(reading, plans, copy_of(evidence), std::move(numbers));
}

// The plan that propagates to all variables, or null where it is too large.
Queries::Plan Queries::together(const Reading& reading) {
    Plan plan = std::static_pointer_cast<const AskedPlan>(cache_.find(reading.key));
    if (!plan) {
        Flags is_observed(static_cast<std::size_t>(tables_->layout().variable_count()), 0);
        for (const Index variable : reading.observed()) is_observed[variable] = 1;
        Vector<Index> targets;
        for (Index variable = 0; variable < tables_->layout().variable_count(); ++variable) {
            if (!is_observed[variable]) targets.push_back(variable);
        }
        plan = plan_for(reading.key, targets, reading.observed(), Ending::marginals);
    }
    return plan->is_usable ? plan : nullptr;
}

// Where the plan for all is expensive, or there is none, plans each variable by itself; `together` becomes null where they cost
// less. False where one of them does not fit.
bool Queries::plan_each(const Reading& reading, Plan& together, Vector<Plan>& singles) {
    const Index variables = tables_->layout().variable_count();
    const auto targets = static_cast<double>(static_cast<std::size_t>(variables) - reading.states.size());
    if (together && together->total <= thrift_.planning_one * targets) return true;
    Vector<Plan> made;
    bool fits = true, costs_less = true;
    {
        nb::gil_scoped_release release;  // plans go only after it is taken again: some of them have labels
        Flags is_observed(static_cast<std::size_t>(variables), 0);
        for (const Index variable : reading.observed()) is_observed[variable] = 1;
        Vector<Index> key{0, every_marginal};
        key.insert(key.end(), reading.key.begin() + 1, reading.key.end());
        double total = 0.0;
        for (Index variable = 0; variable < variables && fits && costs_less; ++variable) {
            if (is_observed[variable]) continue;
            key[0] = variable;
            Plan plan = std::static_pointer_cast<const AskedPlan>(cache_.find(key));
            if (!plan) {
                plan = plan_marginal(key, reading.observed());
                made.push_back(plan);
            }
            total += plan->total + thrift_.planning_one / 2;
            if (!plan->is_usable) fits = false;
            if (together && total > together->total) costs_less = false;
            singles.push_back(std::move(plan));
        }
    }
    for (Plan& plan : made) cache_.keep(std::move(plan));
    if (fits && costs_less) {
        together = nullptr;
        return true;
    }
    singles.clear();
    return together != nullptr;
}

nb::object Queries::as_marginals(const Reading& reading, std::span<const Plan> plans, nb::handle evidence,
                                 ResultBuffer buffer) {
    const Vector<Index>& states = tables_->layout().states();
    Vector<Offset> offsets(states.size(), -1);
    Offset at = 0;
    for (const Plan& plan : plans) {
        for (const dconvex::Output& output : plan->program.outputs) offsets[output.variable] = at + output.offset;
        at += plan->program.result_size;
    }
    double* const numbers = buffer.numbers().data();
    for (std::size_t k = 0; k < reading.states.size(); ++k) {
        const Index variable = reading.observed()[k];
        offsets[variable] = at;
        std::fill_n(numbers + at, states[variable], 0.0);
        numbers[at + reading.states[k]] = 1.0;
        at += states[variable];
    }
    const nb::object whole = share(std::move(buffer));
    nb::dict found;
    for (Index variable = 0; variable < static_cast<Index>(states.size()); ++variable) {
        if (offsets[variable] < 0) return nb::none();
        const auto [name, names, labels] = titles_of(variable);
        found[name] = answers_.make_part(names, labels, evidence, whole,
                                         {numbers + offsets[variable], static_cast<std::size_t>(states[variable])});
    }
    return found;
}

// What an answer about one variable is about; it is made once, unless there are very many variables.
Titles Queries::titles_of(Index variable) {
    const nb::ft_lock_guard guard(titles_mutex_);
    if (titles_.empty()) titles_.resize(static_cast<std::size_t>(std::min(tables_->layout().variable_count(), most_titles)));
    const bool is_kept = static_cast<std::size_t>(variable) < titles_.size();
    if (is_kept && titles_[variable].name.is_valid()) return titles_[variable];
    const nb::int_ number(variable);
    const nb::object name = names_[number], labels = labels_[number];
    Titles made{name, nb::steal(PyTuple_Pack(1, name.ptr())), nb::steal(PyTuple_Pack(1, labels.ptr()))};
    if (is_kept) titles_[variable] = made;
    return made;
}

nb::tuple parts_of(nb::handle_t<Queries> own) {
    const Queries& queries = nb::cast<const Queries&>(own);
    const auto& [cheap, cheap_for_each, shared_by, planning_one] = queries.thrift_;
    return nb::make_tuple(queries.tables_, queries.indices_, queries.names_, queries.labels_, queries.derive_,
                          queries.answers_.type(), queries.coherent_, queries.default_limit_, cheap, cheap_for_each, shared_by,
                          planning_one);
}

}  // namespace

void bind_queries(nb::module_& module) {
    nb::class_<Queries>(module, "Queries")
        .def(
            "__init__",
            [](Queries* place, std::shared_ptr<Tables> tables, nb::dict indices, nb::object names, nb::object labels,
               nb::callable derive, nb::type_object answer_type, bool coherent, std::int64_t default_limit, double cheap,
               double cheap_for_each, double shared_by, double planning_one) {
                new (place)
                    Queries(std::move(tables), std::move(indices), std::move(names), std::move(labels), std::move(derive),
                            answer_type, coherent, default_limit, {cheap, cheap_for_each, shared_by, planning_one});
            },
            nb::arg("tables"), nb::arg("indices"), nb::arg("names"), nb::arg("labels"), nb::arg("derive"),
            nb::arg("answer_type"), nb::arg("coherent"), nb::arg("default_limit"), nb::arg("cheap"), nb::arg("cheap_for_each"),
            nb::arg("shared_by"), nb::arg("planning_one"))
        .def("ask_marginals", &Queries::ask_marginals, nb::arg("evidence").none() = nb::none(),
             nb::arg("max_bytes").none() = nb::none(), nb::arg("assume_possible") = false, nb::arg("threads") = 1)
        .def("ask", &Queries::ask, nb::arg("variables").none(), nb::arg("evidence").none() = nb::none(),
             nb::arg("max_bytes").none() = nb::none(), nb::arg("assume_possible") = false)
        .def("__len__", &Queries::size)
        .def("__reduce__", [](nb::handle_t<Queries> own) { return nb::make_tuple(own.type(), parts_of(own)); });
}

}  // namespace dconvex::python
