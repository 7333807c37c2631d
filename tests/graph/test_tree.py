"""The tree of clusters as a value, and its pruning against all connected subtrees of small trees."""

from __future__ import annotations

import copy
import itertools
import pickle
import random

import networkx as nx
import numpy as np
import pytest
from graph.brute_force import are_joined, mask, union
from graph.examples import FIGURE_1
from graph.families import drawn
from hypothesis import given
from hypothesis import strategies as st

import dconvex as dc
from dconvex import ClusterTree

ABCD = ClusterTree([["a", "b"], ["b", "c"], ["c", "d"]], [(0, 1), (1, 2)])


# --- the value


def test_clusters_edges_and_separators():
    assert ABCD.clusters == (frozenset("ab"), frozenset("bc"), frozenset("cd"))
    assert ABCD.edges == ((0, 1), (1, 2))
    assert ABCD.separators == (frozenset("b"), frozenset("c"))
    assert ABCD.variables == frozenset("abcd")
    assert ABCD.sizes.tolist() == [2, 2, 2]
    assert len(ABCD) == 3
    assert (ABCD.mode, ABCD.certified, ABCD.undecided) == ("minimal", False, ())


def test_edges_are_sorted_whatever_way_they_are_given():
    assert ClusterTree(ABCD.clusters, [(2, 1), (1, 0)]) == ABCD


def test_names_of_both_types_and_single_names():
    tree = ClusterTree([[1, "1"], "ab", 7, [np.int64(1), np.str_("x")]], [(0, 3)])
    assert tree.clusters == (frozenset([1, "1"]), frozenset(["ab"]), frozenset([7]), frozenset([1, "x"]))
    assert tree.separators == (frozenset([1]),)
    assert {type(name) for name in tree.variables} == {int, str}


def test_no_clusters_and_an_empty_cluster():
    assert ClusterTree([]).clusters == ()
    assert ClusterTree([[]]).clusters == (frozenset(),)


@pytest.mark.parametrize("attribute", ["mode", "clusters", "certified", "undecided", "new"])
def test_frozen(attribute):
    tree = ClusterTree(ABCD.clusters, ABCD.edges)
    with pytest.raises(AttributeError, match=f"frozen; '{attribute}' cannot be set"):
        setattr(tree, attribute, "any")
    with pytest.raises(AttributeError, match="frozen"):
        delattr(tree, attribute)
    assert tree == ABCD


def test_equality_and_hash():
    assert ClusterTree([["b", "a"], ["c", "b"], ["d", "c"]], [(1, 0), (2, 1)]) == ABCD
    assert hash(ClusterTree(ABCD.clusters, ABCD.edges)) == hash(ABCD)
    others = [
        ClusterTree(ABCD.clusters, [(0, 1)]),
        ClusterTree(ABCD.clusters[::-1], ABCD.edges),
        ClusterTree(ABCD.clusters, ABCD.edges, mode="any"),
        ClusterTree(ABCD.clusters, ABCD.edges, certified=True),
        ClusterTree(ABCD.clusters, ABCD.edges, undecided=[1]),
        "ABCD",
    ]
    for other in others:
        assert other != ABCD


def test_tree_over_other_places_of_the_same_names_is_equal():
    pruned = ABCD.pruned_to(["c", "d"])
    assert pruned == ClusterTree([["c", "d"]])
    assert hash(pruned) == hash(ClusterTree([["c", "d"]]))


