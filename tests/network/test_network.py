"""Building networks by hand: every form of the numbers, every refusal, and the network as a value."""

from __future__ import annotations

import copy
import itertools
import pickle
import re
from dataclasses import FrozenInstanceError

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from strategies import discrete_networks, gaussian_networks

import dconvex as dc
from dconvex import BayesianNetwork, Dag, NetworkError, Table

EDGES = [("a", "c"), ("b", "c")]
STATES = {"a": ["no", "yes"], "b": [0, 1, 2], "c": [True, False]}
P_C = np.array([[[0.1, 0.9], [0.2, 0.8], [0.3, 0.7]], [[0.4, 0.6], [0.5, 0.5], [1.0, 0.0]]])
TABLES = {"a": [0.25, 0.75], "b": [0.5, 0.25, 0.25], "c": P_C}
REGRESSIONS = {"a": (1, {}, 0.5), "b": (-1, {}, 0), "c": (0.5, {"a": 2, "b": -3}, 1)}


def discrete(**tables):
    return BayesianNetwork.discrete(EDGES, TABLES | tables, STATES)


def root(row, states=None):
    return BayesianNetwork.discrete([], {"x": row}, {"x": states or range(len(row))})


def gaussian(**regressions):
    return BayesianNetwork.gaussian(EDGES, REGRESSIONS | regressions)


# --- the forms of a table


def test_tables_as_arrays():
    network = discrete()
    assert network.dag == Dag(EDGES)
    assert network.states == {"a": ("no", "yes"), "b": (0, 1, 2), "c": (True, False)}
    assert network.kind == "discrete"
    assert len(network) == 3
    table = network.family("c")
    assert (table.variable, table.parents) == ("c", ("a", "b"))
    assert table.values.tolist() == P_C.tolist()
    assert network.family("b").values.tolist() == TABLES["b"]


def test_tables_as_dicts():
    rows = {(a, b): P_C[i, b] for (i, a), b in itertools.product(enumerate(["no", "yes"]), reversed(range(3)))}
    assert discrete(c=rows, a={(): [0.25, 0.75]}) == discrete()


def test_a_bare_state_is_the_key_of_a_single_parent():
    table = {"yes": [0.4, 0.6], "no": [0.1, 0.9]}
    network = BayesianNetwork.discrete([("a", "c")], {"a": [0.5, 0.5], "c": table}, {"a": ["no", "yes"], "c": [0, 1]})
    assert network.family("c").values.tolist() == [[0.1, 0.9], [0.4, 0.6]]


def test_tables_as_table_objects_with_parents_in_another_order():
    assert discrete(c=Table("c", ("a", "b"), P_C)) == discrete()
    assert discrete(c=Table("c", ("b", "a"), P_C.transpose(1, 0, 2))) == discrete()


def test_axes_follow_the_parents_of_the_dag():
    dag = Dag.from_parents({"a": (), "b": (), "c": ("b", "a")})
    network = BayesianNetwork.discrete(dag, TABLES | {"c": P_C.transpose(1, 0, 2)}, STATES)
    assert network.family("c").parents == ("b", "a")
    assert network.family("c").values[2, 1].tolist() == [1.0, 0.0]
    assert BayesianNetwork.discrete(dag, TABLES | {"c": Table("c", ("a", "b"), P_C)}, STATES) == network
    assert network != discrete()


@pytest.mark.parametrize("graph", [Dag(EDGES), nx.DiGraph(EDGES), iter(EDGES), discrete()])
def test_the_graph_may_be_anything_that_stands_for_one(graph):
    assert BayesianNetwork.discrete(graph, TABLES, STATES) == discrete()


def test_variables_without_edges_need_only_a_table():
    network = BayesianNetwork.discrete(EDGES, TABLES | {"alone": [1.0]}, STATES | {"alone": ["x"]})
    assert network.dag == Dag(EDGES, nodes="alone")
    assert network.family("alone").parents == ()


