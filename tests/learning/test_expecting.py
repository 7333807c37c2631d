"""One E-step: expected statistics under the parameters of a model."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learning.dense_normal import expected
from learning.samples import samples

import dconvex as dc
from dconvex._core import Ragged
from dconvex.learning.columns.encoded_columns import encoded_columns
from dconvex.learning.columns.matching import matched_tables
from dconvex.learning.expecting import expected_family_counts, expected_family_moments
from dconvex.learning.learning_options import LearningOptions
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.measured_rows import measured_rows
from dconvex.threads import Workers

SERIAL = Workers(0)


def with_gaps(rows, share, seed=0):
    plain = rows.astype(object)
    return plain.where(np.random.default_rng(seed).random(plain.shape) >= share, None)


@pytest.mark.parametrize("coherent", [True, False])
def test_an_iteration_is_an_e_step_and_a_fit(coherent):
    network = dc.load_network("asia")
    rows = with_gaps(network.sample(800, seed=1), 0.2)
    how = {"coherent": coherent, "states": network.states}
    one, two = (dc.fit(network, rows, missing=dc.EM(tolerance=0, max_iterations=k), **how) for k in (1, 2))
    found = one.expected_statistics(rows)
    assert dc.fit(network, found, coherent=coherent).network() == two.network()
    assert found.rows == 800
    assert found.dag == network.dag


def test_an_iteration_of_numbers_is_an_e_step_and_a_fit():
    network = dc.random_gaussian_network(dc.random_dag(8, 10, max_parents=3, seed=1), seed=1)
    rows = network.sample(300, seed=1) + 10
    rows = rows.mask(np.random.default_rng(1).random(rows.shape) < 0.2)
    one, two = (dc.fit(network, rows, missing=dc.EM(tolerance=0, max_iterations=k), coherent=True) for k in (1, 2))
    after = dc.fit(network, one.expected_statistics(rows), coherent=True).network()
    np.testing.assert_allclose(after.parameters.variance, two.network().parameters.variance, rtol=1e-9)
    np.testing.assert_allclose(after.parameters.coefficients, two.network().parameters.coefficients, rtol=1e-7, atol=1e-9)


def test_statistics_add_up_and_are_saved(tmp_path):
    network = dc.load_network("asia")
    model = dc.localize(network)
    rows = with_gaps(network.sample(500, seed=1), 0.2)
    whole = model.expected_statistics(rows)
    parts = model.expected_statistics(rows[:200]) + model.expected_statistics(rows[200:])
    np.testing.assert_allclose(parts.part.tallies.counts, whole.part.tallies.counts, rtol=1e-10, atol=1e-10)
    whole.save(tmp_path / "counts")
    assert dc.Statistics.load(tmp_path / "counts") == whole
    opened = dc.fit(network, rows, missing="em", states=network.states)
    opened.save(tmp_path / "model.dconvex")
    again = dc.open_model(tmp_path / "model.dconvex").expected_statistics(rows)
    assert again == opened.expected_statistics(rows)
    numbers = dc.random_gaussian_network(network.dag, seed=1)
    local = dc.fit(numbers, numbers.sample(100, seed=1))
    local.save(tmp_path / "numbers.dconvex")
    more = numbers.sample(20, seed=2).mask(np.random.default_rng(1).random((20, 8)) < 0.2)
    assert dc.open_model(tmp_path / "numbers.dconvex").expected_statistics(more) == local.expected_statistics(more)


def test_absent_columns_are_missing():
    network = dc.load_network("asia")
    rows = network.sample(300, seed=1)
    blank = rows.astype(object)
    blank["lung"] = None
    found = [dc.localize(network).expected_statistics(data) for data in (rows.drop(columns="lung"), blank)]
    assert found[0] == found[1]
    weighted = dc.localize(network).expected_statistics(rows.drop(columns="lung").assign(w=2.0), weights="w")
    np.testing.assert_allclose(weighted.part.tallies.counts, 2 * found[0].part.tallies.counts, rtol=1e-12)
    part = dc.fit(network, rows, for_query="lung")
    assert part.expected_statistics(rows).rows == 300


def test_impossible_rows_and_wrong_options_are_refused():
    states = {"a": ["x", "y"], "b": ["x", "y"]}
    network = dc.BayesianNetwork.discrete([("a", "b")], {"a": [0.5, 0.5], "b": [[1.0, 0.0], [1.0, 0.0]]}, states)
    rows = pd.DataFrame({"a": [None, "x"], "b": ["y", "x"]}, dtype=object)
    with pytest.raises(dc.DataError, match="probability zero under the model"):
        dc.localize(network).expected_statistics(rows)
    with pytest.raises(dc.DataError, match="unknown state 'z'"):
        dc.localize(network).expected_statistics(rows.replace("x", "z"))
    numbers = dc.BayesianNetwork.gaussian([("a", "b")], {"a": (0, {}, 1), "b": (0, {"a": 1}, 0)})
    wrong = pd.DataFrame({"a": [1.5, np.nan], "b": [2.5, 1.5]})
    with pytest.raises(dc.DataError, match="probability zero under the model"):
        dc.localize(numbers).expected_statistics(wrong)
    with pytest.raises(ValueError, match="unknown='guess'"):
        dc.localize(network).expected_statistics(rows, unknown="guess")


def lists_of(dag, rng):
    """Random families over the variables of a graph."""
    count = len(dag)
    return [rng.permutation(count)[: rng.integers(1, min(count, 3) + 1)].tolist() for _ in range(4)]


@given(samples(missing=True, max_rows=10, max_nodes=5), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=25)
def test_counts_of_any_families_are_those_of_posteriors(sample, seed):
    dag, states = sample.dag, sample.states
    network = dc.fit(sample.network, sample.network.sample(50, seed=1), prior=dc.Dirichlet(1), states=states).network()
    rows = sample.rows.astype(object).where(sample.rows.notna(), None)
    families = Families(dag.nodes, Ragged.from_lists(lists_of(dag, np.random.default_rng(seed))))
    options = LearningOptions("discrete", states)
    columns = encoded_columns(dag.nodes, rows, options)
    found = expected_family_counts(network, dag, columns, families, 10**9, SERIAL)
    model = dc.localize(network)
    right = []
    for number in range(len(families)):
        names = [dag.nodes[k] for k in families.members_of(number)]
        total = np.zeros([len(states[name]) for name in names])
        for row in rows.to_dict("records"):
            evidence = {name: value for name, value in row.items() if value is not None}
            total += model.query(names, evidence).values
        right.append(total.reshape(-1))
    np.testing.assert_allclose(found, np.concatenate(right), rtol=1e-9, atol=1e-9)


def test_moments_of_any_families_are_those_of_posteriors():
    network = dc.random_gaussian_network(dc.Dag([("a", "b"), ("b", "c"), ("a", "d")]), seed=1)
    dag = network.dag
    rows = network.sample(40, seed=1)
    rows = rows.mask(np.random.default_rng(2).random(rows.shape) < 0.3)
    families = Families(dag.nodes, Ragged.from_lists([[2, 3], [0], [3, 1, 2]]))
    options = LearningOptions("gaussian")
    measured = measured_rows(families, matched_tables(rows, dag.nodes, options), options)
    found = expected_family_moments(network, dag, measured, families, 10**9, SERIAL)
    model = dc.localize(network)
    at = 0
    for number in range(len(families)):
        names = [dag.nodes[k] for k in families.members_of(number)]
        products = np.zeros((len(names), len(names)))
        for row in rows.to_dict("records"):
            answer = model.query(names, {name: value for name, value in row.items() if not np.isnan(value)})
            products += answer.covariance + np.outer(answer.mean, answer.mean)
        first = families.offsets[number]
        mean = found.mean[first : first + len(names)]
        scatter = found.scatter[at : at + len(names) ** 2].reshape(len(names), -1)
        np.testing.assert_allclose(scatter + 40 * np.outer(mean, mean), products, rtol=1e-8, atol=1e-8)
        at += len(names) ** 2


def test_moments_of_a_network_are_those_of_the_joint_normal():
    network = dc.random_gaussian_network(dc.random_dag(7, 9, max_parents=3, seed=4), seed=4)
    rows = network.sample(60, seed=1)
    rows = rows.mask(np.random.default_rng(2).random(rows.shape) < 0.4)
    found = dc.localize(network).expected_statistics(rows).part
    _, right = expected(network, rows, np.ones(len(rows)))
    at = 0
    for number, name in enumerate(network.dag.nodes):
        weight, sums, products = right[name]
        width = len(sums)
        mean = found.mean[found.families.offsets[number] : found.families.offsets[number + 1]]
        scatter = found.scatter[at : at + width**2].reshape(width, width)
        assert found.weight[number] == weight
        np.testing.assert_allclose(weight * mean, sums, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(scatter, products - np.outer(sums, sums) / weight, rtol=1e-9, atol=1e-9)
        at += width**2
