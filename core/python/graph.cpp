// Graphs: what is asked of a DAG without numbers.

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "graph/checking.hpp"
#include "graph/convexity.hpp"
#include "graph/decomposition.hpp"
#include "graph/graph.hpp"
#include "graph/refinement.hpp"
#include "graph/tree.hpp"
#include "graph/walk.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/watching.hpp"

namespace dconvex::python {
namespace {

Indices checked_indices(const Array<Index>& indices, Index size) {
    const Indices span = as_span(indices);
    const bool are_within = std::all_of(span.begin(), span.end(), [=](Index index) { return index >= 0 && index < size; });
    if (!are_within) throw std::invalid_argument("an index lies outside 0 … size - 1");
    return span;
}

const Ragged& checked_sets(const Ragged& sets, Index size) {
    if (!sets.is_within(size)) throw std::invalid_argument("an index lies outside 0 … size - 1");
    for (Index set = 0; set < sets.size(); ++set) {
        const Indices own = sets[set];
        if (std::adjacent_find(own.begin(), own.end(), std::greater_equal<Index>()) != own.end()) {
            throw std::invalid_argument("the members of a set must ascend");
        }
    }
    return sets;
}

Indices checked_pairs(const Matrix<Index>& pairs, Index size) {
    if (pairs.shape(1) != 2) throw std::invalid_argument("pairs must come in two columns");
    const Indices span(pairs.data(), pairs.size());
    const bool are_within = std::all_of(span.begin(), span.end(), [=](Index index) { return index >= 0 && index < size; });
    if (!are_within) throw std::invalid_argument("an index lies outside 0 … size - 1");
    return span;
}

SeparatorKind separator_kind(std::string_view name) {
    if (name == "minimal") return SeparatorKind::minimal;
    if (name == "any") return SeparatorKind::any;
    if (name == "complete") return SeparatorKind::complete;
    if (name == "all") return SeparatorKind::all;
    throw std::invalid_argument("separators must be minimal, any, complete or all");
}

Refinement refinement_named(std::string_view name) {
    if (name == "none") return Refinement::none;
    if (name == "bounded") return Refinement::bounded;
    if (name == "full") return Refinement::full;
    throw std::invalid_argument("the refinement must be none, bounded or full");
}

// Steps of a decomposition for each variable, at least where there are many.
constexpr double steps_to_decompose = 2'000.0, steps_to_refine = 20'000.0;

std::optional<std::int64_t> checked_effort(std::optional<std::int64_t> effort) {
    if (effort && *effort < 0) throw std::invalid_argument("the effort must not be negative");
    return effort;
}

// A read-only view with two columns, over edges that live as long as `owner`.
nb::ndarray<nb::numpy, const Index, nb::ndim<2>> as_edge_view(const Vector<TreeEdge>& edges, nb::handle owner) {
    static_assert(sizeof(TreeEdge) == 2 * sizeof(Index));
    return nb::ndarray<nb::numpy, const Index, nb::ndim<2>>(static_cast<const void*>(edges.data()), {edges.size(), 2}, owner);
}

nb::ndarray<nb::numpy, bool, nb::ndim<1>> as_bools(Flags&& flags) {
    auto* kept = new Flags(std::move(flags));
    nb::capsule owner(kept, [](void* own) noexcept { delete static_cast<Flags*>(own); });
    return nb::ndarray<nb::numpy, bool, nb::ndim<1>>(static_cast<void*>(kept->data()), {kept->size()}, owner);
}

void bind_decomposition(nb::module_& module) {
    nb::class_<Decomposition>(module, "Decomposition")
        .def_prop_ro(
            "clusters", [](const Decomposition& own) -> const Ragged& { return own.clusters; },
            nb::rv_policy::reference_internal)
        .def_prop_ro(
            "edges",
            [](nb::handle_t<Decomposition> own) { return as_edge_view(nb::cast<const Decomposition&>(own).edges, own); })
        .def_prop_ro(
            "separators", [](const Decomposition& own) -> const Ragged& { return own.separators; },
            nb::rv_policy::reference_internal)
        .def_prop_ro(
            "undecided",
            [](nb::handle_t<Decomposition> own) { return as_view(nb::cast<const Decomposition&>(own).undecided, own); })
        .def_ro("is_certified", &Decomposition::is_certified);
}

// A growing tree together with what it refers to.
struct OwnedTree {
    OwnedTree(const Ragged& graph, const Ragged& clusters, Indices edges)
        : moral(graph), numbers(graph.size()), tree(moral, numbers, poll) {
        for (Index cluster = 0; cluster < clusters.size(); ++cluster) tree.add(cluster, clusters[cluster]);
        for (std::size_t end = 0; end < edges.size(); end += 2) {
            const Indices one = clusters[edges[end]], other = clusters[edges[end + 1]];
            Part shared;
            std::set_intersection(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(shared));
            tree.join(edges[end], edges[end + 1], shared);
        }
    }