@given(discrete_networks())
def test_a_network_is_rebuilt_from_its_families(network):
    dag, states = network.dag, network.states
    tables = {node: network.family(node) for node in dag.nodes}
    arrays = {node: table.values for node, table in tables.items()}
    keys = {node: itertools.product(*(states[parent] for parent in dag.parents(node))) for node in dag.nodes}
    dicts = {node: dict(zip(keys[node], arrays[node].reshape(-1, len(states[node])), strict=True)) for node in dag.nodes}
    for form in (tables, arrays, dicts):
        assert BayesianNetwork.discrete(dag, form, states) == network


def test_numpys_names_find_the_family():
    network = BayesianNetwork.discrete([], {3: [1.0]}, {3: ["x"]})
    assert type(network.family(np.int64(3)).variable) is int


def test_the_empty_network():
    assert len(BayesianNetwork.discrete([], {}, {})) == 0
    assert BayesianNetwork.discrete([], {}, {}) != BayesianNetwork.gaussian([], {})


# --- what is refused


@pytest.mark.parametrize(
    ("tables", "problem"),
    [
        (
            {"c": P_C[:, :2]},
            "the table of 'c' has shape (2, 2, 2); its axes ('a': 2, 'b': 3, 'c': 2) need (2, 3, 2)",
        ),
        ({"c": P_C.transpose(1, 0, 2)}, "the table of 'c' has shape (3, 2, 2)"),
        ({"a": [1.0]}, "the table of 'a' has shape (1,)"),
        ({"a": None}, "the table of 'a' has shape ()"),
        ({"c": [[0.1, 0.9], [1.0]]}, "the table of 'c' is not an array of numbers"),
        ({"a": ["p", "q"]}, "the table of 'a' is not an array of numbers"),
        ({"c": Table("b", ("a", "b"), P_C)}, "the table of 'c' is P('b' | ('a', 'b'))"),
        ({"c": Table("c", ("a",), P_C[:, 0])}, "its parents in the graph are ('a', 'b')"),
        ({"c": Table("c", ("a", "b"), P_C[0])}, "the table of 'c' has 2 axes; it needs 3"),
        ({"c": {("no", 0): [0.1, 0.9]}}, "the table of 'c' has no row for ('no', 1) (states of ('a', 'b'))"),
        ({"a": {}}, "the table of 'a' has no row for ()"),
        ({"a": {"no": [0.5, 0.5]}}, "the table of 'a' has the row 'no': [0.5, 0.5]"),
        ({"c": {"no": [0.5, 0.5]}}, "the table of 'c' has the row 'no'"),
        ({"c": {("no", 0): [0.1]}}, "the table of 'c' has the row ('no', 0): [0.1]"),
        ({"c": {("no", 0): 0.1}}, "the table of 'c' has the row ('no', 0): 0.1"),
        ({"c": {("no", 0): {True: 0.1}}}, "the table of 'c' has the row ('no', 0)"),
        ({"c": {("no", 0): ["p", "q"]}}, "the table of 'c' has the row ('no', 0)"),
    ],
)
def test_tables_that_do_not_fit(tables, problem):
    with pytest.raises(NetworkError, match=re.escape(problem)):
        discrete(**tables)


def test_unknown_parent_state_in_a_dict():
    with pytest.raises(dc.UnknownStateError, match="unknown state 'yess' of 'a'; did you mean 'yes'"):
        discrete(c={("yess", 0): [0.5, 0.5]})


