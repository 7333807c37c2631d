import math
import pickle
import subprocess
import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from exchange.any_network import mixed_network, rows_over
from hypothesis import given
from hypothesis import strategies as st
from pgmpy.factors.continuous import LinearGaussianCPD
from pgmpy.factors.discrete import TabularCPD
from pgmpy.models import DiscreteBayesianNetwork, DiscreteMarkovNetwork, LinearGaussianBayesianNetwork
from scipy.stats import multivariate_normal, norm
from strategies import discrete_networks, gaussian_networks

import dconvex as dc
from dconvex.exchange.pgmpy import from_pgmpy, to_pgmpy


@pytest.fixture(scope="module")
def network():
    return mixed_network()


def test_pgmpy_gives_every_assignment_our_probability(network):
    model, rows = to_pgmpy(network), rows_over(network)
    theirs = [model.get_state_probability(row) for row in rows.to_dict("records")]
    np.testing.assert_allclose(np.exp(network.log_likelihood(rows)), theirs, rtol=1e-12)


def test_we_give_every_assignment_pgmpys_probability():
    model = DiscreteBayesianNetwork.get_random(n_nodes=6, edge_prob=0.5, n_states=3, seed=4)
    network = from_pgmpy(model)
    rows = rows_over(network)
    theirs = [model.get_state_probability(row) for row in rows.to_dict("records")]
    np.testing.assert_allclose(np.exp(network.log_likelihood(rows)), theirs, rtol=1e-12)


def test_pgmpy_accepts_the_model(network):
    assert to_pgmpy(network).check_model()


def test_names_states_and_parents_survive(network):
    model = to_pgmpy(network)
    assert set(model.nodes()) == set(network.dag.nodes)
    assert model.get_cpds("wet").variables == ["wet", 3, "rain", "1"]
    assert model.get_cpds("wet").state_names["rain"] == [True, False]
    assert from_pgmpy(model) == network


@given(discrete_networks(min_states=1))
def test_there_and_back_changes_nothing(network):
    assert from_pgmpy(to_pgmpy(network)) == network


@pytest.mark.parametrize("dag", [dc.Dag(), dc.Dag(nodes="only"), dc.Dag([("a", "b")], nodes=["a", "b", "c", 4])])
def test_small_and_disconnected_networks(dag):
    discrete, gaussian = dc.random_network(dag, 3, seed=1), dc.random_gaussian_network(dag, seed=1)
    assert from_pgmpy(to_pgmpy(discrete)) == discrete
    assert from_pgmpy(to_pgmpy(gaussian)) == gaussian


def test_converting_leaves_the_network_alone(network):
    model = to_pgmpy(network)
    model.get_cpds("rain").values[:] = [0.5, 0.5]
    model.get_cpds("rain").state_names["rain"].reverse()
    assert network == mixed_network()


def test_states_without_names_are_numbers():
    model = DiscreteBayesianNetwork([("a", "b")])
    model.add_cpds(TabularCPD("a", 2, [[0.3], [0.7]]), TabularCPD("b", 3, [[0.1, 0.2], [0.2, 0.3], [0.7, 0.5]], ["a"], [2]))
    network = from_pgmpy(model)
    assert network.states == {"a": (0, 1), "b": (0, 1, 2)}
    np.testing.assert_array_equal(network.family("b").values, [[0.1, 0.2, 0.7], [0.2, 0.3, 0.5]])


def test_a_cpd_may_name_its_own_states_only():
    model = DiscreteBayesianNetwork([("a", "b")])
    model.add_cpds(
        TabularCPD("a", 2, [[0.3], [0.7]], state_names={"a": ["no", "yes"]}),
        TabularCPD("b", 2, [[0.1, 0.2], [0.9, 0.8]], ["a"], [2], state_names={"b": ["low", "high"]}),
    )
    assert from_pgmpy(model).states == {"a": ("no", "yes"), "b": ("low", "high")}