def test_repr_says_what_is_proven():
    assert repr(ABCD) == "ClusterTree(minimal, 3 clusters, largest 2, not certified)"
    assert repr(dc.decompose(FIGURE_1)) == "ClusterTree(minimal, 5 clusters, largest 5, certified)"
    assert repr(dc.decompose(FIGURE_1, refine=False)) == "ClusterTree(minimal, 5 clusters, largest 5, 5 undecided)"
    assert repr(ClusterTree([])) == "ClusterTree(minimal, 0 clusters, largest 0, not certified)"


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda tree: pickle.loads(pickle.dumps(tree))])
def test_copies_and_pickles_are_equal(copied):
    for tree in (ABCD, ClusterTree([]), dc.decompose(FIGURE_1), dc.decompose(FIGURE_1, refine=False, separators="any")):
        tree.pruned_to([])  # with its index made
        again = copied(tree)
        assert again == tree
        assert hash(again) == hash(tree)
        assert repr(again) == repr(tree)
        assert again.pruned_to(sorted(tree.variables)[:2]) == tree.pruned_to(sorted(tree.variables)[:2])


def test_pickle_does_not_hold_indexes():
    tree = dc.decompose([(i, i + 1) for i in range(1000)])
    before = len(pickle.dumps(tree))
    assert tree.clusters
    tree.pruned_to([3, 500])
    assert len(pickle.dumps(tree)) == before


def test_to_networkx():
    graph = ABCD.to_networkx()
    assert type(graph) is nx.Graph
    assert dict(graph.nodes(data="cluster")) == dict(enumerate(ABCD.clusters))
    assert [(a, b, s) for a, b, s in graph.edges(data="separator")] == [(0, 1, frozenset("b")), (1, 2, frozenset("c"))]
    assert nx.is_tree(dc.decompose(FIGURE_1).to_networkx())


# --- what it refuses


@pytest.mark.parametrize("edge", [(0,), (0, 1, 2), 3, None])
def test_edge_is_a_pair(edge):
    with pytest.raises(dc.NetworkError, match="an edge is a pair of indices of clusters"):
        ClusterTree(ABCD.clusters, [edge])


@pytest.mark.parametrize("edge", [(0, 1.5), ("a", "b"), (None, 1)])
def test_edge_joins_indices(edge):
    with pytest.raises(dc.NetworkError, match="the index of a cluster must be an int"):
        ClusterTree(ABCD.clusters, [edge])


@pytest.mark.parametrize("edge", [(0, 3), (-1, 0)])
def test_edge_joins_clusters_that_are_there(edge):
    with pytest.raises(dc.NetworkError, match=r"there is no cluster (3|-1); there are 3"):
        ClusterTree(ABCD.clusters, [edge])


@pytest.mark.parametrize("name", [1.5, None, True, ("a", "b")])
def test_name_is_a_str_or_an_int(name):
    with pytest.raises(dc.NetworkError, match="a variable name must be a str or an int"):
        ClusterTree([["a", name]])


def test_mode_is_one_of_four():
    with pytest.raises(ValueError, match="unknown mode 'some'; there are minimal, any, complete, all"):
        ClusterTree(ABCD.clusters, mode="some")


def test_undecided_clusters_are_there_and_none_in_a_certified_tree():
    with pytest.raises(dc.NetworkError, match="there is no cluster 3"):
        ClusterTree(ABCD.clusters, undecided=[3])
    with pytest.raises(ValueError, match="a certified tree has no undecided clusters"):
        ClusterTree(ABCD.clusters, certified=True, undecided=[1])


# --- pruning


def subtrees(tree):
    """All connected sets of clusters with the variables they hold, as bit masks."""
    indices = range(len(tree))
    clusters = list(map(mask, tree.clusters))
    chosen = (kept for size in range(1, len(tree) + 1) for kept in itertools.combinations(indices, size))
    return [(kept, union(clusters[i] for i in kept)) for kept in chosen if are_joined(kept, tree.edges)]


def smallest(tree, candidates, question):
    """The indices to keep by definition: the rule of pruning and its ties."""
    holding = [kept for kept, held in candidates if mask(question) & ~held == 0]
    fewest = min(map(len, holding))
    best = [kept for kept in holding if len(kept) == fewest]
    if fewest == 1:
        return min(best, key=lambda kept: (len(tree.clusters[kept[0]]), kept))
    assert len(best) == 1  # unique, unless one cluster holds all
    return best[0]