@pytest.mark.parametrize(
    ("bad_row", "problem"),
    [
        ([np.nan, 1.0], "P('c' | 'a'='yes', 'b'=1) gives True the probability nan; it must be between 0 and 1"),
        ([np.nan, np.nan], "P('c' | 'a'='yes', 'b'=1) gives True the probability nan"),
        ([1.5, -0.5], "P('c' | 'a'='yes', 'b'=1) gives False the probability -0.5"),
        ([np.inf, 0.0], "P('c' | 'a'='yes', 'b'=1) gives True the probability inf"),
        ([np.inf, -np.inf], "P('c' | 'a'='yes', 'b'=1) gives True the probability inf"),
        ([1e308, 1e308], "P('c' | 'a'='yes', 'b'=1) sums to inf, not to 1"),
        ([0.0, 0.0], "P('c' | 'a'='yes', 'b'=1) sums to 0, not to 1"),
        ([0.5, 0.4], "P('c' | 'a'='yes', 'b'=1) sums to 0.9, not to 1"),
        ([0.5, 0.6], "P('c' | 'a'='yes', 'b'=1) sums to 1.1, not to 1"),
    ],
)
def test_rows_that_are_no_distribution(bad_row, problem):
    table = P_C.copy()
    table[1, 1] = bad_row
    with pytest.raises(NetworkError, match=re.escape(problem)) as caught:
        discrete(c=table)
    assert caught.value.variable == "c"


def test_the_first_of_several_bad_rows_is_named():
    with pytest.raises(NetworkError, match=re.escape("P('a') sums to 2, not to 1")):
        discrete(a=[1, 1], c=np.ones((2, 3, 2)))


@pytest.mark.parametrize("row", [[1.0], [0.1] * 10, [0.5, 0.5 + 5e-13], [0.5, 0.5 - 5e-13], [0.7, 0.2, 0.1], [1, -0.0]])
def test_rows_within_1e_12_of_one_are_left_bit_for_bit(row):
    assert root(row).family("x").values.tobytes() == np.array(row, float).tobytes()


@pytest.mark.parametrize(
    "row",
    [[0.5, 0.5 + 2e-12], [0.5, 0.5 - 1e-9], [0.5, 0.5 + 9e-6], [0.5, 0.5 - 9e-6], [0.5, 0.49999], [0.00001, 1.0]],
)
def test_rows_within_1e_5_of_one_are_divided_by_their_sum(row):
    values = root(row).family("x").values
    assert values.tolist() == [entry / sum(row) for entry in row]
    assert root(values) == root(row)


@pytest.mark.parametrize("row", [[0.5, 0.5 + 1.01e-5], [0.5, 0.5 - 1.01e-5], [0.5, 0.501]])
def test_rows_beyond_1e_5_of_one_are_refused(row):
    with pytest.raises(NetworkError, match=re.escape("not to 1 (rows within 1e-05 of 1 are normalised)")):
        root(row)


def test_only_the_row_that_is_off_is_divided():
    table = P_C.copy()
    table[0, 2, 0] += 1e-6
    values = discrete(c=table).family("c").values
    assert values[0, 2].tolist() == (table[0, 2] / table[0, 2].sum()).tolist()
    table[0, 2] = values[0, 2]
    assert values.tobytes() == table.tobytes()


@pytest.mark.parametrize(
    ("edges", "tables", "states", "error", "problem"),
    [
        (EDGES, {"a": [0.5, 0.5]}, STATES, NetworkError, "no table is given for 'b'"),
        (EDGES, TABLES, {"a": [0, 1], "b": [0]}, NetworkError, "no states are given for 'c'"),
        (EDGES, TABLES | {"d": [1.0]}, STATES, NetworkError, "no states are given for 'd'"),
        (EDGES, TABLES, STATES | {"aa": [0]}, dc.UnknownVariableError, "unknown variable 'aa'; did you mean 'a'?"),
        (EDGES, TABLES | {None: [1.0]}, STATES, NetworkError, "a variable name must be a str or an int, not None"),
        (EDGES, TABLES, STATES | {"b": [0, 1, 1]}, NetworkError, "two states of 'b' compare equal: 1 comes twice"),
        (EDGES, TABLES, STATES | {"b": [0, 1, True]}, NetworkError, "two states of 'b' compare equal: True comes"),
        (EDGES, TABLES, STATES | {"a": "ny"}, NetworkError, "the states of 'a' must be a list of labels in order"),
        (EDGES, TABLES, STATES | {"a": []}, NetworkError, "'a' has no states"),
        (EDGES, TABLES, STATES | {"a": [0.5, 1.5]}, NetworkError, "'a' has 0.5 (float)"),
        (EDGES, TABLES, STATES | {"a": ["no", "yes", "?"]}, NetworkError, "the table of 'a' has shape (2,)"),
        ([*EDGES, ("c", "a")], TABLES, STATES, dc.CycleError, "c → a → c"),
    ],
)
def test_names_and_states_that_do_not_fit(edges, tables, states, error, problem):
    with pytest.raises(error, match=re.escape(problem)):
        BayesianNetwork.discrete(edges, tables, states)


