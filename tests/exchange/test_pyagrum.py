import subprocess
import sys
import warnings

import numpy as np
import pytest
from exchange.any_network import mixed_network, rows_over
from hypothesis import given
from strategies import discrete_networks

import dconvex as dc
from dconvex.exchange.pyagrum import from_pyagrum, to_pyagrum

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "builtin type .* has no __module__ attribute", DeprecationWarning)
    import pyagrum as gum


@pytest.fixture(scope="module")
def network():
    return mixed_network()


def joint_probabilities(model, rows, states):
    """P(row) for each row, as pyAgrum says; `rows` has pyAgrum's names, and states are indices."""
    instance = model.completeInstantiation()
    for row in rows.to_dict("records"):
        for name, label in row.items():
            instance.chgVal(name, states[name].index(label))
        yield model.jointProbability(instance)


def test_pyagrum_gives_every_assignment_our_probability(network):
    rows = rows_over(network)
    called = {name: "1_" if name == 1 else str(name) for name in network.dag.nodes}
    states = {called[name]: labels for name, labels in network.states.items()}
    theirs = list(joint_probabilities(to_pyagrum(network), rows.rename(columns=called), states))
    np.testing.assert_allclose(np.exp(network.log_likelihood(rows)), theirs, rtol=1e-12)


def test_we_give_every_assignment_pyagrums_probability():
    model = gum.fastBN("a[2]->d[3]<-b{x|y|z};c[2]->d->e[4];c->b;f{1|5}")
    network = from_pyagrum(model)
    rows = rows_over(network)
    theirs = list(joint_probabilities(model, rows, network.states))
    np.testing.assert_allclose(np.exp(network.log_likelihood(rows)), theirs, rtol=1e-12)


def test_pyagrums_posterior_is_ours_by_brute_force():
    network = dc.random_network([("a", "c"), ("b", "c"), ("c", "d")], {"a": 2, "b": 3, "c": 2, "d": 2}, seed=8)
    a, b, c, d = (network.family(name).values for name in "abcd")
    joint = np.einsum("a,b,abc,cd->abd", a, b, c, d)
    inference = gum.LazyPropagation(to_pyagrum(network))
    inference.addEvidence("b", 2)
    inference.addEvidence("d", 1)
    theirs = inference.posterior("a").toarray()
    np.testing.assert_allclose(joint[:, 2, 1] / joint[:, 2, 1].sum(), theirs, rtol=1e-12)


def test_names_states_and_parents_survive(network):
    model = to_pyagrum(network)
    assert model.names() == {"rain", "3", "wet", "1", "1_", "sure", "7"}
    assert model.cpt("wet").names == ("wet", "3", "rain", "1")
    assert model.variable("rain").labels() == ("True", "False")
    assert model.variable("1").labels() == ("1", "1__", "1_")
    assert model.variable("3").varType() == gum.VarType_INTEGER
    assert from_pyagrum(model) == network


def test_pyagrums_copy_is_read_like_the_original(network):
    assert from_pyagrum(gum.BayesNet(to_pyagrum(network))) == network


@given(discrete_networks(min_states=1))
def test_there_and_back_changes_nothing(network):
    assert from_pyagrum(to_pyagrum(network)) == network


@pytest.mark.parametrize("dag", [dc.Dag(), dc.Dag(nodes="only"), dc.Dag([("a", "b")], nodes=["a", "b", "c", 4])])
def test_small_and_disconnected_networks(dag):
    network = dc.random_network(dag, 3, seed=1)
    assert from_pyagrum(to_pyagrum(network)) == network


def test_converting_leaves_the_network_alone(network):
    model = to_pyagrum(network)
    model.cpt("rain")[:] = [0.5, 0.5]
    assert network == mixed_network()


@pytest.mark.parametrize("labels", [[2, 1], [0, 2**31], [-(2**31) - 1, 0], ["a\0", "a\0b", "a"], [True], [1, "1"]])
def test_labels_that_pyagrum_would_spoil(labels):
    network = dc.random_network(dc.Dag(nodes=["v"]), {"v": labels}, seed=2)
    back = from_pyagrum(to_pyagrum(network))
    assert back.states["v"] == tuple(labels)
    assert back == network


def test_plain_networks_carry_no_mark():
    network = dc.random_network([("a", "b")], {"a": ["no", "yes"], "b": 3}, seed=1)
    assert not to_pyagrum(network).existsProperty("dconvex")


