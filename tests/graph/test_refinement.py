"""Splitting clusters further: single steps by hand, and the whole loop driven by a search that follows the definitions."""

from __future__ import annotations

import itertools

import pytest
from graph.brute_force import mask, members
from graph.families import UP_TO_5, WITH_6, drawn, grown

import dconvex as dc
from dconvex.graph.refinement import FOUND, IRREDUCIBLE, UNDECIDED, GrowingTree, refine_tree


def growing(edges, clusters, links=()):
    """A tree over the undirected graph with these edges; a link is a pair of clusters."""
    moral = {v: set() for v in {v for cluster in clusters for v in cluster}}
    for a, b in edges:
        moral[a].add(b)
        moral[b].add(a)
    sets = {number: frozenset(cluster) for number, cluster in enumerate(clusters)}
    tree = GrowingTree(moral, sets, {number: {} for number in sets})
    for a, b in links:
        tree.join(a, b, sets[a] & sets[b])
    return tree


def as_sets(tree):
    return sorted(map(sorted, tree.clusters.values()))


def links_of(tree):
    return {
        frozenset([tree.clusters[a], tree.clusters[b]]): separator
        for a, near in tree.links.items()
        for b, separator in near.items()
    }


def nothing(_cluster):
    return IRREDUCIBLE, frozenset()


# --- one step


def test_split_makes_one_piece_for_every_component():
    tree = growing([(0, 1), (0, 2), (0, 3), (3, 4)], [[0, 1, 2, 3, 4]])
    pieces = tree.split(0, frozenset([0]))
    assert as_sets(tree) == [[0, 1], [0, 2], [0, 3, 4]]
    assert sorted(pieces) == sorted(tree.clusters)
    assert set(links_of(tree).values()) == {frozenset([0])}
    assert sum(map(len, tree.links.values())) == 2 * 2


def test_split_by_nothing():
    tree = growing([(0, 1), (2, 3)], [[0, 1, 2, 3]])
    tree.split(0, frozenset())
    assert as_sets(tree) == [[0, 1], [2, 3]]
    assert set(links_of(tree).values()) == {frozenset()}


def test_neighbour_goes_to_the_piece_that_holds_its_separator():
    tree = growing([(0, 1), (1, 2), (2, 3), (0, 9), (3, 8)], [[0, 1, 2, 3], [0, 9], [3, 8]], [(0, 1), (0, 2)])
    tree.split(0, frozenset([1]))
    assert links_of(tree) == {
        frozenset([frozenset([0, 1]), frozenset([1, 2, 3])]): frozenset([1]),
        frozenset([frozenset([0, 1]), frozenset([0, 9])]): frozenset([0]),
        frozenset([frozenset([1, 2, 3]), frozenset([3, 8])]): frozenset([3]),
    }


def test_separators_towards_neighbours_hold_a_cluster_together():
    """0 and 2 are not adjacent, but a neighbour holds both, so the middle does not separate them."""
    tree = growing([(0, 1), (1, 2), (0, 9), (2, 9)], [[0, 1, 2], [0, 2, 9]], [(0, 1)])
    assert tree.components(tree.clusters[0], tree.links[0].values(), frozenset([1])) == [frozenset([0, 2])]
    assert tree.components(tree.clusters[0], [], frozenset([1])) == [frozenset([0]), frozenset([2])]


def test_piece_inside_a_neighbour_is_contracted_into_it():
    tree = growing([(0, 1), (1, 2), (0, 9), (1, 9)], [[0, 1, 2], [0, 1, 9]], [(0, 1)])
    changed = tree.split(0, frozenset([1]))
    assert as_sets(tree) == [[0, 1, 9], [1, 2]]
    assert set(changed) <= set(tree.clusters)
    assert links_of(tree) == {frozenset([frozenset([0, 1, 9]), frozenset([1, 2])]): frozenset([1])}


def test_split_forgets_that_a_cluster_was_undecided():
    tree = growing([(0, 1), (1, 2)], [[0, 1, 2]])
    tree.undecided.add(0)
    tree.split(0, frozenset([1]))
    assert tree.undecided == set()


