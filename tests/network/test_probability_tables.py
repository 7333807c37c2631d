"""What a discrete network does, held against enumeration of all its assignments."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from network.enumeration import assignments, frame, marginal, probability
from strategies import discrete_networks

import dconvex as dc
from dconvex import BayesianNetwork, Dag

small_networks = discrete_networks(min_nodes=1, max_nodes=4, max_states=3)

SPRINKLER = BayesianNetwork.discrete(
    [("cloudy", "rain"), ("cloudy", "sprinkler"), ("rain", "wet"), ("sprinkler", "wet")],
    {
        "cloudy": [0.3, 0.7],
        "rain": {False: [0.8, 0.15, 0.05], True: [0.3, 0.3, 0.4]},
        "sprinkler": {False: [0.5, 0.5], True: [1.0, 0.0]},
        "wet": np.array([[[1.0, 0.0], [0.1, 0.9]], [[0.2, 0.8], [0.05, 0.95]], [[0.0, 1.0], [0.01, 0.99]]]),
    },
    {"cloudy": [False, True], "rain": ["none", "some", "much"], "sprinkler": [2, 1], "wet": ["dry", "wet"]},
)


class ConstantDraws:
    """Stands in for numpy's generator: the same uniform number every time."""

    def __init__(self, number):
        self.number = number

    def random(self, size):
        return np.full(size, self.number)


def root(row):
    return BayesianNetwork.discrete([], {"x": row}, {"x": range(len(row))})


# --- sampling


def test_columns_are_categorical_with_the_users_own_labels_in_order():
    sample = SPRINKLER.sample(50, seed=0)
    assert list(sample.columns) == ["cloudy", "rain", "sprinkler", "wet"]
    assert sample.index.equals(pd.RangeIndex(50))
    for name, labels in SPRINKLER.states.items():
        categories = sample[name].cat.categories
        assert tuple(categories) == labels
        assert list(map(type, categories.tolist())) == list(map(type, labels))
        assert not sample[name].cat.ordered
    assert sample["cloudy"].cat.categories.dtype == bool
    assert sample["sprinkler"].cat.categories.dtype == int


def test_labels_that_compare_equal_in_two_variables_keep_their_types():
    tables = {name: [0.5, 0.5] for name in "xyz"}
    network = BayesianNetwork.discrete([], tables, {"x": [0, 1], "y": [False, True], "z": [0, True]})
    sample = network.sample(3, seed=0)
    kinds = {name: [type(label) for label in sample[name].cat.categories.tolist()] for name in "xyz"}
    assert kinds == {"x": [int, int], "y": [bool, bool], "z": [int, bool]}


@given(discrete_networks())
def test_any_names_and_labels_make_a_frame(network):
    sample = network.sample(3, seed=0)
    assert sample.shape == (3, len(network))
    assert tuple(sample.columns) == network.dag.nodes
    for name, labels in network.states.items():
        categories = tuple(sample[name].cat.categories.tolist())
        assert categories == labels
        assert list(map(type, categories)) == list(map(type, labels))


def test_the_seed_decides():
    one, same, other = SPRINKLER.sample(100, seed=1), SPRINKLER.sample(100, seed=1), SPRINKLER.sample(100, seed=2)
    pd.testing.assert_frame_equal(one, same)
    assert not one.equals(other)
    pd.testing.assert_frame_equal(one, SPRINKLER.sample(100, seed=np.random.default_rng(1)))
    assert not SPRINKLER.sample(100).equals(SPRINKLER.sample(100))


def test_no_rows():
    sample = SPRINKLER.sample(0, seed=0)
    assert sample.shape == (0, 4)
    assert tuple(sample["rain"].cat.categories) == ("none", "some", "much")
    assert BayesianNetwork.discrete([], {}, {}).sample(3).shape == (3, 0)


@pytest.mark.parametrize(("rows", "error"), [(-1, ValueError), (2.5, TypeError)])
def test_numbers_of_rows_that_cannot_be(rows, error):
    with pytest.raises(error):
        SPRINKLER.sample(rows)


NETWORKS = [SPRINKLER, *(dc.random_network(dc.random_dag(6, 8, 3, seed=seed), 3, seed=seed) for seed in range(3))]


@pytest.mark.parametrize("network", NETWORKS)
def test_frequencies_are_near_the_marginals(network):
    rows = 100_000  # several blocks of rows
    sample = network.sample(rows, seed=5)
    for variable in network.dag.nodes:
        exact = marginal(network, variable)
        frequency = sample[variable].value_counts(normalize=True, sort=False).to_numpy()
        assert (np.abs(frequency - exact) <= 5 * np.sqrt(exact * (1 - exact) / rows)).all()


def test_frequencies_are_near_the_joint():
    rows = 200_000
    found = SPRINKLER.sample(rows, seed=3).value_counts().to_dict()
    for row in assignments(SPRINKLER):
        exact = probability(SPRINKLER, row)
        assert abs(found.get(tuple(row.values()), 0) / rows - exact) <= 5 * math.sqrt(exact * (1 - exact) / rows)


def test_rows_are_independent_of_each_other():
    column = root([0.5, 0.5]).sample(100_000, seed=0)["x"].cat.codes.to_numpy() - 0.5
    assert abs((column[1:] * column[:-1]).mean()) < 5 * 0.25 / math.sqrt(100_000)


@given(discrete_networks(), st.sampled_from([0.0, np.nextafter(1, 0), 0.5]))
def test_an_impossible_state_is_never_drawn(network, number):
    sample = network.parameters.sample(network.dag, 2, ConstantDraws(number))
    assert np.isfinite(network.log_likelihood(sample)).all()
    assert np.isfinite(network.log_likelihood(network.sample(20, seed=0))).all()


