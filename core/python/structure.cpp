// Scores of structures, and what searches over structures take.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "structure/bit_loops.hpp"
#include "structure/counted_score.hpp"
#include "structure/discrete_score.hpp"
#include "structure/family_score.hpp"
#include "structure/gapped_gaussian_score.hpp"
#include "structure/gaussian_score.hpp"
#include "structure/penalised_score.hpp"

namespace dconvex::python {
namespace {

// A Python function in place of data: an oracle.
class CallableScore final : public FamilyScore {
public:
    CallableScore(Index size, nb::callable score, std::optional<nb::callable> parameters)
        : size_(size), score_(std::move(score)), parameters_(std::move(parameters)) {}

    Index size() const override { return size_; }

    double family(Index variable, Indices parents) override {
        nb::gil_scoped_acquire gil;
        return nb::cast<double>(score_(variable, as_tuple(parents)));
    }

    double parameters(Index variable, Indices parents) const override {
        nb::gil_scoped_acquire gil;
        return parameters_ ? nb::cast<double>((*parameters_)(variable, as_tuple(parents))) : 0.0;
    }

private:
    static nb::tuple as_tuple(Indices parents) {
        nb::list list;
        for (const Index parent : parents) list.append(parent);
        return nb::tuple(list);
    }

    Index size_;
    nb::callable score_;
    std::optional<nb::callable> parameters_;
};

// What a Python function answers to a round of sets of variables.
CountedScore::Ask asking(nb::callable tables_of) {
    return [tables_of = std::move(tables_of)](const Vector<Vector<Index>>& sets) {
        nb::gil_scoped_acquire gil;
        nb::list round;
        for (const auto& set : sets) {
            nb::list members;
            for (const Index variable : set) members.append(variable);
            round.append(nb::tuple(members));
        }
        Vector<Vector<Offset>> tables;
        for (const nb::handle table : tables_of(round)) tables.push_back(as_vector(nb::cast<Array<Offset>>(table)));
        return tables;
    };
}

// Throws std::invalid_argument unless the parents ascend, lie within the variables and are not the variable.
Indices checked_parents(const FamilyScore& score, Index variable, Indices parents) {
    if (variable < 0 || variable >= score.size()) throw std::invalid_argument("there is no such variable");
    Index before = -1;
    for (const Index parent : parents) {
        const bool is_sound = parent > before && parent < score.size() && parent != variable;
        if (!is_sound) throw std::invalid_argument("parents must ascend, be variables, and not be the variable itself");
        before = parent;
    }
    return parents;
}

Vector<double> scores_with_each(FamilyScore& score, Index variable, Indices parents, Indices candidates) {
    checked_parents(score, variable, parents);
    for (const Index candidate : candidates) {
        const bool is_sound = candidate >= 0 && candidate < score.size() && candidate != variable &&
                              !std::binary_search(parents.begin(), parents.end(), candidate);
        if (!is_sound) throw std::invalid_argument("a candidate must be another variable, and no parent");
    }
    Vector<double> scores(candidates.size());
    nb::gil_scoped_release release;
    score.with_each(variable, parents, candidates, scores);
    return scores;
}

Criterion criterion_of(const std::string& name) {
    if (name == "bic") return Criterion::bic;
    if (name == "aic") return Criterion::aic;
    if (name == "bdeu") return Criterion::bdeu;
    if (name == "likelihood") return Criterion::likelihood;
    throw std::invalid_argument("the score is one of bic, aic, bdeu, likelihood");
}

GaussianScore::Kind gaussian_kind_of(const std::string& name) {
    if (name == "bic") return GaussianScore::Kind::bic;
    if (name == "aic") return GaussianScore::Kind::aic;
    if (name == "bge") return GaussianScore::Kind::bge;
    if (name == "likelihood") return GaussianScore::Kind::likelihood;
    throw std::invalid_argument("the score is one of bic, aic, bge, likelihood");
}

template <class Code>
void make_discrete(DiscreteScore* place, const Matrix<Code>& codes, const Array<Index>& states,
                   const std::optional<Array<Offset>>& weights, const std::string& criterion, double equivalent_sample_size,
                   double unit, int threads) {
    if (codes.shape(0) != states.size()) throw std::invalid_argument("there must be a line of states for each variable");
    if (!(equivalent_sample_size > 0)) throw std::invalid_argument("the equivalent sample size must be positive");
    StateColumns columns(std::span<const Code>(codes.data(), codes.size()), as_vector(states),
                         static_cast<Offset>(codes.shape(1)), weights ? as_vector(*weights) : Vector<Offset>());
    if (!(unit > 0)) throw std::invalid_argument("the unit of weights must be positive");
    new (place)
        DiscreteScore(std::move(columns), DiscreteScoreOptions{criterion_of(criterion), equivalent_sample_size, unit, threads});
}

Vector<char> edge_matrix(Index size, const Matrix<Index>& pairs) {
    if (!pairs.shape(0)) return {};
    if (pairs.shape(1) != 2) throw std::invalid_argument("an edge is a pair of a parent and a child");
    Vector<char> found(static_cast<std::size_t>(size) * size, 0);
    for (std::size_t k = 0; k < pairs.shape(0); ++k) {
        const Index parent = pairs.data()[2 * k], child = pairs.data()[2 * k + 1];
        const bool is_sound = parent >= 0 && parent < size && child >= 0 && child < size && parent != child;
        if (!is_sound) throw std::invalid_argument("an edge joins two different variables");
        found[static_cast<std::size_t>(parent) * size + child] = 1;
    }
    return found;
}

}  // namespace

void bind_structure(nb::module_& module) {
    module.def("bit_loop_names", [] {
        nb::list names;
        for (int number = 0; number < bit_loops_count(); ++number) names.append(bit_loops_number(number).name);
        return names;
    });
    module.def(
        "use_bit_loops",
        [](const std::string& name) {
            if (!use_bit_loops(name.c_str())) throw std::invalid_argument("this machine has no such loops");
        },
        nb::arg("name"));
    nb::class_<FamilyScore>(module, "FamilyScore")
        .def_prop_ro("size", &FamilyScore::size)
        .def(
            "family",
            [](FamilyScore& score, Index variable, const Array<Index>& parents) {
                const Indices own = checked_parents(score, variable, as_span(parents));
                nb::gil_scoped_release release;
                return score.family(variable, own);
            },
            nb::arg("variable"), nb::arg("parents"))
        .def(
            "with_each",
            [](FamilyScore& score, Index variable, const Array<Index>& parents, const Array<Index>& candidates) {
                return as_array(scores_with_each(score, variable, as_span(parents), as_span(candidates)));
            },
            nb::arg("variable"), nb::arg("parents"), nb::arg("candidates"))
        .def(
            "parameters",
            [](const FamilyScore& score, Index variable, const Array<Index>& parents) {
                return score.parameters(variable, checked_parents(score, variable, as_span(parents)));
            },
            nb::arg("variable"), nb::arg("parents"));

    nb::class_<DiscreteScore, FamilyScore>(module, "DiscreteScore")
        .def("__init__", &make_discrete<std::int8_t>, nb::arg("codes").noconvert(), nb::arg("states"),
             nb::arg("weights").none(), nb::arg("criterion"), nb::arg("equivalent_sample_size") = 1.0, nb::arg("unit") = 1.0,
             nb::arg("threads") = 1)
        .def("__init__", &make_discrete<std::int32_t>, nb::arg("codes").noconvert(), nb::arg("states"),
             nb::arg("weights").none(), nb::arg("criterion"), nb::arg("equivalent_sample_size") = 1.0, nb::arg("unit") = 1.0,
             nb::arg("threads") = 1);

    nb::class_<CountedScore, FamilyScore>(module, "CountedScore")
        .def(
            "__init__",
            [](CountedScore* place, const Array<Index>& states, Offset rows, nb::callable tables_of,
               const std::string& criterion, double equivalent_sample_size, double unit) {
                if (!(equivalent_sample_size > 0)) throw std::invalid_argument("the equivalent sample size must be positive");
                if (!(unit > 0)) throw std::invalid_argument("the unit must be positive");
                const DiscreteScoreOptions options{criterion_of(criterion), equivalent_sample_size, unit, 1};
                new (place) CountedScore(as_vector(states), rows, options, asking(std::move(tables_of)));
            },
            nb::arg("states"), nb::arg("rows"), nb::arg("tables_of"), nb::arg("criterion"),
            nb::arg("equivalent_sample_size") = 1.0, nb::arg("unit") = 1.0);

    nb::class_<PenalisedScore, FamilyScore>(module, "PenalisedScore")
        .def(
            "__init__",
            [](PenalisedScore* place, FamilyScore& score, double edge_penalty) {
                if (!(edge_penalty >= 0)) throw std::invalid_argument("the penalty of an edge is zero or more");
                new (place) PenalisedScore(score, edge_penalty);
            },
            nb::arg("score"), nb::arg("edge_penalty"), nb::keep_alive<1, 2>());

    nb::class_<GaussianScore, FamilyScore>(module, "GaussianScore")
        .def(
            "__init__",
            [](GaussianScore* place, const Array<double>& means, const Matrix<double>& covariance, double rows,
               const std::string& criterion, double mean_weight, double degrees, double scale) {
                Vector<double> matrix(covariance.data(), covariance.data() + covariance.size());
                new (place) GaussianScore(as_vector(means), std::move(matrix), rows, gaussian_kind_of(criterion),
                                          BGePrior{mean_weight, degrees, scale});
            },
            nb::arg("means"), nb::arg("covariance"), nb::arg("rows"), nb::arg("criterion"), nb::arg("mean_weight") = 1.0,
            nb::arg("degrees") = 0.0, nb::arg("scale") = 0.0);

    nb::class_<GappedGaussianScore, FamilyScore>(module, "GappedGaussianScore")
        .def(
            "__init__",
            [](GappedGaussianScore* place, const Matrix<double>& means, const Matrix<double>& scatter,
               const Array<double>& group_weights, const Matrix<double>& rows, const Array<double>& weights,
               const std::string& criterion) {
                const std::size_t size = means.shape(1), groups = means.shape(0);
                const bool is_sound = scatter.shape(0) == groups && scatter.shape(1) == size * size &&
                                      group_weights.size() == groups && rows.shape(0) == size &&
                                      rows.shape(1) == weights.size();
                if (!is_sound) throw std::invalid_argument("a group of rows has moments of all variables");
                Vector<MomentGroup> own;
                for (std::size_t group = 0; group < groups; ++group) {
                    const double* mean = means.data() + group * size;
                    const double* matrix = scatter.data() + group * size * size;
                    own.push_back({Vector<double>(mean, mean + size), Vector<double>(matrix, matrix + size * size),
                                   group_weights.data()[group]});
                }
                Vector<double> numbers(rows.data(), rows.data() + rows.size());
                new (place) GappedGaussianScore(static_cast<Index>(size), std::move(own), std::move(numbers),
                                                as_vector(weights), gaussian_kind_of(criterion));
            },
            nb::arg("means"), nb::arg("scatter"), nb::arg("group_weights"), nb::arg("rows"), nb::arg("weights"),
            nb::arg("criterion"));

    nb::class_<CallableScore, FamilyScore>(module, "CallableScore")
        .def(nb::init<Index, nb::callable, std::optional<nb::callable>>(), nb::arg("size"), nb::arg("score"),
             nb::arg("parameters").none() = nb::none());

    nb::class_<EdgeConstraints>(module, "EdgeConstraints")
        .def(
            "__init__",
            [](EdgeConstraints* place, Index size, const Matrix<Index>& required, const Matrix<Index>& forbidden,
               Index max_parents) {
                new (place) EdgeConstraints{size, edge_matrix(size, required), edge_matrix(size, forbidden), max_parents};
            },
            nb::arg("size"), nb::arg("required"), nb::arg("forbidden"), nb::arg("max_parents") = -1)
        .def_prop_ro("size", [](const EdgeConstraints& own) { return own.size; })
        .def_prop_ro("max_parents", [](const EdgeConstraints& own) { return own.max_parents; });
}

}  // namespace dconvex::python