# --- the loop


def test_what_is_known_is_not_searched_again():
    tree = growing([(0, 1), (1, 2)], [[0, 1, 2]])
    searched = []

    def search(cluster):
        searched.append(tree.clusters[cluster])
        return IRREDUCIBLE, frozenset()

    refine_tree(tree, search, {0: (FOUND, frozenset([1]))})
    assert as_sets(tree) == [[0, 1], [1, 2]]
    assert set(searched) == {frozenset([0, 1]), frozenset([1, 2])}


def test_clusters_for_which_the_search_gives_up_are_undecided():
    tree = growing([(0, 1), (1, 2)], [[0, 1], [1, 2]], [(0, 1)])
    refine_tree(tree, lambda cluster: (UNDECIDED if cluster == 1 else IRREDUCIBLE, frozenset()), {})
    assert tree.undecided == {1}


def test_separator_of_the_tree_splits_a_cluster_elsewhere():
    """A "satellite": {0, 1, 2} joins the two clusters and splits the first."""
    edges = [*itertools.combinations([0, 1, 2], 2), (3, 0), (3, 1), (4, 0), (4, 1), (4, 2), (5, 0), (5, 1), (5, 2)]
    for search in (None, nothing):
        tree = growing(edges, [[0, 1, 2, 3, 4], [0, 1, 2, 5]], [(0, 1)])
        refine_tree(tree, search, {})
        assert as_sets(tree) == [[0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 2, 5]]


def test_undecided_cluster_that_a_tree_separator_splits_is_searched_anew():
    edges = [*itertools.combinations([0, 1, 2], 2), (3, 0), (3, 1), (4, 0), (4, 1), (4, 2), (5, 0), (5, 1), (5, 2)]
    tree = growing(edges, [[0, 1, 2, 3, 4], [0, 1, 2, 5]], [(0, 1)])
    refine_tree(tree, lambda cluster: (UNDECIDED if len(tree.clusters[cluster]) > 4 else IRREDUCIBLE, frozenset()), {})
    assert tree.undecided == set()
    assert len(tree.clusters) == 3


def by_definition(known, tree, mode):
    """A search that tries every d-convex set inside the cluster, in the cluster's own graph."""

    def search(cluster):
        inside, cliques = mask(tree.clusters[cluster]), tree.links[cluster].values()
        for nodes in range(1 << known.size):
            if nodes & ~inside or not known.is_convex(nodes):
                continue
            parts = tree.components(tree.clusters[cluster], cliques, frozenset(members(nodes)))
            if mode == "minimal":
                seen = (sees(known, part, cliques) & inside for part in map(mask, parts))
                is_found = sum(boundary & nodes == nodes for boundary in seen) > 1
            else:
                is_found = len(parts) > 1
            if is_found:
                return FOUND, frozenset(members(nodes))
        return IRREDUCIBLE, frozenset()

    return search


def sees(known, part, cliques):
    found = known.boundary(part)
    for clique in map(mask, cliques):
        if clique & part:
            found |= clique & ~part
    return found


def refined_from_one_cluster(known, mode):
    moral = {v: set(members(known.moral[v])) for v in range(known.size)}
    tree = GrowingTree(moral, {0: frozenset(range(known.size))}, {0: {}})
    refine_tree(tree, by_definition(known, tree, mode), {})
    number = {old: new for new, old in enumerate(tree.clusters)}
    edges = [(number[a], number[b]) for a in tree.links for b in tree.links[a] if a < b]
    return dc.ClusterTree(tree.clusters.values(), edges, mode=mode)


@pytest.mark.parametrize("mode", ["minimal", "any"])
@pytest.mark.parametrize("family", [*UP_TO_5, *WITH_6[4::8], drawn(71, 25), grown(72, 40)])
def test_splitting_one_cluster_until_nothing_splits_gives_a_tree_with_all_properties(family, mode):
    for known in family():
        if known.size:
            tree = refined_from_one_cluster(known, mode)
            assert known.violations(tree, irreducible=True) == (), (known.dag.edges, tree.clusters, tree.edges)