def test_a_renamed_variable_and_a_new_label_are_read_as_they_are_called(network):
    model = to_pyagrum(network)
    model.changeVariableName("7", "seven")
    model.changeVariableLabel("rain", "True", "pours")
    states = from_pyagrum(model).states
    assert 7 not in states
    assert "seven" in states
    assert states["rain"] == ("pours", False)


def test_labels_of_foreign_variables():
    model = gum.BayesNet()
    variables = {
        gum.LabelizedVariable("labelized", "", ["1", "0", "True"]): ("1", "0", "True"),
        gum.IntegerVariable("integer", "", [7, -3, 5]): (-3, 5, 7),
        gum.RangeVariable("range", "", 2, 4): (2, 3, 4),
        gum.DiscretizedVariable("discretized", "", [0, 1.5, 3]): ("[0;1.5[", "[1.5;3]"),
        gum.NumericalDiscreteVariable("numerical", "", [0.5, 2]): ("0.5", "2"),
    }
    expected = {variable.name(): labels for variable, labels in variables.items()}
    for variable in variables:
        model.add(variable)
    model.generateCPTs()
    assert from_pyagrum(model).states == expected


def test_names_that_look_like_numbers_stay_strings():
    model = gum.fastBN("1->2")
    assert from_pyagrum(model).dag.edges == (("1", "2"),)


def test_the_order_of_the_cpt_is_the_order_of_the_parents():
    model = gum.BayesNet()
    for name, size in (("a", 2), ("b", 3), ("c", 2)):
        model.add(gum.LabelizedVariable(name, "", size))
    model.addArc("b", "c")
    model.addArc("a", "c")
    model.generateCPTs()
    family = from_pyagrum(model).family("c")
    assert family.parents == ("b", "a")
    for b in range(3):
        for a in range(2):
            np.testing.assert_array_equal(family.values[b, a], model.cpt("c")[{"a": a, "b": b}])


def test_noisy_or_and_aggregators_become_tables():
    model = gum.BayesNet()
    for name in "abc":
        model.add(gum.LabelizedVariable(name, "", 2))
    model.addNoisyOR(gum.LabelizedVariable("or", "", 2), 0.1)
    model.addMAX(gum.LabelizedVariable("max", "", 2))
    for name, weight in (("a", 0.5), ("b", 0.25)):
        model.addWeightedArc(name, "or", weight)
        model.addArc(name, "max")
    for name in "abc":
        model.generateCPT(name)
    network = from_pyagrum(model)
    np.testing.assert_array_equal(network.family("max").values, [[[1, 0], [0, 1]], [[0, 1], [0, 1]]])
    rows = rows_over(network)
    theirs = list(joint_probabilities(model, rows, network.states))
    np.testing.assert_allclose(np.exp(network.log_likelihood(rows)), theirs, rtol=1e-12)


def test_an_unfilled_table_is_named():
    model = gum.BayesNet()
    model.add(gum.LabelizedVariable("empty", "", 2))
    with pytest.raises(dc.NetworkError, match=r"'empty'.* sums to 0, not to 1"):
        from_pyagrum(model)


@pytest.mark.parametrize("other", [gum.DAG(), gum.Tensor(), None, "model.bif"])
def test_other_types_are_refused(other):
    with pytest.raises(TypeError, match=rf"expected a pyagrum\.BayesNet, not {type(other).__name__}"):
        from_pyagrum(other)


def test_gaussian_networks_are_refused():
    with pytest.raises(dc.NetworkError, match="discrete networks only, and this one is gaussian"):
        to_pyagrum(dc.random_gaussian_network([("x", "y")], seed=1))


def test_without_pyagrum_the_error_says_how_to_get_it(monkeypatch, network):
    monkeypatch.setitem(sys.modules, "pyagrum", None)
    for convert in (to_pyagrum, from_pyagrum):
        with pytest.raises(ImportError, match="pip install pyagrum"):
            convert(network)


def test_pyagrum_is_not_imported_before_it_is_needed():
    program = "import sys, dconvex.exchange.pyagrum; sys.exit('pyagrum' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_importing_pyagrum_where_warnings_are_errors_does_not_kill_the_process():
    program = "import dconvex as dc, dconvex.exchange.pyagrum as it; it.to_pyagrum(dc.random_network([('a', 'b')]))"
    assert subprocess.run([sys.executable, "-W", "error", "-c", program], check=False).returncode == 0
