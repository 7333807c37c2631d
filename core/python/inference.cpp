// Inference: questions, small networks, plans, tables and their derivation, running and tracing back.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "inference/deriving.hpp"
#include "inference/execution.hpp"
#include "inference/loops.hpp"
#include "inference/planning.hpp"
#include "inference/tracing.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/watching.hpp"

namespace dconvex::python {
namespace {

// A run of fewer multiplications keeps the interpreter's lock: it is over sooner than another thread could take it.
constexpr Offset few_multiplications = 20'000;
// Steps to draw a state, and to derive a table: a low estimate.
constexpr double steps_per_state = 10.0, steps_per_table = 500.0;

Vector<Index> as_indices(nb::iterable numbers) {
    Vector<Index> found;
    found.reserve(nb::len_hint(numbers));  // nanobind's, for the stable ABI has no PyObject_LengthHint
    for (nb::handle number : numbers) found.push_back(nb::cast<Index>(number));
    return found;
}

nb::tuple as_tuple(const Vector<Index>& numbers) {
    nb::list found;
    for (const Index number : numbers) found.append(number);
    return nb::tuple(found);
}

template <class Owner, class T>
auto view_of(const Vector<T> Owner::* field) {
    return [field](nb::handle_t<Owner> own) { return as_view(nb::cast<const Owner&>(own).*field, own); };
}

// Flags of 0 and 1 as NumPy's booleans.
auto flags_of(const Flags SmallNetwork::* field) {
    return [field](nb::handle_t<SmallNetwork> own) {
        const Flags& flags = nb::cast<const SmallNetwork&>(own).*field;
        return nb::ndarray<nb::numpy, const bool, nb::ndim<1>>(reinterpret_cast<const bool*>(flags.data()), {flags.size()},
                                                               own);
    };
}

nb::ndarray<nb::numpy, bool, nb::ndim<1>> as_flags(Flags&& flags) {
    auto* kept = new Flags(std::move(flags));
    nb::capsule owner(kept, [](void* own) noexcept { delete static_cast<Flags*>(own); });
    return nb::ndarray<nb::numpy, bool, nb::ndim<1>>(reinterpret_cast<bool*>(kept->data()), {kept->size()}, owner);
}

void check_tables(const TableLayout& layout, Indices tables) {
    const auto is_table = [&](Index table) { return table >= 0 && table < layout.table_count(); };
    if (!std::all_of(tables.begin(), tables.end(), is_table)) throw std::invalid_argument("there is no such table");
}

// --- questions ---

void make_question(Question* place, nb::iterable targets, nb::iterable observed, nb::iterable soft, nb::iterable map_variables,
                   nb::iterable context, nb::iterable sliced, NetworkPart network, bool coherent, bool shows_impossible,
                   Ending ending, std::int64_t max_bytes) {
    new (place) Question{as_indices(targets),
                         as_indices(observed),
                         as_indices(soft),
                         as_indices(map_variables),
                         as_indices(context),
                         as_indices(sliced),
                         network,
                         coherent,
                         shows_impossible,
                         ending,
                         max_bytes};
}

Py_hash_t hash_of(const Question& question) {
    std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a, by numbers rather than by bytes
    const auto add = [&hash](std::uint64_t number) { hash = (hash ^ number) * 1099511628211ULL; };
    for (const Vector<Index>* part : {&question.targets, &question.observed, &question.soft, &question.map_variables,
                                      &question.context, &question.sliced}) {
        for (const Index variable : *part) add(static_cast<std::uint64_t>(variable) + 1);
        add(0);
    }
    add(static_cast<std::uint64_t>(question.network) * 64 + static_cast<std::uint64_t>(question.ending) * 4 +
        static_cast<std::uint64_t>(question.coherent) * 2 + static_cast<std::uint64_t>(question.shows_impossible));
    add(static_cast<std::uint64_t>(question.max_bytes));
    return static_cast<Py_hash_t>(hash ^ (hash >> 32));
}

void bind_questions(nb::module_& module) {
    nb::enum_<Ending>(module, "Ending")
        .value("ANSWER", Ending::answer)
        .value("MARGINALS", Ending::marginals)
        .value("TRACE", Ending::trace);
    nb::enum_<NetworkPart>(module, "NetworkPart").value("PRUNED", NetworkPart::pruned).value("WHOLE", NetworkPart::whole);

    auto type =
        nb::class_<Question>(module, "Question")
            .def("__init__", &make_question, nb::arg("targets") = nb::tuple(), nb::arg("observed") = nb::tuple(),
                 nb::arg("soft") = nb::tuple(), nb::kw_only(), nb::arg("map_variables") = nb::tuple(),
                 nb::arg("context") = nb::tuple(), nb::arg("sliced") = nb::tuple(), nb::arg("network") = NetworkPart::pruned,
                 nb::arg("coherent") = false, nb::arg("shows_impossible") = false, nb::arg("ending") = Ending::answer,
                 nb::arg("max_bytes") = Question::no_limit)
            .def_prop_ro("targets", [](const Question& question) { return as_tuple(question.targets); })
            .def_prop_ro("observed", [](const Question& question) { return as_tuple(question.observed); })
            .def_prop_ro("soft", [](const Question& question) { return as_tuple(question.soft); })
            .def_prop_ro("map_variables", [](const Question& question) { return as_tuple(question.map_variables); })
            .def_prop_ro("context", [](const Question& question) { return as_tuple(question.context); })
            .def_prop_ro("sliced", [](const Question& question) { return as_tuple(question.sliced); })
            .def_ro("network", &Question::network)
            .def_ro("coherent", &Question::coherent)
            .def_ro("shows_impossible", &Question::shows_impossible)
            .def_ro("ending", &Question::ending)
            .def_ro("max_bytes", &Question::max_bytes)
            .def("__eq__", [](const Question& one, const Question& other) { return one == other; })
            .def("__eq__", [](const Question&, nb::handle) { return false; })
            .def("__hash__", &hash_of);
    type.attr("NO_LIMIT") = Question::no_limit;
}

// --- small networks ---

SmallNetwork cut_small_network(const ClusterIndex& index, const Question& question) {
    nb::gil_scoped_release release;
    return small_network(index, question);
}

void bind_small_networks(nb::module_& module) {
    nb::enum_<Role>(module, "Role")
        .value("NONE", Role::none)
        .value("TARGET", Role::target)
        .value("OBSERVED", Role::observed)
        .value("SOFT", Role::soft)
        .value("SOFT_TARGET", Role::soft_target)
        .value("GIVEN", Role::given);

    nb::class_<SmallNetwork>(module, "SmallNetwork")
        .def_prop_ro("nodes", view_of(&SmallNetwork::nodes))
        .def_prop_ro("tables", view_of(&SmallNetwork::tables))
        .def_ro("parents", &SmallNetwork::parents)
        .def_ro("children", &SmallNetwork::children)
        .def_prop_ro("roles",
                     [](nb::handle_t<SmallNetwork> own) {
                         const Vector<Role>& roles = nb::cast<const SmallNetwork&>(own).roles;
                         const auto* numbers = reinterpret_cast<const std::uint8_t*>(roles.data());
                         return nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>(numbers, {roles.size()}, own);
                     })
        .def_prop_ro("is_requisite", flags_of(&SmallNetwork::is_requisite))
        .def_prop_ro("is_reached", flags_of(&SmallNetwork::is_reached))
        .def("__len__", &SmallNetwork::size);
    module.def("small_network", &cut_small_network, nb::arg("index"), nb::arg("question"));
}

// --- tables ---

using OwnTables = nb::handle_t<Tables>;

std::shared_ptr<TableLayout> make_layout(std::shared_ptr<ClusterIndex> index, const Array<Index>& states) {
    Vector<Index> own = as_vector(states);
    nb::gil_scoped_release release;
    return std::make_shared<TableLayout>(std::move(index), std::move(own));
}

// Puts the numbers of these tables in, one table after the other.
void put_numbers(Tables& tables, const Array<Index>& numbers, const Array<double>& values) {
    const Indices wanted = as_span(numbers);
    const std::span<const double> all = as_span(values);
    check_tables(tables.layout(), wanted);
    Offset total = 0;
    for (const Index table : wanted) total += tables.layout().size(table);
    if (total != static_cast<Offset>(all.size())) throw std::invalid_argument("the values do not fit the tables");
    nb::gil_scoped_release release;
    std::size_t first = 0;
    Poll poll;
    for (const Index table : wanted) {
        const std::span<double> buffer = tables.buffer_of(table);
        std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(first), buffer.size(), buffer.begin());
        first += buffer.size();
        tables.publish(table);
        poll(static_cast<std::int64_t>(buffer.size()));
    }
}

template <class Test>
auto tables_that(const Tables& tables, Test test) {
    Vector<Index> found;
    for (Index table = 0; table < tables.layout().table_count(); ++table) {
        if (test(table)) found.push_back(table);
    }
    return as_array(std::move(found));
}

void mark_underflowed(Tables& tables, const Array<Index>& numbers) {
    check_tables(tables.layout(), as_span(numbers));
    for (const Index table : as_span(numbers)) tables.mark_underflowed(table);
}

nb::tuple state_of(OwnTables own) {
    const Tables& tables = nb::cast<const Tables&>(own);
    Vector<double> values;
    for (Index table = 0; table < tables.layout().table_count(); ++table) {
        if (tables.is_there(table)) values.insert(values.end(), tables.table(table).begin(), tables.table(table).end());
    }
    const auto there = tables_that(tables, [&](Index table) { return tables.is_there(table); });
    const auto underflowed = tables_that(tables, [&](Index table) { return tables.is_underflowed(table); });
    return nb::make_tuple(own.attr("layout"), tables.given(), there, as_array(std::move(values)), underflowed);
}

using TablesState = std::tuple<std::shared_ptr<TableLayout>, Index, Array<Index>, Array<double>, Array<Index>>;

void restore(Tables& place, TablesState state) {
    auto& [layout, given, there, values, underflowed] = state;
    Tables* tables = new (&place) Tables(layout, given);
    put_numbers(*tables, there, values);
    mark_underflowed(*tables, underflowed);
}

Index checked_table(const TableLayout& layout, Index table) {
    check_tables(layout, Indices(&table, 1));
    return table;
}

// Multiplications and bytes; numbers are cut at a program's most.
std::tuple<Offset, Offset> cost_of(Tables& tables, Indices wanted) {
    nb::gil_scoped_release release;
    const DerivationCost cost = derivation_cost(tables, wanted);
    const auto rounded = [](double number) {
        return number < static_cast<double>(Program::most_bytes) ? static_cast<Offset>(number) : Program::most_bytes;
    };
    return {rounded(cost.multiplications), rounded(cost.peak_bytes)};
}

Derivation make_derivation(std::shared_ptr<Tables> tables, const Array<Index>& wanted) {
    check_tables(tables->layout(), as_span(wanted));
    const Indices own = as_span(wanted);
    nb::gil_scoped_release release;
    return Derivation(std::move(tables), own);
}

void bind_tables(nb::module_& module) {
    nb::class_<TableLayout>(module, "TableLayout")
        .def(nb::new_(&make_layout), nb::arg("index"), nb::arg("states").noconvert())
        .def_prop_ro("index",
                     [](const TableLayout& layout) { return std::const_pointer_cast<ClusterIndex>(layout.shared_index()); })
        .def_prop_ro("states",
                     [](nb::handle_t<TableLayout> own) { return as_view(nb::cast<const TableLayout&>(own).states(), own); })
        .def_prop_ro("offsets",
                     [](nb::handle_t<TableLayout> own) { return as_view(nb::cast<const TableLayout&>(own).offsets(), own); })
        .def("__reduce__", [](nb::handle_t<TableLayout> own) {
            return nb::make_tuple(own.type(), nb::make_tuple(own.attr("index"), own.attr("states")));
        });

    nb::class_<Likelihoods>(module, "Likelihoods")
        .def(
            "__init__",
            [](Likelihoods* place, nb::iterable numbers) {
                Likelihoods made;
                for (nb::handle own : numbers) made.add(as_span(nb::cast<Array<double>>(own)));
                new (place) Likelihoods(std::move(made));
            },
            nb::arg("numbers") = nb::tuple())
        .def("__len__", &Likelihoods::size);

    nb::class_<Tables>(module, "Tables")
        .def(
            "__init__",
            [](Tables* place, std::shared_ptr<TableLayout> layout, Index given) {
                new (place) Tables(std::move(layout), given);
            },
            nb::arg("layout"), nb::arg("given"))
        .def_prop_ro("layout",
                     [](const Tables& tables) { return std::const_pointer_cast<TableLayout>(tables.shared_layout()); })
        .def_prop_ro("given", &Tables::given)
        .def_prop_ro("values", [](OwnTables own) { return as_view(nb::cast<const Tables&>(own).values(), own); })
        .def_prop_ro(
            "floors",
            [](const Tables& tables) {
                Vector<double> floors;
                for (Index table = 0; table < tables.layout().table_count(); ++table) {
                    floors.push_back(tables.floor(table));
                }
                return as_array(std::move(floors));
            },
            nb::rv_policy::move)
        .def_prop_ro(
            "underflowed",
            [](const Tables& tables) { return tables_that(tables, [&](Index table) { return tables.is_underflowed(table); }); },
            nb::rv_policy::move)
        .def_prop_ro("buffer",
                     [](OwnTables own) {
                         Tables& tables = nb::cast<Tables&>(own);
                         const auto size = static_cast<std::size_t>(tables.layout().offsets()[tables.given()]);
                         return nb::ndarray<nb::numpy, double, nb::ndim<1>>(tables.data(), {size}, own);
                     })
        .def(
            "publish",
            [](Tables& tables, const Array<Index>& numbers) {
                check_tables(tables.layout(), as_span(numbers));
                for (const Index table : as_span(numbers)) tables.publish(table);
            },
            nb::arg("tables").noconvert())
        .def("put", &put_numbers, nb::arg("tables").noconvert(), nb::arg("values").noconvert())
        .def("mark_underflowed", &mark_underflowed, nb::arg("tables").noconvert())
        .def(
            "have_zeros",
            [](const Tables& tables, const Array<Index>& numbers) {
                check_tables(tables.layout(), as_span(numbers));
                Flags found;
                for (const Index table : as_span(numbers)) found.push_back(tables.is_there(table) && tables.holds_zero(table));
                return as_flags(std::move(found));
            },
            nb::arg("tables").noconvert())
        .def(
            "is_any_underflowed",
            [](const Tables& tables, const Array<Index>& numbers) {
                check_tables(tables.layout(), as_span(numbers));
                const Indices own = as_span(numbers);
                return std::any_of(own.begin(), own.end(), [&](Index table) { return tables.is_underflowed(table); });
            },
            nb::arg("tables").noconvert())
        .def("__getstate__", &state_of)
        .def("__setstate__", &restore);

    nb::class_<Derivation>(module, "Derivation")
        .def(nb::new_(&make_derivation), nb::arg("tables"), nb::arg("wanted").noconvert())
        .def_prop_ro(
            "missing", [](const Derivation& derivation) { return as_array(Vector<Index>(derivation.missing())); },
            nb::rv_policy::move)
        .def("run", [](Derivation& derivation) {
            const double steps = steps_per_table * static_cast<double>(derivation.derived().size());
            released(steps, [&] {
                derivation.run();
                return true;
            });
        });
    module.def(
        "derivation_cost",
        [](Tables& tables, const Array<Index>& wanted) {
            check_tables(tables.layout(), as_span(wanted));
            return cost_of(tables, as_span(wanted));
        },
        nb::arg("tables"), nb::arg("wanted").noconvert());
}

// --- programs ---

using OwnProgram = nb::handle_t<Program>;

Program make_plan(std::shared_ptr<TableLayout> layout, const Question& question) {
    nb::gil_scoped_release release;
    return plan(layout, question);
}

Program make_derivation_plan(std::shared_ptr<TableLayout> layout, Index table) {
    checked_table(*layout, table);
    if (layout->index().source()[table] < 0) throw std::invalid_argument("the table is the network's own");
    nb::gil_scoped_release release;
    return plan_derivation(layout, table);
}

// Checks what a run is given, and lets other threads go on while it lasts, if it does.
RunReport run(const Program& program, const Tables& tables, nb::iterable states, const Likelihoods& likelihoods,
              const Output<double>& result, int threads) {
    const Vector<Index> own_states = as_indices(states);
    const Evidence evidence{own_states, likelihoods};
    check_run(program, tables, evidence);
    const std::span<double> buffer = as_span(result);
    if (buffer.size() != static_cast<std::size_t>(program.result_size)) {
        throw std::invalid_argument("the result must have the program's result_size");
    }
    if (program.cost < few_multiplications) return Runner(program).run(tables, evidence, buffer);
    const auto work = [&] { return Runner(program, threads).run(tables, evidence, buffer); };
    return released(static_cast<double>(program.cost), work);
}

// A run for each row of states without likelihoods; returns the status of each.
auto run_rows(const Program& program, const Tables& tables, const Matrix<Index>& states,
              const nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& results) {
    const std::size_t rows = states.shape(0), width = states.shape(1);
    const auto size = static_cast<std::size_t>(program.result_size);
    if (results.shape(0) != rows || results.shape(1) != size) {
        throw std::invalid_argument("the results must have a row of the program's result_size for each row of states");
    }
    Vector<std::uint8_t> statuses(rows);
    const Index* const all = states.data();
    double* const buffer = results.data();
    const double steps = static_cast<double>(rows) * static_cast<double>(program.cost);
    return as_array(released(steps, [&] {
        const Likelihoods none;
        const auto row_of = [&](std::size_t row) { return Indices(all + row * width, width); };
        for (std::size_t row = 0; row < rows; ++row) check_states(program, row_of(row));
        if (rows) check_run(program, tables, {row_of(0), none});
        Runner runner(program);
        for (std::size_t row = 0; row < rows; ++row) {
            const RunReport report = runner.run(tables, {row_of(row), none}, {buffer + row * size, size});
            statuses[row] = static_cast<std::uint8_t>(report.status);
        }
        return std::move(statuses);
    }));
}

// Runs a program that ends in a trace, and goes back through it. The most probable states take logarithms, so that no product
// of many small numbers is lost.
auto trace_back(const Program& program, const Tables& tables, nb::iterable states, const Likelihoods& likelihoods, Offset rows,
                std::optional<std::uint64_t> seed) {
    const Vector<Index> own_states = as_indices(states);
    const Evidence evidence{own_states, likelihoods};
    check_run(program, tables, evidence);
    if (program.ending != Ending::trace) throw std::invalid_argument("only a program that ends in a trace can be traced back");
    if (rows < 0) throw std::invalid_argument("there cannot be less than no rows");
    Vector<Index> found(static_cast<std::size_t>(rows) * program.axes.size());
    const double steps = static_cast<double>(program.cost) + steps_per_state * static_cast<double>(found.size());
    const Status status = released(steps, [&] {
        Runner runner(program);
        const RunReport report = runner.run(tables, evidence, {}, Finish::none, !seed);
        if (report.status == Status::fine) {
            trace(program, runner.numbers(), report.arithmetic == Arithmetic::logarithms, seed, rows, found);
        }
        return report.status;
    });
    const std::size_t width = program.axes.size();
    auto* kept = new Vector<Index>(std::move(found));
    nb::capsule owner(kept, [](void* own) noexcept { delete static_cast<Vector<Index>*>(own); });
    const nb::ndarray<nb::numpy, Index, nb::ndim<2>> matrix(kept->data(), {static_cast<std::size_t>(rows), width}, owner);
    return std::make_tuple(status, matrix);
}

// The same with the most probable states only, and the logarithm of their weight.
auto trace_best(const Program& program, const Tables& tables, nb::iterable states, const Likelihoods& likelihoods) {
    const Vector<Index> own_states = as_indices(states);
    const Evidence evidence{own_states, likelihoods};
    check_run(program, tables, evidence);
    if (program.ending != Ending::trace) throw std::invalid_argument("only a program that ends in a trace can be traced back");
    Vector<Index> found(program.axes.size());
    RunReport report;
    {
        nb::gil_scoped_release release;
        Runner runner(program);
        report = runner.run(tables, evidence, {}, Finish::none, true);
        if (report.status == Status::fine) trace(program, runner.numbers(), true, std::nullopt, 1, found);
    }
    return std::make_tuple(report.status, report.log_sum, as_array(std::move(found)));
}

void bind_programs(nb::module_& module) {
    nb::enum_<Status>(module, "Status")
        .value("FINE", Status::fine)
        .value("IMPOSSIBLE", Status::impossible)
        .value("NEEDS_TABLES", Status::needs_tables);
    nb::enum_<Arithmetic>(module, "Arithmetic")
        .value("PLAIN", Arithmetic::plain)
        .value("SCALED", Arithmetic::scaled)
        .value("LOGARITHMS", Arithmetic::logarithms);
    nb::class_<RunReport>(module, "RunReport")
        .def_ro("status", &RunReport::status)
        .def_ro("arithmetic", &RunReport::arithmetic)
        .def_ro("log_sum", &RunReport::log_sum);
    nb::class_<Step>(module, "Step")
        .def_ro("left", &Step::left)
        .def_ro("right", &Step::right)
        .def_ro("product", &Step::product);
    nb::class_<dconvex::Output>(module, "Output")
        .def_ro("variable", &dconvex::Output::variable)
        .def_ro("offset", &dconvex::Output::offset)
        .def_ro("size", &dconvex::Output::size);

    nb::class_<Program>(module, "Program")
        .def_ro("ending", &Program::ending)
        .def_prop_ro("axes", [](OwnProgram own) { return as_view(nb::cast<const Program&>(own).axes, own); })
        .def_prop_ro("order",
                     [](OwnProgram own) {
                         const Program& program = nb::cast<const Program&>(own);
                         const auto count = static_cast<std::size_t>(program.eliminated);
                         return nb::ndarray<nb::numpy, const Index, nb::ndim<1>>(program.axes.data(), {count}, own);
                     })
        .def_prop_ro("scopes", &Program::scopes)
        .def_prop_ro(
            "largest_scope",
            [](const Program& program) {
                Vector<Index> found;
                for (const Index axis : program.scope(program.largest_table)) found.push_back(program.axes[axis]);
                return as_array(std::move(found));
            },
            nb::rv_policy::move)
        .def_ro("is_too_large", &Program::is_too_large)
        .def_ro("uses_all_evidence", &Program::uses_all_evidence)
        .def_ro("cost", &Program::cost)
        .def_ro("workspace_size", &Program::workspace_size)
        .def_ro("result_size", &Program::result_size)
        .def_prop_ro("peak_bytes", &Program::peak_bytes)
        .def_prop_ro("own_bytes", &Program::own_bytes)
        .def_prop_ro("length", &Program::length)
        .def_prop_ro(
            "tables", [](const Program& program) { return as_array(program.tables()); }, nb::rv_policy::move)
        .def_prop_ro(
            "derived", [](const Program& program) { return as_array(program.derived()); }, nb::rv_policy::move)
        .def_prop_ro("outputs",
                     [](const Program& program) {
                         nb::list found;
                         for (const dconvex::Output& output : program.outputs) found.append(output);
                         return found;
                     })
        .def_prop_ro("steps",
                     [](const Program& program) {
                         nb::list found;
                         for (const Step& step : program.steps) found.append(step);
                         return found;
                     })
        .def(
            "derivation_cost",
            [](const Program& program, Tables& tables) {
                if (program.is_too_large || !program.loads_derived) return std::tuple<Offset, Offset>(0, 0);
                if (program.layout != tables.shared_layout()) throw std::invalid_argument("the program is about other tables");
                return cost_of(tables, program.derived());
            },
            nb::arg("tables"))
        .def("run", &run, nb::arg("tables"), nb::arg("states"), nb::arg("likelihoods"), nb::arg("result").noconvert(),
             nb::arg("threads") = 1)
        .def("run_rows", &run_rows, nb::arg("tables"), nb::arg("states").noconvert(), nb::arg("results").noconvert())
        .def("trace", &trace_back, nb::arg("tables"), nb::arg("states"), nb::arg("likelihoods"), nb::arg("rows") = 1,
             nb::arg("seed") = nb::none())
        .def("trace_best", &trace_best, nb::arg("tables"), nb::arg("states"), nb::arg("likelihoods"), nb::rv_policy::move);
    module.def("plan", &make_plan, nb::arg("layout"), nb::arg("question"));
    module.def("plan_derivation", &make_derivation_plan, nb::arg("layout"), nb::arg("table"));
}

void bind_simd(nb::module_& module) {
    module.def("simd_levels", [] {
        nb::list found;
        for (int number = 0; number < loop_set_count(); ++number) found.append(nb::str(loop_set_number(number).name));
        return nb::tuple(found);
    });
    module.def("simd_level", [] { return nb::str(loop_set().name); });
    module.def(
        "set_simd_level",
        [](nb::str name) {
            if (!use_loop_set(name.c_str())) throw std::invalid_argument("this machine has no such level");
        },
        nb::arg("name"));
}

}  // namespace

void bind_inference(nb::module_& module) {
    bind_questions(module);
    bind_small_networks(module);
    bind_tables(module);
    bind_programs(module);
    bind_simd(module);
}

}  // namespace dconvex::python