@pytest.mark.parametrize(
    ("row", "first", "last"),
    [
        ([0.1] * 10, 0, 9),
        ([*[0.1] * 10, 0.0, 0.0], 0, 9),  # the sum of the first ten is less than one
        ([0.0, *[0.1] * 10], 1, 10),
        ([0.0, 0.0, 1.0, 0.0], 2, 2),
        ([0.0, 1.0], 1, 1),
        ([1.0, 0.0], 0, 0),
        ([0.5, 0.0, 0.5 - 5e-13, 0.0], 0, 2),  # a row whose sum is left below one
        ([1.0], 0, 0),
    ],
)
def test_the_smallest_and_the_largest_draw(row, first, last):
    network = root(row)
    for number, expected in ((0.0, first), (np.nextafter(1, 0), last)):
        assert network.parameters.sample(network.dag, 1, ConstantDraws(number))["x"].tolist() == [expected]


def test_more_states_than_a_byte_can_number():
    row = np.zeros(300)
    row[[1, 127, 128, 299]] = 0.25
    frequency = root(row).sample(10_000, seed=0)["x"].value_counts(normalize=True, sort=False).to_numpy()
    assert (np.abs(frequency - row) <= 5 * np.sqrt(row * (1 - row) / 10_000)).all()


# --- log-likelihood


@given(small_networks)
def test_log_likelihood_is_the_product_of_the_families(network):
    rows = list(assignments(network))
    exact = np.array([probability(network, row) for row in rows])
    found = network.log_likelihood(frame(rows, network.dag.nodes))
    np.testing.assert_allclose(np.exp(found), exact, rtol=1e-12)
    assert (np.isneginf(found) == (exact == 0)).all()
    assert math.isclose(np.exp(found).sum(), 1.0, rel_tol=1e-9)


@given(small_networks, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_does_not_matter(network, random):
    rows = list(assignments(network))
    random.shuffle(rows)
    columns = random.sample(network.dag.nodes, len(network))
    exact = [probability(network, row) for row in rows]
    np.testing.assert_allclose(np.exp(network.log_likelihood(frame(rows, columns))), exact, rtol=1e-12)


def test_log_likelihood_of_a_sample_is_near_minus_the_entropy():
    joint = np.array([probability(SPRINKLER, row) for row in assignments(SPRINKLER)])
    joint = joint[joint > 0]
    values = SPRINKLER.log_likelihood(SPRINKLER.sample(100_000, seed=0))
    assert abs(values.mean() - joint @ np.log(joint)) < 5 * values.std() / math.sqrt(100_000)


def test_impossible_rows_are_minus_infinity_without_a_warning():
    row = {"cloudy": True, "rain": "none", "sprinkler": 1, "wet": "wet"}
    assert SPRINKLER.log_likelihood(frame([row], row)).tolist() == [-math.inf]


def test_log_likelihood_of_no_rows_and_of_no_variables():
    assert SPRINKLER.log_likelihood(SPRINKLER.sample(0)).shape == (0,)
    assert SPRINKLER.log_likelihood(frame([], SPRINKLER.dag.nodes)).shape == (0,)
    nothing = BayesianNetwork.discrete([], {}, {})
    assert nothing.log_likelihood(pd.DataFrame(index=range(3))).tolist() == [0, 0, 0]


def test_two_thousand_variables_do_not_underflow():
    network = dc.random_network(dc.random_dag(2000, 3000, 3, seed=0), 4, seed=0)
    values = network.log_likelihood(network.sample(5, seed=0))
    assert np.isfinite(values).all()
    assert (values < -1000).all()


# --- interventions


@given(small_networks, st.data())
def test_do_is_the_truncated_factorisation(network, data):
    """Pearl: the product of all families but those of the variables set, over the rows that agree with the setting."""
    chosen = data.draw(st.sets(st.sampled_from(network.dag.nodes)))
    settings = {variable: data.draw(st.sampled_from(network.states[variable])) for variable in chosen}
    rows = list(assignments(network))
    exact = [
        probability(network, row, without=settings) * all(row[v] == value for v, value in settings.items()) for row in rows
    ]
    after = network.do(settings)
    np.testing.assert_allclose(np.exp(after.log_likelihood(frame(rows, network.dag.nodes))), exact, rtol=1e-12)
    assert after.states == network.states
    assert set(after.dag.edges) == {edge for edge in network.dag.edges if edge[1] not in settings}


@given(discrete_networks(min_nodes=1), st.data())
def test_do_leaves_the_other_families_alone(network, data):
    variable = data.draw(st.sampled_from(network.dag.nodes))
    label = data.draw(st.sampled_from(network.states[variable]))
    after = network.do({variable: label})
    assert all(after.family(v) == network.family(v) for v in network.dag.nodes if v != variable)
    fixed = [float(own == label) for own in network.states[variable]]
    assert after.family(variable) == dc.Table(variable, (), fixed)
    assert after.do({variable: label}) == after
    assert network.do({}) == network


def test_do_keeps_the_order_of_parents():
    dag = Dag.from_parents({"a": (), "b": (), "c": ("b", "a")})
    after = dc.random_network(dag, {"a": 2, "b": 3, "c": 2}, seed=0).do({"a": 1})
    assert after.dag.parents("c") == ("b", "a")


def test_do_with_what_is_not_there():
    with pytest.raises(dc.UnknownStateError, match="unknown state 'mch' of 'rain'; did you mean 'much'"):
        SPRINKLER.do({"rain": "mch"})
    with pytest.raises(dc.UnknownStateError, match="unknown state None of 'rain'"):
        SPRINKLER.do({"rain": None})
    with pytest.raises(dc.UnknownVariableError, match="unknown variable 'rian'; did you mean 'rain'"):
        SPRINKLER.do({"rian": "much"})