def test_the_order_of_the_evidence_is_the_order_of_the_parents():
    model = DiscreteBayesianNetwork([("a", "c"), ("b", "c")])
    values = np.arange(1, 13).reshape(2, 6) / np.arange(8, 20, 2)
    model.add_cpds(TabularCPD("a", 2, [[0.3], [0.7]]), TabularCPD("b", 3, [[0.2], [0.3], [0.5]]))
    model.add_cpds(TabularCPD("c", 2, values, ["b", "a"], [3, 2]))
    family = from_pgmpy(model).family("c")
    assert family.parents == ("b", "a")
    np.testing.assert_allclose(family.values[2, 1], values[:, 5], rtol=1e-15)
    np.testing.assert_allclose(family.values[0, 1], values[:, 1], rtol=1e-15)


def test_numpy_names_and_states_become_plain():
    zero, one = np.int64(0), np.int64(1)
    model = DiscreteBayesianNetwork([(zero, one)])
    model.add_cpds(
        TabularCPD(zero, 2, [[0.3], [0.7]], state_names={zero: [np.int64(4), np.int64(5)]}),
        TabularCPD(one, 1, [[1.0, 1.0]], [zero], [2], state_names={one: [np.str_("x")], zero: [4, 5]}),
    )
    network = from_pgmpy(model)
    assert network.states == {0: (4, 5), 1: ("x",)}
    assert {type(name) for name in network.dag.nodes} == {int}


def test_a_node_without_cpd_is_named():
    model = DiscreteBayesianNetwork([("a", "b")])
    model.add_cpds(TabularCPD("a", 2, [[0.3], [0.7]]))
    with pytest.raises(dc.NetworkError, match="'b' has no CPD"):
        from_pgmpy(model)


def test_evidence_that_contradicts_the_graph_is_refused():
    model = DiscreteBayesianNetwork([("a", "b")])
    model.add_cpds(TabularCPD("a", 2, [[0.3], [0.7]]), TabularCPD("b", 2, [[0.3], [0.7]]))
    with pytest.raises(dc.NetworkError, match=r"'b' has the evidence \[\]; its parents in the graph are \['a'\]"):
        from_pgmpy(model)


def test_states_that_contradict_each_other_are_refused():
    model = DiscreteBayesianNetwork([("a", "b")])
    model.add_cpds(TabularCPD("a", 2, [[0.3], [0.7]], state_names={"a": ["no", "yes"]}))
    given_otherwise = {"a": ["yes", "no"], "b": ["low", "high"]}
    model.add_cpds(TabularCPD("b", 2, [[0.1, 0.2], [0.9, 0.8]], ["a"], [2], state_names=given_otherwise))
    with pytest.raises(dc.NetworkError, match=r"'b' has the states \['yes', 'no'\] for 'a'; .*\['no', 'yes'\]"):
        from_pgmpy(model)


def test_states_that_we_cannot_hold_are_refused():
    model = DiscreteBayesianNetwork()
    model.add_node("a")
    model.add_cpds(TabularCPD("a", 2, [[0.3], [0.7]], state_names={"a": [0.5, 1.5]}))
    with pytest.raises(dc.NetworkError, match=r"'a' has 0\.5"):
        from_pgmpy(model)


@pytest.mark.parametrize("other", [nx.DiGraph(), DiscreteMarkovNetwork(), None, "model.bif"])
def test_other_types_are_refused(other):
    with pytest.raises(TypeError, match=f"expected a pgmpy DiscreteBayesianNetwork .*, not {type(other).__name__}"):
        from_pgmpy(other)


def gaussian_network():
    dag = dc.Dag.from_parents({"x": (), 2: ("x",), "y": ("x", 2), "alone": ()})
    regressions = {
        "x": (0.1, {}, 2.0),  # the square of the rounded root of 2 is not 2
        2: (1 / 3, {"x": -0.7}, 0.3),
        "y": (0, {2: 1e-9, "x": math.pi}, 1e-7),
        "alone": (5, {}, 0.9),
    }
    return dc.BayesianNetwork.gaussian(dag, regressions)


