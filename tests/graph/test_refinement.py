"""Splitting clusters further: single steps by hand, and the whole loop driven by a search that follows the definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from graph.brute_force import mask, members
from graph.families import UP_TO_5, WITH_6, drawn, grown

import dconvex as dc
from dconvex._core import GrowingTree, Ragged, SearchStatus


def growing(edges, clusters, links=()):
    """A tree over the undirected graph with these edges; a link is a pair of clusters."""
    moral = [set() for _ in range(1 + max(v for cluster in clusters for v in cluster))]
    for a, b in edges:
        moral[a].add(b)
        moral[b].add(a)
    lists = map(sorted, moral), map(sorted, clusters)
    return GrowingTree(*map(Ragged.from_lists, lists), np.array(links, np.int32).reshape(-1, 2))


def as_sets(tree):
    return sorted(tree.clusters.values())


def links_of(tree):
    sets = {number: frozenset(cluster) for number, cluster in tree.clusters.items()}
    return {frozenset([sets[a], sets[b]]): frozenset(separator) for (a, b), separator in tree.separators.items()}


def components(tree, cluster, separator):
    found = tree.components(cluster, separator)
    return [found[index].tolist() for index in range(len(found))]


def nothing(_cluster):
    return SearchStatus.IRREDUCIBLE, []


# --- one step


def test_split_makes_one_piece_for_every_component():
    tree = growing([(0, 1), (0, 2), (0, 3), (3, 4)], [[0, 1, 2, 3, 4]])
    pieces = tree.split(0, [0])
    assert as_sets(tree) == [[0, 1], [0, 2], [0, 3, 4]]
    assert sorted(pieces.tolist()) == sorted(tree.clusters)
    assert set(links_of(tree).values()) == {frozenset([0])}
    assert len(tree.separators) == 2


def test_split_by_nothing():
    tree = growing([(0, 1), (2, 3)], [[0, 1, 2, 3]])
    tree.split(0, [])
    assert as_sets(tree) == [[0, 1], [2, 3]]
    assert set(links_of(tree).values()) == {frozenset()}


def test_neighbour_goes_to_the_piece_that_holds_its_separator():
    tree = growing([(0, 1), (1, 2), (2, 3), (0, 9), (3, 8)], [[0, 1, 2, 3], [0, 9], [3, 8]], [(0, 1), (0, 2)])
    tree.split(0, [1])
    assert links_of(tree) == {
        frozenset([frozenset([0, 1]), frozenset([1, 2, 3])]): frozenset([1]),
        frozenset([frozenset([0, 1]), frozenset([0, 9])]): frozenset([0]),
        frozenset([frozenset([1, 2, 3]), frozenset([3, 8])]): frozenset([3]),
    }


def test_separators_towards_neighbours_hold_a_cluster_together():
    """0 and 2 are not adjacent, but a neighbour holds both, so the middle does not separate them."""
    tree = growing([(0, 1), (1, 2), (0, 9), (2, 9)], [[0, 1, 2], [0, 2, 9]], [(0, 1)])
    assert components(tree, 0, [1]) == [[0, 2]]
    alone = growing([(0, 1), (1, 2), (0, 9), (2, 9)], [[0, 1, 2], [0, 2, 9]])
    assert components(alone, 0, [1]) == [[0], [2]]


def test_piece_inside_a_neighbour_is_contracted_into_it():
    tree = growing([(0, 1), (1, 2), (0, 9), (1, 9)], [[0, 1, 2], [0, 1, 9]], [(0, 1)])
    changed = tree.split(0, [1])
    assert as_sets(tree) == [[0, 1, 9], [1, 2]]
    assert set(changed.tolist()) <= set(tree.clusters)
    assert links_of(tree) == {frozenset([frozenset([0, 1, 9]), frozenset([1, 2])]): frozenset([1])}


def test_split_forgets_that_a_cluster_was_undecided():
    tree = growing([(0, 1), (1, 2)], [[0, 1, 2]])
    tree.refine(lambda _cluster: (SearchStatus.UNDECIDED, []), {})
    assert tree.undecided == [0]
    tree.split(0, [1])
    assert tree.undecided == []


# --- the loop


def test_what_is_known_is_not_searched_again():
    tree = growing([(0, 1), (1, 2)], [[0, 1, 2]])
    searched = []

    def search(cluster):
        searched.append(tree.clusters[cluster])
        return nothing(cluster)

    tree.refine(search, {0: (SearchStatus.FOUND, [1])})
    assert as_sets(tree) == [[0, 1], [1, 2]]
    assert sorted(searched) == [[0, 1], [1, 2]]


def test_clusters_for_which_the_search_gives_up_are_undecided():
    tree = growing([(0, 1), (1, 2)], [[0, 1], [1, 2]], [(0, 1)])
    tree.refine(lambda cluster: (SearchStatus.UNDECIDED, []) if cluster == 1 else nothing(cluster), {})
    assert tree.undecided == [1]


def test_separator_of_the_tree_splits_a_cluster_elsewhere():
    """A "satellite": {0, 1, 2} joins the two clusters and splits the first."""
    edges = [*itertools.combinations([0, 1, 2], 2), (3, 0), (3, 1), (4, 0), (4, 1), (4, 2), (5, 0), (5, 1), (5, 2)]
    for search in (None, nothing):
        tree = growing(edges, [[0, 1, 2, 3, 4], [0, 1, 2, 5]], [(0, 1)])
        tree.refine(search, {})
        assert as_sets(tree) == [[0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 2, 5]]


def test_undecided_cluster_that_a_tree_separator_splits_is_searched_anew():
    edges = [*itertools.combinations([0, 1, 2], 2), (3, 0), (3, 1), (4, 0), (4, 1), (4, 2), (5, 0), (5, 1), (5, 2)]
    tree = growing(edges, [[0, 1, 2, 3, 4], [0, 1, 2, 5]], [(0, 1)])
    tree.refine(lambda cluster: (SearchStatus.UNDECIDED, []) if len(tree.clusters[cluster]) > 4 else nothing(cluster), {})
    assert tree.undecided == []
    assert len(tree.clusters) == 3


def test_an_error_in_the_search_comes_through():
    tree = growing([(0, 1), (1, 2)], [[0, 1, 2]])
    with pytest.raises(ZeroDivisionError):
        tree.refine(lambda cluster: cluster // 0, {})


@pytest.mark.parametrize("separator", [[2, 1], [1, 1], [3], [-1]])
def test_separators_are_checked(separator):
    tree = growing([(0, 1), (1, 2)], [[0, 1, 2]])
    with pytest.raises(ValueError, match="must ascend and hold nodes only"):
        tree.split(0, separator)
    with pytest.raises(ValueError, match="must ascend and hold nodes only"):
        tree.refine(lambda _cluster: (SearchStatus.FOUND, separator), {})


def test_what_cannot_be_split_is_refused():
    tree = growing([(0, 1), (1, 2)], [[0, 1, 2]])
    with pytest.raises(IndexError):
        tree.split(1, [1])
    with pytest.raises(ValueError, match="leaves nothing"):
        tree.split(0, [0, 1, 2])
    assert as_sets(tree) == [[0, 1, 2]]


def by_definition(known, tree, mode):
    """A search that tries every d-convex set inside the cluster, in the cluster's own graph."""

    def search(cluster):
        inside = mask(tree.clusters[cluster])
        cliques = [separator for ends, separator in tree.separators.items() if cluster in ends]
        for nodes in range(1 << known.size):
            if nodes & ~inside or not known.is_convex(nodes):
                continue
            parts = components(tree, cluster, sorted(members(nodes)))
            if mode == "minimal":
                seen = (sees(known, part, cliques) & inside for part in map(mask, parts))
                is_found = sum(boundary & nodes == nodes for boundary in seen) > 1
            else:
                is_found = len(parts) > 1
            if is_found:
                return SearchStatus.FOUND, sorted(members(nodes))
        return SearchStatus.IRREDUCIBLE, []

    return search