# --- regressions


def test_regressions():
    network = gaussian()
    assert network.kind == "gaussian"
    assert network.states == {}
    assert network.family("c") == dc.Regression("c", ("a", "b"), 0.5, {"a": 2.0, "b": -3.0}, 1.0)
    assert network.family("b").variance == 0


def test_coefficients_stand_by_name_not_by_order():
    assert gaussian(c=(0.5, {"b": -3, "a": 2}, 1)) == gaussian()
    reordered = BayesianNetwork.gaussian(Dag.from_parents({"a": (), "b": (), "c": ("b", "a")}), REGRESSIONS)
    assert reordered.family("c").coefficients == {"a": 2.0, "b": -3.0}


@given(gaussian_networks())
def test_a_gaussian_network_is_rebuilt_from_its_families(network):
    families = {node: network.family(node) for node in network.dag.nodes}
    parts = {node: (own.intercept, own.coefficients, own.variance) for node, own in families.items()}
    assert BayesianNetwork.gaussian(network.dag, families) == network
    assert BayesianNetwork.gaussian(network.dag, parts) == network


@pytest.mark.parametrize(
    ("regressions", "problem"),
    [
        ({"a": (0, {}, -0.1)}, "the variance of 'a' is -0.1; it must be zero or more"),
        ({"a": (0, {}, np.nan)}, "the variance of 'a' is nan; it must be finite"),
        ({"a": (0, {}, np.inf)}, "the variance of 'a' is inf; it must be finite"),
        ({"b": (np.nan, {}, 1)}, "the intercept of 'b' is nan; it must be finite"),
        ({"c": (0, {"a": 1, "b": np.inf}, 1)}, "the coefficient of 'b' in the regression of 'c' is inf; it must be finite"),
        ({"c": (0, {"a": 1}, 1)}, "the regression of 'c' has coefficients for ['a']; its parents are ('a', 'b')"),
        ({"a": (0, {"b": 1}, 1)}, "the regression of 'a' has coefficients for ['b']; its parents are ()"),
        ({"a": (0, {})}, "the regression of 'a' must be (intercept, {parent: coefficient}, variance)"),
        ({"a": (0, [1], 1)}, "the regression of 'a' must be (intercept, {parent: coefficient}, variance)"),
        ({"a": ("x", {}, 1)}, "the regression of 'a' must be (intercept, {parent: coefficient}, variance)"),
        ({"a": None}, "the regression of 'a' must be (intercept, {parent: coefficient}, variance), not None"),
        ({"a": gaussian().family("b")}, "the regression given for 'a' is that of 'b'"),
    ],
)
def test_regressions_that_do_not_fit(regressions, problem):
    with pytest.raises(NetworkError, match=re.escape(problem)):
        gaussian(**regressions)


def test_missing_regression():
    with pytest.raises(NetworkError, match="no regression is given for 'c'"):
        BayesianNetwork.gaussian(EDGES, {"a": (0, {}, 1), "b": (0, {}, 1)})


# --- the network as a value


def test_the_callers_array_is_neither_changed_nor_kept():
    own = P_C + 1e-7
    before = own.copy()
    network = discrete(c=own)
    assert (own == before).all()
    own[:] = 0.5
    assert network == discrete(c=before)
    assert own.flags.writeable