def check_pruning(tree, questions):
    candidates = subtrees(tree)
    for question in questions:
        pruned, kept = tree.pruned_to(question), smallest(tree, candidates, question)
        assert pruned.clusters == tuple(tree.clusters[i] for i in kept), (tree.clusters, tree.edges, question)
        inner = [edge for edge, (a, b) in enumerate(tree.edges) if a in kept and b in kept]
        assert pruned.edges == tuple((kept.index(tree.edges[e][0]), kept.index(tree.edges[e][1])) for e in inner)
        assert pruned.separators == tuple(tree.separators[edge] for edge in inner)
        assert pruned.undecided == tuple(kept.index(i) for i in tree.undecided if i in kept)
        assert (pruned.mode, pruned.certified) == (tree.mode, tree.certified)


def all_subsets(variables):
    return itertools.chain.from_iterable(itertools.combinations(variables, size) for size in range(len(variables) + 1))


@pytest.mark.parametrize("mode", ["minimal", "any", "complete", "all"])
def test_pruned_tree_is_the_smallest_for_every_question(mode):
    for known in drawn(31, 12)():
        tree = dc.decompose(known.dag, separators=mode, effort=2)
        check_pruning(tree, all_subsets(known.dag.nodes))


def random_junction_tree(rng, clusters, variables):
    """Any tree, and a random connected set of its clusters for each variable; it need not be reduced."""
    edges = [(rng.randrange(i), i) for i in range(1, clusters)]
    order = rng.sample(range(clusters), clusters)
    edges = [(order[a], order[b]) for a, b in edges]
    members = [set() for _ in range(clusters)]
    for variable in range(variables):
        held = {rng.randrange(clusters)}
        for _ in range(rng.choice([0, 0, 1, 2, 4, 8])):
            held |= {rng.choice([b for pair in edges if a in pair for b in pair] or [a]) for a in [rng.choice(sorted(held))]}
        for cluster in held:
            members[cluster].add(variable)
    return ClusterTree(members, edges, undecided=rng.sample(range(clusters), clusters // 2))


@pytest.mark.parametrize("seed", range(4))
def test_pruning_trees_of_any_shape(seed):
    rng = random.Random(seed)
    for _ in range(60):
        tree = random_junction_tree(rng, rng.randint(1, 9), rng.randint(1, 9))
        names = sorted(tree.variables)
        check_pruning(tree, [rng.sample(names, rng.randint(0, len(names))) for _ in range(25)])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 108))
def test_pruning_many_trees_of_any_shape(seed):
    rng = random.Random(seed)
    for _ in range(300):
        tree = random_junction_tree(rng, rng.randint(1, 10), rng.randint(1, 8))
        check_pruning(tree, all_subsets(sorted(tree.variables)))


@given(st.integers(0, 2**32), st.data())
def test_pruned_tree_keeps_the_junction_property(seed, data):
    tree = random_junction_tree(random.Random(seed), 30, 30)
    question = data.draw(st.sets(st.sampled_from(sorted(tree.variables)), max_size=6))
    pruned = tree.pruned_to(question)
    assert question <= pruned.variables
    dag = dc.Dag(nodes=pruned.variables)
    assert not {"covers", "tree", "junction", "separators"} & set(dc.check_tree(dag, pruned))
    assert pruned.pruned_to(question) == pruned  # what is smallest stays
    leaves = [i for i in range(len(pruned)) if sum(i in edge for edge in pruned.edges) == 1]
    for leaf in leaves:
        (edge,) = (e for e, pair in enumerate(pruned.edges) if leaf in pair)
        assert (pruned.clusters[leaf] - pruned.separators[edge]) & question


def test_one_cluster_that_holds_all_is_the_one_with_fewest_variables_then_the_first():
    tree = ClusterTree([[0, 1, 2, 3], [0, 1, 4], [0, 1, 5], [0, 6]], [(0, 1), (1, 2), (2, 3)])
    assert tree.pruned_to([0, 1]).clusters == (frozenset([0, 1, 4]),)
    assert tree.pruned_to([0, 1, 2]).clusters == (frozenset([0, 1, 2, 3]),)
    assert tree.pruned_to(0).clusters == (frozenset([0, 6]),)
    assert tree.pruned_to([]).clusters == (frozenset([0, 6]),)


