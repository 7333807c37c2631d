"""Search by tests: the class of an exact oracle, the tests themselves, and background knowledge."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from scipy import stats
from structure.oracles import indices, no_edges, problem_edges, random_dags

import dconvex as dc
from dconvex import _core
from dconvex.structure import constraint_based


def searched(test, required=(), forbidden=()):
    constraints = _core.EdgeConstraints(test.size, problem_edges(required), problem_edges(forbidden))
    search = _core.ConstraintSearch(test, constraints)
    while search.advance(50):
        pass
    return search


def separation_in(dag):
    return _core.CallableTest(len(dag), lambda one, other, given: dc.d_separated(dag, one, other, given))


def class_of(search):
    graph = search.oriented()
    return dc.Cpdag.from_core(tuple(range(len(graph))), graph)


def check_oracle(count):
    for dag, random in random_dags(count, seed=2):
        assert class_of(searched(separation_in(dag))) == dc.cpdag(dag)
        # what is known of the true graph is kept, and what follows from it is right
        known = [edge for edge in dag.edges if random.random() < 0.3]
        against = [edge[::-1] for edge in dag.edges if random.random() < 0.3]
        found = class_of(searched(separation_in(dag), known, against))
        assert set(known) | {edge[::-1] for edge in against} <= set(found.directed) <= set(dag.edges)
        assert set(map(frozenset, (*found.directed, *found.undirected))) == set(map(frozenset, dag.edges))


def test_an_oracle_gives_its_class():
    check_oracle(80)


@pytest.mark.slow
def test_thousands_of_oracles():
    check_oracle(3_000)


def test_the_tail_of_chi_squared():
    random = np.random.default_rng(1)
    degrees = np.exp(random.uniform(0, 13, 300))
    values = degrees + random.normal(size=300) * 3 * np.sqrt(2 * degrees)
    for value, own in zip(values.tolist(), degrees.tolist(), strict=True):
        assert _core.chi_squared_tail(value, own) == pytest.approx(stats.chi2.sf(value, own), rel=1e-7, abs=1e-14)
    assert _core.chi_squared_tail(3e6 + 5e3, 3e6) == pytest.approx(stats.chi2.sf(3e6 + 5e3, 3e6), rel=1e-3)
    assert _core.chi_squared_tail(0.0, 1.0) == _core.chi_squared_tail(1.0, 0.0) == 1.0


def test_g_squared():
    random = np.random.default_rng(1)
    codes = np.array([random.integers(0, 3, 400), random.integers(0, 2, 400), random.integers(0, 4, 400)], np.int8)
    codes[2] = (codes[2] + codes[0] * (random.random(400) < 0.2)) % 4
    likelihood = _core.DiscreteScore(codes, indices(3, 2, 4), None, "likelihood")
    test = _core.LikelihoodTest(likelihood, "discrete", 0.05, 400.0)
    table = np.zeros((3, 4))
    np.add.at(table, (codes[0], codes[2]), 1)
    expected = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood").pvalue
    assert test.p_value(0, 2, indices()) == pytest.approx(expected)
    assert test.p_value(2, 0, indices()) == test.p_value(0, 2, indices())
    assert test.are_independent(0, 2, indices()) == (expected > 0.05)
    parts = []
    for state in (0, 1):
        table = np.zeros((3, 4))
        np.add.at(table, (codes[0][codes[1] == state], codes[2][codes[1] == state]), 1)
        parts.append(stats.chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic)
    assert test.p_value(0, 2, indices(1)) == pytest.approx(stats.chi2.sf(sum(parts), 12))


def test_degrees_of_freedom_are_those_of_states_that_occur():
    random = np.random.default_rng(2)
    codes = np.array([random.integers(0, size, 30) for size in (4, 3, 5, 3)], np.int8)
    codes[0, codes[3] == 0] = 2
    sizes = indices(5, 3, 5, 3)
    likelihood = _core.DiscreteScore(codes, sizes, None, "likelihood")

    def tables_of(round_):
        found = []
        for family in round_:
            table = np.zeros([sizes[v] for v in family], np.int64)
            np.add.at(table, tuple(codes[v] for v in family), 1)
            found.append(table.reshape(-1))
        return found

    shared = _core.CountedScore(sizes, 30, tables_of, "likelihood")
    for one, other, given in ((0, 1, ()), (2, 0, (3,)), (1, 2, (0, 3)), (0, 3, (1, 2))):
        statistic = degrees = 0
        for state in set(zip(*codes[list(given)].tolist(), strict=True)) if given else {()}:
            here = (codes[list(given)] == np.array(state)[:, None]).all(axis=0) if given else np.ones(30, bool)
            table = pandas.crosstab(codes[one, here], codes[other, here]).to_numpy()
            if min(table.shape) > 1:
                found = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
                statistic, degrees = statistic + found.statistic, degrees + found.dof
        for score in (likelihood, shared):
            test = _core.LikelihoodTest(score, "discrete", 0.05, 30.0)
            assert test.p_value(one, other, indices(*given)) == pytest.approx(stats.chi2.sf(statistic, degrees))
    wide = np.array([random.integers(0, 90, 200), random.integers(0, 70, 200)], np.int16).astype(np.int32)
    test = _core.LikelihoodTest(_core.DiscreteScore(wide, indices(100, 100), None, "likelihood"), "discrete", 0.05, 200.0)
    expected = stats.chi2_contingency(pandas.crosstab(*wide), correction=False, lambda_="log-likelihood").pvalue
    assert test.p_value(0, 1, indices()) == pytest.approx(expected)


def test_fishers_z():
    random = np.random.default_rng(1)
    rows = random.normal(size=(200, 4)) @ random.normal(size=(4, 4))
    covariance = np.cov(rows.T, bias=True)
    likelihood = _core.GaussianScore(rows.mean(0), covariance, 200.0, "likelihood")
    test = _core.LikelihoodTest(likelihood, "gaussian", 0.05, 200.0)
    for one, other, given in ((0, 1, ()), (0, 1, (2,)), (1, 3, (0, 2))):
        precision = np.linalg.inv(covariance[np.ix_((one, other, *given), (one, other, *given))])
        correlation = -precision[0, 1] / np.sqrt(precision[0, 0] * precision[1, 1])
        z = np.sqrt(200 - len(given) - 3) * np.arctanh(abs(correlation))
        assert test.p_value(one, other, indices(*given)) == pytest.approx(2 * stats.norm.sf(z))
    few = _core.LikelihoodTest(likelihood, "gaussian", 0.05, 4.0)
    assert few.p_value(0, 1, indices(2)) == 1.0


def test_the_core_checks_what_it_is_given():
    likelihood = _core.CallableScore(3, lambda variable, parents: 0.0)
    with pytest.raises(ValueError, match="alpha"):
        _core.LikelihoodTest(likelihood, "discrete", 0.0, 1.0)
    with pytest.raises(ValueError, match="kind"):
        _core.LikelihoodTest(likelihood, "mixed", 0.1, 1.0)
    test = _core.LikelihoodTest(likelihood, "discrete", 0.1, 1.0)
    for one, other, given in ((0, 0, ()), (0, 3, ()), (0, 1, (1,)), (0, 1, (2, 2))):
        with pytest.raises(ValueError, match="two different variables"):
            test.p_value(one, other, indices(*given))
    with pytest.raises(ValueError, match="other variables"):
        _core.ConstraintSearch(test, _core.EdgeConstraints(2, no_edges(), no_edges()))
    assert test.size == 3


def test_tests_end_where_they_are_too_many():
    dag = dc.Dag([(0, child) for child in range(1, 9)])
    found = []
    for most in (40, 110, 10**6):
        search = _core.ConstraintSearch(separation_in(dag), _core.EdgeConstraints(9, no_edges(), no_edges()), most)
        while search.advance(50):
            pass
        assert search.tests <= most
        found.append((search.level, search.left_out, len(class_of(search).undirected)))
    assert (found[0][0], found[1][0]) == (1, 1)
    assert found[0][1] > found[1][1] > found[2][1] == 0
    assert found[0][2] > found[1][2] > found[2][2] == 8


# --- learn_structure


def test_too_many_tests_are_left_out_and_said(alarm, monkeypatch):
    monkeypatch.setattr(constraint_based, "MOST_WORK", 5e6)
    found = dc.learn_structure(alarm, method="pc")
    assert "given at most 0 variables" in found.notes[0]
    assert "tests given 1 variable or more might remove" in found.notes[1]
    monkeypatch.undo()
    monkeypatch.setattr(constraint_based, "AT_ONCE", 10)
    found = dc.learn_structure(alarm, method="pc", max_seconds=1e-9)
    assert "max_seconds ended the tests" in found.notes[1]


@pytest.fixture(scope="module")
def alarm():
    return dc.load_network("alarm").sample(1_000, seed=1)


def test_the_graph_does_not_depend_on_the_order_of_columns_and_rows(alarm):
    found = dc.learn_structure(alarm, method="pc")
    other = dc.learn_structure(alarm.sample(frac=1, random_state=1)[list(alarm)[::-1]], method="pc")
    assert found.dag == other.dag
    assert found.cpdag == other.cpdag
    assert found.score == pytest.approx(dc.statistics(found, alarm).score())
    assert "tests at alpha=0.01, given at most" in found.notes[0]
    assert dc.compare_structures(found, dc.load_network("alarm")).extra == ()


def test_more_rows_find_more(alarm):
    network = dc.load_network("alarm")
    few, many = (
        dc.compare_structures(dc.learn_structure(network.sample(n, seed=1), method="pc"), network) for n in (500, 5_000)
    )
    assert many.distance < few.distance
    assert many.extra == ()
    numbers = dc.load_network("ecoli70").sample(1_000, seed=1)
    assert len(dc.learn_structure(numbers, method="pc").edges) > 30


def test_what_is_known_is_kept(alarm):
    some = alarm[["HR", "CO", "BP", "TPR", "CATECHOL", "HRBP", "ERRLOWOUTPUT"]]
    rules = {"required": [("BP", "ERRLOWOUTPUT")], "forbidden": [("HR", "CO"), ("CO", "HR")], "tiers": [["HRBP"], ["HR"]]}
    found = dc.learn_structure(some, method="pc", **rules)
    assert ("BP", "ERRLOWOUTPUT") in found.edges
    assert ("HRBP", "HR") in found.edges
    assert not {("HR", "CO"), ("CO", "HR")} & set(found.edges)
    fixed = next(edge for edge in found.explain() if edge.parent == "BP" and edge.child == "ERRLOWOUTPUT")
    assert fixed.removal is None


def test_what_no_graph_can_say_is_noted():
    """Neighbours on a ring that attract each other: opposite ones are independent given the other two, as in no DAG."""
    states = np.array(list(np.ndindex(2, 2, 2, 2)))
    alike = sum(states[:, one] == states[:, (one + 1) % 4] for one in range(4))
    chances = np.exp(1.2 * alike)
    rows = states[np.random.default_rng(1).choice(16, 20_000, p=chances / chances.sum())]
    found = dc.learn_structure(pandas.DataFrame(rows, columns=list("abcd")), method="pc")
    assert "no graph agrees with all tests; directions given up between 'a' and 'd', 'c' and 'd'" in found.notes
    assert len(found.edges) == 4


def test_alpha_is_checked(alarm):
    for alpha in (0, 1, -0.1):
        with pytest.raises(ValueError, match="alpha"):
            dc.learn_structure(alarm, method="pc", alpha=alpha)
    with pytest.raises(ValueError, match="cannot honour max_parents"):
        dc.learn_structure(alarm, method="pc", max_parents=2)
