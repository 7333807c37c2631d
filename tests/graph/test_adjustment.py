"""Back-door sets, against a search through all paths and all sets."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dags

import dconvex as dc


def all_dags(size):
    """Every DAG over 0 … size - 1."""
    pairs = list(itertools.combinations(range(size), 2))
    seen = set()
    for order in itertools.permutations(range(size)):
        for chosen in itertools.product([False, True], repeat=len(pairs)):
            edges = frozenset((order[i], order[j]) for (i, j), is_there in zip(pairs, chosen, strict=True) if is_there)
            if edges not in seen:
                seen.add(edges)
                yield dc.Dag(sorted(edges), nodes=range(size))


def paths(dag, start, end):
    """All paths without repeated nodes, as lists of nodes."""
    near = {node: {*dag.parents(node), *dag.children(node)} for node in dag.nodes}
    left = [[start]]
    while left:
        path = left.pop()
        if path[-1] == end:
            yield path
            continue
        left += [[*path, node] for node in near[path[-1]] if node not in path]


def blocks(parents, below, path, given_):
    """Whether the set blocks the path, by the definition; `below` are the descendants of each node and the node itself."""
    for before, node, after in zip(path, path[1:], path[2:], strict=False):
        is_collider = before in parents[node] and after in parents[node]
        if (is_collider and not below[node] & given_) or (not is_collider and node in given_):
            return True
    return False


def by_brute_force(dag, treatment, outcome):
    parents = {node: set(dag.parents(node)) for node in dag.nodes}
    below = {node: {node, *dag.descendants([node])} for node in dag.nodes}
    allowed = [node for node in dag.nodes if node != outcome and node not in below[treatment]]
    doors = [path for path in paths(dag, treatment, outcome) if path[1] in parents[treatment]]
    right = []
    for size in range(len(allowed) + 1):
        for members in map(frozenset, itertools.combinations(allowed, size)):
            if not any(one < members for one in right) and all(blocks(parents, below, path, members) for path in doors):
                right.append(members)
    return set(right)


def check(dag):
    """All pairs of nodes of all graphs are 0 and 1 of another one."""
    found = dc.adjustment_sets(dag, 0, 1)
    assert len(found) == len(set(found))
    assert set(found) == by_brute_force(dag, 0, 1), dag.edges
    assert list(map(len, found)) == sorted(map(len, found))


@pytest.mark.parametrize("size", [2, 3, 4])
def test_all_small_dags(size):
    for dag in all_dags(size):
        check(dag)


@pytest.mark.slow
def test_all_dags_of_five_nodes():
    for dag in all_dags(5):
        check(dag)


@given(dags(min_nodes=2, max_nodes=7), st.data())
def test_larger_dags_with_any_names(dag, data):
    treatment, outcome = data.draw(st.permutations(dag.nodes))[:2]
    assert set(dc.adjustment_sets(dag, treatment, outcome)) == by_brute_force(dag, treatment, outcome)


def test_the_order_of_edges_makes_no_difference():
    network = dc.load_network("alarm")
    edges = [*network.dag.edges]
    found = dc.adjustment_sets(edges, "PAP", "BP")
    assert found == dc.adjustment_sets(edges[::-1], "PAP", "BP") == dc.adjustment_sets(network, "PAP", "BP")


def test_adjusting_gives_what_setting_does():
    network = dc.random_network([("u", "x"), ("u", "v"), ("v", "y"), ("x", "m"), ("m", "y"), ("w", "y")], states=3, seed=4)
    model = dc.localize(network)
    sets = dc.adjustment_sets(network, "x", "y")
    assert sets == (frozenset({"u"}), frozenset({"v"}))
    for members in sets:
        (name,) = members
        joint = model.query(["x", name, "y"]).values
        adjusted = np.einsum("xzy,z->xy", joint / joint.sum(axis=2, keepdims=True), joint.sum(axis=(0, 2)))
        for state, row in zip(network.states["x"], adjusted, strict=True):
            assert np.allclose(model.do({"x": state}).query("y").values, row, atol=1e-12)


def ladder(size):
    """`size` pairs of nodes, one of each of which has to be adjusted for: 2 ** size minimal sets."""
    return [edge for k in range(size) for edge in ((f"a{k}", "x"), (f"a{k}", f"b{k}"), (f"b{k}", "y"))]


def test_all_of_many_sets():
    assert len(dc.adjustment_sets(ladder(7), "x", "y")) == 2**7


def test_more_sets_than_asked_for_are_a_warning():
    with pytest.warns(UserWarning, match="more than 10 minimal adjustment sets; most= takes more"):
        found = dc.adjustment_sets(ladder(40), "x", "y", most=10)
    assert len(found) == 10
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(dc.adjustment_sets(ladder(3), "x", "y", most=8)) == 8


def test_a_long_chain():
    size = 400
    edges = [(k, k + 1) for k in range(size)] + [(0, "x"), (size, "y"), ("x", "y")]
    found = dc.adjustment_sets(edges, "x", "y", most=size + 1)
    assert set(found) == {frozenset({k}) for k in range(size + 1)}


def test_wrong_questions_are_refused():
    edges = [("a", "b")]
    with pytest.raises(ValueError, match="'a' is both treatment and outcome"):
        dc.adjustment_sets(edges, "a", "a")
    with pytest.raises(ValueError, match="most is 0"):
        dc.adjustment_sets(edges, "a", "b", most=0)
    with pytest.raises(dc.UnknownVariableError, match="did you mean"):
        dc.adjustment_sets([("treatment", "outcome")], "treatmnt", "outcome")