def test_single_name_stands_for_itself():
    tree = dc.decompose([("rain", "wet"), ("wet", "slippery")])
    assert tree.pruned_to("rain") == tree.pruned_to(["rain"])
    assert dc.decompose([(1, 2), (2, 3)]).pruned_to(3).clusters == (frozenset([2, 3]),)


def test_pruning_never_leaves_nothing():
    for tree in (ABCD, dc.decompose(FIGURE_1), dc.decompose(dc.Dag(nodes=range(4)))):
        assert len(tree.pruned_to([])) == 1
    assert len(ClusterTree([]).pruned_to([])) == 0  # there is nothing to keep


def test_pruning_across_empty_separators():
    tree = dc.decompose(dc.Dag([("a", "b"), ("c", "d")], nodes=list("abcd")))
    assert tree.pruned_to(["a", "c"]).clusters == tree.clusters
    assert tree.pruned_to(["c", "d"]).clusters == (frozenset("cd"),)


def test_unknown_variable_is_named_with_a_near_match():
    tree = dc.decompose([("rain", "wet"), ("wet", "slippery")])
    with pytest.raises(dc.UnknownVariableError, match=r"unknown variable 'rian'; did you mean 'rain'\?"):
        tree.pruned_to(["wet", "rian"])


def test_variable_that_was_pruned_away_is_unknown():
    pruned = dc.decompose([("rain", "wet"), ("wet", "slippery")]).pruned_to("rain")
    with pytest.raises(dc.UnknownVariableError, match=r"unknown variable 'slippery'; there are 2: 'rain', 'wet'"):
        pruned.pruned_to("slippery")


@pytest.mark.parametrize("edges", [[(0, 1)], [(0, 1), (0, 1)], [(0, 1), (1, 1)], [(0, 1), (1, 2), (0, 2)], []])
def test_only_a_tree_can_be_pruned(edges):
    with pytest.raises(dc.NetworkError, match=r"do not join the 3 clusters to one tree"):
        ClusterTree(ABCD.clusters, edges).pruned_to("a")


def test_only_a_tree_with_the_junction_property_can_be_pruned():
    with pytest.raises(dc.NetworkError, match="not all joined with each other"):
        ClusterTree(ABCD.clusters, [(0, 2), (1, 2)]).pruned_to("a")


# --- the cost of pruning


def visits(tree, question):
    """How often pruning looks into a cluster."""
    _, count = tree._index.smallest_subtree(np.array([tree._checked_variable(name) for name in question], np.int32))
    return count


def test_pruning_a_long_chain_visits_only_what_it_keeps():
    last = 100_000
    tree = dc.decompose((i, i + 1) for i in range(last))
    for question, kept in (([50_000, 50_001], 1), ([50_000, 50_002], 2), ([0], 1), ([last], 1), ([70_000, 70_020], 20)):
        assert len(tree.pruned_to(question)) == kept
        assert visits(tree, question) <= 2 * kept + 8
    assert len(tree.pruned_to([0, last])) == last
    assert visits(tree, [0, last]) <= last + 8


def test_pruning_to_many_variables_visits_every_cluster_once():
    tree = dc.decompose((i, i + 1) for i in range(20_000))
    assert len(tree.pruned_to(range(20_001))) == 20_000
    assert visits(tree, range(20_001)) <= 20_000 + 8


def test_pruning_a_star_to_some_leaves_visits_only_them():
    tree = dc.decompose((0, leaf) for leaf in range(1, 5_001))
    pruned = tree.pruned_to([17, 4_711])
    assert pruned.variables <= {0, 1, 17, 4_711}
    assert visits(tree, [17, 4_711]) <= 8