def test_pgmpys_cpds_give_our_gaussian_density():
    network = gaussian_network()
    rows = network.sample(50, seed=4)
    model = to_pgmpy(network)
    theirs = sum(
        norm.logpdf(rows[cpd.variable], cpd.beta[0] + rows[cpd.evidence] @ cpd.beta[1:], cpd.std) for cpd in model.get_cpds()
    )
    np.testing.assert_allclose(network.log_likelihood(rows), theirs, rtol=1e-9, atol=1e-9)


def test_pgmpys_joint_gaussian_is_ours():
    dag = dc.Dag([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")], nodes=["a", "b", "c", "d", "e"])
    network = dc.random_gaussian_network(dag, seed=3)
    rows = network.sample(50, seed=4)
    model = to_pgmpy(network)
    mean, covariance = model.to_joint_gaussian()
    theirs = multivariate_normal(mean, covariance).logpdf(rows[list(nx.topological_sort(model))])
    np.testing.assert_allclose(network.log_likelihood(rows), theirs, rtol=1e-7)  # pgmpy rounds to eight decimals


def test_gaussian_parents_keep_their_order():
    model = to_pgmpy(gaussian_network())
    assert model.get_cpds("y").evidence == ["x", 2]
    assert model.get_cpds("y").beta.tolist() == [0, math.pi, 1e-9]
    assert from_pgmpy(model).dag.parents("y") == ("x", 2)


def test_gaussian_network_survives_pgmpys_copies_and_pickles():
    network = gaussian_network()
    model = to_pgmpy(network)
    assert model.get_cpds("x").std == math.sqrt(2)
    assert math.sqrt(2) ** 2 != 2
    for same in (model, model.copy(), pickle.loads(pickle.dumps(model))):
        assert from_pgmpy(same) == network


def test_a_changed_standard_deviation_counts():
    model = to_pgmpy(gaussian_network())
    model.get_cpds("x").std = 1.5
    assert from_pgmpy(model).family("x").variance == 2.25


@given(gaussian_networks(numbers=st.floats(-1e300, 1e300), variances=st.floats(0, 1e300)))
def test_gaussian_there_and_back_changes_nothing(network):
    assert from_pgmpy(to_pgmpy(network)) == network


@given(st.floats(1e-150, 1e150))
def test_a_foreign_standard_deviation_comes_back(std):
    model = LinearGaussianBayesianNetwork()
    model.add_node("x")
    model.add_cpds(LinearGaussianCPD("x", [1], std))
    assert to_pgmpy(from_pgmpy(model)).get_cpds("x").std == std


def test_a_fitted_gaussian_model_is_read():
    rows = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 3.5, 4.5, 7.0]})
    model = LinearGaussianBayesianNetwork([("x", "y")]).fit(rows)
    family = from_pgmpy(model).family("y")
    cpd = model.get_cpds("y")
    assert (family.intercept, family.coefficients["x"]) == tuple(cpd.beta)
    assert family.variance == cpd.std**2


def test_too_few_betas_are_refused():
    model = LinearGaussianBayesianNetwork([("x", "y")])
    model.add_cpds(LinearGaussianCPD("x", [1], 1), LinearGaussianCPD("y", [1], 1, ["x"]))
    with pytest.raises(dc.NetworkError, match=r"'y' needs 1 \+ 1 betas"):
        from_pgmpy(model)


def test_without_pgmpy_the_error_says_how_to_get_it(monkeypatch, network):
    monkeypatch.setitem(sys.modules, "pgmpy.models", None)
    for convert in (to_pgmpy, from_pgmpy):
        with pytest.raises(ImportError, match="pip install pgmpy"):
            convert(network)


def test_pgmpy_is_not_imported_before_it_is_needed():
    program = "import sys, dconvex.exchange.pgmpy; sys.exit('pgmpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
