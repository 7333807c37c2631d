"""The E-step, against enumeration of all completions of each row."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dconvex._core import ExpectedCounts, Graph, Ragged


def offsets_of(parents, states):
    sizes = [math.prod([states[p] for p in own] + [states[v]]) for v, own in enumerate(parents)]
    return np.cumsum([0, *sizes])


def ancestral(parents, nodes):
    found, todo = set(), list(nodes)
    while todo:
        node = todo.pop()
        if node not in found:
            found.add(node)
            todo += parents[node]
    return found


def by_enumeration(parents, states, values, codes, weights):
    """The log-likelihood, the weight of impossible rows, and expected counts of the families of ancestors of observed cells."""
    at = offsets_of(parents, states)
    counts, log_likelihood, impossible = np.zeros(at[-1]), 0.0, 0.0

    def cell(v, full):
        index = 0
        for member in [*parents[v], v]:
            index = index * states[member] + full[member]
        return at[v] + index

    for row, weight in zip(codes.T.tolist(), weights.tolist(), strict=True):
        if weight == 0:
            continue
        families = sorted(ancestral(parents, [v for v, code in enumerate(row) if code >= 0]))
        ranges = [range(states[v]) if v in families and row[v] < 0 else [row[v]] for v in range(len(states))]
        own, total = np.zeros(at[-1]), 0.0
        for full in itertools.product(*ranges):
            cells = [cell(v, full) for v in families]
            probability = math.prod(values[cells].tolist())
            own[cells] += probability
            total += probability
        if total == 0:
            impossible += weight
            continue
        counts += weight * own / total
        log_likelihood += weight * math.log(total)
    return log_likelihood, impossible, counts


def prepared(parents, states, codes, weights):
    core = ExpectedCounts(Graph(Ragged.from_lists(parents)), np.array(states, np.int32))
    half = codes.shape[1] // 2
    core.add_rows(np.ascontiguousarray(codes[:, :half]), weights[:half])
    core.add_rows(np.ascontiguousarray(codes[:, half:]), weights[half:])
    core.finish()
    return core


def expected(core, values):
    counts = core.complete_counts.copy()
    is_there = counts > 0
    with np.errstate(divide="ignore"):
        log_likelihood = float((counts[is_there] * np.log(values[is_there])).sum())
    impossible = 0.0
    for block in range(core.block_count):
        own, zero = core.expect(values, block, counts)
        log_likelihood, impossible = log_likelihood + own, impossible + zero
    return log_likelihood, impossible, counts


@st.composite
def problems(draw, *, zeros):
    size = draw(st.integers(1, 10))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    parents = [rng.permutation(v)[: rng.integers(0, min(v, 3) + 1)].tolist() for v in range(size)]
    renamed = rng.permutation(size)
    shuffled = [[]] * size
    for v, own in enumerate(parents):
        shuffled[renamed[v]] = [int(renamed[p]) for p in own]
    parents = shuffled
    states = rng.integers(1, 4 if size < 8 else 3, size=size).tolist()
    at = offsets_of(parents, states)
    tables = []
    for v in range(size):
        table = rng.gamma(0.7, size=(at[v + 1] - at[v]) // states[v] * states[v]).reshape(-1, states[v]) + 1e-3
        if zeros:
            table[rng.random(table.shape) < 0.2] = 0
            table[table.sum(axis=1) == 0, 0] = 1
        tables.append((table / table.sum(axis=1, keepdims=True)).ravel())
    rows = draw(st.integers(0, 12))
    dtype = draw(st.sampled_from([np.int8, np.int16, np.int32]))
    codes = np.array([rng.integers(0, count, size=rows) for count in states]).astype(dtype).reshape(size, rows)
    codes[rng.random(codes.shape) < draw(st.sampled_from([0.1, 0.5, 0.9]))] = -1
    weights = rng.choice([1.0, 2.0, 0.5, 0.0, 3.25], size=rows)
    return parents, states, np.concatenate(tables), codes, weights


@given(problems(zeros=False))
@settings(deadline=None)
def test_it_is_the_expectation_over_all_completions(problem):
    parents, states, values, codes, weights = problem
    core = prepared(parents, states, codes, weights)
    assert core.offsets.tolist() == offsets_of(parents, states).tolist()
    found, right = expected(core, values), by_enumeration(*problem)
    assert found[0] == pytest.approx(right[0], rel=1e-10, abs=1e-10)
    assert found[1] == right[1] == 0
    np.testing.assert_allclose(found[2], right[2], rtol=1e-10, atol=1e-10)


@given(problems(zeros=True))
@settings(deadline=None)
def test_rows_are_possible_one_by_one_where_tables_have_zeros(problem):
    parents, states, values, codes, weights = problem
    for row in range(codes.shape[1]):
        own = codes[:, row : row + 1]
        core = prepared(parents, states, own, weights[row : row + 1])
        found, right = expected(core, values), by_enumeration(parents, states, values, own, weights[row : row + 1])
        if right[1]:  # a part of the row that is shown entirely, or a component, has probability zero
            assert found[0] == -math.inf or found[1] >= right[1]
        else:
            assert found[0] == pytest.approx(right[0], rel=1e-10, abs=1e-10)
            assert found[1] == 0
            np.testing.assert_allclose(found[2], right[2], rtol=1e-10, atol=1e-10)


@given(problems(zeros=False))
@settings(deadline=None)
def test_counts_of_a_family_sum_to_its_weight(problem):
    core = prepared(*problem[:2], *problem[3:])
    _, _, counts = expected(core, problem[2])
    totals = [counts[first:last].sum() for first, last in itertools.pairwise(core.offsets.tolist())]
    np.testing.assert_allclose(totals, core.family_weights, rtol=1e-10, atol=1e-10)
    is_there = problem[4] != 0
    assert core.row_weight == pytest.approx(problem[4].sum())
    assert core.missing_cells == pytest.approx(((problem[3] < 0) * problem[4])[:, is_there].sum())


def test_equal_components_are_kept_once():
    codes = np.tile(np.array([[-1], [0]], np.int8), (1, 100))
    core = prepared([[], [0]], [2, 2], codes, np.ones(100))
    assert core.component_count == 1
    assert core.cost > 0
    assert core.largest_component.tolist() == [0]
    assert core.largest_workspace >= 2


def test_missing_leaves_count_nowhere():
    core = prepared([[], [0]], [2, 2], np.array([[1], [-1]], np.int8), np.ones(1))
    assert core.component_count == 0
    assert core.family_weights.tolist() == [1, 0]


def test_large_components_are_only_planned():
    size = 60
    parents = [[] for _ in range(size)] + [list(range(size))]
    with pytest.raises(ValueError, match="too large"):
        ExpectedCounts(Graph(Ragged.from_lists(parents)), np.full(size + 1, 2, np.int32))


def test_wrong_arrays_are_refused():
    core = ExpectedCounts(Graph(Ragged.from_lists([[], [0]])), np.array([2, 2], np.int32))
    with pytest.raises(ValueError, match="line of states"):
        core.add_rows(np.zeros((3, 1), np.int8), None)
    with pytest.raises(ValueError, match="none of its variable"):
        core.add_rows(np.full((2, 1), 2, np.int8), None)
    with pytest.raises(ValueError, match="a weight for each row"):
        core.add_rows(np.zeros((2, 3), np.int8), np.ones(2))
    core.finish()
    with pytest.raises(ValueError, match="block"):
        core.expect(np.ones(6), 99, np.zeros(6))
    with pytest.raises(ValueError, match="each cell"):
        core.expect(np.ones(5), 0, np.zeros(6))
    with pytest.raises(ValueError, match="state"):
        ExpectedCounts(Graph(Ragged.from_lists([[]])), np.array([0], np.int32))