    Ragged moral;
    LocalNumbers numbers;
    Poll poll;
    GrowingTree tree;
};

using FoundByPython = std::pair<SearchStatus, std::vector<Index>>;

SearchResult as_result(const FoundByPython& found, Index size) {
    SearchResult result{found.first, Part(found.second.begin(), found.second.end())};
    const bool is_within = result.separator.empty() || (result.separator.front() >= 0 && result.separator.back() < size);
    if (!is_within || !std::is_sorted(result.separator.begin(), result.separator.end(), std::less_equal<Index>())) {
        throw std::invalid_argument("a separator must ascend and hold nodes only");
    }
    return result;
}

void bind_refinement(nb::module_& module) {
    nb::enum_<SearchStatus>(module, "SearchStatus")
        .value("IRREDUCIBLE", SearchStatus::irreducible)
        .value("FOUND", SearchStatus::found)
        .value("UNDECIDED", SearchStatus::undecided);

    nb::class_<OwnedTree>(module, "GrowingTree")
        .def(
            "__init__",
            [](OwnedTree* place, const Ragged& moral, const Ragged& clusters, const Matrix<Index>& edges) {
                if (!moral.is_within(moral.size())) throw std::invalid_argument("a neighbour is no node");
                new (place) OwnedTree(moral, checked_sets(clusters, moral.size()), checked_pairs(edges, clusters.size()));
            },
            nb::arg("moral"), nb::arg("clusters"), nb::arg("edges"))
        .def_prop_ro("clusters",
                     [](const OwnedTree& own) {
                         std::map<Index, std::vector<Index>> found;
                         for (const auto& [number, cluster] : own.tree.clusters()) {
                             found.emplace(number, std::vector<Index>(cluster.members.begin(), cluster.members.end()));
                         }
                         return found;
                     })
        .def_prop_ro("separators",
                     [](const OwnedTree& own) {
                         std::map<std::pair<Index, Index>, std::vector<Index>> found;
                         for (const auto& [one, cluster] : own.tree.clusters()) {
                             for (const auto& [other, shared] : cluster.separators) {
                                 if (one < other) found[{one, other}].assign(shared.begin(), shared.end());
                             }
                         }
                         return found;
                     })
        .def_prop_ro(
            "undecided",
            [](const OwnedTree& own) { return std::vector<Index>(own.tree.undecided.begin(), own.tree.undecided.end()); })
        .def(
            "components",
            [](const OwnedTree& own, Index cluster, const std::vector<Index>& separator) {
                const SearchResult part = as_result({SearchStatus::found, separator}, own.moral.size());
                Ragged found;
                for (const Part& component : own.tree.components(cluster, part.separator)) found.append(component);
                return found;
            },
            nb::arg("cluster"), nb::arg("separator"))
        .def(
            "split",
            [](OwnedTree& own, Index cluster, const std::vector<Index>& separator) {
                const SearchResult part = as_result({SearchStatus::found, separator}, own.moral.size());
                return as_array(own.tree.split(cluster, part.separator));
            },
            nb::arg("cluster"), nb::arg("separator"))
        .def(
            "refine",
            [](OwnedTree& own, std::optional<nb::callable> search, const std::map<Index, FoundByPython>& known,
               std::size_t at_once) {
                NumberedMap<SearchResult> results;
                for (const auto& [cluster, found] : known) results.emplace(cluster, as_result(found, own.moral.size()));
                ClusterSearch searched;
                if (search) {
                    searched = [&](Indices clusters) {
                        Vector<SearchResult> found;
                        for (const Index cluster : clusters) {
                            found.push_back(as_result(nb::cast<FoundByPython>((*search)(cluster)), own.moral.size()));
                        }
                        return found;
                    };
                }
                refine_tree(own.tree, searched, std::move(results), at_once, own.poll);
            },
            nb::arg("search").none(), nb::arg("known"), nb::arg("at_once") = 1);
}

void bind_tree(nb::module_& module) {
    module.def(
        "count_components",
        [](const Matrix<Index>& pairs, Index size) {
            const Indices ends = checked_pairs(pairs, size);
            return released([&] { return count_components(ends, size); });
        },
        nb::arg("pairs"), nb::arg("size"));

    module.def(
        "find_nested_cluster",
        [](const Ragged& clusters, Index variables) {
            checked_sets(clusters, variables);
            return released([&] { return find_nested_cluster(clusters, variables); });
        },
        nb::arg("clusters"), nb::arg("variables"));
    module.def(
        "find_scattered_variable",
        [](const Ragged& clusters, const Matrix<Index>& edges, Index variables) {
            checked_sets(clusters, variables);
            const Indices ends = checked_pairs(edges, clusters.size());
            return released([&] { return find_scattered_variable(clusters, ends, variables); });
        },
        nb::arg("clusters"), nb::arg("edges"), nb::arg("variables"));
    module.def(
        "find_wrong_separator",
        [](const Ragged& clusters, const Matrix<Index>& edges, const Ragged& separators) {
            constexpr Index any = std::numeric_limits<Index>::max();
            checked_sets(clusters, any);
            checked_sets(separators, any);
            const Indices ends = checked_pairs(edges, clusters.size());
            if (static_cast<std::size_t>(separators.size()) != ends.size() / 2) {
                throw std::invalid_argument("there must be a separator for each edge");
            }
            return released([&] { return find_wrong_separator(clusters, ends, separators); });
        },
        nb::arg("clusters"), nb::arg("edges"), nb::arg("separators"));

    nb::class_<RootedTree>(module, "RootedTree")
        .def(nb::new_([](const Ragged& clusters, const Matrix<Index>& edges, Index variables) {
                 checked_sets(clusters, variables);
                 const Indices ends = checked_pairs(edges, clusters.size());
                 return released([&] { return std::make_shared<RootedTree>(clusters, ends, variables); });
             }),
             nb::arg("clusters"), nb::arg("edges"), nb::arg("variables"))
        .def("__len__", &RootedTree::size)
        .def_prop_ro("parent",
                     [](nb::handle_t<RootedTree> own) { return as_view(nb::cast<const RootedTree&>(own).parent(), own); })
        .def_prop_ro("edge_above",
                     [](nb::handle_t<RootedTree> own) { return as_view(nb::cast<const RootedTree&>(own).edge_above(), own); })
        .def_prop_ro("depth",
                     [](nb::handle_t<RootedTree> own) { return as_view(nb::cast<const RootedTree&>(own).depth(), own); })
        .def_prop_ro("top", [](nb::handle_t<RootedTree> own) { return as_view(nb::cast<const RootedTree&>(own).top(), own); })
        .def(
            "smallest_subtree",
            [](const RootedTree& own, const Array<Index>& variables) {
                const Indices wanted = checked_indices(variables, static_cast<Index>(own.top().size()));
                const bool are_held = std::all_of(wanted.begin(), wanted.end(), [&](Index v) { return own.top()[v] >= 0; });
                if (!are_held) throw std::invalid_argument("no cluster holds one of the variables");
                RootedTree::Subtree found = released([&] { return own.smallest_subtree(wanted); });
                return std::pair(as_array(std::move(found.clusters)), found.visits);
            },
            nb::arg("variables"));
}

}  // namespace

void bind_graph(nb::module_& module) {
    module.def(
        "find_cycle", [](const Ragged& parents) { return as_array(released([&] { return find_cycle(parents); })); },
        nb::arg("parents"));
    module.def(
        "find_repeated_arc",
        [](const Ragged& parents) {
            const std::optional<Arc> arc = released([&] { return find_repeated_arc(parents); });
            return arc ? std::optional(std::pair(arc->parent, arc->child)) : std::nullopt;
        },
        nb::arg("parents"));
    bind_decomposition(module);
    bind_refinement(module);
    bind_tree(module);

    nb::class_<Graph>(module, "Graph")
        .def(nb::new_([](const Ragged& parents) { return released([&] { return std::make_shared<Graph>(parents); }); }),
             nb::arg("parents"))
        .def_prop_ro("parents", &Graph::parents, nb::rv_policy::reference_internal)
        .def_prop_ro("children", &Graph::children, nb::rv_policy::reference_internal)
        .def_prop_ro("order", [](nb::handle_t<Graph> own) { return as_view(nb::cast<const Graph&>(own).order(), own); })
        .def_prop_ro("rank", [](nb::handle_t<Graph> own) { return as_view(nb::cast<const Graph&>(own).rank(), own); })
        .def("__len__", &Graph::size)
        .def(
            "ancestors",
            [](const Graph& graph, const Array<Index>& nodes) {
                const Indices sources = checked_indices(nodes, graph.size());
                return as_array(released([&] { return find_reachable(graph.parents(), sources); }));
            },
            nb::arg("nodes"))
        .def(
            "descendants",
            [](const Graph& graph, const Array<Index>& nodes) {
                const Indices sources = checked_indices(nodes, graph.size());
                return as_array(released([&] { return find_reachable(graph.children(), sources); }));
            },
            nb::arg("nodes"))
        .def(
            "d_connected",
            [](const Graph& graph, const Array<Index>& sources, const Array<Index>& given) {
                const Indices from = checked_indices(sources, graph.size()), known = checked_indices(given, graph.size());
                return as_bools(released([&] { return find_d_connected(graph, from, known); }));
            },
            nb::arg("sources"), nb::arg("given"))
        .def(
            "find_inducing_path",
            [](const Graph& graph, const Array<Index>& nodes) -> nb::object {
                const Indices members = checked_indices(nodes, graph.size());
                Vector<Index> path = released([&] { return find_inducing_path(graph, members); });
                return path.empty() ? nb::none() : nb::cast(as_array(std::move(path)));
            },
            nb::arg("nodes"), nb::sig("def find_inducing_path(self, nodes: NDArray) -> NDArray | None"))
        .def(
            "convex_hull",
            [](const Graph& graph, const Array<Index>& nodes) {
                const Indices members = checked_indices(nodes, graph.size());
                return as_array(released([&] { return convex_hull(graph, members); }));
            },
            nb::arg("nodes"))
        .def(
            "decompose",
            [](const Graph& graph, std::string_view separators, std::string_view refinement, std::optional<std::int64_t> effort,
               int threads) {
                const SeparatorKind kind = separator_kind(separators);
                const Refinement how = refinement_named(refinement);
                checked_effort(effort);
                const double steps = graph.size() * (how == Refinement::full ? steps_to_refine : steps_to_decompose);
                return released(steps, [&] { return decompose(graph, kind, how, effort, threads); });
            },
            nb::arg("separators"), nb::arg("refinement"), nb::arg("effort").none(), nb::arg("threads") = 1)
        .def(
            "find_uncovered_family",
            [](const Graph& graph, const Ragged& clusters) {
                checked_sets(clusters, graph.size());
                return released([&] { return find_uncovered_family(graph, clusters); });
            },
            nb::arg("clusters"))
        .def(
            "find_incomplete_set",
            [](const Graph& graph, const Ragged& sets) {
                checked_sets(sets, graph.size());
                return released([&] { return find_incomplete_set(graph, sets); });
            },
            nb::arg("sets"))
        .def(
            "find_inducing_set",
            [](const Graph& graph, const Ragged& sets) {
                checked_sets(sets, graph.size());
                return released([&] { return find_inducing_set(graph, sets); });
            },
            nb::arg("sets"))
        .def(
            "find_nonminimal_separator",
            [](const Graph& graph, const Ragged& sets) {
                checked_sets(sets, graph.size());
                return released([&] { return find_nonminimal_separator(graph, sets); });
            },
            nb::arg("sets"))
        .def(
            "find_reducible_cluster",
            [](const Graph& graph, const Ragged& clusters, std::string_view separators) {
                const SeparatorKind kind = separator_kind(separators);
                checked_sets(clusters, graph.size());
                return released([&] { return find_reducible_cluster(graph, clusters, kind); });
            },
            nb::arg("clusters"), nb::arg("separators"))
        .def("__reduce__",
             [](nb::handle_t<Graph> own) { return nb::make_tuple(own.type(), nb::make_tuple(own.attr("parents"))); });
}

}  // namespace dconvex::python
