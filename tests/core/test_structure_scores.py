"""Scores of families in the core, against their definitions."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from dconvex import _core

STATES = np.array([2, 3, 4, 1, 5], np.int32)


def indices(*values):
    return np.array(values, np.int32)


def no_edges():
    return np.empty((0, 2), np.int32)


@pytest.fixture(scope="module")
def codes():
    random = np.random.default_rng(1)
    own = np.array([random.integers(0, count, 200) for count in STATES])
    own[1] = (own[0] + own[2] // 2) % 3
    return own.astype(np.int8)


def oracle(codes, weights, criterion, variable, parents, size=1.0):
    """The score of a family by its definition."""
    cells, totals = Counter(), Counter()
    for row, weight in zip(codes.T.tolist(), weights, strict=True):
        cells[tuple(row[p] for p in parents), row[variable]] += weight
        totals[tuple(row[p] for p in parents)] += weight
    rows = math.prod(int(STATES[p]) for p in parents)
    parameters = rows * (int(STATES[variable]) - 1)
    if criterion == "bdeu":
        by_row, by_cell = size / rows, size / (rows * int(STATES[variable]))
        return sum(math.lgamma(by_row) - math.lgamma(by_row + n) for n in totals.values()) + sum(
            math.lgamma(by_cell + n) - math.lgamma(by_cell) for n in cells.values()
        )
    penalty = {"bic": 0.5 * math.log(sum(weights)), "aic": 1.0, "likelihood": 0.0}[criterion]
    return sum(n * math.log(n / totals[config]) for (config, _), n in cells.items() if n) - penalty * parameters


def families():
    for variable in range(len(STATES)):
        others = [v for v in range(len(STATES)) if v != variable]
        for count in range(4):
            for parents in combinations(others, count):
                yield variable, parents


@pytest.mark.parametrize("criterion", ["bic", "aic", "bdeu", "likelihood"])
@pytest.mark.parametrize("width", [np.int8, np.int32])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_discrete_scores_follow_their_definition(codes, criterion, width, is_weighted):
    weights = np.arange(codes.shape[1]) % 4 if is_weighted else np.ones(codes.shape[1], np.int64)
    score = _core.DiscreteScore(codes.astype(width), STATES, weights if is_weighted else None, criterion, 3.0)
    assert score.size == 5
    for variable, parents in families():
        expected = oracle(codes, weights.tolist(), criterion, variable, parents, 3.0)
        assert score.family(variable, indices(*parents)) == pytest.approx(expected, rel=1e-11, abs=1e-9)


@pytest.mark.parametrize("criterion", ["bic", "aic", "bdeu", "likelihood"])
def test_scores_with_each_candidate_are_those_of_the_families(codes, criterion):
    score = _core.DiscreteScore(codes, STATES, None, criterion)
    for variable, parents in families():
        candidates = [v for v in range(5) if v != variable and v not in parents]
        found = score.with_each(variable, indices(*parents), indices(*candidates))
        expected = [score.family(variable, indices(*sorted((*parents, c)))) for c in candidates]
        assert found.tolist() == expected


def test_turning_an_edge_between_orphans_changes_nothing(codes):
    for criterion in ("bic", "bdeu"):
        score = _core.DiscreteScore(codes, STATES, None, criterion)
        one = score.family(0, indices(1)) + score.family(1, indices())
        assert one == pytest.approx(score.family(1, indices(0)) + score.family(0, indices()), rel=1e-12)


def test_parameters_of_tables(codes):
    score = _core.DiscreteScore(codes, STATES, None, "likelihood")
    assert score.parameters(1, indices(0, 2)) == 2 * 4 * 2
    assert score.parameters(3, indices(0)) == 0


@pytest.fixture(scope="module")
def moments():
    random = np.random.default_rng(2)
    return random.normal(size=(60, 4)) @ random.normal(size=(4, 4)) + [1, 2, 3, 4]


@pytest.mark.parametrize("criterion", ["bic", "aic", "likelihood"])
def test_gaussian_scores_follow_their_definition(moments, criterion):
    count = len(moments)
    score = _core.GaussianScore(moments.mean(axis=0), np.cov(moments.T, bias=True), count, criterion)
    for parents in [(), (0,), (0, 1), (0, 1, 3)]:
        design = np.column_stack([np.ones(count), moments[:, list(parents)]])
        left = moments[:, 2] - design @ np.linalg.lstsq(design, moments[:, 2], rcond=None)[0]
        variance = (left**2).mean()
        penalty = {"bic": 0.5 * math.log(count), "aic": 1.0, "likelihood": 0.0}[criterion]
        expected = -0.5 * count * (math.log(2 * math.pi * variance) + 1) - penalty * (len(parents) + 2)
        assert score.family(2, indices(*parents)) == pytest.approx(expected, rel=1e-10)
        assert score.parameters(2, indices(*parents)) == len(parents) + 2


def log_t_density(rows, mean_weight, degrees, scale):
    """The logarithm of the marginal likelihood of all rows, one after the other: multivariate t distributions."""
    size = rows.shape[1]
    total, matrix, mean, weight = 0.0, scale * np.eye(size), np.zeros(size), mean_weight
    for row in rows:
        free = degrees - size + 1
        spread = matrix * (weight + 1) / (weight * free)
        away = row - mean
        total += (
            math.lgamma(0.5 * (free + size))
            - math.lgamma(0.5 * free)
            - 0.5 * size * math.log(free * math.pi)
            - 0.5 * np.linalg.slogdet(spread)[1]
            - 0.5 * (free + size) * math.log1p(away @ np.linalg.solve(spread, away) / free)
        )
        matrix = matrix + weight / (weight + 1) * np.outer(away, away)
        mean, weight, degrees = (weight * mean + row) / (weight + 1), weight + 1, degrees + 1
    return total


def test_bge_is_the_marginal_likelihood(moments):
    size, count = moments.shape[1], len(moments)
    score = _core.GaussianScore(moments.mean(axis=0), np.cov(moments.T, bias=True), count, "bge", 1.5, 7.0, 0.8)
    complete = sum(score.family(v, indices(*range(v))) for v in range(size))
    assert complete == pytest.approx(log_t_density(moments, 1.5, 7.0, 0.8), rel=1e-10)
    turned = sum(score.family(v, indices(*range(v + 1, size))) for v in range(size))
    assert turned == pytest.approx(complete, rel=1e-12)


@pytest.mark.parametrize("criterion", ["bic", "aic", "bge", "likelihood"])
def test_gaussian_scores_with_each_are_those_of_the_families(moments, criterion):
    rows = np.column_stack([moments, moments[:, 0] - moments[:, 1], np.full(len(moments), 3.0)])
    score = _core.GaussianScore(rows.mean(axis=0), np.cov(rows.T, bias=True), len(rows), criterion, 1.0, 8.0, 0.5)
    for parents in [(), (0,), (0, 1), (1, 3, 5)]:
        others = [v for v in range(6) if v != 2 and v not in parents]
        found = score.with_each(2, indices(*parents), indices(*others)).tolist()
        expected = [score.family(2, indices(*sorted((*parents, other)))) for other in others]
        assert found == pytest.approx(expected, rel=1e-9)


def gapped_oracle(rows, weights, criterion, variable, parents):
    shown = ~np.isnan(rows[:, [variable, *parents]]).any(axis=1)
    own, weight = rows[shown], weights[shown]
    count, total = weight.sum(), weights.sum()
    design = np.column_stack([np.ones(len(own)), own[:, list(parents)]])
    root = np.sqrt(weight)
    solved = np.linalg.lstsq(design * root[:, None], own[:, variable] * root, rcond=None)[0]
    variance = (weight * (own[:, variable] - design @ solved) ** 2).sum() / count
    average = -0.5 * (math.log(2 * math.pi * variance) + 1)
    usual = {"bic": 0.5 * math.log(count), "aic": 1.0}[criterion] / count
    return total * (average - max(usual, 0.7 * total**-0.49 * math.sqrt(total / count - 1)) * (len(parents) + 2))


@pytest.mark.parametrize("criterion", ["bic", "aic"])
def test_gaussian_averages_are_compared_where_cells_are_missing(moments, criterion):
    rows = moments.copy()
    rows[::4, 1] = np.nan
    rows[1::5, 3] = np.nan
    rows[40:, 0] = np.nan
    weights = 1.0 + np.arange(60) % 3
    own = rows[40:, 1:]
    is_whole = ~np.isnan(own).any(axis=1)
    count = weights[40:][is_whole].sum()
    mean = np.average(own[is_whole], axis=0, weights=weights[40:][is_whole])
    means, scatter = np.full((1, 4), np.nan), np.full((4, 4), np.nan)
    means[0, 1:] = mean
    scatter[1:, 1:] = (own[is_whole] - mean).T @ ((own[is_whole] - mean) * weights[40:][is_whole][:, None])
    left = np.ones(60, bool)
    left[40:] = ~is_whole
    score = _core.GappedGaussianScore(
        means, scatter.reshape(1, 16), np.array([count]), rows[left].T.copy(), weights[left], criterion
    )
    for parents in [(), (0,), (1,), (0, 1, 3)]:
        expected = gapped_oracle(rows, weights, criterion, 2, parents)
        assert score.family(2, indices(*parents)) == pytest.approx(expected, rel=1e-9)
    assert score.parameters(2, indices(0)) == 3
    with pytest.raises(ValueError, match="BGe"):
        _core.GappedGaussianScore(means, scatter.reshape(1, 16), np.array([count]), rows.T.copy(), weights, "bge")
    with pytest.raises(ValueError, match="moments"):
        _core.GappedGaussianScore(means, scatter, np.array([count]), rows.T.copy(), weights, "bic")


def test_a_determined_variable_has_a_finite_score(moments):
    rows = np.column_stack([moments, moments[:, 0] + moments[:, 1], np.full(len(moments), 3.0)])
    score = _core.GaussianScore(rows.mean(axis=0), np.cov(rows.T, bias=True), len(rows), "bic")
    assert math.isfinite(score.family(4, indices(0, 1)))
    assert math.isfinite(score.family(5, indices(0)))
    assert math.isfinite(score.family(0, indices(5)))


def test_a_callable_takes_the_place_of_data():
    asked = []
    score = _core.CallableScore(3, lambda v, parents: asked.append((v, parents)) or -len(parents), lambda v, parents: 7)
    assert score.with_each(1, indices(0), indices(2)).tolist() == [-2]
    assert asked == [(1, (0, 2))]
    assert score.parameters(0, indices(1)) == 7
    assert _core.CallableScore(3, lambda v, parents: 0).parameters(0, indices(1)) == 0


def test_errors_of_a_callable_reach_the_caller():
    def fails(variable, parents):
        raise KeyError("nothing")

    with pytest.raises(KeyError, match="nothing"):
        _core.CallableScore(2, fails).family(0, indices(1))


@pytest.mark.parametrize(
    ("variable", "parents", "candidates"),
    [(5, (), ()), (-1, (), ()), (0, (0,), ()), (0, (2, 1), ()), (0, (9,), ()), (0, (1,), (1,)), (0, (1,), (0,)), (0, (), (5,))],
)
def test_unsound_families_are_refused(codes, variable, parents, candidates):
    score = _core.DiscreteScore(codes, STATES, None, "bic")
    with pytest.raises(ValueError, match="variable"):
        score.with_each(variable, indices(*parents), indices(*candidates))


def test_unsound_rows_are_refused(codes):
    with pytest.raises(ValueError, match="no state"):
        _core.DiscreteScore(codes, STATES - 1, None, "bic")
    with pytest.raises(ValueError, match="line of states"):
        _core.DiscreteScore(codes[:3], STATES, None, "bic")
    with pytest.raises(ValueError, match="weight for each row"):
        _core.DiscreteScore(codes, STATES, np.ones(3, np.int64), "bic")
    with pytest.raises(ValueError, match="negative"):
        _core.DiscreteScore(codes, STATES, np.full(codes.shape[1], -1), "bic")
    with pytest.raises(ValueError, match="one of bic"):
        _core.DiscreteScore(codes, STATES, None, "mdl")
    with pytest.raises(ValueError, match="positive"):
        _core.DiscreteScore(codes, STATES, None, "bdeu", 0.0)


def test_unsound_moments_are_refused():
    with pytest.raises(ValueError, match="for each variable"):
        _core.GaussianScore(np.zeros(2), np.eye(3), 10, "bic")
    with pytest.raises(ValueError, match="negative"):
        _core.GaussianScore(np.zeros(2), -np.eye(2), 10, "bic")
    with pytest.raises(ValueError, match="one of bic"):
        _core.GaussianScore(np.zeros(2), np.eye(2), 10, "bdeu")
    with pytest.raises(ValueError, match="BGe"):
        _core.GaussianScore(np.zeros(2), np.eye(2), 10, "bge", 1.0, 0.5, 1.0)


def test_constraints_are_checked():
    edges = _core.EdgeConstraints(3, np.array([[0, 1]], np.int32), no_edges(), 2)
    assert (edges.size, edges.max_parents) == (3, 2)
    for bad in ([[0, 3]], [[1, 1]], [[-1, 0]]):
        with pytest.raises(ValueError, match="two different"):
            _core.EdgeConstraints(3, np.array(bad, np.int32), no_edges())
    with pytest.raises(ValueError, match="pair"):
        _core.EdgeConstraints(3, np.zeros((1, 3), np.int32), no_edges())


def brute(codes, states, weights, variable, parents, unit=1.0):
    """The log-likelihood of a family in the rows that show it, and their weight."""
    cells, totals = Counter(), Counter()
    for row, weight in zip(codes.T.tolist(), weights, strict=True):
        if min(row[v] for v in (variable, *parents)) >= 0:
            cells[tuple(row[p] for p in parents), row[variable]] += weight * unit
            totals[tuple(row[p] for p in parents)] += weight * unit
    return sum(n * math.log(n / totals[config]) for (config, _), n in cells.items() if n), sum(totals.values())


@pytest.fixture(params=_core.bit_loop_names())
def loops(request):
    _core.use_bit_loops(request.param)
    yield request.param
    _core.use_bit_loops(_core.bit_loop_names()[-1])


@pytest.mark.parametrize("rows", [0, 1, 63, 64, 65, 700])
@pytest.mark.parametrize("has_gaps", [False, True])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
def test_all_ways_of_counting_agree(loops, rows, has_gaps, is_weighted, threads):
    """Few states by bits, many row by row, and tables too large for bits by sorting."""
    random = np.random.default_rng(rows)
    states = np.array([2, 3, 4, 6, 90, 300, 8], np.int32)
    codes = np.array([random.integers(-1 if has_gaps else 0, count, rows) for count in states], np.int32).reshape(7, rows)
    codes[1] = np.where(random.random(rows) < 0.97, codes[1].clip(max=0), codes[1])
    weights = random.integers(0, 3, rows) if is_weighted else None
    own = np.ones(rows, int) if weights is None else weights
    score = _core.DiscreteScore(codes, states, weights, "likelihood", unit=0.5, threads=threads)
    for variable, parents in [(0, ()), (1, (0,)), (4, ()), (5, (1,)), (0, (1, 2, 3, 6)), (2, (4, 5))]:
        expected, _ = brute(codes, states, own.tolist(), variable, parents, 0.5)
        assert score.family(variable, indices(*parents)) == pytest.approx(expected, rel=1e-9, abs=1e-7)
        others = [v for v in range(7) if v != variable and v not in parents]
        found = score.with_each(variable, indices(*parents), indices(*others))
        for other, value in zip(others, found.tolist(), strict=True):
            whole = tuple(sorted((*parents, other)))
            expected, _ = brute(codes, states, own.tolist(), variable, whole, 0.5)
            assert value == pytest.approx(expected, rel=1e-9, abs=1e-7)


def test_averages_are_compared_where_cells_are_missing(codes):
    gapped = codes.copy()
    gapped[1, ::3] = -1
    gapped[4] = -1
    for criterion, own in (("bic", lambda n: 0.5 * math.log(n) / n), ("aic", lambda n: 1 / n)):
        score = _core.DiscreteScore(gapped, STATES, None, criterion)
        likelihood, count = brute(gapped, STATES, [1] * 200, 0, (1,))
        penalty = max(own(count), 0.7 * 200**-0.49 * math.sqrt(200 / count - 1))
        assert score.family(0, indices(1)) == pytest.approx(200 * (likelihood / count - penalty * 3))
        assert score.family(0, indices(4)) == -math.inf
    with pytest.raises(ValueError, match="missing"):
        _core.DiscreteScore(gapped, STATES, None, "bdeu")
    with pytest.raises(ValueError, match="unit"):
        _core.DiscreteScore(codes, STATES, None, "bic", unit=0.0)
    with pytest.raises(ValueError, match="no such loops"):
        _core.use_bit_loops("mmx")
