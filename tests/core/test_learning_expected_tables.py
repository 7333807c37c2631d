"""Expected tables of any sets of variables, against enumeration of all completions of each row."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dconvex._core import ExpectedTables, Graph, Ragged


def by_enumeration(parents, states, tables, codes, weights, subset):
    """The expected counts of a set; `tables` have axes (*parents, variable)."""
    found = np.zeros([states[v] for v in subset])
    for row, weight in zip(codes.T.tolist(), weights.tolist(), strict=True):
        own, total = np.zeros(found.shape), 0.0
        for full in itertools.product(*[[code] if code >= 0 else range(states[v]) for v, code in enumerate(row)]):
            probability = math.prod(tables[v][tuple(full[m] for m in (*parents[v], v))] for v in range(len(states)))
            own[tuple(full[v] for v in subset)] += probability
            total += probability
        found += weight * own / total
    return found.reshape(-1)


@st.composite
def cases(draw):
    size = draw(st.integers(1, 6))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    states = random.integers(1, 4, size).tolist()
    parents = [sorted(random.permutation(v)[: random.integers(0, min(v, 2) + 1)].tolist()) for v in range(size)]
    tables = [random.dirichlet(np.ones(states[v]), [states[p] for p in parents[v]]) for v in range(size)]
    codes = np.array([random.integers(0, states[v], 12) for v in range(size)], draw(st.sampled_from([np.int8, np.int32])))
    codes[random.random(codes.shape) < draw(st.sampled_from([0.0, 0.3, 0.7, 1.0]))] = -1
    sets = [tuple(sorted(random.permutation(size)[: random.integers(0, min(size, 4) + 1)].tolist())) for _ in range(8)]
    return parents, states, tables, codes, random.random(12), sets


def prepared(parents, states, tables, codes, weights, most_bytes=1e9, threads=1):
    values = np.concatenate([table.reshape(-1) for table in tables])
    graph = Graph(Ragged.from_lists(parents))
    return ExpectedTables(graph, np.array(states, np.int32), values, codes, weights, most_bytes, threads)


@given(cases())
@settings(deadline=None, max_examples=60)
def test_tables_are_those_of_all_completions(case):
    parents, states, tables, codes, weights, sets = case
    found = prepared(parents, states, tables, codes, weights).tables_of(sets)
    for own, subset in zip(found, sets, strict=True):
        right = by_enumeration(parents, states, tables, codes, weights, subset)
        np.testing.assert_allclose(own, right, rtol=1e-9, atol=1e-12)
    threaded = prepared(parents, states, tables, codes, weights, threads=3).tables_of(sets)
    assert all(np.array_equal(one, other) for one, other in zip(found, threaded, strict=True))


def chain(size, rows):
    """A chain of which a half is missing, in parts that are longer than a table of all their states would be."""
    random = np.random.default_rng(1)
    parents = [[v - 1] if v else [] for v in range(size)]
    tables = [random.dirichlet(np.ones(2), [2] * len(own)) for own in parents]
    codes = random.integers(0, 2, (size, rows)).astype(np.int8)
    codes[1:-1, : rows // 2] = -1
    return parents, [2] * size, tables, codes, np.ones(rows)


def test_long_components_are_eliminated():
    parents, states, tables, codes, weights = chain(40, 6)
    (found,) = prepared(parents, states, tables, codes, weights).tables_of([(5, 20)])
    right = np.zeros((2, 2))
    for row in range(6):
        if row >= 3:
            right[codes[5, row], codes[20, row]] += 1
            continue

        def between(first, last):
            return np.linalg.multi_dot([np.eye(2), np.eye(2), *[tables[v] for v in range(first + 1, last + 1)]])

        joint = between(0, 5)[codes[0, row]][:, None] * between(5, 20) * between(20, 39)[:, codes[39, row]][None, :]
        right += joint / joint.sum()
    np.testing.assert_allclose(found, right.reshape(-1), rtol=1e-9)


def test_posteriors_are_forgotten_where_they_do_not_fit():
    case = chain(20, 400)
    sets = [(2, 5), (3, 7), (1, 4, 9), (2,), (6, 8)]
    whole, bounded = prepared(*case), prepared(*case, most_bytes=3_000.0)
    assert prepared(*case, most_bytes=100.0).tables_of(sets) is None
    for own, other in zip(whole.tables_of(sets), bounded.tables_of(sets), strict=True):
        assert np.array_equal(own, other)
    assert np.array_equal(bounded.tables_of([(3, 7)])[0], whole.tables_of([(3, 7)])[0])


def test_what_does_not_fit_is_refused():
    parents, states, tables, codes, weights = chain(4, 4)
    with pytest.raises(ValueError, match="none of its variable's"):
        prepared(parents, states, tables, codes + 2, weights)
    with pytest.raises(ValueError, match="line of states"):
        prepared(parents, states, tables, codes[:2], weights)
    with pytest.raises(ValueError, match="numbers are missing"):
        prepared(parents, states, tables[:2], codes, weights)
    core = prepared(parents, states, tables, codes, weights)
    for wrong in ((2, 1), (1, 1), (4,), (-1,)):
        with pytest.raises(ValueError, match="must ascend"):
            core.tables_of([wrong])
    never = [np.array([1.0, 0.0]), np.array([[1.0, 0.0], [1.0, 0.0]])]
    rows = np.array([[-1], [1]], np.int8)
    with pytest.raises(ValueError, match="probability zero"):
        prepared([[], [0]], [2, 2], never, rows, np.ones(1)).tables_of([(0,)])
