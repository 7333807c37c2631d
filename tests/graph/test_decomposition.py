"""The tree of a DAG: all its properties by definition on every small DAG, the paper's example 2, counterexamples."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import networkx as nx
import pytest
from graph.brute_force import Definitions, mask
from graph.examples import CROSSING, FIGURE_1, NOT_MINIMAL, SATELLITE, TWO_TREES
from graph.families import drawn, grown, on_small_and_random_dags
from hypothesis import given
from hypothesis import strategies as st
from strategies import dags

import dconvex as dc
from dconvex.graph.decomposition import quick_tree

MODES = ("minimal", "any", "complete", "all")
# clusters and largest cluster of the corrected construction
REPOSITORY = {
    "asia": (4, 5),
    "survey": (2, 4),
    "sachs": (6, 4),
    "child": (12, 7),
    "insurance": (4, 24),
    "alarm": (21, 9),
    "hailfinder": (26, 24),
    "hepar2": (35, 34),
    "pathfinder": (83, 13),
}


def sets(*clusters):
    """`sets("ab", "s1 s2")` as frozensets of names."""
    return {frozenset(cluster.split() if " " in cluster else cluster) for cluster in clusters}


def sound(dag, tree):
    return dc.check_tree(dag, tree, irreducible=tree.certified) == ()


# --- by definition


@on_small_and_random_dags
def test_tree_has_all_the_properties_that_its_mode_demands(family):
    for known in family():
        for mode in MODES:
            refined, printed = (dc.decompose(known.dag, separators=mode, refine=refine) for refine in (True, False))
            assert refined.mode == printed.mode == mode
            assert refined.certified
            assert refined.undecided == ()
            assert known.violations(refined, irreducible=True) == (), (known.dag.edges, refined.clusters)
            assert printed.certified == (mode == "all")
            assert known.violations(printed, irreducible=False) == (), (known.dag.edges, printed.clusters)


def test_algorithm_2_as_printed_does_leave_reducible_clusters():
    found = Counter(known.violations(dc.decompose(known.dag, refine=False), irreducible=True) for known in grown(5, 60)())
    assert found.keys() == {(), ("irreducible",)}
    assert min(found.values()) > 10


@pytest.mark.parametrize("seed", range(3))
def test_any_tree_of_cliques_has_the_cliques_of_a_minimal_triangulation(seed):
    for known in drawn(seed, 40)():
        tree = dc.decompose(known.dag, separators="all")
        filled = nx.Graph(pair for cluster in tree.clusters for pair in itertools.combinations(cluster, 2))
        filled.add_nodes_from(known.dag.nodes)
        assert nx.is_chordal(filled)
        assert set(map(frozenset, nx.find_cliques(filled))) == set(tree.clusters)
        fill = [(a, b) for a, b in filled.edges if not known.moral[a] >> b & 1]
        for edge in fill:
            filled.remove_edge(*edge)
            assert not nx.is_chordal(filled), (known.dag.edges, edge)
            filled.add_edge(*edge)


# --- the paper, and counterexamples to it


def test_example_2_and_figure_1():
    tree = dc.decompose(FIGURE_1)
    assert set(tree.clusters) == sets("cd", "gid", "gisjl", "ghk", "mk")
    assert Counter(tree.separators) == Counter(sets("d", "gi", "g", "k"))
    assert tree.certified
    assert sound(FIGURE_1, tree)
    assert set(dc.decompose(FIGURE_1, refine=False).clusters) == set(tree.clusters)


def test_tree_of_figure_1c_is_sound_as_drawn():
    drawn_tree = dc.ClusterTree(map(list, ["cd", "gid", "gisjl", "ghk", "mk"]), [(0, 1), (1, 2), (2, 3), (3, 4)])
    assert dc.check_tree(FIGURE_1, drawn_tree, irreducible=True) == ()


def test_figure_1b_is_a_tree_of_mode_all_and_two_of_its_separators_are_not_convex():
    clusters, edges = ["cd", "gid", "gis", "gsl", "slj", "ghk", "mk"], [(0, 1), (1, 2), (2, 3), (3, 4), (3, 5), (5, 6)]
    assert dc.check_tree(FIGURE_1, dc.ClusterTree(map(list, clusters), edges, mode="all"), irreducible=True) == ()
    assert dc.check_tree(FIGURE_1, dc.ClusterTree(map(list, clusters), edges)) == ("convex",)
    convex = {name: dc.is_d_convex(FIGURE_1, list(name)) for name in ("d", "g", "gi", "gs", "sl", "k")}
    assert [name for name, is_so in convex.items() if not is_so] == ["gs", "sl"]
    assert len(dc.decompose(FIGURE_1, separators="all")) == 7


def relabelled(edges):
    """The same DAG under every order of its names, with the way back."""
    names = sorted({name for edge in edges for name in edge})
    for order in itertools.permutations(range(len(names))):
        index = dict(zip(names, order, strict=True))
        yield [(index[a], index[b]) for a, b in edges], {number: name for name, number in index.items()}


def test_crossing_is_split_whatever_the_triangulation():
    left_by_algorithm_2 = set()
    for edges, back in relabelled(CROSSING):
        left_by_algorithm_2 |= {frozenset(map(back.get, c)) for c in dc.decompose(edges, refine=False).clusters}
        tree = dc.decompose(edges)
        assert tree.certified
        assert max(tree.sizes) == 3
        assert len(tree) == 4
    by_hand = dc.ClusterTree([["s1", "r", "t", "s2"], ["r", "p", "s2"], ["t", "q", "s2"]], [(0, 1), (0, 2)])
    assert dc.check_tree(CROSSING, by_hand) == ()
    assert dc.check_tree(CROSSING, by_hand, irreducible=True) == ("irreducible",)
    assert frozenset({"s1", "r", "t", "s2"}) in left_by_algorithm_2  # so the case above does come up


def test_satellite_is_left_by_algorithm_2_and_split_by_refinement():
    assert dc.check_tree(SATELLITE, dc.ClusterTree([["d", "p", "z", "s1", "s2"], ["q", "z", "s1", "s2"]], [(0, 1)]), True) == (
        "irreducible",
    )
    for edges, back in relabelled(SATELLITE):
        left = {frozenset(map(back.get, c)) for c in dc.decompose(edges, refine=False).clusters}
        assert left in (sets("d p z s1 s2", "q z s1 s2"), sets("d q z s1 s2", "p z s1 s2"))
        tree = dc.decompose(edges)
        assert {frozenset(map(back.get, c)) for c in tree.clusters} == sets("d z s1 s2", "p z s1 s2", "q z s1 s2")
        assert tree.certified
    tree = dc.decompose(SATELLITE)
    assert set(tree.clusters) == sets("d z s1 s2", "p z s1 s2", "q z s1 s2")
    assert set(tree.separators) == sets("z s1 s2")
    assert tree.certified


def test_two_irreducible_trees_of_which_ours_is_always_the_same():
    one = dc.ClusterTree(map(list, ["abq", "abr", "brt", "prt"]), [(0, 1), (1, 2), (2, 3)])
    other = dc.ClusterTree(map(list, ["abq", "abt", "art", "prt"]), [(0, 1), (1, 2), (2, 3)])
    for tree in (one, other):
        assert dc.check_tree(TWO_TREES, tree, irreducible=True) == ()
    ours = {dc.decompose(random.Random(seed).sample(TWO_TREES, len(TWO_TREES))) for seed in range(20)}
    assert len(ours) == 1
    assert set(ours.pop().clusters) in (set(one.clusters), set(other.clusters))


def test_separators_that_are_not_minimal_split_more():
    assert set(dc.decompose(NOT_MINIMAL).clusters) == sets("w p q s1 s2")
    assert dc.decompose(NOT_MINIMAL).certified
    tree = dc.decompose(NOT_MINIMAL, separators="any")
    assert set(tree.clusters) == sets("w p s1 s2", "w q s1 s2")
    assert set(tree.separators) == sets("w s1 s2")
    assert tree.certified


@pytest.mark.parametrize("name", REPOSITORY)
def test_repository_networks_give_the_counts_of_the_theory(name):
    dag = dc.load_network(name).dag
    tree = dc.decompose(dag)
    assert (len(tree), max(tree.sizes)) == REPOSITORY[name]
    assert tree.certified
    assert sound(dag, tree)


def test_hepar2_falls_apart_further_along_separators_that_are_not_minimal():
    dag = dc.load_network("hepar2").dag
    tree = dc.decompose(dag, separators="any")
    assert max(tree.sizes) == 14
    assert tree.certified
    assert sound(dag, tree)


@pytest.mark.parametrize("name", ["pigs", "munin1", "win95pts"])
def test_algorithm_2_leaves_reducible_clusters_in_repository_networks(name):
    dag = dc.load_network(name).dag
    printed, tree = dc.decompose(dag, refine=False), dc.decompose(dag)
    assert dc.check_tree(dag, printed) == ()
    assert dc.check_tree(dag, printed, irreducible=True) == ("irreducible",)
    assert len(tree) > len(printed)
    assert tree.certified
    assert sound(dag, tree)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("mode", ["minimal", "any", "complete"])
def test_larger_random_dags_are_irreducible_when_certified(mode, seed):
    dag = dc.random_dag(45, 45, max_parents=4, seed=seed)
    tree = dc.decompose(dag, separators=mode)
    assert tree.certified
    assert dc.check_tree(dag, tree, irreducible=True) == ()


# --- with work in proportion to that of Algorithm 2


@pytest.mark.parametrize("seed", range(8))
def test_quick_trees_are_sound_and_certified_only_where_irreducible(seed):
    dag = dc.random_dag(150, 180, max_parents=4, seed=seed)
    tree = quick_tree(dag)
    assert tree.mode == "minimal"
    assert tree.certified == (tree.undecided == ())
    assert dc.check_tree(dag, tree) == ()
    decided = [cluster for number, cluster in enumerate(tree.clusters) if number not in tree.undecided]
    assert dc.check_tree(dag, dc.ClusterTree(decided), irreducible=True)[-1:] != ("irreducible",)
    assert quick_tree(dag) == tree


def test_quick_trees_of_small_networks_are_those_of_decompose():
    for name in ("asia", "sachs", "alarm", "insurance"):
        dag = dc.load_network(name).dag
        assert quick_tree(dag) == dc.decompose(dag)


def test_quick_trees_of_hard_networks_are_not_certified():
    tree = quick_tree(dc.load_network("diabetes").dag)
    assert not tree.certified
    assert 0 < len(tree.undecided) < len(tree)


# --- determinism


def renamed(tree, names):
    """The clusters and edges of a tree with other names."""
    return [frozenset(map(names.get, cluster)) for cluster in tree.clusters], tree.edges


@pytest.mark.parametrize("mode", MODES)
@given(dags(max_nodes=12), st.randoms(use_true_random=False))
def test_order_in_which_nodes_and_edges_are_given_does_not_show(mode, dag, rng):
    nodes, edges = list(dag.nodes), list(dag.edges)
    expected = dc.decompose(dag, separators=mode)
    rng.shuffle(nodes)
    rng.shuffle(edges)
    assert dc.decompose(dc.Dag(edges, nodes), separators=mode) == expected
    parents = {v: rng.sample(dag.parents(v), len(dag.parents(v))) for v in nodes}
    assert dc.decompose(dc.Dag.from_parents(parents), separators=mode) == expected


@pytest.mark.parametrize("mode", MODES)
def test_names_of_another_type_in_the_same_order_give_the_same_tree(mode):
    for known in drawn(11, 30)():
        for name in (lambda v: f"v{v:02}", lambda v: v * 1000 - 5000, lambda v: v if v < 4 else str(v)):
            names = {v: name(v) for v in known.dag.nodes}
            other = dc.Dag([(names[a], names[b]) for a, b in known.dag.edges], nodes=names.values())
            assert renamed(dc.decompose(known.dag, separators=mode), names) == renamed(
                dc.decompose(other, separators=mode), {name: name for name in names.values()}
            )


def test_clusters_edges_and_separators_stand_in_order():
    for known in drawn(12, 30)():
        tree = dc.decompose(known.dag)
        assert [sorted(c) for c in tree.clusters] == sorted(map(sorted, tree.clusters))
        assert list(tree.edges) == sorted(tree.edges)
        assert all(a < b for a, b in tree.edges)
        assert list(tree.separators) == [tree.clusters[a] & tree.clusters[b] for a, b in tree.edges]


# --- shapes


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("refine", [True, False])
def test_empty_dag_has_no_clusters(mode, refine):
    tree = dc.decompose([], separators=mode, refine=refine)
    assert (tree.clusters, tree.edges, tree.separators, tree.variables) == ((), (), (), frozenset())
    assert dc.check_tree([], tree, irreducible=True) == ()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("refine", [True, False])
def test_single_node(mode, refine):
    dag = dc.Dag(nodes="a")
    tree = dc.decompose(dag, separators=mode, refine=refine)
    assert tree.clusters == (frozenset("a"),)
    assert sound(dag, tree)


@pytest.mark.parametrize("mode", MODES)
def test_isolated_nodes_are_joined_by_empty_separators(mode):
    dag = dc.Dag(nodes=range(5))
    tree = dc.decompose(dag, separators=mode)
    assert tree.clusters == tuple(frozenset([node]) for node in range(5))
    assert tree.separators == (frozenset(),) * 4
    assert sound(dag, tree)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", [2, 3, 8])
def test_complete_dag_is_one_cluster(mode, size):
    dag = dc.Dag(itertools.combinations(range(size), 2))
    tree = dc.decompose(dag, separators=mode)
    assert tree.clusters == (frozenset(range(size)),)
    assert tree.certified
    assert sound(dag, tree)


@pytest.mark.parametrize("mode", MODES)
def test_disconnected_parts_are_decomposed_on_their_own(mode):
    parts = [FIGURE_1, [(a + "'", b + "'") for a, b in SATELLITE]]
    dag = dc.Dag([*parts[0], *parts[1]], nodes=[*{v for part in parts for edge in part for v in edge}, "alone"])
    tree = dc.decompose(dag, separators=mode)
    alone = [dc.decompose(part, separators=mode) for part in parts]
    assert set(tree.clusters) == {frozenset(["alone"]), *alone[0].clusters, *alone[1].clusters}
    assert Counter(tree.separators) == Counter([*alone[0].separators, *alone[1].separators, frozenset(), frozenset()])
    assert sound(dag, tree)


@pytest.mark.parametrize("mode", MODES)
def test_any_kind_of_graph_is_taken(mode):
    dag = dc.Dag(CROSSING)
    expected = dc.decompose(dag, separators=mode)
    for graph in (CROSSING, iter(CROSSING), nx.DiGraph(CROSSING), dc.random_network(dag), dc.random_gaussian_network(dag)):
        assert dc.decompose(graph, separators=mode) == expected


# --- effort and errors


@pytest.mark.parametrize("mode", ["minimal", "any"])
def test_with_little_effort_the_tree_is_valid_and_lists_all_clusters_that_may_be_reducible(mode):
    gave_up = left_reducible = 0
    for known in grown(21, 60)():
        for effort in (0, 1, 2, 4, 8):
            tree = dc.decompose(known.dag, separators=mode, effort=effort)
            assert known.violations(tree, irreducible=False) == ()
            assert dc.check_tree(known.dag, tree) == ()
            assert tree.certified == (not tree.undecided)
            reducible = {i for i, cluster in enumerate(tree.clusters) if known.is_reducible(mask(cluster), mode)}
            assert reducible <= set(tree.undecided), (known.dag.edges, effort, tree.clusters)
            gave_up += bool(tree.undecided)
            left_reducible += bool(reducible)
    assert gave_up > 50
    assert left_reducible > 10


@pytest.mark.parametrize("mode", ["minimal", "any"])
def test_without_effort_the_undecided_are_not_cliques(mode):
    for known in drawn(22, 40)():
        tree = dc.decompose(known.dag, separators=mode, effort=0)
        for index in tree.undecided:
            assert any(not known.moral[a] >> b & 1 for a, b in itertools.combinations(tree.clusters[index], 2))


@pytest.mark.parametrize("mode", MODES)
def test_unlimited_effort_is_a_large_one(mode):
    for known in drawn(23, 30)():
        unlimited = dc.decompose(known.dag, separators=mode, effort=None)
        assert unlimited == dc.decompose(known.dag, separators=mode, effort=10**12) == dc.decompose(known.dag, separators=mode)


@pytest.mark.parametrize("mode", ["complete", "all"])
def test_modes_without_a_search_need_no_effort(mode):
    for known in drawn(24, 30)():
        tree = dc.decompose(known.dag, separators=mode, effort=0)
        assert tree.certified
        assert tree == dc.decompose(known.dag, separators=mode)


def test_effort_is_not_needed_where_the_tree_is_all_cliques():
    assert dc.decompose([(i, i + 1) for i in range(10)], effort=0).certified


def test_clusters_of_algorithm_2_are_undecided():
    tree = dc.decompose(SATELLITE, refine=False)
    assert not tree.certified
    assert tree.undecided == (0, 1)


def test_wrong_mode_names_the_right_ones():
    with pytest.raises(ValueError, match=r"unknown separators 'minimum'; there are minimal, any, complete, all"):
        dc.decompose(FIGURE_1, separators="minimum")


def test_negative_effort_is_an_error():
    with pytest.raises(ValueError, match="effort must be None or a number of search nodes, not -1"):
        dc.decompose(FIGURE_1, effort=-1)


def test_cycle_is_an_error():
    with pytest.raises(dc.CycleError, match=r"a → b → a|b → a → b"):
        dc.decompose([("a", "b"), ("b", "a")])


# --- size


def test_long_chain():
    tree = dc.decompose((i, i + 1) for i in range(100_000))
    assert len(tree) == 100_000
    assert tree.certified
    assert tree.edges[:2] == ((0, 1), (1, 2))
    assert max(tree.sizes) == 2


@pytest.mark.parametrize("is_outward", [True, False])
def test_star(is_outward):
    leaves = 10_000 if is_outward else 1_000  # inward is one family, a clique of the moral graph
    tree = dc.decompose((0, leaf) if is_outward else (leaf, 0) for leaf in range(1, leaves + 1))
    assert len(tree) == (leaves if is_outward else 1)
    assert tree.certified


def test_chain_of_diamonds():
    dag = dc.Dag(edge for i in range(0, 30_000, 3) for edge in [(i, i + 1), (i, i + 2), (i + 1, i + 3), (i + 2, i + 3)])
    tree = dc.decompose(dag)
    assert tree.certified
    assert set(tree.clusters) == {frozenset(range(i, i + 4)) for i in range(0, 30_000, 3)}


def test_many_islands():
    tree = dc.decompose(dc.Dag(nodes=range(20_000)))
    assert len(tree) == 20_000
    assert len(tree.edges) == 19_999


def test_definitions_see_the_counterexamples_too():
    """The oracle is no better than the definitions it was given: it must say of the counterexamples what is known of them."""
    names = sorted({name for edge in SATELLITE for name in edge})
    index = {name: number for number, name in enumerate(names)}
    known = Definitions(dc.Dag([(index[a], index[b]) for a, b in SATELLITE]))
    assert known.is_reducible(mask(index[v] for v in ("d", "p", "z", "s1", "s2")), "minimal")
    assert not known.is_convex(mask(index[v] for v in ("s1", "s2")))
    assert known.is_convex(mask(index[v] for v in ("z", "s1", "s2")))


# --- threads


def copies(dag, count):
    """Some copies of a DAG that have nothing to do with each other."""
    return dc.Dag([(f"{copy} {a}", f"{copy} {b}") for copy in range(count) for a, b in dag.edges])


@pytest.mark.parametrize("mode", ["minimal", "any", "complete"])
@pytest.mark.parametrize(
    "dag",
    [
        copies(dc.random_dag(200, 290, max_parents=4, seed=1), 4),  # clusters that take about as long as each other
        dc.random_dag(300, 400, max_parents=4, seed=2),  # one that is split again and again
    ],
    ids=["many", "one"],
)
def test_the_tree_is_the_same_for_any_number_of_threads(dag, mode):
    one = dc.decompose(dag, separators=mode, n_jobs=1, effort=3_000)
    for n_jobs in (2, 5):
        many = dc.decompose(dag, separators=mode, n_jobs=n_jobs, effort=3_000)
        assert (many, many.undecided, many.certified) == (one, one.undecided, one.certified)


def test_numbers_of_threads_are_checked():
    for edges in ([("a", "b")], [(k, k + 1) for k in range(200)]):
        with pytest.raises(ValueError, match="n_jobs must not be 0"):
            dc.decompose(edges, n_jobs=0)
