"""Counts in expectation, as structural EM asks for them: a function of the rows, not of their order."""

import numpy as np
import pandas as pd
import pytest

import dconvex as dc
from dconvex._core import DiscreteScore, Ragged
from dconvex.graph.dag import Dag
from dconvex.learning.columns.states import States
from dconvex.structure.coded_tables import CodedRows
from dconvex.structure.expected_rows import DistinctRows, ExpectedRows

NETWORK = dc.load_network("asia")
NUMBERED = Dag.from_arrays(tuple(range(8)), NETWORK.dag.graph.parents)


def coded(frame, weights=None):
    names = NETWORK.dag.nodes
    codes = np.array([pd.Categorical(frame[name], NETWORK.states[name]).codes for name in names], np.int8)
    return CodedRows(names, tuple(States(NETWORK.states[name]) for name in names), codes, weights, len(frame))


def expected(rows, limit=10**8, threads=1):
    network = dc.BayesianNetwork.discrete(
        NUMBERED.edges,
        {number: NETWORK.family(name).values for number, name in enumerate(NETWORK.dag.nodes)},
        {number: range(2) for number in range(8)},
    )
    return ExpectedRows.of(rows, DistinctRows.of(rows), NUMBERED, network, limit, threads)


@pytest.fixture(scope="module")
def gapped():
    frame = NETWORK.sample(500, seed=1)
    return frame.mask(np.random.default_rng(1).random(frame.shape) < 0.3)


@pytest.mark.parametrize("criterion", ["bic", "aic", "bdeu", "likelihood"])
def test_scores_of_rows_without_gaps_are_those_of_counts(criterion):
    rows = coded(NETWORK.sample(700, seed=1))
    own, right = expected(rows).score(criterion, 3.0), DiscreteScore(rows.codes, rows.sizes, None, criterion, 3.0)
    for child, parents in ((0, []), (2, [1, 5]), (7, [0, 3, 6])):
        given = np.array(parents, np.int32)
        assert own.family(child, given) == pytest.approx(right.family(child, given), rel=1e-9)


def test_neither_the_order_of_rows_nor_threads_matter(gapped):
    sets = [(0, 3), (1, 2, 5), (4,), (0, 1, 6, 7)]
    found = expected(coded(gapped)).counts_of(sets)
    for other in (expected(coded(gapped.sample(frac=1, random_state=3))), expected(coded(gapped), threads=2)):
        assert all(np.array_equal(one, two) for one, two in zip(found, other.counts_of(sets), strict=True))
    twice, double = coded(pd.concat([gapped, gapped])), coded(gapped, np.full(500, 2.0))
    for one, two in zip(expected(twice).counts_of(sets), expected(double).counts_of(sets), strict=True):
        assert np.array_equal(one, two)


def test_counts_are_those_of_posteriors(gapped):
    model, own = dc.localize(NETWORK), expected(coded(gapped))
    (counts,) = own.counts_of([(1, 2, 7)])
    right = np.zeros((2, 2, 2))
    for row in gapped.astype(object).to_dict("records"):
        right += model.query(["bronc", "dysp", "xray"], {k: v for k, v in row.items() if not pd.isna(v)}).values
    np.testing.assert_allclose(counts.reshape(2, 2, 2) * own.unit, right, atol=1e-6)


def test_what_is_too_large_is_refused(gapped):
    with pytest.raises(dc.TooLargeError, match="filled in expectation"):
        expected(coded(gapped), limit=1000)
    rows = expected(coded(gapped), limit=DistinctRows.of(coded(gapped)).needed_bytes + 100)
    with pytest.raises(dc.TooLargeError, match="posteriors of missing cells"):
        rows.counts_of([(0, 1)])
    wide = coded(gapped)
    wide = CodedRows(wide.variables, tuple(States(range(200)) for _ in range(8)), wide.codes, None, 500)
    empty = Dag.from_arrays(tuple(range(8)), Ragged.from_lists([[]] * 8))
    tables = {number: np.full(200, 1 / 200) for number in range(8)}
    network = dc.BayesianNetwork.discrete([], tables, dict.fromkeys(range(8), range(200)))
    own = ExpectedRows.of(wide, DistinctRows.of(wide), empty, network, 10**7, 1)
    with pytest.raises(dc.TooLargeError, match=r"the counts of \('asia', 'bronc', 'dysp'\).*Set max_parents"):
        own.counts_of([(0, 1, 2)])