def sees(known, part, cliques):
    found = known.boundary(part)
    for clique in map(mask, cliques):
        if clique & part:
            found |= clique & ~part
    return found


def refined_from_one_cluster(known, mode, at_once=1):
    moral = Ragged.from_lists(sorted(members(known.moral[v])) for v in range(known.size))
    tree = GrowingTree(moral, Ragged.from_lists([range(known.size)]), np.empty((0, 2), np.int32))
    tree.refine(by_definition(known, tree, mode), {}, at_once)
    number = {old: new for new, old in enumerate(tree.clusters)}
    edges = [(number[a], number[b]) for a, b in tree.separators]
    return dc.ClusterTree(tree.clusters.values(), edges, mode=mode)


@pytest.mark.parametrize("mode", ["minimal", "any"])
@pytest.mark.parametrize("family", [*UP_TO_5, *WITH_6[4::8], drawn(71, 25), grown(72, 40)])
def test_splitting_one_cluster_until_nothing_splits_gives_a_tree_with_all_properties(family, mode):
    for known in family():
        if known.size:
            tree = refined_from_one_cluster(known, mode)
            assert known.violations(tree, irreducible=True) == (), (known.dag.edges, tree.clusters, tree.edges)
            assert refined_from_one_cluster(known, mode, at_once=100) == tree