@pytest.mark.parametrize("again", [lambda network: pickle.loads(pickle.dumps(network)), copy.copy, copy.deepcopy])
@pytest.mark.parametrize("network", [discrete(), gaussian()], ids=["discrete", "gaussian"])
def test_pickles_and_copies_stay_equal_and_frozen(network, again):
    restored = again(network)
    assert restored == network
    assert hash(restored) == hash(network)
    parameters = restored.parameters
    arrays = [getattr(parameters, slot) for slot in parameters.__slots__ if slot != "labels"]
    assert len(arrays) >= 2
    assert not any(array.flags.writeable for array in arrays)


def test_frozen():
    network = discrete()
    with pytest.raises(ValueError, match="read-only"):
        network.family("c").values[0, 0, 0] = 1
    with pytest.raises(FrozenInstanceError):
        network.dag = Dag()
    with pytest.raises(FrozenInstanceError):
        network.parameters.values = np.zeros(3)
    network.states["a"] = ("other",)
    assert network == discrete()
    with pytest.raises(TypeError):
        gaussian().family("c").coefficients["a"] = 0.0


@pytest.mark.parametrize("network", [discrete(), gaussian()], ids=["discrete", "gaussian"])
def test_unknown_family(network):
    with pytest.raises(dc.UnknownVariableError, match="unknown variable 'C'; did you mean 'c'"):
        network.family("C")


@given(discrete_networks(max_nodes=4))
def test_equal_networks_have_equal_hashes(network):
    again = dc.BayesianNetwork.discrete(
        network.dag, {node: network.family(node).values for node in network.dag.nodes}, network.states
    )
    assert again == network
    assert hash(again) == hash(network)


def test_minus_zero_is_zero():
    one, other = root([0.0, 1.0]), root([-0.0, 1.0])
    assert one == other
    assert hash(one) == hash(other)
    left, right = gaussian(a=(0.0, {}, 0.0)), gaussian(a=(-0.0, {}, -0.0))
    assert left == right
    assert hash(left) == hash(right)


@pytest.mark.parametrize(
    "other",
    [
        root([0.25, 0.75], [True, False]),  # 1 and True compare equal, but they are not the same label
        root([0.25, 0.75], ["1", "0"]),
        root([0.75, 0.25], [0, 1]),  # the same distribution, its states in another order
        root([0.25, 0.75], [0, 1]),
        root([0.5, 0.5], [1, 0]),
        BayesianNetwork.discrete([], {"y": [0.25, 0.75]}, {"y": [1, 0]}),
        BayesianNetwork.gaussian([], {"x": (0, {}, 1)}),
    ],
)
def test_unequal_networks(other):
    network = root([0.25, 0.75], [1, 0])
    assert network == root([0.25, 0.75], [1, 0])
    assert network != other


def test_labels_belong_to_their_variables():
    tables = {"x": [0.5, 0.5], "y": [0.5, 0.5]}
    network = BayesianNetwork.discrete([], tables, {"x": ["a", "b"], "y": ["c", "d"]})
    assert network != BayesianNetwork.discrete([], tables, {"x": ["c", "d"], "y": ["a", "b"]})


@pytest.mark.parametrize(
    "other", [gaussian(a=(1.5, {}, 0.5)), gaussian(a=(1, {}, 0.25)), gaussian(c=(0.5, {"a": 2, "b": 3}, 1))]
)
def test_unequal_gaussian_networks(other):
    assert other != gaussian()


def test_printed_in_a_line():
    assert repr(discrete()) == "BayesianNetwork(discrete, 3 variables, 2 edges, 17 probabilities)"
    assert repr(gaussian()) == "BayesianNetwork(gaussian, 3 variables, 2 edges, 2 coefficients)"
    assert "1,000 variables" in repr(dc.random_network(dc.random_dag(1000, 1200, seed=0)))
