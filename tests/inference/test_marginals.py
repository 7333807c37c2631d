"""The posterior of every variable at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inference.models import CONVEX_MODES, SPRINKLER, close, diamonds, in_pieces
from inference.questions import Question, questions

import dconvex as dc


@given(questions())
def test_marginals_are_those_of_brute_force(question: Question):
    found = dc.localize(question.network).marginals(**question.given)
    oracle = question.oracle()
    assert set(found) == set(question.network.dag.nodes)
    for variable, own in found.items():
        assert own.variables == (variable,)
        assert own.states == {variable: question.network.states[variable]}
        close(own.values, oracle.query([variable]))


@given(questions())
def test_marginals_are_the_queries_one_by_one(question: Question):
    local = dc.localize(question.network)
    for variable, own in local.marginals(**question.given).items():
        close(own.values, local.query(variable, **question.given).values)


@given(questions())
@pytest.mark.parametrize("mode", [*CONVEX_MODES, "one cluster"])
def test_every_tree_gives_the_same_marginals(mode, question: Question):
    if not len(question.network):
        return
    nodes = question.network.dag.nodes
    tree = dc.ClusterTree([nodes]) if mode == "one cluster" else dc.decompose(question.network, separators=mode)
    expected = dc.localize(question.network).marginals(**question.given)
    found = dc.localize(question.network, tree=tree).marginals(**question.given)
    for variable in nodes:
        close(found[variable].values, expected[variable].values)


@given(questions(), st.data())
def test_marginals_of_some_variables(question: Question, data):
    nodes = question.network.dag.nodes
    some = data.draw(st.lists(st.sampled_from(nodes), unique=True)) if nodes else []
    local = dc.localize(question.network)
    found, everything = local.marginals(**question.given, variables=some), local.marginals(**question.given)
    assert set(found) == set(some)
    for variable in some:
        close(found[variable].values, everything[variable].values)


def test_marginals_of_a_single_name():
    assert set(dc.localize(SPRINKLER).marginals(variables="rain")) == {"rain"}


def test_marginals_of_what_is_not_there():
    with pytest.raises(dc.UnknownVariableError, match="unknown variable 'rian'; did you mean 'rain'"):
        dc.localize(SPRINKLER).marginals(variables=["wet", "rian"])


def test_observed_variables_have_a_one():
    found = dc.localize(SPRINKLER).marginals({"rain": "some", "wet": {"wet"}})
    assert found["rain"].values.tolist() == [0.0, 1.0, 0.0]
    assert found["wet"].values.tolist() == [0.0, 1.0]


def test_marginals_without_evidence_are_those_of_the_pieces():
    network = in_pieces(30)
    local = dc.localize(network)
    found = local.marginals()
    assert len(found) == 90
    for k in range(30):
        a, c = network.family(f"a{k}"), network.family(f"c{k}")
        table = network.family(f"b{k}")
        assert table.parents == (f"a{k}", f"c{k}")
        close(found[f"b{k}"].values, np.einsum("a,c,acb->b", a.values, c.values, table.values))


@pytest.mark.parametrize("share", [0.0, 0.2, 0.9])
def test_marginals_of_a_longer_network_are_its_queries(share):
    network = diamonds(40, states=3, seed=1)
    row, rng = network.sample(1, seed=2), np.random.default_rng(3)
    evidence = {name: int(row[name].iloc[0]) for name in network.dag.nodes if rng.random() < share}
    local = dc.localize(network)
    found = local.marginals(evidence)
    for variable in network.dag.nodes[::7]:
        close(found[variable].values, local.query(variable, evidence).values)


@pytest.mark.parametrize("kind", ["coherent", "local", "gaussian", "local gaussian"])
def test_any_number_of_threads_gives_the_same_bits(kind, monkeypatch):
    monkeypatch.setattr("dconvex.inference.marginals.WORTH_THREADS", 0)
    monkeypatch.setattr("dconvex.inference.marginals.PLANNING_ONE", 0)
    network = dc.load_network("ecoli70" if "gaussian" in kind else "asia")
    model = dc.fit(network, network.sample(500, seed=1)) if "local" in kind else dc.localize(network)
    evidence = {"asnA": 1.0} if "gaussian" in kind else {"smoke": "yes"}
    one, two = (model.marginals(evidence, variables=network.dag.nodes, n_jobs=jobs) for jobs in (1, 2))
    for name in network.dag.nodes:
        if "gaussian" in kind:
            assert one[name].mean.tobytes() == two[name].mean.tobytes()
            assert one[name].covariance.tobytes() == two[name].covariance.tobytes()
        else:
            assert one[name].values.tobytes() == two[name].values.tobytes()
    with pytest.raises(ValueError, match="n_jobs must not be 0"):
        model.marginals(n_jobs=0)


def test_threads_that_share_large_steps_give_the_same_bits():
    """All of a grid in one cluster, whose plan multiplies tables of thousands of numbers."""
    side = 14
    edges = [(k, k + 1) for k in range(side * side) if (k + 1) % side] + [(k, k + side) for k in range(side * (side - 1))]
    network = dc.random_network(dc.Dag(edges), states=2, seed=1)
    model = dc.localize(network, tree=dc.ClusterTree([network.dag.nodes], [], mode="any"))
    for evidence in ({"soft": {3: [0.2, 0.9]}}, {"evidence": {3: 1}}):
        one, *others = (model.marginals(**evidence, n_jobs=jobs) for jobs in (1, 2, 5))
        for many in others:
            assert all(many[name].values.tobytes() == one[name].values.tobytes() for name in network.dag.nodes)
        assert model.query(0, **evidence).values == pytest.approx(one[0].values, rel=1e-12)
